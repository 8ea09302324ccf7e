//! The fields of a record on its way to a dump, in few pieces of memory: a list of names and places, and one text that holds all values.
//!
//! Rows come by the million, so nothing here is allocated for each value, names are numbers ([`Name`]), and what goes to the spool
//! and comes back is copied, not parsed. Nested values are held as the JSON they will be in the dump.

use std::{borrow::Cow, fmt, ops::Range};

use anyhow::{Context, Result};
use serde_json::{Map, Value};

use super::bytes::{self, Bytes};
use crate::model::schema::Name;

/// Names and values, each name once, in the order they were first set.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    fields: Vec<(Name, Place)>,
    /// The values, and what is left of those that others replaced.
    text: String,
}

/// A value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Held<'a> {
    Text(Cow<'a, str>),
    Number(f64),
    /// An object, a list or a count, as JSON.
    Json(Cow<'a, str>),
}

#[derive(Clone, Debug)]
enum Place {
    Text(Range<usize>),
    Number(f64),
    Json(Range<usize>),
}

impl Fields {
    /// None yet, and room for what most records have.
    pub fn with_room() -> Fields {
        Fields {
            fields: Vec::with_capacity(40),
            text: String::with_capacity(1024),
        }
    }

    /// The same memory without its fields; not so much that one long record would hold it for all that follow.
    pub fn emptied(mut self) -> Fields {
        if self.text.capacity() > LONG {
            return Fields::with_room();
        }
        self.fields.clear();
        self.text.clear();
        self
    }

    pub fn get(&self, name: Name) -> Option<Held<'_>> {
        let (_, place) = self.fields.iter().find(|(known, _)| *known == name)?;
        Some(self.held(place))
    }

    /// Sets a field, whatever it held before.
    pub fn insert(&mut self, name: Name, value: Held) {
        let place = self.keep(value);
        match self.fields.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = place,
            None => self.fields.push((name, place)),
        }
    }

    /// Adds a field that is not there yet, without looking.
    pub fn push(&mut self, name: Name, value: Held) {
        debug_assert!(self.get(name).is_none(), "{} is there", name.text());
        let place = self.keep(value);
        self.fields.push((name, place));
    }

    /// The same of several fields with one value, held once.
    pub fn push_each(&mut self, names: &[Name], value: Held) {
        debug_assert!(
            names.iter().all(|name| self.get(*name).is_none()),
            "one of {names:?} is there"
        );
        let place = self.keep(value);
        self.fields.extend(names.iter().map(|name| (*name, place.clone())));
    }

    pub fn remove(&mut self, name: Name) {
        self.fields.retain(|(known, _)| *known != name);
    }

    pub fn iter(&self) -> impl Iterator<Item = (Name, Held<'_>)> {
        self.fields.iter().map(|(name, place)| (*name, self.held(place)))
    }

    pub fn names(&self) -> impl Iterator<Item = Name> {
        self.fields.iter().map(|(name, _)| *name)
    }

    /// The value of the field of this number among [`Fields::names`].
    pub fn at(&self, number: usize) -> Option<Held<'_>> {
        self.fields.get(number).map(|(_, place)| self.held(place))
    }

    /// The fields as one JSON object.
    pub fn to_json(&self) -> String {
        let members = self.iter().map(|(name, value)| format!("\"{}\":{value}", name.text()));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    }

    fn held(&self, place: &Place) -> Held<'_> {
        let text = |range: &Range<usize>| Cow::Borrowed(self.text.get(range.clone()).unwrap_or_default());
        match place {
            Place::Text(range) => Held::Text(text(range)),
            Place::Number(number) => Held::Number(*number),
            Place::Json(range) => Held::Json(text(range)),
        }
    }

    fn keep(&mut self, value: Held) -> Place {
        let start = self.text.len();
        match value {
            Held::Number(number) => Place::Number(number),
            Held::Text(text) => {
                self.text.push_str(&text);
                Place::Text(start..self.text.len())
            }
            Held::Json(json) => {
                self.text.push_str(&json);
                Place::Json(start..self.text.len())
            }
        }
    }

    /// Appends what [`Fields::read`] reads.
    pub fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        bytes::put_length(out, self.fields.len())?;
        for (name, place) in &self.fields {
            out.extend(name.number().to_le_bytes());
            let (kind, range) = match place {
                Place::Number(number) => {
                    out.push(b'n');
                    out.extend(number.to_le_bytes());
                    continue;
                }
                Place::Text(range) => (b't', range),
                Place::Json(range) => (b'j', range),
            };
            out.push(kind);
            bytes::put_length(out, range.start)?;
            bytes::put_length(out, range.end)?;
        }
        bytes::put_text(out, &self.text)
    }

    pub fn read(bytes: &mut Bytes) -> Result<Fields> {
        let count = bytes.length()?;
        // No more room than the bytes can fill, whatever they say.
        let mut fields = Vec::with_capacity(count.min(bytes.left()) + ADDED);
        for _ in 0..count {
            let name = Name::numbered(u16::from_le_bytes(bytes.take()?));
            let place = match bytes.take()? {
                [b'n'] => Place::Number(f64::from_le_bytes(bytes.take()?)),
                [kind] => {
                    let range = bytes.length()?..bytes.length()?;
                    if kind == b't' {
                        Place::Text(range)
                    } else {
                        Place::Json(range)
                    }
                }
            };
            fields.push((name, place));
        }
        let text = bytes.text()?.to_owned();
        Ok(Fields { fields, text })
    }
}

