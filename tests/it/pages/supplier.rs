//! The page of a supplier: its names with their reasons, what they add up to, and the ways to it.

use std::sync::LazyLock;

use procure::{
    http::encoding::encode,
    model::{entity_type::EntityType, fold::fold},
};
use serde_json::{Value, json};

use super::{
    browser::{Browser, Page},
    html::{assert_shows, between},
};
use crate::support::TestServer;

/// Names with number, postal code and how many contracts each has.
const NAMES: [(&str, &str, &str, usize); 10] = [
    ("Sintra inc.", "FO-1145755295", "H1A1A1", 5),
    ("Lamothe <b>& fils, div. de Sintra", "FO-1145755295", "J2B1A1", 3),
    ("Bell Nord inc.", "FO-1143863539", "H1A1A3", 3),
    ("Bell Nord", "FO-1172462849", "H1A1A3", 2),
    ("Jean Tremblay", "", "H1A1A4", 2),
    ("AEG Fuel", "", "J4B5E1", 2),
    ("AEG Fuels", "", "J4B5E2", 1),
    ("AEG", "", "J4B5E3", 1),
    ("Consortium Roche / Sintra", "", "J4B5E4", 1),
    ("Hydro-Québec", "", "J4B5E5", 1),
];

fn records() -> Vec<(EntityType, String)> {
    let mut records = Vec::new();
    for (name, number, code, count) in NAMES {
        for entity_type in [EntityType::Contract, EntityType::Award] {
            for _ in 0..count {
                let id = records.len();
                let mut record = json!({
                    "record_id": format!("r{id}"), "vendor_name": name, "vendor_postal_code": code,
                    "department_fr": "Ville de Laval", "municipality": "laval", "contract_value": 1000 + id,
                    "award_date": format!("{}-03-04", 2015 + id % 5),
                });
                if name == "Hydro-Québec" {
                    record["department_en"] = json!("Indigenous Services Canada");
                    record["department_fr"] = json!("Services aux Autochtones Canada");
                }
                if entity_type == EntityType::Contract && !number.is_empty() {
                    record["vendor_id"] = json!(number);
                }
                records.push((entity_type, record.to_string()));
            }
        }
    }
    records
}

static SERVER: LazyLock<TestServer> = LazyLock::new(|| TestServer::own(&records(), |_| {}));

fn get(path: &str) -> Page {
    Browser::new(&SERVER).with("x-gateway-key", &SERVER.key).get(path)
}

/// The API's answer for the supplier with a name.
fn supplier(name: &str) -> Value {
    let found = SERVER.get(&format!("/suppliers?name={}", encode(name))).json();
    let id = found["results"][0]["id"].as_str().unwrap().to_owned();
    SERVER.get(&format!("/supplier/{id}")).json()
}

fn id(name: &str) -> String {
    supplier(name)["id"].as_str().unwrap().to_owned()
}

#[test]
fn all_names_are_listed_with_the_reason_and_every_sum_says_how_many_it_joins() {
    let id = id("Sintra inc.");
    let page = SERVER.html(&format!("/en/supplier/{id}"), 200);
    assert_shows(
        &page,
        &[
            "The sums on this page join 2 names. Records of all types together: 16",
            "8 contracts worth",
            "under 2 names.",
            "The name that all are shown under.",
            "It is published with Quebec enterprise number (NEQ) 1145755295, as “Sintra inc.” is.",
            "Ville de Laval",
            "Do you disagree?",
        ],
    );
    assert!(!page.contains("<b>& fils"), "names are text");
    for part in [
        format!("/en/search?kind=contract&#38;supplier={id}"),
        "/en/vendor/Sintra%20inc.".to_owned(),
        format!("/en/supplier.csv/{id}?kind=contract"),
    ] {
        assert!(page.contains(&part), "the page lacks {part}");
    }
    let awards = SERVER.html(&format!("/fr/supplier/{id}?kind=award"), 200);
    assert_shows(
        &awards,
        &[
            "sous 2 noms",
            "Le nom sous lequel tous sont présentés.",
            "comme « Sintra inc. »",
        ],
    );
    assert_shows(
        &SERVER.html(&format!("/en/supplier/{id}?kind=disclosure"), 200),
        &["There are no records of this type"],
    );
}

#[test]
fn the_file_of_a_supplier_has_the_records_of_all_its_names() {
    let id = id("Sintra inc.");
    let file = SERVER.html(&format!("/en/supplier.csv/{id}?kind=contract"), 200);
    assert_eq!(file.lines().count(), 1 + 8);
    assert!(file.contains("Lamothe") && file.contains("Sintra inc."));
    assert_eq!(get("/en/supplier.csv/sup_0?kind=contract").status, 404);
}

