//! Percent-encodes the bytes of a request target that a client should have encoded, such as `é` or
//! `"`.

/// Copies request heads and encodes their targets on the way. Keeps its position between calls.
#[derive(Debug, Default)]
pub(crate) struct TargetEncoder {
    position: Position,
}

/// Where in a head's first line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Position {
    /// Empty lines may precede the request line.
    #[default]
    BeforeLine,
    Method,
    Target,
    AfterTarget,
}

impl TargetEncoder {
    /// Appends the next bytes of a head to `head`. Bytes after the request line are copied
    /// unchanged.
    pub(crate) fn append(&mut self, input: &[u8], head: &mut Vec<u8>) {
        let mut input = input.iter();
        while self.position != Position::AfterTarget {
            let Some(&byte) = input.next() else { return };
            self.position = match (self.position, byte) {
                (Position::BeforeLine, b'\r' | b'\n') => Position::BeforeLine,
                (Position::Method | Position::Target, b'\n') => Position::AfterTarget,
                (Position::BeforeLine | Position::Method, b' ') => Position::Target,
                (Position::Target, b' ') => Position::AfterTarget,
                (Position::BeforeLine, _) => Position::Method,
                (position, _) => position,
            };
            let is_unsafe = matches!(byte, b'"' | b'#' | b'<' | b'>' | b'`' | 0x80..);
            if is_unsafe && self.position == Position::Target {
                head.extend_from_slice(&[b'%', hex_digit(byte >> 4), hex_digit(byte & 15)]);
            } else {
                head.push(byte);
            }
        }
        head.extend_from_slice(input.as_slice());
    }
}

/// The upper-case digit of a number below 16.
fn hex_digit(number: u8) -> u8 {
    number + if number < 10 { b'0' } else { b'A' - 10 }
}
