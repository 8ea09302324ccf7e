//! JSON files as a stream of rows: the elements of the arrays that hold them, each handed over as its own bytes.
//!
//! A publisher's package is one object of some facts and one long array (`releases`, `records`); a `.jsonl` file is many
//! such objects, or bare rows. [`Rows`] walks that outer frame and cuts out one value at a time, so memory is bounded by the
//! largest value, [`LONGEST_ROW`](super::decode::LONGEST_ROW) at most, and a value that is no JSON inside spoils none of its neighbours.
//!
//! What a parsed value holds is read by [`word`] and [`list`].
//!
//! **Invariant:** the frame is checked here, what is inside a value is not: that is for whoever parses it.

use std::io::{BufRead, Read};

use serde_json::{Map, Value};

use crate::sources::{
    Broken,
    reading::{decode::Utf8, text},
};

/// What a file's frame holds next.
#[derive(Debug, PartialEq)]
pub enum Item {
    /// An element of the array of this name (empty for an array without one), and the line it begins on.
    Row { array: String, line: u64, bytes: Vec<u8> },
    /// A whole object's members besides its arrays of rows, at its end.
    Object {
        line: u64,
        members: Map<String, Value>,
        /// How long their text is.
        bytes: usize,
        held_rows: bool,
    },
}

/// Walks a file's frame; `arrays` are the names of the members that hold rows.
pub struct Rows<'a> {
    input: Utf8<&'a mut dyn Read>,
    arrays: &'static [&'static str],
    /// The object being read.
    open: Option<Object>,
    /// The array being read, by its name.
    array: Option<String>,
    /// Whether the next element or member is the first, which no comma precedes.
    first: bool,
    changes: usize,
}

#[derive(Default)]
struct Object {
    line: u64,
    members: Map<String, Value>,
    /// How long their text is.
    bytes: usize,
    held_rows: bool,
}

impl<'a> Rows<'a> {
    pub fn new(input: Utf8<&'a mut dyn Read>, arrays: &'static [&'static str]) -> Rows<'a> {
        Rows {
            input,
            arrays,
            open: None,
            array: None,
            first: true,
            changes: 0,
        }
    }

    /// The facts of the object being read, as far as they came before its rows.
    pub fn facts(&self) -> Option<&Map<String, Value>> {
        self.open.as_ref().map(|object| &object.members)
    }

    /// Whether a stray byte was read as Windows-1252 since this was last asked.
    pub fn take_repaired(&mut self) -> bool {
        self.input.take_repaired()
    }

    /// Grows whenever [`Rows::facts`] change.
    pub fn changes(&self) -> usize {
        self.changes
    }

    /// The next item; `None` at the file's end.
    pub fn next(&mut self) -> Result<Option<Item>, Broken> {
        loop {
            if let Some(name) = &self.array {
                let array = name.clone();
                if self.ends(b']')? {
                    self.array = None;
                    self.first = false;
                    continue;
                }
                self.input.begin_row();
                let line = self.input.line();
                let bytes = self.value()?;
                return Ok(Some(Item::Row { array, line, bytes }));
            }
            if self.open.is_some() {
                if self.ends(b'}')? {
                    self.changes += 1;
                    return Ok(self.open.take().map(|object| Item::Object {
                        line: object.line,
                        members: object.members,
                        bytes: object.bytes,
                        held_rows: object.held_rows,
                    }));
                }
                self.member()?;
                continue;
            }
            self.input.begin_row();
            match self.peek()? {
                None => return Ok(None),
                Some(b'{') => {
                    self.open = Some(Object {
                        line: self.input.line(),
                        ..Object::default()
                    });
                }
                Some(b'[') => self.array = Some(String::new()),
                Some(_) => return Err(self.broken("neither a JSON object nor an array begins here")),
            }
            self.input.consume(1);
            self.first = true;
        }
    }

    /// One `"name": value`; the value of an array of rows is left to be walked.
    fn member(&mut self) -> Result<(), Broken> {
        self.changes += 1;
        let name = self.value()?;
        let Ok(name) = serde_json::from_slice::<String>(&name) else {
            return Err(self.broken("a member's name should stand here"));
        };
        if self.peek()? != Some(b':') {
            return Err(self.broken("a colon should stand here"));
        }
        self.input.consume(1);
        let holds_rows = self.arrays.contains(&name.as_str()) && self.peek()? == Some(b'[');
        let value = if holds_rows {
            self.input.consume(1);
            self.first = true;
            self.array = Some(name.clone());
            None
        } else {
            let bytes = self.value()?;
            match serde_json::from_slice(&bytes) {
                Ok(value) => Some((value, name.len() + bytes.len())),
                Err(_) => return Err(self.broken("a member's value is no valid JSON")),
            }
        };
        let Some(object) = &mut self.open else { return Ok(()) };
        match value {
            Some((value, bytes)) => {
                object.bytes += bytes;
                object.members.insert(name, value);
            }
            None => object.held_rows = true,
        }
        Ok(())
    }

    /// Steps to the next element or member, over its comma, or over the closing bracket.
    fn ends(&mut self, closing: u8) -> Result<bool, Broken> {
        let first = std::mem::replace(&mut self.first, false);
        match self.peek()? {
            None => Err(self.broken("the file ends in the middle")),
            Some(b) if b == closing => {
                self.input.consume(1);
                Ok(true)
            }
            Some(b',') if !first => {
                self.input.consume(1);
                // What follows is looked at here, so that a row's line is its own and not the comma's.
                match self.peek()? {
                    None => Err(self.broken("the file ends in the middle")),
                    Some(_) => Ok(false),
                }
            }
            Some(_) if first => Ok(false),
            Some(_) => Err(self.broken("a comma or a closing bracket should stand here")),
        }
    }

    /// The next byte that is no blank.
    fn peek(&mut self) -> Result<Option<u8>, Broken> {
        loop {
            let buffer = match self.input.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) => return Err(self.broken(&error.to_string())),
            };
            if buffer.is_empty() {
                return Ok(None);
            }
            let blanks = buffer.iter().take_while(|b| b.is_ascii_whitespace()).count();
            let found = buffer.get(blanks).copied();
            self.input.consume(blanks);
            if found.is_some() {
                return Ok(found);
            }
        }
    }