#[test]
fn names_lead_to_their_supplier_if_it_has_others() {
    let href = format!("/en/supplier/{}", id("Sintra inc."));
    let link = "All 2 names together";
    for path in ["/en/vendor/sintra%20INC", "/en/record/contract/r0"] {
        let page = SERVER.html(path, 200);
        assert_shows(&page, &[link]);
        assert!(page.contains(&format!("href=\"{href}\"")), "{path}");
    }
    assert!(!SERVER.html("/en/vendor/Jean%20Tremblay", 200).contains("/en/supplier/"));
    let department = SERVER.html("/en/department/Ville%20de%20Laval", 200);
    assert!(
        department.contains(&format!("href=\"{href}\"")),
        "suppliers are ranked over their names: {department}"
    );
}

#[test]
fn what_may_be_the_same_is_listed_and_compared_but_not_summed() {
    let (own, other) = (id("Bell Nord inc."), id("Bell Nord"));
    let page = SERVER.html(&format!("/en/supplier/{own}"), 200);
    assert_shows(
        &page,
        &[
            "One name is known to belong to it.",
            "3 contracts worth",
            "under 1 name.",
            "Perhaps the same",
            "“Bell Nord inc.”: It differs from “Bell Nord” in its form only, and both are at H1A1A3. No rule joins \
             them: they have different official numbers.",
        ],
    );
    let compare = format!("/en/compare/supplier?of={own}&#38;of={other}");
    assert!(page.contains(&format!("href=\"{compare}\"")));
}

#[test]
fn names_that_begin_alike_are_listed_and_compared_but_not_summed() {
    let (own, others) = (id("AEG Fuels"), ["AEG Fuel", "AEG"].map(id));
    let page = SERVER.html(&format!("/en/supplier/{own}"), 200);
    assert_shows(
        &page,
        &[
            "One name is known to belong to it. Records of all types together: 2",
            "Similar names, not joined",
        ],
    );
    let (_, listed) = page.split_once("id=\"alike\"").unwrap();
    let links = between(listed, "<th scope=\"row\"><a href=\"", "\"");
    assert_eq!(links, others.each_ref().map(|other| format!("/en/supplier/{other}")));
    assert_eq!(between(listed, "data-label=\"Records\">", "<"), ["4", "2"]);
    for other in &others {
        let compare = format!("/en/compare/supplier?of={own}&#38;of={other}");
        assert!(listed.contains(&format!("href=\"{compare}\"")), "{listed}");
    }
    // A comparison with one of them counts no other.
    for (lang, sentence) in [
        ("en", "1 other supplier has a name that begins like one of “AEG Fuels”."),
        (
            "fr",
            "1 autre fournisseur a un nom qui commence comme l’un de ceux de « AEG Fuels ».",
        ),
    ] {
        let html = SERVER.html(&format!("/{lang}/compare/supplier?of={own}&of={}", others[0]), 200);
        assert_shows(&html, &[sentence]);
        assert!(
            html.contains(&format!("href=\"/{lang}/supplier/{own}#alike\"")),
            "{html}"
        );
    }
    let french = SERVER.html(&format!("/fr/supplier/{own}"), 200);
    assert_shows(&french, &["Un seul nom est connu comme le sien.", "non réunis"]);
    // The others are suggested to be the same, or share a first name only.
    for name in ["Bell Nord inc.", "Jean Tremblay"] {
        let page = SERVER.html(&format!("/en/supplier/{}", id(name)), 200);
        assert!(!page.contains("id=\"alike\""), "{name}");
    }
}

#[test]
fn consortia_are_listed_and_all_records_with_the_name_are_one_link_away() {
    let own = id("Sintra inc.");
    let page = SERVER.html(&format!("/en/supplier/{own}"), 200);
    assert_shows(
        &page,
        &["9 contracts of suppliers whose names contain “Sintra”", "consortium"],
    );
    let href = "/en/search?kind=contract&#38;vendor=Sintra";
    assert!(page.contains(&format!("href=\"{href}\"")), "{page}");
    assert_shows(&SERVER.html(&href.replace("&#38;", "&"), 200), &["9 contracts"]);
    let (_, listed) = page.split_once("id=\"alike\"").unwrap();
    let links = between(listed, "<th scope=\"row\"><a href=\"", "\"");
    assert_eq!(links, [format!("/en/supplier/{}", id("Consortium Roche / Sintra"))]);
    let french = SERVER.html(&format!("/fr/supplier/{own}?kind=award"), 200);
    assert_shows(&french, &["dont le nom contient « Sintra »"]);
    let alone = SERVER.html(&format!("/en/supplier/{}", id("Hydro-Québec")), 200);
    assert!(!alone.contains("whose names contain"), "{alone}");
}

