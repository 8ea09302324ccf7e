//! Pages of large records: a page ends at 8 MiB of records, and the client goes on where it ended.

use std::{collections::BTreeSet, sync::LazyLock};

use procure::{engine::MAX_PAGE_BYTES, model::entity_type::EntityType};
use serde_json::{Value, json};

use crate::support::{Response, TestServer, merged, noon};

/// How many large records of each entity type there are. They are larger than one page and smaller
/// than two.
const RECORDS: usize = 40;

/// About the size of the largest record that is indexed.
const PADDING: usize = 250_000;

/// Contracts of one solicitation, and tenders of one each, with a long text that no search reads.
fn large_records() -> Vec<(EntityType, String)> {
    let padding = "x".repeat(PADDING);
    let record = |id: String, number: usize, more: Value| {
        let record = json!({
            "record_id": id,
            "municipality": "laval",
            "solicitation_number": "S-1",
            "department_en": "Public Works",
            "contract_value": 1000 + number,
            "fetched_at": "2026-03-09T00:00:00Z",
        });
        merged(record, &more).to_string()
    };
    let contract = |number: usize| {
        let more = json!({
            "award_date": format!("2025-01-{:02}", number % 28 + 1),
            "vendor_name": "Acme",
            "supplier_address": padding,
        });
        (EntityType::Contract, record(format!("c{number:02}"), number, more))
    };
    let tender = |number: usize| {
        let more = json!({
            "publication_date": "2026-03-09",
            "status": "Open",
            "title_en": format!("Snow removal {number}"),
            "solicitation_number": format!("S-{number}"),
            "regions_of_delivery_en": padding,
        });
        (EntityType::Tender, record(format!("t{number:02}"), number, more))
    };
    (0..RECORDS).map(contract).chain((1..=RECORDS).map(tender)).collect()
}

/// One server for all tests of this file.
fn server() -> &'static TestServer {
    static SERVER: LazyLock<TestServer> = LazyLock::new(|| {
        TestServer::own(&large_records(), |config| {
            config.now = noon;
        })
    });
    &SERVER
}

/// Checks that a page is full by its bytes: it has room for less than one more record.
fn assert_full(answer: &Response, count: usize) {
    assert_eq!(answer.status, 200, "{}", answer.detail());
    let bytes = answer.body.len();
    assert!(
        (MAX_PAGE_BYTES - PADDING - 2_000..MAX_PAGE_BYTES + 20_000).contains(&bytes),
        "{bytes} bytes"
    );
    assert!((2..RECORDS).contains(&count), "{count}");
    assert_eq!(answer.header("x-limit-applied"), Some(count.to_string().as_str()));
}

fn record_ids<'a>(records: &'a Value, id: impl Fn(&'a Value) -> &'a Value) -> Vec<String> {
    let records = records.as_array().unwrap();
    records
        .iter()
        .map(|record| id(record).as_str().unwrap().to_owned())
        .collect()
}

/// Follows `next_cursor` and returns the ids of all pages.
fn follow(server: &TestServer, path: &str, id: impl Fn(&Value) -> &Value + Copy) -> Vec<String> {
    let mut answer = server.get(path);
    let (mut found, mut pages) = (Vec::new(), 1);
    loop {
        let page = answer.json();
        let ids = record_ids(&page["results"], id);
        assert_eq!(page["count"], ids.len());
        let cursor = page["next_cursor"].as_str();
        found.extend(ids.iter().cloned());
        let Some(cursor) = cursor else {
            assert_eq!(answer.header("x-limit-applied"), None, "the last page is complete");
            assert_eq!(pages, 2);
            return found;
        };
        assert_full(&answer, ids.len());
        assert!(answer.header("link").unwrap().contains(cursor));
        answer = server.get(&format!("{path}&cursor={cursor}"));
        pages += 1;
    }
}

#[test]
fn a_page_ends_at_its_size_in_bytes_and_its_cursor_leads_on() {
    let server = server();
    for path in [
        "/contract?limit=500",
        "/contract?limit=40&sort_order=asc",
        "/tender?limit=40&sort_by=closing",
    ] {
        let found = follow(server, path, |record| &record["record_id"]);
        let distinct: BTreeSet<&String> = found.iter().collect();
        assert_eq!((found.len(), distinct.len()), (RECORDS, RECORDS), "{path}");
    }
    let found = follow(server, "/tender/feed?limit=40", |item| &item["tender"]["record_id"]);
    let distinct: BTreeSet<&String> = found.iter().collect();
    assert_eq!((found.len(), distinct.len()), (RECORDS, RECORDS), "the feed");
    // A limit that fits is not changed.
    let small = server.get("/contract?limit=3");
    assert_eq!(
        (small.json()["count"].clone(), small.header("x-limit-applied")),
        (json!(3), None)
    );
}

#[test]
fn a_page_sorted_by_value_goes_on_at_offset_plus_count() {
    let server = server();
    let path = "/contract?limit=40&sort_by=value&sort_order=asc";
    let first = server.get(path);
    let ids = first.ids();
    assert_full(&first, ids.len());
    assert_eq!(first.json().get("next_cursor"), None);
    let rest = server.get(&format!("{path}&offset={}", ids.len()));
    assert_eq!(rest.header("x-limit-applied"), None);
    let all: Vec<String> = (0..RECORDS).map(|number| format!("c{number:02}")).collect();
    assert_eq!([ids, rest.ids()].concat(), all);

    for path in [
        "/vendor/Acme?limit=40&sort_by=value",
        "/department/Public%20Works?limit=40",
    ] {
        let first = server.get(path);
        let ids = record_ids(&first.json()["contracts"], |record| &record["record_id"]);
        assert_full(&first, ids.len());
        assert_eq!(first.json()["total_contracts"], RECORDS);
        let rest = server.get(&format!("{path}&offset={}", ids.len()));
        let rest = record_ids(&rest.json()["contracts"], |record| &record["record_id"]);
        let all: BTreeSet<String> = [ids, rest].concat().into_iter().collect();
        assert_eq!(all.len(), RECORDS, "{path}");
    }
}

#[test]
fn the_records_of_a_solicitation_have_the_size_of_one_page() {
    let server = server();
    let answer = server.get("/procurement/S-1?limit=500");
    let body = answer.json();
    assert_eq!(answer.status, 200, "{}", answer.detail());
    // One more than a page, because each entity type has at least one.
    let longest = MAX_PAGE_BYTES + PADDING + 20_000;
    assert!(answer.body.len() < longest, "{}", answer.body.len());
    let (count, total) = (body["count"].as_u64().unwrap(), body["total"].as_u64().unwrap());
    assert!(count < total, "{count} of {total}");
    assert_eq!(total, RECORDS as u64 + 1);
    let listed = |name: &str| body[name].as_array().map_or(0, Vec::len) as u64;
    assert_eq!(listed("contract") + listed("tender"), count);
}
