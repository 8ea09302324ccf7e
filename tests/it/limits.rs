//! Rate limits and daily quotas of keys, and the headers that state them.

use std::{
    cell::Cell,
    fs,
    net::TcpListener,
    path::Path,
    process::Command,
    sync::atomic::{AtomicI64, Ordering},
    thread,
    time::Duration,
};

use chrono::{DateTime, Utc};
use procure::{
    model::plans::Plan,
    server::{self, Config},
    state::database::StateDb,
};
use serde_json::json;

use crate::{
    program::Program,
    support::{Response, TestServer, config, contracts},
};

/// A server with few records, these plans and this clock.
fn server(plans: &str, now: fn() -> DateTime<Utc>) -> TestServer {
    TestServer::own(&contracts(5), |config| {
        let path = config.state.with_file_name("plans.toml");
        fs::write(&path, plans).unwrap();
        config.plans = Some(path);
        config.now = now;
    })
}

fn ask(server: &TestServer, key: &str, method: &str, path: &str) -> Response {
    server.request(method, path, &[("x-gateway-key", key)])
}

/// `q`, `w`, `r` and `t` of a window, from the two headers.
fn window(answer: &Response, name: &str) -> [u64; 4] {
    let parameter = |header: &str, parameter: &str| {
        let header = answer
            .header(header)
            .unwrap_or_else(|| panic!("no {header}: {answer:?}"));
        let item = header
            .split(", ")
            .find(|item| item.starts_with(&format!("\"{name}\";")));
        let mut parameters = item.unwrap().split(';').skip(1).filter_map(|pair| pair.split_once('='));
        let value = parameters.find(|(found, _)| *found == parameter).unwrap().1;
        value.parse().unwrap()
    };
    [
        parameter("ratelimit-policy", "q"),
        parameter("ratelimit-policy", "w"),
        parameter("ratelimit", "r"),
        parameter("ratelimit", "t"),
    ]
}

/// The rest of the daily quota.
fn left(answer: &Response) -> u64 {
    window(answer, "day")[2]
}

/// The requests of the server's own key as counted in the database.
fn written(server: &TestServer, now: DateTime<Utc>) -> u64 {
    let usage = server.state().usage(now.date_naive()).unwrap();
    usage.get(&1).map_or(0, |used| (*used).try_into().unwrap())
}

/// A clock that always returns the same noon.
fn noon() -> DateTime<Utc> {
    DateTime::from_timestamp(1_772_366_400, 0).unwrap()
}

