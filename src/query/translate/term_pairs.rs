//! The pairs of terms that a translation knows: the lines of `data/glossary.csv`, which the project
//! keeps, and the English and French words of commodity codes.
//!
//! A line of the glossary is one meaning: the English terms for it, then the French ones, separated
//! by `; `. A term can be in several lines. The usual term comes first. A line also has wider and
//! narrower terms, so `data/synonyms.csv` says which terms of one language name the same.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::{Arc, LazyLock},
};

use crate::{
    model::{Language, fold::word_list},
    query::{
        text::Term,
        translate::forms::{WordForms, WordMatch, is_function_word, plural},
    },
};

/// The glossary of the project.
const GLOSSARY: &str = include_str!("../../../data/glossary.csv");

/// Terms of the glossary that name the same in one language.
const SYNONYMS: &str = include_str!("../../../data/synonyms.csv");

/// The maximum number of words of a commodity's title that takes part: longer ones are sentences
/// that no query and no other record has.
pub(super) const MAX_TITLE_WORDS: usize = 8;

/// Where a term comes from. The glossary decides where it knows a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    Glossary,
    Commodities,
}

/// A term of one language, what the other calls it, and other terms of its own language for the same.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) language: Language,
    pub(super) origin: Origin,
    /// The words that carry its meaning, in their order; at least one.
    pub(super) words: Vec<WordForms>,
    /// Distinct; those of the other language first, and of each language the usual one first.
    pub(super) alternatives: Vec<Arc<Alternative>>,
}

/// Another term for the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Alternative {
    pub(super) language: Language,
    pub(super) term: Term,
    /// As the glossary or the publisher writes it.
    pub(super) text: String,
}

/// All terms: the glossary, and one dictionary of commodities.
#[derive(Debug)]
pub(super) struct TermPairs {
    commodities: Terms,
}

/// Terms of one origin.
#[derive(Debug)]
struct Terms {
    entries: Vec<Entry>,
    /// The entries by the language and key of their rarest word.
    by_word: HashMap<(Language, String), Vec<usize>>,
}

/// Read once: all dictionaries share it.
static GLOSSARY_TERMS: LazyLock<Terms> = LazyLock::new(|| {
    let mut collected = Collected::default();
    for [english, french] in lines() {
        for (english, french) in pairs_of([&english, &french]) {
            collect_pair(&mut collected, english, french);
        }
    }
    for (language, terms) in synonyms() {
        for (term, other) in pairs_of([&terms, &terms]) {
            collect_synonym(&mut collected, language, term, other);
        }
    }
    Terms::new(Origin::Glossary, collected)
});

/// The words of the glossary, with the languages that have them.
static VOCABULARY: LazyLock<HashMap<String, HashSet<Language>>> = LazyLock::new(|| {
    let mut vocabulary = HashMap::<String, HashSet<Language>>::new();
    for [english, french] in lines() {
        for (language, texts) in [(Language::English, english), (Language::French, french)] {
            for word in texts.into_iter().flat_map(word_list) {
                vocabulary.entry(word).or_default().insert(language);
            }
        }
    }
    vocabulary
});

/// The terms while they are collected.
#[derive(Default)]
struct Collected {
    /// By language and content words.
    terms: BTreeMap<(Language, Vec<String>), CollectedTerm>,
    /// Each once: a line has a term as an alternative of all others.
    alternatives: HashSet<Arc<Alternative>>,
}

#[derive(Default)]
struct CollectedTerm {
    translations: Vec<Arc<Alternative>>,
    synonyms: Vec<Arc<Alternative>>,
}

impl TermPairs {
    /// The glossary and the titles of commodities, in English and in French.
    pub(super) fn new(titles: impl Iterator<Item = (String, String)>) -> TermPairs {
        let is_short = |title: &String| word_list(title).len() <= MAX_TITLE_WORDS;
        // The result must not depend on the order in which the dictionary lists its codes.
        let titles: BTreeSet<(String, String)> = titles
            .filter(|(english, french)| is_short(english) && is_short(french))
            .collect();
        let mut collected = Collected::default();
        for (english, french) in &titles {
            collect_pair(&mut collected, english, french);
        }
        TermPairs {
            commodities: Terms::new(Origin::Commodities, collected),
        }
    }

