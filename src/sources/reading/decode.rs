//! Decoding: the bytes of a publisher's file become UTF-8 text.
//!
//! Valid UTF-8 stays. Each invalid byte sequence, and nothing around it, is decoded as
//! Windows-1252. A byte order mark at the start is dropped, and every line ends in `\n`.
//! [`Utf8Reader`] decodes as a stream, knows the current line, and rejects a row longer than
//! [`MAX_ROW_BYTES`], so that an unclosed quote cannot read a whole file into memory.

use std::io::{self, BufRead, Read};

use encoding_rs::WINDOWS_1252;

/// Maximum length of a row in bytes. The longest real rows are under 1 MiB.
pub(crate) const MAX_ROW_BYTES: u64 = 16 << 20;

/// Decision D-182: the maximum number of values in a row. A short row of empty lists would otherwise
/// need 24 times its length in memory once it is parsed, and a row of empty columns 9 times. The
/// largest known row has 15,000.
pub(crate) const MAX_ROW_VALUES: usize = 1 << 18;

/// The reason for which a file cannot be read from a row with more values on.
pub(crate) fn too_many_values() -> String {
    format!("a row has more than {MAX_ROW_VALUES} values")
}

/// The note for a row near which bytes were decoded as Windows-1252.
pub(crate) const STRAY_BYTES: &str = "stray bytes near here, read as Windows-1252";

/// Bytes read at a time.
const CHUNK: usize = 64 << 10;

/// Reads valid UTF-8 from any bytes.
pub struct Utf8Reader<R> {
    inner: R,
    /// Bytes that are read and not decoded: between two refills, at most an incomplete sequence.
    raw: Vec<u8>,
    /// A read error, returned once the bytes before it are consumed.
    failed: Option<io::Error>,
    text: Vec<u8>,
    /// Whether a carriage return at the end of the decoded text is held back, because a line feed
    /// may follow.
    held_return: bool,
    /// Index in `text` of the next byte.
    at: usize,
    started: bool,
    /// The line of the byte at `line_at`.
    line: u64,
    line_at: usize,
    row_bytes: u64,
    repaired: bool,
}

impl<R: Read> Utf8Reader<R> {
    pub fn new(inner: R) -> Utf8Reader<R> {
        Utf8Reader {
            inner,
            raw: Vec::new(),
            failed: None,
            text: Vec::new(),
            held_return: false,
            at: 0,
            started: false,
            line: 1,
            line_at: 0,
            row_bytes: 0,
            repaired: false,
        }
    }

    /// The line of the next byte, from 1.
    pub(crate) fn line(&mut self) -> u64 {
        self.line += memchr::memchr_iter(b'\n', &self.text[self.line_at..self.at]).count() as u64;
        self.line_at = self.at;
        self.line
    }

    /// Marks the begin of a row, from which its length is counted.
    pub(crate) fn begin_row(&mut self) {
        self.row_bytes = 0;
    }

    /// Whether bytes were decoded as Windows-1252 since the last call.
    pub(crate) fn take_repaired(&mut self) -> bool {
        std::mem::take(&mut self.repaired)
    }

    /// The beginning of the file, at least one chunk if the file is as long. Consumes nothing.
    pub fn peek(&mut self) -> io::Result<&str> {
        let text = self.fill_buf()?;
        Ok(std::str::from_utf8(text).expect("decoded text is UTF-8, and nothing of it is consumed"))
    }

