//! The search with another spelling of a word, or without one of its words, where all of them find nothing: "earn" is
//! in no record of a firm.

use std::cmp::Reverse;

use crate::{
    api::analysis::{
        commodity::most_records,
        suggestions::{Suggestion, SuggestionPlan, corrected},
    },
    catalog::{generation::Generation, suppliers::Party},
    engine::Error,
    model::{
        Role, Schema,
        fold::{fold, word_list},
    },
    pages::{
        messages::Texts,
        search::{context::SearchContext, meanings::Meaning, search_address::SearchAddress, split::Split},
    },
    query::{
        SearchQuery,
        translate::{is_function_word, is_term},
    },
    question::{
        asked_for::content,
        asking_words::asks,
        reading::has_operators,
        words::{Word, search_words, without_marks, words},
    },
};

/// Of more words, none is left out: each one is a search.
const MAX_WORDS: usize = 6;

/// In how many entity types, and how many, other spellings are searched for.
const MAX_TYPES: usize = 2;
const MAX_SPELLINGS: usize = 3;

/// The searches among which other spellings are tried, and how many searches each takes: its words alone, those with
/// another spelling, and whether there is any with its words.
pub(super) fn tried_spellings<'s>(splits: &'s [Split], generation: &Generation) -> Vec<(&'s Split, usize)> {
    let rank = |split: &&Split| {
        let (of, manifest) = (split.asked.entity_type, generation.manifest_of(split.asked.entity_type));
        (Schema::of(of).has_role(Role::Vendor), manifest.records)
    };
    let of_words = |split: &Split| words(&split.words).len();
    let mut tried: Vec<&Split> = splits.iter().filter(|split| of_words(split) <= MAX_WORDS).collect();
    tried.sort_by_key(|split| Reverse(rank(split)));
    let tried = tried.into_iter().take(MAX_TYPES);
    tried
        .map(|split| (split, of_words(split) + MAX_SPELLINGS + 1))
        .collect()
}

/// Words with so many letters may have two of them wrong.
const LONG_WORD: usize = 8;

/// Words with so many letters are misspelled ones if the name of a firm begins with the others and another spelling.
const LONG_NAME: usize = 6;

/// Whether a word is surely a misspelled one, and no word of a question.
fn is_misspelled(near: &Suggestion) -> bool {
    let most = if near.of.len() < LONG_WORD { 1 } else { 2 };
    near.distance <= most && !asks(&near.of, true)
}

/// The search with conditions in place of words that finds most with another spelling of one of its words: of the
/// entity type that people mean first, as everywhere.
///
/// `found`: how many records have the words as they are written. If there are some, the word is long, its other
/// spelling is a term of the glossary or of a firm's name, and far more records have it: publishers misspell words,
/// too, also in names.
pub(super) fn with_other_spelling(
    context: &SearchContext,
    splits: &[Split],
    found: u64,
) -> Result<Option<Meaning>, Error> {
    let mut tried = Vec::new();
    let generation = &context.ask.generation;
    let suppliers = generation.parties(Party::Supplier);
    let is_meant = |near: &Suggestion| {
        // Short words are words of their own: "BGIS" is no misspelled "bois".
        let is_of_term = near.of.len() >= LONG_WORD && is_term(&fold(&near.word)) && !is_term(&near.of);
        is_of_term || found == 0 && !suppliers.has_name_from(&near.of)
    };
    let is_of_name = |near: &Suggestion, words: &str| {
        let is_long = near.of.len() >= LONG_NAME && word_list(words).len() > 1;
        is_long && !suppliers.has_name_from(&near.of) && suppliers.has_name_from(words)
    };
    for (split, _) in tried_spellings(splits, generation) {
        let Some(plan) = SuggestionPlan::of(&split.query) else {
            continue;
        };
        let near = plan.run(context.ask)?.into_iter();
        let respelled = near
            .filter(is_misspelled)
            .map(|near| (corrected(&split.words, &near), near));
        let respelled = respelled.filter(|(words, near)| is_meant(near) || is_of_name(near, words));
        for (words, near) in respelled.take(MAX_SPELLINGS) {
            let asked = split.asked.setting(&[("q", &search_words(&words))]);
            let query = asked.query_in(generation);
            tried.extend(query.map(|query| (query, asked, split.label(&words), near)));
        }
    }
    let counts = context
        .ask
        .counts(tried.iter().map(|(query, ..)| query.clone()).collect())?;
    let all: Vec<_> = tried.into_iter().zip(counts).collect();
    let of = most_records(
        all.iter()
            .map(|((_, asked, ..), records)| (asked.entity_type, *records)),
    );
    let of_type = all
        .into_iter()
        .filter(|((_, asked, ..), _)| Some(asked.entity_type) == of);
    let best = of_type.max_by_key(|(_, records)| *records);
    let is_more = |records: u64| records > 0 && records >= found.saturating_mul(MORE_TIMES);
    Ok(best
        .filter(|(_, records)| is_more(*records))
        .map(|((_, asked, label, near), records)| {
            Meaning::of_other_spelling(context.t, asked, label, (&near, found), records)
        }))
}

