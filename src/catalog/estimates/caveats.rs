//! The caveats of an answer: what limits how far the client can rely on it.

use super::{
    answer::MatchLevel,
    code_match::is_specific,
    item::PreparedItem,
    note_texts::{self, Notes},
    pool::Market,
    selection::{LEVEL_CONTRACTS, MIN_CONTRACTS, Selection},
    value_distribution::ValueDistribution,
};

/// There is a caveat if the newest comparable is older than this many days.
const MAX_COMPARABLE_AGE_DAYS: i32 = 730;

/// There is a caveat if the comparables carry less than this share of the weight: the estimate then
/// rests mostly on other contracts.
const MIN_COMPARABLES_WEIGHT: f64 = 0.5;

/// There is a caveat if p90 is more than this many times p10: the value may be far from the median.
const MAX_P90_TO_P10: f64 = 30.0;

/// The caveats that estimates and comparables have in common.
pub(crate) fn caveats(
    market: &Market,
    item: &PreparedItem,
    selection: &Selection,
    distribution: Option<&ValueDistribution>,
) -> Notes {
    let mut caveats = Notes::default();
    caveats.add_if(item.stated_value.is_some(), note_texts::VALUE_STATED);
    let codes = &item.facts.codes;
    caveats.add_if(!item.is_record && codes.is_empty(), note_texts::CODE_NOT_RECOGNIZED);
    let found = selection.contracts.len();
    let too_few = distribution.is_none() && found < MIN_CONTRACTS;
    caveats.add_with(too_few, note_texts::TOO_FEW_COMPARABLES, || found.to_string());
    // An unspecific code does not matter if enough contracts have the buyer and title of the item.
    let needs_code = distribution.is_none_or(|distribution| distribution.level >= MatchLevel::BuyerAndCode);
    let is_unspecific = !codes.is_empty() && !codes.iter().any(|code| is_specific(code));
    caveats.add_if(needs_code && is_unspecific, note_texts::CODE_IS_A_BRANCH);
    if let Some(distribution) = distribution {
        add_caveats_of_estimate(&mut caveats, market, item, selection, distribution);
    }
    caveats
}

fn add_caveats_of_estimate(
    caveats: &mut Notes,
    market: &Market,
    item: &PreparedItem,
    selection: &Selection,
    distribution: &ValueDistribution,
) {
    let (p10, p90) = (distribution.quantile(0.10), distribution.quantile(0.90));
    let is_unusual = item.stated_value.is_some_and(|stated| stated < p10 || stated > p90);
    caveats.add_if(is_unusual, note_texts::STATED_VALUE_UNUSUAL);
    caveats.add_if(item.text.is_empty(), note_texts::NO_SUBJECT);
    let is_broad = distribution.level >= MatchLevel::CategoryAndText;
    caveats.add_if(is_broad, note_texts::BROAD_MATCH);
    let comparables = selection.comparables();
    let has_buyer = !item.facts.buyers.is_empty();
    caveats.add_if(
        has_buyer && !comparables.iter().any(|contract| contract.same_buyer),
        note_texts::OTHER_BUYERS_ONLY,
    );
    let effective = distribution.spread.effective_size;
    caveats.add_with(
        effective < LEVEL_CONTRACTS as f64,
        note_texts::FEW_CARRY_THE_WEIGHT,
        || format!("{:.0}", effective.max(1.0)),
    );
    let weight = selection.comparables_weight();
    caveats.add_with(
        weight < MIN_COMPARABLES_WEIGHT,
        note_texts::COMPARABLES_WEIGH_LITTLE,
        || format!("{:.0}", weight * 100.0),
    );
    if let Some(newest) = comparables.iter().map(|contract| contract.date).max() {
        let is_old = market.today.days() - newest.days() > MAX_COMPARABLE_AGE_DAYS;
        caveats.add_with(is_old, note_texts::COMPARABLES_OLD, || newest.to_string());
    }
    caveats.add_if(p90 > MAX_P90_TO_P10 * p10, note_texts::WIDE_RANGE);
}
