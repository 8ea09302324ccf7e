//! Adds members to the JSON of a record, at their place in the order of the schema.

use anyhow::{Context, Result};
use serde_json::Value;

use crate::{model::Schema, storage::json_text::end_of_string};

/// The line with the members added. They are in the order of the schema, and the record has none of
/// them. The bytes of the other members stay as they are.
pub(super) fn insert(schema: &Schema, line: &[u8], members: &[(usize, Value)]) -> Result<Vec<u8>> {
    let places = members_of(schema, line);
    let end = line
        .iter()
        .rposition(|byte| *byte == b'}')
        .context("a record has no end")?;
    let mut whole = Vec::with_capacity(line.len() + 64 * members.len());
    let mut copied = 0;
    let mut is_first = true;
    for (field, value) in members {
        // Before the first member that comes later in the schema, else before the end of the object.
        let next = places
            .iter()
            .find(|(place, _)| place.is_some_and(|place| place > *field));
        let at = next.map_or(end, |(_, start)| *start);
        whole.extend_from_slice(&line[copied..at]);
        copied = at;
        is_first &= whole.trim_ascii_end() == b"{";
        if next.is_none() && !is_first {
            whole.push(b',');
        }
        is_first = false;
        serde_json::to_writer(&mut whole, &schema.fields[*field].name)?;
        whole.push(b':');
        serde_json::to_writer(&mut whole, value)?;
        if next.is_some() {
            whole.push(b',');
        }
    }
    whole.extend_from_slice(&line[copied..]);
    Ok(whole)
}

/// For each member of the object, its number in the schema, if it is declared, and where its name
/// starts. The line is valid JSON.
fn members_of(schema: &Schema, line: &[u8]) -> Vec<(Option<usize>, usize)> {
    let mut members = Vec::new();
    let (mut depth, mut is_name) = (0_usize, false);
    let mut at = 0;
    while let Some(byte) = line.get(at) {
        match byte {
            b'{' | b'[' => {
                depth += 1;
                is_name = depth == 1;
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' => is_name = depth == 1,
            b'"' => {
                let end = end_of_string(line, at);
                if std::mem::take(&mut is_name) && depth == 1 {
                    let name: Option<String> = serde_json::from_slice(&line[at..end]).ok();
                    members.push((name.and_then(|name| schema.field_number(&name)), at));
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    members
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::EntityType;

    #[test]
    fn members_take_their_place_in_the_order_of_the_schema() {
        let schema = Schema::of(EntityType::Tender);
        let number = |name: &str| schema.field_number(name).unwrap();
        let added = |line: &str, members: &[(&str, Value)]| {
            let members: Vec<(usize, Value)> = members
                .iter()
                .map(|(name, value)| (number(name), value.clone()))
                .collect();
            String::from_utf8(insert(schema, line.as_bytes(), &members).unwrap()).unwrap()
        };
        let words = [
            ("unspsc_description_en", json!("Roofs \"A\"")),
            ("unspsc_description_fr", json!("Toits")),
        ];
        for (line, expected) in [
            (
                r#"{"record_id":"1","unspsc":"72101700","fetched_at":"x"}"#,
                r#"{"record_id":"1","unspsc":"72101700","unspsc_description_en":"Roofs \"A\"","unspsc_description_fr":"Toits","fetched_at":"x"}"#,
            ),
            (
                r#"{"record_id":"1","unspsc":"72101700"}"#,
                r#"{"record_id":"1","unspsc":"72101700","unspsc_description_en":"Roofs \"A\"","unspsc_description_fr":"Toits"}"#,
            ),
            (
                "{}",
                r#"{"unspsc_description_en":"Roofs \"A\"","unspsc_description_fr":"Toits"}"#,
            ),
            (
                r#"{"record_id":"1","eligibility":{"documents":["}",{"fetched_at":1}]},"fetched_at":"x"}"#,
                r#"{"record_id":"1","unspsc_description_en":"Roofs \"A\"","unspsc_description_fr":"Toits","eligibility":{"documents":["}",{"fetched_at":1}]},"fetched_at":"x"}"#,
            ),
            (
                r#"{"unspsc":"{,[","fetched_at":"a\",\"b"}"#,
                r#"{"unspsc":"{,[","unspsc_description_en":"Roofs \"A\"","unspsc_description_fr":"Toits","fetched_at":"a\",\"b"}"#,
            ),
            (
                r#"{"record_id":"\\\"","documents":[{"fetched_at":"{,\"a\":1"}],"fetched_at":"x"}"#,
                r#"{"record_id":"\\\"","unspsc_description_en":"Roofs \"A\"","unspsc_description_fr":"Toits","documents":[{"fetched_at":"{,\"a\":1"}],"fetched_at":"x"}"#,
            ),
        ] {
            let whole = added(line, &words);
            assert_eq!(whole, expected);
            assert!(serde_json::from_str::<Value>(&whole).is_ok());
        }
        let line = r#"{"unspsc":"1"}"#;
        assert_eq!(
            added(line, &[("record_id", json!("a"))]),
            r#"{"record_id":"a","unspsc":"1"}"#
        );
    }
}
