//! [`Translator`]: adds to a parsed `q` what the other language calls the same, and other terms of its own language.

use crate::{
    model::{
        Language,
        commodity::CommodityCode,
        commodity_words::Words,
        stem::{stem, words_match},
    },
    query::{
        text::{Clause, Term, TextQuery},
        translate::{
            code_words::CodeWords,
            forms::is_function_word,
            lookup::{FoundTerm, MAX_ALTERNATIVES, find},
            term_pairs::{Alternative, TermPairs},
        },
    },
};

/// The maximum number of words of the required clauses of a translated query, and of its exclusions;
/// each word of a phrase counts, in each clause that has it.
pub(crate) const MAX_TRANSLATED_WORDS: usize = 256;

/// The terms that are known in both languages. It is immutable; share it.
#[derive(Debug)]
pub struct Translator {
    pairs: TermPairs,
    codes: CodeWords,
}

/// A translated `q`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translated {
    /// Finds what the query as written finds, and more. With exclusions, these exclude more too.
    pub text: TextQuery,
    /// What was added, in the order of `q`.
    pub added: Vec<Addition>,
    /// Folded words of `q` that are no longer required, because they only connect others ("de").
    pub released: Vec<String>,
}

/// What was added for one term of `q`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addition {
    /// The words of `q`, folded.
    pub of: Vec<String>,
    /// The language of these words.
    pub language_of: Language,
    /// Whether these words are excluded, and their translations are too.
    pub excluded: bool,
    /// What the other language calls it, then other terms of its own language, folded. Not what `q` finds anyway.
    pub alternatives: Vec<Term>,
    /// The terms of the other language as people write them, without those that differ from an earlier one only in
    /// the forms of words.
    pub translations: Vec<String>,
    /// The other terms of its own language, in the same way.
    pub synonyms: Vec<String>,
}

impl Translator {
    /// Knows the glossary of the project, and pairs of an English and a French text, such as the
    /// titles of commodity codes. The order of the pairs does not matter.
    pub fn new(pairs: impl Iterator<Item = (String, String)>) -> Translator {
        Translator {
            pairs: TermPairs::new(pairs),
            codes: CodeWords::default(),
        }
    }

    /// This translator, which then also knows what commodity codes mean: each with its words and the number of records
    /// that state it.
    pub(crate) fn with_codes<'w>(
        self,
        titles: impl Iterator<Item = (&'w CommodityCode, &'w Words, u64)>,
    ) -> Translator {
        Translator {
            codes: CodeWords::new(titles),
            ..self
        }
    }

    /// The keys of the commodity codes whose words match a text, none below another, those with most records first.
    pub(crate) fn codes_of(&self, text: &TextQuery) -> Vec<String> {
        self.codes.find(text.clauses())
    }

    /// The text, which the records of these codes match, too.
    pub(crate) fn with_meant_codes(&self, text: TextQuery) -> TextQuery {
        let codes = self.codes_of(&text);
        text.or_codes(codes)
    }

    /// Decision D-234: (A and B) or T is (A or T) and (B or T), so each translation of several words
    /// becomes an alternative of each of their clauses.
    pub fn translate(&self, text: &TextQuery) -> Translated {
        let written = text.written();
        let found = find(&self.pairs, written);
        let is_excluded = |found: &FoundTerm| found.clauses.iter().any(|number| is_exclusion(&written[*number]));
        let mut translation = Translation::new(written);
        let mut added: Vec<Vec<&Alternative>> = vec![Vec::new(); found.len()];
        // The first alternative of each term before the second of any: they are the usual ones. Of
        // equal ones those of single words first: they often find what those of several words find.
        let mut turns: Vec<usize> = (0..found.len()).collect();
        turns.sort_by_key(|number| found[*number].clauses.len());
        for rank in 0..MAX_ALTERNATIVES {
            for number in &turns {
                let found = &found[*number];
                if let Some(alternative) = found.alternatives.get(rank).copied()
                    && translation.add(&found.clauses, &alternative.term)
                {
                    added[*number].push(alternative);
                }
            }
        }
        let additions = found
            .iter()
            .zip(added)
            .filter(|(_, alternatives)| !alternatives.is_empty());
        let added: Vec<Addition> = additions
            .map(|(found, alternatives)| Addition {
                of: found.words.iter().map(|word| (*word).to_owned()).collect(),
                language_of: found.language,
                excluded: is_excluded(found),
                translations: without_inflections(&alternatives, found.language.other()),
                synonyms: without_inflections(&alternatives, found.language),
                alternatives: alternatives
                    .iter()
                    .map(|alternative| alternative.term.clone())
                    .collect(),
            })
            .collect();
        let released = if added.iter().any(|addition| !addition.excluded) {
            translation.release_function_words()
        } else {
            Vec::new()
        };
        let Translation {
            mut clauses, excluded, ..
        } = translation;
        clauses.extend(excluded);
        Translated {
            text: text.translated(clauses),
            added,
            released,
        }
    }
}