#[test]
fn every_response_to_a_key_states_its_limits() {
    let server = server("[PRO]\nrequests_per_minute = 60\nrequests_per_day = 1000\n", noon);
    let mut day = 1000;
    for (method, path, status) in [
        ("GET", "/contract", 200),
        ("HEAD", "/contract", 200),
        ("GET", "/contract/c%7C1", 200),
        ("GET", "/contract/nope", 404),
        ("GET", "/nope", 404),
        ("GET", "/contract/%zz", 422),
        ("GET", "/contract?limit=x", 422),
        ("GET", "/contract?offset=9501", 400),
        ("POST", "/contract", 405),
        ("OPTIONS", "/contract", 405),
    ] {
        let answer = ask(&server, &server.key, method, path);
        day -= 1;
        assert_eq!(answer.status, status, "{method} {path}");
        let [q, w, r, t] = window(&answer, "burst");
        assert!((q, w) == (60, 60) && r < 60 && t == 1, "{method} {path}: {answer:?}");
        assert_eq!(window(&answer, "day"), [1000, 86400, day, 43200], "{method} {path}");
        let of = |name| answer.header(name).unwrap().parse::<u64>().unwrap();
        assert_eq!(
            (
                of("x-ratelimit-limit"),
                of("x-ratelimit-remaining"),
                of("x-ratelimit-reset")
            ),
            (60, r, 1)
        );
        assert_eq!(of("x-ratelimit-cost"), 1, "{method} {path}");
        let exposed = answer.header("access-control-expose-headers").unwrap();
        for name in [
            "ratelimit-policy",
            "ratelimit",
            "x-ratelimit-limit",
            "x-ratelimit-remaining",
            "x-ratelimit-reset",
            "x-ratelimit-cost",
            "retry-after",
        ] {
            assert!(
                exposed.split(", ").any(|header| header == name),
                "{name} is not exposed"
            );
        }
    }
    // Without a valid key there are no limits to state.
    let preflight = [
        ("x-gateway-key", server.key.as_str()),
        ("access-control-request-method", "GET"),
    ];
    for answer in [
        server.request("OPTIONS", "/contract", &preflight),
        server.request("GET", "/contract", &[]),
        server.request("GET", "/contract", &[("x-gateway-key", "pk_0000")]),
        server.get("/health"),
    ] {
        assert_eq!(answer.header("ratelimit"), None, "{answer:?}");
    }
    assert_eq!(left(&server.get("/contract")), day - 1);
    // The exact format.
    let text = server.get("/contract").header("ratelimit-policy").unwrap().to_owned();
    assert_eq!(text, r#""burst";q=60;w=60, "day";q=1000;w=86400"#);
}

#[test]
fn many_phrases_are_one_request_in_a_small_collection() {
    let server = TestServer::own(&contracts(5), |_| {});
    let phrases: Vec<String> = (0..15).map(|number| format!("%22no+p{number}%22")).collect();
    let union = phrases.join("+OR+");
    let cost = |answer: &Response| answer.header("x-ratelimit-cost").map(str::to_owned);
    for path in [
        format!("/contract?q={union}"),
        format!("/contract?q={union}&sort_by=value"),
        format!("/contract?q={union}&include_total=true&facets=vendor"),
        format!("/contract?q={union}&explain=true&suggest=true"),
        format!("/contract/stats?q={union}"),
        "/vendor/nobody".to_owned(),
    ] {
        let answer = server.get(&path);
        assert_eq!(cost(&answer).as_deref(), Some("1"), "{path}: {answer:?}");
    }
    // Nothing is found on the first page, so nothing is counted either.
    let counted = server.get(&format!("/contract?q={union}&include_total=true")).json();
    assert_eq!((&counted["total"], &counted["count"]), (&json!(0), &json!(0)));
    let with_facets = server
        .get(&format!("/contract?q={union}&include_total=true&facets=vendor"))
        .json();
    assert_eq!(with_facets["facets"]["vendor"]["distinct"], 0);
    let key = [("x-gateway-key", server.key.as_str())];
    for (path, total) in [
        (format!("/contract?q={union}"), "0"),
        ("/contract?offset=100".to_owned(), "5"),
        ("/contract?offset=100&value_min=0".to_owned(), "5"),
    ] {
        let answer = server.request("HEAD", &path, &key);
        let headers = (answer.header("x-total-count"), answer.header("x-ratelimit-cost"));
        assert_eq!(headers, (Some(total), Some("1")), "{path}");
    }
}

#[test]
fn a_504_states_the_limits_too() {
    let server = TestServer::own(&contracts(5), |config| config.query_timeout = Duration::from_nanos(1));
    let answer = server.get("/contract");
    assert_eq!(answer.status, 504);
    assert!(answer.header("ratelimit").is_some() && answer.header("x-ratelimit-remaining").is_some());
}

#[test]
fn a_burst_is_limited_until_time_has_passed() {
    let server = server(
        "[PRO]\nrequests_per_minute = 2\n[ULTRA]\nrequests_per_minute = 60\n",
        noon,
    );
    for remaining in ["1", "0"] {
        let answer = server.get("/contract?limit=1");
        assert_eq!(
            (answer.status, answer.header("x-ratelimit-remaining")),
            (200, Some(remaining))
        );
        assert_eq!(window(&answer, "burst")[3], 30);
    }
    let answer = server.get("/contract?limit=1");
    let wait: u64 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!((20..=30).contains(&wait), "{wait}");
    assert_eq!(answer.status, 429);
    assert_eq!(
        answer.json(),
        json!({ "detail": format!("the plan PRO allows 2 requests per minute; try again in {wait} s") })
    );
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(window(&answer, "burst"), [2, 60, 0, wait]);
    assert_eq!(left(&answer), 49_998, "a refused request is not counted");
    assert_eq!(answer.header("x-ratelimit-cost"), Some("0"));
    assert_eq!(answer.header("x-ratelimit-limit"), Some("2"));
    assert_eq!(answer.header("x-ratelimit-remaining"), Some("0"));
    assert_eq!(answer.header("x-ratelimit-reset"), Some(wait.to_string().as_str()));

    // Another key is not affected, and after waiting it may continue.
    let other = server.new_key(Plan::Ultra, "test");
    let refused = (0..200)
        .map(|_| ask(&server, &other, "GET", "/sources"))
        .find(|answer| answer.status != 200)
        .unwrap();
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("1")));
    thread::sleep(Duration::from_secs(1));
    assert_eq!(ask(&server, &other, "GET", "/sources").status, 200);
}

