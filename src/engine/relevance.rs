//! Relevance: how well a record fits a text, as a whole number, so that every engine orders alike.
//!
//! # The score
//!
//! ```text
//! score(record) = sum over the required clauses c of   weight(c) × tier(c, record)
//!               + sum over the pairs (c, d) of         (weight(c) + weight(d)) × NEIGHBOURS
//! ```
//!
//! The best score comes first; equal scores come in the default order (newest first, then by
//! `record_id`). Only records that the text matches are ordered; excluded terms add nothing. A text
//! without a required clause gives every record the score 0, hence the default order.
//!
//! **Words of a clause.** A word stands for its *variants*: itself and the words of the index with
//! its stem in either language, as in the search. A phrase stands for all its words together, each
//! as written. A clause has the variants of all its words and all its phrases as *alternatives*.
//!
//! **`weight(c)`** is [`clause_weight`] of the number of records of the entity type and the
//! *frequency* of the clause: the sum of the frequencies of its distinct alternatives, at most the
//! number of records. The frequency of a word is the number of records that have it in a text that
//! `q` searches (`Role::Text`); that of a phrase is the least of those of its words.
//!
//! **`tier(c, record)`** is the number of the best tier in which the record has an alternative:
//!
//! | tier | the word is in | number |
//! |---|---|---|
//! | `a`, `b`, … | a title (`Role::Title`) with at most so many words | [`TITLES`] |
//! | next | the titles of its commodity codes (`Role::CommodityWords`) | [`COMMODITY_WORDS`] |
//! | next | the name of a vendor (`Role::Vendor`) | [`VENDOR`] |
//! | last | the name of a buyer (`Role::Department`) | [`BUYER`] |
//! | none | anything else that `q` searches | [`ELSEWHERE`] |
//!
//! A variant that is not written in the clause counts [`OTHER_FORM`] less there, but not elsewhere.
//!
//! A record has a phrase in a tier if it has each of its words there, in whatever order: that it has
//! the phrase itself somewhere is a condition of the match already. The tiers of titles do what the
//! length norm of BM25 does: a word says more about a short title.
//!
//! **A pair** is two clauses that follow one another in `q`, both required. It counts if a title of
//! the record has the two as neighbours: a word of the first directly before a word of the second,
//! both as written in `q` (of each clause the first [`PAIRED_WORDS`] words); or, where both clauses
//! have the same phrase of several words as an alternative (a translation), each two neighbours of
//! the phrase. Of a title the first [`PAIRED_TITLE_WORDS`] words count.
//!
//! # In an index
//!
//! [`index_terms`] gives the terms of a record: `word/t`, the word in the tier with the letter `t`,
//! and `one+two`, neighbours in a title. One field has them, and needs neither frequencies nor
//! positions. [`plan`] turns a text into groups of such terms. The score of a record is the same
//! constant for all matches plus the *gain* of each group: that of the best of its tiers in which
//! the record has one of the alternatives, or 0.
//!
//! Elasticsearch counterpart: in the `bool` query, for each group a `function_score` over its tiers
//! (`score_mode: first`, each a filter whose `weight` is the gain): `terms` for alternatives of one
//! term, `bool.filter` of `term` for those of several. Then `_score desc` and the default order.
//! Every sum is a whole number below 2^24, hence exact as a 32-bit floating-point number.
//!
//! Useful for: the records that are about something, before those that mention it. Not useful for:
//! cursors (offsets only), or comparing the scores of two texts.

use std::cmp::Reverse;

use crate::{
    engine::{error::Error, similarity::idf},
    model::{
        Record, Role,
        fold::{word_list, words},
    },
    query::text::{Clause, Term, TextQuery},
};

/// The tiers of titles: the maximum number of words, and the number of the tier.
pub const TITLES: [(usize, u32); 12] = [
    (2, 64),
    (3, 62),
    (4, 60),
    (5, 58),
    (6, 56),
    (7, 54),
    (8, 52),
    (10, 50),
    (13, 47),
    (18, 44),
    (28, 40),
    (usize::MAX, 36),
];
pub const COMMODITY_WORDS: u32 = 24;
pub const VENDOR: u32 = 18;
pub const BUYER: u32 = 12;
pub const ELSEWHERE: u32 = 8;

