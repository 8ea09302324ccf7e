//! Finds the end of a chunked body (RFC 9112, 7.1), and joins its chunks.
//!
//! Strict: anything ambiguous ends the connection, since two parsers must never disagree about
//! where a body ends.
//!
//! Decision D-158: the framework queues each chunk, and an entry of its queue takes more memory than a
//! chunk of one byte. So it gets the data of all chunks that arrived together as one chunk.

/// An incremental parser of one chunked body.
#[derive(Debug)]
pub(crate) struct ChunkedBody {
    state: State,
    /// How many bytes of data further chunks may hold.
    permitted_bytes: u64,
    extension_bytes: u64,
}

/// What follows the bytes that were parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChunkStatus {
    /// The body goes on.
    Incomplete,
    /// The body is complete.
    Complete,
    /// The size of a chunk states that the body holds more data than permitted. None of that chunk's
    /// data was parsed.
    TooLong,
    /// The bytes are not a chunked body.
    Invalid,
}

/// The maximum number of bytes of chunk extensions in a body. Nothing reads them.
const MAX_EXTENSION_BYTES: u64 = 16 << 10;

/// The end of every chunked body in the output.
const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

#[derive(Clone, Copy, Debug)]
enum State {
    /// In a chunk's size, with its value so far; `None` before the first digit.
    Size(Option<u64>),
    /// In a chunk's extensions; here and below the number is the chunk's size, or how much of its
    /// data is left.
    Extension(u64),
    SizeLineFeed(u64),
    Data(u64),
    DataCarriageReturn,
    DataLineFeed,
    LastCarriageReturn,
    LastLineFeed,
}

impl ChunkedBody {
    pub(crate) fn new(max_data_bytes: u64) -> ChunkedBody {
        ChunkedBody {
            state: State::Size(None),
            permitted_bytes: max_data_bytes,
            extension_bytes: 0,
        }
    }

    /// Returns how many bytes of `input` belong to the body, and what follows them. Appends their data to
    /// `out` as one chunk, and the end of the body after it. Extensions are left out, and so are bytes that
    /// are not a chunked body.
    pub(crate) fn parse(&mut self, input: &[u8], out: &mut Vec<u8>) -> (usize, ChunkStatus) {
        let start = out.len();
        let (parsed, status) = self.take_data(input, out);
        let length = out.len() - start;
        if length > 0 {
            let size_line = format!("{length:x}\r\n").into_bytes();
            drop(out.splice(start..start, size_line));
            out.extend_from_slice(b"\r\n");
        }
        if status == ChunkStatus::Complete {
            out.extend_from_slice(LAST_CHUNK);
        }
        (parsed, status)
    }

    /// As [`Self::parse`], but appends the data alone.
    fn take_data(&mut self, input: &[u8], out: &mut Vec<u8>) -> (usize, ChunkStatus) {
        let mut parsed = 0;
        while let Some(&byte) = input.get(parsed) {
            if let State::Data(left) = self.state {
                let rest = input.get(parsed..).unwrap_or_default();
                let length = usize::try_from(left).unwrap_or(usize::MAX).min(rest.len());
                out.extend_from_slice(rest.get(..length).unwrap_or(rest));
                parsed += length;
                self.state = match left - length as u64 {
                    0 => State::DataCarriageReturn,
                    left => State::Data(left),
                };
                continue;
            }
            parsed += 1;
            if matches!(self.state, State::LastLineFeed) && byte == b'\n' {
                return (parsed, ChunkStatus::Complete);
            }
            match self.next_state(byte) {
                Some(state) => self.state = state,
                None => return (parsed, ChunkStatus::Invalid),
            }
            if let State::Data(size) = self.state {
                match self.permitted_bytes.checked_sub(size) {
                    Some(rest) => self.permitted_bytes = rest,
                    None => return (parsed, ChunkStatus::TooLong),
                }
            }
        }
        (parsed, ChunkStatus::Incomplete)
    }