#[test]
fn a_daily_quota_outlives_a_restart_and_resets_at_midnight() {
    static NOW: AtomicI64 = AtomicI64::new(0);
    let now = || DateTime::from_timestamp(NOW.load(Ordering::Relaxed), 0).unwrap();
    NOW.store(noon().timestamp(), Ordering::Relaxed);
    let plans = "[PRO]\nrequests_per_minute = 1000000\nrequests_per_day = 5\n";
    let server = server(plans, now);
    let path = "/contract?limit=1";
    for remaining in (0..5).rev() {
        let answer = server.get(path);
        assert_eq!((answer.status, left(&answer)), (200, remaining));
    }
    let refused = |answer: Response| {
        assert_eq!(answer.status, 429);
        assert_eq!(
            answer.json(),
            json!({ "detail": "the plan PRO allows 5 requests per day (UTC), and today's are used; they reset at 2026-03-02T00:00:00Z" })
        );
        assert_eq!(answer.header("retry-after"), Some("43200"));
        assert_eq!(window(&answer, "day"), [5, 86400, 0, 43200]);
        assert_eq!(answer.header("x-ratelimit-limit"), Some("5"));
        assert_eq!(answer.header("x-ratelimit-reset"), Some("43200"));
    };
    refused(server.get(path));
    let mine = server.new_key(Plan::Mega, "test");
    assert_eq!(
        ask(&server, &mine, "GET", path).status,
        200,
        "another key has a quota of its own"
    );

    let server = restarted(server, |config| config.now = now);
    refused(server.get(path));

    NOW.fetch_add(43_199, Ordering::Relaxed);
    assert_eq!(server.get(path).header("retry-after"), Some("1"));
    NOW.fetch_add(1, Ordering::Relaxed);
    let answer = server.get(path);
    assert_eq!((answer.status, window(&answer, "day")), (200, [5, 86400, 4, 86400]));
    // Writing the counts does not restore those of the day before.
    server.wait_until("the new day's count", || written(&server, now()) == 1);
    assert_eq!(left(&server.get(path)), 3);
}

/// Restarts the server on the same folder.
fn restarted(server: TestServer, change: impl FnOnce(&mut Config)) -> TestServer {
    server.restart(|config| {
        config.plans = Some(config.state.with_file_name("plans.toml"));
        change(config);
    })
}

/// The rest of the key's daily quota after one more request to the process.
fn left_at(process: &Program, key: &str) -> u64 {
    let answer = ureq::get(format!("http://{}/sources", process.address))
        .header("x-gateway-key", key)
        .call()
        .unwrap();
    let text = answer.headers()["ratelimit"].to_str().unwrap();
    let day = text.split("\"day\";r=").nth(1).unwrap();
    day.split(';').next().unwrap().parse().unwrap()
}