    fn refill(&mut self) -> io::Result<()> {
        self.line();
        self.text.clear();
        (self.at, self.line_at) = (0, 0);
        while self.text.is_empty() {
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
            let carried = self.raw.len();
            let mut wanted = self.inner.by_ref().take((CHUNK - carried) as u64);
            // The bytes before an error are used first; the error is returned afterwards.
            self.failed = wanted.read_to_end(&mut self.raw).err();
            let end = self.raw.len() == carried;
            if !self.started {
                self.started = true;
                if self.raw.starts_with(b"\xEF\xBB\xBF") {
                    self.raw.drain(..3);
                }
            }
            self.decode(end);
            if end && self.failed.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// Adds to the text, with `\r\n` replaced by `\n`.
    fn push(&mut self, text: &str) {
        let mut rest = text;
        if std::mem::take(&mut self.held_return) && !rest.starts_with('\n') {
            self.text.push(b'\r');
        }
        if let Some(shorter) = rest.strip_suffix('\r') {
            self.held_return = true;
            rest = shorter;
        }
        while let Some(at) = memchr::memmem::find(rest.as_bytes(), b"\r\n") {
            self.text.extend_from_slice(&rest.as_bytes()[..at]);
            rest = &rest[at + 1..];
        }
        self.text.extend_from_slice(rest.as_bytes());
    }

    fn decode(&mut self, end: bool) {
        let mut raw = std::mem::take(&mut self.raw);
        let mut rest: &[u8] = &raw;
        while !rest.is_empty() {
            let (valid, stray) = match simdutf8::compat::from_utf8(rest) {
                Ok(valid) => (valid, 0),
                Err(error) => {
                    let valid = std::str::from_utf8(&rest[..error.valid_up_to()]).expect("checked up to here");
                    let unfinished = if end { rest.len() - valid.len() } else { 0 };
                    (valid, error.error_len().unwrap_or(unfinished))
                }
            };
            self.push(valid);
            rest = &rest[valid.len()..];
            if stray == 0 {
                break;
            }
            let (decoded, _) = WINDOWS_1252.decode_without_bom_handling(&rest[..stray]);
            self.push(&decoded);
            self.repaired = true;
            rest = &rest[stray..];
        }
        let decoded = raw.len() - rest.len();
        raw.drain(..decoded);
        self.raw = raw;
        if end && std::mem::take(&mut self.held_return) {
            self.text.push(b'\r');
        }
    }
}

impl<R: Read> BufRead for Utf8Reader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.row_bytes > MAX_ROW_BYTES {
            return Err(io::Error::other(format!(
                "a row is longer than {} MiB; is a quote or a tag left open?",
                MAX_ROW_BYTES >> 20
            )));
        }
        if self.at == self.text.len() {
            self.refill()?;
        }
        Ok(&self.text[self.at..])
    }

    fn consume(&mut self, amount: usize) {
        let end = (self.at + amount).min(self.text.len());
        self.row_bytes += (end - self.at) as u64;
        self.at = end;
    }
}

impl<R: Read> Read for Utf8Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns one byte at a time.
    struct OneByteReader<'a>(&'a [u8]);

    impl Read for OneByteReader<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let some = self.0.len().min(1).min(buffer.len());
            buffer[..some].copy_from_slice(&self.0[..some]);
            self.0 = &self.0[some..];
            Ok(some)
        }
    }

    fn decoded(bytes: &[u8]) -> String {
        let mut text = String::new();
        Utf8Reader::new(OneByteReader(bytes)).read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn invalid_bytes_are_windows_1252_and_the_rest_stays() {
        for (bytes, text) in [
            (&b"\xEF\xBB\xBFtitle"[..], "title"),
            ("déjà".as_bytes(), "déjà"),
            (b"d\xE9j\xC3\xA0", "déjà"),
            (b"l\x92\xE9t\xE9", "l\u{2019}été"),
            (b"fin \xC3", "fin Ã"),
            (b"a\r\nb\rc\r\r\nd\r", "a\nb\rc\r\nd\r"),
            (b"", ""),
        ] {
            assert_eq!(decoded(bytes), text);
        }
    }

    #[test]
    fn a_character_split_between_chunks_is_not_replaced() {
        let text = format!("{}é{}", "x".repeat(CHUNK - 1), "y".repeat(10));
        let mut reader = Utf8Reader::new(text.as_bytes());
        let mut read = String::new();
        reader.read_to_string(&mut read).unwrap();
        assert_eq!(read, text);
        assert!(!reader.take_repaired());
    }

    #[test]
    fn lines_are_counted_and_an_endless_row_is_rejected() {
        let mut reader = Utf8Reader::new(&b"a\nb\n\nc"[..]);
        io::copy(&mut reader, &mut io::sink()).unwrap();
        assert_eq!(reader.line(), 4);

        let mut endless = Utf8Reader::new(io::repeat(b'x'));
        let error = io::copy(&mut endless, &mut io::sink()).unwrap_err();
        assert!(error.to_string().contains("a quote or a tag left open"), "{error}");
    }

    #[test]
    fn bytes_before_an_error_are_returned_first() {
        struct Failing;
        impl Read for Failing {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("cut"))
            }
        }
        let mut reader = Utf8Reader::new((&b"good"[..]).chain(Failing));
        let mut text = String::new();
        assert_eq!(reader.read_to_string(&mut text).unwrap_err().to_string(), "cut");
        assert_eq!(text, "good");
    }

    proptest! {
        #[test]
        fn any_bytes_become_text(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let text = decoded(&bytes);
            if let Ok(valid) = std::str::from_utf8(&bytes) {
                let valid = valid.strip_prefix('\u{feff}').unwrap_or(valid);
                prop_assert_eq!(text, valid.replace("\r\n", "\n"));
            }
        }
    }
}
