//! The query language of `q`: a parser in one pass, without recursion. Every text is valid; only
//! its size is limited.
//!
//! - Words are combined with AND.
//! - `OR` between two terms joins them and binds tighter than AND: `a b OR c d` is a AND (b OR c)
//!   AND d.
//! - `"…"` (also “ ” « ») is a phrase; an unbalanced quote extends to the end.
//! - A leading `-` excludes a word or a phrase.
//! - A token that folds to several words (`EN578-123/A`) is a phrase; one that folds to none is
//!   ignored.

use std::fmt;

use serde::Serialize;

use crate::model::fold::word_list;

/// The maximum length of `q` in characters.
pub const MAX_QUERY_CHARS: usize = 512;

/// The maximum number of words in `q`; each word of a phrase counts.
pub(crate) const MAX_QUERY_WORDS: usize = 32;

/// A parsed `q`. Every clause must match; without clauses every record matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TextQuery {
    /// As written.
    clauses: Vec<Clause>,
    #[serde(rename = "translate", skip_serializing_if = "Option::is_none")]
    translation: Option<Translation>,
    #[serde(rename = "match_codes", skip_serializing_if = "Option::is_none")]
    codes: Option<Codes>,
    #[serde(skip_serializing_if = "WordsIn::is_anywhere")]
    words_in: WordsIn,
}

/// Where a record must have the required words of a text. What is excluded is excluded wherever it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WordsIn {
    #[default]
    Anywhere,
    /// Not only in the name of a buyer.
    PurchaseOrVendor,
    /// In what describes the purchase: not only in the name of a vendor or a buyer. Where neither title nor description
    /// has a word, the vendor's name describes it.
    Purchase,
    /// In what states the purchase: not only in a name, whatever else the record has.
    Stated,
}

impl WordsIn {
    fn is_anywhere(&self) -> bool {
        *self == WordsIn::Anywhere
    }
}

/// The clauses that take the place of those written. Serialized as a flag: what is added can change
/// with each generation, and a cursor must survive that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "bool")]
struct Translation(Vec<Clause>);

impl From<Translation> for bool {
    fn from(_: Translation) -> bool {
        true
    }
}

/// The keys of commodity codes. Serialized as a flag, for the same reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "bool")]
struct Codes(Vec<String>);

impl From<Codes> for bool {
    fn from(_: Codes) -> bool {
        true
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Clause {
    /// At least one of the terms matches.
    Any(Vec<Term>),
    /// The term does not match.
    Not(Term),
}

/// A folded word or phrase.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Term {
    /// A word, or any word with the same stem ([`words_match`](crate::model::stem::words_match)).
    Word(String),
    /// Adjacent words, as written: two or more, or one quoted word.
    Phrase(Vec<String>),
}

/// Why a `q` is refused. The caller names the parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextError {
    /// With the number of characters.
    TooLong(usize),
    /// With the number of words.
    TooManyTerms(usize),
}

impl TextQuery {
    pub fn parse(text: &str) -> Result<TextQuery, TextError> {
        let length = text.chars().count();
        if length > MAX_QUERY_CHARS {
            return Err(TextError::TooLong(length));
        }
        let tokens = tokens(text);
        let mut clauses: Vec<Clause> = Vec::new();
        let mut position = 0;
        while let Some(token) = tokens.get(position) {
            let joins = token.is_or
                && position > 0
                && matches!(clauses.last(), Some(Clause::Any(_)))
                && tokens.get(position - 1).is_some_and(QueryToken::is_operand)
                && tokens.get(position + 1).is_some_and(QueryToken::is_operand);
            if joins {
                let term = tokens[position + 1].term();
                if let (Some(Clause::Any(terms)), Some(term)) = (clauses.last_mut(), term) {
                    terms.push(term);
                }
                position += 2;
                continue;
            }
            if let Some(term) = token.term() {
                clauses.push(if token.excluded {
                    Clause::Not(term)
                } else {
                    Clause::Any(vec![term])
                });
            }
            position += 1;
        }
        let count: usize = clauses
            .iter()
            .flat_map(Clause::terms)
            .map(|term| term.words().len())
            .sum();
        if count > MAX_QUERY_WORDS {
            return Err(TextError::TooManyTerms(count));
        }
        Ok(TextQuery::of(clauses))
    }

