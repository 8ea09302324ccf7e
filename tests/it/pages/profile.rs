//! The pages of a vendor and of a department: figures, ranks, competition, and names that do not exist.

use std::sync::LazyLock;

use procure::model::entity_type::EntityType;
use serde_json::{Value, json};

use super::{
    browser::{Browser, Page},
    html::{assert_shows, text},
};
use crate::support::{TestServer, contracts};

fn get(server: &TestServer, path: &str) -> Page {
    Browser::new(server).with("x-gateway-key", &server.key).get(path)
}

/// Whether the page has all texts, each after the one before.
fn assert_in_order(html: &str, parts: &[&str]) {
    let text = text(html);
    let mut rest = text.as_str();
    for part in parts {
        let Some(at) = rest.find(part) else {
            panic!("the page lacks {part} after the ones before: {text}");
        };
        rest = &rest[at + part.len()..];
    }
}

fn contract(
    id: usize,
    day: &str,
    vendor: &str,
    buyer: (&str, &str),
    value: Option<f64>,
    method: Option<&str>,
) -> (EntityType, String) {
    let record = json!({
        "record_id": format!("c{id}"), "award_date": day, "vendor_name": vendor, "municipality": "laval",
        "title_en": format!("Work {id}"), "department_en": buyer.0, "department_fr": buyer.1, "contract_value": value,
        "procurement_category": if id.is_multiple_of(2) { "CNST" } else { "SRV" }, "procurement_method_en": method,
        "fetched_at": "2024-06-01T00:00:00Z"
    });
    (EntityType::Contract, record.to_string())
}

const ROADS: (&str, &str) = ("Roads", "Voirie");
const PARKS: (&str, &str) = ("Parks", "Parcs");

fn records() -> Vec<(EntityType, String)> {
    let disclosure = |id: &str, vendor: &str, value: f64| {
        let record: Value = json!({
            "record_id": id, "award_date": "2021-05-06", "vendor_name": vendor, "municipality": "federal",
            "department_en": "Health Canada", "contract_value": value, "fetched_at": "2024-06-01T00:00:00Z"
        });
        (EntityType::Disclosure, record.to_string())
    };
    vec![
        contract(
            1,
            "2020-01-01",
            "Acme Paving",
            ROADS,
            Some(100_000.0),
            Some("Open bidding"),
        ),
        contract(
            2,
            "2022-01-01",
            "Acme Paving",
            ROADS,
            Some(200_000.0),
            Some("Non-competitive"),
        ),
        contract(
            3,
            "2022-06-01",
            "Acme Paving",
            PARKS,
            Some(900_000.0),
            Some("Advance contract award notice"),
        ),
        contract(4, "2023-01-01", "ACME PAVING", ROADS, None, None),
        contract(
            5,
            "2023-01-01",
            "Béton & Fils",
            ROADS,
            Some(2_000_000.0),
            Some("Contrat de gré à gré"),
        ),
        contract(6, "2024-01-01", "Petit", PARKS, Some(5_000.0), None),
        disclosure("d1", "Acme Paving", 50_000.0),
        disclosure("d2", "Ontario Labs", 70_000.0),
    ]
}

/// The server of these records. It is never stopped.
fn server() -> &'static TestServer {
    static SERVER: LazyLock<TestServer> = LazyLock::new(|| TestServer::own(&records(), |_| {}));
    &SERVER
}

#[test]
fn a_vendor_is_shown_in_a_sentence_charts_and_tables() {
    let server = server();
    let html = server.html("/en/vendor/acme%20paving", 200);
    assert_in_order(
        &html,
        &[
            "Acme Paving",
            "Contracts (4)",
            "Disclosed federal contracts (1)",
            "4 contracts worth $1.2 million, 2020–2023, with 2 buyers.",
            "The largest buyer is Parks, with 75% of the value; 83% of the value is of the kind “Services”; as far as the \
             method is published, 17% of the value was awarded without competition.",
            "3 of the 4 state a value.",
            "Contracts by year",
            "Buyers with the largest total value",
            // By value, although the other one has more contracts.
            "Parks",
            "Roads",
            "How they were awarded",
            "17% of the value was awarded without competition",
            "it is for 75% of the records",
            "Without competition Non-competitive 1 $200,000.00 17%",
            "Advance notice to award to one supplier Advance contract award notice 1 $900,000.00 75%",
            "With competition Open bidding 1 $100,000.00",
            "Not published 1 $0.00",
            "By kind of purchase",
            "The newest records",
            "January 1, 2023 Work 4",
            "not published",
        ],
    );
    for address in [
        "href=\"/en/body/body_",
        "href=\"/en/record/contract/c4\"",
        "href=\"/en/search?kind=contract&#38;vendor_is=Acme%20Paving\"",
        "href=\"/en/vendor/acme%20paving?kind=disclosure\"",
        "/vendor/acme%20paving&#39;</code>",
    ] {
        assert!(html.contains(address), "no {address}: {html}");
    }
}

