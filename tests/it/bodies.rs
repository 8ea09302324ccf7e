//! Valid and invalid request bodies: the error of each, and that the connection stays usable if the body was read.

use std::time::Duration;

use crate::{
    http::{Next, RawConnection},
    support::{TestServer, scenario_records},
    waiting::wait_until,
};

/// The head of a POST with the server's key, without its end.
fn head(server: &TestServer, path: &str) -> String {
    format!("POST {path} HTTP/1.1\r\nhost: x\r\nx-gateway-key: {}\r\n", server.key)
}

fn sized(server: &TestServer, kind: &str, body: &str) -> String {
    let kind = match kind {
        "" => String::new(),
        kind => format!("content-type: {kind}\r\n"),
    };
    format!(
        "{}{kind}content-length: {}\r\n\r\n{body}",
        head(server, "/tender/estimate"),
        body.len()
    )
}

fn chunked(server: &TestServer, body: &str) -> String {
    let head = head(server, "/tender/estimate");
    let pieces: String = body
        .as_bytes()
        .chunks(7)
        .map(|piece| format!("{:x}\r\n{}\r\n", piece.len(), String::from_utf8_lossy(piece)))
        .collect();
    format!("{head}transfer-encoding: chunked\r\ncontent-type: application/json\r\n\r\n{pieces}0\r\n\r\n")
}

const JSON: &str = "application/json";

#[test]
fn an_invalid_body_gives_an_error_and_the_connection_stays_open() {
    let server = TestServer::shared();
    let many = serde_json::json!({"gsins": vec!["N7030"; 51]}).to_string();
    let deep = format!("{{\"items\":{}", "[".repeat(500));
    let cases = [
        (
            JSON,
            "",
            422,
            "a body is required: a JSON object, sent as application/json",
        ),
        (
            "",
            " \r\n ",
            422,
            "a body is required: a JSON object, sent as application/json",
        ),
        (
            "text/plain",
            "{}",
            415,
            "the body has the content type 'text/plain'; send application/json, in UTF-8",
        ),
        (
            "application/x-www-form-urlencoded",
            "gsins=1",
            415,
            "the body has the content type 'application/x-www-form-urlencoded'; send application/json, in UTF-8",
        ),
        (
            "application/json; charset=latin1",
            "{}",
            415,
            "the body has the content type 'application/json; charset=latin1'; send application/json, in UTF-8",
        ),
        (
            JSON,
            "{\n\"gsins\": [}",
            422,
            "the body cannot be parsed as JSON: expected value at line 2 column 11",
        ),
        (JSON, &deep, 422, "member 'items[0]': must be a JSON object"),
        (JSON, "[]", 422, "the body must be a JSON object"),
        (
            JSON,
            "{\"gsin\":[]}",
            422,
            "unknown member 'gsin'; expected one of 'items', 'record_ids', 'gsins', 'years_back'",
        ),
        (
            "application/problem+json;charset=utf-8",
            "{\"gsins\":[\"a\"],\"gsins\":[]}",
            422,
            "member 'gsins': given twice; give it once",
        ),
        (
            "",
            "{\"limit\":3}",
            422,
            "unknown member 'limit'; expected one of 'items', 'record_ids', 'gsins', 'years_back'",
        ),
        (
            JSON,
            "{}",
            422,
            "the body has 0 items ('items', 'record_ids' and 'gsins' together); send 1 to 50",
        ),
        (
            JSON,
            &many,
            422,
            "the body has 51 items ('items', 'record_ids' and 'gsins' together); send 1 to 50",
        ),
        (
            JSON,
            "{\"items\":[{\"gsin\":\"N7030\"},{\"title\":\"x\"}]}",
            422,
            "member 'items[1]': give 'record_id' or 'gsin'",
        ),
        (
            JSON,
            "{\"items\":[{\"record_id\":\"t\",\"title\":\"x\"}]}",
            422,
            "member 'items[0]': 'title' cannot be combined with 'record_id'; the tender has its own",
        ),
        (
            JSON,
            "{\"items\":[{\"gsin\":\"N7030\",\"category\":\"goods\"}]}",
            422,
            "member 'items[0].category': 'goods' is not one of CNST, GD, SRV, SRVTGD",
        ),
        (
            JSON,
            "{\"gsins\":[\"a\"],\"years_back\":0}",
            422,
            "member 'years_back': '0' is not an integer from 1 to 20",
        ),
    ];
    let mut raw = RawConnection::to(server);
    for (kind, body, status, detail) in cases {
        for request in [sized(server, kind, body), chunked(server, body)] {
            if request.contains("chunked") && !matches!(kind, "" | JSON) {
                continue;
            }
            let answer = raw.send(&request).answer();
            assert_eq!(
                (answer.status, answer.detail().as_str()),
                (status, detail),
                "{request:.300}"
            );
            assert_eq!(answer.header("cache-control"), Some("no-store"));
        }
    }
    // All of these used one connection, which still answers.
    let good = format!(
        "GET /contract/c4 HTTP/1.1\r\nhost: x\r\nx-gateway-key: {}\r\n\r\n",
        server.key
    );
    assert_eq!(raw.send(&good).answer().status, 200);
    // It also answers pipelined requests.
    let bad = sized(server, JSON, "{");
    raw.send(format!("{bad}{good}{}{good}", chunked(server, "[]")));
    for status in [422, 200, 422, 200] {
        assert_eq!(raw.answer().status, status);
    }
}

