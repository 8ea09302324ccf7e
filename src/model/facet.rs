//! Facets: what records are counted by, in statistics, profiles and searches.
//!
//! A record has one *entry* for each facet: a list of texts, often one, empty where the record has
//! none. The index stores entries. Which entries are the same value (spellings of a vendor, the two
//! names of a department) is decided when an index is opened.

use serde::Serialize;

use crate::model::{
    record::{Record, query_key},
    schema::Role,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Facet {
    Status,
    Category,
    Municipality,
    Department,
    Vendor,
    ProcurementMethod,
    NoticeType,
    GovernmentLevel,
    Province,
    /// The year of the event date.
    Year,
    /// The names of the declared fields that a record has.
    Fields,
}

impl Facet {
    pub const ALL: [Facet; 11] = [
        Facet::Status,
        Facet::Category,
        Facet::Municipality,
        Facet::Department,
        Facet::Vendor,
        Facet::ProcurementMethod,
        Facet::NoticeType,
        Facet::GovernmentLevel,
        Facet::Province,
        Facet::Year,
        Facet::Fields,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Facet::Status => "status",
            Facet::Category => "category",
            Facet::Municipality => "municipality",
            Facet::Department => "department",
            Facet::Vendor => "vendor",
            Facet::ProcurementMethod => "procurement_method",
            Facet::NoticeType => "notice_type",
            Facet::GovernmentLevel => "government_level",
            Facet::Province => "province",
            Facet::Year => "year",
            Facet::Fields => "fields",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Facet> {
        Facet::ALL.into_iter().find(|facet| facet.name() == name)
    }

    /// The texts of a record. For a department: its English and its French name, in this order; one
    /// of them may be empty. A buyer's name without a language counts as French, because that finds
    /// the English name where another record has both.
    pub fn entry(self, record: &Record) -> Vec<String> {
        let field = |name: &str| record.text(name).map(str::trim).filter(|text| !text.is_empty());
        let one = |text: Option<&str>| text.map(str::to_owned).into_iter().collect();
        match self {
            Facet::Status => keys(record, Role::Status),
            Facet::Category => keys(record, Role::Category),
            Facet::Municipality => keys(record, Role::Municipality),
            Facet::Department => {
                let (english, mut french) = (field("department_en"), field("department_fr"));
                if english.is_none() && french.is_none() {
                    french = field("buyer_name");
                }
                if english.is_none() && french.is_none() {
                    return Vec::new();
                }
                [english, french].map(|name| name.unwrap_or("").to_owned()).into()
            }
            Facet::Vendor => one(field("vendor_name")),
            Facet::ProcurementMethod => one(first(record, Role::ProcurementMethod)),
            // In both languages, because the filter accepts either.
            Facet::NoticeType => texts(record, Role::NoticeType),
            Facet::GovernmentLevel => one(field("government_level")),
            Facet::Province => one(field("province")),
            Facet::Year => record
                .date(Role::Date)
                .map(|day| day.to_string().chars().take(4).collect())
                .into_iter()
                .collect(),
            Facet::Fields => record.fields().map(str::to_owned).collect(),
        }
    }

    /// Texts with the same key are the same value. For a department: the key of either name; which
    /// one is used depends on the whole collection.
    pub fn key(self, text: &str) -> String {
        let role = match self {
            Facet::Vendor => Role::Vendor,
            Facet::Department => Role::Department,
            Facet::ProcurementMethod => Role::ProcurementMethod,
            Facet::NoticeType => Role::NoticeType,
            _ => return text.to_owned(),
        };
        let key = query_key(role, text);
        // A name without letters and digits is still a name.
        if key.is_empty() { text.to_owned() } else { key }
    }
}

fn keys(record: &Record, role: Role) -> Vec<String> {
    record.keys(role).into_iter().map(|key| key.into_owned()).collect()
}

/// The distinct texts of a role, compared by key.
fn texts(record: &Record, role: Role) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for text in record.texts(role).map(str::trim).filter(|text| !text.is_empty()) {
        let key = query_key(role, text);
        if texts.iter().all(|known| query_key(role, known) != key) {
            texts.push(text.to_owned());
        }
    }
    texts
}

fn first<'a>(record: &'a Record, role: Role) -> Option<&'a str> {
    record.texts(role).map(str::trim).find(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{entity_type::EntityType, schema::Schema};

    #[test]
    fn a_record_has_one_entry_for_each_facet() {
        let line = r#"{"record_id":"1","award_date":"2024-03-05","vendor_name":" R&D Inc. ","department_fr":"Défense","buyer_name":"x",
            "procurement_category":"SRV,GD","procurement_method_fr":"Ouvert","procurement_method_en":" ","undeclared":1}"#
            .replace('\n', "");
        let record = Record::parse(Schema::of(EntityType::Contract), line.as_bytes()).unwrap();
        for (facet, expected) in [
            (Facet::Category, &["SRV", "GD"][..]),
            (Facet::Vendor, &["R&D Inc."]),
            (Facet::Department, &["", "Défense"]),
            (Facet::ProcurementMethod, &["Ouvert"]),
            (Facet::Year, &["2024"]),
            (Facet::Province, &[]),
            (Facet::NoticeType, &[]),
        ] {
            assert_eq!(facet.entry(&record), expected, "{}", facet.name());
        }
        let fields = Facet::Fields.entry(&record);
        assert!(fields.contains(&"vendor_name".to_owned()) && !fields.contains(&"undeclared".to_owned()));
    }

    #[test]
    fn facet_names_parse_back_and_keys_fold() {
        for facet in Facet::ALL {
            assert_eq!(Facet::parse(facet.name()), Some(facet));
        }
        assert_eq!(Facet::Vendor.key("R&D Inc."), "r&d inc");
        assert_eq!(Facet::Vendor.key("???"), "???");
        assert_eq!(Facet::Status.key("Open"), "Open");
    }
}
