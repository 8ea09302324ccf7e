//! JSON files as a stream of rows: the elements of the arrays that hold them, each as its own
//! bytes.
//!
//! A publisher's package is one object with a few members and one long array (`releases`,
//! `records`); a `.jsonl` file has many such objects, or bare rows. [`JsonRows`] reads that frame
//! and cuts out one value at a time. Memory is therefore bounded by the largest value, at most
//! [`MAX_ROW_BYTES`] with [`MAX_ROW_VALUES`] values in it, and an invalid value does not affect its
//! neighbours. The members of the frame are bounded in the same way.
//!
//! [`text_at`] and [`array_at`] read parsed values.
//!
//! **Invariant:** the frame is validated here; the inside of a value is not, the caller parses it.

use std::io::{BufRead, Read};

use serde_json::{Map, Value};

use super::{
    decode::{MAX_ROW_BYTES, MAX_ROW_VALUES, Utf8Reader, too_many_values},
    reader::ReadError,
    text,
};

/// The next item of a file's frame.
#[derive(Debug, PartialEq)]
pub(crate) enum JsonItem {
    /// An element of an array of rows, and the line on which it begins. `array` is the array's
    /// name; empty for an array without a name.
    Row { array: String, line: u64, bytes: Vec<u8> },
    /// The end of an object, with its members except the arrays of rows.
    Object {
        line: u64,
        members: Map<String, Value>,
        /// Length of the members' text.
        bytes: usize,
        held_rows: bool,
    },
}

/// Walks a file's frame. `arrays` are the names of the members that hold rows.
pub(crate) struct JsonRows<'a> {
    input: Utf8Reader<&'a mut dyn Read>,
    arrays: &'static [&'static str],
    /// The object that is being read.
    object: Option<OpenObject>,
    /// The name of the array that is being read.
    array: Option<String>,
    /// Whether the next element or member is the first one, which has no comma before it.
    is_first: bool,
    changes: usize,
}

#[derive(Default)]
struct OpenObject {
    line: u64,
    members: Map<String, Value>,
    /// Length of the members' text.
    bytes: usize,
    /// Number of values in the members.
    values: usize,
    held_rows: bool,
}

