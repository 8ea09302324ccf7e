//! What a page of results is charged.

use crate::{
    api::cost::ScanCost,
    catalog::generation::Generation,
    model::EntityType,
    pages::{
        coverage_note::asked_years,
        search::{
            answer_figures::{SCANS_OF_ANSWER, SCANS_OF_ORDER, answer_figures},
            facets::ActiveFacet,
            fewer_words::{left_out, tried_spellings},
            growth,
            lacking::scans_of_days,
            meanings::types_with_suppliers,
            meant::SCANS_OF_SHARE,
            results_query::{Plan, is_first, where_words_are},
            side_figures,
            split::Split,
            stated_bids,
            who_bid::SCANS_OF_BIDS,
        },
        typical_value,
    },
    query::{SearchQuery, text::WordsIn},
    question::{asks::Asks, bids::BidsAsked},
};

impl Plan {
    /// What the page counts: what the search with its facets counts, and the total of each other entity type and of
    /// each of `splits`.
    pub(crate) fn cost(&self, generation: &Generation, splits: &[Split]) -> ScanCost {
        let mut scans = vec![(self.asked.entity_type, self.figures.scans())];
        let others = self.others.iter().filter_map(|other| other.query.as_ref());
        scans.extend(others.clone().map(|query| (query.entity_type, 1)));
        // If nothing matches, the sources are those of the same search without its days.
        let has_days = usize::from(asked_years(&self.search.query).is_some());
        let other_texts = usize::from(self.words_only.is_some());
        let in_purchase = self.in_purchase.iter().map(|query| (query.entity_type, 1));
        scans.extend(in_purchase);
        let related = splits
            .iter()
            .flat_map(|split| split.of_all.iter().chain(&split.of_region).chain(&split.of_city));
        let related = related.map(|of| &of.query);
        let suggested = splits.iter().map(|split| &split.query).chain(related);
        scans.extend(suggested.clone().map(|query| (query.entity_type, 1)));
        let shares = splits.iter().filter(|split| split.of_all.is_some());
        scans.extend(shares.map(|split| (split.query.entity_type, SCANS_OF_SHARE)));
        let left_out = most_left_out(generation, splits);
        scans.extend(left_out.map(|(query, searches)| (query.entity_type, searches)));
        let spelled = tried_spellings(splits, generation);
        scans.extend(
            spelled
                .iter()
                .map(|(split, searches)| (split.query.entity_type, *searches)),
        );
        let days = scans_of_days(&self.search.query);
        let further = has_days + other_texts + days + self.active.len() * ActiveFacet::SCANS + typical_value::SCANS;
        scans.push((self.asked.entity_type, further));
        // A name among the words is counted in an entity type that has it; a part of names in all that have suppliers.
        let has_words = self.search.query.text.is_some() && is_first(&self.search);
        let named = types_with_suppliers().filter(|_| has_words);
        scans.extend(named.map(|of| (of, 1)));
        scans.extend(self.scans_of_answer(generation, splits));
        let asks = if has_words { self.asks } else { Asks::default() };
        let counts_bids = asks.bids.is_some_and(BidsAsked::is_number);
        scans.extend(stated_bids::scans().filter(|_| counts_bids));
        scans.extend(side_figures::scans(generation).filter(|_| asks.compares));
        // The text is searched for the figures and for the records, and for the total of each other entity type.
        let cost =
            ScanCost::of(generation, &scans).with_text(generation, &self.search.query, 2 + further + searches(asks));
        let scans_of_bids = if asks.bids.is_some() { SCANS_OF_BIDS } else { 0 };
        let cost = left_out.map_or(cost, |(query, searches)| cost.with_text(generation, query, searches));
        let cost = spelled.iter().fold(cost, |cost, (split, searches)| {
            cost.with_text(generation, &split.query, *searches)
        });
        let cost = with_texts_of_shares(cost, generation, splits);
        // The values of other contracts are counted and summed, too, perhaps in types that no split has.
        let summed = splits.iter().map(|split| &split.query);
        let cost = splits
            .first()
            .map_or(cost, |split| cost.with_text(generation, &split.query, 2));
        let things = things(splits);
        others
            .chain(suggested)
            .chain(summed)
            .chain(self.in_purchase.as_ref())
            .chain(&things)
            .fold(cost, |cost, query| cost.with_text(generation, query, 1))
            .and_bids(generation, scans_of_bids)
    }

    /// How often an answer scans records. Its entity type is not known yet, so the largest one counts. `None` if the
    /// page has no answer.
    fn scans_of_answer(&self, generation: &Generation, splits: &[Split]) -> Option<(EntityType, usize)> {
        let records = |of: &EntityType| generation.manifest_of(*of).records;
        let largest = EntityType::ALL.into_iter().max_by_key(records);
        let of = largest.filter(|_| self.may_answer(splits))?;
        let days: usize = splits.iter().map(|split| scans_of_days(&split.query)).sum();
        let figures = answer_figures(of, self.asked.by_name, true).scans();
        // Without the records in doubt, too.
        let is_ordered = splits.iter().any(|split| split.asked.value("sort_by").is_some());
        let of_order = if is_ordered { SCANS_OF_ORDER } else { 0 };
        Some((
            of,
            SCANS_OF_ANSWER + of_order + days + growth::scans(splits) + 2 * figures,
        ))
    }
}

/// With the texts that are read for the shares of values.
fn with_texts_of_shares(cost: ScanCost, generation: &Generation, splits: &[Split]) -> ScanCost {
    let searches = splits
        .iter()
        .filter_map(|split| Some([&split.query, &split.of_all.as_ref()?.query]));
    searches
        .flatten()
        .fold(cost, |cost, query| cost.with_text(generation, query, 1))
}

/// The search with conditions in place of words that has most records, and how many searches without one of its words
/// there are.
fn most_left_out<'s>(generation: &Generation, splits: &'s [Split]) -> Option<(&'s SearchQuery, usize)> {
    let all = splits.iter().map(|split| (&split.query, left_out(&split.words)));
    let records = |of: EntityType| generation.manifest_of(of).records;
    all.max_by_key(|(query, searches)| records(query.entity_type).saturating_mul(*searches as u64))
}

/// What an answer counts where the words are a thing.
fn things(splits: &[Split]) -> Vec<SearchQuery> {
    let places = [WordsIn::Purchase, WordsIn::Stated];
    let of_split = |split: &Split| places.map(|place| where_words_are(&split.query, place));
    splits.iter().flat_map(of_split).flatten().collect()
}

/// How often the words are searched for because they ask for a number of bids, or may compare two names.
fn searches(asks: Asks) -> usize {
    let of_bids = if asks.bids.is_some_and(BidsAsked::is_number) {
        stated_bids::SEARCHES
    } else {
        0
    };
    let of_sides = if asks.compares { side_figures::SEARCHES } else { 0 };
    of_bids + of_sides
}
