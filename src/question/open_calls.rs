//! Words that ask for calls for tenders that take bids: "which calls for paving are open", "electrical jobs open now".
//!
//! The lists are of folded words without elided articles, separated by `|`.

use crate::{
    query::translate::is_function_word,
    question::words::{Word, is_in, remove_phrase, remove_phrase_between},
};

/// What asks for tenders.
pub(crate) const TENDERS: &str = "\
    avis appels offres|avis appel offres|appels offres|appel offres|calls for tenders|call for tenders|tenders";

/// The first words of those.
pub(crate) const CALLED: &str = "appel|appels|call|calls|tender|tenders";

/// What asks for tenders that take bids.
pub(crate) const OPEN_TENDERS: &str = "\
    avis appels offres ouverts|appels offres ouverts|appels offres en cours|\
    open calls for tenders|open call for tenders|open tenders|tenders open";

/// The same at the beginning. Elsewhere it is a way to award a contract: "by open tender".
pub(crate) const OPEN_TENDER: &str = "appel offre ouvert|appel offres ouvert|open tender";

/// The same in a question about tenders: "which tenders for paving are open".
const ARE_OPEN: &str = "\
    are currently open|are now open|are open|are still open|est encore ouvert|est ouvert|est toujours ouvert|is open|\
    is still open|restent ouverts|sont actuellement ouverts|sont encore ouverts|sont en cours|sont ouverts|\
    sont presentement ouverts|sont toujours ouverts";

/// The same without a verb: at the beginning, at the end, or before a function word.
const OPEN: &str = "\
    currently open|encore ouvertes|encore ouverts|open|open now|open right now|ouvert|ouverte|ouvertes|ouverts|\
    still open";

/// Of contracts, it says that they are not over.
const OPEN_CALLS: &str = "en cours";

/// What people call work to bid on: "electrical jobs open now".
const OPPORTUNITIES: &str = "bids|jobs|occasions|opportunities|opportunity|rfp|rfps|rfq|rfqs|soumissions";

/// The same only next to "open" or before it. "Open source contracts" and "open work permits" are things.
const CONTRACTS: &str = "contracts|contrats|projects|projets|work";

/// Removes the words that ask for tenders that take bids, apart from that for tenders: "which calls for paving are
/// open", "appels d'offres de pavage ouverts".
pub(crate) fn take_are_open(written: &mut Vec<Word>, is_question: bool) -> bool {
    let asks_for_tenders = remove_phrase(&mut written.clone(), TENDERS);
    let is_at_end = |before: &[Word], after: &[Word]| {
        before.is_empty() || after.first().is_none_or(|(_, folded)| is_function_word(folded))
    };
    if asks_for_tenders {
        let lists = [OPEN, OPEN_CALLS];
        return is_question && remove_phrase(written, ARE_OPEN)
            || lists.iter().any(|list| remove_phrase_between(written, list, is_at_end));
    }
    let is_opportunity = |(_, folded): &Word| is_in(OPPORTUNITIES, folded);
    let is_contract = |(_, folded): &Word| is_in(CONTRACTS, folded);
    let is_end = |after: &[Word]| after.first().is_none_or(|(_, folded)| is_function_word(folded));
    let is_of_one = |before: &[Word], after: &[Word]| {
        let is_before = is_end(after) && before.iter().any(|word| is_opportunity(word) || is_contract(word));
        let is_around = before.is_empty() && after.last().is_some_and(is_opportunity);
        let is_after = match after {
            [first, rest @ ..] => is_opportunity(first) || is_contract(first) && is_end(rest),
            [] => false,
        };
        is_before || is_around || is_after
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