    /// The bytes of the value that begins here.
    fn value(&mut self) -> Result<Vec<u8>, Broken> {
        self.peek()?;
        let mut value = Vec::new();
        let mut scan = Scan::default();
        loop {
            let buffer = match self.input.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) => return Err(self.broken(&error.to_string())),
            };
            if buffer.is_empty() {
                return match scan.is_inside() {
                    true => Err(self.broken("the file ends in the middle")),
                    false => Ok(value),
                };
            }
            let end = scan.end(buffer);
            let taken = end.unwrap_or(buffer.len());
            value.extend_from_slice(&buffer[..taken]);
            self.input.consume(taken);
            if end.is_some() {
                return Ok(value);
            }
        }
    }

    fn broken(&mut self, why: &str) -> Broken {
        Broken::Here {
            line: self.input.line(),
            why: why.to_owned(),
        }
    }
}

/// Where a value stands between two buffers.
#[derive(Default)]
struct Scan {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Scan {
    fn is_inside(&self) -> bool {
        self.depth > 0 || self.in_string
    }

    /// Where in `buffer` the value ends; `None` where it goes on.
    fn end(&mut self, buffer: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < buffer.len() {
            if self.in_string {
                if std::mem::take(&mut self.escaped) {
                    at += 1;
                    continue;
                }
                let sign = memchr::memchr2(b'"', b'\\', &buffer[at..])?;
                at += sign + 1;
                if buffer[at - 1] == b'\\' {
                    self.escaped = true;
                    continue;
                }
                self.in_string = false;
                if self.depth == 0 {
                    return Some(at);
                }
                continue;
            }
            match buffer[at] {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' if self.depth == 0 => return Some(at),
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return Some(at + 1);
                    }
                }
                b if self.depth == 0 && (matches!(b, b',' | b':') || b.is_ascii_whitespace()) => return Some(at),
                _ => {}
            }
            at += 1;
        }
        None
    }
}

