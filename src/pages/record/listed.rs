//! A record as a row of a table that leads to its page.

use crate::{
    http::error::ApiError,
    model::{EntityType, Record, Role, Schema},
    pages::{
        address,
        bilingual::{self, Shown},
        format,
        messages::Texts,
    },
};

/// What a table shows of a record.
#[derive(Debug)]
pub(crate) struct ListedRecord {
    pub(crate) entity_type: EntityType,
    pub(crate) href: String,
    /// The title, else what identifies the record.
    pub(crate) title: Shown,
    pub(crate) buyer: Option<Shown>,
    pub(crate) supplier: Option<Shown>,
    pub(crate) date: Option<String>,
    /// In the currency of the record.
    pub(crate) value: Option<String>,
}

/// The maximum length of a title in a table, in characters.
const MAX_TITLE_CHARS: usize = 160;

impl ListedRecord {
    pub(crate) fn of(t: Texts, entity_type: EntityType, bytes: &[u8]) -> Result<ListedRecord, ApiError> {
        Ok(ListedRecord::of_record(t, entity_type, &parse(entity_type, bytes)?))
    }

    pub(crate) fn of_record(t: Texts, entity_type: EntityType, record: &Record) -> ListedRecord {
        let lang = t.language();
        let kind = t.keyed("record-kind-", entity_type.name());
        let untitled = || Shown::plain(t.with("record-untitled", &[("kind", &kind), ("id", &record.id())]));
        let mut title = bilingual::title(record, lang).unwrap_or_else(untitled);
        if let Some((end, _)) = title.text.char_indices().nth(MAX_TITLE_CHARS) {
            title.text.truncate(end);
            title.text.push('…');
        }
        let currency = record.text("currency").unwrap_or(format::CAD);
        ListedRecord {
            entity_type,
            href: address::record(lang, entity_type, record.id()),
            title,
            buyer: bilingual::buyer(record, lang),
            supplier: bilingual::supplier(record),
            date: record.date(Role::Date).map(|day| t.date(day)),
            value: record.value().map(|value| format::money(lang, value, currency)),
        }
    }
}

/// Parses a record of the index, which was parsed before when it was indexed.
pub(crate) fn parse(entity_type: EntityType, bytes: &[u8]) -> Result<Record<'_>, ApiError> {
    Record::parse(Schema::of(entity_type), bytes)
        .map_err(|why| ApiError::internal(format!("a record of the index cannot be parsed: {why}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Language;

    #[test]
    fn a_row_has_what_the_record_has() {
        let json = r#"{"record_id":"a/1","award_date":"2024-03-05","vendor_name":"A","department_fr":"Voirie","contract_value":5.5}"#;
        let row = ListedRecord::of(Texts::of(Language::English), EntityType::Contract, json.as_bytes()).unwrap();
        assert_eq!(row.href, "/en/record/contract/a%2F1");
        assert!(row.title.text.contains("a/1"));
        assert_eq!(row.buyer.unwrap().lang_code(), Some("fr"));
        assert_eq!(row.value.as_deref(), Some("$5.50"));
        assert_eq!(row.date.as_deref(), Some("March\u{a0}5, 2024"));
    }

    #[test]
    fn a_long_title_is_cut_at_a_character() {
        let json = format!(r#"{{"record_id":"1","title_fr":"{}"}}"#, "é".repeat(4_000));
        let row = ListedRecord::of(Texts::of(Language::French), EntityType::Tender, json.as_bytes()).unwrap();
        assert_eq!(row.title.text.chars().count(), MAX_TITLE_CHARS + 1);
    }
}
