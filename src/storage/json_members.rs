//! The members of a JSON object, found without parsing their values.

use std::borrow::Cow;

use crate::storage::json_text::string_end;

/// Goes through an object that was checked when it was indexed or that the service wrote: it finds where names and
/// values end. What a number or a literal is made of, and what is inside of nested values, is not looked at.
pub(crate) struct JsonMembers<'t> {
    text: &'t str,
    at: usize,
}

/// A value as it is in the text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct JsonValue<'t> {
    pub(crate) json: &'t str,
    /// Whether a string in it has an escaped character.
    pub(crate) has_escapes: bool,
}

/// The text is not a JSON object.
#[derive(Debug, PartialEq)]
pub(crate) struct NotAnObject;

/// A member of an object.
#[derive(Clone, Copy)]
pub(crate) struct JsonMember<'t> {
    /// A string.
    pub(crate) name: JsonValue<'t>,
    pub(crate) value: JsonValue<'t>,
    /// From the name to the end of the value.
    pub(crate) json: &'t str,
}

impl<'t> JsonValue<'t> {
    /// The characters of a string that has no escaped one.
    pub(crate) fn plain_text(self) -> Option<&'t str> {
        let inner = self.json.strip_prefix('"')?.strip_suffix('"')?;
        (!self.has_escapes).then_some(inner)
    }

    /// The characters of a string.
    #[inline]
    pub(crate) fn text(self) -> Option<Cow<'t, str>> {
        match self.plain_text() {
            Some(plain) => Some(Cow::Borrowed(plain)),
            None => serde_json::from_str(self.json).ok().map(Cow::Owned),
        }
    }
}

impl<'t> JsonMembers<'t> {
    pub(crate) fn of(text: &'t str) -> JsonMembers<'t> {
        JsonMembers { text, at: 0 }
    }

    /// The next member; `None` after the last one.
    pub(crate) fn next_member(&mut self) -> Result<Option<JsonMember<'t>>, NotAnObject> {
        let is_first = self.at == 0;
        let sign = self.sign()?;
        self.at += 1;
        match sign {
            b'{' if is_first && self.sign()? == b'}' => {
                self.at += 1;
                return self.end();
            }
            b'{' if is_first => {}
            b',' if !is_first => {}
            b'}' if !is_first => return self.end(),
            _ => return Err(NotAnObject),
        }
        if self.sign()? != b'"' {
            return Err(NotAnObject);
        }
        let start = self.at;
        let name = self.value()?;
        if self.sign()? != b':' {
            return Err(NotAnObject);
        }
        self.at += 1;
        self.sign()?;
        let value = self.value()?;
        let json = self.text.get(start..self.at).ok_or(NotAnObject)?;
        Ok(Some(JsonMember { name, value, json }))
    }

    fn end(&mut self) -> Result<Option<JsonMember<'t>>, NotAnObject> {
        self.skip_blanks();
        if self.at < self.text.len() {
            return Err(NotAnObject);
        }
        Ok(None)
    }

    /// The next byte that is not blank.
    fn sign(&mut self) -> Result<u8, NotAnObject> {
        self.skip_blanks();
        self.text.as_bytes().get(self.at).copied().ok_or(NotAnObject)
    }

    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.text.as_bytes().get(self.at) {
            self.at += 1;
        }
    }

    /// The value that begins here.
    fn value(&mut self) -> Result<JsonValue<'t>, NotAnObject> {
        let start = self.at;
        let has_escapes = match self.text.as_bytes().get(start) {
            Some(b'"') => self.skip_string(),
            Some(b'{' | b'[') => self.skip_nested(),
            _ => self.skip_scalar(),
        };
        let has_escapes = has_escapes.ok_or(NotAnObject)?;
        let json = self.text.get(start..self.at).ok_or(NotAnObject)?;
        Ok(JsonValue { json, has_escapes })
    }

    fn skip_string(&mut self) -> Option<bool> {
        let end = string_end(self.text.as_bytes(), self.at)?;
        self.at = end.at;
        Some(end.has_escapes)
    }

    fn skip_nested(&mut self) -> Option<bool> {
        let (mut depth, mut has_escapes) = (0_usize, false);
        loop {
            match self.text.as_bytes().get(self.at)? {
                b'"' => {
                    has_escapes |= self.skip_string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Some(has_escapes);
            }
        }
    }

    /// A number, or a literal.
    fn skip_scalar(&mut self) -> Option<bool> {
        let rest = &self.text.as_bytes()[self.at..];
        let is_end = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n');
        let length = rest.iter().position(is_end).filter(|length| *length > 0)?;
        self.at += length;
        Some(false)
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};
    use serde_json::{Map, Value};

    use super::*;

    fn members(text: &str) -> Result<Vec<(String, &str)>, NotAnObject> {
        let (mut object, mut members) = (JsonMembers::of(text), Vec::new());
        while let Some(JsonMember { name, value, json }) = object.next_member()? {
            assert!(json.starts_with(name.json) && json.ends_with(value.json));
            assert_eq!(value.has_escapes, value.json.contains('\\'));
            let parsed: String = serde_json::from_str(name.json).unwrap();
            assert!(name.plain_text().is_none_or(|plain| plain == parsed));
            assert_eq!(name.text().unwrap(), parsed);
            members.push((parsed, value.json));
        }
        Ok(members)
    }

    /// Any value, with strings that have signs of JSON in them.
    fn values() -> impl Strategy<Value = Value> {
        let texts = || "[a-é\"\\\\\\[\\]{},: \n\u{0}]{0,6}";
        let leaves = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            texts().prop_map(Value::from),
        ];
        leaves.prop_recursive(4, 20, 5, move |inner| {
            prop_oneof![
                vec(inner.clone(), 0..5).prop_map(Value::from),
                vec((texts(), inner), 0..5).prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn members_are_those_that_a_parser_finds(object in vec(("[a-d\"\\\\]{0,3}", values()), 0..6), is_wide: bool) {
            let object: Map<String, Value> = object.into_iter().collect();
            let text = if is_wide { serde_json::to_string_pretty(&object) } else { serde_json::to_string(&object) };
            let text = text.unwrap();
            let found = members(&text).unwrap().into_iter();
            let found = found.map(|(name, json)| (name, serde_json::from_str::<Value>(json).unwrap()));
            prop_assert_eq!(found.collect::<Vec<_>>(), object.into_iter().collect::<Vec<_>>());
        }

        /// Whatever is cut off or in its place, there is an end and no panic.
        #[test]
        fn no_text_is_a_panic(text in "[{}\\[\\],:\"\\\\ a1é\n]{0,24}") {
            let mut object = JsonMembers::of(&text);
            while let Ok(Some(member)) = object.next_member() {
                let _ = (member.name.text(), member.value.text());
            }
        }
    }

    #[test]
    fn what_is_no_object_is_an_error() {
        for text in [
            "",
            " ",
            "{",
            "[1]",
            "\"a\"",
            "1",
            "null",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1",
            "{\"a\":1}}",
            "{\"a\":1} x",
            "{a:1}",
            "{,}",
            "{\"a\":1,}",
            "{\"a\":[1}",
            "{\"a\":\"b}",
            "{\"a\":\"b\\",
            "{{\"a\":1}}",
            ",\"a\":1}",
        ] {
            assert_eq!(members(text), Err(NotAnObject), "{text}");
        }
        for text in ["{}", " { } \n"] {
            assert_eq!(members(text), Ok(Vec::new()), "{text:?}");
        }
    }
}
