//! The documents of the cluster: one for each record.

use serde::{Serialize, Serializer, ser::SerializeMap};

use super::{
    facet_codes::FacetCodes,
    mapping::{self, NO_DATE, facet_code, facet_field, record},
    stored_money,
};
use crate::{
    engine::{aggregation::Money, purchase_words::described_terms, relevance::index_terms},
    model::{Facet, Record, Role, Schema, fold::words, role::RoleStorage},
};

/// A record, as the index of its entity type gets it.
pub(crate) struct RecordDocument<'a> {
    pub(crate) schema: &'static Schema,
    pub(crate) record: &'a Record<'a>,
    /// The JSON of the record.
    pub(crate) json: &'a str,
    /// The number of the record in the default order.
    pub(crate) number: u64,
    pub(crate) codes: &'a FacetCodes,
}

impl Serialize for RecordDocument<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut document = serializer.serialize_map(None)?;
        for role in mapping::roles(self.schema) {
            serialize_role(&mut document, role, self.record)?;
        }
        if let Some(original) = amended_value(self.record) {
            serialize_amount(&mut document, record::ORIGINAL_VALUE, original)?;
            document.serialize_entry(record::AMENDABLE, &true)?;
        }
        serialize_relevance(&mut document, self.record)?;
        for facet in Facet::ALL {
            if let Some(code) = self.codes.code(facet, self.record) {
                document.serialize_entry(&facet_field(facet), &facet_code(code))?;
            }
        }
        document.serialize_entry(record::NUMBER, &self.number)?;
        document.serialize_entry(record::BYTES, &self.json.len())?;
        document.serialize_entry(record::RECORD, self.json)?;
        document.end()
    }
}

fn serialize_role<M: SerializeMap>(document: &mut M, role: Role, record: &Record) -> Result<(), M::Error> {
    match role {
        Role::RecordId => document.serialize_entry(role.name(), record.id()),
        _ if role.storage() == RoleStorage::Day => {
            let days = record.date(role).map_or(NO_DATE, |day| day.days());
            document.serialize_entry(role.name(), &days)
        }
        Role::Value => match record.value() {
            Some(value) => serialize_value(document, value, record.is_in_canadian_dollars()),
            None => Ok(()),
        },
        Role::Text => {
            let texts: Vec<String> = record.texts(role).map(joined_words).collect();
            serialize_texts(document, role, &texts)
        }
        Role::Subject => {
            let mut terms = Vec::new();
            record.similarity_terms(|term| terms.push(term.to_owned()));
            terms.sort_unstable();
            terms.dedup();
            serialize_texts(document, role, &terms)
        }
        _ => serialize_texts(document, role, &record.keys(role)),
    }
}

/// The value before amendments, if it can be compared with the value.
fn amended_value(record: &Record) -> Option<f64> {
    record.value()?;
    record.original_value().filter(|_| record.is_in_canadian_dollars())
}

fn serialize_value<M: SerializeMap>(document: &mut M, value: f64, is_canadian: bool) -> Result<(), M::Error> {
    // Adding zero turns -0.0 into 0.0.
    let value = value + 0.0;
    document.serialize_entry(Role::Value.name(), &value)?;
    if is_canadian {
        return serialize_amount(document, record::VALUE, value);
    }
    document.serialize_entry(record::FOREIGN, &true)?;
    serialize_amount(document, record::FOREIGN_VALUE, value)
}

fn serialize_amount<M: SerializeMap>(document: &mut M, fields: record::Amount, amount: f64) -> Result<(), M::Error> {
    let [names @ .., of_implausible] = fields;
    let (millionths, implausible) = Money::of(amount).parts();
    for (name, part) in names.into_iter().zip(stored_money::split(millionths)) {
        if part != 0 {
            document.serialize_entry(name, &part)?;
        }
    }
    if implausible != 0.0 {
        document.serialize_entry(of_implausible, &implausible)?;
    }
    Ok(())
}

fn serialize_relevance<M: SerializeMap>(document: &mut M, record: &Record) -> Result<(), M::Error> {
    let mut terms = Vec::new();
    index_terms(record, |term| terms.push(term.to_owned()));
    described_terms(record, |term| terms.push(term.to_owned()));
    terms.sort_unstable();
    terms.dedup();
    if terms.is_empty() {
        return Ok(());
    }
    document.serialize_entry(record::RELEVANCE, &terms)
}

/// A role without a text has no member.
fn serialize_texts<M: SerializeMap, T: AsRef<str> + Serialize>(
    document: &mut M,
    role: Role,
    texts: &[T],
) -> Result<(), M::Error> {
    if texts.iter().all(|text| text.as_ref().is_empty()) {
        return Ok(());
    }
    document.serialize_entry(role.name(), texts)
}

