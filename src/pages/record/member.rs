//! The members of a record as they were published: in their order, numbers with their digits, repeated names kept.
//!
//! One level is read at a time, so that the depth of a record costs nothing and cannot exceed the stack.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// A value, of which only the outermost level is read.
#[derive(Debug)]
pub(super) enum Member<'r> {
    Null,
    Boolean(bool),
    /// The digits as published.
    Number(&'r str),
    Text(Cow<'r, str>),
    List(Vec<&'r RawValue>),
    Object(Members<'r>),
}

/// The members of an object.
#[derive(Debug, Default)]
pub(super) struct Members<'r>(pub(super) Vec<(Cow<'r, str>, &'r RawValue)>);

impl<'r> Members<'r> {
    /// The members of a record.
    pub(super) fn of(record: &'r [u8]) -> serde_json::Result<Members<'r>> {
        serde_json::from_slice(record)
    }

    /// The first member with a name.
    pub(super) fn get(&self, name: &str) -> Option<Member<'r>> {
        let (_, raw) = self.0.iter().find(|(known, _)| known == name)?;
        Some(Member::of(raw))
    }

    /// The text of a member, without surrounding whitespace; `None` if it is blank or no text.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        match self.get(name)? {
            Member::Text(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
            _ => None,
        }
    }

    pub(super) fn number(&self, name: &str) -> Option<f64> {
        match self.get(name)? {
            Member::Number(digits) => digits.parse().ok(),
            _ => None,
        }
    }
}

impl<'r> Member<'r> {
    pub(super) fn of(raw: &'r RawValue) -> Member<'r> {
        let json = raw.get();
        let member = match json.as_bytes().first() {
            Some(b'{') => serde_json::from_str(json).map(Member::Object),
            Some(b'[') => serde_json::from_str(json).map(Member::List),
            Some(b'"') => serde_json::from_str::<Text>(json).map(|Text(text)| Member::Text(text)),
            Some(b't') => Ok(Member::Boolean(true)),
            Some(b'f') => Ok(Member::Boolean(false)),
            Some(b'n') => Ok(Member::Null),
            _ => Ok(Member::Number(json)),
        };
        // A raw value is valid JSON. Only an escaped lone surrogate is not a text; its JSON is shown.
        member.unwrap_or(Member::Text(Cow::Borrowed(json)))
    }

    /// Whether there is nothing to show: `null`, a blank text, an empty list or object.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Member::Null => true,
            Member::Text(text) => text.trim().is_empty(),
            Member::List(items) => items.is_empty(),
            Member::Object(members) => members.0.is_empty(),
            Member::Boolean(_) | Member::Number(_) => false,
        }
    }
}

/// A string that borrows from the input unless it contains an escape.
#[derive(Deserialize)]
struct Text<'r>(#[serde(borrow)] Cow<'r, str>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Members<'de>, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
                let mut read = Vec::new();
                while let Some((Text(name), value)) = members.next_entry::<Text<'de>, &'de RawValue>()? {
                    read.push((name, value));
                }
                Ok(Members(read))
            }
        }
        json.deserialize_map(InOrder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_their_order_digits_and_repetitions() {
        let json = br#"{"b":12345678901234567890.10,"a":"\u00e9t\u00e9","a":[1,{}],"c":null,"d":true,"e":{"x":" y "}}"#;
        let members = Members::of(json).unwrap();
        let names: Vec<&str> = members.0.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["b", "a", "a", "c", "d", "e"]);
        assert!(matches!(
            members.get("b"),
            Some(Member::Number("12345678901234567890.10"))
        ));
        assert_eq!(members.text("a").as_deref(), Some("été"));
        assert!(matches!(members.get("c"), Some(Member::Null)));
        assert!(matches!(members.get("d"), Some(Member::Boolean(true))));
        let Some(Member::Object(inner)) = members.get("e") else {
            panic!("e is an object");
        };
        assert_eq!(inner.text("x").as_deref(), Some("y"));
        assert!(members.get("f").is_none());
    }

    #[test]
    fn a_deep_member_is_read_level_by_level() {
        let depth = 100_000;
        let json = format!(r#"{{"a":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
        let members = Members::of(json.as_bytes()).unwrap();
        assert!(matches!(members.get("a"), Some(Member::List(items)) if items.len() == 1));
    }

    #[test]
    fn blank_members_are_empty() {
        let members = Members::of(br#"{"a":" ","b":[],"c":{},"d":null,"e":0,"f":false}"#).unwrap();
        for name in ["a", "b", "c", "d"] {
            assert!(members.get(name).unwrap().is_empty(), "{name}");
        }
        for name in ["e", "f"] {
            assert!(!members.get(name).unwrap().is_empty(), "{name}");
        }
    }
}
