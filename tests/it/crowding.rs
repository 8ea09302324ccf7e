//! Hostile connections in large numbers: they take neither the places nor the memory that other clients need.

use std::{
    io::{ErrorKind, Read},
    net::TcpStream,
    process::Command,
    thread,
    time::Duration,
};

use crate::{
    http::{Next, RawConnection},
    support::{TestServer, contracts, free},
    waiting::{WAIT_LIMIT, wait_until},
};

/// A keyless response of hundreds of kilobytes, which is the same for all clients.
const LARGE_PAGE: &str = "GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n";

const NO_PLACE: &str = "too many connections are open; try again in a second";

fn search(server: &TestServer, address: &str) -> String {
    format!(
        "GET {address} HTTP/1.1\r\nhost: x\r\nx-gateway-key: {}\r\n\r\n",
        server.key
    )
}

/// A client with a key that asks for many large responses and reads only the first one: its connection is never idle.
fn busy(server: &TestServer) -> RawConnection {
    let mut raw = RawConnection::to(server);
    // The key counts at an endpoint that needs one.
    assert_eq!(raw.send(search(server, "/contract")).answer().status, 200);
    assert_eq!(raw.send(LARGE_PAGE.repeat(100)).answer().status, 200);
    raw
}

fn metric(server: &TestServer, admin: &str, name: &str) -> f64 {
    let page = RawConnection::connect(admin)
        .unwrap()
        .send("GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n")
        .answer()
        .text();
    let line = page.lines().find_map(|line| line.strip_prefix(name));
    let value = line.unwrap_or_else(|| panic!("{name} of {}: {page}", server.address));
    value.trim().parse().unwrap()
}

#[test]
fn clients_that_keep_the_server_waiting_leave_when_places_are_scarce() {
    let server = TestServer::own(&contracts(30), |config| config.limits.connections = 40);
    let asked = search(&server, "/contract/c%7C1");
    for hostile in [
        "",
        "GET /contract HTTP/1.1\r\nhost: x\r\n",
        "GET /health HTTP/1.1\r\nhost: x\r\n\r\n",
        "POST /tender/alerts/unsubscribe?token=x HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\na",
    ] {
        let mut active = RawConnection::to(&server);
        let mut idle = RawConnection::to(&server);
        assert_eq!(idle.send(&asked).answer().status, 200);
        let mut held = Vec::new();
        for number in 0..200 {
            let mut raw = RawConnection::to(&server);
            raw.send(hostile);
            held.push(raw);
            if number % 10 == 0 {
                // A client with a key stays, and a new one gets in.
                assert_eq!(active.send(&asked).answer().status, 200, "{number} × {hostile}");
                let answer = RawConnection::to(&server).send(&asked).answer();
                assert_eq!(answer.status, 200, "{number} × {hostile}: {answer:?}");
            }
        }
        assert_eq!(idle.send(&asked).answer().status, 200, "{hostile}");
        // The first ones have left: without a response if they sent nothing, else with a 503.
        let mut first = held.remove(0);
        match first.next(false) {
            Next::Closed => assert!(!hostile.starts_with("GET /contract")),
            Next::Response(answer) if answer.status == 200 => assert_eq!(first.next(false), Next::Closed),
            Next::Response(answer) => assert_eq!((answer.status, answer.detail().as_str()), (503, NO_PLACE)),
            Next::Broken(why) => assert!(!hostile.is_empty(), "{why}"),
        }
    }
}

#[test]
fn clients_that_keep_the_server_waiting_leave_while_memory_is_short() {
    let admin = free();
    let server = TestServer::own(&contracts(3), |config| {
        config.limits.memory_bytes = 0;
        config.limits.memory_growth_bytes = 0;
        config.admin_bind = Some(admin.parse().unwrap());
    });
    let asked = search(&server, "/contract/c%7C1");
    let mut active = RawConnection::to(&server);
    let silent: Vec<RawConnection> = (0..20).map(|_| RawConnection::to(&server)).collect();
    wait_until("the end of the silent connections", || {
        // A client with a key that asks stays.
        assert_eq!(active.send(&asked).answer().status, 200);
        silent.iter().all(RawConnection::is_closed)
    });
    assert_eq!(metric(&server, &admin, "procure_memory_is_short "), 1.0);
    let evicted = "procure_connections_rejected_total{reason=\"evicted\"} ";
    assert!(metric(&server, &admin, evicted) >= 20.0);
}

