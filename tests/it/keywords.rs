//! A keyword against the obvious engine: it finds what `q` finds, in titles and descriptions.

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

/// How many of one record `q` finds.
fn found(record: &str, q: &str) -> usize {
    let engine = ScanEngine::new(vec![(EntityType::Tender, record.to_owned())]);
    let query = SearchQuery {
        text: Some(TextQuery::parse(q).unwrap()),
        ..SearchQuery::newest(EntityType::Tender, Vec::new())
    };
    let page = Page {
        limit: 1,
        start: Start::Offset(0),
    };
    engine.search(&query, &page, Deadline::never()).unwrap().records.len()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn a_keyword_finds_what_q_finds(
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
        let in_subject = record.to_string();
        // What is found elsewhere is not of the subject.
        record["buyer_name"] = json!(WORDS.join(" "));
        let record = record.to_string();
        let parsed = Record::parse(Schema::of(EntityType::Tender), record.as_bytes()).unwrap();
        let subject = TokenizedRecord::of(&parsed);
        let has = |keyword: &str| Keyword::parse(keyword).unwrap().matches(&subject, &Language::ALL);
        prop_assert_eq!(has(word), found(&in_subject, word) == 1, "{}", word);
        let phrase = format!("\"{more}\"");
        let keyword = match is_quoted || !more.contains(' ') {
            true => &phrase,
            false => &more,
        };
        prop_assert_eq!(has(keyword), found(&in_subject, &phrase) == 1, "{}", keyword);
    }
}
