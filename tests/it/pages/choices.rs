//! Several choices in a facet, and the shortcuts of a search: each link finds as many records as it states.

use std::sync::LazyLock;

use procure::model::entity_type::EntityType;
use serde_json::json;

use super::html::{assert_shows, between, text};
use crate::support::TestServer;

/// Category, place, value and level of each contract.
const CONTRACTS: [(&str, &str, f64, &str); 6] = [
    ("CNST", "laval", 5_000.0, "municipal"),
    ("CNST", "montreal", 50_000.0, "municipal"),
    ("GD", "montreal", 500_000.0, "municipal"),
    ("SRV", "toronto", 5_000_000.0, "municipal"),
    ("SRV", "federal", 50_000_000.0, "federal"),
    ("SRV", "federal", 9_999.99, "federal"),
];

static SERVER: LazyLock<TestServer> = LazyLock::new(|| {
    let contract = |(number, (category, place, value, level)): (usize, (&str, &str, f64, &str))| {
        let record = json!({
            "record_id": format!("c{number}"), "award_date": "2021-02-03", "vendor_name": format!("Vendor {number}"),
            "municipality": place, "title_en": "Work", "contract_value": value, "procurement_category": category,
            "government_level": level,
        });
        (EntityType::Contract, record.to_string())
    };
    let records: Vec<_> = CONTRACTS.into_iter().enumerate().map(contract).collect();
    TestServer::own(&records, |_| {})
});

fn unescaped(text: &str) -> String {
    text.replace("&#38;", "&")
}

/// Label, count and address of each value of a facet.
fn facet(html: &str, name: &str) -> Vec<(String, u64, String)> {
    let group = between(
        html,
        &format!("<section class=\"search-facet\" aria-labelledby=\"facet-{name}\">"),
        "</section>",
    );
    let value = |value: &str| {
        let (link, count) = value.split_once("<span class=\"search-count\">").unwrap();
        let href = unescaped(between(link, "href=\"", "\"")[0]);
        (
            text(&format!("<x{link}")),
            text(&format!("<x>{count}")).parse().unwrap(),
            href,
        )
    };
    let values = group.iter().flat_map(|group| between(group, "<li", "</li>"));
    values.map(value).collect()
}

fn found(path: &str) -> u64 {
    let html = SERVER.html(path, 200);
    let sentence = between(&html, "<p class=\"lead\" role=\"status\">", "</p>")[0];
    sentence.split(' ').next().unwrap().parse().unwrap()
}

#[test]
fn a_facet_takes_several_values_and_each_link_finds_what_it_states() {
    for path in [
        "/en/search?kind=contract",
        "/en/search?kind=contract&category=CNST",
        "/en/search?kind=contract&category=cnst,GD&city=montreal",
        "/en/search?kind=contract&level=federal&municipality=federal,laval",
    ] {
        let html = SERVER.html(path, 200);
        for name in ["category", "municipality", "level"] {
            for (label, count, href) in facet(&html, name) {
                if !label.contains("selected") {
                    assert_eq!(found(&href), count, "{path}: {label} {href}");
                }
            }
        }
    }
    let html = SERVER.html("/en/search?kind=contract&category=CNST", 200);
    let labels: Vec<String> = facet(&html, "category").into_iter().map(|(label, ..)| label).collect();
    assert!(
        labels[0].contains("Construction") && labels[0].contains("selected"),
        "{labels:?}"
    );
    assert!(labels[1].contains("or Services"), "{labels:?}");
    // Removing one keeps the other.
    let html = SERVER.html("/en/search?kind=contract&category=CNST,GD", 200);
    assert_shows(&html, &["Construction or Goods", "3 contracts"]);
    let selected = facet(&html, "category")
        .into_iter()
        .filter(|(label, ..)| label.contains("selected"));
    let hrefs: Vec<String> = selected.map(|(_, _, href)| href).collect();
    assert_eq!(
        hrefs,
        [
            "/en/search?kind=contract&category=GD",
            "/en/search?kind=contract&category=CNST"
        ]
    );
    // The form keeps both.
    assert!(html.contains("<option value=\"CNST,GD\" selected>"), "{html}");
}

#[test]
fn several_values_are_one_filter_of_the_api() {
    let ids = |query: &str| SERVER.get(&format!("/contract?{query}")).ids();
    assert_eq!(ids("category=GD,%20cnst,GD").len(), 3);
    assert_eq!(ids("city=laval,toronto&level=municipal,federal").len(), 2);
    assert_eq!(ids("category=SRV,"), ids("category=SRV"));
    let first = SERVER.json("/contract?category=SRV,CNST&limit=1");
    let cursor = first["next_cursor"].as_str().unwrap();
    assert_eq!(
        ids(&format!("category=CNST,SRV&cursor={cursor}")).len(),
        4,
        "the order does not matter"
    );
    SERVER.refuses(
        "/contract?category=GD,x",
        422,
        "parameter 'category': 'x' is not one of CNST, GD, SRV, SRVTGD",
    );
    assert_eq!(SERVER.get("/contract?municipality=laval,nowhere").status, 422);
    let many = (0..21).map(|number| format!("p{number}")).collect::<Vec<_>>().join(",");
    SERVER.refuses(
        &format!("/contract?municipality={many}"),
        422,
        "parameter 'municipality': more than 20 values were given; give at most 20",
    );
    // A repeated parameter is refused as before.
    assert_eq!(SERVER.get("/contract?category=GD&category=SRV").status, 422);
}

#[test]
fn steps_of_values_hold_every_record_with_a_value_once() {
    let html = SERVER.html("/fr/search?kind=contract", 200);
    let steps = between(&html, "aria-label=\"Valeur\">", "</nav>")[0];
    let hrefs: Vec<String> = between(steps, "href=\"", "\"").into_iter().map(unescaped).collect();
    let counts: Vec<u64> = hrefs.iter().map(|href| found(href)).collect();
    assert_eq!(counts, [2, 1, 1, 1, 1]);
    assert!(html.contains("rank=number"));
    assert_shows(
        &SERVER.html("/en/search?kind=contract&rank=number", 200),
        &["Ranked by number.", "Rank by value", "Suppliers with the most records"],
    );
}

#[test]
fn a_share_among_the_words_is_stated_of_all_records() {
    for (lang, words, shown) in [
        (
            "en",
            "what+share+of+contracts+in+Montreal+is+over+%24100%2C000",
            "Montreal Share: 1 of 2, 50%",
        ),
        (
            "fr",
            "part+des+contrats+de+plus+de+100+000+%24+%C3%A0+Montr%C3%A9al",
            "Montréal Part : 1 sur 2, 50 %",
        ),
    ] {
        let html = SERVER.html(&format!("/{lang}/search?q={words}"), 200);
        assert_shows(&html, &[shown]);
    }
    let html = SERVER.html("/en/search?q=contracts+in+Montreal+over+%24100%2C000", 200);
    assert!(!text(&html).contains("Share:"), "{html}");
}
