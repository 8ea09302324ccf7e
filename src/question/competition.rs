//! What asks for purchases without competition. The lists are of folded words, separated by `|`.

use crate::question::words::{Word, remove_phrase};

/// What asks for purchases without competition.
const WITHOUT_COMPETITION: &str = "\
    awarded without competition|sans avis appel offres|without a call for tenders|without call for tenders|\
    without calls for tenders|sans mise en concurrence|without competition|without a tender|\
    without tendering|without tenders|without tender|sans appels offres|sans appel offres|\
    sans appel offre|sans concurrence|non competitive|gre a gre|sole sourced|sole sourcing|\
    sole source|single source|no bid|untendered";

/// What it is compared with: "sole source vs competitive".
const WITH_COMPETITION: &str = "competitive|concurrentiel|concurrentiels";

/// Removes the words that ask for purchases without competition, and those that compare them with others.
pub(crate) fn take_without_competition(written: &mut Vec<Word>) -> bool {
    let is_taken = remove_phrase(written, WITHOUT_COMPETITION);
    if is_taken {
        remove_phrase(written, WITH_COMPETITION);
    }
    is_taken
}
