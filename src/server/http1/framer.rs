//! Where each request of a connection begins and ends, and whether its head is one: no sockets here, bytes in and bytes out.
//!
//! The framework's reader answers a malformed head by itself and tells the client nothing, so no such head reaches it: every head is read
//! here first, whole, by the same parser and by stricter rules, and one that is refused is replaced by a request that stands for the
//! [`Refusal`], the last of its connection. Bytes that an address should have percent-encoded (`é`, `"`) are encoded on the way: a client
//! that writes them raw means just that.
//!
//! **Invariants:** what comes out does not depend on how the bytes were split on the way in; what the framework takes for a head was a head here, and
//! it is nowhere laxer about a body's end, so nobody can smuggle a request in a body.

use actix_web::http::{Method, Uri};
use httparse::Status;

use crate::{
    http::{body, refusal::Refusal},
    server::http1::chunked_body::{Chunks, Then},
};

/// Spec silent: the longest request line and headers together, in bytes.
pub const LONGEST_HEAD: usize = 16 << 10;

/// Spec silent: the most headers of a request.
const MOST_HEADERS: usize = 64;

/// The longest body, in bytes. A chunked one, whose length nobody knows before, is cut behind one byte more.
pub const LONGEST_BODY: u64 = body::LONGEST as u64;

/// What a buffer keeps between two requests.
const KEPT: usize = 2 << 10;

#[derive(Debug, Default)]
pub struct Framing {
    at: At,
    line: Line,
    /// What came of the head so far, its address escaped.
    head: Vec<u8>,
    requests: u64,
}

/// Where in a connection's bytes the next one stands.
#[derive(Debug, Default)]
enum At {
    #[default]
    Head,
    Body(u64),
    Chunks(Chunks),
    Refused,
    Deaf,
    Ended,
}

/// Where in a head's first line.
#[derive(Clone, Copy, Debug, Default)]
enum Line {
    #[default]
    Before,
    Method,
    Address,
    After,
}

/// What a connection waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The first byte of a request.
    Idle,
    Head,
    Body,
    /// Nothing: the connection ends with the answer to the refusal.
    Refused,
    /// The answer to the last request of the connection; what the client says meanwhile is in no language of ours, or too much.
    Deaf,
    /// Nothing: the connection is broken.
    Ended,
}

