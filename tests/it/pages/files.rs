//! The files for spreadsheets: each page with data links to one, and the file has the records of the page.

use std::{collections::BTreeSet, sync::LazyLock};

use procure::{
    http::encoding::encode,
    model::{entity_type::EntityType, plans::Plan},
};
use serde_json::{Value, json};

use super::browser::Browser;
use crate::support::{Response, TestServer, contracts, noon};

fn records() -> Vec<(EntityType, String)> {
    let contract = |number: usize| {
        let record = json!({
            "record_id": format!("c|{number}.csv"), "award_date": format!("2025-01-{:02}", number % 28 + 1), "title_fr": "Déneigement",
            "vendor_name": if number.is_multiple_of(3) { "Acme" } else { "Acme Paving / Sons" }, "department_fr": "Ville de Laval",
            "contract_value": number * 1_000, "municipality": "laval", "procurement_category": "SRV", "solicitation_number": "AO 1/2",
            "government_level": "municipal", "fetched_at": "2026-03-09T00:00:00Z",
        });
        (EntityType::Contract, record.to_string())
    };
    let tender = |id: &str, number: &str| {
        let record = json!({
            "record_id": id, "publication_date": "2026-03-09", "closing_date": "2026-03-20", "status": "Open",
            "title_fr": "Déneigement des rues", "solicitation_number": number, "department_fr": "Ville de Laval", "municipality": "laval",
            "procurement_category": "SRV", "government_level": "municipal", "fetched_at": "2026-03-09T00:00:00Z",
        });
        (EntityType::Tender, record.to_string())
    };
    let award = json!({
        "record_id": "a|1", "award_date": "2025-03-04", "vendor_name": "Acme", "title_en": "=1+1", "municipality": "federal",
        "fetched_at": "2026-03-09T00:00:00Z",
    });
    let others = [
        tender("t|1", "AO 1/2"),
        // The contracts of a tender's own number are not compared with it.
        tender("t|2", "AO 3"),
        (EntityType::Award, award.to_string()),
    ];
    (1..=30).map(contract).chain(others).collect()
}

/// The server of these records. It is never stopped.
fn server() -> &'static TestServer {
    static SERVER: LazyLock<TestServer> = LazyLock::new(|| TestServer::own(&records(), |config| config.now = noon));
    &SERVER
}

/// The address of a page's file.
fn file_of(html: &str) -> Option<String> {
    let (before, _) = html.split_once("\">CSV")?;
    let address = before.rsplit("href=\"").next()?;
    Some(address.replace("&#38;", "&"))
}

/// The rows of a file, each by the names in its head, which shows the separator: `;` in a French one.
fn rows(response: &Response) -> Vec<Value> {
    let body = response.body.strip_prefix("\u{feff}".as_bytes());
    let body = body.expect("a file begins with the byte order mark");
    let head = body.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let separator = if head.contains(&b';') { b';' } else { b',' };
    let mut reader = csv::ReaderBuilder::new().delimiter(separator).from_reader(body);
    let names = reader.headers().unwrap().clone();
    let rows = reader.records().map(|row| {
        let row = row.unwrap();
        names
            .iter()
            .zip(row.iter())
            .map(|(name, cell)| (name.to_owned(), Value::from(cell)))
            .collect()
    });
    rows.collect()
}

