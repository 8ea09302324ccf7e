//! One record being written: a JSON object on one line, in a buffer that the next record uses again.
//!
//! Written by hand because a bench makes millions of records; escaping is serde_json's own.

use std::fmt::{self, Display, Write};

use serde::Serialize;

#[derive(Default)]
pub(super) struct RecordWriter {
    line: String,
    scratch: String,
}

/// An amount in cents.
pub(super) struct Money(pub(super) i64);

impl RecordWriter {
    pub(super) fn start(&mut self) {
        self.line.clear();
        self.line.push('{');
    }

    /// The finished line.
    pub(super) fn finish(&mut self) -> &str {
        self.line.push_str("}\n");
        &self.line
    }

    pub(super) fn text(&mut self, name: &str, value: &str) {
        self.name(name);
        if value.bytes().any(|b| b < 0x20 || b == b'"' || b == b'\\') {
            self.push_json(value);
        } else {
            self.line.extend(["\"", value, "\""]);
        }
    }

    /// A text that is displayed, mostly `format_args!`.
    pub(super) fn display(&mut self, name: &str, value: impl Display) {
        self.fill(name, |out| {
            // Writing to a String cannot fail.
            let _ = write!(out, "{value}");
        });
    }

    /// A text that `fill` puts together.
    pub(super) fn fill(&mut self, name: &str, fill: impl FnOnce(&mut String)) {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        fill(&mut scratch);
        self.text(name, &scratch);
        self.scratch = scratch;
    }

    /// An amount in cents, as a JSON number of dollars.
    pub(super) fn money(&mut self, name: &str, cents: i64) {
        self.name(name);
        // Writing to a String cannot fail.
        let _ = write!(self.line, "{}", Money(cents));
    }

    /// A number, object or array.
    pub(super) fn json(&mut self, name: &str, value: &impl Serialize) {
        self.name(name);
        self.push_json(value);
    }

    fn push_json(&mut self, value: &(impl Serialize + ?Sized)) {
        let json = serde_json::to_string(value).expect("strings, numbers, lists and structs serialize");
        self.line.push_str(&json);
    }

    fn name(&mut self, name: &str) {
        let separator = if self.line.len() > 1 { ",\"" } else { "\"" };
        self.line.extend([separator, name, "\":"]);
    }
}

/// `1234.5` for 123450 cents: the shortest form, with at least one decimal, as parsers of floats write it back.
impl Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, cents) = (if self.0 < 0 { "-" } else { "" }, self.0.unsigned_abs());
        let (dollars, cents) = (cents / 100, cents % 100);
        if cents.is_multiple_of(10) {
            write!(f, "{sign}{dollars}.{}", cents / 10)
        } else {
            write!(f, "{sign}{dollars}.{cents:02}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_reads_back() {
        let mut record = RecordWriter::default();
        for _ in 0..2 {
            record.start();
            record.text("a", "plain é");
            record.text("b", "a \"quote\"\n");
            record.display("c", format_args!("l'eau {}", 2));
            record.money("d", -123_405);
            record.json("e", &3);
            record.json("f", &["\\"]);
            assert_eq!(
                record.finish(),
                "{\"a\":\"plain é\",\"b\":\"a \\\"quote\\\"\\n\",\"c\":\"l'eau 2\",\"d\":-1234.05,\"e\":3,\"f\":[\"\\\\\"]}\n"
            );
        }
    }

    #[test]
    fn money_has_the_shortest_form() {
        for (cents, text) in [(0, "0.0"), (5, "0.05"), (50, "0.5"), (100, "1.0"), (-250, "-2.5")] {
            assert_eq!(Money(cents).to_string(), text);
            assert_eq!(serde_json::to_string(&(cents as f64 / 100.0)).unwrap(), text);
        }
    }
}