/// So much less counts another form of a word: less than any tier counts more than [`ELSEWHERE`].
pub const OTHER_FORM: u32 = 3;

/// What two neighbours in a title add, as a multiple of the weights of their clauses.
pub const NEIGHBOURS: u32 = 8;

/// Of each clause so many words can have neighbours.
pub const PAIRED_WORDS: usize = 4;

/// So many words of a title can be neighbours.
pub const PAIRED_TITLE_WORDS: usize = 32;

/// The tiers other than those of titles, in the order of their letters.
const OTHER_TIERS: [(Role, u32); 3] = [
    (Role::CommodityWords, COMMODITY_WORDS),
    (Role::Vendor, VENDOR),
    (Role::Department, BUYER),
];

/// The weight of a clause, 1 to 255: its inverse document frequency in eighths.
pub fn clause_weight(records: u64, frequency: u64) -> u32 {
    ((idf(records, frequency) * 8.0).round() as u32).clamp(1, 255)
}

/// The place of a title among [`TITLES`], by its number of words.
pub fn title_tier(words: usize) -> usize {
    TITLES
        .iter()
        .position(|(most, _)| words <= *most)
        .unwrap_or(TITLES.len() - 1)
}

/// A term of the index, made of words: their texts, or what stands for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum IndexTerm<W> {
    /// A word in the tier with a letter.
    InTier(W, char),
    /// Two neighbours in a title.
    Neighbours(W, W),
}

impl<W> IndexTerm<W> {
    pub(crate) fn map<V>(self, mut word: impl FnMut(W) -> V) -> IndexTerm<V> {
        match self {
            IndexTerm::InTier(one, tier) => IndexTerm::InTier(word(one), tier),
            IndexTerm::Neighbours(first, second) => IndexTerm::Neighbours(word(first), word(second)),
        }
    }
}

impl IndexTerm<&str> {
    /// Writes the term into `text`. A folded word never contains the separators.
    pub(crate) fn write<'t>(&self, text: &'t mut String) -> &'t str {
        text.clear();
        match self {
            IndexTerm::InTier(word, tier) => {
                text.push_str(word);
                text.push('/');
                text.push(*tier);
            }
            IndexTerm::Neighbours(first, second) => {
                text.push_str(first);
                text.push('+');
                text.push_str(second);
            }
        }
        text
    }

    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }
}

/// Calls `each` with every term of a title with these words; repeated terms repeat.
pub(crate) fn title_terms<W: Copy>(words: &[W], mut each: impl FnMut(IndexTerm<W>)) {
    let tier = letter(title_tier(words.len()));
    for word in words {
        each(IndexTerm::InTier(*word, tier));
    }
    for pair in words[..words.len().min(PAIRED_TITLE_WORDS)].windows(2) {
        each(IndexTerm::Neighbours(pair[0], pair[1]));
    }
}

/// The roles other than titles whose words are in a tier, and its letter.
pub(crate) fn other_tiers() -> impl Iterator<Item = (Role, char)> {
    let tiers = OTHER_TIERS.iter().zip(TITLES.len()..);
    tiers.map(|((role, _), place)| (*role, letter(place)))
}

/// Calls `each` with every term of a record; repeated terms repeat.
pub(crate) fn index_terms(record: &Record, mut each: impl FnMut(&str)) {
    let mut term = String::new();
    for title in record.texts(Role::Title) {
        let words = word_list(title);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        title_terms(&words, |index_term| each(index_term.write(&mut term)));
    }
    for (role, tier) in other_tiers() {
        for text in record.texts(role) {
            words(text, |word| each(IndexTerm::InTier(word, tier).write(&mut term)));
        }
    }
}

/// The letter of a tier, by its place.
fn letter(place: usize) -> char {
    char::from(b'a' + place as u8)
}

