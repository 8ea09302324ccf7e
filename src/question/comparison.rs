//! What compares two names: "Acme vs Zenith", "who got more, Acme or Zenith?"

use std::ops::Range;

use crate::{
    model::fold::fold,
    question::{
        asked_for::is_question,
        reading::has_operators,
        words::{Word, is_in, joined, ranges, words},
    },
};

/// What is between two names, folded; what may be, if both sides are nothing else; and what also is in a text that
/// begins with [`COMPARE`].
const VERSUS: &str = "compare a|compared to|compared with|par rapport a|versus|vs";
const OR: &str = "or|ou|que|than";
const AGAINST: &str = "against|contre";
const AND: &str = "a|and|avec|et|to|with";
const COMPARE: &str = "comparaison|compare|comparer|comparez|comparison";
/// What begins a question about one of two.
const WHICH_OF: &str = "\
    between|entre|laquelle de|laquelle entre|lequel de|lequel entre|qui de|qui entre|which of|who between|who of";
/// What two are compared by, next to their names.
const COMPARED_BY: &str = "\
    amount|competition|concurrence|contracts|contrats|depenses|montant|nombre|number|spending|sums|total|totals|valeur|\
    value";

/// What is between two names.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Link {
    Compares,
    /// The sides may be choices of anything, so each must mean a supplier or a buyer before anything else.
    Choice,
    /// The same. Outside a name, it is in names of things, too.
    Against,
    /// The sides may be one name or one thing, so only cities are compared.
    And,
}

/// A text that may compare two names.
pub(crate) struct Comparison<'t> {
    /// Its words, without those at the beginning that ask for a comparison.
    pub(crate) written: Vec<Word<'t>>,
    /// What may be between two names, and where; the most certain first.
    pub(crate) links: Vec<(Link, Range<usize>)>,
    /// Whether it asks, for a comparison or for something else.
    pub(crate) asks: bool,
}

impl<'t> Comparison<'t> {
    pub(crate) fn of(text: &'t str) -> Comparison<'t> {
        let mut written = words(text);
        let asks = is_question(&written);
        let compares = take_comparing(&mut written);
        let link = |folded: &str| match folded {
            _ if is_in(VERSUS, folded) || compares && is_in(AND, folded) => Some(Link::Compares),
            _ if is_in(OR, folded) => Some(Link::Choice),
            _ if is_in(AGAINST, folded) => Some(Link::Against),
            _ if is_in(AND, folded) => Some(Link::And),
            _ => None,
        };
        // "d'Or" is no "or".
        let is_whole = |range: &Range<usize>| {
            written[range.clone()]
                .iter()
                .all(|(word, folded)| fold(word) == *folded)
        };
        let all = ranges(&written).into_iter().filter(|(_, range)| is_whole(range));
        let mut links: Vec<(Link, Range<usize>)> = all
            .filter_map(|(folded, range)| Some((link(&folded)?, range)))
            .collect();
        // "And" is in many texts.
        links.sort_by_key(|(link, _)| *link == Link::And);
        Comparison {
            written,
            links,
            asks: asks || compares,
        }
    }
}

/// Whether words may compare two names whose figures are counted.
pub(super) fn may_compare(text: &str) -> bool {
    if has_operators(text) {
        return false;
    }
    let mut written = words(text);
    let between = |(_, folded): &Word| [VERSUS, OR, AGAINST].iter().any(|list| is_in(list, folded));
    take_comparing(&mut written)
        || written.iter().skip(1).any(between)
        || ranges(&written).iter().any(|(folded, _)| is_in(VERSUS, folded))
}

/// Whether a side has the first letter of a name in capitals next to the other side.
pub(crate) fn has_capital(side: &[Word]) -> bool {
    side.iter().any(|(word, _)| word.starts_with(char::is_uppercase))
}

/// A side without what the two are compared by.
pub(crate) fn without_compared_by<'w>(side: &[Word<'w>]) -> Vec<Word<'w>> {
    let compared = side.iter().filter(|(_, folded)| !is_in(COMPARED_BY, folded));
    compared.cloned().collect()
}

/// Removes the words at the beginning that ask for a comparison of what is named next.
fn take_comparing(written: &mut Vec<Word>) -> bool {
    let begins = |written: &[Word], list: &str| {
        let longest = (1..=written.len().min(2)).rev();
        longest
            .into_iter()
            .find(|length| is_in(list, &joined(&written[..*length])))
    };
    let compares = begins(written, COMPARE).unwrap_or(0);
    written.drain(..compares);
    let asked = begins(written, WHICH_OF).unwrap_or(0);
    written.drain(..asked);
    compares > 0 || asked > 0
}
