//! Rankings of buyers and suppliers on pages of suppliers, bodies, names and commodities: each row counts what its link
//! finds, and a body has the records of all its names and divisions.

use std::sync::LazyLock;

use procure::{http::encoding::encode, model::entity_type::EntityType};
use serde_json::json;

use super::html::{assert_shows, between, text};
use crate::support::TestServer;

/// Names of the department in English and French, of the buyer, the municipality and the vendor.
type Names = [&'static str; 5];

/// The names, the value and the number of equal records.
const BOUGHT: [(Names, f64, usize); 8] = [
    (["", "Ville de Gatineau", "", "gatineau", "Acme inc."], 4000.0, 1),
    (["", "Ville de Montréal", "", "montreal", "Acme inc."], 1000.0, 1),
    (["City of Montreal", "", "", "montreal", "Acme inc."], 1000.0, 1),
    (
        ["", "Service de l'eau", "Ville de Montréal", "montreal", "ACME Inc"],
        900.0,
        3,
    ),
    (
        ["", "Service des parcs", "Ville de Montréal", "montreal", "Acme inc."],
        800.0,
        1,
    ),
    (["", "", "City of Toronto", "toronto", "Acme inc."], 100.0, 2),
    (
        ["Toronto Water", "", "City of Toronto", "toronto", "Acme inc."],
        100.0,
        5,
    ),
    (
        ["Toronto Water", "", "City of Toronto", "toronto", "Beta ltée"],
        10.0,
        2,
    ),
];

fn records() -> Vec<(EntityType, String)> {
    let mut records = Vec::new();
    for ([english, french, buyer, municipality, vendor], value, count) in BOUGHT {
        for _ in 0..count {
            let mut record = json!({
                "record_id": format!("c{}", records.len()), "award_date": "2020-03-04", "vendor_name": vendor,
                "municipality": municipality, "government_level": "municipal", "contract_value": value,
                "unspsc": "72141003", "procurement_category": "CNST",
            });
            let names = [
                ("department_en", english),
                ("department_fr", french),
                ("buyer_name", buyer),
            ];
            for (field, name) in names.into_iter().filter(|(_, name)| !name.is_empty()) {
                record[field] = json!(name);
            }
            records.push((EntityType::Contract, record.to_string()));
        }
    }
    records
}

static SERVER: LazyLock<TestServer> = LazyLock::new(|| TestServer::own(&records(), |_| {}));

/// The identifier of the supplier (`suppliers`) or the body (`bodies`) with a name.
fn id(list: &str, name: &str) -> String {
    let found = SERVER.json(&format!("/{list}?name={}", encode(name)));
    found["results"][0]["id"].as_str().unwrap().to_owned()
}

/// A row of a ranking.
#[derive(Debug)]
struct Row {
    name: String,
    count: u64,
    /// The search for its records.
    search: Option<String>,
}

fn rows(html: &str) -> Vec<Row> {
    let tables = between(html, "<table class=\"ranked-bars\" id=\"ranked", "</table>");
    let rows = tables.into_iter().flat_map(|table| table.split("<tr>").skip(2));
    let row = |row: &str| {
        let name = between(between(row, "<th scope=\"row\"", "</th>")[0], "<a href=\"", "</a>")[0];
        let cell = between(row, "data-label=\"Number\">", "</td>")[0];
        let search = between(cell, "<a href=\"", "\"")
            .first()
            .map(|href| href.replace("&#38;", "&"));
        Row {
            name: name.split_once('>').unwrap().1.replace("&#39;", "'"),
            count: text(cell).parse().unwrap(),
            search,
        }
    };
    rows.map(row).collect()
}

/// How many records the API finds with the parameters of a page of results.
fn found(search: &str) -> u64 {
    let (kind, parameters) = search
        .strip_prefix("/en/search?kind=")
        .and_then(|rest| rest.split_once('&'))
        .unwrap();
    let answer = SERVER.json(&format!("/{kind}?{parameters}&include_total=true&limit=1"));
    answer["total"].as_u64().unwrap()
}

#[test]
fn each_row_counts_what_its_link_finds() {
    let toronto = encode("City of Toronto");
    let montreal = format!("department/{}", encode("Ville de Montréal"));
    let mut followed = 0;
    for page in [
        format!("supplier/{}", id("suppliers", "Acme inc.")),
        "vendor/Acme%20inc.".to_owned(),
        format!("body/{}", id("bodies", "City of Toronto")),
        format!("department/{toronto}"),
        "department/Toronto%20Water".to_owned(),
        "department/City%20of%20Montreal".to_owned(),
        montreal.clone(),
        "commodity/72141003".to_owned(),
    ] {
        for how in ["", "?rank=number", "?spellings=true", "?spellings=true&rank=number"] {
            let path = format!("/en/{page}{how}");
            let rows = rows(&SERVER.html(&path, 200));
            assert!(!rows.is_empty(), "{path}");
            for row in rows {
                // No search finds one of several names of a buyer with divisions.
                let is_found = row.search.as_deref().map(found);
                let expected = (page != montreal).then_some(row.count);
                assert_eq!(is_found, expected, "{path}: {row:?}");
                followed += 1;
            }
        }
    }
    assert!(followed > 60, "only {followed} links");
}

#[test]
fn the_buyers_of_a_supplier_are_bodies_with_their_divisions() {
    let page = format!("/en/supplier/{}", id("suppliers", "Acme inc."));
    let html = SERVER.html(&page, 200);
    assert_shows(
        &html,
        &[
            "14 contracts worth $10,200, 2020, with 3 buyers",
            // 5,500 of 10,200 dollars: under two names of the city and two of its services, each less than Gatineau's.
            "The largest buyer is Ville de Montréal, with 54% of the value",
            "Buyers are ranked over all their names. A record of a part of a buyer counts for both.",
        ],
    );
    let counted: Vec<(String, u64)> = rows(&html).into_iter().map(|row| (row.name, row.count)).collect();
    let expected = [
        ("Ville de Montréal (2 names)", 6),
        ("Ville de Gatineau", 1),
        ("Service de l'eau", 3),
        ("Service des parcs", 1),
        ("City of Toronto", 7),
        ("Toronto Water", 5),
    ];
    assert_eq!(counted, expected.map(|(name, count)| (name.to_owned(), count)));
    // Each spelling for itself, under the first name that a record states.
    let html = SERVER.html(&format!("{page}?spellings=true"), 200);
    assert_shows(
        &html,
        &[
            "Each name is ranked for itself.",
            "with 7 buyers",
            "The largest buyer is Ville de Gatineau, with 39% of the value",
        ],
    );
    let counts: Vec<u64> = rows(&html).into_iter().map(|row| row.count).collect();
    assert_eq!(counts.len(), 7);
    assert_eq!(counts.iter().sum::<u64>(), 14);
    let french = page.replace("/en/", "/fr/");
    assert_shows(
        &SERVER.html(&french, 200),
        &[
            "Le plus grand acheteur est Ville de Montréal, avec 54 % de la valeur",
            "Les acheteurs sont classés selon tous leurs noms.",
        ],
    );
}

#[test]
fn the_largest_supplier_of_a_buyer_is_counted_over_all_its_names() {
    let page = format!("/en/body/{}", id("bodies", "Ville de Montréal"));
    assert_shows(
        &SERVER.html(&page, 200),
        &[
            "with 1 supplier",
            "The largest supplier is Acme inc., with 100% of the value",
        ],
    );
}

#[test]
fn buyers_of_a_comparison_are_bodies() {
    let html = SERVER.html("/en/compare/supplier?of=Acme%20inc.&of=Beta%20lt%C3%A9e", 200);
    assert_shows(
        &html,
        &[
            "The largest buyer is Ville de Montréal, with 54% of the value",
            "Buyers 3 1",
        ],
    );
}
