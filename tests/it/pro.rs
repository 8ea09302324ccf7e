//! Pro endpoints: which plans have access, and what a batch costs.

use std::fs;

use procure::{model::plans::Plan, server::Config};
use serde_json::json;

use crate::support::{Response, TestServer, scenario_records};

fn server(change: impl FnOnce(&mut Config)) -> (TestServer, String) {
    let server = TestServer::own(&scenario_records(), change);
    let basic = server.new_key(Plan::Basic, "basic");
    (server, basic)
}

#[test]
fn a_free_key_gets_a_link_to_upgrade() {
    let (server, basic) = server(|_| {});
    let key = ("x-gateway-key", basic.as_str());
    // The plan is checked before parameters and body.
    for (method, path, body) in [
        ("GET", "/tender/feed?nonsense=1", ""),
        ("POST", "/tender/estimate", "no JSON"),
        ("POST", "/tender/comps?x=1", ""),
    ] {
        let endpoint = path.split('?').next().unwrap();
        let answer = server.send(method, path, &[key], body.to_owned());
        let detail = format!("the plan BASIC does not include {method} {endpoint}; upgrade at /docs#plans");
        assert_eq!((answer.status, answer.detail()), (403, detail));
        assert!(answer.header("ratelimit").is_some(), "it counts against the limit");
        let docs = server.request("GET", "/docs", &[]);
        assert!(docs.text().contains("id=\"plans\""));
    }
    assert_eq!(server.request("HEAD", "/tender/feed", &[key]).status, 403);
    assert_eq!(server.request("PUT", "/tender/feed", &[key]).status, 405);
    assert_eq!(server.request("GET", "/tender/feed", &[]).status, 403);
    // Nothing that a request states of its host gets into the link.
    let forwarded = [
        key,
        ("host", "evil.example"),
        ("x-forwarded-host", "evil.example"),
        ("x-forwarded-proto", "https"),
        ("forwarded", "host=evil.example;proto=https"),
    ];
    let detail = server.request("GET", "/tender/feed", &forwarded).detail();
    assert!(detail.ends_with("upgrade at /docs#plans"), "{detail}");
    assert_eq!(server.get("/tender/feed").status, 200);
}

#[test]
fn the_operator_configures_the_upgrade_link_and_the_paid_plans() {
    let (server, basic) = server(|config| {
        config.upgrade_url = Some("https://shop.example.org/plans".to_owned());
        let path = config.state.with_file_name("plans.toml");
        fs::write(&path, "[PRO]\npaid = false\n[BASIC]\npaid = true\n").unwrap();
        config.plans = Some(path);
    });
    assert_eq!(
        server.get("/tender/feed").detail(),
        "the plan PRO does not include GET /tender/feed; upgrade at https://shop.example.org/plans"
    );
    assert_eq!(
        server
            .request("GET", "/tender/feed", &[("x-gateway-key", &basic)])
            .status,
        200
    );
}

/// The remaining requests of the day.
fn left(answer: &Response) -> u64 {
    let limits = answer.header("ratelimit").unwrap();
    let day = limits.split(", ").find(|item| item.starts_with("\"day\"")).unwrap();
    day.split(';')
        .find_map(|part| part.strip_prefix("r="))
        .unwrap()
        .parse()
        .unwrap()
}

/// What a response states as its cost.
fn cost(answer: &Response) -> u64 {
    answer.header("x-ratelimit-cost").unwrap().parse().unwrap()
}

