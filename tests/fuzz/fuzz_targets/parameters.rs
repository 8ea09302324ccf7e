//! The query string of a record search: it is resolved to a search within the limits, or refused
//! without a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use procure::{api::params::{resolve::ResolveContext, search::SearchParams}, model::{entity_type::EntityType, schema::Schema}, query::{Start, cursor::Cursor}};

const PAGE_CAP: u64 = 100;

fuzz_target!(|bytes: &[u8]| {
    let Some((selector, query)) = bytes.split_first() else { return };
    let Ok(query) = std::str::from_utf8(query) else { return };
    let entity_type = EntityType::ALL[usize::from(*selector) % EntityType::ALL.len()];
    let Ok(params) = SearchParams::read(entity_type, query) else { return };
    let context = ResolveContext::without_index(Schema::of(entity_type), PAGE_CAP);
    let Ok(search) = params.resolve(&context) else { return };
    assert!((1..=PAGE_CAP as usize).contains(&search.page.limit));
    if let Start::After(position) = search.page.start {
        // A position read from a cursor survives encoding and decoding.
        let encoded = Cursor::new(&search.query, position.clone()).encode();
        let decoded = Cursor::decode(&encoded).map(|cursor| cursor.position_in(&search.query));
        assert_eq!(decoded, Ok(Ok(position)));
    }
});