    /// Matches all of the clauses.
    pub(crate) fn of(clauses: Vec<Clause>) -> TextQuery {
        TextQuery {
            clauses,
            translation: None,
            codes: None,
            words_in: WordsIn::Anywhere,
        }
    }

    /// Matches any of the terms.
    pub(crate) fn any(terms: Vec<Term>) -> TextQuery {
        TextQuery::of(vec![Clause::Any(terms)])
    }

    /// The clauses that must match: the translated ones, if there is a translation.
    pub fn clauses(&self) -> &[Clause] {
        self.translation
            .as_ref()
            .map_or(&self.clauses, |translation| &translation.0)
    }

    /// The clauses without translation.
    pub fn written(&self) -> &[Clause] {
        &self.clauses
    }

    /// This text with other clauses in place of the written ones.
    pub(crate) fn translated(&self, clauses: Vec<Clause>) -> TextQuery {
        TextQuery {
            clauses: self.clauses.clone(),
            translation: Some(Translation(clauses)),
            codes: self.codes.clone(),
            words_in: self.words_in,
        }
    }

    /// The keys of the commodity codes whose records, and those of the codes below, match as if they had every word
    /// that is required. `None` if only words count.
    pub fn codes(&self) -> Option<&[String]> {
        self.codes.as_ref().map(|codes| codes.0.as_slice())
    }

    /// This text, which the records of some commodity codes match, too.
    pub fn or_codes(self, codes: Vec<String>) -> TextQuery {
        TextQuery {
            codes: Some(Codes(codes)),
            ..self
        }
    }

    pub fn words_in(&self) -> WordsIn {
        self.words_in
    }

    /// This text, whose required words must be there.
    pub fn within(self, words_in: WordsIn) -> TextQuery {
        TextQuery { words_in, ..self }
    }

    /// This text without the records that only their codes find.
    pub(crate) fn words_only(&self) -> TextQuery {
        TextQuery {
            codes: None,
            ..self.clone()
        }
    }
}

impl Clause {
    /// The terms that may match, or the one that must not.
    pub fn terms(&self) -> &[Term] {
        match self {
            Clause::Any(terms) => terms,
            Clause::Not(term) => std::slice::from_ref(term),
        }
    }
}

impl Term {
    /// Folded.
    pub fn words(&self) -> &[String] {
        match self {
            Term::Word(word) => std::slice::from_ref(word),
            Term::Phrase(words) => words,
        }
    }
}

struct QueryToken {
    words: Vec<String>,
    excluded: bool,
    quoted: bool,
    is_or: bool,
}

impl QueryToken {
    /// Whether the token can be an operand of `OR`.
    fn is_operand(&self) -> bool {
        !self.excluded && !self.words.is_empty()
    }

    fn term(&self) -> Option<Term> {
        match self.words.as_slice() {
            [] => None,
            [word] if !self.quoted => Some(Term::Word(word.clone())),
            words => Some(Term::Phrase(words.to_vec())),
        }
    }
}

/// Splits the text at whitespace; quoted parts stay whole.
fn tokens(text: &str) -> Vec<QueryToken> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let body = rest.trim_start_matches('-');
        let excluded = body.len() < rest.len();
        let (run, quoted, after) = match body.strip_prefix(OPENING_QUOTES) {
            Some(quote) => match quote.find(CLOSING_QUOTES) {
                Some(end) => (
                    &quote[..end],
                    true,
                    quote[end..].trim_start_matches(|c| CLOSING_QUOTES.contains(&c)),
                ),
                None => (quote, true, ""),
            },
            None => {
                let end = body.find(char::is_whitespace).unwrap_or(body.len());
                (&body[..end], false, &body[end..])
            }
        };
        let is_or = !excluded && !quoted && run == "OR";
        tokens.push(QueryToken {
            words: word_list(run),
            excluded,
            quoted,
            is_or,
        });
        rest = after.trim_start();
    }
    // An ignored token (`***`, a lone `-`) must not separate `OR` from its operand.
    tokens.retain(|token| !token.words.is_empty());
    tokens
}

