//! Figures of the records that match a query. What is counted is planned first: the cost of a request follows from it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    api::{
        analysis::{
            coverage::{self, coverage_of},
            currencies::{CurrencySum, currencies_of},
            market_figures::{self, MarketFigures, count_all_methods, market_figures},
            quality::{Quality, quality_of},
            supplier_counts::{Rank, SupplierCount, SupplierCounts, count_all_vendors},
        },
        params::include::Include,
    },
    catalog::{ask::Ask, generation::SourceCoverage},
    engine::{
        Error,
        aggregation::{Aggregation, FacetBuckets, TermsAggregation, ValueAggregation},
    },
    model::{Facet, Role, Schema},
    query::SearchQuery,
};

/// What is counted of the records that match.
#[derive(Clone, Debug)]
pub(crate) struct FigurePlan {
    terms: Vec<TermsAggregation>,
    values: ValueAggregation,
    include: Include,
    /// How many vendors are asked for, if all are counted for their suppliers.
    vendors: usize,
    /// Whether the total is charged as a scan, although it is counted together with the facets.
    is_total_charged: bool,
}

/// What was counted.
#[derive(Debug)]
pub(crate) struct Figures {
    pub(crate) counted: Aggregation,
    pub(crate) included: Included,
}

/// Each is absent unless it was asked for.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Included {
    /// Only with `include=quality`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Quality")]
    pub(crate) quality: Option<Quality>,
    /// Only with `include=market`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "MarketFigures")]
    pub(crate) market: Option<MarketFigures>,
    /// The sums of other currencies than the Canadian dollar, which totals leave out; only with `include=currencies`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<CurrencySum>")]
    pub(crate) currencies: Option<Vec<CurrencySum>>,
    /// Which years the sources of the records cover; only with `include=coverage`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<SourceCoverage>")]
    pub(crate) coverage: Option<Vec<SourceCoverage>>,
    /// Up to ten suppliers over all their names, those with most records first; only with `include=supplier`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<SupplierCount>")]
    pub(crate) top_suppliers: Option<Vec<SupplierCount>>,
}

/// The maximum number of suppliers that are included.
const TOP_SUPPLIERS: usize = 10;

impl FigurePlan {
    pub(crate) fn new(mut terms: Vec<TermsAggregation>, include: Include) -> FigurePlan {
        let quality = include.quality.then_some(Facet::QualityFlag);
        let currencies = include.currencies.then_some(Facet::Currency);
        terms.extend([quality, currencies].into_iter().flatten().map(TermsAggregation::all));
        let vendors = if include.supplier {
            count_all_vendors(&mut terms)
        } else {
            0
        };
        FigurePlan {
            terms,
            vendors,
            values: ValueAggregation::Sum,
            include,
            is_total_charged: false,
        }
    }

    pub(crate) fn with_percentiles(self) -> FigurePlan {
        let values = ValueAggregation::Percentiles;
        FigurePlan { values, ..self }
    }

    /// Decision D-15: statistics and pages of results charge the total, profiles do not.
    pub(crate) fn charging_total(self) -> FigurePlan {
        let is_total_charged = true;
        FigurePlan {
            is_total_charged,
            ..self
        }
    }

    /// How often the records are scanned.
    pub(crate) fn scans(&self) -> usize {
        // The methods are counted once.
        let has_methods = self.terms.iter().any(|terms| terms.facet == Facet::ProcurementMethod);
        let market = if self.include.market {
            market_figures::SCANS - usize::from(has_methods)
        } else {
            0
        };
        let coverage = if self.include.coverage { coverage::SCANS } else { 0 };
        self.terms.len() + usize::from(self.is_total_charged) + market + coverage
    }

    pub(crate) fn run(&self, ask: &Ask, query: &SearchQuery) -> Result<Figures, Error> {
        let has_vendors = Schema::of(query.entity_type).has_role(Role::Vendor);
        let terms = self.terms.iter().copied();
        let mut terms: Vec<_> = terms
            .filter(|terms| has_vendors || terms.facet != Facet::Vendor)
            .collect();
        let methods = self.include.market.then(|| count_all_methods(&mut terms));
        let mut counted = ask.aggregate(query, &terms, self.values)?;
        let market = methods
            .map(|shown| market(ask, query, &mut counted, shown))
            .transpose()?;
        let coverage = self.include.coverage.then(|| coverage_of(ask, query)).transpose()?;
        let included = Included {
            quality: self.include.quality.then(|| quality_of(&counted)),
            market,
            currencies: self.include.currencies.then(|| currencies_of(&counted)),
            coverage,
            top_suppliers: self.include.supplier.then(|| self.top_suppliers(ask, &mut counted)),
        };
        Ok(Figures { counted, included })
    }

    /// Leaves as many vendors as are asked for.
    fn top_suppliers(&self, ask: &Ask, counted: &mut Aggregation) -> Vec<SupplierCount> {
        let all = counted.facets.remove(&Facet::Vendor).unwrap_or_default();
        if self.vendors > 0 {
            counted.facets.insert(Facet::Vendor, first(&all, self.vendors));
        }
        SupplierCounts::of(&ask.generation.suppliers, all, Rank::Count, TOP_SUPPLIERS).rows
    }
}

/// The figures about the market, from the counts of all methods. Leaves of them what is `shown`.
fn market(
    ask: &Ask,
    query: &SearchQuery,
    counted: &mut Aggregation,
    shown: Option<TermsAggregation>,
) -> Result<MarketFigures, Error> {
    let all = counted.take(Facet::ProcurementMethod);
    if let Some(shown) = shown {
        let mut methods = first(&all, shown.size);
        if !shown.is_summed {
            methods.clear_sums();
        }
        counted.facets.insert(Facet::ProcurementMethod, methods);
    }
    market_figures(ask, query, counted, all)
}

/// The first of all values.
pub(crate) fn first(all: &FacetBuckets, size: usize) -> FacetBuckets {
    FacetBuckets {
        buckets: all.buckets.iter().take(size).cloned().collect(),
        distinct: all.distinct,
        other: all.buckets.iter().skip(size).map(|bucket| bucket.count).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_asked_for_is_neither_counted_nor_written() {
        let none = Include::default();
        let scans = |include: Include| {
            let plan = FigurePlan::new(Vec::new(), include);
            (plan.terms.len(), plan.scans(), plan.charging_total().scans())
        };
        assert_eq!(scans(none), (0, 0, 1));
        assert_eq!(serde_json::to_string(&Included::default()).unwrap(), "{}");
        let all = Include {
            quality: true,
            market: true,
            currencies: true,
            bids: true,
            coverage: true,
            supplier: true,
        };
        assert_eq!(scans(all), (3, 9, 10));
        assert_eq!(scans(Include { quality: true, ..none }), (1, 1, 2));
    }
}
