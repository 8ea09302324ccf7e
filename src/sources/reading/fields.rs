//! The fields of a record in few allocations: a list of names and positions, and one text that
//! holds all values.
//!
//! Rows come by the million, so no value has an allocation of its own, names are numbers
//! ([`FieldName`]), and a record that goes through the spool is copied, not parsed. Nested values
//! are held as the JSON text that the dump will have.

use std::{borrow::Cow, fmt, ops::Range};

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value};

use super::bytes::{self, ByteReader};
use crate::model::FieldName;

/// Texts of nearly all records are shorter than this, in bytes.
const LONG_TEXT: usize = 64 << 10;

/// Merging usually adds at most this many fields to a record.
const FIELDS_ADDED_BY_MERGING: usize = 4;

/// Names and values, each name once, in the order in which they were first set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields {
    fields: Vec<(FieldName, StoredValue)>,
    /// The texts of the values. Texts of replaced values stay in it.
    text: String,
}

/// A value of a field.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FieldValue<'a> {
    Text(Cow<'a, str>),
    Number(f64),
    /// An object, a list or a count, as JSON.
    Json(Cow<'a, str>),
}

/// A value, or its range in [`Fields::text`].
#[derive(Clone, Debug)]
enum StoredValue {
    Text(Range<usize>),
    Number(f64),
    Json(Range<usize>),
}

impl Fields {
    /// No fields, and room for as many as most records have.
    pub(crate) fn with_capacity() -> Fields {
        Fields {
            fields: Vec::with_capacity(40),
            text: String::with_capacity(1024),
        }
    }

    /// The memory of these fields, without fields. Memory of an unusually long record is freed instead, so that
    /// it is not kept for all records that follow.
    pub(crate) fn cleared(mut self) -> Fields {
        if self.text.capacity() > LONG_TEXT {
            return Fields::with_capacity();
        }
        self.fields.clear();
        self.text.clear();
        self
    }

    /// The memory of the fields, in bytes.
    pub(crate) fn size(&self) -> usize {
        self.text.capacity() + self.fields.capacity() * size_of::<(FieldName, StoredValue)>()
    }

    pub(crate) fn get(&self, name: FieldName) -> Option<FieldValue<'_>> {
        let (_, stored) = self.fields.iter().find(|(known, _)| *known == name)?;
        Some(self.value(stored))
    }

    /// Sets a field; a former value is replaced.
    pub(crate) fn insert(&mut self, name: FieldName, value: FieldValue) {
        let stored = self.store(value);
        match self.fields.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = stored,
            None => self.fields.push((name, stored)),
        }
    }

    /// Adds a field that must not be set yet; faster than [`Fields::insert`].
    pub(crate) fn push(&mut self, name: FieldName, value: FieldValue) {
        debug_assert!(self.get(name).is_none(), "{} is already set", name.text());
        let stored = self.store(value);
        self.fields.push((name, stored));
    }

    /// Adds several fields with one value, which is stored once. None of them may be set yet.
    pub(crate) fn push_each(&mut self, names: &[FieldName], value: FieldValue) {
        debug_assert!(
            names.iter().all(|name| self.get(*name).is_none()),
            "one of {names:?} is already set"
        );
        let stored = self.store(value);
        self.fields.extend(names.iter().map(|name| (*name, stored.clone())));
    }

    pub(crate) fn remove(&mut self, name: FieldName) {
        self.fields.retain(|(known, _)| *known != name);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (FieldName, FieldValue<'_>)> {
        self.fields.iter().map(|(name, stored)| (*name, self.value(stored)))
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = FieldName> {
        self.fields.iter().map(|(name, _)| *name)
    }

    /// The value of the field at this index of [`Fields::names`].
    pub(crate) fn at(&self, index: usize) -> Option<FieldValue<'_>> {
        self.fields.get(index).map(|(_, stored)| self.value(stored))
    }

    /// The fields as one JSON object.
    pub(crate) fn to_json(&self) -> String {
        let members = self.iter().map(|(name, value)| format!("\"{}\":{value}", name.text()));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    }

    fn value(&self, stored: &StoredValue) -> FieldValue<'_> {
        match stored {
            StoredValue::Text(range) => FieldValue::Text(Cow::Borrowed(&self.text[range.clone()])),
            StoredValue::Number(number) => FieldValue::Number(*number),
            StoredValue::Json(range) => FieldValue::Json(Cow::Borrowed(&self.text[range.clone()])),
        }
    }

    fn store(&mut self, value: FieldValue) -> StoredValue {
        let start = self.text.len();
        match value {
            FieldValue::Number(number) => StoredValue::Number(number),
            FieldValue::Text(text) => {
                self.text.push_str(&text);
                StoredValue::Text(start..self.text.len())
            }
            FieldValue::Json(json) => {
                self.text.push_str(&json);
                StoredValue::Json(start..self.text.len())
            }
        }
    }

    /// Appends the binary form that [`Fields::read`] reads.
    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        bytes::put_length(out, self.fields.len())?;
        for (name, stored) in &self.fields {
            out.extend(name.number().to_le_bytes());
            let (tag, range) = match stored {
                StoredValue::Number(number) => {
                    out.push(b'n');
                    out.extend(number.to_le_bytes());
                    continue;
                }
                StoredValue::Text(range) => (b't', range),
                StoredValue::Json(range) => (b'j', range),
            };
            out.push(tag);
            bytes::put_length(out, range.start)?;
            bytes::put_length(out, range.end)?;
        }
        bytes::put_text(out, &self.text)
    }

    pub(crate) fn read(bytes: &mut ByteReader) -> Result<Fields> {
        let count = bytes.length()?;
        // A damaged count must not allocate more than the bytes can fill.
        let mut fields = Vec::with_capacity(count.min(bytes.remaining()) + FIELDS_ADDED_BY_MERGING);
        for _ in 0..count {
            let number = u16::from_le_bytes(bytes.take()?);
            let name = FieldName::from_number(number).context("an unknown field number in the spool")?;
            let [tag] = bytes.take()?;
            fields.push(match tag {
                b'n' => (name, StoredValue::Number(f64::from_le_bytes(bytes.take()?))),
                b't' => (name, StoredValue::Text(bytes.length()?..bytes.length()?)),
                _ => (name, StoredValue::Json(bytes.length()?..bytes.length()?)),
            });
        }
        let text = bytes.text()?.to_owned();
        for (_, stored) in &fields {
            if let StoredValue::Text(range) | StoredValue::Json(range) = stored {
                ensure!(
                    text.get(range.clone()).is_some(),
                    "a value in the spool is out of range"
                );
            }
        }
        Ok(Fields { fields, text })
    }
}

