//! The request framer itself: a state machine over the bytes of one connection.

use super::{
    chunked_body::{ChunkStatus, ChunkedBody},
    error::RequestError,
    head::{self, BodyFraming, MaxBodyBytes},
    target::TargetEncoder,
};

/// Buffer capacity that is kept between two requests, in bytes.
const KEPT_CAPACITY: usize = 2 << 10;

/// Splits a connection's bytes into requests and validates each head before the framework parses
/// it.
#[derive(Debug)]
pub(crate) struct RequestFramer {
    max_body_bytes: MaxBodyBytes,
    state: State,
    encoder: TargetEncoder,
    /// The current head as far as it has arrived, its target encoded.
    head: Vec<u8>,
    requests: u64,
    error: Option<RequestError>,
}

/// What the next bytes are.
#[derive(Debug)]
enum State {
    Head,
    /// A body with this many bytes left.
    Body(u64),
    Chunked(ChunkedBody),
    Rejected,
    Discarding,
    Broken,
}

/// What a connection waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The first byte of a request.
    Idle,
    Head,
    Body,
    /// Nothing: a substitute request was written, and its response ends the connection.
    Rejected,
    /// The response to the last request of the connection. Further input is another protocol or the
    /// rest of an oversized chunked body; it is discarded.
    Discarding,
    /// Nothing: the connection cannot go on and gets no response.
    Broken,
}

impl RequestFramer {
    /// `max_body_bytes` limits the bodies. A chunked body, whose length is not known in advance, is cut
    /// before the first chunk that exceeds the limit.
    pub(crate) fn new(max_body_bytes: MaxBodyBytes) -> RequestFramer {
        RequestFramer {
            max_body_bytes,
            state: State::Head,
            encoder: TargetEncoder::default(),
            head: Vec::new(),
            requests: 0,
            error: None,
        }
    }

    /// Takes input up to the end of a request at most, and appends to `out` what the framework may
    /// parse: at most one chunk of a chunked body, and its end. Returns the input after that end.
    pub(crate) fn push<'a>(&mut self, mut input: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
        while !input.is_empty() {
            input = match &mut self.state {
                State::Head => self.push_head(input, out),
                State::Body(left) => {
                    let length = usize::try_from(*left).unwrap_or(usize::MAX).min(input.len());
                    *left -= length as u64;
                    if *left == 0 {
                        self.state = State::Head;
                    }
                    copy(input, length, out)
                }
                State::Chunked(body) => {
                    let (length, status) = body.parse(input, out);
                    match status {
                        ChunkStatus::Incomplete => {}
                        ChunkStatus::Complete => self.state = State::Head,
                        // The owner has to tell the reader of the body, who answers that it is too long.
                        ChunkStatus::TooLong => self.state = State::Discarding,
                        ChunkStatus::Invalid => self.state = State::Broken,
                    }
                    input.get(length..).unwrap_or_default()
                }
                State::Rejected | State::Discarding | State::Broken => return &[],
            };
            if self.phase() == Phase::Idle {
                break;
            }
        }
        input
    }

    /// Ends the connection with a substitute request, a HEAD if the rejected request is one. Its
    /// handler has to answer with the reason.
    pub(crate) fn reject(&mut self, out: &mut Vec<u8>) {
        let method = if self.head.starts_with(b"HEAD ") { "HEAD" } else { "GET" };
        out.extend_from_slice(format!("{method} / HTTP/1.1\r\nhost: -\r\nconnection: close\r\n\r\n").as_bytes());
        self.head = Vec::new();
        self.state = State::Rejected;
    }

    /// Ends the connection without a response.
    pub(crate) fn break_off(&mut self) {
        self.state = State::Broken;
    }

    /// The owner's time limit for the current phase has passed.
    pub(crate) fn time_out(&mut self, out: &mut Vec<u8>) {
        match self.state {
            State::Head if !self.head.trim_ascii().is_empty() => self.fail(RequestError::Timeout, out),
            State::Rejected => {}
            _ => self.state = State::Broken,
        }
    }

    pub(crate) fn phase(&self) -> Phase {
        match self.state {
            State::Head if self.head.is_empty() => Phase::Idle,
            State::Head => Phase::Head,
            State::Body(_) | State::Chunked(_) => Phase::Body,
            State::Rejected => Phase::Rejected,
            State::Discarding => Phase::Discarding,
            State::Broken => Phase::Broken,
        }
    }

    /// The number of valid heads so far.
    pub(crate) fn requests(&self) -> u64 {
        self.requests
    }

    /// Why the framer rejected the last request.
    pub(crate) fn error(&self) -> Option<RequestError> {
        self.error
    }

    fn fail(&mut self, error: RequestError, out: &mut Vec<u8>) {
        self.error = Some(error);
        self.reject(out);
    }

    /// Goes on with the head; returns the input after its end.
    fn push_head<'a>(&mut self, input: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
        self.encoder.append(input, &mut self.head);
        let head = match head::parse(&self.head, self.max_body_bytes) {
            Ok(Some(head)) => head,
            Ok(None) => return &[],
            Err(error) => {
                self.fail(error, out);
                return &[];
            }
        };
        let (complete, rest) = self.head.split_at(head.length);
        if head.offers_upgrade {
            head::append_without_upgrade(complete, out);
        } else {
            out.extend_from_slice(complete);
        }
        // Nothing after the request line was encoded, so the rest is as long as it is in the input.
        let rest = input.len() - rest.len();
        self.head.clear();
        self.head.shrink_to(KEPT_CAPACITY);
        self.encoder = TargetEncoder::default();
        self.state = match head.body {
            BodyFraming::Empty => State::Head,
            BodyFraming::Length(length) => State::Body(length),
            BodyFraming::Chunked(max) => State::Chunked(ChunkedBody::new(max)),
            BodyFraming::OtherProtocol => State::Discarding,
        };
        self.requests += 1;
        input.get(rest..).unwrap_or_default()
    }
}

