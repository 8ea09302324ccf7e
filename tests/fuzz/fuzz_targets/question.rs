//! The texts of a query: the `q` language, a cursor, a folded name, a date. Each is parsed within
//! its limits, or refused without a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use procure::{
    model::{
        date::Date,
        fold::{MAX_WORD_BYTES, fold, word_list},
    },
    query::{
        cursor::Cursor,
        text::{Clause, MAX_QUERY_CHARS, TextQuery},
    },
};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(query) = TextQuery::parse(text) {
        assert!(text.chars().count() <= MAX_QUERY_CHARS);
        assert!(query.clauses().iter().all(|clause| !matches!(clause, Clause::Any(terms) if terms.is_empty())));
    }
    if let Ok(cursor) = Cursor::decode(text) {
        assert_eq!(Cursor::decode(&cursor.encode()), Ok(cursor));
    }
    let folded = fold(text);
    assert_eq!(fold(&folded), folded);
    assert!(word_list(text).iter().all(|word| word.len() <= MAX_WORD_BYTES && !word.is_empty()));
    if let Ok(date) = Date::parse(text) {
        assert_eq!(date.to_string(), text);
    }
});
