//! Behaviour that single rules do not cover: whole response bodies, paging, unusual ids, and headers.

use std::collections::HashSet;

use procure::model::plans::Plan;

use crate::support::{Response, TestServer, contracts, scenario_records};

#[test]
fn a_page_contains_the_bytes_of_the_indexed_records() {
    let server = TestServer::shared();
    let answer = server.get("/award?limit=1&sort_order=asc");
    let next = answer.json()["next_cursor"].as_str().unwrap().to_owned();
    let record = scenario_records()
        .into_iter()
        .find(|(_, json)| json.contains("\"a1\""))
        .unwrap()
        .1;
    let expected =
        format!(r#"{{"entity_type":"award","count":1,"offset":0,"next_cursor":"{next}","results":[{record}]}}"#);
    assert_eq!(String::from_utf8(answer.body.clone()).unwrap(), expected);
    let link = format!("</award?limit=1&sort_order=asc&cursor={next}>; rel=\"next\"");
    assert_eq!(answer.header("link"), Some(link.as_str()));
}

#[test]
fn every_record_is_found_by_its_encoded_id() {
    let server = TestServer::shared();
    for (entity_type, json) in scenario_records() {
        let id = serde_json::from_str::<serde_json::Value>(&json).unwrap()["record_id"]
            .as_str()
            .unwrap()
            .to_owned();
        let answer = server.get(&format!("/{entity_type}/{}", procure::http::encoding::encode(&id)));
        assert_eq!(String::from_utf8(answer.body).unwrap(), json);
    }
    // Slashes, bars and colons need not be escaped.
    assert_eq!(server.get("/contract/c/3%20%C3%A9%25").status, 200);
    assert_eq!(server.get("/contract/c|1").status, 200);
    assert_eq!(server.get("/contract/c:2").status, 200);
}

/// Follows the `Link` headers to the last page and returns all ids.
fn all_pages(server: &TestServer, first: &str) -> Vec<String> {
    let (mut ids, mut path) = (Vec::new(), first.to_owned());
    loop {
        let answer = server.get(&path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.detail());
        ids.extend(answer.ids());
        match answer.header("link") {
            Some(link) => path = link.trim_start_matches('<').split_once('>').unwrap().0.to_owned(),
            None => return ids,
        }
    }
}

#[test]
fn paging_by_cursor_returns_each_record_once_in_the_order_of_one_page() {
    let server = TestServer::own(&contracts(457), |_| {});
    for query in [
        "",
        "sort_order=asc",
        "vendor=vendor+3&sort_order=asc",
        "value_min=100&q=vendor",
        "city=laval&vendor=&offset=5",
    ] {
        let paged = all_pages(&server, &format!("/contract?{query}&limit=17"));
        let whole = server.get(&format!("/contract?{query}&limit=500")).ids();
        assert_eq!(paged, whole, "{query}");
        assert_eq!(paged.iter().collect::<HashSet<_>>().len(), paged.len(), "{query}");
    }
    let by_offset: Vec<String> = (0..457)
        .step_by(100)
        .flat_map(|offset| server.get(&format!("/contract?offset={offset}")).ids())
        .collect();
    assert_eq!(by_offset, server.get("/contract?limit=500").ids());
}

#[test]
fn a_cursor_is_valid_only_for_its_search_and_survives_a_new_index() {
    let server = TestServer::own(&contracts(30), |_| {});
    let cursor = server.get("/contract?limit=3&q=vendor").json()["next_cursor"]
        .as_str()
        .unwrap()
        .to_owned();
    let next = format!("/contract?q=vendor&limit=5&cursor={cursor}");
    let ids = server.get(&next).ids();
    let other = server.get(&format!("/contract?q=vendors+x&cursor={cursor}"));
    assert_eq!(other.status, 400);
    assert_eq!(
        other.detail(),
        "parameter 'cursor': it belongs to a search with other filters or another sort order; repeat that search, or start without a cursor"
    );
    let generation = server.publish(&contracts(30));
    server.wait_until("the new generation", || {
        generation_of(&server.get("/health")) == generation
    });
    assert_eq!(server.get(&next).ids(), ids);
}

#[test]
fn a_plan_limits_the_page_size() {
    let server = TestServer::own(&contracts(220), |_| {});
    let basic = server.new_key(Plan::Basic, "basic");
    let ask = |path: &str| server.request("GET", path, &[("x-gateway-key", &basic)]);
    for (query, count, applied) in [
        ("", 100, None),
        ("?limit=100", 100, None),
        ("?limit=101", 100, Some("100")),
    ] {
        let answer = ask(&format!("/contract{query}"));
        assert_eq!(answer.json()["count"], count, "{query}");
        assert_eq!(answer.header("x-limit-applied"), applied, "{query}");
    }
    assert_eq!(ask("/contract?limit=501").status, 422);
    assert_eq!(server.get("/contract?limit=500").json()["count"], 220);
}

#[test]
fn head_is_get_without_the_body() {
    let server = TestServer::shared();
    for path in [
        "/contract?limit=2",
        "/contract/c4",
        "/contract/coverage",
        "/sources",
        "/nope",
    ] {
        let get = server.get(path);
        let head = server.request("HEAD", path, &[("x-gateway-key", &server.key)]);
        assert_eq!(head.status, get.status, "{path}");
        assert_eq!(head.body, b"", "{path}");
        for name in ["content-length", "content-type", "link"] {
            assert_eq!(head.header(name), get.header(name), "{path} {name}");
        }
    }
}

#[test]
fn a_cors_preflight_needs_no_key() {
    let server = TestServer::shared();
    let origin = [("origin", "https://x.ca"), ("access-control-request-method", "GET")];
    let answer = server.request("OPTIONS", "/contract", &origin);
    assert_eq!(answer.status, 204);
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    assert_eq!(
        answer.header("access-control-allow-headers"),
        Some("content-type, if-none-match, x-request-id, x-gateway-key, x-gateway-host")
    );
    assert_eq!(server.get("/contract").header("access-control-allow-origin"), Some("*"));
    assert_eq!(
        server
            .request("GET", "/contract", &[])
            .header("access-control-allow-origin"),
        Some("*")
    );
}

#[test]
fn coverage_lists_the_valid_slugs_of_the_filter() {
    let server = TestServer::shared();
    let coverage = server.get("/contract/coverage").json();
    assert_eq!(coverage["entity_type"], "contract");
    assert_eq!(coverage["count"], 3);
    let rows = coverage["results"].as_array().unwrap();
    let slugs: Vec<&str> = rows.iter().map(|row| row["municipality"].as_str().unwrap()).collect();
    assert_eq!(slugs, ["laval", "montreal", "toronto"]);
    for row in rows {
        let answer = server.get(&format!(
            "/contract?municipality={}",
            row["municipality"].as_str().unwrap()
        ));
        assert_eq!(answer.json()["count"], row["records"]);
    }
    let first = rows[0].as_object().unwrap();
    let keys: Vec<&String> = first.keys().collect();
    assert_eq!(
        keys,
        [
            "municipality",
            "name_en",
            "name_fr",
            "province",
            "government_level",
            "records",
            "earliest_date",
            "latest_date",
            "last_updated",
            "source_ids"
        ]
    );
}

#[test]
fn sources_and_health_describe_the_served_generation() {
    let server = TestServer::shared();
    let sources = server.get("/sources").json();
    assert_eq!(sources["count"], 6);
    assert_eq!(
        sources["sources"][0],
        serde_json::json!({
            "source_id": "model", "entity_type": "contract", "records": 5, "last_updated": "2024-06-01T00:00:00Z",
            "earliest_date": "2023-12-31", "latest_date": "2024-03-01"
        })
    );
    let health = server.request("GET", "/health", &[]).json();
    assert_eq!(health["status"], "ok");
    assert_eq!(health["version"], env!("CARGO_PKG_VERSION"));
    assert!(health["uptime_seconds"].is_u64());
    assert_eq!(health["index"]["records"], 14);
    assert!(health["index"]["as_of"].as_str().unwrap().ends_with('Z'));
}

#[test]
fn an_entity_type_without_records_has_an_empty_page() {
    let server = TestServer::own(&contracts(3), |_| {});
    let answer = server.get("/tender");
    assert_eq!(
        answer.json(),
        serde_json::json!({"entity_type": "tender", "count": 0, "offset": 0, "results": []})
    );
    assert_eq!(server.get("/tender/coverage").json()["count"], 0);
    assert_eq!(
        server.get("/tender?city=laval").detail(),
        "parameter 'city': 'laval' is unknown; there are no tender records"
    );
    assert_eq!(server.get("/sources").json()["count"], 1);
}

pub fn generation_of(health: &Response) -> String {
    health.json()["index"]["generation"].as_str().unwrap().to_owned()
}
