//! `/reconcile/supplier` and `/reconcile/department`: the Reconciliation API 0.2, by which programs such as OpenRefine
//! match a list of names.

use std::borrow::Cow;

use actix_web::http::header::{self, HeaderValue};
use bytes::Bytes;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;

use crate::{
    api::{
        analysis::reconcile,
        cost,
        params::{
            param::describe,
            read::{no_parameters, read_all},
            reconcile::{PREVIEW as PREVIEW_PARAMS, ReconcileParams, SERVICE as SERVICE_PARAMS, SUGGEST},
        },
        route::{Answer, Body, Endpoint, Parameters, Route, Tag, Verb},
    },
    catalog::suppliers::Party,
    http::{
        call::Call,
        error::ApiError,
        quoted::quoted,
        search_pool::Lane,
        work::{Reply, Work},
    },
};

pub(crate) const SERVICE: Route = Route {
    id: "reconcileSuppliers",
    tag: Tag::Parties,
    endpoint: Endpoint::Fixed("/reconcile/supplier", |call| get(call, Party::Supplier)),
    about: "Reconciliation API 0.2 for suppliers: the manifest, or candidates for the names of a batch",
    parameters: Parameters::Table("reconcile", || describe(SERVICE_PARAMS)),
    answer: Answer::Json(SchemaGenerator::subschema_for::<Object>),
    ..Route::DEFAULT
};

pub(crate) const BATCH: Route = Route {
    id: "reconcileSuppliersByForm",
    verb: Verb::Post,
    endpoint: Endpoint::Fixed("/reconcile/supplier", |call| post(call, Party::Supplier)),
    about: "The same with `queries` or `extend` in a form, which may be longer than an address",
    parameters: Parameters::None,
    body: Body::Form(&["queries", "extend"]),
    max_body_bytes: 256 << 10,
    is_cacheable: false,
    ..SERVICE
};

pub(crate) const SUGGEST_ENTITY: Route = Route {
    id: "suggestSuppliers",
    endpoint: Endpoint::Fixed("/reconcile/supplier/suggest/entity", |call| {
        suggest_entity(call, Party::Supplier)
    }),
    about: "Suppliers with a name that contains a text, for a field that completes itself",
    parameters: Parameters::Table("suggest", || describe(SUGGEST)),
    ..SERVICE
};

pub(crate) const SUGGEST_PROPERTY: Route = Route {
    id: "suggestSupplierProperties",
    endpoint: Endpoint::Fixed("/reconcile/supplier/suggest/property", suggest_property),
    about: "Properties of suppliers whose name contains a text",
    ..SUGGEST_ENTITY
};

pub(crate) const PROPERTIES: Route = Route {
    id: "listSupplierProperties",
    endpoint: Endpoint::Fixed("/reconcile/supplier/properties", |call| {
        properties(call, Party::Supplier)
    }),
    about: "The properties of suppliers that `extend` answers",
    parameters: Parameters::None,
    ..SERVICE
};

pub(crate) const PREVIEW: Route = Route {
    id: "previewSupplier",
    endpoint: Endpoint::Fixed("/reconcile/supplier/preview", |call| preview(call, Party::Supplier)),
    about: "A supplier in a few lines of HTML, to show in a small frame",
    parameters: Parameters::Table("preview", || describe(PREVIEW_PARAMS)),
    answer: Answer::Html,
    ..SERVICE
};

pub(crate) const BODY_SERVICE: Route = Route {
    id: "reconcileBodies",
    endpoint: Endpoint::Fixed("/reconcile/department", |call| get(call, Party::Body)),
    about: "Reconciliation API 0.2 for public bodies: the manifest, or candidates for the names of a batch",
    ..SERVICE
};

pub(crate) const BODY_BATCH: Route = Route {
    id: "reconcileBodiesByForm",
    endpoint: Endpoint::Fixed("/reconcile/department", |call| post(call, Party::Body)),
    ..BATCH
};

pub(crate) const BODY_SUGGEST_ENTITY: Route = Route {
    id: "suggestBodies",
    endpoint: Endpoint::Fixed("/reconcile/department/suggest/entity", |call| {
        suggest_entity(call, Party::Body)
    }),
    about: "Public bodies with a name that contains a text, for a field that completes itself",
    ..SUGGEST_ENTITY
};