    /// The state after a byte; `None` if the byte is invalid here.
    fn next_state(&mut self, byte: u8) -> Option<State> {
        let digit = char::from(byte).to_digit(16).map(u64::from);
        Some(match (self.state, byte) {
            (State::Size(size), _) if digit.is_some() => {
                State::Size(Some(size.unwrap_or(0).checked_mul(16)?.checked_add(digit?)?))
            }
            (State::Size(Some(size)) | State::Extension(size), b'\r') => State::SizeLineFeed(size),
            (State::Size(Some(size)), b';') => State::Extension(size),
            (State::Extension(size), b'\t' | b' '..=b'~' | 0x80..) => {
                self.extension_bytes += 1;
                if self.extension_bytes > MAX_EXTENSION_BYTES {
                    return None;
                }
                State::Extension(size)
            }
            (State::SizeLineFeed(0), b'\n') => State::LastCarriageReturn,
            (State::SizeLineFeed(size), b'\n') => State::Data(size),
            (State::DataCarriageReturn, b'\r') => State::DataLineFeed,
            (State::DataLineFeed, b'\n') => State::Size(None),
            (State::LastCarriageReturn, b'\r') => State::LastLineFeed,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX: usize = 1 << 20;

    fn parse(input: &str) -> (usize, ChunkStatus) {
        ChunkedBody::new(MAX as u64).parse(input.as_bytes(), &mut Vec::new())
    }

    #[test]
    fn finds_the_end_of_a_body_and_rejects_what_is_not_one() {
        for (input, parsed, status) in [
            ("0\r\n\r\n", 5, ChunkStatus::Complete),
            ("5\r\nhello\r\n0\r\n\r\nGET", 15, ChunkStatus::Complete),
            ("a ; b\r\n", 2, ChunkStatus::Invalid),
            ("a;b=\"c\"\r\n0123456789\r\n00\r\n\r\n", 27, ChunkStatus::Complete),
            ("5\r\nhel", 6, ChunkStatus::Incomplete),
            ("5\nhello", 2, ChunkStatus::Invalid),
            ("5\r\nhello0", 9, ChunkStatus::Invalid),
            ("\r\n", 1, ChunkStatus::Invalid),
            ("g", 1, ChunkStatus::Invalid),
            ("-1", 1, ChunkStatus::Invalid),
            ("0\r\nTrailer: x\r\n\r\n", 4, ChunkStatus::Invalid),
            ("0\r\n\rx", 5, ChunkStatus::Invalid),
            ("10000000000000000", 17, ChunkStatus::Invalid),
        ] {
            assert_eq!(parse(input), (parsed, status), "{input:.40}");
        }
        let endless_extension = format!("1;{}", "x".repeat(2 << 20));
        assert_eq!(parse(&endless_extension).1, ChunkStatus::Invalid);
    }

    #[test]
    fn stops_before_a_chunk_beyond_the_limit() {
        let chunk = |length: usize| format!("{length:x}\r\n{}\r\n", "x".repeat(length));
        for (input, parsed, status) in [
            (chunk(MAX) + "0\r\n\r\n", MAX + 15, ChunkStatus::Complete),
            (chunk(MAX + 1), 8, ChunkStatus::TooLong),
            (chunk(1) + &chunk(MAX), 6 + 8, ChunkStatus::TooLong),
            (chunk(1) + "100000", 6 + 6, ChunkStatus::Incomplete),
            (
                chunk(1) + &chunk(MAX - 1) + "0\r\n\r\n",
                MAX + 19,
                ChunkStatus::Complete,
            ),
            (chunk(1) + &chunk(MAX - 1) + "1\r\nx", MAX + 17, ChunkStatus::TooLong),
            (
                format!("fffffffffffffff\r\n{}", "x".repeat(2 * MAX)),
                17,
                ChunkStatus::TooLong,
            ),
        ] {
            assert_eq!(parse(&input), (parsed, status), "{input:.20}");
        }
    }

    #[test]
    fn chunks_that_arrive_together_are_joined() {
        for (pieces, joined) in [
            (&["0\r\n\r\n"][..], &["0\r\n\r\n"][..]),
            (&["1\r\na\r\n2;x=y\r\nbc\r\n00\r\n\r\n"], &["3\r\nabc\r\n0\r\n\r\n"]),
            // Parts of a size, of line ends and of data.
            (
                &["0", "00A;", "x\r", "\nab", "cdefghi", "j\r", "\n0\r\n", "\r", "\n"],
                &[
                    "",
                    "",
                    "",
                    "2\r\nab\r\n",
                    "7\r\ncdefghi\r\n",
                    "1\r\nj\r\n",
                    "",
                    "",
                    "0\r\n\r\n",
                ],
            ),
            // Data before the invalid byte.
            (&["1\r\na\r\nx"], &["1\r\na\r\n"]),
            (&["1\r\na\r\n100000\r\nbc"], &["1\r\na\r\n"]),
        ] {
            let mut body = ChunkedBody::new(MAX as u64);
            let out = pieces.iter().map(|piece| {
                let mut out = Vec::new();
                body.parse(piece.as_bytes(), &mut out);
                String::from_utf8(out).unwrap()
            });
            assert_eq!(out.collect::<Vec<_>>(), joined, "{pieces:?}");
        }
        let (mut body, mut out) = (ChunkedBody::new(MAX as u64), b"before".to_vec());
        body.parse("1\r\nx\r\n".repeat(4_000).as_bytes(), &mut out);
        assert_eq!(out, format!("beforefa0\r\n{}\r\n", "x".repeat(4_000)).into_bytes());
    }
}