#[test]
fn french_pages_have_french_names_and_figures() {
    let server = server();
    let html = server.html("/fr/department/Roads", 200);
    assert_in_order(
        &html,
        &[
            "Voirie",
            "4 contrats d’une valeur de 2,3 M$, 2020–2023, avec 2 fournisseurs.",
            "Le plus grand fournisseur est Béton & Fils, avec 87 % de la valeur",
            "Fournisseurs dont la valeur totale est la plus élevée",
            "Béton & Fils",
            "Acme Paving",
            "96 % de la valeur a été attribuée sans concurrence",
        ],
    );
    let html = server.html("/fr/vendor/Acme%20Paving", 200);
    assert_in_order(&html, &["Acheteurs dont la valeur totale", "Parcs", "Voirie"]);
}

#[test]
fn a_name_without_contracts_is_shown_by_its_other_records() {
    let server = server();
    let html = server.html("/en/vendor/Ontario%20Labs", 200);
    assert_shows(
        &html,
        &[
            "1 disclosed federal contract worth $70,000, 2021, with 1 buyer.",
            "The publishers do not state how these were awarded.",
        ],
    );
    let html = server.html("/en/vendor/Acme%20Paving?kind=disclosure", 200);
    assert_shows(&html, &["1 disclosed federal contract worth $50,000"]);
    let html = server.html("/en/vendor/Acme%20Paving?kind=award", 200);
    assert_shows(&html, &["There are no records of this type under this name."]);
    server.html("/en/vendor/Acme%20Paving?kind=nothing", 422);
}

#[test]
fn a_share_without_competition_needs_the_methods_of_half_of_the_records() {
    let few = |number: usize, method: Option<&str>| contract(number, "2024-01-01", "A", ROADS, Some(10.0), method);
    let mut records: Vec<(EntityType, String)> = (1..=3).map(|number| few(number, None)).collect();
    records.extend([few(4, Some("Non-competitive")), few(5, Some("Open bidding"))]);
    let server = TestServer::own(&records, |_| {});
    let english = server.html("/en/vendor/A", 200);
    assert_shows(
        &english,
        &["The method is published for 40% of the records.", "only from 50% on"],
    );
    assert!(!text(&english).contains("was awarded without competition"), "{english}");
    assert_shows(
        &server.html("/fr/vendor/A", 200),
        &["Le mode est publié pour 40 % des fiches."],
    );
}

#[test]
fn years_that_a_source_does_not_cover_are_shaded() {
    let server = TestServer::own(&contracts(1), |_| {});
    let folder = server.folder.path().join("sources");
    let write = |source: &str, place: &str, days: &[&str]| {
        // A single record of a year is no coverage.
        let twice = days.iter().chain(days);
        let lines = twice.enumerate().map(|(number, day)| {
            let record = json!({"record_id": format!("{source}{number}"), "municipality": place, "award_date": day, "vendor_name": "A",
                "contract_value": 5.0, "fetched_at": "2024-06-01T00:00:00Z"});
            record.to_string() + "\n"
        });
        std::fs::create_dir_all(folder.join("contract")).unwrap();
        std::fs::write(
            folder.join(format!("contract/{source}.ndjson")),
            lines.collect::<String>(),
        )
        .unwrap();
    };
    write("seao-xml", "laval", &["2019-01-01", "2020-01-01", "2022-01-01"]);
    write("toronto", "toronto", &["2020-01-01", "2022-02-02"]);
    write("alberta", "alberta-provincial", &["2021-01-01"]);
    crate::stores::index(&folder, &server.index_dir(), 64, true);
    server.wait_until("the new generation", || {
        server.get("/sources").json()["count"] == json!(3)
    });
    // Contracts of Laval come from one source, which has none of 2021, although another source has.
    let html = server.html("/en/search?municipality=laval", 200);
    assert!(html.contains("<title>2021: no source covers it</title>"), "{html}");
    // Those of all three sources: what each of them lacks is named.
    let html = server.html("/en/vendor/A", 200);
    for part in [
        "not covered by Alberta, City of Toronto",
        "Lightly shaded years: not covered by",
        "class=\"gap-part\"",
    ] {
        assert!(html.contains(part), "{part} is not in {html}");
    }
}

#[test]
fn an_unknown_name_leads_to_similar_ones() {
    let server = server();
    let html = server.html("/en/vendor/Acme%20Pavin", 404);
    assert_shows(
        &html,
        &["No supplier has this name", "Acme Pavin", "Names that are similar"],
    );
    assert!(html.contains("href=\"/en/vendor/Acme%20Paving\""), "{html}");
    let html = server.html("/fr/department/Voiri", 404);
    assert_shows(&html, &["Aucun acheteur n’a ce nom"]);
}

