//! A stop while clients keep the server waiting: what they still get, and that they do not delay it for long.

use std::{
    thread,
    time::{Duration, Instant},
};

use crate::{
    http::{Next, RawConnection},
    program::Program,
    support::{TestServer, contracts},
};

/// The half second in which the server still accepts requests is over by then.
const AFTER_THE_DRAIN: Duration = Duration::from_millis(1_500);

/// The server waits 5 seconds for clients, and a moment for what follows; a loaded machine takes longer. Requests in
/// work may take 30 seconds.
const LONGEST_STOP: Duration = Duration::from_secs(60);

const JSON: &str = r#"{"gsins":["N7030"]}"#;

fn connect(process: &Program) -> RawConnection {
    RawConnection::connect(&process.address).unwrap()
}

fn begin(process: &Program, request: &str) -> RawConnection {
    let mut raw = connect(process);
    raw.send(request);
    raw
}

fn estimate(key: &str, framing: &str) -> String {
    format!("POST /tender/estimate HTTP/1.1\r\nhost: x\r\nx-gateway-key: {key}\r\n{framing}\r\n\r\n")
}

/// Requests for more than the system's buffers hold, of which the client has read nothing.
fn unread(process: &Program, key: &str) -> RawConnection {
    let page = format!("GET /contract?limit=500 HTTP/1.1\r\nhost: x\r\nx-gateway-key: {key}\r\n\r\n");
    begin(process, &page.repeat(400))
}

#[test]
fn clients_that_keep_the_server_waiting_do_not_delay_a_stop_for_long() {
    let server = TestServer::own(&contracts(500), |_| {});
    let process = Program::serve(&server);
    let key = server.key.as_str();
    let sized = estimate(key, "content-length: 9");
    let chunked = estimate(key, "transfer-encoding: chunked");
    let mut silent = connect(&process);
    let mut in_a_head = begin(&process, &sized[..20]);
    let mut in_a_body = [
        begin(&process, &sized),
        begin(&process, &format!("{sized}{{")),
        begin(&process, &format!("{chunked}5\r\n{{\"gs")),
    ];
    let mut dripping = begin(&process, &estimate(key, "content-length: 10000"));
    let mut without_key = begin(
        &process,
        "POST /tender/estimate HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n",
    );
    assert_eq!(without_key.answer().status, 403);
    let mut unread = unread(&process, key);
    thread::sleep(AFTER_THE_DRAIN);
    let begun = Instant::now();
    process.signal("TERM");
    let (took, code, log) = thread::scope(|scope| {
        let stop = scope.spawn(move || {
            let (code, log) = process.exit();
            (begun.elapsed(), code, log)
        });
        while !stop.is_finished() {
            dripping.send(" ");
            thread::sleep(Duration::from_millis(100));
        }
        stop.join().unwrap()
    });
    assert_eq!(code, Some(0), "{log}");
    assert!(took < LONGEST_STOP, "{took:?}");
    assert!(!log.contains("ERROR"), "{log}");
    // No request had begun.
    assert_eq!(silent.next(false), Next::Closed);
    assert_eq!(in_a_head.next(false), Next::Closed);
    for raw in &mut in_a_body {
        let answer = raw.answer();
        assert_eq!(
            (answer.status, answer.detail().as_str(), answer.header("retry-after")),
            (503, "the server is stopping; try again in a second", Some("1"))
        );
        assert_eq!(raw.next(false), Next::Closed);
    }
    // The others get no further response.
    let mut answers = 0;
    while let Next::Response(answer) = unread.next(false) {
        assert_eq!(answer.status, 200);
        answers += 1;
    }
    assert!(answers < 400, "all requests were answered");
}

#[test]
fn a_stop_waits_a_moment_for_bodies_and_readers() {
    let server = TestServer::own(&contracts(500), |_| {});
    let process = Program::serve(&server);
    let sized = estimate(&server.key, &format!("content-length: {}", JSON.len()));
    let (begin_of_json, rest_of_json) = JSON.split_at(4);
    let mut in_a_body = begin(&process, &(sized + begin_of_json));
    let mut unread = unread(&process, &server.key);
    // Nothing delays the stop but these two.
    thread::sleep(AFTER_THE_DRAIN);
    process.signal("TERM");
    thread::sleep(AFTER_THE_DRAIN);
    let answer = in_a_body.send(rest_of_json).answer();
    assert_eq!(
        (answer.status, answer.header("connection")),
        (200, Some("close")),
        "{answer:?}"
    );
    assert_eq!(in_a_body.next(false), Next::Closed);
    // Each response that has begun arrives as a whole.
    let mut answers = 0;
    let end = loop {
        match unread.next(false) {
            Next::Response(answer) => assert_eq!(answer.status, 200),
            end => break end,
        }
        answers += 1;
    };
    assert_eq!(end, Next::Closed);
    assert!((1..400).contains(&answers), "{answers}");
    assert_eq!(process.exit().0, Some(0));
}
