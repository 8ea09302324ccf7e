//! The sums of other currencies than the Canadian dollar, which totals leave out.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    engine::aggregation::{Aggregation, Money},
    model::Facet,
};

/// The records in one currency other than the Canadian dollar.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct CurrencySum {
    /// Usually an ISO 4217 code, as the record states it.
    pub(crate) currency: String,
    /// Records that state this currency.
    pub(crate) records: u64,
    /// The sum of their values, in this currency.
    pub(crate) total_value: Money,
}

/// The currency of totals.
const CANADIAN: &str = "CAD";

/// The other currencies of an aggregation of all currencies and sums of values, those with most records first.
pub(crate) fn currencies_of(aggregation: &Aggregation) -> Vec<CurrencySum> {
    let counted = aggregation.facets.get(&Facet::Currency);
    let buckets = counted.into_iter().flat_map(|counted| &counted.buckets);
    let sums = buckets
        .filter(|bucket| bucket.value != CANADIAN)
        .map(|bucket| CurrencySum {
            currency: bucket.value.clone(),
            records: bucket.count,
            total_value: bucket.total_value,
        });
    sums.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::aggregation::{FacetBucket, FacetBuckets};

    #[test]
    fn other_currencies_are_listed() {
        let bucket = |value: &str, count: u64| FacetBucket {
            value: value.to_owned(),
            count,
            total_value: Money::of(5.0),
        };
        let currencies = FacetBuckets {
            buckets: vec![bucket("CAD", 9), bucket("USD", 2), bucket("EUR", 1)],
            ..FacetBuckets::default()
        };
        let aggregation = Aggregation {
            facets: [(Facet::Currency, currencies)].into(),
            ..Aggregation::default()
        };
        let sums: Vec<(String, u64)> = currencies_of(&aggregation)
            .into_iter()
            .map(|sum| (sum.currency, sum.records))
            .collect();
        assert_eq!(sums, [("USD".to_owned(), 2), ("EUR".to_owned(), 1)]);
        assert_eq!(currencies_of(&Aggregation::default()), []);
    }
}