#[test]
fn a_crash_loses_only_the_last_counts_and_two_servers_share_a_quota() {
    let server = server(
        "[PRO]\nrequests_per_minute = 1000000\nrequests_per_day = 1000\n",
        Utc::now,
    );
    let key = server.key.as_str();
    let process = Program::serve_with_plans(&server, "plans.toml");
    let asked = Cell::new(0);
    let here = || {
        asked.set(asked.get() + 1);
        left(&server.get("/sources"))
    };
    let there = || {
        asked.set(asked.get() + 1);
        left_at(&process, key)
    };
    let lefts: Vec<u64> = (0..40).map(|_| there()).collect();
    assert_eq!(lefts[39], 960);
    server.wait_until("the other server's count", || here() < 960);
    let seen = here();
    server.wait_until("this server's count", || there() < seen);
    // Counts older than a few seconds survive a crash.
    server.wait_until("all counts", || written(&server, Utc::now()) == asked.get());
    drop(process);
    let again = Program::serve_with_plans(&server, "plans.toml");
    assert_eq!(
        left_at(&again, key),
        999 - asked.get(),
        "no request is lost or counted twice"
    );
}

#[test]
fn a_flood_of_wrong_keys_does_not_affect_valid_ones() {
    let server = server(
        "[PRO]\nrequests_per_minute = 1000000\nrequests_per_day = 1000000\n",
        noon,
    );
    let answers = thread::scope(|scope| {
        for flood in 0..3 {
            let server = &server;
            scope.spawn(move || {
                for number in 0..300 {
                    let wrong = format!("pk_{flood:08x}{number:032x}");
                    assert_eq!(ask(server, &wrong, "GET", "/contract").status, 403);
                }
            });
        }
        let right = (0..100).map(|_| server.get("/contract?limit=1"));
        right.map(|answer| (answer.status, left(&answer))).collect::<Vec<_>>()
    });
    assert_eq!(answers[99], (200, 999_900), "wrong keys count against no account");
    assert!(answers.iter().all(|(status, _)| *status == 200));
}

#[test]
fn a_revoked_key_is_refused_and_a_changed_plan_keeps_the_counts() {
    let server = server(
        "[BASIC]\nrequests_per_day = 3\nrequests_per_minute = 1000\n[PRO]\nrequests_per_day = 10\n",
        noon,
    );
    let key = server.new_key(Plan::Basic, "test");
    let path = "/contract?limit=1";
    let answers: Vec<u16> = (0..5).map(|_| ask(&server, &key, "GET", path).status).collect();
    assert_eq!(answers[4], 429);

    // There is no command to change a plan: the operator updates the row.
    let database = rusqlite::Connection::open(server.folder.path().join("state.db")).unwrap();
    database
        .execute("UPDATE keys SET plan = 'PRO' WHERE id = 2", [])
        .unwrap();
    server.wait_until("the new plan", || ask(&server, &key, "GET", path).status == 200);
    let answer = ask(&server, &key, "GET", path);
    assert_eq!(window(&answer, "day")[..3], [10, 86400, 5]);

    server.state().revoke_key(2, Utc::now()).unwrap();
    server.wait_until("the revocation", || ask(&server, &key, "GET", path).status == 403);
    assert_eq!(ask(&server, &key, "GET", path).header("ratelimit"), None);
}

