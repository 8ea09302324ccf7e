//! The comparison of one contract with an item: what they have in common.

use bytes::Bytes;

use super::{
    answer::MatchLevel,
    code_match::{CodeMatch, code_match},
    contract_identity::ContractIdentity,
    item::PreparedItem,
    price::date_and_price,
    purchase_facts::{CONTRACT_TYPES, PurchaseFacts},
    text_similarity::{NEAR_SAME_TEXT, PurchaseText, SIMILAR_TEXT},
};
use crate::model::{Date, EntityType, Record, Schema};

/// A contract, and what it has in common with the item.
#[derive(Debug)]
pub(crate) struct ComparedContract {
    pub(crate) entity_type: EntityType,
    /// The record as JSON.
    pub(crate) record: Bytes,
    /// The record_id.
    pub(crate) id: String,
    pub(crate) date: Date,
    pub(crate) end_date: Option<Date>,
    /// In dollars.
    pub(crate) value: f64,
    pub(crate) title: Option<String>,
    pub(crate) vendor: Option<String>,
    /// Of the texts, 0 to 1.
    pub(crate) similarity: f64,
    pub(crate) same_buyer: bool,
    pub(crate) code_match: CodeMatch,
    pub(crate) same_category: bool,
    pub(crate) same_government_level: bool,
    pub(crate) same_method: bool,
    pub(crate) same_terms: bool,
    pub(crate) same_province: bool,
    /// The closest level at which the contract matches the item.
    pub(crate) level: MatchLevel,
    /// The share of this contract in the weight of all; 0 until all are selected.
    pub(crate) weight: f64,
    /// How similar what is bought is; 0 until all are selected.
    pub(crate) nearness: f64,
    /// The record_ids of other records of the same contract.
    pub(crate) merged: Vec<String>,
    pub(crate) identity: ContractIdentity,
}

/// A title with more bytes is the text of a whole notice. Notices of one buyer have the same standard
/// conditions, so they are similar whatever is bought.
const MAX_TITLE_BYTES: usize = 300;

/// Solicitation numbers with fewer bytes are the start of too many unrelated numbers.
const MIN_PREFIX_BYTES: usize = 6;

impl ComparedContract {
    /// Compares a record with the item. `None` if the record has no price, belongs to the item's
    /// own solicitation, or has nothing in common with the item.
    pub(crate) fn read(entity_type: EntityType, bytes: &Bytes, item: &mut PreparedItem) -> Option<ComparedContract> {
        let schema = Schema::of(entity_type);
        let record = Record::parse(schema, bytes).ok()?;
        let (date, value) = date_and_price(&record)?;
        let facts = PurchaseFacts::of_record(&record);
        let identity = ContractIdentity::of(&record, value);
        if is_same_solicitation(&item.facts.numbers, facts.numbers.iter().chain(&identity.numbers)) {
            return None;
        }
        let purchase_text = PurchaseText::of_record(&record, schema, &mut item.lexicon);
        let number = CONTRACT_TYPES.iter().position(|other| *other == entity_type)?;
        let similarity = item
            .text
            .similarity(&purchase_text, &item.term_weights[number].squared_idf);
        let (ours, theirs) = (&item.facts, &facts);
        let text = |names: &[&str]| names.iter().find_map(|name| record.text(name)).map(str::to_owned);
        let mut contract = ComparedContract {
            entity_type,
            record: bytes.clone(),
            id: record.id().to_owned(),
            date,
            end_date: record.text("end_date").and_then(|day| Date::parse_prefix(day).ok()),
            value,
            title: text(&["title_en", "title_fr", "description_en", "description_fr"]),
            vendor: text(&["vendor_name", "supplier_legal_name"]).filter(|name| !name.trim().is_empty()),
            similarity,
            same_buyer: theirs.buyers.iter().any(|buyer| item.buyer_keys.contains(buyer)),
            code_match: code_match(&ours.codes, &theirs.codes),
            same_category: ours.categories.is_empty() || ours.categories.iter().any(|c| theirs.categories.contains(c)),
            same_government_level: ours.government_level.is_none() || ours.government_level == theirs.government_level,
            same_method: item.is_record && ours.method == theirs.method,
            same_terms: item.is_record && ours.terms == theirs.terms,
            same_province: ours.province.is_some() && ours.province == theirs.province,
            // Set below, once the rest is known.
            level: MatchLevel::CategoryAndGovernmentLevel,
            weight: 0.0,
            nearness: 0.0,
            merged: Vec::new(),
            identity,
        };
        contract.level = MatchLevel::ALL
            .into_iter()
            .find(|level| contract.matches_at(*level, ours))?;
        Some(contract)
    }

    fn matches_at(&self, level: MatchLevel, item: &PurchaseFacts) -> bool {
        match level {
            MatchLevel::BuyerAndTitle => self.same_buyer && self.similarity >= NEAR_SAME_TEXT,
            MatchLevel::BuyerAndCode => self.same_buyer && self.code_match == CodeMatch::Code,
            MatchLevel::Code => self.code_match == CodeMatch::Code,
            MatchLevel::CodeClass => self.code_match >= CodeMatch::Class,
            MatchLevel::CodeFamily => self.code_match >= CodeMatch::Family,
            MatchLevel::CategoryAndText => self.same_category && self.has_similar_text(),
            MatchLevel::CategoryAndGovernmentLevel => {
                let is_stated = !item.categories.is_empty() || item.government_level.is_some();
                is_stated && self.same_category && self.same_government_level
            }
        }
    }

    pub(crate) fn has_similar_text(&self) -> bool {
        self.similarity >= SIMILAR_TEXT
    }

    /// Whether the contract is for the same need of the same buyer, as far as the records state it:
    /// the buyer is the same, and the code or the title.
    pub(crate) fn is_same_need(&self, item: &PreparedItem) -> bool {
        let lacks_text = item.text.is_empty() || self.title.is_none();
        let same_code = self.code_match == CodeMatch::Code && (lacks_text || self.has_similar_text());
        let has_short_title = self.title.as_ref().is_some_and(|title| title.len() <= MAX_TITLE_BYTES);
        self.same_buyer && (same_code || has_short_title && self.similarity >= NEAR_SAME_TEXT)
    }

    /// The decimal logarithm of the value.
    pub(crate) fn log_value(&self) -> f64 {
        self.value.log10()
    }
}

/// Whether one of the item's numbers equals a number of the contract, or is the start of one: a
/// contract number is often the solicitation number with a suffix. The numbers are folded, so a
/// suffix begins with a blank.
fn is_same_solicitation<'n>(ours: &[String], mut theirs: impl Iterator<Item = &'n String>) -> bool {
    theirs.any(|their| {
        ours.iter().any(|our| {
            let suffix = their.strip_prefix(our.as_str());
            their == our || our.len() >= MIN_PREFIX_BYTES && suffix.is_some_and(|suffix| suffix.starts_with(' '))
        })
    })
}
