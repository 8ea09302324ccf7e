//! Where a chunked body ends (RFC 9112, 7.1). Strict: what is doubtful ends the connection, since two readers must never differ on the end.

use crate::serve::framing::LONGEST_BODY;

#[derive(Debug, Default)]
pub struct Chunks {
    step: Step,
    /// Bytes of data and of extensions so far.
    total: u64,
}

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
    /// How many of these bytes are the body's, and whether it goes on behind them; `None` where it is malformed or too long.
    pub fn read(&mut self, input: &[u8]) -> (usize, Option<bool>) {
        let mut taken = 0;
        while let Some(&byte) = input.get(taken) {
            if let Step::Data(left) = self.step {
                let length = usize::try_from(left).unwrap_or(usize::MAX).min(input.len() - taken);
                taken += length;
                self.step = match left - length as u64 {
                    0 => Step::DataReturn,
                    left => Step::Data(left),
                };
                continue;
            }
            taken += 1;
            if matches!(self.step, Step::LastEnd) && byte == b'\n' {
                return (taken, Some(false));
            }
            match self.step(byte) {
                Some(step) => self.step = step,
                None => return (taken, None),
            }
        }
        (taken, Some(true))
    }

    /// The step behind a byte; `None` where the byte has no place.
    fn step(&mut self, byte: u8) -> Option<Step> {
        let digit = char::from(byte).to_digit(16).map(u64::from);
        Some(match (self.step, byte) {
            (Step::Size(size), _) if digit.is_some() => Step::Size(Some(self.size(size.unwrap_or_default(), digit?)?)),
            (Step::Size(Some(size)) | Step::Extension(size), b'\r') => Step::SizeEnd(size),
            (Step::Size(Some(size)), b';') => Step::Extension(size),
            (Step::Extension(size), b'\t' | b' '..=b'~' | 0x80..) => {
                self.total = self.grown(1)?;
                Step::Extension(size)
            }
            (Step::SizeEnd(0), b'\n') => Step::LastReturn,
            (Step::SizeEnd(size), b'\n') => {
                self.total = self.grown(size)?;
                Step::Data(size)
            }
            (Step::DataReturn, b'\r') => Step::DataEnd,
            (Step::DataEnd, b'\n') => Step::Size(None),
            (Step::LastReturn, b'\r') => Step::LastEnd,
            _ => return None,
        })
    }

    fn size(&self, size: u64, digit: u64) -> Option<u64> {
        let size = size.checked_mul(16)?.checked_add(digit)?;
        self.grown(size).map(|_| size)
    }

    fn grown(&self, by: u64) -> Option<u64> {
        self.total.checked_add(by).filter(|total| *total <= LONGEST_BODY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_ends_where_it_says() {
        let long = format!("{:x}\r\n", LONGEST_BODY);
        let (longer, twice) = (format!("{:x}\r\n", LONGEST_BODY + 1), format!("1\r\na\r\n{long}"));
        for (input, taken, is_going) in [
            ("0\r\n\r\n", 5, Some(false)),
            ("5\r\nhello\r\n0\r\n\r\nGET", 15, Some(false)),
            ("a ; b\r\n", 2, None),
            ("a;b=\"c\"\r\n0123456789\r\n00\r\n\r\n", 27, Some(false)),
            ("5\r\nhel", 6, Some(true)),
            (&long, 8, Some(true)),
            (&longer, 6, None),
            (&twice, 12, None),
            ("5\nhello", 2, None),
            ("5\r\nhello0", 9, None),
            ("\r\n", 1, None),
            ("g", 1, None),
            ("-1", 1, None),
            ("0\r\nTrailer: x\r\n\r\n", 4, None),
            ("0\r\n\rx", 5, None),
        ] {
            assert_eq!(
                Chunks::default().read(input.as_bytes()),
                (taken, is_going),
                "{input:.40}"
            );
        }
        let endless = format!("1;{}", "x".repeat(2 << 20));
        assert_eq!(Chunks::default().read(endless.as_bytes()).1, None);
    }
}