#[test]
fn members_of_the_body_are_not_query_parameters() {
    let server = TestServer::shared();
    let answer = server.post("/tender/estimate?gsins=x", &serde_json::json!({"gsins": ["N7030"]}));
    assert_eq!(
        (answer.status, answer.detail().as_str()),
        (422, "unknown parameter 'gsins'; this endpoint accepts no parameters")
    );
}

/// The endpoints that take a body, and how many KiB of it.
const LIMITS: [(&str, usize); 5] = [
    ("/tender/estimate", 640),
    ("/tender/comps", 640),
    ("/tender/alerts/subscribe", 16),
    ("/tender/alerts/unsubscribe?token=x", 4),
    ("/contract", 16),
];

#[test]
fn a_body_that_is_too_long_is_rejected_before_its_end() {
    let server = TestServer::shared();
    for (path, kib) in LIMITS {
        let head = head(server, path);
        let long = " ".repeat(kib << 10);
        // By its content-length; in one chunk, in many chunks, and in a chunk that never ends.
        let many = format!("400\r\n{}\r\n", " ".repeat(1024)).repeat(kib + 1);
        for request in [
            format!("{head}content-length: {}\r\n\r\n{long} ", long.len() + 1),
            format!(
                "{head}transfer-encoding: chunked\r\n\r\n{:x}\r\n{long} \r\n0\r\n\r\n",
                long.len() + 1
            ),
            format!("{head}transfer-encoding: chunked\r\n\r\n{many}0\r\n\r\n"),
            format!("{head}transfer-encoding: chunked\r\n\r\nffffffff\r\n{long}{long}"),
        ] {
            let mut raw = RawConnection::to(server);
            let answer = raw.send(&request).answer();
            if path == "/contract" && request.contains("chunked") {
                // The endpoint takes no body, so its bytes are not counted. The connection ends.
                assert_eq!(answer.status, 405);
            } else {
                assert_eq!(
                    (answer.status, answer.detail()),
                    (
                        413,
                        format!("the body is longer than {kib} KiB, the maximum of this endpoint; send a shorter one")
                    ),
                    "{request:.200}"
                );
                assert_eq!(answer.header("connection"), Some("close"));
            }
            assert!(!matches!(raw.next(false), Next::Response(_)));
        }
        // The size of a chunk says enough, alone or after another chunk.
        for beyond in [
            format!("{:x}\r\n", long.len() + 1),
            format!("1\r\n \r\n{:x}\r\n", long.len()),
        ] {
            let mut raw = RawConnection::to(server);
            raw.send(format!("{head}transfer-encoding: chunked\r\n\r\n"));
            let answer = raw.send(beyond).answer();
            if path == "/contract" {
                assert_eq!(answer.status, 405);
            } else {
                assert_eq!(
                    (answer.status, answer.header("connection")),
                    (413, Some("close")),
                    "{path}"
                );
            }
            assert_eq!(raw.next(false), Next::Closed);
        }
        // A body with one byte less is read, but it is not valid.
        let mut raw = RawConnection::to(server);
        for request in [
            format!(
                "{head}transfer-encoding: chunked\r\n\r\n{:x}\r\n{long}\r\n0\r\n\r\n",
                long.len()
            ),
            format!("{head}content-length: {}\r\n\r\n{long}", long.len()),
        ] {
            let status = raw.send(&request).answer().status;
            assert!([404, 405, 422].contains(&status), "{status} {path}");
        }
    }
}

