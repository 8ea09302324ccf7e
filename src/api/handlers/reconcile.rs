//! `/reconcile/supplier` and `/reconcile/department`: the Reconciliation API 0.2, by which programs such as OpenRefine
//! match a list of names. Each endpoint also has a path with the token of a service address.

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
            reconcile::{
                MAX_PROPERTIES, PREVIEW as PREVIEW_PARAMS, PROPERTIES as PROPERTIES_PARAMS, ReconcileParams,
                SERVICE as SERVICE_PARAMS, SUGGEST,
            },
        },
        reconciliation::{Reconciliation, Service},
        route::{Access, Answer, Body, Endpoint, Parameters, PathParam, Route, Tag, Verb},
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
    endpoint: endpoint(Party::Supplier, "", get),
    about: "Reconciliation API 0.2 for suppliers: the manifest, or candidates for the names of a batch",
    parameters: Parameters::Table("reconcile", || describe(SERVICE_PARAMS)),
    answer: Answer::Json(SchemaGenerator::subschema_for::<Object>),
    ..Route::DEFAULT
};

pub(crate) const BATCH: Route = Route {
    id: "reconcileSuppliersByForm",
    verb: Verb::Post,
    endpoint: endpoint(Party::Supplier, "", post),
    about: "The same with `queries` or `extend` in a form, which may be longer than an address",
    parameters: Parameters::None,
    body: Body::Form(&["queries", "extend"]),
    max_body_bytes: 256 << 10,
    is_cacheable: false,
    ..SERVICE
};

pub(crate) const SUGGEST_ENTITY: Route = Route {
    id: "suggestSuppliers",
    endpoint: endpoint(Party::Supplier, "/suggest/entity", suggest_entity),
    about: "Suppliers with a name that contains a text, for a field that completes itself",
    parameters: Parameters::Table("suggest", || describe(SUGGEST)),
    ..SERVICE
};

pub(crate) const SUGGEST_PROPERTY: Route = Route {
    id: "suggestSupplierProperties",
    endpoint: endpoint(Party::Supplier, "/suggest/property", suggest_property),
    about: "Properties of suppliers whose name contains a text",
    ..SUGGEST_ENTITY
};

pub(crate) const PROPERTIES: Route = Route {
    id: "listSupplierProperties",
    endpoint: endpoint(Party::Supplier, "/properties", properties),
    about: "The properties of suppliers that `extend` answers",
    parameters: Parameters::Table("properties", || describe(PROPERTIES_PARAMS)),
    ..SERVICE
};

pub(crate) const PREVIEW: Route = Route {
    id: "previewSupplier",
    endpoint: endpoint(Party::Supplier, "/preview", preview),
    about: "A supplier in a few lines of HTML, to show in a small frame",
    parameters: Parameters::Table("preview", || describe(PREVIEW_PARAMS)),
    answer: Answer::Html,
    ..SERVICE
};

pub(crate) const BODY_SERVICE: Route = Route {
    id: "reconcileBodies",
    endpoint: endpoint(Party::Body, "", get),
    about: "Reconciliation API 0.2 for public bodies: the manifest, or candidates for the names of a batch",
    ..SERVICE
};

pub(crate) const BODY_BATCH: Route = Route {
    id: "reconcileBodiesByForm",
    endpoint: endpoint(Party::Body, "", post),
    ..BATCH
};

pub(crate) const BODY_SUGGEST_ENTITY: Route = Route {
    id: "suggestBodies",
    endpoint: endpoint(Party::Body, "/suggest/entity", suggest_entity),
    about: "Public bodies with a name that contains a text, for a field that completes itself",
    ..SUGGEST_ENTITY
};

pub(crate) const BODY_SUGGEST_PROPERTY: Route = Route {
    id: "suggestBodyProperties",
    endpoint: endpoint(Party::Body, "/suggest/property", suggest_property),
    about: "Properties of public bodies whose name contains a text",
    ..SUGGEST_PROPERTY
};

