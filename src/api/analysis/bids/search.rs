//! A search over bids: a page of them, their number, facets and statistics.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap},
};

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    comparison::{DollarBids, NoticeBidRow},
    statistics::{BidStatistics, StatisticsCounter},
};
use crate::{
    api::{
        analysis::{
            figures::first,
            shares::{Share, shares},
            supplier_counts::{Rank, SupplierCounts},
        },
        cost::ScanCost,
        params::bids::FACETS,
    },
    catalog::{
        ask::Ask,
        bids::{BidQuery, BidStore, Notice, StoredBid},
        generation::Generation,
        suppliers::SupplierList,
    },
    engine::{
        Error,
        aggregation::{FacetBucket, FacetBuckets, Money},
    },
    model::Date,
    query::Position,
};

/// The maximum number of values returned for a facet.
const MAX_VALUES: usize = 50;

/// A field that bids are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum BidFacet {
    Year,
    Department,
    Municipality,
    Category,
    Vendor,
    Method,
    Won,
    Supplier,
}

impl BidFacet {
    pub(crate) const ALL: [BidFacet; 8] = [
        BidFacet::Year,
        BidFacet::Department,
        BidFacet::Municipality,
        BidFacet::Category,
        BidFacet::Vendor,
        BidFacet::Method,
        BidFacet::Won,
        BidFacet::Supplier,
    ];

    pub(crate) const fn name(self) -> &'static str {
        FACETS[self as usize]
    }
}

/// A search over bids, ready to run.
#[derive(Clone, Debug)]
pub(crate) struct BidSearch {
    pub(crate) query: BidQuery,
    pub(crate) limit: usize,
    /// The position of the last bid of the page before.
    pub(crate) after: Option<BidPosition>,
    pub(crate) facets: Vec<BidFacet>,
    /// Whether the response states the number of all matches.
    pub(crate) include_total: bool,
    /// Whether they are counted: a response without a body states it in a header.
    pub(crate) is_counted: bool,
    pub(crate) has_statistics: bool,
}

/// The position of a bid in the default order: newest notice first, equal days by `record_id`, then by the place among
/// the bids of the notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BidPosition {
    date: Option<Date>,
    record_id: String,
    bid: usize,
}

/// Separates the number of a bid from the id of its notice in a cursor.
const BETWEEN: char = '|';

impl BidPosition {
    /// As a cursor holds it.
    pub(crate) fn encode(&self) -> Position {
        Position {
            key: self.date,
            record_id: format!("{}{BETWEEN}{}", self.bid, self.record_id),
        }
    }

    pub(crate) fn decode(position: Position) -> Option<BidPosition> {
        let (bid, record_id) = position.record_id.split_once(BETWEEN)?;
        Some(BidPosition {
            date: position.key,
            record_id: record_id.to_owned(),
            bid: bid.parse().ok()?,
        })
    }

    /// The position after all bids of a notice.
    pub(crate) fn after_all_of(notice: &Notice) -> BidPosition {
        BidPosition {
            date: notice.date,
            record_id: notice.record_id.clone(),
            bid: usize::MAX,
        }
    }

    /// The number of the first notice with a place after it.
    fn notice_number(&self, notices: &[Notice]) -> usize {
        notices.partition_point(|notice| !self.is_before(notice, usize::MAX - 1))
    }

    /// Whether a bid of a notice comes after it.
    fn is_before(&self, notice: &Notice, bid: usize) -> bool {
        let place = |date: Option<Date>, id: &str, bid: usize| (Reverse(date), id.to_owned(), bid);
        if notice.date != self.date {
            return Reverse(notice.date) > Reverse(self.date);
        }
        place(notice.date, &notice.record_id, bid) > place(self.date, &self.record_id, self.bid)
    }
}