pub(crate) const BODY_SUGGEST_PROPERTY: Route = Route {
    id: "suggestBodyProperties",
    endpoint: Endpoint::Fixed("/reconcile/department/suggest/property", suggest_property),
    about: "Properties of public bodies whose name contains a text",
    ..SUGGEST_PROPERTY
};

pub(crate) const BODY_PROPERTIES: Route = Route {
    id: "listBodyProperties",
    endpoint: Endpoint::Fixed("/reconcile/department/properties", |call| properties(call, Party::Body)),
    about: "The properties of public bodies that `extend` answers",
    ..PROPERTIES
};

pub(crate) const BODY_PREVIEW: Route = Route {
    id: "previewBody",
    endpoint: Endpoint::Fixed("/reconcile/department/preview", |call| preview(call, Party::Body)),
    about: "A public body in a few lines of HTML, to show in a small frame",
    ..PREVIEW
};

/// An object of the Reconciliation API 0.2.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Reconciliation")]
struct Object {
    #[serde(flatten)]
    members: serde_json::Map<String, Value>,
}

fn get(call: &Call, party: Party) -> Result<Work, ApiError> {
    answer(call, party, read_all(SERVICE_PARAMS, call.query)?)
}

fn post(call: &Call, party: Party) -> Result<Work, ApiError> {
    no_parameters(call.query)?;
    let form = call.body.clone().unwrap_or_default();
    let form = str::from_utf8(&form).map_err(|_| ApiError::unprocessable("the form is not UTF-8"))?;
    answer(call, party, read_all(SERVICE_PARAMS, form)?)
}

fn answer(call: &Call, party: Party, given: ReconcileParams) -> Result<Work, ApiError> {
    if let Some(queries) = given.queries {
        let batch = reconcile::parse_batch(&queries.value).map_err(ApiError::unprocessable)?;
        let cost = cost::of_batch(batch.len());
        let work = Work::search(&call.generation, move |ask| {
            Reply::json(&reconcile::reconcile(ask.generation.parties(party), &batch))
        });
        Ok(work.in_lane(Lane::Heavy).with_cost(cost))
    } else if let Some(extend) = given.extend {
        let answer = reconcile::extend(call.generation.parties(party), &extend.value);
        Work::json(&answer.map_err(ApiError::unprocessable)?)
    } else {
        Work::json(&reconcile::manifest(party))
    }
}

fn suggest_entity(call: &Call, party: Party) -> Result<Work, ApiError> {
    let given: ReconcileParams = read_all(SUGGEST, call.query)?;
    let prefix = given.prefix.map(|given| given.value).unwrap_or_default();
    Ok(Work::search(&call.generation, move |ask| {
        Reply::json(&reconcile::suggest_entities(ask.generation.parties(party), &prefix))
    }))
}

fn suggest_property(call: &Call) -> Result<Work, ApiError> {
    let given: ReconcileParams = read_all(SUGGEST, call.query)?;
    let prefix = given.prefix.map(|given| given.value).unwrap_or_default();
    Work::json(&reconcile::suggest_properties(&prefix))
}

fn properties(call: &Call, party: Party) -> Result<Work, ApiError> {
    no_parameters(call.query)?;
    Work::json(&reconcile::proposed_properties(party))
}

fn preview(call: &Call, party: Party) -> Result<Work, ApiError> {
    let given: ReconcileParams = read_all(PREVIEW_PARAMS, call.query)?;
    let id = given.id.map(|given| given.value).unwrap_or_default();
    let found = call.generation.parties(party).with_id(&id);
    let (title, text) = match found {
        Some(supplier) => (supplier.name.clone(), reconcile::description(&supplier)),
        None => (format!("No {} has the id {}", party.noun(), quoted(&id)), String::new()),
    };
    let (title, text): (Cow<str>, Cow<str>) = (html_escape::encode_text(&title), html_escape::encode_text(&text));
    let page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{title}</title><p><b>{title}</b></p><p>{text}</p></html>"
    );
    Ok(Work::search(&call.generation, move |_| {
        let html = HeaderValue::from_static("text/html; charset=utf-8");
        let policy = HeaderValue::from_static("default-src 'none'");
        let headers = vec![(header::CONTENT_TYPE, html), (header::CONTENT_SECURITY_POLICY, policy)];
        Ok(Reply::from(Bytes::from(page)).with_headers(headers))
    }))
}
