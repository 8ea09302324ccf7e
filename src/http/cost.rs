//! What a request costs: the number of requests that it counts as.
//!
//! Decision D-15: the cost follows from the request and the number of records, so it is known before any work is done
//! and equal requests cost the same. It estimates the processor time that the request may take; it does not measure what it took.

use std::num::NonZeroU32;

use crate::{
    catalog::{
        feed::{FeedQuery, MAX_DAYS_BACK},
        generation::Generation,
    },
    http::{middleware::limits::ONE, search_pool::Lane},
    model::EntityType,
    query::{
        SearchQuery,
        text::{Clause, TextQuery},
    },
};

/// How many tenders of a feed's `limit` cost as much as a request.
const TENDERS_PER_REQUEST: u64 = 50;

/// How many records can be counted once at the cost of a request: about 10 ms of processor time.
const RECORDS_PER_REQUEST: u64 = 1_000_000;

/// Decision D-256: how many phrases of a text are free.
const FREE_PHRASES: usize = 3;

/// Decision D-256: how many keywords of a feed are free, those of their translations included.
const FREE_KEYWORDS: usize = 5;

/// How many records are read in the quick lane at most: a millisecond or two.
pub(crate) const MAX_QUICK_RECORDS: u64 = 200_000;

/// A batch costs a request for each item.
pub(crate) fn of_batch(items: usize) -> NonZeroU32 {
    requests(items as u64, 1)
}

/// A feed costs a request for every 50 tenders of the page that it asks for, and more for many keywords.
pub(crate) fn of_feed(generation: &Generation, query: &FeedQuery) -> NonZeroU32 {
    let keywords = query.keywords.iter().map(|(_, keyword)| keyword.terms().count());
    let days = u64::try_from(query.today.days() - query.since.days()).unwrap_or_default();
    let records = generation.manifest_of(EntityType::Tender).records;
    feed_requests(query.limit as u64, keywords.sum(), days, records)
}

/// Decision D-256: each keyword or translation after the first ones reads all tenders in a feed of the longest period,
/// and its share of them in a shorter one.
fn feed_requests(limit: u64, keywords: usize, days: u64, records: u64) -> NonZeroU32 {
    let further = keywords.saturating_sub(FREE_KEYWORDS) as u64;
    let read = records.saturating_mul(further).saturating_mul(days) / MAX_DAYS_BACK;
    let whole = u32::try_from(read / RECORDS_PER_REQUEST).unwrap_or(u32::MAX);
    requests(limit, TENDERS_PER_REQUEST).saturating_add(whole)
}

/// The phrases of a text, those of its translation included. A single word in quotes is read like any word.
fn phrases(text: &TextQuery) -> usize {
    let terms = text.clauses().iter().flat_map(Clause::terms);
    terms.filter(|term| term.words().len() > 1).count()
}

/// The number of records that a request counts: those of the entity type, once for each facet and once for the total.
/// Filters do not lower it: how many records they leave is known only after the search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counting(u64);

impl Counting {
    /// How often the records of each entity type are counted.
    pub(crate) fn of(generation: &Generation, counts: &[(EntityType, usize)]) -> Counting {
        let records = |(entity_type, times): &(EntityType, usize)| {
            let records = generation.manifest_of(*entity_type).records;
            records.saturating_mul(*times as u64)
        };
        Counting(counts.iter().map(records).fold(0, u64::saturating_add))
    }

    /// The same, and `searches` searches for the text of `query`. Decision D-256: each of its phrases after the first ones
    /// reads the records once more in every search.
    pub(crate) fn with_phrases(self, generation: &Generation, query: &SearchQuery, searches: usize) -> Counting {
        let records = generation.manifest_of(query.entity_type).records;
        self.and_phrases(query.text.as_ref().map_or(0, phrases), records, searches)
    }

    fn and_phrases(self, phrases: usize, records: u64, searches: usize) -> Counting {
        let reads = phrases.saturating_sub(FREE_PHRASES).saturating_mul(searches) as u64;
        Counting(self.0.saturating_add(records.saturating_mul(reads)))
    }

