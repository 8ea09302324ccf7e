//! Replays `tests/scenarios`: every rule sentence of the record search as one named request and its answer.
//!
//! A scenario speaks of nothing but the interface, so the same file can be replayed on any address that serves the same records.

use serde::Deserialize;

use crate::support::{Response, TestServer};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenario {
    rule: String,
    get: String,
    #[serde(default = "ok")]
    status: u16,
    /// The page's records, in order.
    ids: Option<Vec<String>>,
    detail: Option<String>,
    /// Whether more follows.
    next: Option<bool>,
    offset: Option<u64>,
    #[serde(default)]
    headers: serde_json::Map<String, serde_json::Value>,
}

fn ok() -> u16 {
    200
}

#[test]
fn the_rules_of_record_search() {
    let scenarios: Vec<Scenario> = serde_json::from_str(include_str!("../scenarios/record-search.json")).unwrap();
    let server = TestServer::shared();
    let failures: Vec<String> = scenarios
        .iter()
        .filter_map(|scenario| {
            let why = check(scenario, &server.get(&scenario.get)).err()?;
            Some(format!("{}\n  {}\n  {why}", scenario.rule, scenario.get))
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn check(scenario: &Scenario, answer: &Response) -> Result<(), String> {
    let text = String::from_utf8_lossy(&answer.body);
    equal("status", &scenario.status, &answer.status).map_err(|why| format!("{why}: {text}"))?;
    equal(
        "content-type",
        &Some("application/json"),
        &answer.header("content-type"),
    )?;
    if let Some(detail) = &scenario.detail {
        equal("detail", detail, &answer.detail())?;
    }
    for (name, value) in &scenario.headers {
        equal(name, &value.as_str(), &answer.header(name))?;
    }
    if scenario.status == 200 && scenario.headers.is_empty() {
        equal("x-ignored-parameters", &None, &answer.header("x-ignored-parameters"))?;
    }
    if let Some(ids) = &scenario.ids {
        let json = answer.json();
        equal("ids", ids, &answer.ids())?;
        equal("count", &Some(ids.len() as u64), &json["count"].as_u64())?;
        equal(
            "offset",
            &scenario.offset.or(json["offset"].as_u64()),
            &json["offset"].as_u64(),
        )?;
        let next = json["next_cursor"].is_string();
        equal("next_cursor", &scenario.next.unwrap_or(next), &next)?;
        equal("link", &next, &answer.header("link").is_some())?;
    }
    Ok(())
}

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, expected: &T, found: &T) -> Result<(), String> {
    match expected == found {
        true => Ok(()),
        false => Err(format!("{what}: expected {expected:?}, found {found:?}")),
    }
}