impl<'a> FieldValue<'a> {
    pub(crate) fn as_number(&self) -> Option<f64> {
        match self {
            FieldValue::Number(number) => Some(*number),
            FieldValue::Json(json) => json.parse().ok(),
            FieldValue::Text(_) => None,
        }
    }

    /// The members, if the value is an object.
    pub(crate) fn members(&self) -> Option<Map<String, Value>> {
        match self {
            FieldValue::Json(json) => serde_json::from_str(json).ok(),
            _ => None,
        }
    }

    pub(crate) fn into_json(self) -> Option<Value> {
        match self {
            FieldValue::Text(text) => Some(text.into_owned().into()),
            FieldValue::Number(number) => Some(number.into()),
            FieldValue::Json(json) => serde_json::from_str(&json).ok(),
        }
    }

    pub(crate) fn write_json(&self, out: &mut Vec<u8>) -> Result<()> {
        match self {
            FieldValue::Text(text) => serde_json::to_writer(out, text),
            FieldValue::Number(number) => serde_json::to_writer(out, number),
            FieldValue::Json(json) => {
                out.extend_from_slice(json.as_bytes());
                Ok(())
            }
        }
        .context("writing a value as JSON")
    }
}

/// Formats the value as JSON.
impl fmt::Display for FieldValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut json = Vec::new();
        self.write_json(&mut json).map_err(|_| fmt::Error)?;
        f.write_str(&String::from_utf8_lossy(&json))
    }
}

impl<'a> From<&'a str> for FieldValue<'a> {
    fn from(text: &'a str) -> FieldValue<'a> {
        FieldValue::Text(Cow::Borrowed(text))
    }
}

impl From<String> for FieldValue<'_> {
    fn from(text: String) -> Self {
        FieldValue::Text(Cow::Owned(text))
    }
}

impl<'a> From<Cow<'a, str>> for FieldValue<'a> {
    fn from(text: Cow<'a, str>) -> FieldValue<'a> {
        FieldValue::Text(text)
    }
}

impl From<f64> for FieldValue<'_> {
    fn from(number: f64) -> Self {
        FieldValue::Number(number)
    }
}

impl From<Value> for FieldValue<'_> {
    fn from(value: Value) -> Self {
        match value {
            Value::String(text) => text.into(),
            value => FieldValue::Json(Cow::Owned(value.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_read_back_as_they_were_written() {
        let mut fields = Fields::default();
        fields.insert(FieldName::of("title_en"), "replaced".into());
        fields.insert(FieldName::of("contract_value"), 12.5.into());
        fields.insert(FieldName::of("amendment_count"), json!(3).into());
        fields.insert(FieldName::of("eligibility"), json!({"trade_agreements": ["é"]}).into());
        fields.insert(FieldName::of("title_en"), "\"é\"\n".into());
        fields.insert(FieldName::of("title_fr"), "removed".into());
        fields.remove(FieldName::of("title_fr"));
        let both = ["tender_id", "tender_number", "solicitation_number"].map(FieldName::of);
        fields.push_each(&both, "X-1".into());
        fields.insert(both[1], "X-2".into());
        fields.remove(both[2]);
        let json = json!({
            "title_en": "\"é\"\n", "contract_value": 12.5, "amendment_count": 3,
            "eligibility": {"trade_agreements": ["é"]}, "tender_id": "X-1", "tender_number": "X-2",
        });
        assert_eq!(fields.to_json(), json.to_string());

        let mut spooled = Vec::new();
        fields.write(&mut spooled).unwrap();
        let read = Fields::read(&mut ByteReader(&spooled)).unwrap();
        assert_eq!(read.to_json(), json.to_string());
        for end in 0..spooled.len() {
            assert!(Fields::read(&mut ByteReader(&spooled[..end])).is_err(), "{end}");
        }
    }
}
