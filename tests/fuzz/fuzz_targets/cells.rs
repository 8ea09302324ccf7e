//! One cell of a publisher's file: the decoding of bytes, and every function that reads a text, a
//! list, a day or an amount.
#![no_main]

use std::io::Read;

use libfuzzer_sys::fuzz_target;
use procure::sources::reading::{decode::Utf8Reader, text};

/// Returns its bytes in two reads, as if they were split at the end of a buffer.
struct TwoReads<'a>(&'a [u8], &'a [u8]);

impl Read for TwoReads<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        // An empty read would mean the end of the file.
        if self.0.is_empty() {
            self.0 = std::mem::take(&mut self.1);
        }
        self.0.read(buffer)
    }
}

fn decoded(input: impl Read) -> String {
    let mut text = String::new();
    Utf8Reader::new(input).read_to_string(&mut text).expect("decoding never fails");
    text
}

fuzz_target!(|bytes: &[u8]| {
    let raw = decoded(bytes);
    let split = bytes.first().map_or(0, |first| usize::from(*first) % bytes.len());
    assert_eq!(decoded(TwoReads(&bytes[..split], &bytes[split..])), raw);
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
    let day = text::day(&raw).map(|day| day.map(|day| day.into_owned()));
    assert_eq!(day, text::date(&raw).map(|day| day.map(|day| day.to_string())), "{raw:?}");
    for amount in [text::amount(&raw), text::given_amount(&raw)].into_iter().flatten().flatten() {
        assert!(amount.is_finite(), "{amount}");
    }
});
