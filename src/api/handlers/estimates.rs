//! `POST /tender/estimate` and `POST /tender/comps`: estimates and comparable contracts of a batch of items.

use std::sync::Arc;

use schemars::{JsonSchema, SchemaGenerator};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value as Json, json};

use crate::{
    api::{
        cost, examples, json,
        params::{
            estimates::{Batch, CompsRequest, EstimateRequest},
            read,
        },
        route::{Access, Answer, Body, Endpoint, ErrorResponse, RateLimitHeaders, Route, Tag, Verb},
    },
    catalog::estimates::{
        ComparablesOptions, Market,
        answer::{Comps, Estimate, EstimateItem},
    },
    engine::{self, MAX_PAGE_BYTES},
    http::{
        call::Call,
        error::ApiError,
        work::{Reply, Work},
    },
    model::{Date, EntityType},
};

pub(crate) const ESTIMATE: Route = Route {
    id: "estimateTenders",
    endpoint: Endpoint::Fixed("/tender/estimate", estimate),
    about: "Estimated values of 1 to 50 tenders or needs, from comparable contracts; counts as one request for each item, times the millions begun of contracts, awards and disclosures",
    body: Body::Json {
        is_required: true,
        schema: SchemaGenerator::subschema_for::<EstimateRequest>,
        example,
    },
    answer: Answer::Json(SchemaGenerator::subschema_for::<Answers<Estimate>>),
    ..BATCH
};

pub(crate) const COMPS: Route = Route {
    id: "compareTenders",
    endpoint: Endpoint::Fixed("/tender/comps", comps),
    about: "Comparable contracts of 1 to 50 tenders or needs, with statistics and bid guidance; counts as one request for each item, times the millions begun of contracts, awards and disclosures",
    body: Body::Json {
        is_required: true,
        schema: SchemaGenerator::subschema_for::<CompsRequest>,
        example,
    },
    answer: Answer::Json(SchemaGenerator::subschema_for::<Answers<Comps>>),
    ..BATCH
};

const BATCH: Route = Route {
    tag: Tag::Pro,
    verb: Verb::Post,
    // Fits 50 items whose texts have the maximum length, each character written as `\u00e9`.
    max_body_bytes: 640 << 10,
    access: Access::Paid,
    is_cacheable: false,
    errors: &[ErrorResponse {
        status: "422",
        name: "InvalidBody",
        about: "The body is missing or not JSON, or a member of it is invalid, unknown, missing or given twice; the message names the member, or the \
line and column. Or a parameter was given",
        example: |_| "unknown member 'item'; expected one of 'items', 'record_ids', 'gsins', 'years_back'".to_owned(),
        rate_limit: RateLimitHeaders::Always,
    }],
    ..Route::DEFAULT
};

/// The answers to the items, in their order.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "{R}Answers")]
struct Answers<R> {
    /// Number of items in the request.
    count: usize,
    /// How far back contracts count, in years.
    years_back: u32,
    /// The day from which years are counted back.
    #[schemars(extend("format" = "date"))]
    as_of: String,
    results: Vec<R>,
}

fn example() -> Json {
    json!({"record_ids": [examples::record(EntityType::Tender)["record_id"]]})
}

fn estimate(call: &Call) -> Result<Work, ApiError> {
    answer::<EstimateRequest, _>(call, |market, _, item| market.estimate(item))
}

fn comps(call: &Call) -> Result<Work, ApiError> {
    answer::<CompsRequest, _>(call, |market, batch, item| {
        let options = ComparablesOptions {
            limit: batch.limit,
            // Decision D-150: the comparables of all items together have the size of one page.
            max_bytes: MAX_PAGE_BYTES / batch.items.len(),
            exclude: &batch.exclude,
        };
        market.comps(item, &options)
    })
}

/// Finds the answer to one item of a batch.
type Find<R> = fn(&Market, &Batch, &EstimateItem) -> Result<R, engine::Error>;

/// Each item is a part of its own, so that other clients get their turn between two items.
fn answer<B, R>(call: &Call, find: Find<R>) -> Result<Work, ApiError>
where
    B: DeserializeOwned,
    Batch: TryFrom<B, Error = ApiError>,
    R: Serialize + Send + 'static,
{
    read::no_parameters(call.query)?;
    let body: B = json::parse(call.body.as_deref().unwrap_or_default())?;
    let batch = Arc::new(Batch::try_from(body)?);
    let (count, years_back) = (batch.items.len(), batch.years_back);
    let today = Date::in_toronto((call.state.now)());
    let parts = (0..count).map(|number| {
        let (generation, batch) = (call.generation.clone(), Arc::clone(&batch));
        move |deadline| {
            let market = generation.market(today, years_back, deadline);
            Ok(find(&market, &batch, &batch.items[number])?)
        }
    });
    let work = Work::parts(parts, move |results| {
        Reply::json(&Answers {
            count,
            years_back,
            as_of: today.to_string(),
            results,
        })
    });
    Ok(work.with_cost(cost::of_estimates(&call.generation, count)))
}