#[test]
fn when_all_places_are_busy_a_health_check_is_still_answered() {
    let admin = free();
    let server = TestServer::own(&contracts(3), |config| {
        config.limits.connections = 8;
        // The busy clients stay.
        config.limits.write_window = Duration::from_secs(600);
        config.admin_bind = Some(admin.parse().unwrap());
    });
    let busy: Vec<RawConnection> = (0..8).map(|_| busy(&server)).collect();
    // Clients of the same machine that ask for nothing hold the places for health checks.
    let silent: Vec<RawConnection> = (0..40).map(|_| RawConnection::to(&server)).collect();
    wait_until("the connections", || {
        metric(&server, &admin, "procure_connections_open ") >= 8.0
    });
    let mut raw = RawConnection::to(&server);
    let answer = raw.send(search(&server, "/contract")).answer();
    assert_eq!(
        (answer.status, answer.detail().as_str(), answer.header("retry-after")),
        (503, NO_PLACE, Some("1"))
    );
    assert_eq!(raw.next(false), Next::Closed);
    let health = Command::new(env!("CARGO_BIN_EXE_procure"))
        .args(["health", "--bind", server.address.trim_start_matches("http://")])
        .output()
        .unwrap();
    assert!(health.status.success(), "{}", String::from_utf8_lossy(&health.stderr));
    let mut raw = RawConnection::to(&server);
    let answer = raw.send("GET /health HTTP/1.1\r\nhost: x\r\n\r\n").answer();
    assert_eq!((answer.status, answer.header("connection")), (200, Some("close")));
    assert_eq!(metric(&server, &admin, "procure_connections_limit "), 8.0);
    assert!(
        metric(
            &server,
            &admin,
            "procure_connections_rejected_total{reason=\"evicted\"} "
        ) > 0.0
    );
    drop((busy, silent));
    wait_until("a place", || {
        let answer = RawConnection::to(&server)
            .send(search(&server, "/contract"))
            .next(false);
        matches!(answer, Next::Response(answer) if answer.status == 200)
    });
}

#[test]
fn a_client_without_a_key_that_reads_nothing_leaves_for_others() {
    let server = TestServer::own(&contracts(3), |config| {
        config.limits.connections = 8;
        config.limits.write_window = Duration::from_secs(600);
    });
    let unread: Vec<RawConnection> = (0..8)
        .map(|_| {
            let mut raw = RawConnection::to(&server);
            raw.send(LARGE_PAGE.repeat(100));
            raw
        })
        .collect();
    for _ in 0..20 {
        wait_until("an answer", || {
            let answer = RawConnection::to(&server)
                .send(search(&server, "/contract"))
                .next(false);
            matches!(answer, Next::Response(answer) if answer.status == 200)
        });
    }
    drop(unread);
}

#[test]
fn a_connection_without_a_key_may_be_idle_for_a_shorter_time() {
    let server = TestServer::own(&contracts(3), |config| {
        config.limits.keyless_idle = Duration::from_secs(1);
    });
    let mut keyless = RawConnection::to(&server);
    let mut keyed = RawConnection::to(&server);
    assert_eq!(keyed.send(search(&server, "/contract")).answer().status, 200);
    let health = "GET /health HTTP/1.1\r\nhost: x\r\n\r\n";
    // The key of an earlier request counts: the second connection has been idle for longer than the first one when that
    // is closed.
    for _ in 0..2 {
        assert_eq!(keyed.send(health).answer().status, 200);
        for _ in 0..3 {
            keyless.send(health);
        }
        for _ in 0..3 {
            assert_eq!(keyless.answer().status, 200);
        }
        assert_eq!(keyless.next(false), Next::Closed);
        keyless = RawConnection::to(&server);
    }
    assert_eq!(keyed.send(health).answer().status, 200);
}