#[test]
fn a_batch_costs_one_request_per_item() {
    let (server, _) = server(|config| {
        let path = config.state.with_file_name("plans.toml");
        fs::write(&path, "[PRO]\nrequests_per_minute = 1000\nrequests_per_day = 265\n").unwrap();
        config.plans = Some(path);
    });
    let ask = |path: &str, items: usize| server.post(path, &json!({"record_ids": vec!["nope"; items]}));
    let mut day = 265;
    for (path, items) in [
        ("/tender/estimate", 1),
        ("/tender/estimate", 10),
        ("/tender/comps", 11),
        ("/tender/estimate", 50),
        ("/tender/comps", 50),
        ("/tender/comps", 41),
    ] {
        let answer = ask(path, items);
        assert_eq!(answer.status, 200, "{}", answer.detail());
        let json = answer.json();
        assert_eq!(
            (&json["count"], json["results"].as_array().unwrap().len()),
            (&json!(items), items)
        );
        assert!(
            json["results"]
                .as_array()
                .unwrap()
                .iter()
                .all(|one| one["status"] == "not_found")
        );
        day -= items as u64;
        assert_eq!((left(&answer), cost(&answer)), (day, items as u64), "{path} {items}");
        assert_eq!(
            (answer.header("etag"), answer.header("cache-control")),
            (None, Some("no-store"))
        );
    }
    // A body that is refused costs one request, also if it has too many items.
    let refused = ask("/tender/estimate", 51);
    day -= 1;
    assert_eq!((refused.status, left(&refused), cost(&refused)), (422, day, 1));
    for _ in 0..2 {
        day -= 50;
        assert_eq!(left(&ask("/tender/estimate", 50)), day);
    }
    assert_eq!(day, 1);
    // A batch that costs more than what remains is refused as a whole.
    let batch = ask("/tender/estimate", 2);
    assert_eq!((batch.status, left(&batch), cost(&batch)), (429, 1, 0));
    assert!(batch.detail().ends_with("; this one counts as 2"), "{}", batch.detail());
    assert!(batch.header("retry-after").is_some());
    assert_eq!(left(&ask("/tender/comps", 1)), 0);
}

#[test]
fn a_batch_that_costs_more_than_a_limit_costs_the_whole_limit() {
    let (server, _) = server(|config| {
        let path = config.state.with_file_name("plans.toml");
        fs::write(&path, "[PRO]\nrequests_per_minute = 20\nrequests_per_day = 100\n").unwrap();
        config.plans = Some(path);
    });
    let batch = || server.post("/tender/estimate", &json!({"record_ids": vec!["nope"; 50]}));
    let first = batch();
    assert_eq!((first.status, left(&first), cost(&first)), (200, 50, 50));
    let second = batch();
    assert_eq!((second.status, left(&second)), (429, 50));
    // After at most a minute the next one is possible.
    let wait: u64 = second.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=63).contains(&wait), "{wait}");
}

#[test]
fn a_feed_costs_one_request_per_fifty_tenders_of_its_limit() {
    let (server, _) = server(|_| {});
    for (query, expected) in [
        ("limit=1", 1),
        ("limit=50", 1),
        ("limit=51", 2),
        ("", 2),
        ("limit=500", 10),
        ("limit=501", 1),
    ] {
        let answer = server.get(&format!("/tender/feed?{query}"));
        assert_eq!(cost(&answer), expected, "{query}: {}", answer.status);
    }
    let known = server.get("/tender/feed?limit=500");
    let headers = [
        ("x-gateway-key", server.key.as_str()),
        ("if-none-match", known.header("etag").unwrap()),
    ];
    let unchanged = server.request("GET", "/tender/feed?limit=500", &headers);
    assert_eq!((unchanged.status, cost(&unchanged)), (304, 0));
    assert_eq!(left(&unchanged), left(&known));
}

#[test]
fn the_cost_is_what_the_daily_quota_loses() {
    let (server, _) = server(|_| {});
    let mut before = left(&server.get("/sources"));
    for path in [
        "/contract",
        "/contract?include_total=true&facets=vendor,department",
        "/contract/stats",
        "/contract/stats?q=x",
        "/contract/nope",
        "/vendors?q=inc",
        "/vendor/nobody",
        "/department/nobody",
        "/procurement/nope",
        "/tender/feed?limit=500",
        "/nope",
        "/contract?limit=x",
    ] {
        let answer = server.get(path);
        assert_eq!(before - left(&answer), cost(&answer), "{path}");
        let is_feed = path.contains("feed");
        assert_eq!(
            cost(&answer),
            if is_feed { 10 } else { 1 },
            "{path}: a small collection"
        );
        before = left(&answer);
    }
    // A response that is not counted against a key states no cost.
    assert_eq!(server.get("/health").header("x-ratelimit-cost"), None);
    assert_eq!(server.request("GET", "/contract", &[]).header("x-ratelimit-cost"), None);
}
