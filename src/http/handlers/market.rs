//! `POST /tender/estimate` and `POST /tender/comps`: estimates and comparable contracts of a batch of items.

use std::num::NonZeroU32;

use schemars::{JsonSchema, SchemaGenerator};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value as Json, json};

use crate::{
    catalog::market::{
        ComparablesOptions, Market,
        answer::{Comps, Estimate},
    },
    engine,
    http::{
        call::Call,
        error::ApiError,
        examples, json,
        params::{
            market::{Batch, CompsRequest, EstimateRequest},
            read,
        },
        route::{Access, Answer, Body, Endpoint, ErrorResponse, RateLimitHeaders, Route, Tag, Verb},
        work::{Reply, Work},
    },
    model::{Date, EntityType},
};

pub(crate) const ESTIMATE: Route = Route {
    id: "estimateTenders",
    endpoint: Endpoint::Fixed("/tender/estimate", estimate),
    about: "Estimated values of 1 to 50 tenders or needs, from comparable contracts; counts as one request for every ten items",
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
    about: "Comparable contracts of 1 to 50 tenders or needs, with statistics and bid guidance; counts as one request for every ten items",
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

/// How many items count as one request.
const ITEMS_PER_REQUEST: usize = 10;

fn example() -> Json {
    json!({"record_ids": [examples::record(EntityType::Tender)["record_id"]]})
}

fn estimate(call: &Call) -> Result<Work, ApiError> {
    answer::<EstimateRequest, _>(call, |market, batch| market.estimate(&batch.items))
}

fn comps(call: &Call) -> Result<Work, ApiError> {
    answer::<CompsRequest, _>(call, |market, batch| {
        let options = ComparablesOptions {
            limit: batch.limit,
            exclude: &batch.exclude,
        };
        market.comps(&batch.items, &options)
    })
}

fn answer<B, R>(call: &Call, find: fn(&Market, &Batch) -> Result<Vec<R>, engine::Error>) -> Result<Work, ApiError>
where
    B: DeserializeOwned,
    Batch: TryFrom<B, Error = ApiError>,
    R: Serialize + 'static,
{
    read::no_parameters(call.query)?;
    let body: B = json::parse(call.body.as_deref().unwrap_or_default())?;
    let batch = Batch::try_from(body)?;
    let requests = u32::try_from(batch.items.len().div_ceil(ITEMS_PER_REQUEST)).unwrap_or(u32::MAX);
    let (generation, today) = (call.generation.clone(), Date::in_toronto((call.state.now)()));
    let work = Work::search(move |deadline| {
        let market = generation.market(today, batch.years_back, deadline);
        Reply::json(&Answers {
            count: batch.items.len(),
            years_back: batch.years_back,
            as_of: today.to_string(),
            results: find(&market, &batch)?,
        })
    });
    Ok(work.with_cost(NonZeroU32::new(requests).unwrap_or(NonZeroU32::MIN)))
}
