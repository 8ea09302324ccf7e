//! The words of a search that ask for something instead of describing what was bought, in both languages.
//!
//! The lists are of folded words without elided articles ("sans appel d'offres" is "sans appel offres"), separated by
//! `|`.

use std::ops::Range;

use crate::{model::fold::word_list, query::translate::is_function_word};

/// A word as it was written, and folded.
pub(super) type Word<'a> = (&'a str, String);

/// The maximum number of words in the name of a place.
const MAX_NAME_WORDS: usize = 8;

/// Words that begin a question.
const QUESTION_WORDS: &str = "\
    combien|est ce|how|que|quel|quelle|quelles|quels|qui|quoi|what|when|where|which|who|whose";

/// Verbs and adverbs of questions, which do not describe what was bought.
const WORDS_OF_QUESTIONS: &str = "\
    a t elle|a t il|a t on|achete|achetent|all|are|awarded|bought|buys|coute|coutent|currently|\
    depense|did|do|does|else|est|eu|get|gets|got|had|has|is|many|most|much|now|obtenu|ont|paid|plus|sells|\
    sold|sont|soumissionne|spend|spends|spent|to|today|un|une|vend|vendent|vendu|was|were|won";

/// Words that ask in a question and describe a purchase elsewhere: "price adjustment".
const WORDS_IN_QUESTIONS: &str = "\
    against|autre|autres|bid|bids|buy|cost|costs|cout|couts|il|pay|price|prices|prix|sell|still|there|\
    they|we";

/// What asks for contracts, among contracts. In a name, only the plural is one.
const CONTRACTS: [&str; 4] = ["contrats", "contracts", "contrat", "contract"];

/// What asks for purchases without competition.
const WITHOUT_COMPETITION: &str = "\
    awarded without competition|sans mise en concurrence|without competition|without a tender|\
    without tendering|without tenders|without tender|sans appels offres|sans appel offres|\
    sans appel offre|sans concurrence|non competitive|de gre a gre|gre a gre|sole sourced|sole sourcing|\
    sole source|single source";

/// What asks for tenders that take bids.
const OPEN_TENDERS: &str = "\
    avis appels offres ouverts|appels offres ouverts|appels offres en cours|\
    open calls for tenders|open call for tenders|open tenders|tenders open";

/// Something that words ask for besides the things that they name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Asking {
    OpenTenders,
    WithoutCompetition,
}

impl Asking {
    const fn phrases(self) -> &'static str {
        match self {
            Asking::OpenTenders => OPEN_TENDERS,
            Asking::WithoutCompetition => WITHOUT_COMPETITION,
        }
    }

    /// Removes the first of its phrases that the words have. False if they have none.
    pub(super) fn take(self, written: &mut Vec<Word>) -> bool {
        remove_phrase(written, self.phrases())
    }
}

/// The words of a text that have letters or digits.
pub(super) fn words(text: &str) -> Vec<Word<'_>> {
    let words = text.split_whitespace().map(|word| (word, word_list(word).join(" ")));
    words.filter(|(_, folded)| !folded.is_empty()).collect()
}

/// Whether words begin as a question does.
pub(super) fn is_question(written: &[Word]) -> bool {
    let first = written.iter().find(|(_, folded)| !is_function_word(folded));
    first.is_some_and(|(_, folded)| is_in(QUESTION_WORDS, folded))
}

/// The words without those that only ask.
pub(super) fn without_question<'a>(written: &[Word<'a>], is_question: bool) -> Vec<Word<'a>> {
    let is_asking = |word: &str| {
        let is_of_question = is_question && (is_in(QUESTION_WORDS, word) || is_in(WORDS_IN_QUESTIONS, word));
        is_of_question || is_in(WORDS_OF_QUESTIONS, word)
    };
    let words = written.iter().filter(|(_, folded)| !is_asking(folded));
    words.cloned().collect()
}

/// Removes the first of the phrases that the words have, the longest one there.
fn remove_phrase(written: &mut Vec<Word>, phrases: &str) -> bool {
    let found = ranges(written).into_iter().filter(|(text, _)| is_in(phrases, text));
    let longest = found.max_by_key(|(_, range)| (range.len(), std::cmp::Reverse(range.start)));
    if let Some((_, range)) = &longest {
        written.drain(range.clone());
    }
    longest.is_some()
}

/// Up to [`MAX_NAME_WORDS`] words that follow each other, folded, and which they are.
pub(super) fn ranges(written: &[Word]) -> Vec<(String, Range<usize>)> {
    let starts = 0..written.len();
    let of_start = |from: usize| {
        let last = written.len().min(from + MAX_NAME_WORDS);
        (from + 1..=last).map(move |to| (joined(&written[from..to]), from..to))
    };
    starts.flat_map(of_start).collect()
}

fn joined(written: &[Word]) -> String {
    let words: Vec<&str> = written.iter().map(|(_, folded)| folded.as_str()).collect();
    words.join(" ")
}

/// The words without function words, and words for contracts, at their ends: "sel de route".
pub(super) fn content(mut written: Vec<Word>) -> String {
    if written
        .iter()
        .all(|(_, folded)| CONTRACTS.contains(&folded.as_str()) || is_function_word(folded))
    {
        return String::new();
    }
    let is_left_out = |(_, folded): &Word| is_function_word(folded) || CONTRACTS[..2].contains(&folded.as_str());
    while written.first().is_some_and(is_left_out) {
        written.remove(0);
    }
    while written.last().is_some_and(is_left_out) {
        written.pop();
    }
    let ends = |c: char| matches!(c, '?' | ',' | ';' | ':' | '!');
    let words: Vec<&str> = written.iter().map(|(word, _)| word.trim_matches(ends)).collect();
    words.join(" ")
}

fn is_in(list: &str, word: &str) -> bool {
    list.split('|').any(|one| one == word)
}
