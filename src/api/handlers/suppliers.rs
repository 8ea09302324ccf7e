//! `GET /suppliers`, `GET /supplier/{id}`, `GET /bodies` and `GET /body/{id}`: all names of suppliers and bodies.

use actix_web::http::{StatusCode, header};
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::json;

use crate::{
    api::{
        analysis::{
            bids::{bidder::BidderFigures, buyer::CallsReceived},
            shares::{Year, undated, years},
            supplier::{self, BodyRow, SupplierRow, SupplierView, TOP_OTHERS},
            supplier_counts::{Rank, SupplierCount, SupplierCounts},
            supplier_list::SuppliersAsked,
        },
        cost::ScanCost,
        params::{
            file::of_list,
            param::describe,
            read::{no_parameters, read_all},
            suppliers::{BODIES as BODIES_TABLE, SuppliersParams, TABLE},
        },
        route::{Answer, Endpoint, ErrorResponse, Link, Parameters, PathParam, Route, Tag},
    },
    catalog::{
        ask::Ask,
        bids::BidQuery,
        suppliers::{Party, Supplier},
    },
    engine::aggregation::{Aggregation, FacetBucket, Money},
    http::{
        call::Call,
        error::ApiError,
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
    endpoint: Endpoint::Named("/supplier/", "id", |call, id| get(call, Party::Supplier, id)),
    about: "A supplier with all its names, the reason for each, and what may be the same supplier",
    path_params: &[PathParam::Fixed {
        component: "supplier_id",
        name: "id",
        about: "The identifier of a supplier; `/suppliers` finds it. A former one is answered with 307 and the present one",
        example: "sup_38416dd947937571",
    }],
    answer: Answer::Json(SchemaGenerator::subschema_for::<Profile>),
    errors: &[ErrorResponse::not_found(
        "NoSupplier",
        "No supplier has or had that identifier",
        |_| "no supplier has the id 'sup_0'; find suppliers with /suppliers?q=…".to_owned(),
    )],
    ..Route::DEFAULT
};

pub(crate) const BODIES: Route = Route {
    id: "listBodies",
    endpoint: Endpoint::Fixed("/bodies", list_bodies),
    about: "Public bodies by any of their names, those with most records first",
    parameters: Parameters::Table("bodies", || describe(BODIES_TABLE)),
    answer: Answer::Json(SchemaGenerator::subschema_for::<Bodies>),
    links: &[Link {
        name: "body",
        to: "getBody",
        about: "The first body with all its names",
        parameters: &[("id", "$response.body#/results/0/id")],
        ..Link::DEFAULT
    }],
    ..SUPPLIERS
};

pub(crate) const BODY: Route = Route {
    id: "getBody",
    endpoint: Endpoint::Named("/body/", "id", |call, id| get(call, Party::Body, id)),
    about: "A public body with all its names, the reason for each, and what may be the same body",
    path_params: &[PathParam::Fixed {
        component: "body_id",
        name: "id",
        about: "The identifier of a body; `/bodies` finds it. A former one is answered with 307 and the present one",
        example: "body_d7f311f84c9006a9",
    }],
    answer: Answer::Json(SchemaGenerator::subschema_for::<BodyProfile>),
    errors: &[ErrorResponse::not_found(
        "NoBody",
        "No body has or had that identifier",
        |_| "no body has the id 'body_0'; find bodies with /bodies?q=…".to_owned(),
    )],
    ..SUPPLIER
};

/// A page of public bodies, those with most records first.
#[derive(Serialize, JsonSchema)]
struct Bodies {
    results: Vec<BodyRow>,
    /// Present exactly when more bodies follow.
    next_cursor: Option<String>,
}

/// A public body, and the figures of the entity type with most of its records.
#[derive(Serialize, JsonSchema)]
struct BodyProfile {
    #[serde(flatten)]
    body: SupplierView,
    /// The entity type of the years and suppliers; null without a record.
    profile_of: Option<EntityType>,
    /// The oldest year first.
    by_year: Vec<Year>,
    /// Records of that entity type without a date, which no year counts.
    undated: u64,
    /// Up to ten suppliers, those with most records first.
    top_suppliers: Vec<SupplierCount>,
    bids: CallsReceived,
}

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

fn list_bodies(call: &Call) -> Result<Work, ApiError> {
    let asked = SuppliersAsked::new(read_all(BODIES_TABLE, call.query)?);
    let start = asked.start(&call.generation.bodies)?.unwrap_or_default();
    let normal_form = (asked.normal_form(), start);
    let work = Work::search(&call.generation, move |ask| {
        let (page, next_cursor) = asked.page(&ask.generation.bodies, start);
        let results = page.into_iter().map(BodyRow::from).collect();
        Reply::json(&Bodies { results, next_cursor })
    });
    work.for_request(&normal_form)
}

fn get(call: &Call, party: Party, id: String) -> Result<Work, ApiError> {
    no_parameters(call.query)?;
    let found = supplier::find(&call.generation, party, &id)?;
    if found.id != id {
        return moved(party, &found);
    }
    let cost = supplier::cost(&call.generation, party, &found).and_bids(&call.generation, 1);
    let reply = match party {
        Party::Supplier => supplier_reply,
        Party::Body => body_reply,
    };
    Ok(cost.charge(Work::search(&call.generation, move |ask| reply(ask, found))))
}

/// The figures of the entity type with most records, the years, and the records without a date.
type Counted = (Option<(EntityType, Aggregation)>, Vec<Year>, u64);

fn counted(ask: &Ask, party: Party, found: &Supplier) -> Result<Counted, ApiError> {
    let Some(entity_type) = supplier::main_entity_type(found) else {
        return Ok((None, Vec::new(), 0));
    };
    let mut counted = supplier::counted(ask, party, found, entity_type)?;
    let has_values = counted.values.is_some();
    let by_year = years(counted.take(Facet::Year), has_values);
    let undated = undated(counted.total, &by_year);
    Ok((Some((entity_type, counted)), by_year, undated))
}

fn supplier_reply(ask: &Ask, found: Supplier) -> Result<Reply, ApiError> {
    let (counted, by_year, undated) = counted(ask, Party::Supplier, &found)?;
    let bids = BidderFigures::of(ask, found.keys(), Vec::new())?;
    let profile_of = counted.as_ref().map(|(entity_type, _)| *entity_type);
    let departments = counted.map(|(_, mut counted)| counted.take(Facet::NamedDepartment).buckets);
    let row = |bucket: FacetBucket| TopDepartment {
        department: bucket.value,
        records: bucket.count,
        total_value: bucket.total_value,
    };
    Reply::json(&Profile {
        bids,
        supplier: SupplierView::new(found),
        profile_of,
        by_year,
        undated,
        top_departments: departments.into_iter().flatten().map(row).collect(),
    })
}

fn body_reply(ask: &Ask, found: Supplier) -> Result<Reply, ApiError> {
    let (counted, by_year, undated) = counted(ask, Party::Body, &found)?;
    let bids = CallsReceived::of(ask, &BidQuery::of_notices(vec![supplier::filter(Party::Body, &found)]))?;
    let profile_of = counted.as_ref().map(|(entity_type, _)| *entity_type);
    // Tenders have none.
    let vendors = counted.and_then(|(_, mut counted)| counted.facets.remove(&Facet::Vendor));
    let suppliers = &ask.generation.suppliers;
    let top = |vendors| SupplierCounts::of(suppliers, vendors, Rank::Count, TOP_OTHERS).rows;
    Reply::json(&BodyProfile {
        bids,
        body: SupplierView::new(found),
        profile_of,
        by_year,
        undated,
        top_suppliers: vendors.map(top).unwrap_or_default(),
    })
}

/// Where a supplier or a body is that had another identifier, before it was joined with others or after it was split.
/// Not permanent, because the next index may undo it.
fn moved(party: Party, supplier: &Supplier) -> Result<Work, ApiError> {
    let location = format!("/{}/{}", party.noun(), supplier.id);
    let location = header::HeaderValue::from_str(&location).map_err(ApiError::internal)?;
    let reply = Reply::json(&json!({"id": supplier.id}))?;
    let reply = reply
        .with_status(StatusCode::TEMPORARY_REDIRECT)
        .with_headers(vec![(header::LOCATION, location)]);
    Ok(Work::new(Job::Ready(reply)))
}
