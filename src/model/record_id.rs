//! The id of a record that is not parsed.

use std::borrow::Cow;

/// The `record_id` in a record's bytes, without parsing the other fields.
pub fn record_id(bytes: &[u8]) -> Option<Cow<'_, str>> {
    if let Some(id) = leading_id(bytes) {
        return Some(Cow::Borrowed(id));
    }
    #[derive(serde::Deserialize)]
    struct Id<'a> {
        #[serde(borrow)]
        record_id: Cow<'a, str>,
    }
    serde_json::from_slice::<Id>(bytes).ok().map(|id| id.record_id)
}

/// The id of a record that begins with it, if it has no escapes and is not repeated: nothing else is parsed then.
fn leading_id(bytes: &[u8]) -> Option<&str> {
    let rest = bytes.strip_prefix(br#"{"record_id":""#)?;
    let end = memchr::memchr2(b'"', b'\\', rest)?;
    let (id, rest) = rest.split_at(end);
    let is_whole = rest.starts_with(b"\"") && memchr::memmem::find(rest, br#""record_id""#).is_none();
    std::str::from_utf8(id).ok().filter(|_| is_whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_id_is_read_from_bytes() {
        for (record, expected) in [
            (r#"{"title_en":"x","record_id":"a\/b"}"#, Some("a/b")),
            (r#"{"record_id":"é","title_en":"x"}"#, Some("é")),
            (r#"{"record_id":"a\"b","title_en":"x"}"#, Some("a\"b")),
            (r#"{"record_id":"a","record_id":"b"}"#, None),
            (r#"{"record_id":"a"#, None),
            ("{}", None),
        ] {
            assert_eq!(record_id(record.as_bytes()).as_deref(), expected, "{record}");
        }
    }
}
