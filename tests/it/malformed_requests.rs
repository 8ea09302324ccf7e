//! Requests that no well-behaved client sends: unescaped addresses, malformed and endless heads,
//! bodies of every kind, and clients that stop in the middle of a request.

use std::{thread, time::Duration};

use crate::{
    http::{Next, RawConnection},
    support::{TestServer, contracts, scenario_records},
    waiting::wait_until,
};

const REQUEST_LINE: &str =
    "invalid request line; send 'METHOD /path HTTP/1.1', with each space in the path or query written as %20 or +";
const HEADER: &str = "invalid header line; send each header as 'name: value' on a line of its own that ends with CR LF";
const BODY_LENGTH: &str = "invalid body length; send either one 'content-length' with a number of bytes or 'transfer-encoding: chunked', not both";
const HEAD_TOO_LONG: &str =
    "the request line and the headers are longer than 16 KiB, or there are more than 64 headers; send less";
const METHOD_NOT_ALLOWED: &str = "method 'POST' is not allowed here; use GET, HEAD";

fn request(server: &TestServer, line: &str, more: &str) -> String {
    format!(
        "{line} HTTP/1.1\r\nhost: x\r\nx-gateway-key: {}\r\n{more}\r\n",
        server.key
    )
}

#[test]
fn an_address_may_contain_unescaped_characters() {
    let server = TestServer::shared();
    let mut raw = RawConnection::to(server);
    for (written, encoded) in [
        ("/contract?q=déneigement", "/contract?q=d%C3%A9neigement"),
        ("/contract?q=\"snow+removal\"", "/contract?q=%22snow+removal%22"),
        ("/contract?q=<b>`x`", "/contract?q=%3Cb%3E%60x%60"),
        ("/contract/c/3%20é%25", "/contract/c/3%20%C3%A9%25"),
        ("/contract?q=c#d", "/contract?q=c%23d"),
    ] {
        let answer = raw.send(request(server, &format!("GET {written}"), "")).answer();
        let expected = server.get(encoded);
        assert_eq!(answer.status, 200, "{written}: {answer:?}");
        assert_eq!(answer.body, expected.body, "{written}");
    }
    // Bytes that are not UTF-8 get the usual error for that.
    let mut latin = request(server, "GET /contract?q=X", "").into_bytes();
    let at = latin.iter().position(|byte| *byte == b'X').unwrap();
    latin[at] = 0xe9;
    let answer = raw.send(latin).answer();
    assert_eq!(
        (answer.status, answer.detail().as_str()),
        (
            422,
            "the address is not valid UTF-8 after percent-decoding; encode its text as UTF-8"
        )
    );
}

#[test]
fn a_malformed_request_gets_an_error_and_ends_the_connection() {
    let server = TestServer::shared();
    let long = "x".repeat(20_000);
    let many: String = (0..70).map(|n| format!("h{n}: x\r\n")).collect();
    for (bytes, status, detail) in [
        ("\u{16}\u{3}\u{1}\u{0}".to_owned(), 400, REQUEST_LINE),
        ("hello\r\n\r\n".into(), 400, REQUEST_LINE),
        (
            "GET /contract?q=a b HTTP/1.1\r\nhost: x\r\n\r\n".into(),
            400,
            REQUEST_LINE,
        ),
        ("GET / HTTP/9.9\r\nhost: x\r\n\r\n".into(), 400, REQUEST_LINE),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".into(), 400, REQUEST_LINE),
        ("GET / HTTP/1.1\r\nhost x\r\n\r\n".into(), 400, HEADER),
        (
            "GET / HTTP/1.1\r\n\r\n".into(),
            400,
            "the header 'host' is missing or repeated; send it exactly once",
        ),
        (
            "GET http://[/ HTTP/1.1\r\nhost: x\r\n\r\n".into(),
            400,
            "invalid address in the request line; send a path that starts with '/'",
        ),
        (format!("GET /{long}"), 431, HEAD_TOO_LONG),
        (
            format!("GET / HTTP/1.1\r\na: {long}{long}{long}{long}{long}{long}{long}{long}"),
            431,
            HEAD_TOO_LONG,
        ),
        (format!("GET / HTTP/1.1\r\n{many}\r\n"), 431, HEAD_TOO_LONG),
        (
            "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n".into(),
            400,
            BODY_LENGTH,
        ),
        (
            "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n".into(),
            400,
            BODY_LENGTH,
        ),
        (
            format!(
                "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2000000\r\n\r\n{}",
                "x".repeat(2_000_000)
            ),
            413,
            "the body is longer than 16 KiB, the maximum of this endpoint; send a shorter one",
        ),
    ] {
        let mut raw = RawConnection::to(server);
        // The request that follows is not served: where it starts is uncertain.
        let answer = raw
            .send(format!("{bytes}GET /health HTTP/1.1\r\nhost: x\r\n\r\n"))
            .answer();
        assert_eq!(
            (answer.status, answer.detail().as_str()),
            (status, detail),
            "{bytes:.100}"
        );
        assert_eq!(answer.header("connection"), Some("close"), "{bytes:.100}");
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"), "{bytes:.100}");
        assert_eq!(raw.next(false), Next::Closed, "{bytes:.100}");
    }
    let mut raw = RawConnection::to(server);
    let Next::Response(answer) = raw.send("HEAD /a b HTTP/1.1\r\n\r\n").next(true) else {
        panic!("no answer")
    };
    assert_eq!((answer.status, raw.next(true)), (400, Next::Closed));
}

