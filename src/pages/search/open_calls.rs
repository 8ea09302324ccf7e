//! Words that ask for calls for tenders that take bids: "which calls for paving are open", "electrical jobs open now".
//!
//! The lists are of folded words without elided articles, separated by `|`.

use crate::{
    pages::search::{
        question::TENDERS,
        written_words::{Word, is_in, remove_phrase, remove_phrase_between},
    },
    query::translate::is_function_word,
};

/// What asks for tenders that take bids.
pub(super) const OPEN_TENDERS: &str = "\
    avis appels offres ouverts|appels offres ouverts|appels offres en cours|\
    open calls for tenders|open call for tenders|open tenders|tenders open";

/// The same in a question about tenders: "which tenders for paving are open".
const ARE_OPEN: &str = "\
    are currently open|are now open|are open|are still open|est encore ouvert|est ouvert|est toujours ouvert|is open|\
    is still open|restent ouverts|sont actuellement ouverts|sont encore ouverts|sont en cours|sont ouverts|\
    sont presentement ouverts|sont toujours ouverts";

/// The same without a verb: at the beginning, at the end, or before a function word.
const OPEN: &str = "\
    currently open|en cours|encore ouvertes|encore ouverts|open|open now|open right now|ouvert|ouverte|ouvertes|ouverts|\
    still open";

/// What people call work to bid on: "electrical jobs open now".
const OPPORTUNITIES: &str = "bids|jobs|occasions|opportunities|opportunity|rfp|rfps|rfq|rfqs|soumissions";

/// The same next to "open", or before it at the end. "Open source contracts" are about a thing.
const CONTRACTS: &str = "contracts|contrats|projects|projets|work";

/// Removes the words that ask for tenders that take bids, apart from that for tenders: "which calls for paving are
/// open", "appels d'offres de pavage ouverts".
pub(super) fn take_are_open(written: &mut Vec<Word>, is_question: bool) -> bool {
    let asks_for_tenders = remove_phrase(&mut written.clone(), TENDERS);
    let is_at_end = |before: &[Word], after: &[Word]| {
        before.is_empty() || after.first().is_none_or(|(_, folded)| is_function_word(folded))
    };
    if asks_for_tenders {
        return is_question && remove_phrase(written, ARE_OPEN) || remove_phrase_between(written, OPEN, is_at_end);
    }
    let is_opportunity = |(_, folded): &Word| is_in(OPPORTUNITIES, folded);
    let is_one = |word: &Word| is_opportunity(word) || is_in(CONTRACTS, &word.1);
    let is_of_one = |before: &[Word], after: &[Word]| {
        let is_around = before.is_empty() && after.last().is_some_and(is_opportunity);
        is_around || after.is_empty() && before.iter().any(is_one) || after.first().is_some_and(is_one)
    };
    let mut rest = written.clone();
    let mut take = |list| remove_phrase(&mut rest, list);
    let is_open = remove_phrase_between(&mut written.clone(), OPEN, is_of_one);
    let is_open = is_open && take(OPEN) && (take(OPPORTUNITIES) || take(CONTRACTS));
    if is_open {
        *written = rest;
    }
    is_open
}
