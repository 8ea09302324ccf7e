//! A query string, as any client may write it: read, resolved, and answered with a search or a sentence.
#![no_main]

use libfuzzer_sys::fuzz_target;
use procure::{http::params::{resolve::World, search::SearchParams}, model::{entity_type::EntityType, schema::Schema}, query::{Start, cursor::Cursor}};

const PAGE_CAP: u64 = 100;

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, query)) = bytes.split_first() else { return };
    let Ok(query) = std::str::from_utf8(query) else { return };
    let entity_type = EntityType::ALL[usize::from(*kind) % EntityType::ALL.len()];
    let Ok(said) = SearchParams::read(entity_type, query) else { return };
    let world = World { schema: Schema::of(entity_type), page_cap: PAGE_CAP, coverage: &[] };
    let Ok(search) = said.resolve(&world) else { return };
    assert!((1..=PAGE_CAP as usize).contains(&search.page.limit));
    if let Start::After(position) = search.page.start {
        // What came out of a cursor goes back into one.
        let again = Cursor::new(&search.query, position.clone()).encode();
        let again = Cursor::decode(&again).map(|cursor| cursor.position_in(&search.query));
        assert_eq!(again, Ok(Ok(position)));
    }
});
