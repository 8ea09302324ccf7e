//! What a publisher may have typed into one cell: every rule that reads a text, a list, a day, an amount, and the decoding of bytes.
#![no_main]

use std::io::Read;

use libfuzzer_sys::fuzz_target;
use procure::sources::reading::{decode::Utf8Reader, text};

/// Gives its bytes in two parts, as a chunk's end cuts them.
struct Parts<'a>(&'a [u8], &'a [u8]);

impl Read for Parts<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        // An empty read would be taken for the end.
        if self.0.is_empty() {
            self.0 = std::mem::take(&mut self.1);
        }
        self.0.read(buffer)
    }
}

fn decoded(input: impl Read) -> String {
    let mut text = String::new();
    Utf8Reader::new(input).read_to_string(&mut text).expect("bytes in memory become text");
    text
}

fuzz_target!(|bytes: &[u8]| {
    let raw = decoded(bytes);
    let cut = bytes.first().map_or(0, |at| usize::from(*at) % bytes.len());
    assert_eq!(decoded(Parts(&bytes[..cut], &bytes[cut..])), raw);
    assert_eq!(decoded(raw.as_bytes()), raw.strip_prefix('\u{feff}').unwrap_or(&raw).replace("\r\n", "\n"));
    let lines = text::list(&raw).into_iter().chain(text::as_line(&raw)).chain(text::organization(&raw));
    for line in lines {
        assert!(!line.is_empty() && !line.contains(['\n', '\r', '\t']) && !line.contains("  "), "{line:?}");
        assert_eq!(line.trim(), line);
    }
    if let Some(block) = text::block(&raw) {
        assert!(!block.contains("\n\n\n") && block.trim() == block, "{block:?}");
    }
    if let Ok(Some(day)) = text::date(&raw) {
        assert!(("1900-01-01".."2200-01-01").contains(&day.to_string().as_str()), "{day}");
    }
    let written = text::day(&raw).map(|day| day.map(|day| day.into_owned()));
    assert_eq!(written, text::date(&raw).map(|day| day.map(|day| day.to_string())), "{raw:?}");
    for amount in [text::amount(&raw), text::given_amount(&raw)] {
        assert!(amount.is_ok_and(|amount| amount.is_none_or(f64::is_finite)) || amount.is_err());
    }
});