impl<'a> JsonRows<'a> {
    pub(crate) fn new(input: Utf8Reader<&'a mut dyn Read>, arrays: &'static [&'static str]) -> JsonRows<'a> {
        JsonRows {
            input,
            arrays,
            object: None,
            array: None,
            is_first: true,
            changes: 0,
        }
    }

    /// The members of the object that is being read, as far as they precede its rows.
    pub(crate) fn members(&self) -> Option<&Map<String, Value>> {
        self.object.as_ref().map(|object| &object.members)
    }

    /// Whether stray bytes were replaced since the last call.
    pub(crate) fn take_repaired(&mut self) -> bool {
        self.input.take_repaired()
    }

    /// Grows whenever [`JsonRows::members`] change.
    pub(crate) fn changes(&self) -> usize {
        self.changes
    }

    /// The next item; `None` at the end of the file.
    pub(crate) fn next_item(&mut self) -> Result<Option<JsonItem>, ReadError> {
        loop {
            if let Some(name) = &self.array {
                let array = name.clone();
                if self.at_end(b']')? {
                    self.array = None;
                    self.is_first = false;
                    continue;
                }
                self.input.begin_row();
                let line = self.input.line();
                let (bytes, _) = self.read_value()?;
                return Ok(Some(JsonItem::Row { array, line, bytes }));
            }
            if self.object.is_some() {
                if self.at_end(b'}')? {
                    self.changes += 1;
                    return Ok(self.object.take().map(|object| JsonItem::Object {
                        line: object.line,
                        members: object.members,
                        bytes: object.bytes,
                        held_rows: object.held_rows,
                    }));
                }
                self.read_member()?;
                continue;
            }
            self.input.begin_row();
            match self.peek()? {
                None => return Ok(None),
                Some(b'{') => {
                    self.object = Some(OpenObject {
                        line: self.input.line(),
                        ..OpenObject::default()
                    });
                }
                Some(b'[') => self.array = Some(String::new()),
                Some(_) => return Err(self.damaged("expected a JSON object or array")),
            }
            self.input.consume(1);
            self.is_first = true;
        }
    }

    /// Reads one `"name": value`. An array of rows is only entered.
    fn read_member(&mut self) -> Result<(), ReadError> {
        self.changes += 1;
        let (name, _) = self.read_value()?;
        let Ok(name) = serde_json::from_slice::<String>(&name) else {
            return Err(self.damaged("expected a member's name"));
        };
        if self.peek()? != Some(b':') {
            return Err(self.damaged("expected a colon"));
        }
        self.input.consume(1);
        let holds_rows = self.arrays.contains(&name.as_str()) && self.peek()? == Some(b'[');
        let value = if holds_rows {
            self.input.consume(1);
            self.is_first = true;
            self.array = Some(name.clone());
            None
        } else {
            let (bytes, values) = self.read_value()?;
            match serde_json::from_slice(&bytes) {
                Ok(value) => Some((value, name.len() + bytes.len(), values)),
                Err(_) => return Err(self.damaged("a member's value is not valid JSON")),
            }
        };
        let Some(object) = &mut self.object else { return Ok(()) };
        match value {
            Some((value, bytes, values)) => {
                object.bytes += bytes;
                object.values += values;
                object.members.insert(name, value);
            }
            None => object.held_rows = true,
        }
        // Rows between members begin the count of the input again.
        if object.bytes as u64 > MAX_ROW_BYTES || object.values > MAX_ROW_VALUES {
            return Err(self.damaged("an object holds too much besides its rows"));
        }
        Ok(())
    }

    /// Moves to the next element or member, past its comma, and returns false; or past the closing
    /// bracket, and returns true.
    fn at_end(&mut self, closing: u8) -> Result<bool, ReadError> {
        let first = std::mem::replace(&mut self.is_first, false);
        match self.peek()? {
            None => Err(self.damaged("the file ends in the middle of a value")),
            Some(b) if b == closing => {
                self.input.consume(1);
                Ok(true)
            }
            Some(b',') if !first => {
                self.input.consume(1);
                // Skip white space now, so that the row's line is its own and not the comma's.
                match self.peek()? {
                    None => Err(self.damaged("the file ends in the middle of a value")),
                    Some(_) => Ok(false),
                }
            }
            Some(_) if first => Ok(false),
            Some(_) => Err(self.damaged("expected a comma or a closing bracket")),
        }
    }

    /// The next byte that is not white space.
    fn peek(&mut self) -> Result<Option<u8>, ReadError> {
        loop {
            let buffer = match self.input.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) => return Err(self.damaged(&error.to_string())),
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

    /// Reads the bytes of the value that begins here, and counts the values in it.
    fn read_value(&mut self) -> Result<(Vec<u8>, usize), ReadError> {
        self.peek()?;
        let mut value = Vec::new();
        let mut scanner = ValueScanner::default();
        loop {
            let buffer = match self.input.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) => return Err(self.damaged(&error.to_string())),
            };
            if buffer.is_empty() {
                return if scanner.depth > 0 || scanner.in_string {
                    Err(self.damaged("the file ends in the middle of a value"))
                } else {
                    Ok((value, scanner.values()))
                };
            }
            let end = scanner.end(buffer);
            let taken = end.unwrap_or(buffer.len());
            value.extend_from_slice(&buffer[..taken]);
            self.input.consume(taken);
            if scanner.values() > MAX_ROW_VALUES {
                return Err(self.damaged(&too_many_values()));
            }
            if end.is_some() {
                return Ok((value, scanner.values()));
            }
        }
    }

    fn damaged(&mut self, reason: &str) -> ReadError {
        ReadError::damaged(self.input.line(), reason)
    }
}

/// Finds the end of a value over several buffers.
#[derive(Default)]
struct ValueScanner {
    depth: usize,
    /// Opening brackets, commas and colons outside of texts.
    signs: usize,
    in_string: bool,
    escaped: bool,
}

impl ValueScanner {
    /// The number of values so far, names of members included; may be counted too high.
    fn values(&self) -> usize {
        self.signs + 1
    }

