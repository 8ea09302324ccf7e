//! A word at the end of a search that asks for a price or a sum.

use crate::question::{
    asked_for::CONTRACTS,
    asking_words::{AMENDED, GREW},
    words::{Word, is_in, remove_phrase, remove_phrase_between},
};

/// What asks for a price at the end: "fire trucks Toronto price"; for a sum only after a word for contracts or a name.
/// "Grand Prix" and "life cycle cost" are things.
const LAST_PRICES: &str = "cost|costs|cout|couts|price|prices|prices paid|pricing|prix";
const LAST_SUMS: &str = "total|totals";
const BEFORE_PRICES: &str = "best|cycle|fixed|grand|low|lowest|unit";

/// Removes the word for a price, or a sum, at the end.
pub(super) fn take_last_price(written: &mut Vec<Word>) -> bool {
    // "Dépassement de coût" asks for amended contracts.
    if [AMENDED, GREW]
        .iter()
        .any(|list| remove_phrase(&mut written.clone(), list))
    {
        return false;
    }
    let last = |before: &[Word]| before.last().map(|(_, folded)| folded.clone());
    let is_price = |before: &[Word], after: &[Word]| {
        after.is_empty() && last(before).is_some_and(|folded| !is_in(BEFORE_PRICES, &folded))
    };
    // "Salt contracts total", "Acme total"
    let is_sum = |before: &[Word], after: &[Word]| {
        let is_summed =
            |(word, folded): &Word| CONTRACTS.contains(&folded.as_str()) || word.starts_with(char::is_uppercase);
        after.is_empty() && before.last().is_some_and(is_summed)
    };
    remove_phrase_between(written, LAST_PRICES, is_price) || remove_phrase_between(written, LAST_SUMS, is_sum)
}