fn is_exclusion(clause: &Clause) -> bool {
    matches!(clause, Clause::Not(_))
}

/// The texts of alternatives in a language, without those whose words have the stems of an earlier one's.
fn without_inflections(alternatives: &[&Alternative], language: Language) -> Vec<String> {
    let content = |alternative: &Alternative| -> Vec<String> {
        let words = alternative.term.words().iter().filter(|word| !is_function_word(word));
        words.cloned().collect()
    };
    let mut shown: Vec<(Vec<String>, String)> = Vec::new();
    for alternative in alternatives.iter().filter(|of| of.language == language) {
        let words = content(alternative);
        let is_form_of = |(other, _): &(Vec<String>, String)| {
            other.len() == words.len() && other.iter().zip(&words).all(|(a, b)| words_match(a, b))
        };
        if !shown.iter().any(is_form_of) {
            shown.push((words, alternative.text.clone()));
        }
    }
    shown.into_iter().map(|(_, text)| text).collect()
}

/// A query while it is translated.
struct Translation {
    /// In the order of the query.
    clauses: Vec<Clause>,
    /// The translations of excluded terms.
    excluded: Vec<Clause>,
    /// The number of words of required clauses, and of exclusions: counted apart, so that an
    /// exclusion never takes translations from other words.
    words: [usize; 2],
}

impl Translation {
    fn new(written: &[Clause]) -> Translation {
        let mut words = [0; 2];
        for clause in written {
            words[usize::from(is_exclusion(clause))] +=
                clause.terms().iter().map(|term| term.words().len()).sum::<usize>();
        }
        Translation {
            clauses: written.to_vec(),
            excluded: Vec::new(),
            words,
        }
    }

    /// Adds a term as an alternative of required clauses, or to one exclusion. Returns whether it
    /// finds something that they did not find, and is within the bound.
    fn add(&mut self, numbers: &[usize], alternative: &Term) -> bool {
        let is_excluded = numbers.iter().any(|number| is_exclusion(&self.clauses[*number]));
        let words = self.words[usize::from(is_excluded)] + numbers.len() * alternative.words().len();
        if words > MAX_TRANSLATED_WORDS {
            return false;
        }
        let is_known = numbers.iter().all(|number| {
            let excluded = self.excluded.iter().filter(|_| is_excluded);
            let terms = || {
                self.clauses[*number]
                    .terms()
                    .iter()
                    .chain(excluded.clone().flat_map(Clause::terms))
            };
            // Equal terms first, because stems take time.
            terms().any(|term| term == alternative) || terms().any(|term| finds_all_of(term, alternative))
        });
        if is_known {
            return false;
        }
        for number in numbers {
            match &mut self.clauses[*number] {
                Clause::Any(terms) if !terms.contains(alternative) => terms.push(alternative.clone()),
                Clause::Any(_) => {}
                Clause::Not(_) => self.excluded.push(Clause::Not(alternative.clone())),
            }
        }
        self.words[usize::from(is_excluded)] = words;
        true
    }

    /// Removes the clauses that are a word without meaning of its own, if others remain.
    fn release_function_words(&mut self) -> Vec<String> {
        let word_of = |clause: &Clause| match clause {
            Clause::Any(terms) => match terms.as_slice() {
                [Term::Word(word)] if is_function_word(word) => Some(word.clone()),
                _ => None,
            },
            Clause::Not(_) => None,
        };
        let released = self.clauses.iter().filter_map(word_of).collect();
        self.clauses.retain(|clause| word_of(clause).is_none());
        released
    }
}

