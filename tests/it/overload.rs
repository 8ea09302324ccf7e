//! Overload and changes under load: slow clients, too many connections, full queues, stops, new
//! generations, and random bytes.

use std::{
    collections::BTreeMap,
    fs,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use procure::model::entity_type::EntityType;
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{RngCore, SeedableRng},
};

use crate::{
    exports::many_records,
    http::{Next, RawConnection, RawResponse},
    program::Program,
    support::{TestServer, contracts},
    waiting::wait_until,
};

fn search(key: &str, address: &str) -> String {
    format!("GET {address} HTTP/1.1\r\nhost: x\r\nx-gateway-key: {key}\r\n\r\n")
}

#[test]
fn two_thousand_incomplete_requests_do_not_block_others() {
    const HALF_OPEN: usize = 2_000;
    let server = TestServer::own(&contracts(100), |_| {});
    let process = Program::serve(&server);
    let before = process.memory_kib();
    let half_open: Vec<RawConnection> = (0..HALF_OPEN)
        .map(|_| {
            let mut raw = RawConnection::connect(&process.address).unwrap();
            raw.send("GET /contract?q=snow HTTP/1.1\r\nhost: x\r\n");
            raw
        })
        .collect();
    for _ in 0..20 {
        let mut raw = RawConnection::connect(&process.address).unwrap();
        assert_eq!(raw.send(search(&server.key, "/contract")).answer().status, 200);
    }
    // The answers did not wait until the incomplete requests had timed out.
    assert!(half_open.iter().any(|raw| !raw.is_closed()));
    if let (Some(before), Some(after)) = (before, process.memory_kib()) {
        let each = after.saturating_sub(before) / HALF_OPEN as u64;
        println!("{each} KiB per connection");
        assert!(each < 64, "{each} KiB per connection");
    }
    for mut raw in half_open {
        assert_eq!(raw.answer().status, 408);
        assert_eq!(raw.next(false), Next::Closed);
    }
}

/// Sends slow searches from many clients at once; returns the number of responses by status.
fn flood(clients: usize, query_timeout: Duration) -> BTreeMap<u16, usize> {
    let server = TestServer::own(&many_records(), |config| config.query_timeout = query_timeout);
    // Sorting by value reads every match, which takes some milliseconds.
    let slow = search(&server.key, "/contract?q=vendor&sort_by=value&limit=500");
    let mut clients: Vec<RawConnection> = (0..clients).map(|_| RawConnection::to(&server)).collect();
    for raw in &mut clients {
        raw.send(&slow);
    }
    // Requests without a search are not delayed.
    assert_eq!(server.request("GET", "/health", &[]).status, 200);
    let mut statuses = BTreeMap::new();
    for raw in &mut clients {
        let answer = raw.answer();
        *statuses.entry(answer.status).or_default() += 1;
        match answer.status {
            200 => {}
            503 => assert!(answer.header("retry-after").is_some()),
            504 => assert!(answer.detail().starts_with("The query took too long")),
            _ => panic!("{answer:?}"),
        }
    }
    statuses
}

#[test]
fn searches_that_cannot_end_before_their_deadline_are_refused() {
    let late = flood(400, Duration::from_millis(20));
    assert!(late.contains_key(&503), "{late:?}");
    let all = flood(64, Duration::from_secs(60));
    assert_eq!(all, BTreeMap::from([(200, 64)]), "64 clients with one key are welcome");
    // What is admitted is answered.
    let many = flood(400, Duration::from_secs(60));
    assert!(!many.contains_key(&504), "{many:?}");
}

/// What the clients and the test of a stop know of each other.
#[derive(Default)]
struct Stop {
    /// How many clients have received a response.
    connected: AtomicUsize,
    /// Whether the signal is sent, or about to be.
    is_signalled: AtomicBool,
}