pub(crate) const BODY_PROPERTIES: Route = Route {
    id: "listBodyProperties",
    endpoint: endpoint(Party::Body, "/properties", properties),
    about: "The properties of public bodies that `extend` answers",
    ..PROPERTIES
};

pub(crate) const BODY_PREVIEW: Route = Route {
    id: "previewBody",
    endpoint: endpoint(Party::Body, "/preview", preview),
    about: "A public body in a few lines of HTML, to show in a small frame",
    ..PREVIEW
};

const fn endpoint(
    party: Party,
    suffix: &'static str,
    handler: fn(&Call, &Service) -> Result<Work, ApiError>,
) -> Endpoint {
    Endpoint::Reconciliation(Reconciliation {
        party,
        suffix,
        has_token: false,
        handler,
    })
}

/// The endpoint of a route for requests with a token in the path.
pub(crate) const fn with_token(route: Route) -> Route {
    let endpoint = match route.endpoint {
        Endpoint::Reconciliation(endpoint) => Endpoint::Reconciliation(endpoint.with_token()),
        other => other,
    };
    Route {
        endpoint,
        access: Access::Token,
        path_params: TOKEN,
        ..route
    }
}

const TOKEN: &[PathParam] = &[PathParam::Fixed {
    component: "service_token",
    name: "token",
    about: "The token of a service address, which `procure keys address create` makes for a key",
    example: "rpk_0123456789abcdef0123456789abcdef01234567",
}];

/// An object of the Reconciliation API 0.2.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Reconciliation")]
struct Object {
    #[serde(flatten)]
    members: serde_json::Map<String, Value>,
}

fn get(call: &Call, service: &Service) -> Result<Work, ApiError> {
    answer(call, service, read_all(SERVICE_PARAMS, call.query)?)
}

fn post(call: &Call, service: &Service) -> Result<Work, ApiError> {
    no_parameters(call.query)?;
    let form = call.body.clone().unwrap_or_default();
    let form = str::from_utf8(&form).map_err(|_| ApiError::unprocessable("the form is not UTF-8"))?;
    answer(call, service, read_all(SERVICE_PARAMS, form)?)
}

fn answer(call: &Call, service: &Service, given: ReconcileParams) -> Result<Work, ApiError> {
    let party = service.party;
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
        let has_pages = call.state.own_address.has_pages;
        let manifest = reconcile::manifest(party, &call.origin, &service.path(), has_pages);
        Work::json(&manifest)?.for_request(&manifest)
    }
}

fn suggest_entity(call: &Call, service: &Service) -> Result<Work, ApiError> {
    let party = service.party;
    let given: ReconcileParams = read_all(SUGGEST, call.query)?;
    let prefix = given.prefix.map(|given| given.value).unwrap_or_default();
    let skipped = given.cursor.map_or(0, |given| given.value as usize);
    Ok(Work::search(&call.generation, move |ask| {
        Reply::json(&reconcile::suggest_entities(
            ask.generation.parties(party),
            &prefix,
            skipped,
        ))
    }))
}

fn suggest_property(call: &Call, _: &Service) -> Result<Work, ApiError> {
    let given: ReconcileParams = read_all(SUGGEST, call.query)?;
    let prefix = given.prefix.map(|given| given.value).unwrap_or_default();
    let skipped = given.cursor.map_or(0, |given| given.value as usize);
    Work::json(&reconcile::suggest_properties(&prefix, skipped))
}

fn properties(call: &Call, service: &Service) -> Result<Work, ApiError> {
    let given: ReconcileParams = read_all(PROPERTIES_PARAMS, call.query)?;
    let limit = given.limit.map_or(MAX_PROPERTIES, |given| given.value) as usize;
    Work::json(&reconcile::proposed_properties(service.party, limit))
}

fn preview(call: &Call, service: &Service) -> Result<Work, ApiError> {
    let party = service.party;
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
