//! The figures that `include` adds to statistics and profiles.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    catalog::generation::Generation,
    engine::{
        Deadline, Error,
        aggregation::{Aggregation, TermsAggregation},
    },
    http::{
        findings::{
            currencies::{CURRENCY_TERMS, CurrencySum, currencies_of},
            market::{self, MarketFigures, market_figures},
            quality::{QUALITY_TERMS, Quality, quality_of},
        },
        params::include::Include,
    },
    query::SearchQuery,
};

/// Each is absent unless it was asked for.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Included {
    /// Only with `include=quality`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Quality")]
    quality: Option<Quality>,
    /// Only with `include=market`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "MarketFigures")]
    market: Option<MarketFigures>,
    /// The sums of other currencies than the Canadian dollar, which totals leave out; only with `include=currencies`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<CurrencySum>")]
    currencies: Option<Vec<CurrencySum>>,
}

/// What the aggregation of the records must count for [`included`], in addition to other facets.
pub(crate) fn terms(include: Include) -> impl Iterator<Item = TermsAggregation> {
    let quality = include.quality.then_some(QUALITY_TERMS);
    let currencies = include.currencies.then_some(CURRENCY_TERMS);
    [quality, currencies].into_iter().flatten()
}

/// How often the records are counted for the figures.
pub(crate) fn counts(include: Include) -> usize {
    terms(include).count() + if include.market { market::COUNTS } else { 0 }
}

/// The figures of the records of an aggregation with [`terms`] and sums of values.
pub(crate) fn included(
    generation: &Generation,
    include: Include,
    query: &SearchQuery,
    aggregation: &Aggregation,
    deadline: &Deadline,
) -> Result<Included, Error> {
    let market = if include.market {
        Some(market_figures(generation, query, deadline)?)
    } else {
        None
    };
    Ok(Included {
        quality: include.quality.then(|| quality_of(aggregation)),
        market,
        currencies: include.currencies.then(|| currencies_of(aggregation)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_asked_for_is_neither_counted_nor_written() {
        let none = Include::default();
        assert_eq!((terms(none).count(), counts(none)), (0, 0));
        assert_eq!(serde_json::to_string(&Included::default()).unwrap(), "{}");
        let all = Include {
            quality: true,
            market: true,
            currencies: true,
        };
        assert_eq!((terms(all).count(), counts(all)), (2, 2 + market::COUNTS));
        let quality = Include { quality: true, ..none };
        assert_eq!((terms(quality).count(), counts(quality)), (1, 1));
    }
}
