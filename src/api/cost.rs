//! What a request costs: the number of requests that it counts as.
//!
//! Decision D-15: the cost follows from the request and the number of records, so it is known before any work is done
//! and equal requests cost the same. It estimates the processor time that the request may take; it does not measure
//! what it took.

use std::{collections::BTreeSet, num::NonZeroU32};

use crate::{
    catalog::{
        estimates::CONTRACT_TYPES,
        feed::{FeedQuery, MAX_DAYS_BACK},
        generation::Generation,
    },
    http::{middleware::limits::ONE, search_pool::Lane, work::Work},
    model::EntityType,
    query::{
        SearchQuery,
        keyword::Keyword,
        text::{Clause, TextQuery, WordsIn},
    },
};

/// How many tenders of a feed's `limit` cost as much as a request.
const TENDERS_PER_REQUEST: u64 = 50;

/// How many records can be counted once at the cost of a request: about 10 ms of processor time.
const RECORDS_PER_REQUEST: u64 = 1_000_000;

/// Decision D-256: how much of a text is read for free, in posting lists of one word: as much as a text of 32 words
/// without phrases.
const FREE_READS: usize = 32;

/// Decision D-256: how much more is read at the cost of a count.
const READS_PER_COUNT: usize = 16;

/// What an excluded word reads, in posting lists: it is tested for every record that the rest of the search finds.
const EXCLUDED_WORD_READS: usize = 4;

/// What a word of a phrase reads, in posting lists: its list and the positions in it.
const PHRASE_WORD_READS: usize = 8;

/// Decision D-256: how many keywords of a feed are compared for the price of one, those of their translations included.
const FREE_KEYWORDS: usize = 5;

/// Decision D-256: what a feed of the longest period reads of all tenders, in scans, since most may be new and open:
/// the tenders themselves, and with keywords the words of their texts.
const FEED_READS: u64 = 3;
const FEED_TEXT_READS: u64 = 32;

/// How many counts of all records a page of results costs at most, if its text reads nothing that is charged.
const PAGE_COUNTS: u64 = 12;

/// How many records are read in the quick lane at most: a millisecond or two.
pub(crate) const MAX_QUICK_RECORDS: u64 = 200_000;

/// A batch of names costs a request for each item.
pub(crate) fn of_batch(items: usize) -> NonZeroU32 {
    requests(items as u64, 1)
}

/// A batch of estimates or comparables costs a request for each item and each million of the records that an item is
/// compared with.
pub(crate) fn of_estimates(generation: &Generation, items: usize) -> NonZeroU32 {
    let compared = CONTRACT_TYPES.map(|entity_type| generation.manifest_of(entity_type).records);
    estimates_requests(items as u64, compared.iter().sum())
}

fn estimates_requests(items: u64, compared: u64) -> NonZeroU32 {
    let each = requests(compared, RECORDS_PER_REQUEST).get();
    requests(items.saturating_mul(each.into()), 1)
}

/// Decision D-262: what a page costs a visitor without a key: a request for each page of results that it costs as much
/// as, in an index of this size.
pub(crate) fn of_visitor(generation: &Generation, cost: NonZeroU32) -> NonZeroU32 {
    let records = EntityType::ALL.map(|entity_type| generation.manifest_of(entity_type).records);
    visitor_requests(records.iter().sum(), cost)
}

fn visitor_requests(records: u64, cost: NonZeroU32) -> NonZeroU32 {
    let page_of_results = requests(records.saturating_mul(PAGE_COUNTS), RECORDS_PER_REQUEST);
    requests(cost.get().into(), page_of_results.get().into())
}

/// A feed costs a request for every 50 tenders of the page that it asks for, and more for many keywords.
pub(crate) fn of_feed(generation: &Generation, query: &FeedQuery) -> NonZeroU32 {
    let days = u64::try_from(query.today.days() - query.since.days()).unwrap_or_default();
    let records = generation.manifest_of(EntityType::Tender).records;
    feed_requests(
        query.limit as u64,
        read_keywords(query.keywords.iter().map(|(_, keyword)| keyword)),
        days,
        records,
    )
}

