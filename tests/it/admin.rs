//! The operator's view of the real program: option errors, log, metrics, notifications to systemd,
//! printed files.

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    net::TcpStream,
    os::unix::net::UnixDatagram,
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::{
    http::RawConnection,
    program::{Program, run},
    support::{TestServer, contracts, free},
    waiting::{WAIT_LIMIT, wait_until},
};

#[test]
fn unsafe_or_incomplete_options_are_rejected_with_a_reason() {
    let server = TestServer::own(&contracts(3), |_| {});
    let path = |name: &str| server.folder.path().join(name).to_str().unwrap().to_owned();
    let (index, state, newer) = (path("index"), path("state.db"), path("newer.db"));
    let made = run(&["keys", "create", "--plan", "PRO", "--label", "x", "--state", &newer]);
    assert_eq!(made.0, Some(0));
    let database = rusqlite::Connection::open(&newer).unwrap();
    database.pragma_update(None, "user_version", 99).unwrap();
    drop(database);
    fs::write(path("plans.toml"), "[GOLD]\n").unwrap();
    let taken = server.address.trim_start_matches("http://").to_owned();
    let bind = free();
    let port = bind.rsplit(':').next().unwrap().to_owned();
    for (options, code, sentence) in [
        (
            vec!["--admin-bind", &bind],
            1,
            format!("the admin address {bind} overlaps the public address {bind}; give --admin-bind another port"),
        ),
        (
            vec!["--admin-bind", &format!("0.0.0.0:{port}")],
            1,
            "overlaps the public address".into(),
        ),
        (
            vec!["--admin-bind", &taken],
            1,
            format!("listening on the admin address {taken}"),
        ),
        (
            vec!["--admin-bind", "localhost"],
            2,
            "invalid value 'localhost' for '--admin-bind <ADDRESS>'".into(),
        ),
        (vec!["--plans", &path("absent.toml")], 1, "reading".into()),
        (vec!["--plans", &path("plans.toml")], 1, "[GOLD] is not a plan".into()),
        (
            vec!["--gateway-prefix", "x gateway"],
            1,
            "invalid gateway prefix 'x gateway': 'x gateway-key' is not a valid header name".into(),
        ),
        (vec!["--gateway-prefix", ""], 2, "--gateway-prefix".into()),
        (vec!["--gateway-host", ""], 2, "--gateway-host".into()),
        (vec!["--log-format", "xml"], 2, "use text or json".into()),
        (
            vec!["--query-timeout", "0"],
            2,
            "use a number of seconds above 0".into(),
        ),
    ] {
        let line = [
            &["serve", "--bind", &bind, "--index-dir", &index, "--state", &state][..],
            &options,
        ]
        .concat();
        let (status, text) = run(&line);
        assert_eq!(status, Some(code), "{options:?}: {text}");
        assert!(text.contains(&sentence), "{options:?}: {text}");
    }
    let absent = path("deep/absent.db");
    let (status, text) = run(&["serve", "--bind", &bind, "--index-dir", &index, "--state", &absent]);
    assert_eq!(status, Some(1));
    let sentence = format!("no state database {absent}; `procure keys create --state {absent} --plan PRO");
    assert!(text.contains(&sentence), "{text}");
    assert!(
        !Path::new(&path("deep")).exists(),
        "nothing is created for a mistyped path"
    );
    let (status, text) = run(&["serve", "--bind", &bind, "--index-dir", &index, "--state", &newer]);
    assert_eq!(status, Some(1));
    assert!(text.contains("its schema has version 99"), "{text}");
    let (status, text) = run(&["serve", "--bind", "nowhere", "--index-dir", &index, "--state", &state]);
    assert_eq!(status, Some(2));
    assert!(
        text.contains("invalid value 'nowhere' for '--bind <ADDRESS>'"),
        "{text}"
    );
    let (status, text) = run(&["serve", "--bind", &taken, "--index-dir", &index, "--state", &state]);
    assert_eq!(status, Some(1));
    assert!(text.contains(&format!("listening on {taken}")), "{text}");
}