#[test]
fn fifty_items_of_the_longest_texts_fit() {
    let server = TestServer::shared();
    // As programs send it that escape all but ASCII.
    let text = "\\u00e9".repeat(1024);
    let item = format!(r#"{{"gsin":"N7030","category":"GD","province":"{text}","title":"{text}"}}"#);
    let body = format!(r#"{{"items":[{}]}}"#, vec![item; 50].join(","));
    let answer = RawConnection::to(server).send(sized(server, JSON, &body)).answer();
    assert_ne!(answer.status, 413, "{} bytes", body.len());
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[test]
fn bodies_in_chunks_of_one_byte_are_read() {
    let server = TestServer::shared();
    let mut raw = RawConnection::to(server);
    let filler = " ".repeat(4_000);
    for (path, data, status) in [
        ("/tender/estimate", format!("{{\"gsins\":[\"N7030\"]{filler}}}"), 200),
        ("/tender/alerts/unsubscribe?token=x", filler.clone(), 404),
        ("/contract", filler.clone(), 405),
        ("/tender/estimate", format!("{{\"gsins\":[{filler}"), 422),
    ] {
        let chunks: String = data.chars().map(|byte| format!("1\r\n{byte}\r\n")).collect();
        let request = format!(
            "{}transfer-encoding: chunked\r\n\r\n{chunks}0\r\n\r\n",
            head(server, path)
        );
        assert_eq!(raw.send(request).answer().status, status, "{path}");
    }
}

/// Half of the budget holds two bodies of 16 KiB, each with the 16 KiB and the head of its request.
#[test]
fn bodies_beyond_their_memory_get_a_503() {
    let server = TestServer::own(&scenario_records(), |config| {
        config.limits.request_bytes = 144 << 10;
        // The bodies that wait stay.
        config.limits.body = Duration::from_secs(600);
    });
    let begin = |bytes: usize| {
        let mut raw = RawConnection::to(&server);
        let head = head(&server, "/tender/estimate");
        raw.send(format!("{head}content-length: 100000\r\n\r\n{}", " ".repeat(bytes)));
        raw
    };
    let mut half: Vec<RawConnection> = Vec::new();
    // One key gets half of the memory at most.
    wait_until("a refused body", || {
        // What arrived while the third body of an earlier round was in memory was refused.
        half.retain(|raw| !raw.is_closed());
        half.resize_with(2, || begin(10_000));
        let mut third = begin(10_000);
        // Before the first two are in memory, the third one fits, and waits for its rest.
        third.set_patience(Duration::from_millis(500));
        let Next::Response(answer) = third.next(false) else {
            return false;
        };
        let busy = "too many request bodies are arriving; try again in a second";
        assert_eq!((answer.status, answer.detail().as_str()), (503, busy));
        assert_eq!(answer.header("retry-after"), Some("1"));
        assert!(!matches!(third.next(false), Next::Response(_)));
        true
    });
    // Other requests, and bodies that are not kept, need no memory.
    assert_eq!(server.get("/contract/c4").status, 200);
    assert_eq!(
        server.request("POST", "/tender/alerts/unsubscribe?token=x", &[]).status,
        404
    );
    drop(half);
    wait_until("the memory", || {
        let mut raw = RawConnection::to(&server);
        raw.send(sized(&server, JSON, "{\"gsins\":[\"N7030\"]}"))
            .answer()
            .status
            == 200
    });
}

#[test]
fn a_body_that_does_not_arrive_times_out() {
    let server = TestServer::own(&scenario_records(), |config| {
        config.limits.body = Duration::from_millis(300);
    });
    for framing in [
        "content-length: 9\r\n\r\n{\"gs",
        "transfer-encoding: chunked\r\n\r\n4\r\n{\"g",
    ] {
        let mut raw = RawConnection::to(&server);
        let answer = raw.send(head(&server, "/tender/estimate") + framing).answer();
        assert_eq!(
            (answer.status, answer.detail().as_str()),
            (408, "the request took too long to arrive; send it without pauses")
        );
        assert!(!matches!(raw.next(false), Next::Response(_)));
    }
    // An invalid chunk ends the body and the connection.
    let mut raw = RawConnection::to(&server);
    raw.send(head(&server, "/tender/estimate") + "transfer-encoding: chunked\r\n\r\nzz\r\n");
    if let Next::Response(answer) = raw.next(false) {
        assert_eq!(
            (answer.status, answer.detail().as_str()),
            (400, "the body ended early; send all of it")
        );
        assert!(!matches!(raw.next(false), Next::Response(_)));
    }
}

#[test]
fn only_methods_of_the_route_table_are_allowed() {
    let server = TestServer::shared();
    let key = [("x-gateway-key", server.key.as_str())];
    for (method, path, allow) in [
        ("GET", "/tender/estimate", "POST"),
        ("HEAD", "/tender/comps", "POST"),
        ("PUT", "/tender/comps", "POST"),
        ("DELETE", "/tender/feed", "GET, HEAD"),
    ] {
        let answer = server.request(method, path, &key);
        assert_eq!(
            (answer.status, answer.header("allow")),
            (405, Some(allow)),
            "{method} {path}"
        );
    }
    let preflight = server.request(
        "OPTIONS",
        "/tender/estimate",
        &[
            ("origin", "https://example.org"),
            ("access-control-request-method", "POST"),
            ("access-control-request-headers", "content-type, x-gateway-key"),
        ],
    );
    assert_eq!(preflight.status, 204);
    let allows = |name: &str, word: &str| preflight.header(name).unwrap().split(", ").any(|one| one == word);
    assert!(allows("access-control-allow-methods", "POST"));
    assert!(allows("access-control-allow-headers", "content-type"));
}
