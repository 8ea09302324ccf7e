//! Members whose value is `null`, as other programs write them into dumps.

use std::ops::Range;

use memchr::memmem;

use crate::storage::json_text::end_of_string;

/// A record without its members that are `null`, and how many those are; `None` if it
/// has none. The bytes of the other members stay as they are. Objects inside of the record are not
/// looked at. `line` is a valid JSON object.
pub(super) fn without_nulls(line: &[u8]) -> Option<(Vec<u8>, u64)> {
    // The dumps of this program have no `null`, so most records end here.
    memmem::find(line, b"null")?;
    let members = members(line);
    let kept: Vec<&[u8]> = members
        .iter()
        .filter(|member| !member.is_null)
        .map(|member| &line[member.range.clone()])
        .collect();
    let dropped = members.len() - kept.len();
    if dropped == 0 {
        return None;
    }
    let mut record = Vec::with_capacity(line.len());
    record.push(b'{');
    record.extend(kept.join(&b','));
    record.push(b'}');
    Some((record, dropped as u64))
}

struct Member {
    /// From its name to the end of its value.
    range: Range<usize>,
    is_null: bool,
}

/// The members of a JSON object, without those of objects inside of it.
fn members(line: &[u8]) -> Vec<Member> {
    let mut members = Vec::new();
    let mut depth = 0_usize;
    let (mut start, mut value) = (0, 0);
    let mut at = 0;
    while let Some(byte) = line.get(at) {
        match byte {
            b'"' => {
                at = end_of_string(line, at);
                continue;
            }
            b'{' | b'[' => {
                depth += 1;
                if depth == 1 {
                    start = at + 1;
                }
            }
            b':' if depth == 1 => value = at + 1,
            b',' | b'}' if depth == 1 => {
                members.extend(member(line, start, value, at));
                start = at + 1;
                depth -= usize::from(*byte == b'}');
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    members
}

/// The member between two positions, without the white space around it; `None` for an empty object.
fn member(line: &[u8], start: usize, value: usize, end: usize) -> Option<Member> {
    let text = line.get(start..end)?;
    let leading = text.len() - text.trim_ascii_start().len();
    let range = start + leading..start + text.trim_ascii_end().len();
    (!range.is_empty()).then(|| Member {
        range,
        is_null: line[value..end].trim_ascii() == b"null",
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    use super::*;

    fn dropped(line: &str) -> Option<(String, u64)> {
        let (record, count) = without_nulls(line.as_bytes())?;
        Some((String::from_utf8(record).unwrap(), count))
    }

    #[test]
    fn only_members_of_the_record_are_dropped() {
        for (line, record, count) in [
            (r#"{"record_id":"1","a":null}"#, r#"{"record_id":"1"}"#, 1),
            (r#"{"a":null,"record_id":"1"}"#, r#"{"record_id":"1"}"#, 1),
            (
                r#" { "a" : null , "b" : [ 1 , null ] , "c":null } "#,
                r#"{"b" : [ 1 , null ]}"#,
                2,
            ),
            (r#"{"a":null,"b":null}"#, "{}", 2),
            (
                r#"{"x":{"a":null,"y":":null,"},"\"a\":":null}"#,
                r#"{"x":{"a":null,"y":":null,"}}"#,
                1,
            ),
        ] {
            assert_eq!(dropped(line), Some((record.to_owned(), count)), "{line}");
        }
        for line in [
            r#"{"a":"null"}"#,
            r#"{"null":1}"#,
            r#"{"a":{"b":null}}"#,
            r#"{"a":[null]}"#,
            r#"{"a":"x\",\"b\":null"}"#,
            "{}",
            " { } ",
        ] {
            assert_eq!(dropped(line), None, "{line}");
        }
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            Just(json!(1.5)),
            Just(json!(true)),
            "[a,:{}\\[\\]\"\\\\ null\u{e9}]{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-c\":,]{0,3}", inner, 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        /// The same as parsing the record, dropping what is null and writing it again.
        #[test]
        fn the_other_members_stay(members in prop::collection::btree_map("[a-e\":,{}]{0,4}", any_value(), 0..6), pretty: bool) {
            let record = Value::Object(members.into_iter().collect());
            let line = if pretty { serde_json::to_string_pretty(&record).unwrap().replace('\n', " ") } else { record.to_string() };
            let all = record.as_object().unwrap();
            let kept: Map<String, Value> = all.clone().into_iter().filter(|(_, value)| !value.is_null()).collect();
            let expected = (kept.len() < all.len()).then(|| (Value::Object(kept.clone()), (all.len() - kept.len()) as u64));
            let found = dropped(&line).map(|(line, count)| (serde_json::from_str(&line).unwrap(), count));
            prop_assert_eq!(found, expected);
        }
    }
}