    /// The entries whose rarest word has a key.
    pub(super) fn by_word(&self, language: Language, key: &str) -> impl Iterator<Item = &Entry> {
        let key = (language, key.to_owned());
        [&*GLOSSARY_TERMS, &self.commodities]
            .into_iter()
            .flat_map(move |terms| {
                let numbers = terms.by_word.get(&key).into_iter().flatten();
                numbers.map(|number| &terms.entries[*number])
            })
    }

    /// The one language in which the glossary has a word; `None` if it has it in both or in neither.
    pub(super) fn only_language(word: &str) -> Option<Language> {
        let languages = VOCABULARY.get(word)?;
        languages.iter().next().copied().filter(|_| languages.len() == 1)
    }
}

/// Whether folded words are a term of the glossary in either language, in the singular or the plural.
pub(crate) fn is_term(folded: &str) -> bool {
    let words: Vec<&str> = folded.split(' ').filter(|word| !is_function_word(word)).collect();
    Language::ALL.into_iter().any(|language| {
        let forms: Vec<WordForms> = words.iter().map(|word| WordForms::of(language, word)).collect();
        let is_same = |(queried, word): (&WordForms, &WordForms)| {
            queried.compare(word).is_some_and(|matched| matched < WordMatch::Stem)
        };
        let is_entry = |number: &usize| {
            let entry = &GLOSSARY_TERMS.entries[*number];
            entry.words.len() == forms.len() && forms.iter().zip(&entry.words).all(is_same)
        };
        let numbers = forms.iter().flat_map(|word| {
            let key = (language, word.key.clone());
            GLOSSARY_TERMS.by_word.get(&key).into_iter().flatten()
        });
        numbers.into_iter().any(is_entry)
    })
}

impl Terms {
    fn new(origin: Origin, collected: Collected) -> Terms {
        let entries: Vec<Entry> = collected
            .terms
            .into_iter()
            .map(|((language, words), term)| Entry {
                language,
                origin,
                words: words.iter().map(|word| WordForms::of(language, word)).collect(),
                alternatives: term.translations.into_iter().chain(term.synonyms).collect(),
            })
            .collect();
        Terms {
            by_word: by_rarest_word(&entries),
            entries,
        }
    }
}

fn by_rarest_word(entries: &[Entry]) -> HashMap<(Language, String), Vec<usize>> {
    let mut counts = HashMap::<(Language, &str), usize>::new();
    for entry in entries {
        for word in &entry.words {
            *counts.entry((entry.language, &word.key)).or_default() += 1;
        }
    }
    let mut by_word = HashMap::<(Language, String), Vec<usize>>::new();
    for (number, entry) in entries.iter().enumerate() {
        let rarest = entry
            .words
            .iter()
            .min_by_key(|word| counts[&(entry.language, word.key.as_str())]);
        if let Some(word) = rarest {
            by_word
                .entry((entry.language, word.key.clone()))
                .or_default()
                .push(number);
        }
    }
    by_word
}

/// Adds each of two texts as a translation of the other.
fn collect_pair(collected: &mut Collected, english: &str, french: &str) {
    let words = [english, french].map(word_list);
    if words[0] == words[1] {
        return;
    }
    for (language, own, other, text) in [
        (Language::English, &words[0], &words[1], french),
        (Language::French, &words[1], &words[0], english),
    ] {
        if let Some(key) = key_of(language, own) {
            let forms = collected.forms(language.other(), other, text);
            add(&mut collected.terms.entry(key).or_default().translations, forms);
        }
    }
}

/// Adds a text as another term for the same in its language.
fn collect_synonym(collected: &mut Collected, language: Language, text: &str, other: &str) {
    let [own, words] = [text, other].map(word_list);
    if own == words {
        return;
    }
    if let Some(key) = key_of(language, &own) {
        let forms = collected.forms(language, &words, other);
        add(&mut collected.terms.entry(key).or_default().synonyms, forms);
    }
}