impl Framing {
    /// Takes what came, as far as a request's end, and puts what the framework may read behind `out`. Gives back what stands behind that end.
    pub fn push<'a>(&mut self, mut input: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
        while !input.is_empty() {
            input = match &mut self.at {
                At::Head => self.push_head(input, out),
                At::Body(left) => {
                    let length = usize::try_from(*left).unwrap_or(usize::MAX).min(input.len());
                    *left -= length as u64;
                    if *left == 0 {
                        self.at = At::Head;
                    }
                    pass(input, length, out)
                }
                At::Chunks(chunks) => {
                    let (length, then) = chunks.read(input);
                    match then {
                        Then::More => {}
                        Then::Nothing => self.at = At::Head,
                        // Whoever reads the body has an answer to that.
                        Then::TooMuch => self.at = At::Deaf,
                        Then::Fault => self.at = At::Ended,
                    }
                    pass(input, length, out)
                }
                At::Refused | At::Deaf | At::Ended => return &[],
            };
            if self.phase() == Phase::Idle {
                break;
            }
        }
        input
    }

    /// Ends the connection with an answer.
    pub fn refuse(&mut self, refusal: Refusal, out: &mut Vec<u8>) {
        let method = if self.head.starts_with(b"HEAD ") { "HEAD" } else { "GET" };
        let path = refusal.path();
        out.extend_from_slice(format!("{method} {path} HTTP/1.1\r\nhost: -\r\nconnection: close\r\n\r\n").as_bytes());
        self.head = Vec::new();
        self.at = At::Refused;
    }

    /// What was waited for did not come in time.
    pub fn expire(&mut self, out: &mut Vec<u8>) {
        match self.at {
            At::Head if !self.head.trim_ascii().is_empty() => self.refuse(Refusal::Slow, out),
            At::Refused => {}
            _ => self.at = At::Ended,
        }
    }

    pub fn phase(&self) -> Phase {
        match self.at {
            At::Head if self.head.is_empty() => Phase::Idle,
            At::Head => Phase::Head,
            At::Body(_) | At::Chunks(_) => Phase::Body,
            At::Refused => Phase::Refused,
            At::Deaf => Phase::Deaf,
            At::Ended => Phase::Ended,
        }
    }

    /// How many heads were handed on.
    pub fn requests(&self) -> u64 {
        self.requests
    }

    /// Reads on in the head; gives back what stands behind it.
    fn push_head<'a>(&mut self, input: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
        self.escape(input);
        // Looked at no further than this, so that it does not matter how much came at once.
        let window = self.head.get(..LONGEST_HEAD).unwrap_or(&self.head);
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut request = httparse::Request::new(&mut headers);
        let read = match request.parse(window) {
            Ok(Status::Complete(length)) => behind(&request).map(|next| Some((length, next))),
            Ok(Status::Partial) if window.len() < LONGEST_HEAD => Ok(None),
            Ok(Status::Partial) | Err(httparse::Error::TooManyHeaders) => Err(Refusal::HeadTooLong),
            Err(httparse::Error::HeaderName | httparse::Error::HeaderValue) => Err(Refusal::Header),
            // A line that ends oddly is the first one, unless that one is there already.
            Err(httparse::Error::NewLine) if request.version.is_some() => Err(Refusal::Header),
            Err(_) => Err(Refusal::Line),
        };
        match read {
            Ok(None) => &[],
            Ok(Some((length, next))) => {
                // Behind the first line nothing was changed.
                let behind = self.head.len() - length;
                out.extend_from_slice(self.head.get(..length).unwrap_or_default());
                self.head.clear();
                self.head.shrink_to(KEPT);
                self.line = Line::Before;
                self.at = next;
                self.requests += 1;
                input.get(input.len() - behind..).unwrap_or_default()
            }
            Err(refusal) => {
                self.refuse(refusal, out);
                &[]
            }
        }
    }

    /// Puts bytes behind the head, percent-encoding those of the address that should have been.
    fn escape(&mut self, input: &[u8]) {
        let mut input = input.iter();
        while !matches!(self.line, Line::After) {
            let Some(&byte) = input.next() else { return };
            self.line = match (self.line, byte) {
                (Line::Before, b'\r' | b'\n') => Line::Before,
                (Line::Method | Line::Address, b'\n') => Line::After,
                (Line::Before | Line::Method, b' ') => Line::Address,
                (Line::Address, b' ') => Line::After,
                (Line::Before, _) => Line::Method,
                (line, _) => line,
            };
            match byte {
                b'"' | b'#' | b'<' | b'>' | b'`' | 0x80.. if matches!(self.line, Line::Address) => {
                    self.head.extend_from_slice(&[b'%', hex(byte >> 4), hex(byte & 15)]);
                }
                _ => self.head.push(byte),
            }
        }
        self.head.extend_from_slice(input.as_slice());
    }
}

/// The digit of a number below 16.
fn hex(number: u8) -> u8 {
    number + if number < 10 { b'0' } else { b'A' - 10 }
}

fn pass<'a>(input: &'a [u8], length: usize, out: &mut Vec<u8>) -> &'a [u8] {
    let (passed, rest) = input.split_at_checked(length).unwrap_or((input, &[]));
    out.extend_from_slice(passed);
    rest
}

/// What follows a head, by its headers; all that the framework would refuse, and more, is refused here.
fn behind(request: &httparse::Request) -> Result<At, Refusal> {
    let [mut host, mut length, mut coding] = [None; 3];
    let mut upgrades = request.method == Some("CONNECT");
    for header in request.headers.iter() {
        let is = |name: &str| header.name.eq_ignore_ascii_case(name);
        let value = header.value.trim_ascii();
        let (found, twice) = match () {
            () if is("host") => (&mut host, Refusal::Host),
            () if is("content-length") => (&mut length, Refusal::Length),
            () if is("transfer-encoding") => (&mut coding, Refusal::Length),
            () if is("upgrade") => {
                upgrades |= value.eq_ignore_ascii_case(b"websocket");
                continue;
            }
            () => continue,
        };
        if found.replace(value).is_some() {
            return Err(twice);
        }
    }
    let is_old = request.version == Some(0);
    // The framework is stricter than its parser about these two.
    if Method::from_bytes(request.method.unwrap_or_default().as_bytes()).is_err() {
        return Err(Refusal::Line);
    }
    if Uri::try_from(request.path.unwrap_or_default()).is_err() {
        return Err(Refusal::Address);
    }
    if host.is_none() && !is_old {
        return Err(Refusal::Host);
    }
    let next = match (length, coding) {
        (None, None) if is_old && request.method == Some("POST") => return Err(Refusal::Length),
        (None, None) => At::Head,
        (Some(length), None) => match bytes(length)? {
            0 => At::Head,
            length => At::Body(length),
        },
        (None, Some(coding)) if coding.eq_ignore_ascii_case(b"chunked") && !is_old => At::Chunks(Chunks::default()),
        (_, Some(_)) => return Err(Refusal::Length),
    };
    Ok(if upgrades { At::Deaf } else { next })
}