#[test]
fn pipelined_requests_are_answered_up_to_the_malformed_one() {
    let server = TestServer::shared();
    let mut raw = RawConnection::to(server);
    let good = request(server, "GET /contract/c4", "");
    let body = request(server, "POST /contract", "content-length: 4\r\n") + "GET ";
    raw.send(format!("{good}{good}\r\n{good}GET /a b HTTP/1.1\r\n\r\n{good}"));
    for _ in 0..3 {
        assert_eq!(raw.answer().status, 200);
    }
    assert_eq!(raw.answer().detail(), REQUEST_LINE);
    assert_eq!(raw.next(false), Next::Closed);
    // An unread body in the same packet is not parsed as a request.
    let answer = RawConnection::to(server).send(body).answer();
    assert_eq!((answer.status, answer.detail().as_str()), (405, METHOD_NOT_ALLOWED));
}

#[test]
fn the_end_of_every_kind_of_body_is_found() {
    let server = TestServer::shared();
    let inner = request(server, "GET /contract/c4", "");
    let chunk = format!("{:x}\r\n{inner}\r\n", inner.len());
    let chunked = request(server, "POST /contract", "transfer-encoding: chunked\r\n");
    for length in [1, 7, 100_000] {
        let mut raw = RawConnection::to(server);
        for _ in 0..2 {
            for piece in format!("{chunked}{chunk}{chunk}0\r\n\r\n").as_bytes().chunks(length) {
                raw.send(piece);
            }
            assert_eq!(raw.answer().detail(), METHOD_NOT_ALLOWED);
        }
        assert_eq!(raw.send(&inner).answer().status, 200);
    }
    let mut raw = RawConnection::to(server);
    raw.send(request(
        server,
        "POST /contract",
        "content-length: 5\r\nexpect: 100-continue\r\n",
    ));
    assert_eq!(raw.answer().status, 100);
    assert_eq!(raw.send("hello").answer().status, 405);
    // A chunked body that is invalid or never ends gets one response or none, never a second one.
    for body in [
        "zz\r\n",
        "5\r\nhello0\r\n\r\n",
        &format!("{:x}\r\n{}", 3 << 20, "x".repeat(3 << 20)),
    ] {
        let mut raw = RawConnection::to(server);
        raw.send(&chunked).send(body).send(&inner);
        if let Next::Response(answer) = raw.next(false) {
            assert_eq!(answer.status, 405, "{body:.20}");
            assert!(!matches!(raw.next(false), Next::Response(_)), "{body:.20}");
        }
    }
}