fn ids(response: &Response) -> BTreeSet<String> {
    rows(response)
        .iter()
        .map(|row| row["record_id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn every_page_with_data_says_how_to_take_it_away() {
    let server = server();
    for (path, json) in [
        ("", Some("/sources")),
        ("/search?kind=contract&q=d%C3%A9neigement", Some("/contract?")),
        ("/record/contract/c%7C1.csv", Some("/contract/c%7C1.csv")),
        ("/vendor/Acme", Some("/vendor/Acme")),
        ("/department/Ville%20de%20Laval", Some("/department/Ville%20de%20Laval")),
        ("/solicitation/AO%201%2F2", Some("/procurement/AO%201%2F2")),
        ("/sources", Some("/sources")),
        ("/feed?keywords=d%C3%A9neigement", Some("/tender/feed?")),
        // An estimate is a POST.
        ("/tender/t%7C2/worth", None),
    ] {
        for lang in ["en", "fr"] {
            let path = format!("/{lang}{path}");
            let page = server.get(&path);
            let html = page.text();
            assert_eq!(page.status, 200, "{path}: {html}");
            let command = html.split("<code>curl -H ").nth(1);
            let command = command.unwrap_or_else(|| panic!("{path} has no command line"));
            if let Some(json) = json {
                let end = command.find("</code>").unwrap();
                assert!(command[..end].contains(json), "{path} does not show {json}");
            }
            let file = file_of(&html).unwrap_or_else(|| panic!("{path} has no file: {html}"));
            let response = server.get(&file);
            assert_eq!(response.status, 200, "{file}: {}", response.text());
            assert_eq!(
                response.header("content-type"),
                Some("text/csv; charset=utf-8; header=present"),
                "{file}"
            );
            let disposition = response.header("content-disposition").unwrap();
            assert!(
                disposition.starts_with("attachment; filename=\""),
                "{file}: {disposition}"
            );
            assert!(!rows(&response).is_empty(), "{file} is empty");
            assert!(response.header("etag").is_some(), "{file}");
        }
    }
}

#[test]
fn the_file_of_a_name_has_exactly_its_records() {
    let server = server();
    let response = server.get("/en/vendor.csv/acme");
    let names: BTreeSet<String> = rows(&response)
        .iter()
        .map(|row| row["vendor_name"].to_string())
        .collect();
    assert_eq!(names, ["\"Acme\"".to_owned()].into(), "no other name that contains it");
    assert_eq!(ids(&response).len(), 10);
    assert_eq!(
        ids(&server.get("/en/vendor.csv/Acme?kind=award")),
        ["a|1".to_owned()].into()
    );
    assert_eq!(server.get("/en/vendor.csv/Acme?kind=disclosure").status, 404);
    assert_eq!(server.get("/en/vendor.csv/nobody").status, 404);
    assert_eq!(
        server.get("/en/department.csv/Ville%20de%20Laval?kind=tender").status,
        200
    );
    for (query, status) in [("kind=x", 422), ("limit=0", 422), ("x=1", 422), ("cursor=x", 422)] {
        assert_eq!(
            server.get(&format!("/en/vendor.csv/Acme?{query}")).status,
            status,
            "{query}"
        );
    }
    // Two suppliers have two files.
    let html = server
        .get("/en/compare/supplier?of=Acme&of=Acme%20Paving%20%2F%20Sons")
        .text();
    assert_eq!(html.matches("?kind=contract\">CSV").count(), 2, "{html}");
}

#[test]
fn the_file_of_a_department_has_the_records_of_its_page() {
    let contract = |id: &str, part: Option<&str>| {
        let record = json!({
            "record_id": id, "award_date": "2025-01-01", "vendor_name": "Acme", "municipality": "toronto",
            "department_en": part, "buyer_name": "City of Toronto", "fetched_at": "2026-03-09T00:00:00Z",
        });
        (EntityType::Contract, record.to_string())
    };
    let tender = json!({
        "record_id": "t", "publication_date": "2026-03-09", "status": "Open", "municipality": "toronto",
        "department_en": "Harbour", "buyer_name": "Harbour", "fetched_at": "2026-03-09T00:00:00Z",
    });
    let records = [
        contract("1", Some("Parks")),
        contract("2", Some("Water")),
        contract("3", None),
        (EntityType::Tender, tender.to_string()),
    ];
    let server = TestServer::own(&records, |_| {});
    for (name, expected) in [
        ("City%20of%20Toronto", vec!["1", "2", "3"]),
        ("Parks", vec!["1"]),
        // It has no contracts, so its tenders are shown.
        ("Harbour", vec!["t"]),
    ] {
        let path = format!("/en/department/{name}");
        let linked = file_of(&server.get(&path).text()).unwrap_or_else(|| panic!("{path} has no file"));
        for file in [format!("/en/department.csv/{name}"), linked] {
            let expected = expected.iter().copied().map(str::to_owned).collect();
            assert_eq!(ids(&server.get(&file)), expected, "{file}");
        }
    }
    for (file, detail) in [
        (
            "Parks?kind=tender",
            "No tender record has the department 'Parks'; leave out 'kind' for records of another entity type",
        ),
        (
            "Prks",
            "No record has the department 'Prks'; find names with /departments?q=…",
        ),
    ] {
        let response = server.get(&format!("/en/department.csv/{file}"));
        assert_eq!(response.status, 404, "{file}");
        let shown = response.text().replace("&#39;", "'");
        assert!(shown.contains(detail), "{file}: {shown}");
    }
}

#[test]
fn a_file_is_continued_by_its_link() {
    let server = server();
    let (mut path, mut found, mut files) = (
        "/fr/department.csv/Ville%20de%20Laval?limit=12".to_owned(),
        BTreeSet::new(),
        0,
    );
    loop {
        let response = server.get(&path);
        found.extend(ids(&response));
        files += 1;
        let Some(next) = response.header("link") else { break };
        path = next.split(['<', '>']).nth(1).unwrap().to_owned();
        assert!(files < 10, "the files do not end");
    }
    assert_eq!((files, found.len()), (3, 30));
    let other = path.replace("Ville%20de%20Laval", "nobody");
    assert_eq!(server.get(&other).status, 404);
}

#[test]
fn the_files_of_a_record_and_of_a_solicitation_have_all_fields() {
    let server = server();
    let id = encode("c|1.csv");
    let response = server.get(&format!("/en/record.csv/contract/{id}"));
    let [row] = &rows(&response)[..] else { panic!("one row") };
    assert_eq!(
        (&row["title_fr"], &row["contract_value"]),
        (&json!("Déneigement"), &json!("1000"))
    );
    assert_eq!(server.get("/en/record.csv/contract/nope").status, 404);
    assert_eq!(server.get(&format!("/en/record.csv/contract/{id}?x=1")).status, 422);

    let response = server.get("/en/solicitation.csv/AO%201%2F2");
    let rows = rows(&response);
    let types: Vec<&str> = rows.iter().map(|row| row["entity_type"].as_str().unwrap()).collect();
    assert_eq!(types.iter().filter(|name| **name == "contract").count(), 30);
    assert_eq!(types.iter().filter(|name| **name == "tender").count(), 1);
    let tender = rows.iter().find(|row| row["entity_type"] == "tender").unwrap();
    assert_eq!(
        (&tender["closing_date"], &tender["contract_value"]),
        (&json!("2026-03-20"), &json!(""))
    );
    assert_eq!(server.get("/en/solicitation.csv/nope").status, 404);
    // A text that a spreadsheet would run is harmless.
    let award = server.get("/en/record.csv/award/a%7C1");
    assert_eq!(self::rows(&award)[0]["title_en"], json!("'=1+1"));
}

#[test]
fn the_files_of_paid_pages_state_what_the_pages_add() {
    let server = server();
    let tenders = rows(&server.get("/en/feed.csv?keywords=d%C3%A9neigement"));
    let row = tenders.iter().find(|row| row["record_id"] == "t|2").unwrap();
    assert_eq!((tenders.len(), &row["days_until_closing"]), (2, &json!("10")));
    assert_eq!(
        (&row["matched_keywords"], &row["value_basis"]),
        (&json!("déneigement"), &json!("estimate"))
    );
    let comparables = rows(&server.get("/en/tender.csv/t%7C2/worth"));
    let weights: f64 = comparables
        .iter()
        .map(|row| row["weight"].as_str().unwrap().parse::<f64>().unwrap())
        .sum();
    assert!((0.5..=1.001).contains(&weights), "{weights}");
    assert!(
        comparables
            .iter()
            .all(|row| row["entity_type"] == "contract" && row["reasons"] != "")
    );
    assert_eq!(server.get("/en/tender.csv/nope/worth").status, 404);

    let key = server.new_key(Plan::Basic, "free");
    let headers = [("x-gateway-key", key.as_str())];
    for path in ["/en/feed.csv", "/en/tender.csv/t%7C2/worth"] {
        assert_eq!(server.request("GET", path, &headers).status, 403, "{path}");
    }
}

#[test]
fn the_file_of_sources_has_the_figures_of_the_api() {
    let server = server();
    let response = server.get("/en/sources.csv");
    let rows = rows(&response);
    let listed = server.get("/sources").json();
    let listed = listed["sources"].as_array().unwrap();
    assert_eq!(rows.len(), listed.len());
    for (row, source) in rows.iter().zip(listed) {
        assert_eq!(row["source_id"], source["source_id"]);
        assert_eq!(row["entity_type"], source["entity_type"]);
        assert_eq!(row["records"], json!(source["records"].to_string()));
        assert_eq!(row["last_updated"], source["last_updated"]);
    }
    assert_eq!(server.get("/en/sources.csv?x=1").status, 422);
}

#[test]
fn a_file_needs_the_same_rights_as_its_page() {
    let server = TestServer::own(&contracts(5), |_| {});
    for path in [
        "/en/vendor.csv/Vendor%201",
        "/en/sources.csv",
        "/fr/record.csv/contract/x",
    ] {
        let page = Browser::new(&server).get(path);
        assert_eq!(page.status, 303, "{path}");
        assert!(page.location().contains("/account?next="), "{path}");
    }
}
