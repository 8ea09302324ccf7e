//! Keywords against the scan engine: a keyword matches what `q` matches, in titles and
//! descriptions.

use procure::{
    engine::{Deadline, Engine},
    model::{entity_type::EntityType, record::Record, schema::Schema, stem::Language},
    query::{
        Page, SearchQuery, Start,
        keyword::{Keyword, TokenizedRecord},
        text::TextQuery,
    },
};
use proptest::prelude::*;
use serde_json::json;

use crate::scan::ScanEngine;

const WORDS: [&str; 16] = [
    "road",
    "Roads",
    "déneigement",
    "deneigements",
    "l'eau",
    "eau",
    "EN578-123/A",
    "123",
    "R&D",
    "O'Brien",
    "brien",
    "snow",
    "removal",
    "removals",
    "routes",
    "routed",
];

fn text(most: usize) -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(&WORDS[..]), 1..=most).prop_map(|words| words.join(" "))
}

/// Whether `q` matches a record.
fn is_found(record: &str, q: &str) -> bool {
    let records = [(EntityType::Tender, record.to_owned())];
    let engine = ScanEngine::new(&records);
    let query = SearchQuery {
        text: Some(TextQuery::parse(q).unwrap()),
        ..SearchQuery::newest(EntityType::Tender, Vec::new())
    };
    let page = Page {
        limit: 1,
        start: Start::Offset(0),
    };
    !engine
        .search(&query, &page, Deadline::never())
        .unwrap()
        .records
        .is_empty()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn a_keyword_matches_what_q_matches(
        texts in proptest::collection::vec(proptest::option::of(text(6)), 4),
        word in proptest::sample::select(&WORDS[..]),
        more in text(3),
        is_quoted in any::<bool>(),
    ) {
        let names = ["title_en", "title_fr", "description_en", "description_fr"];
        let mut record = json!({"record_id": "1"});
        for (name, text) in names.into_iter().zip(&texts) {
            if let Some(text) = text {
                record[name] = json!(text);
            }
        }
        let searched = record.to_string();
        // Other fields must not match.
        record["buyer_name"] = json!(WORDS.join(" "));
        let record = record.to_string();
        let parsed = Record::parse(Schema::of(EntityType::Tender), record.as_bytes()).unwrap();
        let tokenized = TokenizedRecord::of(&parsed);
        let has = |keyword: &str| Keyword::parse(keyword).unwrap().matches(&tokenized, &Language::ALL);
        prop_assert_eq!(has(word), is_found(&searched, word), "{}", word);
        let phrase = format!("\"{more}\"");
        let keyword = if is_quoted || !more.contains(' ') { &phrase } else { &more };
        prop_assert_eq!(has(keyword), is_found(&searched, &phrase), "{}", keyword);
    }
}
