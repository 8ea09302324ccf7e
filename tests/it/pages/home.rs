//! The home page: what is inside by entity type and source, and how fresh it is.

use std::fs;

use serde_json::json;

use super::html::text;
use crate::{
    stores,
    support::{TestServer, contracts, noon},
};

fn server() -> TestServer {
    let server = TestServer::own(&contracts(1), |config| config.now = noon);
    let folder = server.folder.path().join("sources");
    let write = |path: &str, days: &[&str], fetched: &str| {
        let lines = days.iter().enumerate().map(|(number, day)| {
            let record = json!({
                "record_id": format!("{path}{number}"), "municipality": "toronto", "award_date": day, "publication_date": day,
                "vendor_name": "A", "fetched_at": fetched,
            });
            record.to_string() + "\n"
        });
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, lines.collect::<String>()).unwrap();
    };
    write(
        "contract/toronto.ndjson",
        &["2024-01-02", "2026-02-03"],
        "2026-03-09T12:00:00Z",
    );
    write(
        "contract/our-own.ndjson",
        &["2021-05-06", "2029-01-01"],
        "2026-03-10T12:00:00Z",
    );
    write("tender/seao-xml.ndjson", &["2023-04-05"], "2025-03-10T12:00:00Z");
    stores::index(&folder, &server.index_dir(), 64, true);
    server.wait_until("the new generation", || {
        server.get("/sources").json()["count"] == json!(3)
    });
    server
}

#[test]
fn what_is_inside_is_listed_by_type_and_source_with_its_freshness() {
    let server = server();
    let english = text(&server.html("/en", 200));
    for part in [
        "5 records from 3 sources.",
        "By type of record and source Source Number Newest record Published or fetched",
        // A date that has not come yet is a mistake: the year of the others is shown.
        "Contracts our-own 2 in 2021 March 10, 2026 (today)",
        "City of Toronto 2 February 3, 2026 March 9, 2026 (1 day ago)",
        "Tenders SEAO (Quebec), until 2024 1 April 5, 2023 March 10, 2025 (365 days ago)",
    ] {
        assert!(english.contains(part), "{part} is not in {english}");
    }
    let french = text(&server.html("/fr", 200));
    for part in [
        "Selon le type de fiche et la source",
        "Ville de Toronto 2 3 février 2026 9 mars 2026 (il y a 1 jour)",
        "10 mars 2026 (aujourd’hui)",
    ] {
        assert!(french.contains(part), "{part} is not in {french}");
    }
}