    /// Where in `buffer` the value ends; `None` if it continues after the buffer.
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
                b'{' | b'[' => {
                    self.depth += 1;
                    self.signs += 1;
                }
                b'}' | b']' if self.depth == 0 => return Some(at),
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return Some(at + 1);
                    }
                }
                b if self.depth == 0 && (matches!(b, b',' | b':') || b.is_ascii_whitespace()) => return Some(at),
                b',' | b':' => self.signs += 1,
                _ => {}
            }
            at += 1;
        }
        None
    }
}

/// The text at a pointer, as a line; a number as its digits.
pub(crate) fn text_at(value: &Value, pointer: &str) -> Option<String> {
    match value_at(value, pointer)? {
        Value::String(text) => text::line(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The elements of the array at a pointer; empty if there is no array.
pub(crate) fn array_at<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value_at(value, pointer)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// The value at a JSON pointer without escapes. [`Value::pointer`] allocates two strings for each
/// step, to unescape it.
pub(crate) fn value_at<'a>(value: &'a Value, pointer: &str) -> Option<&'a Value> {
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

    /// The items of a text; one that begins with `!` is the error at its end.
    fn walk(text: &[u8]) -> Vec<String> {
        let mut bytes = text;
        let mut rows = JsonRows::new(Utf8Reader::new(&mut bytes as &mut dyn Read), &["releases", "records"]);
        let mut seen = Vec::new();
        loop {
            seen.push(match rows.next_item() {
                Ok(Some(JsonItem::Row { array, line, bytes })) => {
                    format!("{array}@{line} {}", String::from_utf8_lossy(&bytes))
                }
                Ok(Some(JsonItem::Object {
                    line,
                    members,
                    held_rows,
                    ..
                })) => {
                    let members = serde_json::to_string(&members).unwrap();
                    format!("object@{line} {members} {held_rows}")
                }
                Ok(None) => return seen,
                Err(ReadError::Damaged { line, reason }) => {
                    seen.push(format!("!{line} {reason}"));
                    return seen;
                }
                Err(ReadError::Fatal(error)) => panic!("{error}"),
            });
        }
    }

    #[test]
    fn packages_lines_and_arrays_yield_their_rows() {
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
    fn an_invalid_frame_ends_the_reading_after_the_valid_rows() {
        for (text, items) in [
            (
                "{\"releases\":[{},\n{\"a\":",
                vec!["releases@1 {}", "!2 the file ends in the middle of a value"],
            ),
            (
                "{\"releases\":[{} {}]}",
                vec!["releases@1 {}", "!1 expected a comma or a closing bracket"],
            ),
            (
                "{\"releases\":[{},]}",
                vec!["releases@1 {}", "releases@1 ", "object@1 {} true"],
            ),
            ("{\"a\" 1}", vec!["!1 expected a colon"]),
            ("{a: 1}", vec!["!1 expected a member's name"]),
            ("{\"a\": }", vec!["!1 a member's value is not valid JSON"]),
            ("nonsense", vec!["!1 expected a JSON object or array"]),
        ] {
            assert_eq!(walk(text.as_bytes()), items, "{text}");
        }
    }

    proptest! {
        #[test]
        fn rows_are_cut_where_serde_json_cuts_them(values in prop::collection::vec("[a-z\"\\\\{}\\[\\],: \u{e9}\n]{0,12}", 0..6)) {
            let values: Vec<Value> = values.iter().map(|text| serde_json::json!({"k": [text, {"n": text}]})).collect();
            let text = serde_json::json!({"x": "y", "releases": values}).to_string();
            let mut expected: Vec<String> = values.iter().map(|value| format!("releases@1 {value}")).collect();
            expected.push("object@1 {\"x\":\"y\"} true".to_owned());
            prop_assert_eq!(walk(text.as_bytes()), expected);
        }

        #[test]
        fn no_input_makes_it_panic_or_hang(text in "[{}\\[\\]\",:a\\\\ \n]{0,60}", bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            walk(text.as_bytes());
            walk(&bytes);
            walk(&[b"{\"releases\":[", bytes.as_slice()].concat());
        }
    }
}
