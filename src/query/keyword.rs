//! Keywords: matched against titles and descriptions, by the feed and by alerts.
//!
//! A keyword is parsed by the language of `q` ([`crate::query::text`]) and matches what `q`
//! matches, in titles and descriptions only. A [`TokenizedRecord`] is prepared once, so that many
//! keywords can be tested against it. Keyword and record share [`Token`]s, so that keywords can be
//! indexed by them.

use std::{borrow::Cow, collections::HashSet, fmt};

use crate::{
    model::{Language, Record, Role, similarity_terms, stem::stem},
    query::{
        text::{Clause, Term, TextError, TextQuery},
        translate::Translator,
    },
};

/// A word or a phrase, other terms for it if it is translated, and the commodity codes that its words
/// mean if these are looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keyword {
    /// As written.
    text: String,
    term: IndexedTerm,
    translations: Vec<IndexedTerm>,
    /// Keys of commodity codes.
    codes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct IndexedTerm {
    term: Term,
    /// For a word: itself and its stems. For a phrase: its longest word, which every match
    /// contains.
    tokens: Vec<Token>,
}

/// A key for looking up keywords.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Token {
    /// A folded word, as written.
    Word(String),
    /// The stem of a word in a language.
    Stem(Language, String),
}

/// Why a text is not a keyword. The caller names the parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeywordError {
    Empty,
    Text(TextError),
    /// `OR`, which would join two keywords.
    Alternatives,
    /// A leading `-`.
    Excluded,
}

impl Keyword {
    /// Decision D-71: several words are a phrase, with or without quotes. Operators of `q` are
    /// refused, because a keyword that silently means something else would be worse.
    pub fn parse(text: &str) -> Result<Keyword, KeywordError> {
        let query = TextQuery::parse(text).map_err(KeywordError::Text)?;
        let mut terms = Vec::new();
        for clause in query.clauses() {
            match clause {
                Clause::Any(alternatives) => match alternatives.as_slice() {
                    [term] => terms.push(term),
                    _ => return Err(KeywordError::Alternatives),
                },
                Clause::Not(_) => return Err(KeywordError::Excluded),
            }
        }
        match terms.as_slice() {
            [] => Err(KeywordError::Empty),
            [term] => Ok(Keyword::new(text, (*term).clone())),
            _ => {
                let phrase = terms.into_iter().flat_map(Term::words).cloned().collect();
                Ok(Keyword::new(text, Term::Phrase(phrase)))
            }
        }
    }

    /// As written, without surrounding whitespace.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The term of `q`. It matches every record with the keyword, and also those that have it in
    /// other fields. Keywords with the same matches have equal terms.
    pub(crate) fn term(&self) -> &Term {
        &self.term.term
    }

    /// The term and its translations.
    pub(crate) fn terms(&self) -> impl Iterator<Item = &Term> {
        self.indexed_terms().map(|indexed| &indexed.term)
    }

    /// This keyword, which also matches other terms for it. Only the whole keyword
    /// is translated: its words are one phrase.
    #[must_use]
    pub fn translated(&self, translator: &Translator) -> Keyword {
        let translated = translator.translate(&TextQuery::any(vec![self.term().clone()]));
        let additions = translated.added.into_iter().flat_map(|addition| addition.alternatives);
        Keyword {
            translations: additions.map(IndexedTerm::new).collect(),
            ..self.clone()
        }
    }

    /// This keyword with up to this many of the commodity codes that its words mean, those with most records. The codes
    /// are those that `q` with `match_codes` has for the same text: unlike in a title, the words need not be a phrase.
    #[must_use]
    pub(crate) fn with_codes(self, translator: &Translator, translates: bool, max: usize) -> Keyword {
        // The text was parsed before.
        let Ok(words) = TextQuery::parse(&self.text) else {
            return self;
        };
        let words = if translates {
            translator.translate(&words).text
        } else {
            words
        };
        let mut codes = translator.codes_of(&words);
        codes.truncate(max);
        Keyword { codes, ..self }
    }

    /// The keys of the commodity codes whose records match, and those of the codes below.
    pub(crate) fn codes(&self) -> &[String] {
        &self.codes
    }

    /// Whether one of a record's commodity keys is one of the codes, or below one.
    pub(crate) fn means_one_of(&self, keys: &[Cow<str>]) -> bool {
        let is_meant = |key: &Cow<str>| self.codes.iter().any(|code| key.starts_with(code.as_str()));
        keys.iter().any(is_meant)
    }

