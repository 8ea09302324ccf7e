//! Pro endpoints: which plans have access, and what a batch costs.

use std::fs;

use procure::{model::plans::Plan, server::Config};
use serde_json::json;

use crate::support::{Response, TestServer, scenario_records};

fn server(change: impl FnOnce(&mut Config)) -> (TestServer, String) {
    let server = TestServer::own(&scenario_records(), change);
    let basic = server
        .state()
        .create_key(Plan::Basic, "basic", chrono::Utc::now(), None)
        .unwrap();
    server.wait_until("the key", || {
        server.request("GET", "/sources", &[("x-gateway-key", &basic)]).status == 200
    });
    (server, basic)
}

#[test]
fn a_free_key_gets_a_link_to_upgrade() {
    let (server, basic) = server(|_| {});
    let (own, key) = (&server.address, ("x-gateway-key", basic.as_str()));
    // The plan is checked before parameters and body.
    for (method, path, body) in [
        ("GET", "/tender/feed?nonsense=1", ""),
        ("POST", "/tender/estimate", "no JSON"),
        ("POST", "/tender/comps?x=1", ""),
    ] {
        let endpoint = path.split('?').next().unwrap();
        let answer = server.send(method, path, &[key], body.to_owned());
        let detail = format!("the plan BASIC does not include {method} {endpoint}; upgrade at {own}/docs#plans");
        assert_eq!((answer.status, answer.detail()), (403, detail));
        assert!(answer.header("ratelimit").is_some(), "it counts against the limit");
        let docs = server.request("GET", "/docs", &[]);
        assert!(String::from_utf8(docs.body).unwrap().contains("id=\"plans\""));
    }
    assert_eq!(server.request("HEAD", "/tender/feed", &[key]).status, 403);
    assert_eq!(server.request("PUT", "/tender/feed", &[key]).status, 405);
    assert_eq!(server.request("GET", "/tender/feed", &[]).status, 403);
    let forwarded = [key, ("host", "api.example.org"), ("x-forwarded-proto", "https")];
    let detail = server.request("GET", "/tender/feed", &forwarded).detail();
    assert!(
        detail.ends_with("upgrade at https://api.example.org/docs#plans"),
        "{detail}"
    );
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

#[test]
fn a_batch_costs_one_request_per_ten_items() {
    let (server, _) = server(|config| {
        let path = config.state.with_file_name("plans.toml");
        fs::write(&path, "[PRO]\nrequests_per_minute = 1000\nrequests_per_day = 30\n").unwrap();
        config.plans = Some(path);
    });
    let ask = |path: &str, items: usize| server.post(path, &json!({"record_ids": vec!["nope"; items]}));
    let mut day = 30;
    for (path, items, cost) in [
        ("/tender/estimate", 1, 1),
        ("/tender/estimate", 10, 1),
        ("/tender/comps", 11, 2),
        ("/tender/estimate", 50, 5),
        ("/tender/comps", 50, 5),
        ("/tender/comps", 41, 5),
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
        day -= cost;
        assert_eq!(left(&answer), day, "{path} {items}");
        assert_eq!(
            (answer.header("etag"), answer.header("cache-control")),
            (None, Some("no-store"))
        );
    }
    // A body that is refused costs one request, also if it has too many items.
    let refused = ask("/tender/estimate", 51);
    day -= 1;
    assert_eq!((refused.status, left(&refused)), (422, day));
    for _ in 0..2 {
        day -= 5;
        assert_eq!(left(&ask("/tender/estimate", 50)), day);
    }
    assert_eq!(day, 0);
    let (other, _) = self::server(|config| {
        let path = config.state.with_file_name("plans.toml");
        fs::write(&path, "[PRO]\nrequests_per_minute = 1000\nrequests_per_day = 4\n").unwrap();
        config.plans = Some(path);
    });
    assert_eq!(left(&other.get("/sources")), 3);
    // A batch that costs more than what remains is refused as a whole.
    let batch = other.post("/tender/estimate", &json!({"record_ids": vec!["nope"; 50]}));
    assert_eq!((batch.status, left(&batch)), (429, 3));
    assert!(batch.detail().ends_with("; this one counts as 5"), "{}", batch.detail());
    assert!(batch.header("retry-after").is_some());
    assert_eq!(
        left(&other.post("/tender/estimate", &json!({"record_ids": vec!["nope"; 21]}))),
        0
    );
}
