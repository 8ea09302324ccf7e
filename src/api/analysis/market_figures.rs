//! Figures about a market, with the share of the records that state what a figure is computed from.
//!
//! `docs/api.md` defines each figure. A figure is null where no record states what it needs.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    api::analysis::competition::Competition,
    catalog::{
        ask::Ask,
        bids::{BidQuery, Notice},
    },
    engine::{
        Error,
        aggregation::{Aggregation, FacetBuckets, Money, TermsAggregation},
        market_counts::MarketCounts,
    },
    model::{Facet, Role, Schema},
    query::SearchQuery,
};

/// Figures about the market that the matching records are. Money is in Canadian dollars.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(
    description = "Figures about the market that the matching records are; each is null where the records do not state what it needs, and `coverage` is the share of the records that do"
)]
pub(crate) struct MarketFigures {
    pub(crate) competition: CompetitionFigure,
    pub(crate) bids: BidsFigure,
    pub(crate) suppliers: SuppliersFigure,
    pub(crate) growth: GrowthFigure,
    /// By the year of the event date, oldest first.
    pub(crate) new_suppliers: Vec<NewSuppliers>,
}

/// How much was awarded without competition.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct CompetitionFigure {
    /// The share of the value that was awarded without competition, among the records whose method is stated; of the
    /// records for an entity type without values. Null if fewer than half of the records state a method.
    #[schemars(range(min = 0, max = 1))]
    pub(crate) share_without: Option<f64>,
    #[schemars(range(min = 0, max = 1))]
    pub(crate) coverage: f64,
}

/// How many bids there were.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct BidsFigure {
    /// The median of the numbers of bids, by nearest rank.
    pub(crate) median: Option<u32>,
    #[schemars(range(min = 0, max = 1))]
    pub(crate) coverage: f64,
    /// Records that state their number of bids.
    pub(crate) stated_records: u64,
    /// Other records, whose notice is an open call and lists its bidders.
    pub(crate) listed_records: u64,
}

/// How the value is spread over suppliers.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct SuppliersFigure {
    /// The share of the value that the five suppliers with most of it have.
    #[schemars(range(min = 0, max = 1))]
    pub(crate) top_five_share: Option<f64>,
    /// The Herfindahl-Hirschman index of the suppliers' shares of the value: near 0 for many small suppliers, 10,000
    /// for a single one.
    #[schemars(range(min = 0, max = 10_000))]
    pub(crate) concentration: Option<f64>,
    #[schemars(range(min = 0, max = 1))]
    pub(crate) coverage: f64,
}

/// By how much amendments changed the value.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct GrowthFigure {
    /// The change as a share of the value before amendments: 0.25 is a quarter more.
    pub(crate) share: Option<f64>,
    /// The value before amendments of the records that state both.
    pub(crate) original_value: Money,
    /// Their value now.
    pub(crate) current_value: Money,
    #[schemars(range(min = 0, max = 1))]
    pub(crate) coverage: f64,
}

/// The suppliers of a year.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct NewSuppliers {
    pub(crate) year: i32,
    /// Suppliers whose first matching record is of this year.
    pub(crate) new: u64,
    /// Suppliers with a matching record of this year.
    pub(crate) suppliers: u64,
}

/// All methods, because each belongs to a class.
const METHODS: TermsAggregation = TermsAggregation::all(Facet::ProcurementMethod);

/// How often the records are scanned for the figures: for the methods, and for what [`MarketCounts`] consists of.
pub(crate) const SCANS: usize = 1 + MarketCounts::SCANS;

/// Lets all methods be counted and summed together with other facets. Returns what was to be counted of them before.
pub(crate) fn count_all_methods(terms: &mut Vec<TermsAggregation>) -> Option<TermsAggregation> {
    let known = terms.iter_mut().find(|terms| terms.facet == METHODS.facet);
    if known.is_none() {
        terms.push(METHODS);
        return None;
    }
    known.map(|known| std::mem::replace(known, METHODS))
}

/// The figures of the records that match: `counted` has their number and the sum of their values, `methods` all of
/// their methods ([`count_all_methods`]).
pub(crate) fn market_figures(
    ask: &Ask,
    query: &SearchQuery,
    counted: &Aggregation,
    methods: FacetBuckets,
) -> Result<MarketFigures, Error> {
    let amount = counted.values.as_ref().map(|values| values.total_value);
    let competition = Competition::of(methods, counted.total, amount.unwrap_or_default());
    let by_amount = Schema::of(query.entity_type).has_role(Role::Value);
    let mut counts = ask.generation.engine.market(query, ask.deadline.clone())?;
    add_bidders(ask, query, &mut counts)?;
    Ok(figures(&counts, counted.total, &competition, by_amount))
}

/// Counts the tenders whose notices list bidders: each bidder of an open call made a bid. Direct awards have no
/// competition, and many invitations list the winner only.
fn add_bidders(ask: &Ask, query: &SearchQuery, counts: &mut MarketCounts) -> Result<(), Error> {
    let store = &ask.generation.bids;
    let Some(calls) = BidQuery::open_calls(query) else {
        return Ok(());
    };
    let visit = |notice: &Notice, _: &[usize]| {
        let bidders = u32::try_from(store.bidders(notice)).unwrap_or(u32::MAX);
        counts.add_listed_bids(bidders, 1);
        true
    };
    store.for_each_match(&calls, 0, &*ask.generation.engine, &ask.deadline, visit)
}