    /// Whether a field in one of the languages matches: a word by itself or by its stem in any of
    /// these languages, a phrase as written.
    ///
    /// With both languages the result is that of `q`, so that an English word in a
    /// French title matches too. With one language, fields and stems of the other are ignored.
    pub fn matches(&self, record: &TokenizedRecord, languages: &[Language]) -> bool {
        let mut texts = record.texts.iter().filter(|text| languages.contains(&text.language));
        texts.any(|text| {
            self.indexed_terms().any(|indexed| {
                let mut tokens = indexed.tokens.iter().filter(|token| token.is_of(languages));
                tokens.any(|token| text.tokens.contains(token))
                    && match &indexed.term {
                        Term::Word(_) => true,
                        Term::Phrase(words) => text.words.windows(words.len()).any(|run| run == words),
                    }
            })
        })
    }

    /// The tokens for a lookup: a record without any of these ([`TokenizedRecord::tokens`]) does
    /// not match.
    pub fn tokens(&self, languages: &[Language]) -> impl Iterator<Item = &Token> {
        let tokens = self.indexed_terms().flat_map(|indexed| &indexed.tokens);
        tokens.filter(|token| token.is_of(languages))
    }

    /// Whether every record with one of the tokens matches.
    pub(crate) fn is_word(&self) -> bool {
        self.terms().all(|term| matches!(term, Term::Word(_)))
    }

    fn new(text: &str, term: Term) -> Keyword {
        Keyword {
            text: text.trim().to_owned(),
            term: IndexedTerm::new(term),
            translations: Vec::new(),
            codes: Vec::new(),
        }
    }

    fn indexed_terms(&self) -> impl Iterator<Item = &IndexedTerm> {
        std::iter::once(&self.term).chain(&self.translations)
    }
}

impl IndexedTerm {
    fn new(term: Term) -> IndexedTerm {
        let tokens = match &term {
            Term::Word(word) => tokens_of(word).collect(),
            Term::Phrase(words) => {
                let longest = words.iter().max_by_key(|word| word.len());
                longest.map(|word| Token::Word(word.clone())).into_iter().collect()
            }
        };
        IndexedTerm { term, tokens }
    }
}

impl Token {
    fn is_of(&self, languages: &[Language]) -> bool {
        match self {
            Token::Word(_) => true,
            Token::Stem(language, _) => languages.contains(language),
        }
    }
}

/// The titles and descriptions of a record, split into words and tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenizedRecord {
    texts: Vec<TokenizedText>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct TokenizedText {
    language: Language,
    /// In the order of the text.
    words: Vec<String>,
    /// Every word and every stem.
    tokens: HashSet<Token>,
}

impl TokenizedRecord {
    pub fn of(record: &Record) -> TokenizedRecord {
        let texts = record.named_texts(Role::Subject).flat_map(|(field, text)| {
            let languages = similarity_terms::languages(field).iter();
            languages.map(move |language| TokenizedText::new(*language, text))
        });
        TokenizedRecord { texts: texts.collect() }
    }

    /// Whether a title or a description is in one of the languages.
    pub(crate) fn is_in(&self, languages: &[Language]) -> bool {
        self.texts.iter().any(|text| languages.contains(&text.language))
    }

    /// Every token that a keyword in these languages can match; tokens may repeat.
    pub(crate) fn tokens(&self, languages: &[Language]) -> impl Iterator<Item = &Token> {
        let texts = self.texts.iter().filter(|text| languages.contains(&text.language));
        texts
            .flat_map(|text| &text.tokens)
            .filter(|token| token.is_of(languages))
    }
}

impl TokenizedText {
    fn new(language: Language, text: &str) -> TokenizedText {
        let words = crate::model::fold::word_list(text);
        let distinct: HashSet<&String> = words.iter().collect();
        let tokens = distinct.into_iter().flat_map(|word| tokens_of(word)).collect();
        TokenizedText {
            language,
            words,
            tokens,
        }
    }
}

fn tokens_of(word: &str) -> impl Iterator<Item = Token> {
    let stems = Language::ALL
        .into_iter()
        .filter_map(move |language| Some(Token::Stem(language, stem(language, word)?)));
    std::iter::once(Token::Word(word.to_owned())).chain(stems)
}

impl fmt::Display for KeywordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeywordError::Empty => f.write_str("has no letter or digit to search for; give at least one"),
            KeywordError::Text(error) => error.fmt(f),
            KeywordError::Alternatives => f.write_str("joins two keywords by OR; pass them as two keywords"),
            KeywordError::Excluded => f.write_str("excludes a word, which a keyword cannot do; remove the '-'"),
        }
    }
}