#[test]
fn the_log_has_a_line_per_request_without_personal_data() {
    let server = TestServer::own(&contracts(30), |_| {});
    let key = format!("x-gateway-key: {}\r\n", server.key);
    let secret = "secret@example.org";
    for format in ["json", "text"] {
        let program = Program::start(&server, &["--log-format", format], &[]);
        let headers = format!("{key}x-request-id: first\r\n");
        let asked = format!("/contract?limit=2&q={secret}");
        let answer = program.request("GET", &asked, &headers);
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        let length = answer
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "))
            .unwrap();
        for path in [
            format!("/contract?{secret}={secret}"),
            format!("/contract/{secret}"),
            format!("/{secret}"),
            format!("/contract?key={}", server.key),
            format!("/{}", server.key),
        ] {
            let answer = program.request("GET", &path, &key);
            assert!(answer.starts_with("HTTP/1.1 4"), "{answer}");
        }
        program.request("SECRET", "/contract", &key);
        // Requests whose key is not checked, whatever their status.
        let preflight = "access-control-request-method: GET\r\n";
        let path = format!("/contract/{secret}?{secret}={}", server.key);
        let answer = program.request("OPTIONS", &path, preflight);
        assert!(answer.starts_with("HTTP/1.1 204"), "{answer}");
        let id = format!("x-request-id: {}\r\n", server.key);
        let answer = program.request("GET", "/contract?limit=1", &(key.clone() + &id));
        assert!(
            answer.starts_with("HTTP/1.1 200") && !answer.contains(&server.key),
            "{answer}"
        );
        program.request("GET", "/health", &id);
        program.request("GET", "/contract/c%7C1?", &key);
        program.request("GET", "/contract", "x-gateway-key: pk_wrong\r\n");
        program.terminate();
        wait_until("the drain", || {
            let answer = program.request("GET", &path, "");
            assert!(!answer.is_empty(), "it closed before it was seen to drain");
            answer.starts_with("HTTP/1.1 503")
        });
        let log = program.end();
        for word in ["secret", "SECRET", "pk_"] {
            assert!(!log.contains(word), "{word}: {log}");
        }
        let requests: Vec<&str> = log.lines().filter(|line| line.contains("answered")).collect();
        let first = requests.iter().find(|line| line.contains("first")).unwrap();
        if format == "text" {
            for part in [
                " INFO request: answered id=first method=GET route=/{entity_type} path=/contract params=limit,q status=200",
                &format!(" bytes={length} ms="),
                " key=1 generation=",
            ] {
                assert!(first.contains(part), "{first}");
            }
            continue;
        }
        for line in log.lines() {
            let line: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
            assert!(
                line["time"].as_str().unwrap().ends_with('Z') && line["level"].is_string(),
                "{line}"
            );
        }
        let first: Value = serde_json::from_str(first).unwrap();
        assert_eq!(
            (
                &first["route"],
                &first["path"],
                &first["params"],
                &first["status"],
                &first["key"]
            ),
            (
                &"/{entity_type}".into(),
                &"/contract".into(),
                &"limit,q".into(),
                &200.into(),
                &1.into()
            )
        );
        assert_eq!(first["bytes"].to_string(), length);
        assert!(first["ms"].as_f64().unwrap() > 0.0 && first["generation"].is_string());
        let refused = requests.iter().rfind(|line| line.contains("\"status\":403")).unwrap();
        let refused: Value = serde_json::from_str(refused).unwrap();
        assert_eq!(
            (&refused["status"], &refused["key"], &refused["path"]),
            (&403.into(), &Value::Null, &Value::Null)
        );
    }
}

