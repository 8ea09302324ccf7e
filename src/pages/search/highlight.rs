//! Which parts of a shown text match the words of `q`.
//!
//! The rule is that of the search: a word matches all words with the same stem, a phrase matches as written. Texts are
//! split into pieces; the template escapes each piece and marks those that match.

use std::ops::Range;

use crate::{
    model::{Language, fold::word_list, stem::stem},
    query::text::{Clause, Term, TextQuery},
};

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) text: String,
    pub(crate) is_match: bool,
}

/// The words and phrases of `q` that a text is compared with. Excluded terms are not among them.
#[derive(Debug, Default)]
pub(crate) struct Highlighter {
    words: Vec<QueriedWord>,
    phrases: Vec<Vec<String>>,
}

#[derive(Debug)]
struct QueriedWord {
    word: String,
    /// One for each [`Language`]; `None` for a code.
    stems: [Option<String>; 2],
}

/// A folded word of a shown text, and the bytes that it was folded from.
struct ShownWord {
    word: String,
    range: Range<usize>,
}

/// The maximum number of bytes of a text that [`Highlighter::excerpt`] reads: the page must not take longer for long
/// descriptions.
const MAX_READ_BYTES: usize = 4_000;

/// How many bytes of an excerpt are before its first match.
const BEFORE_MATCH: usize = 80;

/// The maximum length of a word that may be an elided article, in bytes: `puisqu`.
const MAX_ELIDED_BYTES: usize = 8;

impl Highlighter {
    pub(crate) fn of(text: Option<&TextQuery>) -> Highlighter {
        let mut highlighter = Highlighter::default();
        for clause in text.into_iter().flat_map(TextQuery::clauses) {
            let Clause::Any(terms) = clause else { continue };
            for term in terms {
                match term {
                    Term::Word(word) => highlighter.words.push(QueriedWord::new(word)),
                    Term::Phrase(words) => highlighter.phrases.push(words.clone()),
                }
            }
        }
        highlighter
    }

    /// The whole text as pieces.
    pub(crate) fn pieces(&self, text: &str) -> Vec<Piece> {
        cut(text, &self.matches(text))
    }

    /// The part of a long text around its first match, of about `max_bytes`; `None` without a match. An ellipsis stands
    /// for what is left out.
    pub(crate) fn excerpt(&self, text: &str, max_bytes: usize) -> Option<Vec<Piece>> {
        let text = &text[..text.floor_char_boundary(MAX_READ_BYTES)];
        let matches = self.matches(text);
        let first = matches.first()?;
        let from = text.floor_char_boundary(first.start.saturating_sub(BEFORE_MATCH));
        // A word is not cut, unless it is as long as the part before the match.
        let from = match text[from..first.start].find(char::is_whitespace) {
            Some(space) if from > 0 => from + space,
            _ => from,
        };
        let to = text.floor_char_boundary(from.saturating_add(max_bytes)).max(first.end);
        let to = match text[first.end..to].rfind(char::is_whitespace) {
            Some(space) if to < text.len() => first.end + space,
            _ => to,
        };
        let inside = matches.iter().filter(|found| from <= found.start && found.end <= to);
        let inside: Vec<Range<usize>> = inside.map(|found| found.start - from..found.end - from).collect();
        let mut pieces = cut(&text[from..to], &inside);
        let ellipsis = || Piece {
            text: "…".to_owned(),
            is_match: false,
        };
        if from > 0 {
            pieces.insert(0, ellipsis());
        }
        if to < text.len() {
            pieces.push(ellipsis());
        }
        Some(pieces)
    }

    /// The parts that match, in order and without overlap.
    fn matches(&self, text: &str) -> Vec<Range<usize>> {
        if self.words.is_empty() && self.phrases.is_empty() {
            return Vec::new();
        }
        let shown = shown_words(text);
        let mut found: Vec<Range<usize>> = Vec::new();
        for (number, word) in shown.iter().enumerate() {
            if self.words.iter().any(|queried| queried.matches(&word.word)) {
                found.push(word.range.clone());
            }
            let following = &shown[number..];
            for phrase in &self.phrases {
                let words = following.iter().take(phrase.len());
                if following.len() >= phrase.len() && words.zip(phrase).all(|(word, queried)| word.word == *queried) {
                    found.push(word.range.start..following[phrase.len() - 1].range.end);
                }
            }
        }
        merged(found)
    }
}

impl QueriedWord {
    fn new(word: &str) -> QueriedWord {
        QueriedWord {
            stems: Language::ALL.map(|language| stem(language, word)),
            word: word.to_owned(),
        }
    }

    /// The rule of [`words_match`](crate::model::stem::words_match). Stems are compared only of words with the same
    /// first letter, which stemming keeps, because stemming every word of a page would take milliseconds.
    fn matches(&self, shown: &str) -> bool {
        if self.word == shown {
            return true;
        }
        let may_match = self.word.chars().next() == shown.chars().next();
        may_match
            && Language::ALL.into_iter().zip(&self.stems).any(|(language, queried)| {
                let shown = || stem(language, shown);
                queried
                    .as_ref()
                    .is_some_and(|queried| shown().as_ref() == Some(queried))
            })
    }
}