/// How many keywords and translations a feed reads. The documents of all codes together take the place of one.
fn read_keywords<'k>(keywords: impl Iterator<Item = &'k Keyword> + Clone) -> usize {
    let has_codes = keywords.clone().any(|keyword| !keyword.codes().is_empty());
    keywords.map(|keyword| keyword.terms().count()).sum::<usize>() + usize::from(has_codes)
}

/// Decision D-256: each keyword or translation after the first ones reads all tenders once more in a feed of the
/// longest period. A shorter one reads its share of them.
fn feed_requests(limit: u64, keywords: usize, days: u64, records: u64) -> NonZeroU32 {
    let further = keywords.saturating_sub(FREE_KEYWORDS) as u64;
    let texts = if keywords == 0 { 0 } else { FEED_TEXT_READS };
    let scans = (FEED_READS + texts).saturating_add(further);
    let read = records.saturating_mul(scans).saturating_mul(days) / MAX_DAYS_BACK;
    let whole = u32::try_from(read / RECORDS_PER_REQUEST).unwrap_or(u32::MAX);
    requests(limit, TENDERS_PER_REQUEST).saturating_add(whole)
}

/// What a search for a text reads at most, in posting lists of one word; that of its translation included.
/// A single word in quotes is read like any word, and a word that a phrase repeats is read once.
fn reads(text: &TextQuery) -> usize {
    let reads_of = |clause: &Clause| -> usize {
        let is_excluded = matches!(clause, Clause::Not(_));
        let terms = clause.terms().iter().map(|term| match term.words() {
            [_] if is_excluded => EXCLUDED_WORD_READS,
            [_] => 1,
            words => words.iter().collect::<BTreeSet<_>>().len() * PHRASE_WORD_READS,
        });
        terms.sum()
    };
    // The documents of all codes together take the place of one word in each required clause.
    let has_codes = text.codes().is_some_and(|codes| !codes.is_empty());
    let required = text.clauses().iter().filter(|clause| matches!(clause, Clause::Any(_)));
    let of_codes = if has_codes { required.count() } else { 0 };
    let of_words: usize = text.clauses().iter().map(reads_of).sum();
    // Next to the documents of a word, those that have it in names only.
    let times = if text.words_in() == WordsIn::Anywhere { 1 } else { 2 };
    times * of_words + of_codes
}

/// The number of records that a request reads: those of the entity type, once for each scan. Counting a facet is a
/// scan, and so is counting the total. Filters do not lower it: how many records they leave is known only after the
/// search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ScanCost(u64);

impl ScanCost {
    /// How often the records of each entity type are scanned.
    pub(crate) fn of(generation: &Generation, scans: &[(EntityType, usize)]) -> ScanCost {
        let records = |(entity_type, times): &(EntityType, usize)| {
            let records = generation.manifest_of(*entity_type).records;
            records.saturating_mul(*times as u64)
        };
        ScanCost(scans.iter().map(records).fold(0, u64::saturating_add))
    }

    /// How often all bids are read. Bids are fewer than records, and take no longer.
    pub(crate) fn of_bids(generation: &Generation, scans: usize) -> ScanCost {
        ScanCost(generation.bids.bids().saturating_mul(scans as u64))
    }

    /// Adds a text that is looked for in every notice with bids.
    pub(crate) fn with_text_of_bids(self, generation: &Generation, text: Option<&TextQuery>) -> ScanCost {
        self.and_reads(text.map_or(0, reads), generation.bids.bids(), 1)
    }

    /// Adds `scans` times all bids.
    pub(crate) fn and_bids(self, generation: &Generation, scans: usize) -> ScanCost {
        ScanCost(self.0.saturating_add(ScanCost::of_bids(generation, scans).0))
    }

    /// Adds `scans` times all records of an entity type.
    pub(crate) fn and_scans(self, generation: &Generation, entity_type: EntityType, scans: usize) -> ScanCost {
        ScanCost(
            self.0
                .saturating_add(ScanCost::of(generation, &[(entity_type, scans)]).0),
        )
    }

    /// Adds the total of a search.
    pub(crate) fn and_count(self, generation: &Generation, query: &SearchQuery) -> ScanCost {
        let records = generation.manifest_of(query.entity_type).records;
        ScanCost(self.0.saturating_add(records)).with_text(generation, query, 1)
    }

