//! Members whose value is `null`, as other programs write them into dumps.

use memchr::memmem;

use crate::storage::json_members::JsonMembers;

/// A record without its members that are `null`, and how many those are; `None` if it has none. The bytes of the other
/// members stay as they are. Objects inside of the record are not looked at. `line` is a valid JSON object.
pub(super) fn without_nulls(line: &[u8]) -> Option<(Vec<u8>, u64)> {
    // The dumps of this program have no `null`, so most records end here.
    memmem::find(line, b"null")?;
    let mut members = JsonMembers::of(str::from_utf8(line).ok()?);
    let (mut kept, mut dropped) = (Vec::new(), 0);
    while let Some(member) = members.next_member().ok()? {
        if member.value.json == "null" {
            dropped += 1;
        } else {
            kept.push(member.json);
        }
    }
    (dropped > 0).then(|| (format!("{{{}}}", kept.join(",")).into_bytes(), dropped))
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