/// `None` if no word carries meaning.
fn key_of(language: Language, words: &[String]) -> Option<(Language, Vec<String>)> {
    let content: Vec<String> = words.iter().filter(|word| !is_function_word(word)).cloned().collect();
    (!content.is_empty()).then_some((language, content))
}

impl Collected {
    /// A term in its forms; none if no word of it carries meaning.
    fn forms(&mut self, language: Language, words: &[String], text: &str) -> Vec<Arc<Alternative>> {
        if words.iter().all(|word| is_function_word(word)) {
            return Vec::new();
        }
        // Decision D-235: always a phrase, hence as written. The stems of a translated word would lead
        // away from it: "stationnement" has the stem of "station".
        let mut forms = vec![words.to_vec()];
        if let [word] = words {
            forms.extend(plural(language, word).map(|plural| vec![plural]));
        }
        let text = text.trim();
        let alternative = |words: Vec<String>| Alternative {
            language,
            term: Term::Phrase(words),
            text: text.to_owned(),
        };
        forms.into_iter().map(|words| self.once(alternative(words))).collect()
    }

    fn once(&mut self, alternative: Alternative) -> Arc<Alternative> {
        if let Some(known) = self.alternatives.get(&alternative) {
            return known.clone();
        }
        let new = Arc::new(alternative);
        self.alternatives.insert(new.clone());
        new
    }
}

/// Adds the alternatives whose term is not known.
fn add(known: &mut Vec<Arc<Alternative>>, alternatives: Vec<Arc<Alternative>>) {
    for alternative in alternatives {
        if known.iter().all(|other| other.term != alternative.term) {
            known.push(alternative);
        }
    }
}

/// Each of some terms with each of others.
fn pairs_of<'t>([some, others]: [&[&'t str]; 2]) -> Vec<(&'t str, &'t str)> {
    let pairs = some
        .iter()
        .flat_map(|one| others.iter().map(move |other| (*one, *other)));
    pairs.collect()
}

/// The lines of the glossary: English terms, French terms. A test reads every line.
pub(super) fn lines() -> impl Iterator<Item = [Vec<&'static str>; 2]> {
    rows(GLOSSARY).map(|(english, french)| [english, french].map(terms_of))
}

/// The lines of the synonyms: a language and its terms for the same. A test reads every line.
fn synonyms() -> impl Iterator<Item = (Language, Vec<&'static str>)> {
    rows(SYNONYMS).filter_map(|(code, terms)| {
        Some((
            Language::ALL.into_iter().find(|language| language.code() == code)?,
            terms_of(terms),
        ))
    })
}

pub(super) fn terms_of(column: &str) -> Vec<&str> {
    column.split(';').map(str::trim).collect()
}