fn figures(counts: &MarketCounts, total: u64, competition: &Competition, by_amount: bool) -> MarketFigures {
    let coverage = |records: u64| {
        if total == 0 {
            0.0
        } else {
            rounded(records as f64 / total as f64)
        }
    };
    let suppliers_value = counts.vendor_value.dollars();
    let top_five = counts.top_five_value.dollars() / suppliers_value;
    let is_share = suppliers_value > 0.0 && (0.0..=1.0).contains(&top_five);
    let with_bids: u64 = counts.bids.values().sum();
    let (original, current) = (counts.growth.original.dollars(), counts.growth.current.dollars());
    MarketFigures {
        competition: CompetitionFigure {
            share_without: competition.share_without(by_amount).map(rounded),
            coverage: rounded(competition.coverage()),
        },
        bids: BidsFigure {
            median: counts.median_bids(),
            coverage: coverage(with_bids),
            stated_records: with_bids.saturating_sub(counts.with_listed_bids),
            listed_records: counts.with_listed_bids,
        },
        suppliers: SuppliersFigure {
            top_five_share: is_share.then(|| rounded(top_five)),
            concentration: counts.concentration.filter(|_| is_share).map(|index| index.round()),
            coverage: coverage(counts.with_vendor),
        },
        growth: GrowthFigure {
            share: (original > 0.0).then(|| rounded((current - original) / original)),
            original_value: counts.growth.original,
            current_value: counts.growth.current,
            coverage: coverage(counts.growth.records),
        },
        new_suppliers: new_suppliers(counts),
    }
}

fn new_suppliers(counts: &MarketCounts) -> Vec<NewSuppliers> {
    let row = |(year, suppliers): (&i32, &u64)| NewSuppliers {
        year: *year,
        new: counts.new_vendors.get(year).copied().unwrap_or_default(),
        suppliers: *suppliers,
    };
    counts.vendors_by_year.iter().map(row).collect()
}

/// To four decimals, as all shares of the API.
pub(crate) fn rounded(share: f64) -> f64 {
    (share * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{
        aggregation::{FacetBucket, FacetBuckets},
        market_counts::Growth,
    };

    fn competition(stated: u64, total: u64) -> Competition {
        let bucket = |method: &str, count: u64, dollars: f64| FacetBucket {
            value: method.to_owned(),
            count,
            total_value: Money::of(dollars),
        };
        let buckets = vec![bucket("RFT", stated - 1, 300.0), bucket("Sole source", 1, 100.0)];
        let methods = FacetBuckets {
            buckets,
            ..FacetBuckets::default()
        };
        Competition::of(methods, total, Money::of(400.0))
    }

    #[test]
    fn figures_are_shares_with_their_coverage() {
        let counts = MarketCounts {
            with_vendor: 6,
            vendor_value: Money::of(1000.0),
            top_five_value: Money::of(900.0),
            concentration: Some(2345.6),
            bids: [(1, 2), (3, 1), (9, 1)].into(),
            with_listed_bids: 3,
            growth: Growth {
                records: 2,
                original: Money::of(100.0),
                current: Money::of(133.333),
            },
            new_vendors: [(2022, 3)].into(),
            vendors_by_year: [(2022, 3), (2023, 2)].into(),
        };
        let figures = figures(&counts, 8, &competition(6, 8), true);
        assert_eq!(
            (figures.competition.share_without, figures.competition.coverage),
            (Some(0.25), 0.75)
        );
        assert_eq!((figures.bids.median, figures.bids.coverage), (Some(1), 0.5));
        assert_eq!((figures.bids.stated_records, figures.bids.listed_records), (1, 3));
        assert_eq!(
            (
                figures.suppliers.top_five_share,
                figures.suppliers.concentration,
                figures.suppliers.coverage
            ),
            (Some(0.9), Some(2346.0), 0.75)
        );
        assert_eq!((figures.growth.share, figures.growth.coverage), (Some(0.3333), 0.25));
        let row = |year, new, suppliers| NewSuppliers { year, new, suppliers };
        assert_eq!(figures.new_suppliers, [row(2022, 3, 3), row(2023, 0, 2)]);
    }

    #[test]
    fn what_is_not_stated_is_null() {
        let none = figures(
            &MarketCounts::default(),
            0,
            &Competition::of(FacetBuckets::default(), 0, Money::default()),
            true,
        );
        assert_eq!(none.competition.share_without, None);
        assert_eq!((none.bids.median, none.bids.coverage), (None, 0.0));
        assert_eq!(
            (none.suppliers.top_five_share, none.suppliers.concentration),
            (None, None)
        );
        assert_eq!(none.growth.share, None);
        // Amounts below zero make no share.
        let negative = MarketCounts {
            with_vendor: 2,
            vendor_value: Money::of(5.0),
            top_five_value: Money::of(9.0),
            concentration: Some(20_000.0),
            ..MarketCounts::default()
        };
        let figures = figures(&negative, 2, &competition(2, 2), true);
        assert_eq!(
            (figures.suppliers.top_five_share, figures.suppliers.concentration),
            (None, None)
        );
    }
}
