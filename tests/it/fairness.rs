//! Fairness of the search pool: what one key sends does not keep another key from its answers.

use std::time::Duration;

use procure::{
    model::{entity_type::EntityType, plans::Plan},
    pages::settings::PagesMode,
};
use serde_json::json;

use crate::{
    http::{RawConnection, RawResponse},
    support::{TestServer, contracts},
};

/// The number of batches that one key sends at once, as many as the plan PRO allows in a minute at ten items a request.
const BATCHES: usize = 60;

fn get(key: &str, address: &str) -> String {
    format!("GET {address} HTTP/1.1\r\nhost: x\r\nx-gateway-key: {key}\r\n\r\n")
}

/// A request for estimates of fifty needs.
fn batch(key: &str, number: usize) -> String {
    batch_of(50, key, number)
}

/// A request for estimates of so many needs.
fn batch_of(size: usize, key: &str, number: usize) -> String {
    let need = |item: usize| json!({"gsin": "N7030", "title": format!("Snow removal {number} of lot {item}")});
    let items: Vec<_> = (0..size).map(need).collect();
    let body = json!({ "items": items }).to_string();
    let length = body.len();
    format!(
        "POST /tender/estimate HTTP/1.1\r\nhost: x\r\nx-gateway-key: {key}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

/// Comparable contracts, so many that a batch of estimates takes a while.
const COMPARABLES: usize = 3_000;

/// An open tender, and contracts, some of which estimates compare with. Equal for all tests that need many, because
/// their index takes long to build.
fn records(comparables: usize) -> Vec<(EntityType, String)> {
    let comparable = |number: usize| {
        let json = json!({
            "record_id": format!("e|{number}"),
            "award_date": format!("2024-{:02}-{:02}", number % 12 + 1, number % 28 + 1),
            "title": format!("Snow removal of lot {}", number % 50),
            "gsin": "N7030",
            "vendor_name": format!("Vendor {}", number % 90),
            "municipality": "laval",
            "contract_value": 1_000 + number,
            "fetched_at": "2024-06-01T00:00:00Z",
        });
        (EntityType::Contract, json.to_string())
    };
    let tender = json!({
        "record_id": "t|1",
        "title": "Snow removal of lot 7",
        "gsin": "N7030",
        "status": "Open",
        "publication_date": "2024-05-01",
        "municipality": "laval",
        "fetched_at": "2024-06-01T00:00:00Z",
    });
    contracts(2_000)
        .into_iter()
        .chain((0..comparables).map(comparable))
        .chain([(EntityType::Tender, tender.to_string())])
        .collect()
}

/// What is left of the day's requests.
fn left_of_day(answer: &RawResponse) -> u64 {
    let header = answer.header("ratelimit").unwrap_or_else(|| panic!("{answer:?}"));
    let (_, day) = header.split_once("\"day\";r=").unwrap();
    day.split(';').next().unwrap().parse().unwrap()
}

#[test]
fn look_ups_are_answered_while_another_key_floods_with_batches() {
    let server = TestServer::own(&records(COMPARABLES), |config| {
        config.query_timeout = Duration::from_secs(120)
    });
    let (flooding, other) = (&server.key, server.new_key(Plan::Pro, "other"));
    let mut connections: Vec<RawConnection> = (0..BATCHES).map(|_| RawConnection::to(&server)).collect();
    let mut looker = RawConnection::to(&server);
    for (number, raw) in connections.iter_mut().enumerate() {
        raw.send(batch(flooding, number));
    }
    for number in 0..20 {
        let address = match number % 3 {
            0 => format!("/contract/c%7C{number}"),
            1 => format!("/contract?limit=10&offset={number}"),
            _ => "/vendors?q=vendor".to_owned(),
        };
        let answer = looker.send(get(&other, &address)).answer();
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    // They did not wait for the batches: an answer that has arrived counts as closed here.
    assert!(
        connections.iter().any(|raw| !raw.is_closed()),
        "all batches are answered"
    );
}

#[test]
fn batches_that_are_refused_are_free() {
    let server = TestServer::own(&records(COMPARABLES), |config| {
        config.query_timeout = Duration::from_secs(2)
    });
    let mut single = RawConnection::to(&server);
    let before = left_of_day(&single.send(get(&server.key, "/contract?limit=1")).answer());
    let mut connections: Vec<RawConnection> = (0..BATCHES).map(|_| RawConnection::to(&server)).collect();
    for (number, raw) in connections.iter_mut().enumerate() {
        raw.send(batch(&server.key, number));
    }
    let (mut served, mut cost) = (0, 0);
    for raw in &mut connections {
        let answer = raw.answer();
        let counts: u64 = answer.header("x-ratelimit-cost").unwrap().parse().unwrap();
        match answer.status {
            200 => served += 1,
            503 => {
                let seconds: u64 = answer.header("retry-after").unwrap().parse().unwrap();
                assert!((1..=30).contains(&seconds), "{answer:?}");
                assert!(answer.detail().starts_with("the server is busy; try again in "));
                assert_eq!(counts, 0, "{answer:?}");
            }
            // It ran, but a slow machine did not end it in time.
            504 => assert!(counts > 0, "{answer:?}"),
            _ => panic!("{answer:?}"),
        }
        cost += counts;
    }
    assert!(served < BATCHES, "all {BATCHES} were answered within two seconds");
    let after = left_of_day(&single.send(get(&server.key, "/contract?limit=1")).answer());
    assert_eq!(before - after, cost + 1, "what was refused is free");
}

#[test]
fn batches_are_answered_or_refused_and_those_of_a_second_key_get_their_turn() {
    let server = TestServer::own(&records(COMPARABLES), |config| {
        config.query_timeout = Duration::from_secs(25)
    });
    let other = server.new_key(Plan::Pro, "other");
    let keys = [&server.key, &other];
    let mut connections: Vec<RawConnection> = (0..60).map(|_| RawConnection::to(&server)).collect();
    for (number, raw) in connections.iter_mut().enumerate() {
        // First all of one key, then all of the other.
        raw.send(batch(keys[number / 30], number));
    }
    let mut served = [0, 0];
    for (number, raw) in connections.iter_mut().enumerate() {
        let answer = raw.answer();
        match answer.status {
            200 => served[number / 30] += 1,
            503 => assert!(answer.header("retry-after").is_some(), "{answer:?}"),
            // It ran, but a slow machine did not end it in time.
            504 => {}
            _ => panic!("{answer:?}"),
        }
    }
    // The second key is not shut out by what the first one has waiting.
    assert!(served[0] > 0 && served[1] > 0, "{served:?}");
}

#[test]
fn a_crowd_of_visitors_without_keys_does_not_refuse_a_key() {
    const VISITORS: usize = 300;
    let server = TestServer::own(&records(COMPARABLES), |config| {
        let plans = config.state.with_file_name("open.toml");
        let plan = "[VISITOR]\npaid = true\n[PRO]\nrequests_per_minute = 1_000_000\nrequests_per_day = 1_000_000\n";
        std::fs::write(&plans, plan).unwrap();
        config.plans = Some(plans);
        config.pages.mode = PagesMode::Open;
        config.pages.client_address_header = Some("x-client-address".to_owned());
        config.query_timeout = Duration::from_secs(10);
    });
    let visit = |number: usize| {
        let address = format!("10.0.{}.{}", number / 200, number % 200);
        format!("GET /en/tender/t%7C1/worth HTTP/1.1\r\nhost: x\r\nx-client-address: {address}\r\n\r\n")
    };
    let mut visitors: Vec<RawConnection> = (0..VISITORS).map(|_| RawConnection::to(&server)).collect();
    let mut of_key = RawConnection::to(&server);
    for (number, raw) in visitors.iter_mut().enumerate() {
        // Three pages each, as a browser with open tabs.
        raw.send(visit(number).repeat(3));
    }
    for number in 0..5 {
        let answer = of_key.send(batch_of(5, &server.key, number)).answer();
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    for raw in &mut visitors {
        let status = raw.answer().status;
        assert!(matches!(status, 200 | 503 | 504), "{status}");
    }
}

#[test]
fn a_batch_that_takes_too_long_is_told_to_be_smaller_and_not_to_come_again() {
    let server = TestServer::own(&records(50), |config| config.query_timeout = Duration::from_millis(1));
    let answer = RawConnection::to(&server).send(batch(&server.key, 1)).answer();
    assert_eq!((answer.status, answer.header("retry-after")), (504, None), "{answer:?}");
    assert_eq!(answer.detail(), "The query took too long; send fewer items at once");
    assert_eq!(answer.header("x-ratelimit-cost"), Some("50"));
}

#[test]
fn a_batch_is_answered_in_the_order_of_its_items() {
    let server = TestServer::own(&records(50), |_| {});
    let answer = RawConnection::to(&server).send(batch(&server.key, 7)).answer();
    let json: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
    let results = json["results"].as_array().unwrap();
    assert_eq!((json["count"].as_u64(), results.len()), (Some(50), 50));
    for (item, result) in results.iter().enumerate() {
        assert_eq!(
            result["input"]["title"],
            format!("Snow removal 7 of lot {item}"),
            "{result}"
        );
    }
}

#[test]
fn a_304_that_ran_a_search_counts() {
    let server = TestServer::own(&contracts(30), |_| {});
    let mut raw = RawConnection::to(&server);
    let before = raw.send(get(&server.key, "/contract?facets=vendor")).answer();
    let conditional = |condition: &str| {
        format!(
            "GET /contract?facets=vendor HTTP/1.1\r\nhost: x\r\nx-gateway-key: {}\r\nif-none-match: {condition}\r\n\r\n",
            server.key
        )
    };
    let known = raw.send(conditional(before.header("etag").unwrap())).answer();
    assert_eq!((known.status, left_of_day(&known)), (304, left_of_day(&before)));
    let any = raw.send(conditional("*")).answer();
    assert_eq!((any.status, left_of_day(&any)), (304, left_of_day(&before) - 1));
}