#[test]
fn a_client_without_a_key_writes_none_of_its_words_into_the_log_and_only_short_lines() {
    let server = TestServer::own(&contracts(3), |_| {});
    let program = Program::start(&server, &["--explorer", "open"], &[]);
    let (long, address) = ("A".repeat(7_000), "jane.doe@example.org");
    for place in [
        "/",
        "/en",
        "/en/account",
        "/en/about",
        "/fr/search",
        "/health",
        "/docs",
        "/robots.txt",
    ] {
        for words in [long.as_str(), address, &server.key] {
            program.request("GET", &format!("{place}?{words}=1&{words}"), "");
        }
    }
    for words in [long.as_str(), "jane.doe%40example.org", &server.key] {
        for place in [
            "/",
            "/en/vendor/",
            "/en/record/contract/",
            "/en/nothing/",
            "/contract/",
            "/assets/",
        ] {
            program.request("GET", &format!("{place}{words}"), "");
        }
        program.request(words, "/en/account", "");
        for name in [
            "x-request-id",
            "user-agent",
            "referer",
            "x-gateway-key",
            "cookie",
            "host",
            "accept-language",
        ] {
            program.request("GET", "/en/account?notice=link", &format!("{name}: {words}\r\n"));
        }
    }
    let id = format!("x-request-id: {address}\r\n");
    program.request("GET", "/en/about?next=x&unheard=1&of=2&next=y", &id);
    let log = program.end();
    for word in ["AAAA", "jane", "example", "pk_", "unheard"] {
        assert!(!log.contains(word), "{word}: {log}");
    }
    assert!(
        log.contains(" path=/en/about params=next unknown_params=2 status=200"),
        "{log}"
    );
    let longest = log.lines().map(str::len).max().unwrap();
    assert!(longest < 2_048, "a line of {longest} bytes");
}

#[test]
fn a_log_that_nothing_reads_delays_no_request() {
    let server = TestServer::own(&contracts(3), |_| {});
    let program = Program::logging_to(Stdio::piped(), &server, &[], &[]);
    let id = format!("x-request-id: {}\r\n", "x".repeat(128));
    // Several times the capacity of a pipe.
    for _ in 0..1000 {
        assert!(program.request("GET", "/health", &id).starts_with("HTTP/1.1 200"));
    }
    program.end();
}

#[test]
fn metrics_and_readiness_are_served_on_the_admin_address_only() {
    let server = TestServer::own(&contracts(30), |_| {});
    let program = Program::start(&server, &[], &[]);
    let key = format!("x-gateway-key: {}\r\n", server.key);
    program.request("GET", "/contract", &key);
    program.request("GET", "/contract?limit=1", &key);
    program.request("GET", "/contract/c%7C1", &key);
    program.request("GET", "/vendors?q=vendor", &key);
    program.request("GET", "/nope", &key);
    program.request("GET", "/contract", "");
    for path in ["/metrics", "/ready", "/live"] {
        assert!(program.request("GET", path, "").starts_with("HTTP/1.1 403"), "{path}");
        assert!(program.request("GET", path, &key).starts_with("HTTP/1.1 404"), "{path}");
        assert!(program.admin(path).starts_with("HTTP/1.1 200"), "{path}");
    }
    assert!(program.admin("/contract").starts_with("HTTP/1.1 404"));
    let build = format!("procure_build_info{{version=\"{}\"}} 1", env!("CARGO_PKG_VERSION"));
    let lines = [
        "content-type: application/openmetrics-text; version=1.0.0; charset=utf-8",
        "procure_requests_total{route=\"/{entity_type}\",status=\"200\"} 2",
        "procure_requests_total{route=\"/{entity_type}\",status=\"403\"} 1",
        "procure_requests_total{route=\"/{entity_type}/{record_id}\",status=\"200\"} 1",
        "procure_requests_total{route=\"none\",status=\"404\"}",
        "procure_request_duration_seconds_count{route=\"/{entity_type}\"} 3",
        "procure_request_duration_seconds_bucket{le=\"5.0\",route=\"/{entity_type}\"} 3",
        "procure_quota_rejections_total 0",
        "procure_background_failures_total{step=\"reload\"} 0",
        "procure_background_failures_total{step=\"state\"} 0",
        "procure_log_lines_lost_total 0",
        "procure_connections_open ",
        "procure_searches_waiting{lane=\"quick\"} 0",
        "procure_searches_waiting{lane=\"heavy\"} 0",
        "procure_searches_running{lane=\"quick\"} 0",
        "procure_searches_refused_total{lane=\"quick\"} 0",
        "procure_search_pace_seconds{lane=\"quick\",route=\"/vendors\"} ",
        "procure_records{entity_type=\"contract\"} 30",
        "procure_records{entity_type=\"tender\"} 0",
        "procure_source_age_seconds{source_id=\"model\",entity_type=\"contract\"} ",
        "procure_generation_info{generation=\"",
        "procure_generation_age_seconds ",
        "procure_generation_is_current 1",
        "procure_state_age_seconds ",
        "procure_cache_entries{cache=\"statistics\"} ",
        "procure_cache_bytes{cache=\"tender_values\"} ",
        "procure_memory_anonymous_bytes ",
        &build,
        "# EOF",
    ];
    // A request and its search are counted after the response is sent.
    for line in lines {
        wait_until(line, || program.admin("/metrics").contains(line));
    }
}

