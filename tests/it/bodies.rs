//! Valid and invalid request bodies: the error of each, and that the connection stays usable if the body was read.

use std::time::Duration;

use crate::{
    raw_connection::{Next, RawConnection},
    support::{TestServer, scenario_records},
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
            "the body: duplicate field 'gsins'",
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
            "member 'items[0].category': 'goods' is not one of CNST, GD, SRV, SRVTGD; nearest is 'GD'",
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

#[test]
fn a_body_that_is_too_long_is_rejected_before_its_end() {
    let server = TestServer::shared();
    let too_long = "the body is longer than 1 MiB; send a shorter one";
    let head = head(server, "/tender/estimate");
    let long = " ".repeat(1 << 20);
    // By its content-length; in one chunk, in many chunks, and in a chunk that never ends.
    let many = format!("400\r\n{}\r\n", " ".repeat(1024)).repeat(1025);
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
        assert_eq!(
            (answer.status, answer.detail().as_str()),
            (413, too_long),
            "{request:.200}"
        );
        assert_eq!(answer.header("connection"), Some("close"));
        assert!(!matches!(raw.next(false), Next::Response(_)));
    }
    // A body with one byte less is read, but it is not valid JSON.
    let mut raw = RawConnection::to(server);
    for request in [
        format!("{head}content-length: {}\r\n\r\n{long}", long.len()),
        format!(
            "{head}transfer-encoding: chunked\r\n\r\n{:x}\r\n{long}\r\n0\r\n\r\n",
            long.len()
        ),
    ] {
        assert_eq!(raw.send(&request).answer().status, 422);
    }
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
