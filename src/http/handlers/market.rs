//! `POST /tender/estimate` and `POST /tender/comps`: what needs like these cost before, item by item.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    catalog::market::{
        Market,
        answer::{Asked, Comps, Estimate},
    },
    engine,
    http::{
        Call, Reply, Work,
        body::Member,
        error::ApiError,
        params::{
            self,
            market::{COMPS, ESTIMATE, MarketBody},
        },
    },
    model::date::Date,
};

/// The answers to the items, in their order.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "{R}Answers")]
pub struct Answers<R> {
    /// Items that were asked about.
    count: usize,
    /// How far back contracts counted, in years.
    years_back: u32,
    /// The day they were counted from.
    #[schemars(extend("format" = "date"))]
    as_of: String,
    results: Vec<R>,
}

/// What answers the items, in their order.
type Find<R> = fn(&Market, &[Asked], &MarketBody) -> Result<Vec<R>, engine::Error>;

/// How many items count as one request.
const ITEMS_A_REQUEST: usize = 10;

pub fn estimate(call: &Call) -> Result<Work, ApiError> {
    answer(call, ESTIMATE, |market, items, _| market.estimate(items))
}

pub fn comps(call: &Call) -> Result<Work, ApiError> {
    answer(call, COMPS, |market, items, body| market.comps(items, &body.show()))
}

fn answer<R: Serialize + 'static>(
    call: &Call,
    table: &'static [Member<MarketBody>],
    find: Find<R>,
) -> Result<Work, ApiError> {
    params::none(call.query)?;
    let mut body: MarketBody = call.body.clone().unwrap_or_default().read(table)?;
    let items = body.asked()?;
    let (generation, today) = (call.generation.clone(), Date::in_toronto((call.state.now)()));
    let requests = u32::try_from(items.len().div_ceil(ITEMS_A_REQUEST)).unwrap_or(u32::MAX);
    let work = Work::pooled(move |deadline| {
        let market = Market::of(&generation, today, body.years_back(), deadline);
        Reply::json(&Answers {
            count: items.len(),
            years_back: body.years_back(),
            as_of: today.to_string(),
            results: find(&market, &items, &body)?,
        })
    })?;
    Ok(work.costing(NonZeroU32::new(requests).unwrap_or(NonZeroU32::MIN)))
}

/// Named for the description of the interface.
pub type Estimates = Answers<Estimate>;
pub type Comparables = Answers<Comps>;
