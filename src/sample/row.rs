//! One record being written: a JSON object on one line, in a buffer that is used again for the next.
//!
//! The writing is by hand because a bench wants millions of records; escaping is serde_json's own.

use std::fmt::Write;

use serde_json::Value;

#[derive(Default)]
pub struct Row {
    line: String,
    scratch: String,
}

impl Row {
    pub fn begin(&mut self) {
        self.line.clear();
        self.line.push('{');
    }

    /// The finished line.
    pub fn end(&mut self) -> &str {
        self.line.push_str("}\n");
        &self.line
    }

    pub fn text(&mut self, name: &str, value: &str) {
        self.name(name);
        push_string(&mut self.line, value);
    }

    /// A text put together by `fill`.
    pub fn fill(&mut self, name: &str, fill: impl FnOnce(&mut String)) {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        fill(&mut scratch);
        self.text(name, &scratch);
        self.scratch = scratch;
    }

    /// An amount given in cents, as a JSON number.
    pub fn money(&mut self, name: &str, cents: i64) {
        self.name(name);
        push_money(&mut self.line, cents);
    }

    pub fn count(&mut self, name: &str, count: u32) {
        self.name(name);
        push_number(&mut self.line, u64::from(count));
    }

    /// Any JSON; `write` writes the whole of it, [`push_string`] its texts.
    pub fn json(&mut self, name: &str, write: impl FnOnce(&mut String)) {
        self.name(name);
        write(&mut self.line);
    }

    fn name(&mut self, name: &str) {
        if self.line.len() > 1 {
            self.line.push(',');
        }
        self.line.push('"');
        self.line.push_str(name);
        self.line.push_str("\":");
    }
}

/// A JSON string, quotes included.
pub fn push_string(out: &mut String, value: &str) {
    if value.bytes().any(|b| b < 0x20 || b == b'"' || b == b'\\') {
        out.push_str(&Value::from(value).to_string());
    } else {
        out.push('"');
        out.push_str(value);
        out.push('"');
    }
}

/// `1234.5` for 123450 cents: the shortest form, with at least one decimal, as parsers of floats write it back.
pub fn push_money(out: &mut String, cents: i64) {
    if cents < 0 {
        out.push('-');
    }
    let cents = cents.unsigned_abs();
    push_number(out, cents / 100);
    out.push('.');
    push_number(out, cents / 10 % 10);
    if !cents.is_multiple_of(10) {
        push_number(out, cents % 10);
    }
}

pub fn push_number(out: &mut String, number: u64) {
    // Writing to a String cannot fail.
    let _ = write!(out, "{number}");
}

/// The number with zeros before it, up to `width` digits.
pub fn push_padded(out: &mut String, number: u64, width: usize) {
    let _ = write!(out, "{number:0width$}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_reads_back() {
        let mut row = Row::default();
        for _ in 0..2 {
            row.begin();
            row.text("a", "plain é");
            row.text("b", "a \"quote\"\n");
            row.fill("c", |out| out.push_str("l'eau"));
            row.money("d", -123_405);
            row.count("e", 3);
            row.json("f", |out| out.push_str("[]"));
            assert_eq!(
                row.end(),
                "{\"a\":\"plain é\",\"b\":\"a \\\"quote\\\"\\n\",\"c\":\"l'eau\",\"d\":-1234.05,\"e\":3,\"f\":[]}\n"
            );
        }
    }

    #[test]
    fn money_is_the_shortest_form() {
        for (cents, text) in [(0, "0.0"), (5, "0.05"), (50, "0.5"), (100, "1.0"), (-250, "-2.5")] {
            let mut out = String::new();
            push_money(&mut out, cents);
            assert_eq!(out, text);
            assert_eq!(serde_json::to_string(&(cents as f64 / 100.0)).unwrap(), text);
        }
    }
}
