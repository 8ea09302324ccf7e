//! A record of a dump: one JSON object on one line, read by role, stored and served as the bytes it came as.
//!
//! **Invariant:** the bytes of a record that parsed once are valid UTF-8 JSON on one line with a usable `record_id`, so they can be
//! spliced into an answer unparsed.

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

/// The longest `record_id`, in bytes: well under what an index term may hold.
pub const LONGEST_ID: usize = 1024;

/// The longest folded name or number a filter compares, in bytes; what is beyond is not searched.
pub const LONGEST_KEY: usize = 1024;

/// A parsed record. Fields the schema does not declare are not looked at, and stay in the bytes.
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
    /// An object or a list: passed through, never searched.
    Nested,
}

/// Why a line is no record. Fit to be printed behind `file:line: `.
#[derive(Debug, PartialEq)]
pub enum RecordError {
    NotUtf8,
    NotJson(String),
    NotAnObject,
    NoRecordId,
    RecordIdTooLong(usize),
    /// A declared field given two values: which one is meant cannot be told.
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
        match record.id().len() {
            0 => Err(RecordError::NoRecordId),
            long if long > LONGEST_ID => Err(RecordError::RecordIdTooLong(long)),
            _ => Ok(record),
        }
    }

    /// The record's identifier; never empty.
    pub fn id(&self) -> &str {
        self.texts(Role::RecordId).next().unwrap_or_default()
    }

    /// The text of a declared field, if the record carries one.
    pub fn text(&self, field: &str) -> Option<&str> {
        self.schema
            .field_number(field)
            .and_then(|number| self.values[number].as_text())
    }

    /// The texts of the fields that play a role, in the role's order.
    pub fn texts(&self, role: Role) -> impl Iterator<Item = &str> {
        self.named_texts(role).map(|(_, text)| text)
    }

    /// Those, each behind its field's name.
    pub fn named_texts(&self, role: Role) -> impl Iterator<Item = (&str, &str)> {
        let fields = self.schema.role(role).iter();
        fields.filter_map(|number| {
            Some((
                self.schema.fields[*number].name.as_str(),
                self.values[*number].as_text()?,
            ))
        })
    }

    /// Calls `each` with the words of what the record is about, as often as they occur.
    pub fn subject_words(&self, mut each: impl FnMut(&str)) {
        for (field, text) in self.named_texts(Role::Subject) {
            similarity_terms::words(text, similarity_terms::languages(field), &mut each);
        }
    }

    /// The names of the declared fields the record carries.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        let carried = self.schema.fields.iter().zip(&self.values);
        carried
            .filter(|(_, value)| !matches!(value, FieldValue::Absent))
            .map(|(field, _)| field.name.as_str())
    }

    /// The day a date role tells: the first of its fields that holds one.
    pub fn date(&self, role: Role) -> Option<Date> {
        self.texts(role).find_map(|text| Date::parse_prefix(text).ok())
    }

    /// The money: the first of the value fields that holds a number.
    pub fn value(&self) -> Option<f64> {
        self.schema
            .role(Role::Value)
            .iter()
            .find_map(|number| match self.values[*number] {
                FieldValue::Number(value) => Some(value),
                _ => None,
            })
    }

    /// What it is worth in Canadian dollars; `None` where it tells no value, or tells it in another currency.
    pub fn dollars(&self) -> Option<f64> {
        let is_canadian = self.text("currency").is_none_or(|currency| currency == "CAD");
        self.value()
            .filter(|value| is_canadian && value.is_finite() && *value > 0.0)
    }

    /// A date field whose text is no date: the record is kept, without that date.
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

    /// What a filter on the role compares with, each key once. This is the one place that says how a stored text becomes a key;
    /// [`query_key`] says it for an asked one.
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
                // What identifies nothing would make one of all that have nothing.
                Role::SolicitationNumber if !vocabulary::identifies(text) => {}
                Role::ReferenceNumber if field == OTHER_NUMBERS => text
                    .split(BETWEEN_NUMBERS)
                    .for_each(|number| push(Cow::Owned(query_key(role, number)))),
                Role::Commodity => commodity::keys(field, text).for_each(|key| push(Cow::Owned(key))),
                _ => push(Cow::Owned(query_key(role, text))),
            }
        }
        if role == Role::Status {
            // The fields say one thing in two languages; the first that is understood decides.
            keys.truncate(1);
        }
        keys
    }
}

/// The field that holds more than one reference number, and what stands between them.
pub const OTHER_NUMBERS: &str = "amendment_reference_numbers";
pub const BETWEEN_NUMBERS: &str = "; ";

/// What a client's value of a filter becomes, to be compared with a record's keys.
pub fn query_key(role: Role, text: &str) -> String {
    let mut key = match role {
        Role::VendorProvince => vocabulary::province(text),
        Role::ReferenceNumber | Role::Commodity => text.trim().to_lowercase(),
        Role::Municipality | Role::Category | Role::Status | Role::RecordId => text.trim().to_owned(),
        _ => fold(text),
    };
    if key.len() > LONGEST_KEY {
        key.truncate(key.floor_char_boundary(LONGEST_KEY));
    }
    key
}

/// The `record_id` of a record's bytes, without reading the rest of the fields.
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

/// Reads an object's members into the schema's field numbers, minding their types.
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
        let mut met = vec![false; values.len()];
        while let Some(name) = members.next_key::<CowStr>()? {
            let Some(number) = self.schema.field_number(&name.0) else {
                members.next_value::<IgnoredAny>()?;
                continue;
            };
            if std::mem::replace(&mut met[number], true) {
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

/// One member's value: what it is, or the word for what was found in its place. `null` is as good as absent.
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
                write!(f, "record_id of {long} bytes; {LONGEST_ID} is the most")
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
    fn what_is_no_record_is_told_apart() {
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
    fn a_disclosed_contract_goes_by_its_amendments_numbers_too() {
        let json = br#"{"record_id":"a","reference_number":"C-1","amendment_reference_numbers":"C-2; c-3; C-1"}"#;
        let record = Record::parse(Schema::of(EntityType::Disclosure), json).unwrap();
        assert_eq!(record.keys(Role::ReferenceNumber), ["c-1", "c-2", "c-3"]);
        let json = br#"{"record_id":"a","reference_number":"C-1; C-2"}"#;
        let record = Record::parse(Schema::of(EntityType::Disclosure), json).unwrap();
        assert_eq!(record.keys(Role::ReferenceNumber), ["c-1; c-2"], "as it is shown");
    }

    #[test]
    fn roles_are_read() {
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
    fn the_id_alone_is_read_from_bytes() {
        assert_eq!(
            record_id(br#"{"title_en":"x","record_id":"a\/b"}"#).as_deref(),
            Some("a/b")
        );
        assert_eq!(record_id(b"{}"), None);
    }
}