/// How long the texts of hardly any record are.
const LONG: usize = 64 << 10;

/// How many fields settling adds, at most times.
const ADDED: usize = 4;

impl<'a> Held<'a> {
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Held::Number(number) => Some(*number),
            Held::Json(json) => json.parse().ok(),
            Held::Text(_) => None,
        }
    }

    /// The members of an object.
    pub fn members(&self) -> Option<Map<String, Value>> {
        match self {
            Held::Json(json) => serde_json::from_str(json).ok(),
            _ => None,
        }
    }

    pub fn into_json(self) -> Option<Value> {
        match self {
            Held::Text(text) => Some(text.into_owned().into()),
            Held::Number(number) => Some(number.into()),
            Held::Json(json) => serde_json::from_str(&json).ok(),
        }
    }

    pub fn write_json(&self, out: &mut Vec<u8>) -> Result<()> {
        match self {
            Held::Text(text) => serde_json::to_writer(out, text),
            Held::Number(number) => serde_json::to_writer(out, number),
            Held::Json(json) => {
                out.extend_from_slice(json.as_bytes());
                Ok(())
            }
        }
        .context("writing a value as JSON")
    }
}

/// As JSON.
impl fmt::Display for Held<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut json = Vec::new();
        self.write_json(&mut json).map_err(|_| fmt::Error)?;
        f.write_str(&String::from_utf8_lossy(&json))
    }
}

impl<'a> From<&'a str> for Held<'a> {
    fn from(text: &'a str) -> Held<'a> {
        Held::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Held<'_> {
    fn from(text: String) -> Self {
        Held::Text(Cow::Owned(text))
    }
}

impl<'a> From<Cow<'a, str>> for Held<'a> {
    fn from(text: Cow<'a, str>) -> Held<'a> {
        Held::Text(text)
    }
}

impl From<f64> for Held<'_> {
    fn from(number: f64) -> Self {
        Held::Number(number)
    }
}

impl From<Value> for Held<'_> {
    fn from(value: Value) -> Self {
        match value {
            Value::String(text) => text.into(),
            value => Held::Json(Cow::Owned(value.to_string())),
        }
    }
}

impl From<usize> for Held<'_> {
    fn from(count: usize) -> Self {
        Value::from(count).into()
    }
}

impl From<u64> for Held<'_> {
    fn from(count: u64) -> Self {
        Value::from(count).into()
    }
}

impl From<Vec<Value>> for Held<'_> {
    fn from(values: Vec<Value>) -> Self {
        Value::from(values).into()
    }
}

impl From<Map<String, Value>> for Held<'_> {
    fn from(members: Map<String, Value>) -> Self {
        Value::from(members).into()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_come_back_from_the_spool_as_they_went() {
        let mut fields = Fields::default();
        fields.insert(Name::of("title_en"), "replaced".into());
        fields.insert(Name::of("contract_value"), 12.5.into());
        fields.insert(Name::of("amendment_count"), 3_usize.into());
        fields.insert(Name::of("eligibility"), json!({"trade_agreements": ["é"]}).into());
        fields.insert(Name::of("title_en"), "\"é\"\n".into());
        fields.insert(Name::of("title_fr"), "removed".into());
        fields.remove(Name::of("title_fr"));
        let both = ["tender_id", "tender_number", "solicitation_number"].map(Name::of);
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
        let read = Fields::read(&mut Bytes(&spooled)).unwrap();
        assert_eq!(read.to_json(), json.to_string());
        for end in 0..spooled.len() {
            assert!(Fields::read(&mut Bytes(&spooled[..end])).is_err(), "{end}");
        }
    }
}
