//! The class of bodies that words ask for: "hospitals", "quelle université".

use crate::{
    query::translate::is_function_word,
    question::{
        asked_for::CONTRACTS,
        asking_words::asks,
        words::{Word, elided, is_in, joined, remove_phrase_between},
    },
};

/// Words for each class, folded and without elided articles: for several of its bodies, and for one of them.
const CLASSES: [(&str, &str, &str); 6] = [
    (
        "health",
        "centres hospitaliers|etablissements de sante|etablissements sante|etablissements hospitaliers|health authorities|\
        health bodies|health care facilities|health institutions|hopitaux|hospitals",
        "centre hospitalier|health authority|hopital|hospital",
    ),
    ("university", "universites|universities", "universite|university"),
    ("college", "cegeps|colleges", "cegep|college"),
    (
        SCHOOL,
        "centres de services scolaire|centres de services scolaires|centres services scolaires|commissions scolaires|\
        conseils scolaires|school boards|school districts|school divisions",
        "centre de services scolaire|commission scolaire|ecole|ecoles|school|school board|school district|schools",
    ),
    (
        "transit",
        "societes de transport|transit agencies|transit authorities|transit commissions|transit companies|\
        transit operators",
        "societe de transport|transit agency|transit authority",
    ),
    (
        "housing",
        "housing agencies|housing authorities|offices habitation|offices municipaux habitation",
        "housing authority|office habitation|office municipal habitation",
    ),
];

/// The class of school boards, and what they have.
const SCHOOL: &str = "school";
const SCHOOLS: &str = "ecole|ecoles|school|schools";
const OF: &str = "de|des|in|of";

/// What asks for one of them: "which hospital". Elsewhere, a hospital is a building.
const WHICH: &str = "quel|quelle|quelles|quels|what|which";
const BY: &str = "by|par";
const ARTICLES: &str = "a|an|un|une|des";

/// Removes the class of bodies that the words ask for, if it is only one, and not in the name of a firm: "Fédération
/// des cégeps". `is_start_of_firm`: whether folded words begin such a name.
pub(super) fn take_class(written: &mut Vec<Word>, is_start_of_firm: impl Fn(&str) -> bool) -> Option<&'static str> {
    let is_in_name = |before: &[Word], after: &[Word]| {
        let end = written.len() - after.len();
        let starts = before.len().saturating_sub(MAX_BEFORE)..before.len();
        starts
            .into_iter()
            .any(|start| is_start_of_firm(&joined(&written[start..end])))
    };
    let taken = CLASSES.iter().filter_map(|(class, several, one)| {
        let mut rest = written.clone();
        let is_taken = remove_phrase_between(&mut rest, one, asks_for_one)
            || remove_phrase_between(&mut rest, one, |before, after| {
                after.is_empty() && is_alone_at_end(before, &written[before.len()..]) && !is_in_name(before, after)
            })
            || remove_phrase_between(&mut rest, one, |before, after| {
                are_its_contracts(before, &written[before.len()], after) && !is_in_name(before, after)
            })
            || remove_phrase_between(&mut rest, BUYING, |before, after| {
                let of_class = is_in(one, &written[before.len()].1);
                of_class
                    && after.is_empty()
                    && is_buyer_at_end(before, &written[before.len()])
                    && !is_in_name(before, after)
            })
            || remove_phrase_between(&mut rest, several, |before, after| !is_in_name(before, after));
        is_taken.then_some((*class, rest))
    });
    let taken: Vec<_> = taken.collect();
    let [(class, mut rest)] = <[_; 1]>::try_from(taken).ok()?;
    if class == SCHOOL {
        // Of school boards, "roofs of schools" are roofs. "School supplies" are a thing.
        let is_theirs = |number: usize| {
            let (word, _) = rest[number];
            elided(word) != word || is_in(OF, &rest[number - 1].1)
        };
        let theirs = (1..rest.len()).find(|number| is_in(SCHOOLS, &rest[*number].1) && is_theirs(*number));
        theirs.map(|number| rest.remove(number));
    }
    *written = rest;
    Some(class)
}

/// The class that folded words name: "hospital".
pub(super) fn class_named(folded: &str) -> Option<&'static str> {
    let mut classes = CLASSES.iter();
    let named = classes.find(|(_, several, one)| is_in(several, folded) || is_in(one, folded));
    named.map(|(class, ..)| *class)
}

/// One of them at the end that buys what is before it.
const BUYING: &str = "hopital|hospital|universite|university";

/// Whether a word at the end is no part of the name before it, and of no thing: "conciergerie hôpital", not "lits
/// d'hôpital" and not "Mount Sinai Hospital".
fn is_buyer_at_end(before: &[Word], word: &Word) -> bool {
    let is_capital = word.0.starts_with(char::is_uppercase);
    let is_thing = |before: &Word| is_function_word(&before.1) || is_in(OF_NAMES, &before.1);
    !is_capital && elided(word.0) == word.0 && before.last().is_some_and(|before| !is_thing(before))
}