/// The folded words of a text, joined by blanks: the whitespace analyzer splits them again.
fn joined_words(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    words(text, |word| {
        if !joined.is_empty() {
            joined.push(' ');
        }
        joined.push_str(word);
    });
    joined
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::model::EntityType;

    fn document(entity_type: EntityType, json: &str) -> Value {
        let schema = Schema::of(entity_type);
        let record = Record::parse(schema, json.as_bytes()).unwrap();
        let mut codes = FacetCodes::default();
        codes.insert(Facet::Vendor, Facet::Vendor.entry(&record), 10);
        let document = RecordDocument {
            schema,
            record: &record,
            json,
            number: 7,
            codes: &codes,
        };
        let line = serde_json::to_string(&document).unwrap();
        assert!(!line.contains('\n'));
        serde_json::from_str(&line).unwrap()
    }

    #[test]
    fn a_record_becomes_keys_words_numbers_and_its_own_bytes() {
        let json = r#"{"record_id":"a|1","award_date":"1970-01-03","contract_value":1234567.25,"title_en":"Les routes d'hiver","title_fr":"*","vendor_name":"Léo & Fils","unknown":[1.50]}"#;
        let document = document(EntityType::Award, json);
        assert_eq!(document["record"], json);
        assert_eq!(document["record_bytes"], json.len());
        assert_eq!(document["record_number"], 7);
        assert_eq!(document["record_id"], "a|1");
        assert_eq!(document["date"], 2);
        assert_eq!(document["value"], 1_234_567.25);
        assert_eq!(document["value_millionths"], 250_000);
        assert_eq!(document["value_dollars"], 234_567);
        assert_eq!(document["value_millions"], 1);
        assert_eq!(document.get("value_trillions"), None);
        assert_eq!(document["vendor"], json!(["leo & fils"]));
        assert_eq!(document["facet_vendor"], "0000000a");
        assert_eq!(document.get("facet_status"), None);
        let texts: Vec<&str> = document["text"]
            .as_array()
            .unwrap()
            .iter()
            .map(|t| t.as_str().unwrap())
            .collect();
        assert!(texts.contains(&"les routes hiver"), "{texts:?}");
        let known = IndexFields::of(EntityType::Award);
        for name in document.as_object().unwrap().keys() {
            assert!(known.0.contains(name), "{name} is not in the mapping");
        }
    }

    /// The field names of a mapping.
    struct IndexFields(Vec<String>);

    impl IndexFields {
        fn of(entity_type: EntityType) -> IndexFields {
            let mapping = mapping::of(entity_type);
            IndexFields(mapping["properties"].as_object().unwrap().keys().cloned().collect())
        }
    }

    #[test]
    fn what_a_record_lacks_is_left_out_except_dates() {
        let document = document(EntityType::Tender, r#"{"record_id":"t"}"#);
        assert_eq!(document["date"], NO_DATE);
        assert_eq!(document["closing_date"], NO_DATE);
        for name in ["value", "text", "vendor", "department", "subject"] {
            assert_eq!(document.get(name), None, "{name}");
        }
    }

    #[test]
    fn amounts_in_another_currency_have_fields_of_their_own() {
        let of = |currency: &str| {
            let json = format!(
                r#"{{"record_id":"d","contract_value":12.5,"original_value":3000000,"currency":"{currency}"}}"#
            );
            document(EntityType::Disclosure, &json)
        };
        let (canadian, foreign) = (of("CAD"), of("USD"));
        for (document, present, absent) in [(&canadian, "value", "foreign"), (&foreign, "foreign", "value")] {
            assert_eq!(document["value"], 12.5);
            assert_eq!(document[format!("{present}_dollars")], 12);
            assert_eq!(document.get(format!("{absent}_dollars")), None);
        }
        assert_eq!(canadian.get("is_foreign"), None);
        assert_eq!(foreign["is_foreign"], true);
        assert_eq!(canadian["original_millions"], 3);
        assert_eq!(canadian["is_amendable"], true);
        assert_eq!(foreign.get("original_millions"), None);
        let without = document(EntityType::Disclosure, r#"{"record_id":"d","original_value":3}"#);
        assert_eq!(without.get("is_amendable"), None);
        for document in [&canadian, &foreign] {
            let known = IndexFields::of(EntityType::Disclosure);
            for name in document.as_object().unwrap().keys() {
                assert!(known.0.contains(name), "{name} is not in the mapping");
            }
        }
    }

    #[test]
    fn the_terms_of_the_order_by_relevance_are_distinct() {
        let document = document(
            EntityType::Award,
            r#"{"record_id":"a","title_en":"Road road","title_fr":"Road"}"#,
        );
        assert_eq!(document["relevance"], json!(["road+road", "road/a"]));
    }

    #[test]
    fn a_word_of_a_name_and_of_a_title_has_a_term_of_its_own() {
        let document = document(
            EntityType::Award,
            r#"{"record_id":"a","title_en":"Road","vendor_name":"Road Bros","buyer_name":"Bros"}"#,
        );
        assert_eq!(
            document["relevance"],
            json!(["bros/n", "bros/o", "road/=", "road/a", "road/n"])
        );
    }
}