/// The two columns of a file.
pub(super) fn rows(file: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = file.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    // The first line names the columns.
    lines.skip(1).filter_map(|line| line.split_once(','))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_glossary_is_a_meaning() {
        let mut lines_of_file = GLOSSARY.lines().filter(|line| !line.starts_with('#'));
        assert_eq!(lines_of_file.next(), Some("en,fr"));
        let (mut pairs, mut seen) = (0, HashSet::new());
        for line in lines_of_file {
            // No quotes and no further commas: the file needs no reader of its own, in any program.
            assert_eq!(line.matches(',').count(), 1, "{line}");
            assert!(!line.contains('"'), "{line}");
            let (english, french) = line.split_once(',').unwrap();
            for terms in [english, french] {
                let mut folded = HashSet::new();
                for term in terms.split("; ") {
                    assert!(!term.is_empty() && term.trim() == term && !term.contains(';'), "{line}");
                    let words = word_list(term);
                    assert!(words.iter().any(|word| !is_function_word(word)), "{line}: {term}");
                    assert!(words.len() <= MAX_TITLE_WORDS, "{line}: {term}");
                    assert!(folded.insert(words), "{line}: {term} twice");
                    assert!(
                        term.chars().all(|c| c.is_alphanumeric() || " -'’&/.".contains(c)),
                        "{line}: {term}"
                    );
                }
            }
            for english in english.split("; ") {
                for french in french.split("; ") {
                    assert!(
                        seen.insert((word_list(english), word_list(french))),
                        "{english} = {french} twice"
                    );
                    pairs += 1;
                }
            }
        }
        assert_eq!(
            pairs,
            lines()
                .map(|[english, french]| english.len() * french.len())
                .sum::<usize>()
        );
        assert!(lines().count() >= 500 && pairs >= 500, "{pairs}");
    }

    #[test]
    fn every_pair_of_the_glossary_is_found_from_both_sides() {
        let pairs = TermPairs::new(std::iter::empty());
        for [english, french] in lines() {
            for (language, own, other) in [
                (Language::English, &english, &french),
                (Language::French, &french, &english),
            ] {
                for (own, other) in own.iter().flat_map(|own| other.iter().map(move |other| (own, other))) {
                    let (own, other) = (word_list(own), word_list(other));
                    if own == other {
                        continue;
                    }
                    let content: Vec<&String> = own.iter().filter(|word| !is_function_word(word)).collect();
                    let found = content.iter().any(|word| {
                        let key = WordForms::of(language, word).key;
                        pairs.by_word(language, &key).any(|entry| {
                            entry.words.len() == content.len()
                                && entry.alternatives.iter().any(|known| known.term.words() == other)
                        })
                    });
                    assert!(found, "{own:?} {other:?}");
                }
            }
        }
    }

    #[test]
    fn every_line_of_the_synonyms_has_terms_of_the_glossary() {
        let known: HashSet<(Language, &str)> = lines()
            .flat_map(|columns| Language::ALL.into_iter().zip(columns))
            .flat_map(|(language, terms)| terms.into_iter().map(move |term| (language, term)))
            .collect();
        let mut seen = HashSet::new();
        for (language, terms) in synonyms() {
            assert!(terms.len() > 1, "{terms:?}");
            for term in terms {
                assert!(known.contains(&(language, term)), "the glossary lacks {term}");
                assert!(seen.insert((language, term)), "{term} twice");
            }
        }
        assert_eq!(synonyms().count(), rows(SYNONYMS).count(), "each line has a language");
        // A search for an ice rink does not look for every rink.
        for (language, terms) in synonyms() {
            let content = |term: &&str| {
                let words = word_list(term).into_iter();
                words.filter(|word| !is_function_word(word)).collect()
            };
            let words: Vec<Vec<String>> = terms.iter().map(content).collect();
            for (number, wide) in words.iter().enumerate() {
                let has_all = |narrow: &Vec<String>| {
                    wide.iter().all(|word| {
                        narrow.iter().any(|other| {
                            WordForms::of(language, word)
                                .compare(&WordForms::of(language, other))
                                .is_some()
                        })
                    })
                };
                let narrow = words.iter().find(|narrow| narrow.len() > wide.len() && has_all(narrow));
                assert!(narrow.is_none(), "{} and {narrow:?}", terms[number]);
            }
        }
    }

    #[test]
    fn a_term_is_known_in_both_numbers_and_languages() {
        for term in ["law firms", "law firm", "general contractors", "deneigement"] {
            assert!(is_term(term), "{term}");
        }
        for text in ["body armour suppliers", "paving companies", "of the", ""] {
            assert!(!is_term(text), "{text}");
        }
    }

    #[test]
    fn long_titles_and_titles_in_one_language_are_left_out() {
        let long = "one two three four five six seven eight nine".to_owned();
        let titles = [
            (long.clone(), "court".to_owned()),
            ("Tables".to_owned(), "Tables".to_owned()),
            ("Zymurgy kits".to_owned(), "Trousses de zymurgie".to_owned()),
        ];
        let pairs = TermPairs::new(titles.into_iter());
        assert_eq!(pairs.commodities.entries.len(), 2, "both sides of the last title");
    }
}
