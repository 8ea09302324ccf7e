//! `GET /suppliers` and `GET /supplier/{id}`: suppliers with all their names.

use actix_web::http::{StatusCode, header};
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::json;

use crate::{
    api::{
        analysis::{
            bids::bidder::BidderFigures,
            shares::{Year, years},
            supplier::{self, SupplierRow, SupplierView},
        },
        cost::ScanCost,
        params::{
            paging::{cursor_of_another_query, invalid_cursor},
            param::describe,
            parse::Given,
            read::{no_parameters, read_all},
            suppliers::{DEFAULT_LIMIT, SuppliersParams, TABLE},
        },
        route::{Answer, Endpoint, ErrorResponse, Link, Parameters, PathParam, RateLimitHeaders, Route, Tag},
    },
    catalog::{
        ask::Ask,
        generation::Generation,
        suppliers::{Supplier, SupplierList},
    },
    engine::aggregation::{FacetBucket, Money},
    http::{
        call::Call,
        error::ApiError,
        quoted::quoted,
        work::{Job, Reply, Work},
    },
    model::{EntityType, Facet},
    query::{Position, cursor::Cursor},
};

pub(crate) const SUPPLIERS: Route = Route {
    id: "listSuppliers",
    tag: Tag::Parties,
    endpoint: Endpoint::Fixed("/suppliers", list),
    about: "Suppliers by any of their names, those with most records first",
    parameters: Parameters::Table("suppliers", || describe(TABLE)),
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
    let asked = Asked::new(given);
    let start = asked.start(suppliers)?;
    let normal_form = (asked.q.clone(), asked.name.clone(), asked.limit, start);
    let cost = ScanCost::of_bids(&call.generation, 1);
    let work = Work::search(&call.generation, move |ask| {
        Reply::json(&asked.page(&ask.generation, start))
    });
    cost.charge(work).for_request(&normal_form)
}

/// Which suppliers a request lists.
struct Asked {
    q: Option<String>,
    name: Option<String>,
    limit: usize,
    cursor: Option<Given<String>>,
}

impl Asked {
    fn new(given: SuppliersParams) -> Asked {
        Asked {
            q: given.q.map(|given| given.value),
            name: given.name.map(|given| given.value),
            limit: given.limit.map_or(DEFAULT_LIMIT, |given| given.value) as usize,
            cursor: given.cursor,
        }
    }

    /// Binds a cursor to the names that are asked for.
    fn fingerprint(&self) -> u32 {
        let text = format!("suppliers\n{:?}\n{:?}", self.q, self.name);
        crc32fast::hash(text.as_bytes())
    }

    /// The number of the first supplier of the page, as far as the cursor states it.
    fn start(&self, suppliers: &SupplierList) -> Result<u32, ApiError> {
        let Some(given) = &self.cursor else { return Ok(0) };
        let cursor = Cursor::decode(&given.value).map_err(|_| invalid_cursor(given))?;
        if !cursor.is_of(self.fingerprint()) {
            return Err(cursor_of_another_query());
        }
        let last = suppliers.find_id(&cursor.position().record_id);
        last.map(|last| last + 1).ok_or_else(|| invalid_cursor(given))
    }

    fn page(&self, generation: &Generation, start: u32) -> Suppliers {
        let (suppliers, bids) = (&generation.suppliers, &generation.bids);
        let mut found = match (&self.name, &self.q) {
            (Some(name), _) => suppliers.find_name(name).into_iter().collect(),
            (None, Some(part)) => suppliers.containing(part),
            (None, None) => (0..suppliers.len() as u32).collect(),
        };
        if let (Some(_), Some(part)) = (&self.name, &self.q) {
            let with_part = suppliers.containing(part);
            found.retain(|number| with_part.contains(number));
        }
        let mut rest = found.into_iter().skip_while(|number| *number < start);
        let page: Vec<Supplier> = rest
            .by_ref()
            .take(self.limit)
            .filter_map(|number| suppliers.get(number))
            .collect();
        let last = page.last().filter(|_| rest.next().is_some());
        let position = |last: &Supplier| Position {
            key: None,
            record_id: last.id.clone(),
        };
        Suppliers {
            next_cursor: last.map(|last| Cursor::of(self.fingerprint(), position(last)).encode()),
            results: page
                .into_iter()
                .map(|supplier| SupplierRow::new(supplier, bids))
                .collect(),
        }
    }
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
    let (mut by_year, mut top_departments) = (Vec::new(), Vec::new());
    if let Some(mut counted) = counted {
        let has_values = counted.values.is_some();
        by_year = years(counted.take(Facet::Year), has_values);
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
