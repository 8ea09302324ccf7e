//! The laws of sets for translated queries, with the words of the real glossary and of the titles of
//! commodity codes: what `OR`, `-` and two words next to each other find follows from what each word
//! finds alone.

use std::{collections::BTreeSet, sync::LazyLock};

use proptest::{prelude::*, sample::Index};

use crate::{
    model::{commodity_table::OWN_TITLES, fold::word_list, stem::words_match},
    query::{
        text::{Clause, Term, TextQuery},
        translate::{
            forms::is_function_word,
            lookup::find,
            term_pairs::{MAX_TITLE_WORDS, TermPairs, lines},
            translator::{MAX_TRANSLATED_WORDS, Translated, Translator},
        },
    },
};

/// The titles of commodity codes in both languages.
fn titles() -> impl Iterator<Item = (String, String)> {
    let words = OWN_TITLES.values();
    words.filter_map(|words| Some((words.en.clone()?, words.fr.clone()?)))
}

static TRANSLATOR: LazyLock<Translator> = LazyLock::new(|| Translator::new(titles()));

/// The pairs that the translator has, too.
static PAIRS: LazyLock<TermPairs> = LazyLock::new(|| TermPairs::new(titles()));

/// The words that carry the meaning of each term of the glossary and of each short title.
static TERMS: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let of_glossary = lines().flatten().flatten().map(str::to_owned);
    let of_titles = titles().flat_map(|(english, french)| [english, french]);
    let contents = of_glossary.chain(of_titles).map(|term| {
        let words = word_list(&term).into_iter().filter(|word| !is_function_word(word));
        words.collect::<Vec<String>>()
    });
    let contents = contents.filter(|words| !words.is_empty() && words.len() <= MAX_TITLE_WORDS);
    contents.collect::<BTreeSet<Vec<String>>>().into_iter().collect()
});

static WORDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let words: BTreeSet<&String> = TERMS.iter().flatten().collect();
    words.into_iter().cloned().collect()
});

/// The terms of the glossary as terms of `q`: a word, or a phrase in quotes.
static TOKENS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let words = lines().flatten().flatten().map(word_list);
    let tokens = words.map(|words| match words.as_slice() {
        [word] => word.clone(),
        words => format!("\"{}\"", words.join(" ")),
    });
    tokens.collect::<BTreeSet<String>>().into_iter().collect()
});

fn translate(q: &str) -> Translated {
    TRANSLATOR.translate(&TextQuery::parse(q).unwrap())
}

/// What a query says about a text.
pub(super) fn matches(clauses: &[Clause], text: &[String]) -> bool {
    let has = |term: &Term| match term {
        Term::Word(word) => text.iter().any(|other| words_match(word, other)),
        Term::Phrase(words) => text.windows(words.len()).any(|run| run == words),
    };
    clauses.iter().all(|clause| match clause {
        Clause::Any(terms) => terms.iter().any(has),
        Clause::Not(term) => !has(term),
    })
}

fn finds(q: &str, text: &[String]) -> bool {
    matches(translate(q).text.clauses(), text)
}

fn is_required(clause: &Clause) -> bool {
    matches!(clause, Clause::Any(_))
}

/// Whether nothing can have been left out because the query has too many words.
fn is_whole(q: &str) -> bool {
    let Translated { text, .. } = translate(q);
    let most = (MAX_TITLE_WORDS + 1) * text.written().len();
    [true, false].into_iter().all(|required| {
        let clauses = text.clauses().iter().filter(|clause| is_required(clause) == required);
        let words: usize = clauses.flat_map(Clause::terms).map(|term| term.words().len()).sum();
        words + most <= MAX_TRANSLATED_WORDS
    })
}

/// Whether the glossary or a title has some words of different clauses as one term.
fn has_spanning_terms(q: &str) -> bool {
    let text = TextQuery::parse(q).unwrap();
    find(&PAIRS, text.written()).iter().any(|found| found.clauses.len() > 1)
}

/// Required clauses, each the alternatives that `OR` joins.
type Required = Vec<Vec<String>>;

fn as_text(required: &[Vec<String>]) -> String {
    let clauses: Vec<String> = required.iter().map(|alternatives| alternatives.join(" OR ")).collect();
    clauses.join(" ")
}

fn token() -> impl Strategy<Value = String> {
    let is_short = |token: &String| token.split(' ').count() <= 3;
    prop_oneof![
        2 => proptest::sample::select(WORDS.as_slice()),
        1 => proptest::sample::select(TOKENS.as_slice()).prop_filter("q has at most 32 words", is_short),
    ]
}

/// The words of a term, with alternatives to some of them, and words of other terms.
fn required() -> impl Strategy<Value = Required> {
    let of_term = proptest::sample::select(TERMS.as_slice());
    let others = prop::collection::vec(prop::collection::vec(token(), 1..3), 0..2);
    let alternatives = prop::collection::vec(token(), 0..3);
    (of_term, others, alternatives).prop_map(|(of_term, others, alternatives)| {
        let mut clauses: Required = of_term.into_iter().take(4).map(|word| vec![word]).collect();
        for (clause, alternative) in clauses.iter_mut().zip(alternatives) {
            clause.push(alternative);
        }
        clauses.extend(others);
        clauses
    })
}

/// Which of the terms of a query a text has: of most required clauses one, of few exclusions.
fn picks() -> impl Strategy<Value = Vec<(f64, Index)>> {
    prop::collection::vec((0.0..1.0, any::<Index>()), 1..40)
}