/// So many times as many records have the other spelling, which is surely meant.
const MORE_TIMES: u64 = 5;

/// So many times as many records are of another search, which the words may have meant.
pub(super) const MANY_TIMES: u64 = 10;

fn may_be_left_out((_, folded): &Word) -> bool {
    !is_function_word(folded)
}

/// How many searches without one word there are for a text: none for a single word, and for many.
pub(super) fn left_out(text: &str) -> usize {
    let number = words(text).iter().filter(|word| may_be_left_out(word)).count();
    if (2..=MAX_WORDS).contains(&number) { number } else { 0 }
}

/// The search without one word that is nearest to all of them, if it finds at least `fewest` records. `split`: the
/// search with conditions in place of words, if there is one.
pub(super) fn without_a_word(
    context: &SearchContext,
    split: Option<&Split>,
    fewest: u64,
) -> Result<Option<Meaning>, Error> {
    let generation = &context.ask.generation;
    let text = context.asked.value("q").unwrap_or_default();
    // "Contracts to businesses" are none of "contracts to Indigenous businesses".
    if has_operators(text) || context.asks.set_aside {
        return Ok(None);
    }
    let (asked, text) = match split {
        Some(split) => (&split.asked, split.words.as_str()),
        None => (context.asked, text),
    };
    let written = words(text);
    if left_out(text) == 0 {
        return Ok(None);
    }
    let without = |left_out: usize| -> Option<(SearchAddress, String, SearchQuery)> {
        let rest = written.iter().enumerate().filter(|(number, _)| *number != left_out);
        let rest: Vec<Word> = rest.map(|(_, word)| word.clone()).collect();
        // Without a word, all records would be found.
        let rest = Some(content(rest, true)).filter(|rest| !rest.is_empty())?;
        let asked = asked.setting(&[("q", &search_words(&rest))]);
        let query = asked.query_in(generation)?;
        Some((asked, rest, query))
    };
    let tried = (0..written.len()).filter(|number| may_be_left_out(&written[*number]));
    let tried: Vec<_> = tried
        .filter_map(|number| Some((without_marks(&written[number..=number]), without(number)?)))
        .collect();
    let counts = context
        .ask
        .counts(tried.iter().map(|(_, (.., query))| query.clone()).collect())?;
    // "Price" says less than "forklift". What is left is a term rather than any words, and says much: not "removal" of
    // "snow removal".
    let is_of_question = |word: &str| asks(&fold(word), true);
    let best = tried.into_iter().zip(counts).filter(|(_, records)| *records > 0);
    let best = best
        .max_by_key(|((word, (_, rest, _)), records)| (is_of_question(word), is_term(&fold(rest)), Reverse(*records)));
    Ok(best
        .filter(|(_, records)| *records >= fewest)
        .map(|((word, (asked, rest, _)), records)| {
            let label = split.map_or_else(|| rest.clone(), |split| split.label(&rest));
            Meaning::of_fewer_words(context.t, asked, (&label, &word), (records, fewest > 0))
        }))
}

impl Meaning {
    /// A search with a word that records have, in place of one that is spelled nearly like it.
    /// `found`: how many records have the word as it is written.
    fn of_other_spelling(
        t: Texts,
        asked: SearchAddress,
        label: String,
        (near, found): (&Suggestion, u64),
        records: u64,
    ) -> Meaning {
        let kind = asked.entity_type.name();
        Meaning {
            label,
            what: if found == 0 {
                t.with(
                    "search-meaning-spelling",
                    &[("word", &near.word), ("written", &near.of)],
                )
            } else {
                t.with(
                    "search-meaning-misspelled",
                    &[("word", &near.word), ("written", &near.of)],
                )
            },
            count: t.keyed_with("search-records-", kind, &[("count", &records)]),
            href: asked.address(),
            asked: Some(asked),
            ..Meaning::default()
        }
    }

    /// A search without one of the words.
    fn of_fewer_words(
        t: Texts,
        asked: SearchAddress,
        (label, word): (&str, &str),
        (records, is_wider): (u64, bool),
    ) -> Meaning {
        let kind = asked.entity_type.name();
        Meaning {
            label: label.to_owned(),
            what: if is_wider {
                t.with("search-meaning-wider", &[("word", &word)])
            } else {
                t.with("search-meaning-fewer", &[("word", &word)])
            },
            count: t.keyed_with("search-records-", kind, &[("count", &records)]),
            href: asked.address(),
            asked: Some(asked),
            ..Meaning::default()
        }
    }
}
