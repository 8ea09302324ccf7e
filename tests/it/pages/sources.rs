//! The page of sources: its figures are those of `GET /sources` and of the records.

use std::fs;

use procure::model::entity_type::EntityType;
use serde_json::json;

use crate::{
    stores,
    support::{TestServer, contracts},
};

/// A server of two sources with known contents: six contracts of Toronto, and two of a source that is not published.
fn server() -> TestServer {
    let server = TestServer::own(&contracts(1), |_| {});
    let folder = server.folder.path().join("two-sources");
    let contract = |id: u32, more: &str| {
        format!(r#"{{"record_id":"{id}","municipality":"toronto","fetched_at":"2026-03-01T00:00:00Z"{more}}}"#) + "\n"
    };
    let dated = |id: u32, day: &str| {
        contract(
            id,
            &format!(r#","award_date":"{day}","vendor_name":"A","contract_value":5"#),
        )
    };
    let toronto: String = [
        dated(1, "2019-05-06"),
        dated(2, "2019-12-31"),
        dated(3, "2021-01-01"),
        contract(4, r#","award_date":"2021-02-02","vendor_name":"  ""#),
        contract(5, r#","contract_value":7"#),
        contract(6, ""),
    ]
    .concat();
    let own = dated(7, "2020-05-06") + &dated(8, "2020-05-07");
    fs::create_dir_all(folder.join("contract")).unwrap();
    fs::write(folder.join("contract/toronto.ndjson"), toronto).unwrap();
    fs::write(folder.join("contract/our-own.ndjson"), own).unwrap();
    stores::index(&folder, &server.index_dir(), 64, true);
    server.wait_until("the new generation", || {
        server.get("/sources").json()["count"] == json!(2)
    });
    server
}

#[test]
fn each_source_has_its_period_its_years_and_its_licence() {
    let server = server();
    let html = server.get("/en/sources").text();
    for part in [
        "8 records from 2 sources.",
        // The years, drawn and as a table.
        "<title>2019: 2 records</title>",
        "<title>2020: 0 records</title>",
        "aria-label=\"City of Toronto, contracts: 4 records, 2019 to 2021\"",
        "<th scope=\"row\">2021</th><td class=\"number\" data-label=\"our-own, contracts\"></td>\
         <td class=\"number\" data-label=\"City of Toronto, contracts\">2</td>",
        // The period, and the last time that the file was fetched.
        "<td class=\"date\" data-label=\"First date\">May\u{a0}6, 2019</td>",
        "<td class=\"date\" data-label=\"Last date\">February\u{a0}2, 2021</td>",
        "<td class=\"date\" data-label=\"Published or fetched\">February\u{a0}28, 2026</td>",
        // Who publishes it.
        "href=\"https://open.toronto.ca/open-data-license/\" rel=\"noopener noreferrer nofollow\"",
        "Contains information licensed under the Open Government Licence – Toronto.",
        "These records were added by the operator of this service.",
    ] {
        assert!(html.contains(part), "{part} is not in {html}");
    }
    let french = server.get("/fr/sources").text();
    for part in [
        "8 fiches de 2 sources.",
        "Ville de Toronto",
        "6\u{a0}mai 2019",
        "<bdi lang=\"en\">Contains information licensed under the Open Government Licence – Toronto.</bdi>",
        "ajoutées par l’exploitant",
    ] {
        assert!(french.contains(part), "{part} is not in {french}");
    }
}

#[test]
fn the_presence_of_fields_is_counted_over_all_records() {
    let html = server().get("/en/sources").text();
    let (_, presence) = html.split_once("id=\"presence\"").unwrap();
    let rows: Vec<Vec<&str>> = presence
        .split("<th scope=\"row\">")
        .skip(1)
        .take(2)
        .map(|row| {
            let cells = row.split("<td class=\"number\" data-label=\"").skip(1);
            let cells = cells.map(|cell| cell.split_once("\">").unwrap().1);
            cells.map(|cell| cell.split("</td>").next().unwrap()).collect()
        })
        .collect();
    // Date, subject, value, buyer, supplier, commodity code; contracts have no closing date.
    let [own, toronto] = &rows[..] else { panic!("two rows") };
    assert_eq!(own[..6], ["100%", "0%", "100%", "0%", "100%", "0%"]);
    assert_eq!(toronto[..6], ["67%", "0%", "67%", "0%", "50%", "0%"]);
    assert!(toronto[6].contains("does not apply"), "{}", toronto[6]);
}

#[test]
fn the_page_has_no_parameters_and_is_not_sent_twice() {
    let server = TestServer::shared();
    assert_eq!(server.get("/en/sources?x=1").status, 422);
    let first = server.get("/en/sources");
    let tag = first.header("etag").expect("the page has an ETag").to_owned();
    let headers = [("x-gateway-key", server.key.as_str()), ("if-none-match", tag.as_str())];
    assert_eq!(server.request("GET", "/en/sources", &headers).status, 304);
    assert_eq!(server.request("GET", "/fr/sources", &headers).status, 200);
}

#[test]
fn the_numbers_are_those_of_the_api() {
    let server = TestServer::shared();
    let html = server.get("/en/sources").text();
    let sources = server.get("/sources").json();
    for source in sources["sources"].as_array().unwrap() {
        let entity_type = EntityType::parse(source["entity_type"].as_str().unwrap()).unwrap();
        let row = format!(
            "<td data-label=\"Records of\"><a href=\"/en/search?kind={entity_type}\">{}</a></td>\n\
             <td class=\"number\" data-label=\"Number\">{}</td>",
            match entity_type {
                EntityType::Contract => "Contracts",
                EntityType::Tender => "Tenders",
                EntityType::Award => "Award notices",
                EntityType::Disclosure => "Disclosed federal contracts",
                EntityType::StandingOffer => "Standing offers",
                EntityType::PreSolicitation => "Pre-solicitations",
            },
            source["records"]
        );
        assert!(html.contains(&row), "{row} is not in {html}");
    }
}