    /// Adds `searches` searches for the text of `query`. Decision D-256: what they read beyond
    /// [`FREE_READS`] costs further counts.
    pub(crate) fn with_text(self, generation: &Generation, query: &SearchQuery, searches: usize) -> ScanCost {
        let records = generation.manifest_of(query.entity_type).records;
        self.and_reads(query.text.as_ref().map_or(0, reads), records, searches)
    }

    fn and_reads(self, reads: usize, records: u64, searches: usize) -> ScanCost {
        let further = reads.saturating_mul(searches).saturating_sub(FREE_READS);
        let counts = further.div_ceil(READS_PER_COUNT) as u64;
        ScanCost(self.0.saturating_add(records.saturating_mul(counts)))
    }

    #[cfg(test)]
    pub(crate) fn records(self) -> u64 {
        self.0
    }

    /// Gives work this cost, and the lane that it needs.
    pub(crate) fn charge(self, work: Work) -> Work {
        work.in_lane(self.lane()).with_cost(self.cost())
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
    use proptest::prelude::*;

    use super::*;
    use crate::{
        model::{commodity::CommodityCode, commodity_words::Words},
        query::translate::Translator,
    };

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
    fn an_item_of_a_batch_costs_more_in_a_large_collection() {
        for (items, compared, cost) in [
            (1, 0, 1),
            (50, 1_000_000, 50),
            (50, 1_000_001, 100),
            (2, 9_500_000, 20),
            (u64::MAX, u64::MAX, u32::MAX),
        ] {
            let found = estimates_requests(items, compared).get();
            assert_eq!(found, cost, "{items} items, {compared} records");
        }
    }

    #[test]
    fn a_visitor_reads_a_page_of_results_for_one_request() {
        for (records, cost, expected) in [
            (2_000_000, 1, 1),
            (2_000_000, 22, 1),
            (2_000_000, 74, 4),
            (200_000, 3, 1),
            (0, 50, 50),
            (u64::MAX, u32::MAX, 1),
        ] {
            let cost = NonZeroU32::new(cost).unwrap();
            assert_eq!(visitor_requests(records, cost).get(), expected, "{cost} of {records}");
        }
    }

    #[test]
    fn a_feed_of_many_days_or_keywords_costs_more_in_a_large_collection() {
        for (limit, keywords, days, records, cost) in [
            (50, 0, 90, 400_000, 2),
            (50, 1, 90, 400_000, 15),
            (50, 5, 90, 400_000, 15),
            (50, 5, 7, 400_000, 2),
            (100, 5, 90, 400_000, 16),
            (50, 30, 90, 400_000, 25),
            (50, 30, 7, 400_000, 2),
            (50, 105, 90, 400_000, 55),
            (500, 30, 90, 400_000, 34),
            (50, 32, 90, 10_000, 1),
            (50, usize::MAX, 90, u64::MAX, u32::MAX),
        ] {
            let found = feed_requests(limit, keywords, days, records).get();
            assert_eq!(found, cost, "{limit} of {records}, {keywords} keywords, {days} days");
        }
    }

    #[test]
    fn the_codes_of_all_keywords_cost_as_much_as_one_keyword() {
        let title = Words {
            en: Some("Roofing".to_owned()),
            fr: None,
        };
        let code = CommodityCode::parse("72101605").unwrap();
        let translator = Translator::new(std::iter::empty()).with_codes([(&code, &title, 1)].into_iter());
        let keyword = |text: &str| Keyword::parse(text).unwrap();
        let with_codes = |text: &str| keyword(text).with_codes(&translator, false, 9);
        for (keywords, expected) in [
            (vec![], 0),
            (vec![keyword("roofing"), keyword("snow")], 2),
            (
                vec![with_codes("roofing"), with_codes("roofing"), with_codes("snow")],
                4,
            ),
            (vec![with_codes("snow")], 1),
        ] {
            assert_eq!(read_keywords(keywords.iter()), expected);
        }
        assert_eq!(with_codes("roofing").codes(), [code.key()]);
        let none = keyword("roofing").with_codes(&translator, false, 0);
        assert!(none.codes().is_empty(), "at most as many as asked for");
    }

    #[test]
    fn a_text_that_reads_much_costs_more_in_a_large_collection() {
        for (counts, reads, searches, records, cost) in [
            (0, 8, 1, 900_000, 1),
            (1, 16, 2, 900_000, 1),
            (0, 32, 1, 2_000_000, 1),
            (0, 33, 1, 2_000_000, 2),
            (0, 240, 1, 2_000_000, 26),
            (1, 240, 2, 2_000_000, 58),
            (1, 240, 2, 1_000, 1),
            (1, usize::MAX, 2, u64::MAX, u32::MAX),
        ] {
            let counting = ScanCost(records.saturating_mul(counts)).and_reads(reads, records, searches);
            assert_eq!(counting.cost().get(), cost, "{reads} in {records}");
        }
        let quick = ScanCost(0).and_reads(16, 900_000, 2);
        let heavy = ScanCost(0).and_reads(17, 900_000, 2);
        assert_eq!((quick.lane(), heavy.lane()), (Lane::Quick, Lane::Heavy));
    }

    #[test]
    fn words_are_counted_by_what_they_read() {
        for (text, expected) in [
            ("snow removal", 2),
            ("\"snow\" removal", 2),
            ("\"snow removal\"", 16),
            ("\"snow snow snow\"", 8),
            ("-snow ice", 5),
            ("EN578-123/A -\"road salt\"", 40),
            ("a \"b c\" OR \"d e\" OR f", 34),
        ] {
            assert_eq!(reads(&TextQuery::parse(text).unwrap()), expected, "{text}");
        }
        let text = TextQuery::parse("snow").unwrap();
        let translated = text.translated(TextQuery::parse("snow OR \"la neige\"").unwrap().clauses().to_vec());
        assert_eq!(reads(&translated), 17);
    }

    /// Processor time in an index of two million records whose every record has every word, in milliseconds: what was
    /// measured with frequent words (`docs/performance.md`).
    const MILLISECONDS: Milliseconds = Milliseconds {
        phrase_word: 10.0,
        excluded_word: 2.4,
        word: 0.7,
        count: 28.0,
    };

    struct Milliseconds {
        phrase_word: f64,
        excluded_word: f64,
        word: f64,
        count: f64,
    }

    /// A text of a grammar: phrases and words, joined or excluded, up to the 32 words that `q` may have.
    fn text() -> impl Strategy<Value = String> {
        let term = (any::<bool>(), prop::collection::vec("[abcdefgh]", 1..12)).prop_map(|(is_excluded, words)| {
            let sign = if is_excluded { "-" } else { "" };
            format!("{sign}\"{}\"", words.join(" "))
        });
        prop::collection::vec(prop_oneof![term, Just("OR".to_owned()), "-?[a-h]"], 1..32)
            .prop_map(|terms| terms.join(" "))
    }

    proptest! {
        #[test]
        fn no_request_takes_more_than_40_ms_for_each_one_charged(text in text(), counts in 0..4u64) {
            let Ok(text) = TextQuery::parse(&text) else {
                return Ok(());
            };
            let (mut phrase_words, mut excluded, mut words) = (0, 0, 0);
            for clause in text.clauses() {
                for term in clause.terms() {
                    let distinct: BTreeSet<&String> = term.words().iter().collect();
                    match (term.words().len(), clause) {
                        (1, Clause::Not(_)) => excluded += 1,
                        (1, Clause::Any(_)) => words += 1,
                        _ => phrase_words += distinct.len(),
                    }
                }
            }
            let searches = 1 + usize::from(counts > 0);
            let time = f64::from(phrase_words as u32) * MILLISECONDS.phrase_word
                + f64::from(excluded) * MILLISECONDS.excluded_word
                + f64::from(words) * MILLISECONDS.word;
            let time = time * searches as f64 + counts as f64 * MILLISECONDS.count;
            let records = 2_000_000;
            let charged = ScanCost(records * counts).and_reads(reads(&text), records, searches).cost().get();
            prop_assert!(time <= 40.0 * f64::from(charged), "{time} ms, charged {charged}");
        }
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
            let counting = ScanCost(records);
            assert_eq!((counting.cost().get(), counting.lane()), (cost, lane), "{records}");
        }
    }
}