/// What the plan of a text needs to know of the index of an entity type.
pub(crate) trait Vocabulary {
    /// The words that a word of `q` matches: the words with the same stem in either language, and
    /// always the word itself.
    fn variants(&self, word: &str) -> Result<Vec<String>, Error>;

    /// How many records have a word in a text that `q` searches.
    fn documents(&self, word: &str) -> Result<u64, Error>;
}

/// What a clause or a pair adds to the score of a record: the gain of the best of the tiers in which
/// the record has an alternative, or nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    /// By falling gain.
    pub(crate) tiers: Vec<Tier>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tier {
    /// Never 0.
    pub(crate) gain: u32,
    /// The alternatives: a record is in the tier if it has all terms of one. Distinct, never empty.
    pub(crate) any: Vec<Vec<String>>,
}

/// The groups whose gains order the matches of a text. Empty where all have the same score.
pub(crate) fn plan(text: &TextQuery, records: u64, vocabulary: &impl Vocabulary) -> Result<Vec<Group>, Error> {
    let mut groups = Vec::new();
    let mut before: Option<(&[Term], u32)> = None;
    for clause in text.clauses() {
        let Clause::Any(terms) = clause else {
            before = None;
            continue;
        };
        let written = written(terms);
        let forms = other_forms(terms, &written, vocabulary)?;
        let mut frequency: u64 = 0;
        for words in written.iter().chain(&forms) {
            frequency = frequency.saturating_add(least_frequency(words, vocabulary)?);
        }
        let weight = clause_weight(records, frequency.min(records));
        groups.push(Group {
            tiers: tiers(&written, &forms, weight),
        });
        if let Some((terms_before, weight_before)) = before {
            let any = pairs(terms_before, terms);
            if !any.is_empty() {
                let gain = (weight_before + weight) * NEIGHBOURS;
                groups.push(Group {
                    tiers: vec![Tier { gain, any }],
                });
            }
        }
        before = Some((terms, weight));
    }
    Ok(groups)
}

/// The distinct alternatives of a clause that are written in it: words that a record must all have.
fn written(terms: &[Term]) -> Vec<Vec<String>> {
    let words = terms.iter().map(|term| match term {
        Term::Word(word) => vec![word.clone()],
        Term::Phrase(words) => distinct(words.clone()),
    });
    distinct(words.collect())
}

/// The distinct other forms of the words of a clause.
fn other_forms(
    terms: &[Term],
    written: &[Vec<String>],
    vocabulary: &impl Vocabulary,
) -> Result<Vec<Vec<String>>, Error> {
    let mut found = Vec::new();
    for term in terms {
        if let Term::Word(word) = term {
            let variants = vocabulary.variants(word)?.into_iter().map(|variant| vec![variant]);
            found.extend(variants.filter(|variant| !written.contains(variant)));
        }
    }
    Ok(distinct(found))
}

fn distinct<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    items.sort_unstable();
    items.dedup();
    items
}

fn least_frequency(words: &[String], vocabulary: &impl Vocabulary) -> Result<u64, Error> {
    let mut least = u64::MAX;
    for word in words {
        least = least.min(vocabulary.documents(word)?);
    }
    Ok(least)
}

fn tiers(written: &[Vec<String>], forms: &[Vec<String>], weight: u32) -> Vec<Tier> {
    let titles = TITLES.iter().map(|(_, number)| *number);
    let numbers = titles.chain(OTHER_TIERS.iter().map(|(_, number)| *number));
    let mut tiers = Vec::new();
    for (place, number) in numbers.enumerate() {
        let term = |word: &String| IndexTerm::InTier(word.as_str(), letter(place)).text();
        for (alternatives, less) in [(written, 0), (forms, OTHER_FORM)] {
            if !alternatives.is_empty() {
                tiers.push(Tier {
                    gain: weight * (number - less - ELSEWHERE),
                    any: alternatives
                        .iter()
                        .map(|words| words.iter().map(term).collect())
                        .collect(),
                });
            }
        }
    }
    tiers.sort_by_key(|tier| Reverse(tier.gain));
    tiers
}