/// Whether every text with `other` matches `term`.
fn finds_all_of(term: &Term, other: &Term) -> bool {
    match (term, other) {
        (Term::Word(word), Term::Word(other)) => {
            word == other
                || Language::ALL.into_iter().all(|language| {
                    let stems = [word, other].map(|word| stem(language, word));
                    stems[0].is_some() && stems[0] == stems[1]
                })
        }
        (Term::Word(word), Term::Phrase(words)) => words.iter().any(|other| words_match(word, other)),
        (Term::Phrase(_), Term::Word(_)) => false,
        (Term::Phrase(words), Term::Phrase(other)) => other.windows(words.len()).any(|run| run == words),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;
    use crate::{model::fold::word_list, query::translate::law_tests::matches};

    static TRANSLATOR: LazyLock<Translator> = LazyLock::new(|| {
        let titles = [
            ("Snow removal equipment", "Matériel de déneigement"),
            ("Widgets", "Gadgets"),
        ];
        Translator::new(
            titles
                .into_iter()
                .map(|(english, french)| (english.to_owned(), french.to_owned())),
        )
    });

    fn translate(q: &str) -> Translated {
        TRANSLATOR.translate(&TextQuery::parse(q).unwrap())
    }

    fn finds(q: &str, text: &str) -> bool {
        matches(translate(q).text.clauses(), &word_list(text))
    }

    #[test]
    fn the_other_language_is_found() {
        for (q, text) in [
            ("snow removal", "Services de déneigement 2026"),
            ("SNOW REMOVALS", "Enlèvement de la neige"),
            ("removal of snow", "Déneigement des trottoirs"),
            ("snow removal sidewalks", "Déneigement des trottoirs"),
            ("\"snow removal\"", "Déneigement"),
            ("ice OR snow removal", "Déneigement"),
            ("déneigement", "Snow plowing services"),
            ("entretien de la voirie", "Road maintenance"),
            ("réfection toiture école", "School roof replacement"),
            ("widget", "Gadgets divers"),
            ("park", "Aménagement d'un parc"),
            ("fire trucks", "Camion d'incendie"),
            // Other terms of its own language.
            ("snow removal", "Winter maintenance of lots"),
            ("social media", "Advertising on social networks"),
            ("asphaltage", "Travaux de revêtement bitumineux"),
        ] {
            assert!(finds(q, text), "{q}: {text}");
        }
        for (q, text) in [
            // Of a quoted phrase only the whole is translated.
            ("\"snow of removal trucks\"", "Camion de déneigement"),
            ("park", "Stationnement"),
            ("snow removal -sidewalks", "Déneigement des trottoirs"),
            ("roads -\"snow removal\"", "Voirie et déneigement"),
            ("snow removal montréal", "Déneigement à Québec"),
        ] {
            assert!(!finds(q, text), "{q}: {text}");
        }
    }

    #[test]
    fn additions_say_what_was_added() {
        let translated = translate("removal of snow");
        let whole = translated.added.iter().find(|addition| addition.of.len() == 2).unwrap();
        assert_eq!(whole.of, ["removal", "snow"]);
        assert_eq!(whole.language_of, Language::English);
        assert!(
            !whole.excluded && whole.translations.contains(&"déneigement".to_owned()),
            "{whole:?}"
        );
        assert!(whole.synonyms.contains(&"winter maintenance".to_owned()), "{whole:?}");
        let forms = whole
            .translations
            .iter()
            .filter(|text| text.contains("neigement"))
            .count();
        assert_eq!(forms, 1, "one inflection of each: {whole:?}");
        assert_eq!(translated.released, ["of"]);
        let excluded = translate("-déneigement");
        assert!(excluded.added.iter().all(|addition| addition.excluded));
        assert!(excluded.released.is_empty());
        assert!(
            excluded
                .text
                .clauses()
                .iter()
                .all(|clause| matches!(clause, Clause::Not(_)))
        );
        assert!(excluded.text.clauses().len() > 3);
    }

    #[test]
    fn other_words_do_not_decide_the_language_of_a_word() {
        let languages = |q: &str, of: &str| -> Vec<Language> {
            let added = translate(q).added;
            let of_word = added.iter().filter(|addition| addition.of == [of]);
            of_word.map(|addition| addition.language_of).collect()
        };
        // A place in English, a rental in French; the glossary translates the latter.
        let alone = languages("location", "location");
        assert!(alone.contains(&Language::French));
        for q in ["location de camion", "location of snow dump", "snow OR location -dump"] {
            assert_eq!(languages(q, "location"), alone, "{q}");
        }
        // The glossary has it in one language only, so it is not looked for in the other.
        assert_eq!(languages("déneigement roads", "roads"), [Language::English]);
    }

    #[test]
    fn a_query_without_known_words_is_unchanged() {
        for q in ["", "xyzzy", "de la", "\"Bank of Canada\" zzz", "EN578-123/A"] {
            let text = TextQuery::parse(q).unwrap();
            let translated = TRANSLATOR.translate(&text);
            assert_eq!(translated.text.clauses(), text.clauses(), "{q}");
            assert!(translated.added.is_empty() && translated.released.is_empty(), "{q}");
        }
    }

    #[test]
    fn a_cursor_survives_another_dictionary() {
        let text = TextQuery::parse("snow removal").unwrap();
        let other = Translator::new(std::iter::once((
            "Snow removal".to_owned(),
            "Ramassage blanc".to_owned(),
        )));
        let texts = [&*TRANSLATOR, &other].map(|translator| translator.translate(&text).text);
        let serialized = texts.each_ref().map(|text| serde_json::to_string(text).unwrap());
        assert_eq!(serialized[0], serialized[1]);
        assert_ne!(serialized[0], serde_json::to_string(&text).unwrap());
    }

    fn queries() -> impl Strategy<Value = String> {
        let words = [
            "snow",
            "removal",
            "removals",
            "of",
            "de",
            "la",
            "neige",
            "déneigement",
            "roof",
            "roofs",
            "toiture",
            "réfection",
            "repair",
            "location",
            "park",
            "\"snow removal\"",
            "\"road salt\"",
            "OR",
            "fire",
            "truck",
            "camion",
            "incendie",
            "x-ray",
            "l'eau",
            "services",
            "entretien",
            "widgets",
            "zzz",
        ];
        prop::collection::vec(proptest::sample::select(words.to_vec()), 0..9).prop_map(|words| words.join(" "))
    }

    fn texts() -> impl Strategy<Value = Vec<String>> {
        let words = [
            "snow removal",
            "snow",
            "removal",
            "of",
            "neige",
            "déneigement",
            "enlèvement de la neige",
            "roof",
            "roofs",
            "toiture",
            "réfection",
            "réfection de la toiture",
            "repair",
            "rental",
            "parc",
            "sel de voirie",
            "incendie",
            "fire truck",
            "camion d'incendie",
            "eau",
            "services",
            "services d'entretien",
            "gadgets",
            "zzz",
            "x ray",
        ];
        prop::collection::vec(proptest::sample::select(words.to_vec()), 0..6)
            .prop_map(|words| word_list(&words.join(" ")))
    }

    proptest! {
        #[test]
        fn a_translation_finds_what_the_query_finds(q in queries(), texts in prop::collection::vec(texts(), 1..9)) {
            let Translated { text, .. } = translate(&q);
            for words in texts {
                let found = matches(text.written(), &words);
                prop_assert!(!found || matches(text.clauses(), &words), "{} {:?}", q, words);
            }
        }

        #[test]
        fn an_exclusion_excludes_in_both_languages(
            q in queries(),
            (excluded, other) in proptest::sample::select(vec![("snow", "neige"), ("toiture", "roof"), ("park", "parc")]),
            texts in prop::collection::vec(texts(), 1..9),
        ) {
            let translated = translate(&format!("{q} -{excluded}"));
            for words in texts {
                let is_excluded = words.iter().any(|word| word == excluded || word == other);
                prop_assert!(!is_excluded || !matches(translated.text.clauses(), &words), "{} {:?}", q, words);
            }
        }

        #[test]
        fn a_translation_is_bounded_and_stable(q in "[a-z\"é' -]{0,80}", more in queries()) {
            let q = format!("{q} {more}");
            let Ok(text) = TextQuery::parse(&q) else { return Ok(()) };
            let translated = TRANSLATOR.translate(&text);
            prop_assert_eq!(&TRANSLATOR.translate(&translated.text), &translated);
            for is_excluded in [true, false] {
                let clauses = translated.text.clauses().iter().filter(|clause| is_exclusion(clause) == is_excluded);
                let words: usize = clauses.flat_map(Clause::terms).map(|term| term.words().len()).sum();
                prop_assert!(words <= MAX_TRANSLATED_WORDS, "{}", words);
            }
            for addition in translated.added {
                let shown = addition.translations.len() + addition.synonyms.len();
                prop_assert!(!addition.alternatives.is_empty() && shown > 0);
                prop_assert!(addition.alternatives.len() <= MAX_ALTERNATIVES);
                prop_assert!(shown <= addition.alternatives.len());
            }
        }
    }
}
