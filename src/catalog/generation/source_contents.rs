//! What the manifest states of the records of one source: how many there are of each year, and how many of them have a
//! value, a supplier and so on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::{Record, Role, Schema};

/// The records of a source and an entity type.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct SourceContents {
    pub(crate) source_id: String,
    /// Records by the year of their event date, the first year first. Records without a date are in none.
    pub(crate) years: BTreeMap<i32, u64>,
    /// Records that have a part. An entity type without the part has no entry.
    pub(crate) parts: BTreeMap<RecordPart, u64>,
    /// Where its suppliers are, if that is another country for all or nearly all records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) abroad: Option<Abroad>,
}

/// The country of the suppliers of a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Abroad {
    /// As records state it: ISO 3166-1 alpha-2 where known.
    pub(crate) country: String,
    /// Whether each record states it.
    pub(crate) is_all: bool,
}

/// One in so many records may state another country, or none.
const EXCEPTION_IN: u64 = 100;

impl Abroad {
    /// `countries` are the numbers of records by the country that they state, of so many records.
    pub(crate) fn of(countries: &BTreeMap<String, u64>, records: u64) -> Option<Abroad> {
        let (country, count) = countries.iter().max_by_key(|(_, count)| **count)?;
        let others = records.saturating_sub(*count);
        let is_nearly_all = others.saturating_mul(EXCEPTION_IN) <= records;
        (is_nearly_all && country != "CA").then(|| Abroad {
            country: country.clone(),
            is_all: others == 0,
        })
    }
}

/// What a reader looks for in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RecordPart {
    Date,
    /// A title or a description.
    Subject,
    Value,
    Buyer,
    Supplier,
    CommodityCode,
    ClosingDate,
}

impl RecordPart {
    pub(crate) const ALL: [RecordPart; 7] = [
        RecordPart::Date,
        RecordPart::Subject,
        RecordPart::Value,
        RecordPart::Buyer,
        RecordPart::Supplier,
        RecordPart::CommodityCode,
        RecordPart::ClosingDate,
    ];

    /// The name in the manifest, and the end of the keys of its texts.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            RecordPart::Date => "date",
            RecordPart::Subject => "subject",
            RecordPart::Value => "value",
            RecordPart::Buyer => "buyer",
            RecordPart::Supplier => "supplier",
            RecordPart::CommodityCode => "commodity_code",
            RecordPart::ClosingDate => "closing_date",
        }
    }

    const fn role(self) -> Role {
        match self {
            RecordPart::Date => Role::Date,
            RecordPart::Subject => Role::Subject,
            RecordPart::Value => Role::Value,
            RecordPart::Buyer => Role::Department,
            RecordPart::Supplier => Role::Vendor,
            RecordPart::CommodityCode => Role::Commodity,
            RecordPart::ClosingDate => Role::ClosingDate,
        }
    }

    /// Whether records of an entity type can have the part.
    pub(crate) fn is_of(self, schema: &Schema) -> bool {
        schema.has_role(self.role())
    }

    /// Whether a record has the part: a text that is not blank, or a number.
    pub(crate) fn is_in(self, record: &Record) -> bool {
        match self {
            RecordPart::Value => record.value().is_some(),
            RecordPart::Date | RecordPart::ClosingDate => record.date(self.role()).is_some(),
            _ => record.texts(self.role()).any(|text| !text.trim().is_empty()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::EntityType;

    #[test]
    fn a_country_of_nearly_all_suppliers_is_stated_unless_it_is_canada() {
        let abroad = |countries: &[(&str, u64)], records| {
            let countries = countries.iter().map(|(country, count)| ((*country).to_owned(), *count));
            let abroad = Abroad::of(&countries.collect(), records)?;
            Some((abroad.country, abroad.is_all))
        };
        let us = |is_all| Some(("US".to_owned(), is_all));
        for (countries, records, expected) in [
            (&[("US", 200)][..], 200, us(true)),
            (&[("CA", 2), ("US", 198)], 200, us(false)),
            (&[("US", 198)], 200, us(false)),
            (&[("CA", 3), ("US", 197)], 200, None),
            (&[("CA", 200)], 200, None),
            (&[], 200, None),
        ] {
            assert_eq!(abroad(countries, records), expected, "{countries:?}");
        }
    }

    #[test]
    fn a_part_is_found_in_any_field_of_its_role() {
        let schema = Schema::of(EntityType::Contract);
        let json = r#"{"record_id":"1","description_fr":"Neige","contract_value":0,"vendor_name":" ","award_date":"2024-01-02"}"#;
        let record = Record::parse(schema, json.as_bytes()).unwrap();
        let parts: Vec<&str> = RecordPart::ALL
            .into_iter()
            .filter(|part| part.is_in(&record))
            .map(RecordPart::name)
            .collect();
        assert_eq!(parts, ["date", "subject", "value"]);
        assert!(!RecordPart::ClosingDate.is_of(schema) && RecordPart::Supplier.is_of(schema));
    }

    #[test]
    fn a_part_has_the_same_name_in_the_manifest() {
        for part in RecordPart::ALL {
            assert_eq!(serde_json::to_value(part).unwrap(), part.name());
        }
        let contents = SourceContents {
            source_id: "a".to_owned(),
            years: BTreeMap::from([(2024, 5)]),
            parts: BTreeMap::from([(RecordPart::Value, 3)]),
            abroad: None,
        };
        let json = serde_json::to_string(&contents).unwrap();
        assert_eq!(
            serde_json::from_str::<SourceContents>(&json).unwrap(),
            contents,
            "{json}"
        );
    }
}