fn keys(line: &[&str]) -> (bool, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_procure"))
        .arg("keys")
        .args(line)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

#[test]
fn keys_list_shows_todays_requests_and_invalid_rows() {
    let server = TestServer::own(&contracts(5), |_| {});
    let state = server.folder.path().join("state.db");
    let state = state.to_str().unwrap();
    for _ in 0..3 {
        server.get("/contract");
    }
    server.wait_until("the count", || written(&server, Utc::now()) == 3);
    let (_, list) = keys(&["list", "--state", state]);
    assert!(list.contains("today       3  tests"), "{list}");

    let other = server.new_key(Plan::Pro, "test");
    let database = rusqlite::Connection::open(state).unwrap();
    database
        .execute("UPDATE keys SET plan = 'GOLD' WHERE id = 2", [])
        .unwrap();
    let (is_listed, list) = keys(&["list", "--state", state]);
    assert!(is_listed && list.contains("  tests"), "{list}");
    assert!(
        list.contains("key 2 cannot be used") && list.contains("'GOLD' is not a plan"),
        "{list}"
    );
    server.wait_until("the key to be refused", || {
        ask(&server, &other, "GET", "/contract").status == 403
    });
    assert_eq!(server.get("/contract").status, 200, "the other keys work");

    let expired = [
        "create",
        "--plan",
        "PRO",
        "--label",
        "x",
        "--expires",
        "2020-01-01",
        "--state",
        state,
    ];
    let (is_made, text) = keys(&expired);
    assert!(!is_made && text.contains("--expires is not in the future"), "{text}");
}

#[test]
fn an_unusable_state_file_is_an_error_at_the_start() {
    let server = TestServer::own(&contracts(1), |_| {});
    let folder = &server.folder;
    let refused = |state: &Path| {
        let mut config = config(folder.path().to_owned());
        config.state = state.to_owned();
        let error = server::run(&config, TcpListener::bind("127.0.0.1:0").unwrap(), async {}).unwrap_err();
        format!("{error:#}")
    };
    let path = folder.path().join("newer.db");
    drop(StateDb::open(&path).unwrap());
    let newer = rusqlite::Connection::open(&path).unwrap();
    newer.pragma_update(None, "user_version", 99).unwrap();
    let text = refused(&path);
    assert!(
        text.contains("newer.db: its schema has version 99, and this program supports"),
        "{text}"
    );

    let path = folder.path().join("text.db");
    fs::write(&path, "not a database, whatever its name\n".repeat(200)).unwrap();
    assert!(refused(&path).contains("text.db: it is not an SQLite database; name another file"));
    assert!(refused(folder.path()).contains("it is a folder; name a file in it"));
}

#[test]
fn the_usage_of_a_key_is_stated_for_free_even_when_its_quota_is_used() {
    static NOW: AtomicI64 = AtomicI64::new(0);
    let now = || DateTime::from_timestamp(NOW.load(Ordering::Relaxed), 0).unwrap();
    NOW.store(noon().timestamp(), Ordering::Relaxed);
    let plans = "[PRO]\nrequests_per_minute = 1000\nrequests_per_day = 3\npage_cap = 200\n";
    let server = server(plans, now);
    for _ in 0..2 {
        assert_eq!(server.get("/contract?limit=1").status, 200);
    }
    let answer = server.get("/usage");
    assert_eq!((answer.status, answer.header("x-ratelimit-cost")), (200, Some("0")));
    assert_eq!(
        answer.json(),
        json!({
            "plan": "PRO", "paid": true, "page_cap": 200, "requests_per_minute": 1000, "requests_per_day": 3,
            "today": "2026-03-01", "used_today": 2, "left_today": 1, "resets_at": "2026-03-02T00:00:00Z",
            "expires_at": null, "history": [{"day": "2026-03-01", "requests": 2}],
        })
    );
    assert_eq!(server.get("/contract?limit=1").status, 200);
    assert_eq!(server.get("/contract?limit=1").status, 429);
    // The next day has a full quota, and the day before is history.
    server.wait_until("the counts", || written(&server, now()) == 3);
    let used = server.get("/usage").json();
    assert_eq!((&used["left_today"], &used["used_today"]), (&json!(0), &json!(3)));
    NOW.fetch_add(86_400, Ordering::Relaxed);
    let used = server.get("/usage").json();
    assert_eq!(
        (&used["left_today"], &used["history"]),
        (&json!(3), &json!([{"day": "2026-03-01", "requests": 3}]))
    );
    assert_eq!(
        server.get("/usage?x=1").detail(),
        "unknown parameter 'x'; this endpoint accepts no parameters"
    );
    assert_eq!(server.request("GET", "/usage", &[]).status, 403);
}

#[test]
fn the_rate_limit_counts_requests_for_the_usage() {
    let server = server("[PRO]\nrequests_per_minute = 2\n", noon);
    assert_eq!([0; 3].map(|_| server.get("/usage").status), [200, 200, 429]);
}