/// The terms of neighbours for two clauses that follow one another.
fn pairs(first: &[Term], second: &[Term]) -> Vec<Vec<String>> {
    let pair = |one: &str, two: &str| IndexTerm::Neighbours(one, two).text();
    let mut any = Vec::new();
    for one in plain_words(first) {
        any.extend(plain_words(second).map(|two| vec![pair(one, two)]));
    }
    for term in first.iter().filter(|term| second.contains(term)) {
        if let Term::Phrase(words) = term
            && words.len() > 1
        {
            any.push(distinct(words.windows(2).map(|run| pair(&run[0], &run[1])).collect()));
        }
    }
    distinct(any)
}

fn plain_words(terms: &[Term]) -> impl Iterator<Item = &str> {
    let words = terms.iter().filter_map(|term| match term {
        Term::Word(word) => Some(word.as_str()),
        Term::Phrase(_) => None,
    });
    words.take(PAIRED_WORDS)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{
        model::{EntityType, Schema},
        query::text::MAX_QUERY_WORDS,
    };

    /// Words and how many of a hundred records have them. `roads` has the stem of `road`.
    struct Words(BTreeMap<&'static str, u64>);

    impl Vocabulary for Words {
        fn variants(&self, word: &str) -> Result<Vec<String>, Error> {
            let same_stem = match word {
                "road" => vec!["road", "roads"],
                other => vec![other],
            };
            Ok(same_stem.into_iter().map(str::to_owned).collect())
        }

        fn documents(&self, word: &str) -> Result<u64, Error> {
            Ok(self.0.get(word).copied().unwrap_or(0))
        }
    }

    fn groups(q: &str) -> Vec<Group> {
        let words = Words(BTreeMap::from([
            ("road", 5),
            ("roads", 20),
            ("snow", 10),
            ("removal", 80),
        ]));
        plan(&TextQuery::parse(q).unwrap(), 100, &words).unwrap()
    }

    fn any(terms: &[&[&str]]) -> Vec<Vec<String>> {
        let owned = terms
            .iter()
            .map(|terms| terms.iter().map(|term| (*term).to_owned()).collect());
        owned.collect()
    }

    #[test]
    fn a_record_has_the_words_of_its_tiers_and_the_neighbours_of_its_titles() {
        let json = r#"{"record_id":"a","title_en":"Snow, snow removal","title_fr":"L'eau","vendor_name":"R&D inc.",
            "buyer_name":"Ville","description_en":"salt","unspsc_description_en":"Ice"}"#
            .replace('\n', "");
        let record = Record::parse(Schema::of(EntityType::Contract), json.as_bytes()).unwrap();
        let mut terms = Vec::new();
        index_terms(&record, |term| terms.push(term.to_owned()));
        let expected = "snow/b snow/b removal/b snow+snow snow+removal eau/a ice/m r&d/n inc/n ville/o";
        assert_eq!(terms.join(" "), expected);
    }

    #[test]
    fn of_a_long_title_the_first_words_are_neighbours() {
        let title: Vec<String> = (0..40).map(|number| format!("w{number}")).collect();
        let json = format!(r#"{{"record_id":"a","title_en":"{}"}}"#, title.join(" "));
        let record = Record::parse(Schema::of(EntityType::Tender), json.as_bytes()).unwrap();
        let mut terms = Vec::new();
        index_terms(&record, |term| terms.push(term.to_owned()));
        assert_eq!(terms.iter().filter(|term| term.ends_with("/l")).count(), 40);
        let neighbours: Vec<&String> = terms.iter().filter(|term| term.contains('+')).collect();
        assert_eq!(neighbours.len(), PAIRED_TITLE_WORDS - 1);
        assert_eq!(*neighbours[30], "w30+w31");
    }

    #[test]
    fn a_clause_has_the_frequency_of_its_distinct_alternatives() {
        let weight = |q: &str| groups(q)[0].tiers[0].gain / (TITLES[0].1 - ELSEWHERE);
        assert_eq!(weight("snow"), clause_weight(100, 10));
        assert_eq!(weight("road"), clause_weight(100, 25));
        assert_eq!(weight("road OR roads OR \"road\""), clause_weight(100, 25));
        assert_eq!(weight("\"snow removal\""), clause_weight(100, 10));
        assert_eq!(
            weight("road OR removal"),
            clause_weight(100, 100),
            "at most all records"
        );
        assert_eq!(weight("nothing"), clause_weight(100, 1));
    }

    #[test]
    fn a_group_has_the_alternatives_of_its_clause_in_every_tier() {
        let found = groups("road OR \"snow removal\"");
        assert_eq!(found.len(), 1);
        let tiers = TITLES.len() + OTHER_TIERS.len();
        assert_eq!(found[0].tiers.len(), 2 * tiers);
        assert_eq!(groups("snow")[0].tiers.len(), tiers, "it has no other form");
        assert_eq!(found[0].tiers[0].any, any(&[&["removal/a", "snow/a"], &["road/a"]]));
        assert_eq!(found[0].tiers[1].any, any(&[&["removal/b", "snow/b"], &["road/b"]]));
        assert_eq!(found[0].tiers[2].any, any(&[&["roads/a"]]));
        assert_eq!(found[0].tiers[2 * tiers - 1].any, any(&[&["roads/o"]]));
        for tiers in found[0].tiers.windows(2) {
            assert!(tiers[0].gain >= tiers[1].gain && tiers[1].gain > 0);
        }
        assert!(groups("-snow").is_empty(), "an excluded term adds nothing");
    }

    #[test]
    fn clauses_that_follow_one_another_are_a_pair() {
        let gain = (clause_weight(100, 10) + clause_weight(100, 80)) * NEIGHBOURS;
        let pair = |q: &str| groups(q).into_iter().find(|group| group.tiers.len() == 1);
        let expected = Group {
            tiers: vec![Tier {
                gain,
                any: any(&[&["snow+removal"]]),
            }],
        };
        assert_eq!(pair("snow removal"), Some(expected));
        assert_eq!(pair("snow"), None);
        assert_eq!(pair("snow -ice removal"), None, "an excluded term separates");
        assert_eq!(pair("\"snow\" removal"), None, "a quoted word has no neighbours");
        let several = pair("ice OR snow removal").unwrap();
        assert_eq!(several.tiers[0].any, any(&[&["ice+removal"], &["snow+removal"]]));
        let of_a_phrase = pair("snow OR \"de la neige\" \"x y\" OR \"de la neige\"").unwrap();
        assert_eq!(of_a_phrase.tiers[0].any, any(&[&["de+la", "la+neige"]]));
    }

    #[test]
    fn no_score_is_too_large_for_an_exact_sum() {
        let most = MAX_QUERY_WORDS as u32 * 255 * (TITLES[0].1 + 2 * NEIGHBOURS);
        assert!(most < 1 << 24, "{most}");
        for (records, frequency) in [(0, 0), (1, 1), (u64::MAX, 1), (100, 100), (7, 9)] {
            assert!((1..=255).contains(&clause_weight(records, frequency)));
        }
        assert!(clause_weight(1000, 10) > clause_weight(1000, 100));
    }

    #[test]
    fn every_tier_is_a_part_of_what_q_searches() {
        for entity_type in EntityType::ALL {
            let schema = Schema::of(entity_type);
            let searched = schema.role(Role::Text);
            assert!(schema.has_role(Role::Title), "{entity_type}");
            for role in OTHER_TIERS.map(|(role, _)| role).into_iter().chain([Role::Title]) {
                let unsearched = schema.role(role).iter().find(|field| !searched.contains(field));
                assert_eq!(unsearched, None, "{role:?} of {entity_type}");
            }
        }
        for (words, place) in [(0, 0), (2, 0), (3, 1), (11, 8), (28, 10), (29, 11), (9999, 11)] {
            assert_eq!(title_tier(words), place, "{words}");
        }
    }
}
