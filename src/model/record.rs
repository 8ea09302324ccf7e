//! A record of a dump: one JSON object on one line, read by role, stored and served as the bytes that were read.
//!
//! **Invariant:** the bytes of a parsed record are valid UTF-8 JSON on one line with a valid `record_id`, so that they can
//! be spliced into a response without parsing them again.

use std::{borrow::Cow, fmt};

use serde::{
    Deserializer,
    de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, Visitor},
};

use crate::model::{
    commodity,
    date::Date,
    fold::fold,
    schema::{FieldType, Role, Schema},
    similarity_terms, vocabulary,
};

/// The maximum length of a `record_id` in bytes: well below the maximum of an index term.
pub const MAX_ID_BYTES: usize = 1024;

/// The maximum length in bytes of a folded name or number in a filter; the rest is not compared.
pub const MAX_KEY_BYTES: usize = 1024;

/// A parsed record. Fields that the schema does not declare are ignored; they remain in the bytes.
#[derive(Debug)]
pub struct Record<'a> {
    schema: &'static Schema,
    values: Vec<FieldValue<'a>>,
}

#[derive(Clone, Debug, Default)]
enum FieldValue<'a> {
    #[default]
    Absent,
    Text(Cow<'a, str>),
    Number(f64),
    /// An object or an array: never searched.
    Nested,
}

/// Why a line is not a record. The message fits after `file:line: `.
#[derive(Debug, PartialEq)]
pub enum RecordError {
    NotUtf8,
    NotJson(String),
    NotAnObject,
    NoRecordId,
    RecordIdTooLong(usize),
    /// A declared field with two values: which one is right is unknown.
    Twice(String),
    WrongType {
        field: String,
        expected: &'static str,
        found: &'static str,
    },
}

impl<'a> Record<'a> {
    pub fn parse(schema: &'static Schema, line: &'a [u8]) -> Result<Record<'a>, RecordError> {
        let text = std::str::from_utf8(line).map_err(|_| RecordError::NotUtf8)?;
        if !text.trim_start().starts_with('{') {
            return Err(match serde_json::from_str::<IgnoredAny>(text) {
                Ok(_) => RecordError::NotAnObject,
                Err(e) => RecordError::NotJson(e.to_string()),
            });
        }
        let mut wrong = None;
        let mut json = serde_json::Deserializer::from_str(text);
        let fields = Fields {
            schema,
            wrong: &mut wrong,
        };
        let parsed = fields
            .deserialize(&mut json)
            .and_then(|values| json.end().map(|()| values));
        let values = match (parsed, wrong) {
            (Ok(values), None) => values,
            (_, Some(error)) => return Err(error),
            (Err(e), None) => return Err(RecordError::NotJson(e.to_string())),
        };
        let record = Record { schema, values };
        match record.texts(Role::RecordId).next().map_or(0, str::len) {
            0 => Err(RecordError::NoRecordId),
            long if long > MAX_ID_BYTES => Err(RecordError::RecordIdTooLong(long)),
            _ => Ok(record),
        }
    }

    /// The record's identifier; never empty.
    pub fn id(&self) -> &str {
        self.texts(Role::RecordId)
            .next()
            .expect("parse refuses a record without an id")
    }

    /// The text of a declared field, if the record has one.
    pub fn text(&self, field: &str) -> Option<&str> {
        self.schema
            .field_number(field)
            .and_then(|number| self.values[number].as_text())
    }

    /// The texts of the fields with a role, in the role's order.
    pub fn texts(&self, role: Role) -> impl Iterator<Item = &str> {
        self.named_texts(role).map(|(_, text)| text)
    }

    /// Pairs of field name and text, for the fields with a role.
    pub fn named_texts(&self, role: Role) -> impl Iterator<Item = (&str, &str)> {
        let fields = self.schema.role(role).iter();
        fields.filter_map(|number| {
            Some((
                self.schema.fields[*number].name.as_str(),
                self.values[*number].as_text()?,
            ))
        })
    }

    /// Calls `each` with every similarity term of the record; repeated terms repeat.
    pub fn similarity_terms(&self, mut each: impl FnMut(&str)) {
        for (field, text) in self.named_texts(Role::Subject) {
            similarity_terms::words(text, similarity_terms::languages(field), &mut each);
        }
    }

    /// The names of the declared fields that the record has.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        let fields = self.schema.fields.iter().zip(&self.values);
        fields
            .filter(|(_, value)| !matches!(value, FieldValue::Absent))
            .map(|(field, _)| field.name.as_str())
    }

    /// The date of a role: the first of its fields with a valid one.
    pub fn date(&self, role: Role) -> Option<Date> {
        self.texts(role).find_map(|text| Date::parse_prefix(text).ok())
    }

    /// The value: the first of the value fields with a number. In the currency of the record.
    pub fn value(&self) -> Option<f64> {
        self.schema
            .role(Role::Value)
            .iter()
            .find_map(|number| match self.values[*number] {
                FieldValue::Number(value) => Some(value),
                _ => None,
            })
    }

    /// The value in Canadian dollars; `None` without a positive value, or in another currency.
    pub fn dollars(&self) -> Option<f64> {
        let is_canadian = self.text("currency").is_none_or(|currency| currency == "CAD");
        self.value()
            .filter(|value| is_canadian && value.is_finite() && *value > 0.0)
    }

    /// The name and text of a date field with an invalid date. The record is kept without that date.
    pub fn unreadable_date(&self) -> Option<(&str, &str)> {
        let dates = [Role::Date, Role::ClosingDate]
            .into_iter()
            .flat_map(|role| self.schema.role(role));
        dates.copied().find_map(|number| {
            let text = self.values[number].as_text()?;
            let unreadable = Date::parse_prefix(text).is_err();
            unreadable.then(|| (self.schema.fields[number].name.as_str(), text))
        })
    }

    /// The distinct keys that a filter on the role compares with. Only this function makes keys of stored texts;
    /// [`query_key`] makes those of queried texts.
    pub fn keys(&self, role: Role) -> Vec<Cow<'_, str>> {
        let mut keys: Vec<Cow<'_, str>> = Vec::new();
        let mut push = |key: Cow<'_, str>| {
            if !key.is_empty() && !keys.contains(&key) {
                keys.push(Cow::Owned(key.into_owned()));
            }
        };
        for (field, text) in self.named_texts(role) {
            match role {
                Role::RecordId => push(Cow::Borrowed(text)),
                Role::Category => vocabulary::categories(text).for_each(|code| push(Cow::Borrowed(code))),
                Role::Status => {
                    if let Some(status) = vocabulary::status(text) {
                        push(Cow::Borrowed(status));
                    }
                }
                // A text such as "N/A" would join all records without a number.
                Role::SolicitationNumber if !vocabulary::identifies(text) => {}
                Role::ReferenceNumber if field == OTHER_NUMBERS => text
                    .split(BETWEEN_NUMBERS)
                    .for_each(|number| push(Cow::Owned(query_key(role, number)))),
                Role::Commodity => commodity::keys(field, text).for_each(|key| push(Cow::Owned(key))),
                _ => push(Cow::Owned(query_key(role, text))),
            }
        }
        if role == Role::Status {
            // The fields state one status in two languages; the first known one counts.
            keys.truncate(1);
        }
        keys
    }
}