/// Repeats a request on one connection until the server closes it; returns the number of responses,
/// or what failed. Counts the first response in `connected`.
///
/// The server may close a connection that is idle while the client sends its next request there. A client that sees no
/// byte of a response then sends the request again on a new connection (RFC 9112, sections 9.3.1 and 9.6), so it is not
/// lost. Every request that was sent before the signal has a response.
fn ask_until_stopped(address: &str, request: &str, stop: &Stop) -> Result<usize, String> {
    let mut raw = RawConnection::connect(address).map_err(|e| e.to_string())?;
    let mut answers = 0;
    loop {
        if raw.is_closed() {
            return Ok(answers);
        }
        let next = raw.send(request).next(false);
        let may_close = answers > 0 && stop.is_signalled.load(Ordering::SeqCst);
        match next {
            Next::Response(answer) if answer.header("connection") == Some("close") => {
                assert!(matches!(answer.status, 200 | 503), "{answer:?}");
                return Ok(answers + 1);
            }
            Next::Response(answer) => assert_eq!(answer.status, 200, "{answer:?}"),
            Next::Closed if may_close => return Ok(answers),
            Next::Broken(reason) if may_close && raw.has_no_input() && reason.starts_with("Connection reset") => {
                return Ok(answers);
            }
            other => return Err(format!("after {answers} answers: {other:?}")),
        }
        answers += 1;
        stop.connected.fetch_add(usize::from(answers == 1), Ordering::Relaxed);
    }
}

#[test]
fn a_stop_under_load_loses_no_request() {
    const CLIENTS: usize = 60;
    let server = TestServer::own(&contracts(2_000), |_| {});
    for signal in ["TERM", "INT", "TERM"] {
        let stop = Stop::default();
        let process = Program::serve(&server);
        let request = search(&server.key, "/contract?q=vendor&limit=50");
        let results = thread::scope(|scope| {
            let clients: Vec<_> = (0..CLIENTS)
                .map(|_| scope.spawn(|| ask_until_stopped(&process.address, &request, &stop)))
                .collect();
            // A silent connection, and one in the middle of a request.
            let mut idle = RawConnection::connect(&process.address).unwrap();
            assert_eq!(idle.send(&request).answer().status, 200);
            let mut halfway = RawConnection::connect(&process.address).unwrap();
            let (first, second) = request.split_at(20);
            halfway.send(first);
            wait_until("all clients", || stop.connected.load(Ordering::Relaxed) == CLIENTS);
            stop.is_signalled.store(true, Ordering::SeqCst);
            process.signal(signal);
            wait_until("the drain", || process.log().contains("draining"));
            let answer = halfway.send(second).answer();
            assert_eq!(
                (answer.status, answer.detail().as_str(), answer.header("retry-after")),
                (503, "the server is stopping; try again in a second", Some("1"))
            );
            assert_eq!(idle.next(false), Next::Closed);
            clients
                .into_iter()
                .map(|client| client.join().unwrap())
                .collect::<Vec<_>>()
        });
        for result in &results {
            assert!(matches!(result, Ok(answers) if *answers > 0), "{result:?}");
        }
        let (code, log) = process.exit();
        assert_eq!(code, Some(0), "{log}");
        assert!(log.contains("draining") && !log.contains("ERROR"), "{log}");
    }
}

#[test]
fn a_second_signal_stops_at_once() {
    let server = TestServer::own(&contracts(3), |_| {});
    let process = Program::serve(&server);
    // An incomplete request delays the graceful stop.
    let mut raw = RawConnection::connect(&process.address).unwrap();
    raw.send("POST /contract HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n");
    process.signal("TERM");
    wait_until("the first signal", || process.log().contains("draining"));
    process.signal("INT");
    let (code, log) = process.exit();
    // A graceful stop exits with 0.
    assert_eq!(code, Some(1), "{log}");
    assert!(log.contains("SIGINT: stopped at once"), "{log}");
}