/// The folded words of a text. An elided article (`l'`) does not count, as in the index.
fn shown_words(text: &str) -> Vec<ShownWord> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (is_part_of_word(c), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                start = None;
                if is_elided(text, from..at) {
                    continue;
                }
                let range = from..at;
                let folded = word_list(&text[from..at]).into_iter();
                words.extend(folded.map(|word| ShownWord {
                    word,
                    range: range.clone(),
                }));
            }
            _ => {}
        }
    }
    words
}

/// Whether folding keeps a character, or drops it without splitting the word (a combining mark).
fn is_part_of_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '&';
    }
    let mut joined = String::from("a");
    joined.push(c);
    joined.push('a');
    matches!(word_list(&joined).as_slice(), [word] if word.starts_with('a') && word.ends_with('a'))
}

/// Whether folding drops the word because it is an article in front of an apostrophe.
fn is_elided(text: &str, word: Range<usize>) -> bool {
    if word.len() > MAX_ELIDED_BYTES {
        return false;
    }
    let following = text[word.end..].char_indices().nth(2);
    let end = following.map_or(text.len(), |(at, _)| word.end + at);
    let alone = word_list(&text[word.clone()]);
    alone.len() == 1 && word_list(&text[word.start..end]).first() != alone.first()
}

fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

fn cut(text: &str, matches: &[Range<usize>]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut push = |part: &str, is_match: bool| {
        if !part.is_empty() {
            pieces.push(Piece {
                text: part.to_owned(),
                is_match,
            });
        }
    };
    let mut done = 0;
    for found in matches {
        push(&text[done..found.start], false);
        push(&text[found.clone()], true);
        done = found.end;
    }
    push(&text[done..], false);
    pieces
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn highlighter(q: &str) -> Highlighter {
        Highlighter::of(Some(&TextQuery::parse(q).unwrap()))
    }

    /// The text with brackets around what matches.
    fn shown(pieces: &[Piece]) -> String {
        let shown = |piece: &Piece| {
            if piece.is_match {
                format!("[{}]", piece.text)
            } else {
                piece.text.clone()
            }
        };
        pieces.iter().map(shown).collect()
    }

    #[test]
    fn whole_words_and_their_variants_are_marked() {
        for (q, text, expected) in [
            ("déneigement", "DENEIGEMENT des cours", "[DENEIGEMENT] des cours"),
            ("road", "Roads, roadside and ROAD", "[Roads], roadside and [ROAD]"),
            ("snow OR neige", "La neige / Snow", "La [neige] / [Snow]"),
            ("snow -ice", "snow and ice", "[snow] and ice"),
            ("\"road salt\"", "road, salt; salt road", "[road, salt]; salt road"),
            ("\"roads\"", "road roads", "road [roads]"),
            ("EN578-123/A", "No EN578-123/A.", "No [EN578-123/A]."),
            ("eau", "Qualité de l'eau", "Qualité de l'[eau]"),
            ("\"de l'eau\"", "Qualité de l’eau", "Qualité [de l’eau]"),
            ("ete", "L’e\u{301}te\u{301}", "L’[e\u{301}te\u{301}]"),
            ("oeuvre", "Œuvre d'art", "[Œuvre] d'art"),
            ("b", "<b>a</b>", "<[b]>a</[b]>"),
            ("", "anything", "anything"),
        ] {
            assert_eq!(shown(&highlighter(q).pieces(text)), expected, "{q}");
        }
    }

    #[test]
    fn an_excerpt_is_about_the_first_match() {
        let long = format!("{}the snow is removed {}", "before ".repeat(40), "after ".repeat(60));
        let excerpt = shown(&highlighter("snow").excerpt(&long, 120).unwrap());
        assert!(
            excerpt.starts_with("… before") && excerpt.ends_with("after…") && excerpt.contains("[snow] is"),
            "{excerpt}"
        );
        assert!(excerpt.len() < 140, "{excerpt}");
        assert_eq!(highlighter("ice").excerpt(&long, 120), None);
        assert_eq!(shown(&highlighter("a").excerpt("a b", 120).unwrap()), "[a] b");
    }

    proptest! {
        #[test]
        fn pieces_join_to_the_text(q in "\\PC{0,20}", text in "\\PC{0,60}") {
            if let Ok(q) = TextQuery::parse(&q) {
                let highlighter = Highlighter::of(Some(&q));
                let joined: String = highlighter.pieces(&text).into_iter().map(|piece| piece.text).collect();
                prop_assert_eq!(joined, text.clone());
                let _ = highlighter.excerpt(&text, 10);
            }
        }

        #[test]
        fn a_word_of_a_text_is_found_in_it(text in "[a-zéè'’&, ]{1,30}") {
            for word in word_list(&text) {
                let pieces = highlighter(&format!("\"{word}\"")).pieces(&text);
                prop_assert!(pieces.iter().any(|piece| piece.is_match), "{word} in {text}");
            }
        }
    }
}
