//! A supplier or a body as a generation stores it: one line of JSON.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{
    names::key,
    party::Party,
    reason::{Evidence, Waiting},
};
use crate::model::{EntityType, Language};

/// All names of one supplier or one body, and what its records add up to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Supplier {
    pub(crate) id: String,
    /// The chosen one of its names.
    pub(crate) name: String,
    /// The chosen one first, then those with most records.
    pub(crate) names: Vec<SupplierName>,
    /// Of all entity types.
    pub(crate) records: u64,
    /// The sum of the values that these records state, in Canadian dollars.
    pub(crate) total_value: f64,
    pub(crate) first_year: Option<i32>,
    pub(crate) last_year: Option<i32>,
    /// The entity types with records.
    pub(crate) by_entity_type: Vec<KindFigures>,
    pub(crate) numbers: Vec<SupplierNumber>,
    /// Suppliers that may be the same one.
    pub(crate) suggestions: Vec<Suggestion>,
}

/// A name of a supplier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SupplierName {
    /// The commonest spelling.
    pub(crate) name: String,
    /// A body's name in French, which records state together with `name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name_fr: Option<String>,
    /// Why it is here; none for the chosen name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<NameReason>,
    pub(crate) records: u64,
    pub(crate) total_value: f64,
    pub(crate) first_year: Option<i32>,
    pub(crate) last_year: Option<i32>,
    /// How often publishers state it, for bidders without a record too.
    pub(crate) mentions: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) numbers: Vec<String>,
    /// The most frequent ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) postal_codes: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) cities: Vec<String>,
}

/// What joined a name to another one of the supplier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct NameReason {
    pub(crate) with: String,
    #[serde(flatten)]
    pub(crate) evidence: Evidence,
}

/// The records of one entity type.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct KindFigures {
    pub(crate) entity_type: EntityType,
    pub(crate) records: u64,
    pub(crate) total_value: f64,
}

/// An official number with which publishers state names of the supplier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SupplierNumber {
    /// `neq:` or `alberta:`, and the number.
    pub(crate) number: String,
    pub(crate) mentions: u64,
    /// How many of the names are stated with it.
    pub(crate) names: u64,
}

/// A supplier that may be the same one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Suggestion {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) own_name: String,
    pub(crate) other_name: String,
    pub(crate) why: Waiting,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) evidence: Option<Evidence>,
}

impl SupplierName {
    /// The name, and a body's name in French.
    pub(crate) fn spellings(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.name).chain(&self.name_fr)
    }
}

impl Supplier {
    /// The chosen name, in a language if it is known in it.
    pub(crate) fn name_in(&self, language: Language) -> &str {
        let french = self.names.first().and_then(|name| name.name_fr.as_deref());
        french.filter(|_| language == Language::French).unwrap_or(&self.name)
    }

    /// Its names in both languages.
    pub(crate) fn spellings(&self) -> impl Iterator<Item = &String> {
        self.names.iter().flat_map(SupplierName::spellings)
    }

    /// The keys of its names, by which records have it.
    pub(crate) fn keys(&self) -> Vec<String> {
        self.names.iter().map(|name| key(&name.name)).collect()
    }
}

/// The hexadecimal digits of an identifier after its prefix: 64 bits.
const DIGITS: usize = 16;

/// The identifier of the supplier that has an official number.
pub(crate) fn id_of_number(party: Party, number: &str) -> String {
    id_of_digits(party, digits_of_number(number))
}

/// The identifier of a supplier without an official number, by the key of its oldest name.
#[cfg(test)]
pub(crate) fn id_of_name(party: Party, key: &str) -> String {
    id_of_digits(party, digits_of_name(key))
}

/// The identifier with these digits.
pub(super) fn id_of_digits(party: Party, digits: u64) -> String {
    format!("{}{digits:0width$x}", party.prefix(), width = DIGITS)
}

/// The digits of [`id_of_number`], as a number.
pub(super) fn digits_of_number(number: &str) -> u64 {
    digits("number", number)
}

/// The digits of the identifier that a name gives, as a number.
pub(super) fn digits_of_name(key: &str) -> u64 {
    digits("name", key)
}

fn digits(of: &str, text: &str) -> u64 {
    let digest = Sha256::new()
        .chain_update(of)
        .chain_update(":")
        .chain_update(text)
        .finalize();
    u64::from_be_bytes(*digest.first_chunk().expect("the digest has 32 bytes"))
}

/// The digits of an identifier; `None` if it is none.
pub(super) fn digits_of_id(party: Party, id: &str) -> Option<u64> {
    let digits = id.strip_prefix(party.prefix())?;
    let is_written_so = digits.len() == DIGITS && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    u64::from_str_radix(digits, 16).ok().filter(|_| is_written_so)
}