fn text_of(clauses: &[Clause], picks: &[(f64, Index)]) -> Vec<String> {
    let is_picked =
        |(clause, (chance, _)): &(&Clause, &(f64, Index))| *chance < if is_required(clause) { 0.9 } else { 0.05 };
    let picked = clauses.iter().zip(picks).filter(is_picked);
    picked
        .flat_map(|(clause, (_, index))| index.get(clause.terms()).words())
        .cloned()
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn an_exclusion_excludes_what_its_term_finds_and_changes_nothing_else(
        required in required(),
        excluded in prop::collection::vec(token(), 1..3),
        picks in prop::collection::vec(picks(), 1..6),
    ) {
        let alone = as_text(&required);
        let q = format!("{alone} -{}", excluded.join(" -"));
        let translated = translate(&q);
        let (with, without) = (translated.text.clauses(), translate(&alone));
        let kept: Vec<&Clause> = with.iter().filter(|clause| is_required(clause)).collect();
        prop_assert_eq!(kept, without.text.clauses().iter().collect::<Vec<_>>(), "{}", q);
        prop_assert_eq!(&translated.released, &without.released);
        if !is_whole(&q) {
            return Ok(());
        }
        for picks in picks {
            let text = text_of(with, &picks);
            let expected = matches(without.text.clauses(), &text) && excluded.iter().all(|term| !finds(term, &text));
            prop_assert_eq!(matches(with, &text), expected, "{} {:?}", q, text);
        }
    }

    #[test]
    fn an_alternative_only_adds(required in required(), picks in prop::collection::vec(picks(), 1..6)) {
        let q = as_text(&required);
        if !is_whole(&q) {
            return Ok(());
        }
        let translated = translate(&q);
        let is_union = !has_spanning_terms(&q);
        for picks in picks {
            let text = text_of(translated.text.clauses(), &picks);
            let found = matches(translated.text.clauses(), &text);
            for (number, alternatives) in required.iter().enumerate() {
                let finds_one = alternatives.iter().any(|alternative| {
                    let mut one = required.clone();
                    one[number] = vec![alternative.clone()];
                    finds(&as_text(&one), &text)
                });
                prop_assert!(found || !finds_one, "{} {:?}", q, text);
                prop_assert!(!is_union || found == finds_one, "{} {:?}", q, text);
            }
        }
    }

    #[test]
    fn two_words_find_what_both_find(required in required(), picks in prop::collection::vec(picks(), 1..6)) {
        let q = as_text(&required);
        if !is_whole(&q) {
            return Ok(());
        }
        let translated = translate(&q);
        let is_intersection = !has_spanning_terms(&q);
        for picks in picks {
            let text = text_of(translated.text.clauses(), &picks);
            let found = matches(translated.text.clauses(), &text);
            let all_find = required.iter().all(|clause| finds(&clause.join(" OR "), &text));
            prop_assert!(found || !all_find, "{} {:?}", q, text);
            prop_assert!(!is_intersection || found == all_find, "{} {:?}", q, text);
        }
    }

    /// Each of the words has the translations that it has alone, whatever the others are.
    #[test]
    fn the_terms_of_an_alternative_are_found(one in token(), other in token()) {
        let either = translate(&format!("{one} OR {other}"));
        for alone in [one, other] {
            for term in translate(&alone).text.clauses().iter().flat_map(Clause::terms) {
                prop_assert!(matches(either.text.clauses(), term.words()), "{} {:?}", alone, term);
            }
        }
    }
}

#[test]
fn a_term_and_its_exclusion_have_the_same_alternatives() {
    for token in TOKENS.iter().chain(WORDS.iter()) {
        let terms = [translate(token), translate(&format!("-{token}"))].map(|translated| {
            let clauses = translated.text.clauses().iter();
            clauses.flat_map(Clause::terms).cloned().collect::<Vec<Term>>()
        });
        assert_eq!(terms[0], terms[1], "{token}");
        assert!(
            is_whole(token),
            "{token} has too many alternatives for a query of a few words"
        );
    }
}

#[test]
fn both_sides_of_a_line_find_no_less_together() {
    for [english, french] in lines() {
        for (english, french) in english.iter().zip(&french) {
            let sides = [english, french].map(|term| format!("\"{term}\""));
            let either = translate(&sides.join(" OR "));
            for side in sides {
                for term in translate(&side).text.clauses().iter().flat_map(Clause::terms) {
                    assert!(matches(either.text.clauses(), term.words()), "{side} {term:?}");
                }
            }
        }
    }
}

/// Queries that once found less than their parts.
#[test]
fn the_language_of_a_word_does_not_depend_on_the_others() {
    let clause = |q: &str, number: usize| translate(q).text.clauses()[number].clone();
    for (q, number, alone) in [
        ("consultant expert-conseil", 0, "consultant"),
        ("toiture maintenance", 1, "maintenance"),
        ("remorqueuse éducation", 1, "éducation"),
        ("R&D -d'eau", 0, "R&D"),
        ("consulting maintenance", 1, "maintenance"),
    ] {
        let (own, found) = (clause(alone, 0), [clause(q, number)]);
        assert!(own.terms().len() > 1, "{alone}");
        for term in own.terms() {
            assert!(matches(&found, term.words()), "{q}: {term:?}");
        }
    }
}