    /// Counting costs a request for every million records.
    pub(crate) fn cost(self) -> NonZeroU32 {
        requests(self.0, RECORDS_PER_REQUEST)
    }

    /// The lane of a request that does nothing longer than counting.
    pub(crate) fn lane(self) -> Lane {
        if self.0 <= MAX_QUICK_RECORDS {
            Lane::Quick
        } else {
            Lane::Heavy
        }
    }
}

/// One request for each begun `unit`, at least one.
fn requests(amount: u64, unit: u64) -> NonZeroU32 {
    let requests = u32::try_from(amount.div_ceil(unit)).unwrap_or(u32::MAX);
    NonZeroU32::new(requests).unwrap_or(ONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_begun_unit_is_a_request() {
        for (amount, unit, cost) in [
            (0, 50, 1),
            (1, 50, 1),
            (50, 50, 1),
            (51, 50, 2),
            (500, 50, 10),
            (1_000_000, 1_000_000, 1),
            (1_000_001, 1_000_000, 2),
            (u64::MAX, 1, u32::MAX),
        ] {
            assert_eq!(requests(amount, unit).get(), cost, "{amount} of {unit}");
        }
    }

    #[test]
    fn a_feed_with_many_keywords_costs_more_in_a_large_collection() {
        for (limit, keywords, days, records, cost) in [
            (50, 0, 90, 400_000, 1),
            (50, 5, 90, 400_000, 1),
            (100, 5, 90, 400_000, 2),
            (50, 30, 90, 400_000, 11),
            (50, 30, 7, 400_000, 1),
            (50, 105, 90, 400_000, 41),
            (500, 30, 90, 400_000, 20),
            (50, 32, 90, 10_000, 1),
            (50, usize::MAX, 90, u64::MAX, u32::MAX),
        ] {
            let found = feed_requests(limit, keywords, days, records).get();
            assert_eq!(found, cost, "{limit} of {records}, {keywords} keywords, {days} days");
        }
    }

    #[test]
    fn many_phrases_cost_more_in_a_large_collection() {
        for (counts, phrases, searches, records, cost) in [
            (0, 1, 1, 900_000, 1),
            (1, 3, 2, 900_000, 1),
            (0, 4, 1, 900_000, 1),
            (0, 15, 1, 900_000, 11),
            (1, 15, 2, 900_000, 23),
            (1, 16, 2, 1_000, 1),
            (1, usize::MAX, 2, u64::MAX, u32::MAX),
        ] {
            let counting = Counting(records.saturating_mul(counts)).and_phrases(phrases, records, searches);
            assert_eq!(counting.cost().get(), cost, "{phrases} phrases in {records}");
        }
        let quick = Counting(0).and_phrases(3, 900_000, 2);
        let heavy = Counting(0).and_phrases(4, 900_000, 2);
        assert_eq!((quick.lane(), heavy.lane()), (Lane::Quick, Lane::Heavy));
    }

    #[test]
    fn phrases_are_counted_wherever_they_are() {
        for (text, expected) in [
            ("snow removal", 0),
            ("\"snow\" removal", 0),
            ("\"snow removal\"", 1),
            ("EN578-123/A -\"road salt\"", 2),
            ("a \"b c\" OR \"d e\" OR f", 2),
        ] {
            assert_eq!(phrases(&TextQuery::parse(text).unwrap()), expected, "{text}");
        }
        let text = TextQuery::parse("snow").unwrap();
        let translated = text.translated(TextQuery::parse("snow OR \"la neige\"").unwrap().clauses().to_vec());
        assert_eq!(phrases(&translated), 1);
    }

    #[test]
    fn counting_costs_more_in_a_large_collection() {
        for (records, cost, lane) in [
            (0, 1, Lane::Quick),
            (200_000, 1, Lane::Quick),
            (200_001, 1, Lane::Heavy),
            (2_000_000, 2, Lane::Heavy),
            (22_000_000, 22, Lane::Heavy),
        ] {
            let counting = Counting(records);
            assert_eq!((counting.cost().get(), counting.lane()), (cost, lane), "{records}");
        }
    }
}