#[test]
fn a_body_that_only_sells_and_the_successors_of_a_former_one_are_named() {
    let unknown = "If Hydro-Québec is meant as the buyer or the place: no source here has its purchases.";
    for query in ["Hydro-Qu%C3%A9bec", "average+contract+at+Hydro-Qu%C3%A9bec"] {
        assert_shows(&SERVER.html(&format!("/en/search?q={query}"), 200), &[unknown]);
    }
    let former = "/en/search?q=Indian+and+Northern+Affairs+Canada";
    let page = SERVER.html(former, 200);
    let body = SERVER.get("/bodies?name=Indigenous%20Services%20Canada").json();
    let body = format!("/en/body/{}", body["results"][0]["id"].as_str().unwrap());
    assert!(page.contains(&body), "{page}");
    assert_shows(
        &page,
        &["A part of what it did is now done by: Indigenous Services Canada."],
    );
    let french = SERVER.html(&former.replace("/en/", "/fr/"), 200);
    assert_shows(&french, &["relève maintenant de : Services aux Autochtones Canada."]);
    let known = SERVER.html("/en/search?q=Indigenous+Services+Canada", 200);
    assert!(!known.contains("has its purchases"), "{known}");
}

#[test]
fn former_identifiers_lead_on_and_unknown_ones_are_not_found() {
    use sha2::{Digest, Sha256};
    let id = id("Sintra inc.");
    let digest = Sha256::digest(format!("name:{}", fold(NAMES[1].0)));
    let digits: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let moved = get(&format!("/fr/supplier/sup_{digits}?kind=award"));
    assert_eq!(moved.status, 307);
    assert_eq!(moved.headers["location"], format!("/fr/supplier/{id}?kind=award"));
    let unknown = get("/fr/supplier/sup_0");
    assert_eq!(unknown.status, 404);
    assert!(unknown.html.contains("lang=\"fr\""));
}

#[test]
fn the_condition_of_a_search_names_the_supplier() {
    let id = id("Sintra inc.");
    assert_shows(
        &SERVER.html(&format!("/en/search?kind=contract&supplier={id}"), 200),
        &["Supplier: Sintra inc., all 2 names", "8 contracts"],
    );
    let one = supplier("Jean Tremblay");
    let path = format!("/fr/search?kind=award&supplier={}", one["id"].as_str().unwrap());
    assert_shows(&SERVER.html(&path, 200), &["Fournisseur : Jean Tremblay"]);
}

#[test]
fn the_lists_of_suppliers_and_bodies_have_the_rows_of_the_api_in_its_order() {
    for (what, noun, words) in [("suppliers", "supplier", "inc"), ("bodies", "body", "laval")] {
        for q in ["", &format!("&q={words}"), "&q=%3Cb%3E"] {
            let rows = SERVER.get(&format!("/{what}?limit=100{q}")).json();
            let rows = rows["results"].as_array().unwrap();
            let page = SERVER.html(&format!("/en/{what}?limit=100{q}"), 200);
            let links = between(&page, "<th scope=\"row\"><a href=\"", "\"");
            let expected = rows
                .iter()
                .map(|row| format!("/en/{noun}/{}", row["id"].as_str().unwrap()));
            assert_eq!(links, expected.collect::<Vec<_>>(), "{what} {q}");
            let counts = between(&page, "data-label=\"Records\">", "<");
            let expected = rows.iter().map(|row| row["records"].to_string());
            assert_eq!(counts, expected.collect::<Vec<_>>(), "{what} {q}");
            let file = SERVER.get(&format!("/en/{what}.csv?limit=100{q}")).text();
            assert_eq!(file.lines().count(), rows.len() + 1, "{file}");
        }
    }
    assert!(
        SERVER
            .html("/en/suppliers?q=nobody+here", 200)
            .contains("There is no such supplier.")
    );
    assert!(SERVER.html("/fr/bodies?limit=1", 200).contains("Organismes publics"));
}

#[test]
fn a_list_of_suppliers_is_gone_through_page_by_page_and_taken_along() {
    let mut path = "/en/suppliers?limit=2".to_owned();
    let mut found = Vec::new();
    loop {
        let page = SERVER.html(&path, 200);
        found.extend(
            between(&page, "<th scope=\"row\"><a href=\"", "\"")
                .into_iter()
                .map(str::to_owned),
        );
        assert!(
            page.contains("href=\"/en/export?kind=suppliers&#38;format=parquet\""),
            "{page}"
        );
        let Some((before, _)) = page.split_once("\" rel=\"next\"") else {
            break;
        };
        path = before.rsplit("href=\"").next().unwrap().replace("&#38;", "&");
    }
    let all = SERVER.get("/suppliers?limit=100").json();
    assert_eq!(found.len(), all["results"].as_array().unwrap().len());
    let file = get("/en/export?kind=suppliers&format=ndjson").html;
    assert_eq!(file.lines().count(), found.len());
}