#[test]
fn generations_change_under_load_without_errors_or_mixed_responses() {
    const GENERATIONS: usize = 20;
    let of = |generation: usize| -> Vec<(EntityType, String)> {
        let record = |number: usize| {
            let json = format!(
                r#"{{"record_id":"r{number}","award_date":"2024-01-{:02}","vendor_name":"Vendor {generation} of {}","municipality":"laval","fetched_at":"2024-06-01T00:00:00Z"}}"#,
                number % 28 + 1,
                100 + generation
            );
            (EntityType::Contract, json)
        };
        (0..100 + generation).map(record).collect()
    };
    let server = TestServer::own(&of(0), |_| {});
    let (is_over, answers, swaps) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        for client in 0..8 {
            let (server, is_over, answers, swaps) = (&server, &is_over, &answers, &swaps);
            scope.spawn(move || {
                let mut raw = RawConnection::to(server);
                let paths = [
                    "/contract?limit=500",
                    "/contract?q=vendor&limit=500&sort_order=asc",
                    "/contract/r7",
                ];
                let request = search(&server.key, paths[client % paths.len()]);
                let mut seen = String::new();
                while !is_over.load(Ordering::Relaxed) {
                    let answer = raw.send(&request).answer();
                    assert_eq!(answer.status, 200, "{answer:?}");
                    let json: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
                    let one = vec![json.clone()];
                    let records = json["results"].as_array().unwrap_or(&one);
                    let vendor = records[0]["vendor_name"].as_str().unwrap().to_owned();
                    assert!(records.iter().all(|record| record["vendor_name"] == vendor), "{vendor}");
                    if json["results"].is_array() {
                        assert!(
                            vendor.ends_with(&format!("of {}", records.len())),
                            "{vendor}: {}",
                            records.len()
                        );
                    }
                    swaps.fetch_add(usize::from(seen != vendor), Ordering::Relaxed);
                    seen = vendor;
                    answers.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for generation in 1..=GENERATIONS {
            server.publish(&of(generation));
        }
        let last = format!("Vendor {GENERATIONS} of");
        server.wait_until("the last generation", || {
            String::from_utf8_lossy(&server.get("/contract/r7").body).contains(&last)
        });
        is_over.store(true, Ordering::Relaxed);
    });
    let (answers, swaps) = (answers.into_inner(), swaps.into_inner());
    println!("{answers} responses, {swaps} changes of generation seen");
    assert!(answers > 8 * GENERATIONS && swaps >= 16, "{answers} {swaps}");
}

#[test]
fn a_generation_that_is_no_longer_published_stays_in_service_and_is_reported_once() {
    let server = TestServer::own(&contracts(10), |_| {});
    let process = Program::serve(&server);
    let current = server.index_dir().join("CURRENT");
    let named = fs::read(&current).unwrap();
    let is_served = || {
        let mut raw = RawConnection::connect(&process.address).unwrap();
        raw.send(search(&server.key, "/contract")).answer().status == 200
    };
    fs::remove_file(&current).unwrap();
    thread::sleep(Duration::from_millis(1_800));
    assert!(is_served());
    fs::write(&current, named).unwrap();
    thread::sleep(Duration::from_millis(700));
    assert!(is_served());
    process.signal("TERM");
    let (code, log) = process.exit();
    assert_eq!(code, Some(0), "{log}");
    assert_eq!(log.matches("no generation is published in").count(), 1, "{log}");
}

/// Parts of requests. Without HEAD: the test cannot know which of its random requests the server
/// parses as HEAD, and so which responses have no body.
const REQUEST_PARTS: [&str; 18] = [
    "GET ",
    "POST ",
    "OPTIONS ",
    "BREW ",
    "/contract",
    "/health?",
    "?q=",
    " HTTP/1.1\r\n",
    " HTTP/1.0\r\n",
    "host: x\r\n",
    "content-length: 5\r\n",
    "content-length: +5\r\n",
    "transfer-encoding: chunked\r\n",
    "expect: 100-continue\r\n",
    "upgrade: websocket\r\n",
    "\r\n",
    "5\r\nhello\r\n",
    "0\r\n\r\n",
];

/// Parts of addresses.
const ADDRESS_PARTS: [&str; 24] = [
    "/contract?",
    "/tender/",
    "/award?",
    "/contract/c%7C1",
    "/sources",
    "q=",
    "\"snow+removal\"",
    "déneigement",
    "vendor",
    "+OR+",
    "-",
    "limit=",
    "500",
    "99999999999999999999",
    "cursor=",
    "AQID",
    "sort_by=value",
    "sort_order=asc",
    "value_min=1e308",
    "issued_after=2024-02-30",
    "%zz",
    "%C3",
    "&",
    "=",
];

/// Valid parameters.
const VALID_PAIRS: [&str; 10] = [
    "q=\"vendor+3\"+OR+déneigement&",
    "q=vendor+-x&",
    "limit=500&",
    "offset=7&",
    "sort_by=value&",
    "sort_order=asc&",
    "value_min=1e3&",
    "municipality=laval&",
    "vendor=vendor&",
    "issued_after=2024-02-01&",
];

/// A well-formed request with a random address.
fn random_address(random: &mut ChaCha8Rng, key: &str) -> Vec<u8> {
    let mut below = |bound: usize| random.next_u32() as usize % bound;
    let mut address = b"/".to_vec();
    if below(4) > 0 {
        address.extend(b"contract?");
        for _ in 0..below(4) {
            address.extend(VALID_PAIRS[below(VALID_PAIRS.len())].bytes());
        }
    }
    for _ in 0..below(10).saturating_sub(4) {
        address.extend(ADDRESS_PARTS[below(ADDRESS_PARTS.len())].bytes());
    }
    for _ in 0..below(6).saturating_sub(3) {
        let at = below(address.len()).max(1).min(address.len() - 1);
        let byte = 0x21 + below(0xdf) as u8;
        if at > 0 && byte != 0x7f {
            address[at] = byte;
        }
    }
    let rest = format!(" HTTP/1.1\r\nhost: x\r\nx-gateway-key: {key}\r\n\r\n");
    [b"GET ", &address[..], rest.as_bytes()].concat()
}

/// Random bytes: valid, nearly valid and invalid requests.
fn random_bytes(random: &mut ChaCha8Rng, key: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..1 + random.next_u32() % 3 {
        match random.next_u32() % 2 {
            0 => bytes.extend(random_address(random, key)),
            _ => {
                for _ in 0..random.next_u32() % 12 {
                    bytes.extend(REQUEST_PARTS[random.next_u32() as usize % REQUEST_PARTS.len()].bytes());
                }
            }
        }
    }
    for _ in 0..random.next_u32() % 4 {
        let at = random.next_u32() as usize % bytes.len().max(1);
        match (random.next_u32() % 4, bytes.get_mut(at)) {
            (0, Some(byte)) => *byte = random.next_u32() as u8,
            (1, Some(_)) => drop(bytes.remove(at)),
            (2, Some(_)) => bytes.truncate(at),
            _ => bytes.insert(at.min(bytes.len()), b"\r\n \0\"%:;\xff"[random.next_u32() as usize % 9]),
        }
    }
    bytes
}

/// Sends 20,000 hostile requests, or as many as the variable `PROCURE_FUZZ_REQUESTS` states.
#[test]
fn random_bytes_do_not_break_the_server() {
    let wanted: usize = std::env::var("PROCURE_FUZZ_REQUESTS").map_or(20_000, |text| text.parse().unwrap());
    let server = TestServer::own(&contracts(300), |_| {});
    let process = Program::serve(&server);
    let (done, statuses) = (AtomicUsize::new(0), Mutex::new(BTreeMap::<u16, usize>::new()));
    let count = |sent: &[u8], answer: RawResponse| {
        let sent = String::from_utf8_lossy(sent);
        assert!(answer.status < 500, "{sent:?}: {answer:?}");
        assert!(
            answer.status < 400 || answer.text().starts_with(r#"{"detail":""#),
            "{sent:?}: {answer:?}"
        );
        *statuses.lock().unwrap().entry(answer.status).or_default() += 1;
    };
    let attack = |seed: u64| {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        while done.load(Ordering::Relaxed) < wanted {
            let mut raw = RawConnection::connect(&process.address).unwrap();
            for _ in 0..random.next_u32() % 24 {
                let bytes = random_address(&mut random, &server.key);
                count(&bytes, raw.send(&bytes).answer());
                done.fetch_add(1, Ordering::Relaxed);
            }
            let bytes = random_bytes(&mut random, &server.key);
            let (first, second) = bytes.split_at(random.next_u32() as usize % (bytes.len() + 1));
            raw.send(first).send(second).half_close();
            done.fetch_add(1, Ordering::Relaxed);
            while let Next::Response(answer) = raw.next(false) {
                count(&bytes, answer);
            }
        }
    };
    let warm = thread::scope(|scope| {
        (0..8).for_each(|seed| {
            drop(scope.spawn({
                let attack = &attack;
                move || attack(seed)
            }))
        });
        // It may be hours of requests.
        while done.load(Ordering::Relaxed) < wanted / 4 {
            thread::sleep(Duration::from_millis(10));
        }
        process.memory_kib()
    });
    let end = process.memory_kib();
    println!(
        "{} requests, {:?}, from {warm:?} to {end:?} KiB",
        done.into_inner(),
        statuses.into_inner().unwrap()
    );
    if let (Some(warm), Some(end)) = (warm, end) {
        assert!(end < warm + (32 << 10), "from {warm} KiB to {end} KiB");
    }
    process.signal("TERM");
    let (code, log) = process.exit();
    assert_eq!(code, Some(0), "{log}");
    assert!(!log.contains("panicked") && !log.contains("ERROR"), "{log}");
}