const OPENING_QUOTES: [char; 4] = ['"', '“', '”', '«'];
const CLOSING_QUOTES: [char; 4] = ['"', '“', '”', '»'];

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextError::TooLong(length) => write!(f, "has {length} characters; the maximum is {MAX_QUERY_CHARS}"),
            TextError::TooManyTerms(count) => write!(f, "has {count} words; the maximum is {MAX_QUERY_WORDS}"),
        }
    }
}

impl std::error::Error for TextError {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The clauses as text: `+` and, `|` or, `-` not, `[…]` a phrase.
    fn shown(text: &str) -> String {
        let term = |term: &Term| match term {
            Term::Word(word) => word.clone(),
            Term::Phrase(words) => format!("[{}]", words.join(" ")),
        };
        let clauses = TextQuery::parse(text).unwrap();
        let clauses: Vec<String> = clauses
            .clauses()
            .iter()
            .map(|clause| match clause {
                Clause::Any(terms) => format!("+{}", terms.iter().map(term).collect::<Vec<_>>().join("|")),
                Clause::Not(excluded) => format!("-{}", term(excluded)),
            })
            .collect();
        clauses.join(" ")
    }

    #[test]
    fn texts_parse_to_clauses() {
        for (text, expected) in [
            ("snow removal", "+snow +removal"),
            ("snow OR neige", "+snow|neige"),
            ("a b OR c d", "+a +b|c +d"),
            ("a OR b OR c", "+a|b|c"),
            ("a OR \"b c\" OR d-e", "+a|[b c]|[d e]"),
            ("\"snow removal\"", "+[snow removal]"),
            ("“déneigement des” «rues»", "+[deneigement des] +[rues]"),
            ("-snow", "-snow"),
            ("road -\"snow removal\" --ice", "+road -[snow removal] -ice"),
            ("l'eau", "+eau"),
            ("EN578-123/A", "+[en578 123 a]"),
            ("R&D", "+r&d"),
            ("O'Brien", "+[o brien]"),
            ("", ""),
            ("*** - \"\"", ""),
            ("OR", "+or"),
            ("OR a", "+or +a"),
            ("a OR", "+a +or"),
            ("a or b", "+a +or +b"),
            ("a OR OR b", "+a|or +b"),
            ("a OR -b", "+a +or -b"),
            ("-a OR b", "-a +or +b"),
            ("a OR *** b", "+a|b"),
            ("\"a b", "+[a b]"),
            ("a\"b c\"", "+[a b] +c"),
            ("vendor:x [1 TO 5] (a)", "+[vendor x] +1 +to +5 +a"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn oversized_texts_are_refused() {
        assert_eq!(TextQuery::parse(&"é".repeat(513)), Err(TextError::TooLong(513)));
        assert!(TextQuery::parse(&"é".repeat(512)).is_ok());
        assert_eq!(TextQuery::parse(&"a ".repeat(33)), Err(TextError::TooManyTerms(33)));
        assert_eq!(TextQuery::parse(&"a-".repeat(33)), Err(TextError::TooManyTerms(33)));
        assert!(TextQuery::parse(&"a ".repeat(32)).is_ok());
        assert!(TextQuery::parse(&"(".repeat(512)).is_ok());
    }

    proptest! {
        #[test]
        fn parsing_never_panics(text in "[ab\"“”«»OR'\\- \\PC]{0,200}") {
            let _ = TextQuery::parse(&text);
        }
    }
}
