//! Deserialization of records: the values of the declared fields, with their types checked.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::model::schema::{FieldType, Schema};

/// The maximum length of a `record_id` in bytes: well below the maximum of an index term.
pub(crate) const MAX_ID_BYTES: usize = 1024;

/// Decision D-261: the maximum number of objects and arrays inside of one another in a record,
/// itself included. Parsers of clients end at a hundred or a thousand.
pub(crate) const MAX_DEPTH: usize = 64;

/// Segments after an entity type that are endpoints, and therefore no ids.
pub(crate) const RESERVED_IDS: [&str; 7] = ["stats", "coverage", "export", "feed", "estimate", "comps", "alerts"];

/// The value of one field.
#[derive(Clone, Debug, Default)]
pub(crate) enum RecordValue<'a> {
    #[default]
    Absent,
    Text(Cow<'a, str>),
    Number(f64),
    /// The texts in an array of texts.
    Texts(Vec<Cow<'a, str>>),
    /// An object or an array of objects, as JSON: never searched.
    Nested(&'a str),
}

/// Why a line is not a record. The message fits after `file:line: `.
#[derive(Debug, PartialEq)]
pub enum RecordError {
    NotUtf8,
    NotJson(String),
    NotAnObject,
    NoRecordId,
    RecordIdTooLong(usize),
    /// An id that is the name of an endpoint.
    ReservedRecordId(String),
    /// With the number of levels.
    TooDeep(usize),
    /// A declared field with two values: which one is right is unknown.
    Twice(String),
    WrongType {
        field: String,
        expected: &'static str,
        found: &'static str,
    },
}

/// The values of a JSON object, by the schema's field numbers.
pub(crate) fn parse_values<'a>(schema: &'static Schema, text: &'a str) -> Result<Vec<RecordValue<'a>>, RecordError> {
    if !text.trim_start().starts_with('{') {
        return Err(match serde_json::from_str::<IgnoredAny>(text) {
            Ok(_) => RecordError::NotAnObject,
            Err(e) => RecordError::NotJson(e.to_string()),
        });
    }
    let mut wrong = None;
    let mut json = serde_json::Deserializer::from_str(text);
    let visitor = RecordVisitor {
        schema,
        wrong: &mut wrong,
    };
    let parsed = visitor
        .deserialize(&mut json)
        .and_then(|values| json.end().map(|()| values));
    match (parsed, wrong) {
        (Ok(values), None) => Ok(values),
        (_, Some(error)) => Err(error),
        (Err(e), None) => Err(RecordError::NotJson(e.to_string())),
    }
}

impl RecordValue<'_> {
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            RecordValue::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl FieldType {
    const fn article(self) -> &'static str {
        match self {
            FieldType::Text | FieldType::Date => "a string",
            FieldType::Number | FieldType::Count => "a number",
            FieldType::Object => "an object",
            FieldType::TextArray | FieldType::ObjectArray => "an array",
        }
    }
}

/// Deserializes the members of an object by the schema's field numbers, and checks their types.
struct RecordVisitor<'e> {
    schema: &'static Schema,
    wrong: &'e mut Option<RecordError>,
}

impl<'de> DeserializeSeed<'de> for RecordVisitor<'_> {
    type Value = Vec<RecordValue<'de>>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RecordVisitor<'_> {
    type Value = Vec<RecordValue<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a record, which is a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut values = vec![RecordValue::Absent; self.schema.fields.len()];
        let mut seen = vec![false; values.len()];
        while let Some(name) = members.next_key::<CowStr>()? {
            let Some(number) = self.schema.field_number(&name.0) else {
                members.next_value::<IgnoredAny>()?;
                continue;
            };
            if std::mem::replace(&mut seen[number], true) {
                *self.wrong = Some(RecordError::Twice(name.0.into_owned()));
                return Err(A::Error::custom("a field given twice"));
            }
            let field_type = self.schema.fields[number].field_type;
            match members.next_value_seed(OneValue(field_type))? {
                Ok(value) => values[number] = value,
                Err(found) => {
                    *self.wrong = Some(RecordError::WrongType {
                        field: name.0.into_owned(),
                        expected: field_type.article(),
                        found,
                    });
                    return Err(A::Error::custom("a field of the wrong type"));
                }
            }
        }
        Ok(values)
    }
}

