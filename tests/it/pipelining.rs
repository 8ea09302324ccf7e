//! Pipelining: requests that are sent before earlier ones are answered. Responses come in order,
//! each framed by its own request.

use rand_chacha::{
    ChaCha8Rng,
    rand_core::{RngCore, SeedableRng},
};

use crate::{
    http::{Next, RawConnection, RawResponse},
    support::{TestServer, contracts},
};

/// A request, and its response when it is alone on a connection.
struct Case {
    request: String,
    is_head: bool,
    alone: RawResponse,
}

fn cases(server: &TestServer) -> Vec<Case> {
    let key = format!("x-gateway-key: {}\r\n", server.key);
    let keyed = key.as_str();
    let chunked = "transfer-encoding: chunked\r\n";
    let expect = "transfer-encoding: chunked\r\nexpect: 100-continue\r\n";
    [
        ("GET /contract?limit=1", [keyed, ""], ""),
        ("GET /contract?limit=500&q=vendor&sort_by=value", [keyed, ""], ""),
        ("HEAD /contract?limit=3", [keyed, ""], ""),
        ("HEAD /health", ["", ""], ""),
        ("GET /contract/c%7C1", [keyed, ""], ""),
        ("GET /sources", [keyed, ""], ""),
        ("GET /contract", ["", ""], ""),
        ("GET /nope", [keyed, ""], ""),
        ("HEAD /nope", [keyed, ""], ""),
        ("GET /contract?limit=many", [keyed, ""], ""),
        ("POST /contract", [keyed, chunked], "5\r\nHEAD \r\n0\r\n\r\n"),
        ("POST /contract", [keyed, expect], "5\r\nhello\r\n0\r\n\r\n"),
    ]
    .map(|(line, headers, body)| {
        let request = format!("{line} HTTP/1.1\r\nhost: x\r\n{}\r\n{body}", headers.concat());
        let is_head = line.starts_with("HEAD");
        let alone = final_answer(RawConnection::to(server).send(&request), is_head);
        Case {
            request,
            is_head,
            alone,
        }
    })
    .into()
}

/// The next response that is not an interim one.
#[track_caller]
fn final_answer(raw: &mut RawConnection, is_head: bool) -> RawResponse {
    loop {
        match raw.next(is_head) {
            Next::Response(answer) if answer.status == 100 => {}
            Next::Response(answer) => return answer,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn each_response_is_framed_by_its_own_request() {
    let server = TestServer::own(&contracts(300), |_| {});
    let cases = cases(&server);
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut below = |bound: usize| random.next_u32() as usize % bound;
    // A body that no handler reads ends the connection, unless it is chunked.
    let lasts = [
        "GET /nope HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
        "POST /contract HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhello",
    ];
    for round in 0..150 {
        let asked: Vec<&Case> = (0..1 + below(24)).map(|_| &cases[below(cases.len())]).collect();
        let sent: String = asked.iter().map(|case| case.request.as_str()).collect();
        let sent = sent + lasts[below(lasts.len())];
        let mut raw = RawConnection::to(&server);
        let mut rest = sent.as_bytes();
        while !rest.is_empty() {
            let most = if round % 2 == 0 { rest.len() } else { 400 };
            let (piece, others) = rest.split_at((1 + below(most)).min(rest.len()));
            raw.send(piece);
            rest = others;
        }
        for case in asked {
            let answer = final_answer(&mut raw, case.is_head);
            assert_eq!(answer.status, case.alone.status, "{}: {answer:?}", case.request);
            let length = |answer: &RawResponse| answer.header("content-length").map(str::to_owned);
            // The body of `/health` changes from second to second.
            if !case.request.contains("/health") {
                assert_eq!(length(&answer), length(&case.alone), "{}", case.request);
                assert_eq!(answer.body, case.alone.body, "{}", case.request);
            }
            assert_eq!(answer.header("connection"), None, "{}: {answer:?}", case.request);
        }
        let answer = final_answer(&mut raw, false);
        assert_eq!((answer.status, answer.header("connection")), (403, Some("close")));
        assert_eq!(raw.next(false), Next::Closed);
    }
}

/// More requests than the server reads ahead, from a client that reads nothing before it has sent
/// all.
#[test]
fn thousands_of_pipelined_requests_are_answered() {
    const MANY: usize = 3_000;
    let server = TestServer::own(&contracts(3), |_| {});
    let pair = "GET /health HTTP/1.1\r\nhost: x\r\n\r\nHEAD /health HTTP/1.1\r\nhost: x\r\n\r\n";
    let mut raw = RawConnection::to(&server);
    raw.send(pair.repeat(MANY));
    for _ in 0..MANY {
        assert!(raw.answer().body.starts_with(b"{"));
        assert_eq!(final_answer(&mut raw, true).status, 200);
    }
}

#[test]
fn an_error_waits_for_earlier_responses() {
    let server = TestServer::own(&contracts(300), |_| {});
    let slow = format!(
        "GET /contract?limit=500&sort_by=value HTTP/1.1\r\nhost: x\r\nx-gateway-key: {}\r\n\r\n",
        server.key
    );
    for _ in 0..20 {
        let mut raw = RawConnection::to(&server);
        raw.send(format!(
            "{slow}HEAD /health HTTP/1.1\r\nhost: x\r\n\r\nHEAD /a b HTTP/1.1\r\n\r\n{slow}"
        ));
        let answer = raw.answer();
        assert_eq!((answer.status, answer.header("connection")), (200, None));
        assert!(answer.body.ends_with(b"}"));
        assert_eq!(final_answer(&mut raw, true).status, 200);
        let answer = final_answer(&mut raw, true);
        assert_eq!((answer.status, answer.header("connection")), (400, Some("close")));
        assert_eq!(raw.next(true), Next::Closed);
    }
}

#[test]
fn a_client_that_only_ends_its_own_side_gets_the_whole_response() {
    let server = TestServer::shared();
    let whole = server.get("/openapi.json").body;
    assert!(whole.len() > 300_000, "too short to need more than one write");
    for _ in 0..20 {
        let mut raw = RawConnection::to(server);
        raw.send("GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n").half_close();
        assert!(raw.answer().body == whole, "another body");
        assert_eq!(raw.next(false), Next::Closed);
    }
}
