//! The filters and facets `competition` and `level`, against a list written by hand.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use procure::model::entity_type::EntityType;
use serde_json::{Value, json};

use crate::support::TestServer;

/// Entity type, level, code, English and French label of the method, and who could bid.
type Row = (
    EntityType,
    Option<&'static str>,
    [Option<&'static str>; 3],
    &'static str,
);

const ROWS: [Row; 13] = [
    (
        EntityType::Contract,
        Some("municipal"),
        [Some("open"), Some("Public call for tenders"), None],
        "open",
    ),
    (
        EntityType::Contract,
        Some("municipal"),
        [Some("limited"), Some("Call for tenders by invitation"), None],
        "invitation",
    ),
    (
        EntityType::Contract,
        Some("provincial"),
        [Some("limited"), None, None],
        "none",
    ),
    (
        EntityType::Contract,
        Some("provincial"),
        [None, None, Some("Contrat de gré à gré")],
        "none",
    ),
    (
        EntityType::Contract,
        Some("federal"),
        [None, Some("Advance contract award notice"), None],
        "unknown",
    ),
    (
        EntityType::Contract,
        Some("federal"),
        [Some("TC"), Some("Traditional Competitive"), None],
        "invitation",
    ),
    (
        EntityType::Contract,
        Some("municipal"),
        [Some("RFT"), None, None],
        "open",
    ),
    (EntityType::Contract, None, [None, None, None], "unknown"),
    (
        EntityType::Contract,
        None,
        [None, Some("Transport infrastructure contract"), None],
        "unknown",
    ),
    (
        EntityType::Tender,
        Some("municipal"),
        [None, None, Some("Appel d’offres public")],
        "open",
    ),
    (EntityType::Tender, None, [Some("RFI"), None, None], "unknown"),
    (
        EntityType::Disclosure,
        Some("federal"),
        [None, Some("Non-Competitive"), None],
        "none",
    ),
    (
        EntityType::Award,
        Some("federal"),
        [None, Some("Competitive - Selective tendering"), None],
        "invitation",
    ),
];

fn id(number: usize) -> String {
    format!("r{number:02}")
}

fn server() -> &'static TestServer {
    static SERVER: LazyLock<TestServer> = LazyLock::new(|| {
        let record = |(number, (entity_type, level, [code, english, french], _)): (usize, &Row)| {
            let record = json!({"record_id": id(number), "award_date": "2024-02-01", "publication_date": "2024-02-01",
                "municipality": "laval", "government_level": level, "procurement_method": code,
                "procurement_method_en": english, "procurement_method_fr": french});
            (*entity_type, record.to_string())
        };
        let records: Vec<_> = ROWS.iter().enumerate().map(record).collect();
        TestServer::own(&records, |_| {})
    });
    &SERVER
}

/// The records that match by hand.
fn expected(of: EntityType, is_match: impl Fn(&Row) -> bool) -> BTreeSet<String> {
    let rows = ROWS.iter().enumerate();
    rows.filter(|(_, row)| row.0 == of && is_match(row))
        .map(|(number, _)| id(number))
        .collect()
}

#[test]
fn competition_and_level_filter_and_count() {
    for of in [
        EntityType::Contract,
        EntityType::Tender,
        EntityType::Disclosure,
        EntityType::Award,
    ] {
        for (name, values) in [
            ("competition", &["open", "invitation", "none", "unknown"][..]),
            ("level", &["federal", "provincial", "municipal"]),
        ] {
            let mut counts: BTreeMap<String, u64> = BTreeMap::new();
            for value in values {
                let wanted = expected(of, |row| match name {
                    "level" => row.1 == Some(*value),
                    _ => row.3 == *value,
                });
                let found: BTreeSet<String> = server()
                    .get(&format!("/{of}?{name}={value}"))
                    .ids()
                    .into_iter()
                    .collect();
                assert_eq!(found, wanted, "{of} {name}={value}");
                if !wanted.is_empty() {
                    counts.insert((*value).to_owned(), wanted.len() as u64);
                }
            }
            let facet = server().get(&format!("/{of}?facets={name}")).json()["facets"][name].clone();
            let counted: BTreeMap<String, u64> = facet["values"].as_array().unwrap().iter().map(count).collect();
            assert_eq!(counted, counts, "{of} {name}");
        }
    }
    let both = server()
        .get("/contract?competition=open&level=municipal&include_total=true")
        .json();
    assert_eq!(both["total"], 2);
    let refused = server().get("/contract?competition=some");
    assert_eq!(
        (refused.status, refused.detail().as_str()),
        (
            422,
            "parameter 'competition': 'some' is not one of open, invitation, none, unknown"
        )
    );
    let refused = server().get("/standing_offer?competition=none");
    assert_eq!(
        refused.status,
        422,
        "standing offers state no method: {}",
        refused.detail()
    );
}

fn count(value: &Value) -> (String, u64) {
    (
        value["value"].as_str().unwrap().to_owned(),
        value["count"].as_u64().unwrap(),
    )
}

#[test]
fn pages_show_them_as_facets_and_conditions() {
    for (path, parts) in [
        (
            "/en/search?kind=contract",
            &[
                "without competition</bdi></a> <span class=\"search-count\">2",
                "Level of government",
                "/en/search?kind=contract&#38;competition=none",
            ][..],
        ),
        (
            "/fr/search?kind=contract&competition=none",
            &[
                "Concurrence",
                "sans concurrence",
                "Palier de gouvernement",
                "provincial",
            ],
        ),
    ] {
        let page = server().get(path);
        let html = page.text();
        for part in parts {
            assert!(html.contains(part), "{part} is not in {path}: {html}");
        }
    }
}