/// The field with several reference numbers.
pub const OTHER_NUMBERS: &str = "amendment_reference_numbers";
/// Separates the numbers of [`OTHER_NUMBERS`].
pub const BETWEEN_NUMBERS: &str = "; ";

/// The key of a client's filter value, to compare with the keys of a record.
pub fn query_key(role: Role, text: &str) -> String {
    let mut key = match role {
        Role::VendorProvince => vocabulary::province(text),
        Role::ReferenceNumber | Role::Commodity => text.trim().to_lowercase(),
        Role::Municipality | Role::Category | Role::Status | Role::RecordId => text.trim().to_owned(),
        _ => fold(text),
    };
    if key.len() > MAX_KEY_BYTES {
        key.truncate(key.floor_char_boundary(MAX_KEY_BYTES));
    }
    key
}

/// The `record_id` in a record's bytes, without parsing the other fields.
pub fn record_id(bytes: &[u8]) -> Option<Cow<'_, str>> {
    #[derive(serde::Deserialize)]
    struct Id<'a> {
        #[serde(borrow)]
        record_id: Cow<'a, str>,
    }
    serde_json::from_slice::<Id>(bytes).ok().map(|id| id.record_id)
}

impl FieldValue<'_> {
    fn as_text(&self) -> Option<&str> {
        match self {
            FieldValue::Text(text) => Some(text),
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
struct Fields<'e> {
    schema: &'static Schema,
    wrong: &'e mut Option<RecordError>,
}

impl<'de> DeserializeSeed<'de> for Fields<'_> {
    type Value = Vec<FieldValue<'de>>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = Vec<FieldValue<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a record, which is a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut values = vec![FieldValue::Absent; self.schema.fields.len()];
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

/// A string borrowed from the input wherever it holds no escape.
struct CowStr<'a>(Cow<'a, str>);

impl<'de> serde::Deserialize<'de> for CowStr<'de> {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        struct Borrow;
        impl<'de> Visitor<'de> for Borrow {
            type Value = CowStr<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(CowStr(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(CowStr(Cow::Owned(text.to_owned())))
            }
        }
        json.deserialize_str(Borrow)
    }
}

/// Deserializes one value: the value, or the name of the type found instead. `null` counts as absent.
struct OneValue(FieldType);