/// What a search found.
pub(crate) struct FoundBids<'a> {
    pub(crate) rows: Vec<NoticeBidRow<'a>>,
    /// The position of the last row, if more bids follow.
    pub(crate) next: Option<BidPosition>,
    pub(crate) total: Option<u64>,
    pub(crate) facets: Option<BTreeMap<&'static str, BidFacetCounts>>,
    pub(crate) statistics: Option<BidStatistics>,
}

/// The counts of one facet, over all bids that match.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(description = "The counts of one facet, over all bids that match")]
pub(crate) struct BidFacetCounts {
    /// The most frequent values, up to 50.
    values: Vec<Share>,
    /// Number of distinct values.
    distinct: u64,
    /// Sum of the counts of all values that are not in `values`.
    other: u64,
}

impl BidSearch {
    /// The first bids that match, without figures.
    pub(crate) fn of(query: BidQuery, limit: usize) -> BidSearch {
        BidSearch {
            query,
            limit,
            after: None,
            facets: Vec::new(),
            include_total: false,
            is_counted: false,
            has_statistics: false,
        }
    }

    /// A page reads all bids at most once; what counts all matches reads them once more. A long text takes longer.
    pub(crate) fn cost(&self, generation: &Generation) -> ScanCost {
        let scans = 1 + self.facets.len() + usize::from(self.is_counted) + usize::from(self.has_statistics);
        ScanCost::of_bids(generation, scans).with_text_of_bids(generation, self.query.text.as_ref())
    }

    /// What the response depends on.
    pub(crate) fn normal_form(&self) -> impl Serialize + use<> {
        let facets: BTreeSet<&'static str> = self.facets.iter().map(|facet| facet.name()).collect();
        let after = self.after.as_ref().map(BidPosition::encode);
        (
            self.query.clone(),
            self.limit,
            after,
            facets,
            self.include_total,
            self.has_statistics,
        )
    }

    pub(crate) fn run<'a>(&'a self, ask: &'a Ask) -> Result<FoundBids<'a>, Error> {
        let store = &ask.generation.bids;
        let reads_all = self.is_counted || self.has_statistics || !self.facets.is_empty();
        let mut page = PageOfBids::new(self, store);
        let mut facets: Vec<FacetCounter> = self.facets.iter().copied().map(FacetCounter::new).collect();
        let mut statistics = self.has_statistics.then(StatisticsCounter::default);
        let mut total = 0;
        let visit = |notice: &'a Notice, bids: &[usize]| {
            total += bids.len() as u64;
            page.add(notice, bids);
            for counter in &mut facets {
                counter.add(store, notice, bids);
            }
            if let Some(counter) = &mut statistics {
                counter.add(store, notice, bids);
            }
            reads_all || page.next.is_none()
        };
        let from = self.after.as_ref().filter(|_| !reads_all);
        let from = from.map_or(0, |after| after.notice_number(store.notices()));
        store.for_each_match(&self.query, from, &*ask.generation.engine, &ask.deadline, visit)?;
        let counted = facets
            .into_iter()
            .map(|counter| (counter.facet.name(), counter.counts(&ask.generation.suppliers)));
        let counted: BTreeMap<_, _> = counted.collect();
        Ok(FoundBids {
            rows: page.rows,
            next: page.next,
            total: self.is_counted.then_some(total),
            facets: (!counted.is_empty()).then_some(counted),
            statistics: statistics.map(StatisticsCounter::statistics),
        })
    }
}

/// Collects the bids of a page.
struct PageOfBids<'a> {
    search: &'a BidSearch,
    store: &'a BidStore,
    rows: Vec<NoticeBidRow<'a>>,
    last: Option<BidPosition>,
    next: Option<BidPosition>,
}