fn bytes(length: &[u8]) -> Result<u64, Refusal> {
    if length.is_empty() || !length.iter().all(u8::is_ascii_digit) {
        return Err(Refusal::Length);
    }
    let length = str::from_utf8(length).ok().and_then(|length| length.parse().ok());
    length
        .filter(|length| *length <= LONGEST_BODY)
        .ok_or(Refusal::BodyTooLong)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Pushes one request after the other.
    fn push(framing: &mut Framing, mut input: &[u8], out: &mut Vec<u8>) {
        while !input.is_empty() {
            input = framing.push(input, out);
        }
    }

    fn whole(input: &[u8]) -> (String, Phase) {
        split(input, &[])
    }

    /// What comes out when the bytes come in pieces of these lengths, and the rest at once.
    fn split(mut input: &[u8], pieces: &[usize]) -> (String, Phase) {
        let (mut framing, mut out) = (Framing::default(), Vec::new());
        for length in pieces {
            let (piece, rest) = input.split_at((*length).min(input.len()));
            push(&mut framing, piece, &mut out);
            input = rest;
        }
        push(&mut framing, input, &mut out);
        (String::from_utf8(out).unwrap(), framing.phase())
    }

    #[test]
    fn raw_bytes_of_an_address_are_encoded() {
        for (sent, read) in [
            ("/contract?q=déneigement", "/contract?q=d%C3%A9neigement"),
            ("/contract?q=\"a\"<b>`c#d", "/contract?q=%22a%22%3Cb%3E%60c%23d"),
            ("/tender/é|{}[]^\\", "/tender/%C3%A9|{}[]^\\"),
            ("/\"slow\"", "/%22slow%22"),
        ] {
            let rest = "HTTP/1.1\r\nhost: é\"<\r\n\r\n";
            let (out, phase) = whole(format!("\r\n\nGET {sent} {rest}").as_bytes());
            assert_eq!(out, format!("\r\n\nGET {read} {rest}"));
            assert_eq!(phase, Phase::Idle);
        }
    }

    #[test]
    fn requests_follow_one_another_whatever_their_bodies_hold() {
        let inner = "GET /\"é HTTP/1.1\r\n\r\n";
        let fixed = format!(
            "POST /a HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n{inner}",
            inner.len()
        );
        let chunked = format!(
            "POST /b HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n{:x};e=1\r\n{inner}\r\n0\r\n\r\n",
            inner.len()
        );
        let plain = "GET /c HTTP/1.0\r\n\r\n";
        let all = format!("{fixed}{chunked}{plain}{fixed}");
        assert_eq!(whole(all.as_bytes()), (all.clone(), Phase::Idle));
    }

    fn check(head: &str, expected: Refusal) {
        let mut refused = Vec::new();
        Framing::default().refuse(expected, &mut refused);
        let (out, phase) = whole(format!("{head}GET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n").as_bytes());
        assert_eq!(out, String::from_utf8(refused).unwrap(), "{head:.200}");
        assert_eq!(phase, Phase::Refused, "{head:.200}");
    }

    #[test]
    fn what_is_no_head_is_refused() {
        let endless = "x".repeat(LONGEST_HEAD);
        let many: String = (0..=MOST_HEADERS).map(|n| format!("h{n}: x\r\n")).collect();
        for (head, refusal) in [
            ("\u{16}\u{3}\u{1}".into(), Refusal::Line),
            ("GET /a b HTTP/1.1\r\nhost: x\r\n\r\n".into(), Refusal::Line),
            ("GET /a\tb HTTP/1.1\r\nhost: x\r\n\r\n".into(), Refusal::Line),
            ("GET / HTTP/2.0\r\nhost: x\r\n\r\n".into(), Refusal::Line),
            ("GET /\r\n\r\n".into(), Refusal::Line),
            ("GET% / HTTP/1.1\r\nhost: x\r\n\r\n".into(), Refusal::Line),
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".into(), Refusal::Line),
            ("GET a HTTP/1.1\r\nhost: x\r\n b: c\r\n\r\n".into(), Refusal::Header),
            ("GET http://[/ HTTP/1.1\r\nhost: x\r\n\r\n".into(), Refusal::Address),
            ("GET / HTTP/1.1\r\na b: c\r\n\r\n".into(), Refusal::Header),
            ("GET / HTTP/1.1\r\na: \u{1}\r\n\r\n".into(), Refusal::Header),
            ("GET / HTTP/1.1\r\na: b\r\n\r\n".into(), Refusal::Host),
            ("GET / HTTP/1.1\r\nhost: a\r\nhost: a\r\n\r\n".into(), Refusal::Host),
            (format!("GET /{endless}"), Refusal::HeadTooLong),
            (format!("GET / HTTP/1.1\r\na: {endless}"), Refusal::HeadTooLong),
            (format!("GET / HTTP/1.1\r\n{many}\r\n"), Refusal::HeadTooLong),
        ] {
            check(&head, refusal);
        }
        for (headers, refusal) in [
            ("content-length: 1048577", Refusal::BodyTooLong),
            ("content-length: 99999999999999999999", Refusal::BodyTooLong),
            ("content-length: +1", Refusal::Length),
            ("content-length: -1", Refusal::Length),
            ("content-length: 1, 1", Refusal::Length),
            ("content-length: 0x1", Refusal::Length),
            ("content-length:", Refusal::Length),
            ("content-length: 1\r\ncontent-length: 1", Refusal::Length),
            ("content-length: 1\r\ntransfer-encoding: chunked", Refusal::Length),
            ("transfer-encoding: chunked\r\nContent-Length: 0", Refusal::Length),
            (
                "transfer-encoding: chunked\r\ntransfer-encoding: chunked",
                Refusal::Length,
            ),
            ("transfer-encoding: identity", Refusal::Length),
            ("transfer-encoding: gzip, chunked", Refusal::Length),
            ("transfer-encoding: xchunked", Refusal::Length),
            ("transfer-encoding: \u{b}chunked", Refusal::Header),
            ("transfer-encoding : chunked", Refusal::Header),
        ] {
            check(&format!("POST / HTTP/1.1\r\nhost: x\r\n{headers}\r\n\r\n"), refusal);
        }
        check("POST / HTTP/1.0\r\n\r\n", Refusal::Length);
        check("POST / HTTP/1.0\r\ntransfer-encoding: chunked\r\n\r\n", Refusal::Length);
    }

    #[test]
    fn one_request_is_read_at_a_time() {
        let requests = [
            "GET /a HTTP/1.1\r\nhost: x\r\n\r\n",
            "POST /b HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\nhi",
            "POST /c HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
            "HEAD /d HTTP/1.1\r\nhost: x\r\n\r\n",
        ];
        let (mut framing, all) = (Framing::default(), requests.concat());
        let mut rest = all.as_bytes();
        for request in requests {
            let mut out = Vec::new();
            rest = framing.push(rest, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), request);
        }
        assert!(rest.is_empty());
    }

    #[test]
    fn after_another_protocol_nothing_is_read() {
        for head in [
            "GET / HTTP/1.1\r\nhost: x\r\nupgrade: WebSocket\r\nconnection: upgrade\r\n\r\n",
            "CONNECT x:1 HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n",
        ] {
            assert_eq!(whole(format!("{head}rest").as_bytes()), (head.to_owned(), Phase::Deaf));
        }
    }

    #[test]
    fn what_does_not_come_is_not_waited_for() {
        for (sent, phase) in [
            ("", Phase::Ended),
            ("\r\n", Phase::Ended),
            ("GET /", Phase::Refused),
            (
                "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nab",
                Phase::Ended,
            ),
        ] {
            let (mut framing, mut out) = (Framing::default(), Vec::new());
            push(&mut framing, sent.as_bytes(), &mut out);
            framing.expire(&mut out);
            assert_eq!(framing.phase(), phase, "{sent}");
        }
    }

    /// Pieces of requests, good and bad, in any order.
    fn stream() -> impl Strategy<Value = Vec<u8>> {
        let words: Vec<Vec<u8>> = [
            "GET ",
            "POST ",
            "HEAD ",
            "/a?q=é\" ",
            "/ ",
            "HTTP/1.1\r\n",
            "HTTP/1.0\r\n",
            "host: x\r\n",
            "content-length: 5\r\n",
            "transfer-encoding: chunked\r\n",
            "upgrade: websocket\r\n",
            "\r\n",
            "\n",
            "\r",
            " ",
            "hello",
            "3\r\nabc\r\n",
            "0\r\n\r\n",
            "5;x\r\n",
            "GET / HTTP/1.1\r\nhost: x\r\n\r\n",
            "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhello",
            "POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n3\r\nGET\r\n0\r\n\r\n",
        ]
        .iter()
        .map(|word| word.as_bytes().to_vec())
        .chain([vec![0xff], vec![0], b"x".repeat(9_000)])
        .collect();
        let word = prop_oneof![8 => prop::sample::select(words), 1 => prop::collection::vec(any::<u8>(), 0..4)];
        prop::collection::vec(word, 0..24).prop_map(|words| words.concat())
    }

    /// The framework's own reader on what came out: how many requests it finds, or none where it would answer one by itself.
    fn requests_of_the_framework(out: &[u8]) -> Option<u64> {
        use actix_codec::Decoder;
        use actix_http::h1::{Codec, Message};
        let (mut codec, mut bytes, mut requests) = (Codec::default(), bytes::BytesMut::from(out), 0);
        while let Some(message) = codec.decode(&mut bytes).ok()? {
            requests += u64::from(matches!(message, Message::Item(_)));
        }
        Some(requests)
    }

    /// Whether the framework finds in what came out as many requests as were handed on, and no fault.
    fn agree(input: &[u8]) -> bool {
        let (mut framing, mut out) = (Framing::default(), Vec::new());
        push(&mut framing, input, &mut out);
        let refused = u64::from(framing.phase() == Phase::Refused);
        // A broken body is a fault that ends the connection, behind the head that was handed on.
        framing.phase() == Phase::Ended || requests_of_the_framework(&out) == Some(framing.requests() + refused)
    }

    /// The framework's reader wants a runtime around it, for its clock.
    fn with_runtime<T>(test: impl FnOnce() -> T) -> T {
        actix_web::rt::System::new().block_on(async { test() })
    }

    #[test]
    fn a_byte_more_or_another_one_is_no_fault_to_the_framework() {
        let right = b"GET /contract?q=snow HTTP/1.1\r\nhost: x\r\nContent-Length: 5\r\naccept: */*\r\n\r\nhelloPOST /a HTTP/1.0\r\ncontent-length: 0\r\n\r\n";
        with_runtime(|| {
            for (at, byte) in (0..right.len()).flat_map(|at| (0..=u8::MAX).map(move |byte| (at, byte))) {
                let (mut more, mut other) = (right.to_vec(), right.to_vec());
                more.insert(at, byte);
                other[at] = byte;
                for input in [more, other] {
                    assert!(agree(&input), "{}", String::from_utf8_lossy(&input));
                }
            }
        });
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

        #[test]
        fn how_the_bytes_are_split_does_not_matter(input in stream(), pieces in prop::collection::vec(0usize..40, 0..60)) {
            let read = |pieces: &[usize]| {
                let (mut framing, mut out, mut rest) = (Framing::default(), Vec::new(), &input[..]);
                for length in pieces {
                    let (piece, behind) = rest.split_at((*length).min(rest.len()));
                    push(&mut framing, piece, &mut out);
                    rest = behind;
                }
                push(&mut framing, rest, &mut out);
                (out, framing.phase(), framing.requests())
            };
            prop_assert_eq!(read(&pieces), read(&[]));
        }

        #[test]
        fn the_framework_finds_the_same_requests_and_no_fault(input in stream()) {
            prop_assert!(with_runtime(|| agree(&input)), "{}", String::from_utf8_lossy(&input));
        }
    }
}
