//! The buyer among the words of a search.

use crate::{
    catalog::{
        generation::Coverage,
        suppliers::{Supplier, SupplierList},
    },
    model::body_names,
    pages::search::{
        places::is_place,
        written_words::{Word, ranges, without_marks},
    },
};

/// An acronym of fewer letters is one only in capitals: "CSA", but not "fin".
const MIN_ACRONYM: usize = 4;

/// The words at the end of the names of federal bodies that people leave out.
const LEFT_OUT: &str = "Canada";

/// Removes the longest name or acronym of a body among the words, and returns the body. A single word is an acronym,
/// and the name of a place is the place.
pub(super) fn take_buyer(written: &mut Vec<Word>, bodies: &SupplierList, places: &[Coverage]) -> Option<Supplier> {
    let mut ranges = ranges(written);
    let capitals_tell = capitals_tell(written);
    ranges.sort_by_key(|(_, range)| std::cmp::Reverse(range.len()));
    let (body, range) = ranges.into_iter().find_map(|(folded, range)| {
        let words = &written[range.clone()];
        if !folded.contains(' ') && !is_acronym(&words[0], capitals_tell) {
            return None;
        }
        // Few words are a name, and comparing them with all places takes long.
        let body = body(bodies, &without_marks(words), &folded)?;
        (!is_place(words, places)).then_some((body, range))
    })?;
    written.drain(range);
    Some(body)
}

/// Whether a word in capitals is more than the way in which all of them are written.
fn capitals_tell(written: &[Word]) -> bool {
    let is_word = |(word, _): &&Word| word.chars().any(char::is_alphabetic);
    let has_small = |(word, _): &Word| word.chars().any(char::is_lowercase);
    written.iter().any(has_small) || written.iter().filter(is_word).count() == 1
}

fn is_acronym((written, folded): &Word, capitals_tell: bool) -> bool {
    let is_in_capitals = capitals_tell && written.chars().all(|c| !c.is_lowercase());
    (is_in_capitals || folded.len() >= MIN_ACRONYM) && body_names::is_acronym(folded)
}

/// The body with a name, with the rest of its name, or with another name of the same body.
fn body(bodies: &SupplierList, name: &str, folded: &str) -> Option<Supplier> {
    let whole = format!("{name} {LEFT_OUT}");
    let others = body_names::all_names([folded]).iter().map(String::as_str);
    let mut names = [name, whole.as_str()].into_iter().chain(others);
    names.find_map(|name| bodies.with_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::search::written_words::words;

    #[test]
    fn capitals_tell_an_acronym_only_among_other_words() {
        let is_one = |text: &str| {
            let written = words(text);
            let tell = capitals_tell(&written);
            written.iter().any(|word| is_acronym(word, tell))
        };
        for (text, expected) in [
            ("paving for LAC 2015", true),
            ("LAC 2015", true),
            ("PAVAGE LAC MEGANTIC 2015", false),
            ("pavage lac mégantic", false),
            ("rcmp cars", true),
        ] {
            assert_eq!(is_one(text), expected, "{text}");
        }
    }
}
