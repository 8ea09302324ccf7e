//! The fields of a record on its way to a dump: few enough that a list is faster than a map, their names those of the schemas, so that millions of rows
//! share them.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor},
};
use serde_json::Value;

use crate::schema;

type Name = Cow<'static, str>;

/// Names and values, each name once, in the order they were first set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fields(Vec<(Name, Value)>);

impl Fields {
    pub fn get(&self, field: &str) -> Option<&Value> {
        self.0.iter().find(|(name, _)| name == field).map(|(_, value)| value)
    }

    pub fn get_mut(&mut self, field: &str) -> Option<&mut Value> {
        self.0
            .iter_mut()
            .find(|(name, _)| name == field)
            .map(|(_, value)| value)
    }

    pub fn contains_key(&self, field: &str) -> bool {
        self.get(field).is_some()
    }

    /// The value that stood there before.
    pub fn insert(&mut self, field: impl Into<Name>, value: Value) -> Option<Value> {
        let field = field.into();
        match self.get_mut(&field) {
            Some(known) => Some(std::mem::replace(known, value)),
            None => {
                self.0.push((field, value));
                None
            }
        }
    }

    /// Adds a field that is not there yet, without looking.
    pub fn push(&mut self, field: &'static str, value: Value) {
        debug_assert!(!self.contains_key(field), "{field} is there");
        self.0.push((Cow::Borrowed(field), value));
    }

    pub fn remove(&mut self, field: &str) -> Option<Value> {
        let at = self.0.iter().position(|(name, _)| name == field)?;
        Some(self.0.remove(at).1)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), value))
    }
}

impl IntoIterator for Fields {
    type Item = (Name, Value);
    type IntoIter = std::vec::IntoIter<(Name, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Fields, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a record's fields")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::with_capacity(32);
                while let Some(Shared(name)) = members.next_key()? {
                    fields.push((name, members.next_value()?));
                }
                Ok(Fields(fields))
            }
        }
        json.deserialize_map(Members)
    }
}

/// A field's name, not copied where a schema has it.
struct Shared(Name);

impl<'de> Deserialize<'de> for Shared {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Shared, D::Error> {
        struct Word;
        impl Visitor<'_> for Word {
            type Value = Shared;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a field's name")
            }

            fn visit_str<E>(self, name: &str) -> Result<Shared, E> {
                Ok(Shared(
                    schema::shared_name(name).map_or_else(|| name.to_owned().into(), Cow::Borrowed),
                ))
            }
        }
        json.deserialize_str(Word)
    }
}