#[test]
fn the_operating_page_describes_every_metric() {
    let server = TestServer::own(&contracts(3), |_| {});
    let program = Program::start(&server, &[], &[]);
    let page = program.admin("/metrics");
    let docs = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/operating.md")).unwrap();
    let names: Vec<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next())
        .collect();
    assert!(names.len() > 20, "{page}");
    let missing: Vec<&&str> = names.iter().filter(|name| !docs.contains(**name)).collect();
    assert!(missing.is_empty(), "docs/operating.md does not describe {missing:?}");
    let row = |name: &str| docs.lines().find(|line| line.starts_with(&format!("| `{name}{{")));
    for (name, label) in [
        ("procure_background_failures_total", "step"),
        ("procure_mails_total", "outcome"),
    ] {
        let row = row(name).unwrap_or_else(|| panic!("no row of {name}"));
        let prefix = format!("{name}{{{label}=\"");
        let values: Vec<&str> = page
            .lines()
            .filter_map(|line| line.strip_prefix(&prefix)?.split('"').next())
            .collect();
        assert!(
            values.len() > 3,
            "{name} has only the values {values:?} before any event"
        );
        for value in values {
            assert!(row.contains(&format!("`{value}`")), "{value} is not in: {row}");
        }
    }
}

#[test]
fn the_metrics_have_descriptions_of_their_own() {
    let server = TestServer::own(&contracts(3), |_| {});
    let page = Program::start(&server, &[], &[]).admin("/metrics");
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    for line in page.lines().filter_map(|line| line.strip_prefix("# HELP ")) {
        let (name, help) = line.split_once(' ').unwrap();
        assert!(help.ends_with('.') && !help.ends_with(".."), "{line}");
        if let Some(other) = names.insert(help, name) {
            panic!("{name} and {other} have the same description: {help}");
        }
    }
    assert!(names.len() > 20, "{page}");
}

#[test]
fn a_reachable_admin_address_is_warned_about() {
    let server = TestServer::own(&contracts(3), |_| {});
    let port = free().rsplit(':').next().unwrap().to_owned();
    let warning = "need no key, and other machines may reach that address";
    let program = Program::start(&server, &["--log-format", "json"], &[]);
    assert!(!program.end().contains(warning));
    let everywhere = format!("0.0.0.0:{port}");
    // A folder without an index, so that the program exits by itself.
    let (status, text) = run(&[
        "serve",
        "--bind",
        &free(),
        "--admin-bind",
        &everywhere,
        "--index-dir",
        server.folder.path().to_str().unwrap(),
        "--state",
        server.folder.path().join("state.db").to_str().unwrap(),
    ]);
    assert!(status == Some(1) && text.contains(warning), "{text}");
}

