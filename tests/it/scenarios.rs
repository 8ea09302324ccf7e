//! Replays `tests/scenarios`: each rule of the record search with one request and its expected
//! response.
//!
//! A scenario uses only the public interface, so the file can be replayed against any server of the
//! same records.

use serde::Deserialize;

use crate::support::{Response, TestServer};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenario {
    rule: String,
    get: String,
    #[serde(default = "ok")]
    status: u16,
    /// The ids of the page's records, in order.
    ids: Option<Vec<String>>,
    detail: Option<String>,
    /// Whether the page has a `next_cursor`.
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
    let mut failures = Vec::new();
    for scenario in scenarios {
        if let Err(error) = check(&scenario, &server.get(&scenario.get)) {
            failures.push(format!("{}\n  {}\n  {error}", scenario.rule, scenario.get));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn check(scenario: &Scenario, response: &Response) -> Result<(), String> {
    let text = String::from_utf8_lossy(&response.body);
    equal("status", &scenario.status, &response.status).map_err(|error| format!("{error}: {text}"))?;
    equal(
        "content-type",
        &Some("application/json"),
        &response.header("content-type"),
    )?;
    if let Some(detail) = &scenario.detail {
        equal("detail", detail, &response.detail())?;
    }
    for (name, value) in &scenario.headers {
        equal(name, &value.as_str(), &response.header(name))?;
    }
    if scenario.status == 200 && scenario.headers.is_empty() {
        equal("x-ignored-parameters", &None, &response.header("x-ignored-parameters"))?;
    }
    if let Some(ids) = &scenario.ids {
        let json = response.json();
        equal("ids", ids, &response.ids())?;
        equal("count", &Some(ids.len() as u64), &json["count"].as_u64())?;
        equal(
            "offset",
            &scenario.offset.or(json["offset"].as_u64()),
            &json["offset"].as_u64(),
        )?;
        let has_next = json["next_cursor"].is_string();
        equal("next_cursor", &scenario.next.unwrap_or(has_next), &has_next)?;
        equal("link", &has_next, &response.header("link").is_some())?;
    }
    Ok(())
}

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, expected: &T, found: &T) -> Result<(), String> {
    if expected == found {
        Ok(())
    } else {
        Err(format!("{what}: expected {expected:?}, found {found:?}"))
    }
}