/// Whether several words at the end are no part of the name before them: "toitures commission scolaire", not "Toronto
/// District School Board". One word is a thing there: "portes d'école".
fn is_alone_at_end(before: &[Word], phrase: &[Word]) -> bool {
    let is_capital = |word: &Word| word.0.starts_with(char::is_uppercase);
    let is_of_name = |word: &Word| is_in(OF_NAMES, &word.1) || is_capital(word) && is_capital(&phrase[0]);
    phrase.len() > 1 && before.last().is_some_and(|word| !is_of_name(word))
}

/// What is before the kind of a body in its name, or says which one.
const OF_NAMES: &str = "area|catholic|catholique|district|local|old|public|region|regional|regionale|the|top";

/// How many words before a class may be of a name.
const MAX_BEFORE: usize = 4;

/// What may be before it.
const LARGEST: &str = "biggest|highest|largest|top";

/// Whether a word for one of a class says whose contracts are meant: "biggest hospital contract".
fn are_its_contracts(before: &[Word], phrase: &Word, after: &[Word]) -> bool {
    let is_capital = |word: &Word| word.0.starts_with(char::is_uppercase);
    let is_contract = after
        .first()
        .is_some_and(|(_, folded)| CONTRACTS.contains(&folded.as_str()));
    // "Driving school" is a thing, and "mount sinai hospital" a name.
    let is_first = before
        .last()
        .is_none_or(|(_, folded)| is_function_word(folded) || is_in(LARGEST, folded) || asks(folded, true));
    is_contract && is_first && !is_capital(phrase)
}

fn asks_for_one(before: &[Word], after: &[Word]) -> bool {
    // "Which hospital beds"
    let ends = after
        .first()
        .is_none_or(|(_, folded)| asks(folded, true) || is_function_word(folded));
    // "The largest contract of a hospital", "contrat d'un hôpital"
    let is_contract = |word: &Word| CONTRACTS.contains(&word.1.as_str());
    ends && match before {
        [.., (_, which)] if is_in(WHICH, which) => true,
        [.., contract, (_, of), (_, article)] if is_contract(contract) && is_in(OF, of) => is_in(ARTICLES, article),
        [.., contract, (_, article)] if is_contract(contract) => is_in(ARTICLES, article),
        [.., (_, by), (_, article)] => is_in(BY, by) && is_in(ARTICLES, article),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::words::{without_marks, words};

    #[test]
    fn several_bodies_of_a_class_are_a_class_and_one_is_a_thing() {
        for (text, class, rest) in [
            ("hospitals snow removal", Some("health"), "snow removal"),
            (
                "furniture bought by universities",
                Some("university"),
                "furniture bought by",
            ),
            ("Which hospital buys gloves?", Some("health"), "Which buys gloves"),
            ("quelle université", Some("university"), "quelle"),
            ("conciergerie hopital", Some("health"), "conciergerie"),
            ("lits d'hôpital", None, "lits d'hôpital"),
            ("Mount Sinai Hospital", None, "Mount Sinai Hospital"),
            ("contrats des cégeps", Some("college"), "contrats des"),
            ("commissions scolaires déneigement", Some("school"), "déneigement"),
            ("salt bought by a school board", Some("school"), "salt bought by a"),
            ("offices d'habitation", Some("housing"), ""),
            ("toitures d'écoles commission scolaire", Some("school"), "toitures"),
            ("portes d'école", None, "portes d'école"),
            ("Toronto District School Board", None, "Toronto District School Board"),
            ("top school board", None, "top school board"),
            ("school supplies school boards", Some("school"), "school supplies"),
            (
                "biggest contract of a hospital in 2009",
                Some("health"),
                "biggest contract of a in 2009",
            ),
            (
                "plus gros contrat d'un hôpital",
                Some("health"),
                "plus gros contrat d'un",
            ),
            ("biggest hospital contract", Some("health"), "biggest contract"),
            ("mount sinai hospital contracts", None, "mount sinai hospital contracts"),
            ("driving school contracts", None, "driving school contracts"),
            ("hospital contracts 2009", Some("health"), "contracts 2009"),
            ("hospital beds", None, "hospital beds"),
            ("which hospital beds cost most", None, "which hospital beds cost most"),
            ("Fédération des cégeps", None, "Fédération des cégeps"),
            ("toiture de l'école", None, "toiture de l'école"),
            ("hospitals and universities", None, "hospitals and universities"),
        ] {
            let mut written = words(text);
            assert_eq!(
                take_class(&mut written, |name| name == "federation des cegeps"),
                class,
                "{text}"
            );
            assert_eq!(without_marks(&written), rest, "{text}");
        }
    }
}