/// Reads a byte at a time, with a pause before each, until the server has closed the connection; then all that the
/// system has. Returns the number of bytes, and whether the connection was reset.
fn read_slowly(server: &TestServer, request: &str, pause: Duration, is_closed: impl Fn() -> bool) -> (usize, bool) {
    let mut stream = TcpStream::connect(server.address.trim_start_matches("http://")).unwrap();
    std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
    stream.set_read_timeout(Some(WAIT_LIMIT)).unwrap();
    let mut bytes = 0;
    wait_until("the end of the connection", || {
        thread::sleep(pause);
        bytes += stream.read(&mut [0]).unwrap_or(0);
        is_closed()
    });
    let mut rest = Vec::new();
    let end = stream.read_to_end(&mut rest);
    let is_reset = end.is_err_and(|error| error.kind() == ErrorKind::ConnectionReset);
    (bytes + rest.len(), is_reset)
}

#[test]
fn a_client_that_reads_a_byte_at_a_time_is_disconnected() {
    let admin = free();
    let server = TestServer::own(&contracts(3), |config| {
        config.limits.write_window = Duration::from_secs(1);
        config.admin_bind = Some(admin.parse().unwrap());
    });
    // Far more than the system's buffers take.
    let whole = 100 * RawConnection::to(&server).send(LARGE_PAGE).answer().body.len();
    let slow_readers = || {
        metric(
            &server,
            &admin,
            "procure_connections_rejected_total{reason=\"slow_reader\"} ",
        )
    };
    let (bytes, is_reset) = read_slowly(&server, &LARGE_PAGE.repeat(100), Duration::from_millis(100), || {
        slow_readers() > 0.0
    });
    assert!(bytes < whole / 2, "{bytes} of {whole} bytes");
    assert!(is_reset, "the system goes on offering what the client does not take");
    assert_eq!(slow_readers(), 1.0);
}

#[test]
fn responses_beyond_their_memory_get_a_503() {
    let admin = free();
    let server = TestServer::own(&contracts(500), |config| {
        config.limits.response_bytes = 400_000;
        // The slow clients stay.
        config.limits.write_window = Duration::from_secs(600);
        config.admin_bind = Some(admin.parse().unwrap());
    });
    // Each page has about 80 KB, so one key gets one or two of them at a time.
    let page = search(&server, "/contract?limit=500");
    let mut slow: Vec<RawConnection> = (0..6).map(|_| RawConnection::to(&server)).collect();
    for raw in &mut slow {
        raw.send(page.repeat(200));
    }
    let refused = |answer: &Next| matches!(answer, Next::Response(answer) if answer.status == 503);
    wait_until("a refusal", || {
        refused(&RawConnection::to(&server).send(&page).next(false))
    });
    wait_until("a response that waits", || {
        metric(&server, &admin, "procure_response_bodies_bytes ") > 0.0
    });
    assert_eq!(
        metric(&server, &admin, "procure_response_bodies_limit_bytes "),
        400_000.0
    );
    let answer = RawConnection::to(&server).send(&page).answer();
    if answer.status == 503 {
        assert!(
            answer.detail().starts_with("too many large responses wait to be read"),
            "{answer:?}"
        );
        assert_eq!(answer.header("retry-after"), Some("1"));
    }
    // Small responses, and those that all clients share, take no memory of their own.
    assert_eq!(server.get("/contract/c%7C1").status, 200);
    assert_eq!(
        RawConnection::to(&server)
            .send(page.replace("limit=500", "limit=10"))
            .answer()
            .status,
        200
    );
    drop(slow);
    wait_until("the memory", || {
        !refused(&RawConnection::to(&server).send(&page).next(false))
    });
}