type Checked<'a> = Result<FieldValue<'a>, &'static str>;

impl<'de> DeserializeSeed<'de> for OneValue {
    type Value = Checked<'de>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_any(self)
    }
}

impl OneValue {
    fn text<'a>(&self, text: Cow<'a, str>) -> Checked<'a> {
        match self.0 {
            FieldType::Text | FieldType::Date => Ok(FieldValue::Text(text)),
            _ => Err("a string"),
        }
    }

    fn number<'a>(&self, number: f64) -> Checked<'a> {
        match self.0 {
            FieldType::Number | FieldType::Count => Ok(FieldValue::Number(number)),
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
        Ok(Ok(FieldValue::Absent))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(match self.0 {
            FieldType::Object => Ok(FieldValue::Nested),
            _ => Err("an object"),
        })
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(match self.0 {
            FieldType::TextArray | FieldType::ObjectArray => Ok(FieldValue::Nested),
            _ => Err("an array"),
        })
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
            RecordError::Twice(field) => write!(f, "field {field} is given twice"),
            RecordError::WrongType { field, expected, found } => {
                write!(f, "field {field} must be {expected}, found {found}")
            }
        }
    }
}

impl std::error::Error for RecordError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::entity_type::EntityType;

    fn award(json: &str) -> Result<Record<'_>, RecordError> {
        Record::parse(Schema::of(EntityType::Award), json.as_bytes())
    }

    #[test]
    fn invalid_records_are_refused_with_the_reason() {
        for (line, why) in [
            (r#"{"record_id":"a""#, "not JSON: EOF"),
            (r#"{"record_id":"a"} x"#, "not JSON: trailing"),
            (r#"["record_id"]"#, "not a JSON object"),
            ("7", "not a JSON object"),
            ("nope", "not JSON"),
            ("{}", "no record_id"),
            (r#"{"record_id":""}"#, "no record_id"),
            (r#"{"record_id":null}"#, "no record_id"),
            (r#"{"record_id":7}"#, "field record_id must be a string, found a number"),
            (
                r#"{"record_id":"a","contract_value":"7"}"#,
                "field contract_value must be a number, found a string",
            ),
            (
                r#"{"record_id":"a","eligibility":[]}"#,
                "field eligibility must be an object, found an array",
            ),
            (
                r#"{"record_id":"a","title_en":true}"#,
                "field title_en must be a string, found a boolean",
            ),
        ] {
            let error = award(line).unwrap_err().to_string();
            assert!(error.starts_with(why), "{line}: {error}");
        }
        assert_eq!(
            Record::parse(Schema::of(EntityType::Award), b"{\"record_id\":\"\xff\"}").unwrap_err(),
            RecordError::NotUtf8
        );
    }

    #[test]
    fn a_disclosure_has_the_reference_numbers_of_its_amendments() {
        let json = br#"{"record_id":"a","reference_number":"C-1","amendment_reference_numbers":"C-2; c-3; C-1"}"#;
        let record = Record::parse(Schema::of(EntityType::Disclosure), json).unwrap();
        assert_eq!(record.keys(Role::ReferenceNumber), ["c-1", "c-2", "c-3"]);
        let json = br#"{"record_id":"a","reference_number":"C-1; C-2"}"#;
        let record = Record::parse(Schema::of(EntityType::Disclosure), json).unwrap();
        assert_eq!(
            record.keys(Role::ReferenceNumber),
            ["c-1; c-2"],
            "one number, as written"
        );
    }

    #[test]
    fn values_are_read_by_role() {
        let record = award(
            r#"{"record_id":"a|1","contract_value":5,"total_contract_value":null,"award_date":"2024-02-30",
                "status_en":"Something","status_fr":"Annulé","procurement_category":"GD,SRV","unknown":{"x":[1]},
                "vendor_name":"L\u00e9o & Fils","vendor_name_standardized":"LÉO & FILS","vendor_province":"Québec"}"#,
        )
        .unwrap();
        assert_eq!(record.id(), "a|1");
        assert_eq!(record.value(), Some(5.0));
        assert_eq!(record.date(Role::Date), None);
        assert_eq!(record.unreadable_date(), Some(("award_date", "2024-02-30")));
        assert_eq!(record.keys(Role::Status), ["Cancelled"]);
        assert_eq!(record.keys(Role::Category), ["GD", "SRV"]);
        assert_eq!(record.keys(Role::Vendor), ["leo & fils"]);
        assert_eq!(record.keys(Role::VendorProvince), ["qc"]);
        assert!(record.keys(Role::NoticeType).is_empty());
    }

    #[test]
    fn record_id_is_read_from_bytes() {
        assert_eq!(
            record_id(br#"{"title_en":"x","record_id":"a\/b"}"#).as_deref(),
            Some("a/b")
        );
        assert_eq!(record_id(b"{}"), None);
    }
}