#[test]
fn unusual_but_valid_requests_are_served() {
    let server = TestServer::shared();
    let key = format!("x-gateway-key: {}", server.key);
    for (bytes, status) in [
        (format!("GET /contract/c4 HTTP/1.0\r\n{key}\r\n\r\n"), 200),
        (
            format!("GET http://x/contract/c4 HTTP/1.1\r\nhost: x\r\n{key}\r\n\r\n"),
            200,
        ),
        (
            format!("CONNECT x:443 HTTP/1.1\r\nhost: x\r\n{key}\r\n\r\nnonsense"),
            404,
        ),
        (format!("OPTIONS * HTTP/1.1\r\nhost: x\r\n{key}\r\n\r\n"), 404),
        (format!("BREW /contract HTTP/1.1\r\nhost: x\r\n{key}\r\n\r\n"), 405),
        (
            format!(
                "GET /contract/{} HTTP/1.1\r\nhost: x\r\n{key}\r\n\r\n",
                "x".repeat(15_000)
            ),
            404,
        ),
    ] {
        let answer = RawConnection::to(server).send(&bytes).answer();
        assert_eq!(answer.status, status, "{bytes:.100} {answer:?}");
    }
}

/// Long enough that a loaded machine sends what it has at hand within it.
const HEAD_LIMIT: Duration = Duration::from_secs(1);

#[test]
fn incomplete_requests_time_out() {
    let server = TestServer::own(&scenario_records(), |config| {
        config.limits.head = HEAD_LIMIT;
        config.limits.body = HEAD_LIMIT;
        // The framework checks its keep-alive timer twice a second.
        config.limits.idle = 3 * HEAD_LIMIT;
    });
    let slow = "the request took too long to arrive; send it without pauses";
    let good = request(&server, "GET /contract/c4", "");
    // In the first head, and in the head after a complete request.
    let mut raw = RawConnection::to(&server);
    let answer = raw.send("GET /contr").answer();
    assert_eq!((answer.status, answer.detail().as_str()), (408, slow));
    assert_eq!(raw.next(false), Next::Closed);
    let mut raw = RawConnection::to(&server);
    assert_eq!(raw.send(&good).answer().status, 200);
    assert_eq!(raw.send("GET /contr").answer().detail(), slow);
    // Sending byte by byte does not extend the time limit.
    let mut raw = RawConnection::to(&server);
    let dripping = thread::scope(|scope| {
        let stream = scope.spawn(|| {
            for byte in "GET /contract?q=a HTTP/1.1\r\nhost: x\r\n".bytes() {
                raw.send([byte]);
                thread::sleep(Duration::from_millis(50));
            }
            raw.answer()
        });
        stream.join().unwrap()
    });
    assert_eq!(dripping.detail(), slow);
    // A silent client gets no response: before the first byte, after an empty line, between two
    // requests.
    assert_eq!(RawConnection::to(&server).next(false), Next::Closed);
    assert_eq!(RawConnection::to(&server).send("\r\n").next(false), Next::Closed);
    let mut raw = RawConnection::to(&server);
    assert_eq!(raw.send(&good).answer().status, 200);
    thread::sleep(HEAD_LIMIT * 3 / 2);
    assert_eq!(
        raw.send(&good).answer().status,
        200,
        "the idle limit is longer than the head limit"
    );
    assert_eq!(raw.next(false), Next::Closed);
    // In a body that no handler reads: the response, then the connection is closed.
    let mut raw = RawConnection::to(&server);
    raw.send(request(&server, "POST /contract", "transfer-encoding: chunked\r\n") + "5\r\nhe");
    assert_eq!(raw.answer().status, 405);
    assert_eq!(raw.next(false), Next::Closed);
    // A client that closes its side no longer waits for the response.
    let mut raw = RawConnection::to(&server);
    raw.send(&good).half_close();
    assert!(!matches!(raw.next(false), Next::Broken(_)));
    assert_eq!(
        RawConnection::to(&server).send("GET /contr").half_close().next(false),
        Next::Closed
    );
}

#[test]
fn a_client_that_never_reads_is_disconnected() {
    let server = TestServer::own(&contracts(500), |config| {
        config.limits.write_window = Duration::from_millis(500)
    });
    let mut raw = RawConnection::to(&server);
    let page = request(&server, "GET /contract?limit=500", "");
    for _ in 0..400 {
        raw.send(&page);
    }
    // 400 responses of about 80 KB exceed the system's buffers. Long after the time limit, the rest
    // must not arrive.
    wait_until("the response to another client", || {
        server.get("/contract?limit=1").status == 200
    });
    thread::sleep(Duration::from_secs(3));
    let mut answers = 0;
    while let Next::Response(answer) = raw.next(false) {
        assert_eq!(answer.status, 200);
        answers += 1;
    }
    assert!(answers < 400, "all requests were answered");
}