impl std::error::Error for KeywordError {}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::{EntityType, Schema};

    const BOTH: &[Language] = &Language::ALL;
    const ENGLISH: &[Language] = &[Language::English];
    const FRENCH: &[Language] = &[Language::French];

    fn tokenized(fields: serde_json::Value) -> TokenizedRecord {
        let mut record = json!({"record_id": "1", "buyer_name": "Roads Board"});
        let members = record.as_object_mut().unwrap();
        members.extend(fields.as_object().unwrap().clone());
        let record = record.to_string();
        TokenizedRecord::of(&Record::parse(Schema::of(EntityType::Tender), record.as_bytes()).unwrap())
    }

    #[test]
    fn a_keyword_is_a_word_or_a_phrase() {
        let phrase = |words: &[&str]| Term::Phrase(words.iter().map(|word| word.to_string()).collect());
        for (text, term) in [
            (" Roads ", Term::Word("roads".into())),
            ("l'eau", Term::Word("eau".into())),
            ("\"roads\"", phrase(&["roads"])),
            ("EN578-123/A", phrase(&["en578", "123", "a"])),
            ("snow removal", phrase(&["snow", "removal"])),
            ("“snow removal” services", phrase(&["snow", "removal", "services"])),
            ("snow - removal", phrase(&["snow", "removal"])),
        ] {
            assert_eq!(*Keyword::parse(text).unwrap().term(), term, "{text}");
        }
        for (text, error) in [
            ("", KeywordError::Empty),
            (" *-& ", KeywordError::Empty),
            ("snow OR neige", KeywordError::Alternatives),
            ("-snow", KeywordError::Excluded),
            ("road -ice", KeywordError::Excluded),
            (&"é".repeat(513), KeywordError::Text(TextError::TooLong(513))),
            (&"a ".repeat(33), KeywordError::Text(TextError::TooManyTerms(33))),
        ] {
            assert_eq!(Keyword::parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn a_language_selects_fields_and_stems() {
        let record = tokenized(json!({
            "title_en": "Road repairs and snow-removal services",
            "description_fr": "Réparation de chemins, déneigement des rues",
        }));
        for (text, languages, expected) in [
            ("roads", BOTH, true),
            ("roads", ENGLISH, true),
            ("roads", FRENCH, false),
            ("chemin", FRENCH, true),
            ("chemin", ENGLISH, false),
            ("DENEIGEMENTS", BOTH, true),
            ("snow removal", BOTH, true),
            ("snow removals", BOTH, false),
            ("\"roads\"", BOTH, false),
            ("services réparation", BOTH, false),
            ("board", BOTH, false),
            ("road", &[], false),
        ] {
            let keyword = Keyword::parse(text).unwrap();
            assert_eq!(keyword.matches(&record, languages), expected, "{text} in {languages:?}");
        }
    }

    #[test]
    fn a_translated_keyword_matches_the_other_language_too() {
        let translator = Translator::new(std::iter::empty());
        let record = tokenized(json!({"title_en": "Road repairs", "description_fr": "Déneigement des rues"}));
        for (text, languages, expected) in [
            ("snow removal", BOTH, true),
            ("snow removal", FRENCH, true),
            // The French text is not looked at.
            ("snow removal", ENGLISH, false),
            ("réparation routière", BOTH, false),
            ("réparation de chaussée", BOTH, true),
            ("rental", BOTH, false),
        ] {
            let keyword = Keyword::parse(text).unwrap();
            assert!(!keyword.matches(&record, languages), "{text} untranslated");
            let translated = keyword.translated(&translator);
            assert_eq!(
                translated.matches(&record, languages),
                expected,
                "{text} in {languages:?}"
            );
            assert_eq!(translated.text(), keyword.text());
            let has_token = |token| record.tokens(languages).any(|other| other == token);
            assert!(!expected || translated.tokens(languages).any(has_token), "{text}");
        }
    }

    #[test]
    fn a_matching_record_has_a_token_of_the_keyword() {
        let record = tokenized(json!({"title_en": "Snow removal, EN578-123/A", "title_fr": "Déneigement"}));
        for text in ["snows", "removal en578", "EN578-123/A", "déneigements", "\"snow\""] {
            let keyword = Keyword::parse(text).unwrap();
            assert!(keyword.matches(&record, BOTH));
            assert!(
                keyword
                    .tokens(BOTH)
                    .any(|token| record.tokens(BOTH).any(|other| other == token)),
                "{text}"
            );
        }
    }
}