#[test]
fn a_stopping_server_is_not_ready() {
    let server = TestServer::own(&contracts(3), |_| {});
    let program = Program::start(&server, &[], &[]);
    assert!(program.admin("/ready").contains("ready"));
    let mut pending = RawConnection::connect(&program.address).unwrap();
    let head = "GET /health HTTP/1.1\r\n";
    // With the answer to the first request, the start of the second one has arrived.
    assert_eq!(
        pending.send(format!("{head}host: x\r\n\r\n{head}")).answer().status,
        200
    );
    program.terminate();
    wait_until("readiness to end", || {
        program.admin("/ready").starts_with("HTTP/1.1 503")
    });
    assert!(program.admin("/live").starts_with("HTTP/1.1 200"));
    assert!(program.request("GET", "/health", "").starts_with("HTTP/1.1 503"));
    let page = program.admin("/metrics");
    let refused = "procure_requests_total{route=\"/health\",status=\"503\"} 1";
    assert!(page.contains(refused), "{page}");
    // A monitor's open connection does not delay the end.
    let mut monitor = TcpStream::connect(&program.admin).unwrap();
    monitor.write_all(b"GET /live HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
    drop(pending);
    let started = Instant::now();
    program.ended();
    assert!(started.elapsed() < WAIT_LIMIT);
    drop(monitor);
}

#[test]
fn systemd_is_notified_of_start_reload_watchdog_and_stop() {
    let server = TestServer::own(&contracts(3), |_| {});
    let path = server.folder.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let next = || {
        let mut buffer = [0; 512];
        let length = socket.recv(&mut buffer).expect("a notification within the timeout");
        String::from_utf8(buffer[..length].to_vec()).unwrap()
    };
    let next_with = |word: &str| {
        loop {
            let message = next();
            if message.contains(word) {
                return message;
            }
            assert_eq!(message.trim(), "WATCHDOG=1", "instead of {word}");
        }
    };
    let variables = [("NOTIFY_SOCKET", path.to_str().unwrap()), ("WATCHDOG_USEC", "400000")];
    let program = Program::start(&server, &[], &variables);
    next_with("READY=1");
    next_with("WATCHDOG=1");
    let generation = server.publish(&contracts(4));
    let message = next_with("RELOADING=1");
    assert!(message.contains("MONOTONIC_USEC="), "{message}");
    let message = next_with("READY=1");
    assert!(
        message.contains(&format!("STATUS=serving generation {generation}")),
        "{message}"
    );
    program.terminate();
    next_with("STOPPING=1");
    program.ended();
}

#[test]
fn health_requests_a_running_server() {
    let server = TestServer::shared();
    let address = server.address.trim_start_matches("http://");
    assert_eq!(run(&["health", "--bind", address]), (Some(0), String::new()));
    let everywhere = address.replace("127.0.0.1", "0.0.0.0");
    assert_eq!(run(&["health", "--bind", &everywhere]).0, Some(0));
    let unused = free();
    let (status, text) = run(&["health", "--bind", &unused]);
    assert_eq!(status, Some(1));
    assert!(text.contains(&format!("requesting http://{unused}/health")), "{text}");
}

#[test]
fn the_systemd_unit_completions_and_manual_pages_are_printed() {
    let (status, unit) = run(&["print", "systemd-unit"]);
    assert_eq!(status, Some(0));
    for line in [
        "Type=notify",
        "NoNewPrivileges=yes",
        "ProtectSystem=strict",
        "MemoryDenyWriteExecute=yes",
        "MemoryHigh=3584M",
        "MemoryMax=4G",
        "TasksMax=512",
        "LimitNOFILE=65536",
    ] {
        assert!(unit.lines().any(|known| known == line), "{line}");
    }
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (status, text) = run(&["print", "completions", shell]);
        assert!(status == Some(0) && text.contains("gateway-prefix"), "{shell}");
    }
    let (status, page) = run(&["print", "man", "keys", "create"]);
    assert!(
        status == Some(0) && page.contains(".TH procure-keys-create 1"),
        "{page}"
    );
    assert!(page.contains("PROCURE_STATE"));
    let (status, text) = run(&["print", "man", "keys", "lend"]);
    assert_eq!(status, Some(1));
    assert!(
        text.contains("unknown command 'keys lend'; use one of: create, list, trust, untrust, revoke"),
        "{text}"
    );
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    assert_eq!(run(&["print", "man", "--out", out]).0, Some(0));
    for page in [
        "procure",
        "procure-serve",
        "procure-index",
        "procure-keys-revoke",
        "procure-print-man",
    ] {
        assert!(Path::new(out).join(format!("{page}.1")).is_file(), "{page}");
    }
}