/// A string that borrows from the input unless it contains an escape.
#[derive(Deserialize)]
struct CowStr<'a>(#[serde(borrow)] Cow<'a, str>);

/// Deserializes one value: the value, or the name of the type found instead. `null` counts as
/// absent.
struct OneValue(FieldType);

type Checked<'a> = Result<RecordValue<'a>, &'static str>;

impl<'de> DeserializeSeed<'de> for OneValue {
    type Value = Checked<'de>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        match self.0 {
            FieldType::Object | FieldType::ObjectArray => {
                let raw = <&RawValue>::deserialize(json)?;
                Ok(self.nested(raw.get()))
            }
            _ => json.deserialize_any(self),
        }
    }
}

impl OneValue {
    fn nested<'a>(&self, json: &'a str) -> Checked<'a> {
        match (json.as_bytes().first(), self.0) {
            (Some(b'{'), FieldType::Object) | (Some(b'['), FieldType::ObjectArray) => Ok(RecordValue::Nested(json)),
            (Some(b'{'), _) => Err("an object"),
            (Some(b'['), _) => Err("an array"),
            (Some(b'"'), _) => Err("a string"),
            (Some(b't' | b'f'), _) => Err("a boolean"),
            (Some(b'n'), _) => Ok(RecordValue::Absent),
            _ => Err("a number"),
        }
    }

    fn text<'a>(&self, text: Cow<'a, str>) -> Checked<'a> {
        match self.0 {
            FieldType::Text | FieldType::Date => Ok(RecordValue::Text(text)),
            _ => Err("a string"),
        }
    }

    fn number<'a>(&self, number: f64) -> Checked<'a> {
        match self.0 {
            FieldType::Number | FieldType::Count => Ok(RecordValue::Number(number)),
            _ => Err("a number"),
        }
    }
}

impl<'de> Visitor<'de> for OneValue {
    type Value = Checked<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(self.text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(self.text(Cow::Owned(text.to_owned())))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(self.number(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(self.number(number as f64))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(self.number(number as f64))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Err("a boolean"))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Ok(RecordValue::Absent))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Err("an object"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        if self.0 == FieldType::TextArray {
            let mut texts = Vec::new();
            while let Some(item) = items.next_element_seed(OneValue(FieldType::Text))? {
                if let Ok(RecordValue::Text(text)) = item {
                    texts.push(text);
                }
            }
            return Ok(Ok(RecordValue::Texts(texts)));
        }
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Err("an array"))
    }
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordError::NotUtf8 => f.write_str("not UTF-8"),
            RecordError::NotJson(why) => write!(f, "not JSON: {why}"),
            RecordError::NotAnObject => f.write_str("not a JSON object"),
            RecordError::NoRecordId => f.write_str("no record_id"),
            RecordError::RecordIdTooLong(long) => {
                write!(f, "record_id of {long} bytes; the maximum is {MAX_ID_BYTES}")
            }
            RecordError::ReservedRecordId(id) => write!(
                f,
                "record_id '{id}' is the name of an endpoint, so no request could read the record; give it another one"
            ),
            RecordError::TooDeep(levels) => write!(
                f,
                "objects and arrays in {levels} levels; the maximum is {MAX_DEPTH}, leave out what is nested deeper"
            ),
            RecordError::Twice(field) => write!(f, "field {field} is given twice"),
            RecordError::WrongType { field, expected, found } => {
                write!(f, "field {field} must be {expected}, found {found}")
            }
        }
    }
}

impl std::error::Error for RecordError {}
