//! The words of a search as they were written, among which conditions are found.

use std::ops::Range;

use crate::model::fold::word_list;

/// A word as it was written, and folded.
pub(crate) type Word<'a> = (&'a str, String);

/// The maximum number of words in the name of a place.
pub(crate) const MAX_NAME_WORDS: usize = 8;

/// Whether a character is a mark of punctuation.
pub(crate) fn is_mark(c: char) -> bool {
    matches!(c, '?' | ',' | ';' | ':' | '!' | '.' | '(' | ')')
}

/// Words as they were written, without the marks around them.
pub(crate) fn without_marks(written: &[Word]) -> String {
    let words: Vec<&str> = written.iter().map(|(word, _)| word.trim_matches(is_mark)).collect();
    words.join(" ").trim_end_matches(" &").to_owned()
}

/// The words of a text that have letters or digits. A dollar sign belongs to the number before it, and `&` to the word.
pub(crate) fn words(text: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word> = Vec::new();
    for word in text.split_whitespace() {
        let folded = word_list(word).join(" ");
        if !folded.is_empty() {
            words.push((word, folded));
        } else if let Some((before, _)) = words.last_mut()
            && (word == "&" || word.trim_matches(is_mark) == "$" && before.ends_with(|c: char| c.is_ascii_digit()))
        {
            let place = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
            *before = &text[place(before)..place(word) + word.len()];
        }
    }
    words
}

/// Removes the first of the phrases that the words have, the longest one there.
pub(crate) fn remove_phrase(written: &mut Vec<Word>, phrases: &str) -> bool {
    remove_phrase_before(written, phrases, |_| true)
}

/// The same, of the phrases whose next word is accepted; `None` is the end of the text.
pub(crate) fn remove_phrase_before(
    written: &mut Vec<Word>,
    phrases: &str,
    accepts: impl Fn(Option<&Word>) -> bool,
) -> bool {
    remove_phrase_between(written, phrases, |_, after| accepts(after.first()))
}

/// The same, of the phrases that are accepted between the words before and after them.
pub(crate) fn remove_phrase_between(
    written: &mut Vec<Word>,
    phrases: &str,
    accepts: impl Fn(&[Word], &[Word]) -> bool,
) -> bool {
    let found = ranges(written).into_iter().filter(|(text, _)| is_in(phrases, text));
    let found = found.filter(|(_, range)| accepts(&written[..range.start], &written[range.end..]));
    let longest = found.max_by_key(|(_, range)| (range.len(), std::cmp::Reverse(range.start)));
    if let Some((_, range)) = &longest {
        written.drain(range.clone());
    }
    longest.is_some()
}

/// Up to [`MAX_NAME_WORDS`] words that follow each other, folded, and which they are.
pub(crate) fn ranges(written: &[Word]) -> Vec<(String, Range<usize>)> {
    let starts = 0..written.len();
    let of_start = |from: usize| {
        let last = written.len().min(from + MAX_NAME_WORDS);
        (from + 1..=last).map(move |to| (joined(&written[from..to]), from..to))
    };
    starts.flat_map(of_start).collect()
}

/// Words folded, as one text.
pub(crate) fn joined(written: &[Word]) -> String {
    let words: Vec<&str> = written.iter().map(|(_, folded)| folded.as_str()).collect();
    words.join(" ")
}

/// Whether a folded word, or several, are one of a list whose members `|` separates.
pub(crate) fn is_in(list: &str, word: &str) -> bool {
    list.split('|').any(|one| one == word)
}

/// A word without the article or preposition before an apostrophe: "asphalte" of "d'asphalte".
pub(crate) fn elided(word: &str) -> &str {
    let parts = word.split_once(['\'', '’']);
    let is_one = |before: &str| matches!(before.to_lowercase().as_str(), "d" | "l");
    parts
        .filter(|(before, after)| is_one(before) && !after.is_empty())
        .map_or(word, |(_, after)| after)
}

/// What joins words without being one of what is searched for: firms write "&" in its place.
const AND: &str = "and|et";

/// The words to search for: without those that only join the others. "Ernst & Young" is also "Ernst and Young".
pub(crate) fn search_words(words: &str) -> String {
    let joins = |word: &&str| is_in(AND, &word.to_lowercase());
    let kept: Vec<&str> = words.split_whitespace().filter(|word| !joins(word)).collect();
    kept.join(" ")
}