/// The text at a pointer, a number's digits included.
pub fn word(value: &Value, pointer: &str) -> Option<String> {
    match at(value, pointer)? {
        Value::String(word) => text::line(word),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

pub fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    at(value, pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// What a pointer leads to. [`Value::pointer`] makes two strings a step, for escapes that ours never have.
pub fn at<'a>(value: &'a Value, pointer: &str) -> Option<&'a Value> {
    let mut steps = pointer.split('/').skip(1);
    steps.try_fold(value, |value, step| match value {
        Value::Array(members) => members.get(step.parse::<usize>().ok()?),
        members => members.get(step),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What a text holds, in few words; `!` is the sentence it breaks off with.
    fn walk(text: &[u8]) -> Vec<String> {
        let mut bytes = text;
        let mut rows = Rows::new(Utf8::new(&mut bytes as &mut dyn Read), &["releases", "records"]);
        let mut seen = Vec::new();
        loop {
            seen.push(match rows.next() {
                Ok(Some(Item::Row { array, line, bytes })) => {
                    format!("{array}@{line} {}", String::from_utf8_lossy(&bytes))
                }
                Ok(Some(Item::Object {
                    line,
                    members,
                    held_rows,
                    ..
                })) => {
                    let members = serde_json::to_string(&members).unwrap();
                    format!("object@{line} {members} {held_rows}")
                }
                Ok(None) => return seen,
                Err(Broken::Here { line, why }) => {
                    seen.push(format!("!{line} {why}"));
                    return seen;
                }
                Err(Broken::Fatal(error)) => panic!("{error}"),
            });
        }
    }

    #[test]
    fn packages_lines_and_arrays_give_their_rows() {
        for (text, items) in [
            (
                "{\"uri\": \"u\", \"releases\":\n[ {\"a\": \"]\\\"}\"},\n{\"b\": [1, {}]} ], \"z\": 1}",
                vec![
                    "releases@2 {\"a\": \"]\\\"}\"}",
                    "releases@3 {\"b\": [1, {}]}",
                    "object@1 {\"uri\":\"u\",\"z\":1} true",
                ],
            ),
            (
                "{\"a\":1}\n\n{\"records\":[]}\n",
                vec!["object@1 {\"a\":1} false", "object@3 {} true"],
            ),
            ("[1, \"x\", {}]", vec!["@1 1", "@1 \"x\"", "@1 {}"]),
            ("{\"releases\": {}}", vec!["object@1 {\"releases\":{}} false"]),
            ("  \n", vec![]),
            ("{}", vec!["object@1 {} false"]),
        ] {
            assert_eq!(walk(text.as_bytes()), items, "{text}");
        }
    }

    #[test]
    fn a_bad_frame_breaks_off_behind_the_good_rows() {
        for (text, items) in [
            (
                "{\"releases\":[{},\n{\"a\":",
                vec!["releases@1 {}", "!2 the file ends in the middle"],
            ),
            (
                "{\"releases\":[{} {}]}",
                vec!["releases@1 {}", "!1 a comma or a closing bracket should stand here"],
            ),
            (
                "{\"releases\":[{},]}",
                vec!["releases@1 {}", "releases@1 ", "object@1 {} true"],
            ),
            ("{\"a\" 1}", vec!["!1 a colon should stand here"]),
            ("{a: 1}", vec!["!1 a member's name should stand here"]),
            ("{\"a\": }", vec!["!1 a member's value is no valid JSON"]),
            ("nonsense", vec!["!1 neither a JSON object nor an array begins here"]),
        ] {
            assert_eq!(walk(text.as_bytes()), items, "{text}");
        }
    }

    proptest! {
        #[test]
        fn rows_are_cut_where_serde_cuts_them(values in prop::collection::vec("[a-z\"\\\\{}\\[\\],: \u{e9}\n]{0,12}", 0..6)) {
            let values: Vec<Value> = values.iter().map(|text| serde_json::json!({"k": [text, {"n": text}]})).collect();
            let text = serde_json::json!({"x": "y", "releases": values}).to_string();
            let mut expected: Vec<String> = values.iter().map(|value| format!("releases@1 {value}")).collect();
            expected.push("object@1 {\"x\":\"y\"} true".to_owned());
            prop_assert_eq!(walk(text.as_bytes()), expected);
        }

        #[test]
        fn no_bytes_make_it_panic_or_hang(text in "[{}\\[\\]\",:a\\\\ \n]{0,60}", bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            walk(text.as_bytes());
            walk(&bytes);
            walk(&[b"{\"releases\":[", bytes.as_slice()].concat());
        }
    }
}
