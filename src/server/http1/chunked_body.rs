//! Where a chunked body ends (RFC 9112, 7.1). Strict: what is doubtful ends the connection, since two readers must never differ on the end.

use crate::server::http1::framer::LONGEST_BODY;

#[derive(Debug, Default)]
pub struct Chunks {
    step: Step,
    /// Bytes of data so far, and of extensions.
    data: u64,
    extensions: u64,
}

/// What stands behind the bytes that were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    More,
    Nothing,
    /// More data than a body may hold: one byte of it was read, so that whoever reads the body sees that it is too long.
    TooMuch,
    /// What is no chunked body.
    Fault,
}

/// Spec silent: the most bytes of chunk extensions, which nobody reads.
const MOST_EXTENSIONS: u64 = 16 << 10;

#[derive(Clone, Copy, Debug)]
enum Step {
    /// Within a chunk's size, which is this so far; `None` before its first digit.
    Size(Option<u64>),
    Extension(u64),
    SizeEnd(u64),
    Data(u64),
    DataReturn,
    DataEnd,
    LastReturn,
    LastEnd,
}

impl Default for Step {
    fn default() -> Step {
        Step::Size(None)
    }
}

impl Chunks {
    /// How many of these bytes are the body's, and what comes behind them.
    pub fn read(&mut self, input: &[u8]) -> (usize, Then) {
        let mut taken = 0;
        while let Some(&byte) = input.get(taken) {
            if let Step::Data(left) = self.step {
                let readable = left.min(LONGEST_BODY + 1 - self.data);
                let length = usize::try_from(readable).unwrap_or(usize::MAX).min(input.len() - taken);
                taken += length;
                self.data += length as u64;
                if self.data > LONGEST_BODY {
                    return (taken, Then::TooMuch);
                }
                self.step = match left - length as u64 {
                    0 => Step::DataReturn,
                    left => Step::Data(left),
                };
                continue;
            }
            taken += 1;
            if matches!(self.step, Step::LastEnd) && byte == b'\n' {
                return (taken, Then::Nothing);
            }
            match self.step(byte) {
                Some(step) => self.step = step,
                None => return (taken, Then::Fault),
            }
        }
        (taken, Then::More)
    }

    /// The step behind a byte; `None` where the byte has no place.
    fn step(&mut self, byte: u8) -> Option<Step> {
        let digit = char::from(byte).to_digit(16).map(u64::from);
        Some(match (self.step, byte) {
            (Step::Size(size), _) if digit.is_some() => {
                Step::Size(Some(size.unwrap_or_default().checked_mul(16)?.checked_add(digit?)?))
            }
            (Step::Size(Some(size)) | Step::Extension(size), b'\r') => Step::SizeEnd(size),
            (Step::Size(Some(size)), b';') => Step::Extension(size),
            (Step::Extension(size), b'\t' | b' '..=b'~' | 0x80..) => {
                self.extensions += 1;
                (self.extensions <= MOST_EXTENSIONS).then_some(Step::Extension(size))?
            }
            (Step::SizeEnd(0), b'\n') => Step::LastReturn,
            (Step::SizeEnd(size), b'\n') => Step::Data(size),
            (Step::DataReturn, b'\r') => Step::DataEnd,
            (Step::DataEnd, b'\n') => Step::Size(None),
            (Step::LastReturn, b'\r') => Step::LastEnd,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_ends_where_it_says() {
        for (input, taken, then) in [
            ("0\r\n\r\n", 5, Then::Nothing),
            ("5\r\nhello\r\n0\r\n\r\nGET", 15, Then::Nothing),
            ("a ; b\r\n", 2, Then::Fault),
            ("a;b=\"c\"\r\n0123456789\r\n00\r\n\r\n", 27, Then::Nothing),
            ("5\r\nhel", 6, Then::More),
            ("5\nhello", 2, Then::Fault),
            ("5\r\nhello0", 9, Then::Fault),
            ("\r\n", 1, Then::Fault),
            ("g", 1, Then::Fault),
            ("-1", 1, Then::Fault),
            ("0\r\nTrailer: x\r\n\r\n", 4, Then::Fault),
            ("0\r\n\rx", 5, Then::Fault),
            ("10000000000000000", 17, Then::Fault),
        ] {
            assert_eq!(Chunks::default().read(input.as_bytes()), (taken, then), "{input:.40}");
        }
        let endless = format!("1;{}", "x".repeat(2 << 20));
        assert_eq!(Chunks::default().read(endless.as_bytes()).1, Then::Fault);
    }

    #[test]
    fn a_body_that_is_too_long_is_read_until_one_can_tell() {
        let most = LONGEST_BODY as usize;
        let chunk = |length: usize| format!("{length:x}\r\n{}\r\n", "x".repeat(length));
        for (input, taken, then) in [
            (chunk(most) + "0\r\n\r\n", most + 15, Then::Nothing),
            (chunk(most + 1), 8 + most + 1, Then::TooMuch),
            (chunk(1) + &chunk(most), 6 + 8 + most, Then::TooMuch),
            (
                format!("fffffffffffffff\r\n{}", "x".repeat(2 * most)),
                17 + most + 1,
                Then::TooMuch,
            ),
        ] {
            assert_eq!(Chunks::default().read(input.as_bytes()), (taken, then), "{input:.20}");
        }
    }
}