#[test]
fn a_page_that_the_browser_has_is_not_sent_again() {
    let server = server();
    let first = get(server, "/en/vendor/Petit");
    let tag = first.header("etag").unwrap().to_owned();
    let again = |path: &str| {
        let browser = Browser::new(server).with("x-gateway-key", &server.key);
        browser.with("if-none-match", &tag).get(path).status
    };
    assert_eq!(again("/en/vendor/Petit"), 304);
    assert_eq!(again("/fr/vendor/Petit"), 200);
    assert_eq!(again("/en/vendor/Petit?kind=contract"), 200);
    let missing = get(server, "/en/vendor/nobody");
    assert_eq!((missing.status, missing.header("etag")), (404, None));
}

#[test]
fn a_few_contracts_do_not_hide_more_disclosures() {
    let record = |of: EntityType, id: &str| {
        let (vendor, buyer) = match of {
            EntityType::Award => ("Petit", "Parks"),
            _ => ("Ontario Labs", "Health Canada"),
        };
        let record = json!({
            "record_id": id, "award_date": "2021-05-06", "vendor_name": vendor, "municipality": "federal",
            "department_en": buyer, "contract_value": 1000, "unspsc": "85121800", "title_en": "Tests",
        });
        (of, record.to_string())
    };
    let disclosures = ["d1", "d2", "d3"].map(|id| record(EntityType::Disclosure, id));
    let awards = ["a1", "a2"].map(|id| record(EntityType::Award, id));
    let contract = [record(EntityType::Contract, "c1")];
    let records: Vec<_> = contract.into_iter().chain(disclosures).chain(awards).collect();
    let server = TestServer::own(&records, |_| {});
    let body = server.json("/suggest?q=Health+Canada")["results"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    for page in [
        format!("body/{body}"),
        "department/Health%20Canada".to_owned(),
        "vendor/Ontario%20Labs".to_owned(),
        "commodity/851218".to_owned(),
    ] {
        let html = server.html(&format!("/en/{page}"), 200);
        let shown = if page.starts_with("commodity") {
            "2 award notices worth $2,000"
        } else {
            "3 disclosed federal contracts worth $3,000"
        };
        assert_shows(&html, &["Contracts (1)", shown]);
        let html = server.html(&format!("/en/{page}?kind=contract"), 200);
        assert_shows(&html, &["1 contract worth $1,000"]);
    }
    // The same records as JSON and as a file.
    let html = server.html("/en/department/Health%20Canada", 200);
    assert!(html.contains("/disclosure?department=Health%20Canada"), "{html}");
    let html = server.html("/en/commodity/851218", 200);
    assert!(html.contains("entity_type=award"), "{html}");
    assert_eq!(server.html("/en/vendor.csv/Ontario%20Labs", 200).lines().count(), 1 + 3);
    // What the words mean leads there too, unless the address states another entity type.
    let disclosed = "3 disclosed federal contracts; 4 records of all types";
    let contracts = "1 contract; 4 records of all types";
    for (query, expected) in [
        ("", disclosed),
        ("&kind=contract", contracts),
        ("&kind=tender", disclosed),
    ] {
        assert_shows(
            &server.html(&format!("/en/search?q=Health+Canada{query}"), 200),
            &[expected],
        );
        let suggested = server.json(&format!("/en/suggest?q=Health+Canada{query}"));
        assert_eq!(suggested["results"][0]["count"], expected, "{query}");
    }
    let french = server.json("/fr/suggest?q=Health+Canada&kind=contract");
    assert_eq!(
        french["results"][0]["count"],
        "1 contrat\u{a0}; 4 fiches de tous les types"
    );
}

#[test]
fn a_largest_supplier_by_doubtful_amounts_is_stated_as_such() {
    let doubtful = |(of, record): (EntityType, String)| {
        let mut record: Value = serde_json::from_str(&record).unwrap();
        record["quality_flags"] = json!(["implausible_value"]);
        (of, record.to_string())
    };
    let record =
        |id: usize, vendor: &str, buyer, value: f64| contract(id, "2021-01-01", vendor, buyer, Some(value), None);
    let records = [
        doubtful(record(1, "Acme Paving", ROADS, 900.0)),
        record(2, "Acme Paving", ROADS, 100.0),
        record(3, "Petit", ROADS, 500.0),
        doubtful(record(4, "Petit", PARKS, 500.0)),
        record(5, "Petit", PARKS, 600.0),
    ];
    let server = TestServer::own(&records, |_| {});
    for (path, expected) in [
        (
            "/en/department/Roads",
            "The largest supplier is Acme Paving, with 67% of the value, 90% of it in records with a doubt;",
        ),
        (
            "/fr/department/Voirie",
            "Le plus grand fournisseur est Acme Paving, avec 67 % de la valeur, dont 90 % dans des fiches",
        ),
        (
            "/en/vendor/Acme%20Paving",
            "The largest buyer is Roads, with 100% of the value, 90% of it in records with a doubt;",
        ),
        // Less than half of it.
        (
            "/en/department/Parks",
            "The largest supplier is Petit, with 100% of the value;",
        ),
    ] {
        assert_shows(&server.html(path, 200), &[expected]);
    }
}