/// Appends the first `length` bytes to `out`; returns the others.
fn copy<'a>(input: &'a [u8], length: usize, out: &mut Vec<u8>) -> &'a [u8] {
    let (copied, rest) = input.split_at(length);
    out.extend_from_slice(copied);
    rest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        super::head::{MAX_HEAD_BYTES, MAX_HEADERS},
        *,
    };

    const MAX_BYTES: usize = 1 << 20;

    fn new_framer() -> RequestFramer {
        RequestFramer::new(|_, _| MAX_BYTES)
    }

    /// Pushes all requests of the input.
    fn push(framer: &mut RequestFramer, mut input: &[u8], out: &mut Vec<u8>) {
        while !input.is_empty() {
            input = framer.push(input, out);
        }
    }

    /// The output for an input that arrived at once, and the phase after it.
    fn framed(input: &str) -> (String, Phase) {
        let (framer, out) = pushed(input.as_bytes(), &[]);
        (String::from_utf8(out).unwrap(), framer.phase())
    }

    /// The framer and its output after the input arrived in pieces of these lengths, and its rest
    /// at once.
    fn pushed(mut input: &[u8], pieces: &[usize]) -> (RequestFramer, Vec<u8>) {
        let (mut framer, mut out) = (new_framer(), Vec::new());
        for length in pieces {
            let (piece, rest) = input.split_at((*length).min(input.len()));
            push(&mut framer, piece, &mut out);
            input = rest;
        }
        push(&mut framer, input, &mut out);
        (framer, out)
    }

    #[test]
    fn unsafe_bytes_of_a_target_are_percent_encoded() {
        for (sent, read) in [
            ("/contract?q=déneigement", "/contract?q=d%C3%A9neigement"),
            ("/contract?q=\"a\"<b>`c#d", "/contract?q=%22a%22%3Cb%3E%60c%23d"),
            ("/tender/é|{}[]^\\", "/tender/%C3%A9|{}[]^\\"),
        ] {
            let rest = "HTTP/1.1\r\nhost: é\"<\r\n\r\n";
            let (out, phase) = framed(&format!("\r\n\r\nGET {sent} {rest}"));
            assert_eq!(out, format!("\r\n\r\nGET {read} {rest}"));
            assert_eq!(phase, Phase::Idle);
        }
    }

    #[test]
    fn bodies_that_contain_requests_are_passed_on() {
        let inner = "GET /\"é HTTP/1.1\r\n\r\n";
        let fixed = format!(
            "POST /a HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n{inner}",
            inner.len()
        );
        let chunked = |size: String, data: &str| {
            format!("POST /b HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n{size}\r\n{data}\r\n0\r\n\r\n")
        };
        let plain = "GET /c HTTP/1.0\r\n\r\n";
        let sent = chunked(format!("{:x};e=1", inner.len()), &format!("{inner}\r\n1\r\nx"));
        let joined = chunked(format!("{:x}", inner.len() + 1), &format!("{inner}x"));
        let [sent, passed_on] = [sent, joined].map(|body| format!("{fixed}{body}{plain}{fixed}"));
        assert_eq!(framed(&sent), (passed_on, Phase::Idle));
    }

    fn assert_rejected(head: &str, expected: RequestError) {
        let input = format!("{head}GET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n");
        let (framer, out) = pushed(input.as_bytes(), &[]);
        assert_eq!(framer.error(), Some(expected), "{head:.200}");
        assert_eq!(framer.phase(), Phase::Rejected, "{head:.200}");
        let mut stand_in = Vec::new();
        new_framer().reject(&mut stand_in);
        assert_eq!(out, stand_in, "{head:.200}");
    }

    #[test]
    fn invalid_heads_are_rejected() {
        let endless = "x".repeat(MAX_HEAD_BYTES);
        let many: String = (0..=MAX_HEADERS).map(|n| format!("h{n}: x\r\n")).collect();
        for (head, error) in [
            ("\u{16}\u{3}\u{1}".into(), RequestError::RequestLine),
            ("GET /a b HTTP/1.1\r\nhost: x\r\n\r\n".into(), RequestError::RequestLine),
            (
                "GET /a\tb HTTP/1.1\r\nhost: x\r\n\r\n".into(),
                RequestError::RequestLine,
            ),
            ("GET / HTTP/2.0\r\nhost: x\r\n\r\n".into(), RequestError::RequestLine),
            ("GET /\r\n\r\n".into(), RequestError::RequestLine),
            ("GET% / HTTP/1.1\r\nhost: x\r\n\r\n".into(), RequestError::RequestLine),
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".into(), RequestError::RequestLine),
            (
                "GET a HTTP/1.1\r\nhost: x\r\n b: c\r\n\r\n".into(),
                RequestError::Header,
            ),
            ("GET http://[/ HTTP/1.1\r\nhost: x\r\n\r\n".into(), RequestError::Target),
            ("GET health HTTP/1.1\r\nhost: x\r\n\r\n".into(), RequestError::Target),
            ("POST x:80 HTTP/1.1\r\nhost: x\r\n\r\n".into(), RequestError::Target),
            ("GET / HTTP/1.1\r\na b: c\r\n\r\n".into(), RequestError::Header),
            ("GET / HTTP/1.1\r\na: \u{1}\r\n\r\n".into(), RequestError::Header),
            ("GET / HTTP/1.1\r\na: b\r\n\r\n".into(), RequestError::Host),
            ("\nGET / HTTP/1.1\r\nhost: x\r\n\r\n".into(), RequestError::RequestLine),
            (
                "\r\n\nGET / HTTP/1.1\r\nhost: x\r\n\r\n".into(),
                RequestError::RequestLine,
            ),
            ("GET / HTTP/1.1\nhost: x\r\n\r\n".into(), RequestError::RequestLine),
            ("GET / HTTP/1.1\r\nhost: x\n\r\n".into(), RequestError::Header),
            ("GET / HTTP/1.1\r\nhost: x\r\n\n".into(), RequestError::Header),
            (
                "POST / HTTP/1.1\r\nhost: x\r\na: b\ncontent-length: 5\r\n\r\n".into(),
                RequestError::Header,
            ),
            (
                "GET / HTTP/1.1\r\nhost: a\r\nhost: a\r\n\r\n".into(),
                RequestError::Host,
            ),
            (format!("GET /{endless}"), RequestError::HeadTooLong),
            (format!("GET / HTTP/1.1\r\na: {endless}"), RequestError::HeadTooLong),
            (format!("GET / HTTP/1.1\r\n{many}\r\n"), RequestError::HeadTooLong),
        ] {
            assert_rejected(&head, error);
        }
    }

    #[test]
    fn ambiguous_and_excessive_body_lengths_are_rejected() {
        for (headers, error) in [
            ("content-length: 1048577", RequestError::BodyTooLong(MAX_BYTES)),
            (
                "content-length: 99999999999999999999",
                RequestError::BodyTooLong(MAX_BYTES),
            ),
            ("content-length: +1", RequestError::BodyLength),
            ("content-length: -1", RequestError::BodyLength),
            ("content-length: 1, 1", RequestError::BodyLength),
            ("content-length: 0x1", RequestError::BodyLength),
            ("content-length:", RequestError::BodyLength),
            ("content-length: 1\r\ncontent-length: 1", RequestError::BodyLength),
            (
                "content-length: 1\r\ntransfer-encoding: chunked",
                RequestError::BodyLength,
            ),
            (
                "transfer-encoding: chunked\r\nContent-Length: 0",
                RequestError::BodyLength,
            ),
            (
                "transfer-encoding: chunked\r\ntransfer-encoding: chunked",
                RequestError::BodyLength,
            ),
            ("transfer-encoding: identity", RequestError::BodyLength),
            ("transfer-encoding: gzip, chunked", RequestError::BodyLength),
            ("transfer-encoding: xchunked", RequestError::BodyLength),
            ("transfer-encoding: \u{b}chunked", RequestError::Header),
            ("transfer-encoding : chunked", RequestError::Header),
        ] {
            assert_rejected(&format!("POST / HTTP/1.1\r\nhost: x\r\n{headers}\r\n\r\n"), error);
        }
        assert_rejected("POST / HTTP/1.0\r\n\r\n", RequestError::BodyLength);
        assert_rejected(
            "POST / HTTP/1.0\r\ntransfer-encoding: chunked\r\n\r\n",
            RequestError::BodyLength,
        );
    }

    #[test]
    fn push_stops_at_the_end_of_each_request() {
        let requests = [
            "GET /a HTTP/1.1\r\nhost: x\r\n\r\n",
            "POST /b HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\nhi",
            "POST /c HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
            "HEAD /d HTTP/1.1\r\nhost: x\r\n\r\n",
        ];
        let (mut framer, all) = (new_framer(), requests.concat());
        let mut rest = all.as_bytes();
        for request in requests {
            let mut out = Vec::new();
            rest = framer.push(rest, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), request);
        }
        assert!(rest.is_empty());
    }

    #[test]
    fn input_after_a_tunnel_is_discarded() {
        let head = "CONNECT x:1 HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n";
        assert_eq!(framed(&format!("{head}rest")), (head.to_owned(), Phase::Discarding));
    }

    #[test]
    fn an_offer_of_another_protocol_is_removed() {
        for (sent, kept) in [
            ("upgrade: WebSocket\r\nConnection: Upgrade\r\n", "connection: \r\n"),
            (
                "connection: Upgrade, HTTP2-Settings\r\nUPGRADE: h2c\r\nhttp2-settings: AAMAAABk\r\n",
                "connection: HTTP2-Settings\r\nhttp2-settings: AAMAAABk\r\n",
            ),
            ("connection: close,upgrade\r\n", "connection: close\r\n"),
            (
                "connection: upgrade\r\nconnection: close\r\n",
                "connection: \r\nconnection: close\r\n",
            ),
            ("connection: keep-alive\r\n", "connection: keep-alive\r\n"),
        ] {
            let [sent, kept] =
                [sent, kept].map(|headers| format!("\r\nGET /a:upgrade HTTP/1.1\r\nhost: x\r\n{headers}a: b\r\n\r\n"));
            assert_eq!(framed(&format!("{sent}{sent}")), (format!("{kept}{kept}"), Phase::Idle));
        }
    }

    #[test]
    fn a_timeout_rejects_a_head_and_breaks_the_connection_in_other_phases() {
        for (sent, phase) in [
            ("", Phase::Broken),
            ("\r\n", Phase::Broken),
            ("GET /", Phase::Rejected),
            (
                "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nab",
                Phase::Broken,
            ),
        ] {
            let (mut framer, mut out) = (new_framer(), Vec::new());
            push(&mut framer, sent.as_bytes(), &mut out);
            framer.time_out(&mut out);
            assert_eq!(framer.phase(), phase, "{sent}");
        }
    }

    /// Pieces of valid and invalid requests, in any order.
    fn stream() -> impl Strategy<Value = Vec<u8>> {
        let parts: Vec<Vec<u8>> = [
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
            "connection: close, upgrade\r\n",
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
        .map(|part| part.as_bytes().to_vec())
        .chain([vec![0xff], vec![0], b"x".repeat(9_000)])
        .collect();
        let part = prop_oneof![8 => prop::sample::select(parts), 1 => prop::collection::vec(any::<u8>(), 0..4)];
        prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
    }

    /// The number of requests that the framework's parser finds in the framer's output; `None` if
    /// it reports an error.
    fn requests_of_the_framework(out: &[u8]) -> Option<u64> {
        use actix_codec::Decoder;
        use actix_http::h1::{Codec, Message};
        let (mut codec, mut bytes, mut requests) = (Codec::default(), bytes::BytesMut::from(out), 0);
        while let Some(message) = codec.decode(&mut bytes).ok()? {
            requests += u64::from(matches!(message, Message::Item(_)));
        }
        Some(requests)
    }

    /// Whether the framework finds the requests that the framer counted, and no error.
    fn framework_agrees(input: &[u8]) -> bool {
        let (framer, out) = pushed(input, &[]);
        let stand_ins = u64::from(framer.phase() == Phase::Rejected);
        requests_of_the_framework(&out) == Some(framer.requests() + stand_ins)
    }

    /// The chunks of the body of the only request in the framer's output, as the framework finds them, and
    /// whether the body has an end.
    fn chunks_of_the_framework(out: &[u8]) -> (Vec<Vec<u8>>, bool) {
        use actix_codec::Decoder;
        use actix_http::h1::{Codec, Message};
        let (mut codec, mut bytes, mut chunks) = (Codec::default(), bytes::BytesMut::from(out), Vec::new());
        while let Some(message) = codec.decode(&mut bytes).unwrap() {
            match message {
                Message::Item(_) => {}
                Message::Chunk(Some(chunk)) => chunks.push(chunk.to_vec()),
                Message::Chunk(None) => return (chunks, true),
            }
        }
        (chunks, false)
    }

    const CHUNKED_HEAD: &str = "POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n";

    #[test]
    fn thousands_of_tiny_chunks_reach_the_framework_as_one_for_each_piece_of_input() {
        let input = CHUNKED_HEAD.to_owned() + &"1\r\nx\r\n".repeat(4_000);
        for (pieces, chunks) in [(vec![], 1), (vec![7_168; 3], 4)] {
            let (framer, out) = pushed(input.as_bytes(), &pieces);
            let found = with_runtime(|| chunks_of_the_framework(&out));
            assert_eq!((found.0.len(), found.0.concat().len(), found.1), (chunks, 4_000, false));
            assert_eq!(framer.phase(), Phase::Body);
        }
    }

    /// Runs the test in a runtime, which the framework's parser needs for its clock.
    fn with_runtime<T>(test: impl FnOnce() -> T) -> T {
        actix_web::rt::System::new().block_on(async { test() })
    }

    #[test]
    fn the_framework_agrees_after_any_byte_is_added_or_changed() {
        let valid = b"GET /contract?q=snow HTTP/1.1\r\nhost: x\r\nContent-Length: 5\r\naccept: */*\r\n\r\nhelloPOST /a HTTP/1.0\r\ncontent-length: 0\r\n\r\n";
        with_runtime(|| {
            for (at, byte) in (0..valid.len()).flat_map(|at| (0..=u8::MAX).map(move |byte| (at, byte))) {
                let (mut more, mut other) = (valid.to_vec(), valid.to_vec());
                more.insert(at, byte);
                other[at] = byte;
                for input in [more, other] {
                    assert!(framework_agrees(&input), "{}", String::from_utf8_lossy(&input));
                }
            }
        });
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

        #[test]
        fn the_output_does_not_depend_on_how_the_input_is_split(input in stream(), pieces in prop::collection::vec(0usize..40, 0..60)) {
            let read = |pieces: &[usize]| {
                let (framer, out) = pushed(&input, pieces);
                // The chunks of a body are those of the input's pieces. A second framer joins them.
                let (again, joined) = pushed(&out, &[]);
                assert_eq!(again.requests(), framer.requests() + u64::from(framer.phase() == Phase::Rejected));
                (joined, framer.phase(), framer.requests(), framer.error())
            };
            prop_assert_eq!(read(&pieces), read(&[]));
        }

        #[test]
        fn any_chunks_in_any_pieces_give_the_same_data(
            chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..40), 0..30),
            extension in prop::sample::select(vec!["", ";", ";a=\"b\""]),
            pieces in prop::collection::vec(0usize..60, 0..60),
        ) {
            let mut input = CHUNKED_HEAD.as_bytes().to_vec();
            for chunk in &chunks {
                input.extend_from_slice(format!("{:x}{extension}\r\n", chunk.len()).as_bytes());
                input.extend_from_slice(chunk);
                input.extend_from_slice(b"\r\n");
            }
            input.extend_from_slice(b"0\r\n\r\n");
            let (framer, out) = pushed(&input, &pieces);
            let (found, is_complete) = with_runtime(|| chunks_of_the_framework(&out));
            prop_assert_eq!(found.concat(), chunks.concat());
            prop_assert!(is_complete && found.len() <= pieces.len() + 1);
            prop_assert_eq!(framer.phase(), Phase::Idle);
        }

        #[test]
        fn the_framework_finds_the_same_requests_and_no_error(input in stream()) {
            prop_assert!(with_runtime(|| framework_agrees(&input)), "{}", String::from_utf8_lossy(&input));
        }
    }
}
