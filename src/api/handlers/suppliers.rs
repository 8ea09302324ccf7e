//! `GET /suppliers` and `GET /supplier/{id}`: suppliers with all their names.

use actix_web::http::{StatusCode, header};
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::json;

use crate::{
    api::{
        analysis::{
            bids::bidder::BidderFigures,
            shares::{Year, undated, years},
            supplier::{self, SupplierRow, SupplierView},
            supplier_list::SuppliersAsked,
        },
        cost::ScanCost,
        params::{
            file::of_list,
            read::{no_parameters, read_all},
            suppliers::{SuppliersParams, TABLE},
        },
        route::{Answer, Endpoint, ErrorResponse, Link, Parameters, PathParam, RateLimitHeaders, Route, Tag},
    },
    catalog::{ask::Ask, suppliers::Supplier},
    engine::aggregation::{FacetBucket, Money},
    http::{
        call::Call,
        error::ApiError,
        quoted::quoted,
        work::{Job, Reply, Work},
    },
    model::{EntityType, Facet},
};

pub(crate) const SUPPLIERS: Route = Route {
    id: "listSuppliers",
    tag: Tag::Parties,
    endpoint: Endpoint::Fixed("/suppliers", list),
    about: "Suppliers by any of their names, those with most records first",
    parameters: Parameters::Table("suppliers", || of_list(TABLE)),
    answer: Answer::Json(SchemaGenerator::subschema_for::<Suppliers>),
    links: &[Link {
        name: "supplier",
        to: "getSupplier",
        about: "The first supplier with all its names",
        parameters: &[("id", "$response.body#/results/0/id")],
        ..Link::DEFAULT
    }],
    ..Route::DEFAULT
};

pub(crate) const SUPPLIER: Route = Route {
    id: "getSupplier",
    tag: Tag::Parties,
    endpoint: Endpoint::Named("/supplier/", "id", get),
    about: "A supplier with all its names, the reason for each, and what may be the same supplier",
    path_params: &[PathParam::Fixed {
        component: "supplier_id",
        name: "id",
        about: "The identifier of a supplier; `/suppliers` finds it. A former one is answered with 307 and the present one",
        example: "sup_38416dd947937571",
    }],
    answer: Answer::Json(SchemaGenerator::subschema_for::<Profile>),
    errors: &[ErrorResponse {
        status: "404",
        name: "NoSupplier",
        about: "No supplier has or had that identifier",
        example: |_| "no supplier has the id 'sup_0'; find suppliers with /suppliers?q=…".to_owned(),
        rate_limit: RateLimitHeaders::Always,
    }],
    ..Route::DEFAULT
};

/// A page of suppliers, those with most records first.
#[derive(Serialize, JsonSchema)]
struct Suppliers {
    results: Vec<SupplierRow>,
    /// Present exactly when more suppliers follow.
    next_cursor: Option<String>,
}

/// A supplier, and the figures of the entity type with most of its records.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SupplierProfile")]
struct Profile {
    #[serde(flatten)]
    supplier: SupplierView,
    /// The entity type of the years and departments; null without a record.
    profile_of: Option<EntityType>,
    /// The oldest year first.
    by_year: Vec<Year>,
    /// Records of that entity type without a date, which no year counts.
    undated: u64,
    /// Up to ten departments, those with most records first.
    top_departments: Vec<TopDepartment>,
    bids: BidderFigures,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SupplierDepartment")]
struct TopDepartment {
    department: String,
    records: u64,
    total_value: Money,
}

fn list(call: &Call) -> Result<Work, ApiError> {
    let given: SuppliersParams = read_all(TABLE, call.query)?;
    let suppliers = &call.generation.suppliers;
    let asked = SuppliersAsked::new(given);
    let start = asked.start(suppliers)?.unwrap_or_default();
    let normal_form = (asked.normal_form(), start);
    let cost = ScanCost::of_bids(&call.generation, 1);
    let work = Work::search(&call.generation, move |ask| {
        let (page, next_cursor) = asked.page(&ask.generation.suppliers, start);
        let bids = &ask.generation.bids;
        let results = page
            .into_iter()
            .map(|supplier| SupplierRow::new(supplier, bids))
            .collect();
        Reply::json(&Suppliers { results, next_cursor })
    });
    cost.charge(work).for_request(&normal_form)
}

fn get(call: &Call, id: String) -> Result<Work, ApiError> {
    no_parameters(call.query)?;
    let suppliers = &call.generation.suppliers;
    let found = suppliers.find_id(&id).and_then(|number| suppliers.get(number));
    let found = found.ok_or_else(|| unknown_id(&id))?;
    if found.id != id {
        return moved(&found);
    }
    let cost = supplier::cost(&call.generation, &found).and_bids(&call.generation, 1);
    Ok(cost.charge(Work::search(&call.generation, move |ask| reply(ask, found))))
}

fn reply(ask: &Ask, found: Supplier) -> Result<Reply, ApiError> {
    let profile_of = supplier::main_entity_type(&found);
    let counted = profile_of
        .map(|entity_type| supplier::counted(ask, &found, entity_type))
        .transpose()?;
    let (mut by_year, mut top_departments, mut without_date) = (Vec::new(), Vec::new(), 0);
    if let Some(mut counted) = counted {
        let has_values = counted.values.is_some();
        by_year = years(counted.take(Facet::Year), has_values);
        without_date = undated(counted.total, &by_year);
        let buckets = counted.take(Facet::NamedDepartment).buckets.into_iter();
        let row = |bucket: FacetBucket| TopDepartment {
            department: bucket.value,
            records: bucket.count,
            total_value: bucket.total_value,
        };
        top_departments = buckets.map(row).collect();
    }
    let bids = BidderFigures::of(ask, found.keys(), Vec::new())?;
    Reply::json(&Profile {
        bids,
        supplier: SupplierView::new(found),
        profile_of,
        by_year,
        undated: without_date,
        top_departments,
    })
}

/// Where a supplier is that had another identifier, before it was joined with others or after it was split. Not
/// permanent, because the next index may undo it.
fn moved(supplier: &Supplier) -> Result<Work, ApiError> {
    let location = format!("/supplier/{}", supplier.id);
    let location = header::HeaderValue::from_str(&location).map_err(ApiError::internal)?;
    let reply = Reply::json(&json!({"id": supplier.id}))?;
    let reply = reply
        .with_status(StatusCode::TEMPORARY_REDIRECT)
        .with_headers(vec![(header::LOCATION, location)]);
    Ok(Work::new(Job::Ready(reply)))
}

fn unknown_id(id: &str) -> ApiError {
    ApiError::not_found(format!(
        "no supplier has the id {}; find suppliers with /suppliers?q=…",
        quoted(id)
    ))
}