impl<'a> PageOfBids<'a> {
    fn new(search: &'a BidSearch, store: &'a BidStore) -> PageOfBids<'a> {
        PageOfBids {
            search,
            store,
            rows: Vec::new(),
            last: None,
            next: None,
        }
    }

    fn add(&mut self, notice: &'a Notice, bids: &[usize]) {
        if self.next.is_some() {
            return;
        }
        let figures = DollarBids::of(self.store, notice);
        for number in bids {
            let after = self.search.after.as_ref();
            if !after.is_none_or(|after| after.is_before(notice, *number)) {
                continue;
            }
            if self.rows.len() == self.search.limit {
                self.next = self.last.take();
                return;
            }
            let row = NoticeBidRow::new(self.store, notice, &notice.bids[*number], &figures);
            self.rows.push(row);
            self.last = Some(BidPosition {
                date: notice.date,
                record_id: notice.record_id.clone(),
                bid: *number,
            });
        }
    }
}

/// Counts the values of a facet.
struct FacetCounter {
    facet: BidFacet,
    counts: HashMap<String, u64>,
    /// By key, the most frequent spelling of a bidder's name is shown.
    names: HashMap<String, BTreeMap<String, u64>>,
}

impl FacetCounter {
    fn new(facet: BidFacet) -> FacetCounter {
        FacetCounter {
            facet,
            counts: HashMap::new(),
            names: HashMap::new(),
        }
    }

    fn add(&mut self, store: &BidStore, notice: &Notice, bids: &[usize]) {
        let count = bids.len() as u64;
        let texts = |numbers: &[u32]| -> Vec<String> {
            let texts = numbers.iter().filter_map(|number| store.text(Some(*number)));
            texts.map(str::to_owned).collect()
        };
        let values = match self.facet {
            BidFacet::Year => notice.date.map(|day| day.year().to_string()).into_iter().collect(),
            BidFacet::Department => store.text(notice.buyer).map(str::to_owned).into_iter().collect(),
            BidFacet::Municipality => texts(&notice.municipality),
            BidFacet::Category => texts(&notice.category),
            BidFacet::Method => vec![notice.procedure.name().to_owned()],
            BidFacet::Vendor | BidFacet::Supplier | BidFacet::Won => Vec::new(),
        };
        for value in values {
            *self.counts.entry(value).or_default() += count;
        }
        for bid in bids.iter().filter_map(|number| notice.bids.get(*number)) {
            self.add_bid(store, bid);
        }
    }

    fn add_bid(&mut self, store: &BidStore, bid: &StoredBid) {
        if self.facet == BidFacet::Won {
            *self.counts.entry(bid.won.to_string()).or_default() += 1;
        }
        if matches!(self.facet, BidFacet::Vendor | BidFacet::Supplier) {
            let key = store.key(bid).to_owned();
            let name = store.bidder(bid).map(|bidder| bidder.name.clone()).unwrap_or_default();
            *self.names.entry(key.clone()).or_default().entry(name).or_default() += 1;
            *self.counts.entry(key).or_default() += 1;
        }
    }

    fn counts(mut self, suppliers: &SupplierList) -> BidFacetCounts {
        let distinct = self.counts.len() as u64;
        let mut buckets: Vec<FacetBucket> = Vec::with_capacity(self.counts.len());
        for (key, count) in self.counts {
            let spellings = self.names.remove(&key).unwrap_or_default();
            let name = spellings
                .into_iter()
                .max_by_key(|(name, count)| (*count, Reverse(name.clone())));
            buckets.push(FacetBucket {
                value: name.map_or(key, |(name, _)| name),
                count,
                total_value: Money::default(),
            });
        }
        buckets.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.value.cmp(&b.value)));
        let all = FacetBuckets {
            buckets,
            distinct,
            other: 0,
        };
        if self.facet == BidFacet::Supplier {
            let counts = SupplierCounts::of(suppliers, all, Rank::Count, MAX_VALUES);
            return BidFacetCounts {
                values: counts.rows.into_iter().map(Share::from).collect(),
                distinct: counts.distinct,
                other: counts.other,
            };
        }
        let listed = first(&all, MAX_VALUES);
        BidFacetCounts {
            distinct,
            other: listed.other,
            values: shares(listed),
        }
    }
}
