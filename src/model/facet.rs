//! Facets: what records are counted by, in statistics, profiles and searches.
//!
//! A record has one *entry* for each facet: a list of texts, often one, empty where the record has
//! none. The index stores entries. Which entries are the same value (spellings of a vendor, the two
//! names of a department) is decided when an index is opened.

use serde::Serialize;

use crate::model::{
    commodity,
    record::{Record, query_key},
    role::Role,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Facet {
    Status,
    Category,
    Municipality,
    /// The first name of the department that a record states.
    #[serde(rename = "department")]
    NamedDepartment,
    Vendor,
    ProcurementMethod,
    NoticeType,
    GovernmentLevel,
    Province,
    /// The year of the event date.
    Year,
    /// The names of the declared fields that a record has.
    Fields,
    /// Commodity keys: each code of a record, and all its ancestors.
    Commodity,
    /// What is doubtful about a record, or that nothing is.
    QualityFlag,
    /// The currency of the value.
    Currency,
    /// Every organization that a record names as its buyer: the buyer and its division. The names,
    /// profiles and filters of departments use this facet.
    #[serde(rename = "buyer")]
    Department,
    /// How many bids were received: the number that a record states, else that of the bidders of its notice, after
    /// [`LISTED`].
    Bids,
    /// Who could bid.
    Competition,
    /// The class of the buyer.
    BodyClass,
    /// The vendors' suppliers. No index stores it: the vendors of a generation are counted, and joined by the suppliers
    /// that they are names of.
    Supplier,
    /// The public bodies of the departments. No index stores it: the combinations of departments that records name are
    /// counted ([`Facet::Department`]), and joined by the bodies that they are names of.
    Body,
}

impl Facet {
    /// The facets that an index stores.
    pub const ALL: [Facet; 18] = [
        Facet::Status,
        Facet::Category,
        Facet::Municipality,
        Facet::NamedDepartment,
        Facet::Vendor,
        Facet::ProcurementMethod,
        Facet::NoticeType,
        Facet::GovernmentLevel,
        Facet::Province,
        Facet::Year,
        Facet::Fields,
        Facet::Commodity,
        Facet::QualityFlag,
        Facet::Currency,
        Facet::Department,
        Facet::Bids,
        Facet::Competition,
        Facet::BodyClass,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Facet::Status => "status",
            Facet::Category => "category",
            Facet::Municipality => "municipality",
            Facet::NamedDepartment => "department",
            Facet::Vendor => "vendor",
            Facet::ProcurementMethod => "procurement_method",
            Facet::NoticeType => "notice_type",
            Facet::GovernmentLevel => "level",
            Facet::Province => "province",
            Facet::Year => "year",
            Facet::Fields => "fields",
            Facet::Commodity => "commodity",
            Facet::QualityFlag => "quality_flag",
            Facet::Currency => "currency",
            Facet::Department => "buyer",
            Facet::Bids => "bids",
            Facet::Competition => "competition",
            Facet::BodyClass => "body_class",
            Facet::Supplier => "supplier",
            Facet::Body => "body",
        }
    }

    /// The facet whose entries an index stores for this one.
    pub(crate) const fn stored(self) -> Facet {
        match self {
            Facet::Supplier => Facet::Vendor,
            Facet::Body => Facet::Department,
            stored => stored,
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Facet> {
        let mut all = Facet::ALL.into_iter().chain([Facet::Supplier, Facet::Body]);
        all.find(|facet| facet.name() == name)
    }

    /// The texts of a record. For a department: its English and its French name, in this order; one
    /// of them may be empty. A buyer's name without a language counts as French, because that finds
    /// the English name where another record has both.
    ///
    /// For a buyer: the same two names of the department, the buyer's name, and [`DIVISION`] where the
    /// department is a division of the buyer.
    pub fn entry(self, record: &Record) -> Vec<String> {
        let field = |name: &str| record.text(name).map(str::trim).filter(|text| !text.is_empty());
        let one = |text: Option<&str>| text.map(str::to_owned).into_iter().collect();
        match self {
            Facet::Status => keys(record, Role::Status),
            Facet::Category => keys(record, Role::Category),
            Facet::Municipality => keys(record, Role::Municipality),
            Facet::NamedDepartment => {
                let (english, mut french) = (field("department_en"), field("department_fr"));
                if english.is_none() && french.is_none() {
                    french = field("buyer_name");
                }
                if english.is_none() && french.is_none() {
                    return Vec::new();
                }
                [english, french].map(|name| name.unwrap_or("").to_owned()).into()
            }
            Facet::Vendor | Facet::Supplier => one(field("vendor_name")),
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
            Facet::Commodity => commodities(record),
            Facet::QualityFlag => keys(record, Role::QualityFlag),
            Facet::Competition => keys(record, Role::Competition),
            Facet::BodyClass => keys(record, Role::BodyClass),
            Facet::Currency => one(record.currency()),
            Facet::Department | Facet::Body => buyers(record),
            Facet::Bids => bids(record).into_iter().collect(),
        }
    }

    /// Writes what alone decides the [entry](Facet::entry) into `sources`: texts, each after its name.
    pub(crate) fn sources(self, record: &Record, sources: &mut Vec<u8>) {
        sources.clear();
        if self == Facet::Fields {
            return record.write_presence(sources);
        }
        let mut add = |name: &str, text: &str| {
            for part in [name, text] {
                sources.extend_from_slice(part.as_bytes());
                // No text has this byte.
                sources.push(0xff);
            }
        };
        let names = ["department_en", "department_fr", "buyer_name", "government_level"];
        let (fields, role): (&[&str], _) = match self {
            Facet::Status => (&[], Some(Role::Status)),
            Facet::Category => (&[], Some(Role::Category)),
            Facet::Municipality => (&[], Some(Role::Municipality)),
            Facet::ProcurementMethod => (&[], Some(Role::ProcurementMethod)),
            Facet::Competition => (&[], Some(Role::Competition)),
            Facet::BodyClass => (&[], Some(Role::BodyClass)),
            Facet::NoticeType => (&[], Some(Role::NoticeType)),
            Facet::Year => (&[], Some(Role::Date)),
            Facet::Commodity => (&[], Some(Role::Commodity)),
            Facet::NamedDepartment => (&names[..3], None),
            Facet::Department | Facet::Body => (&names, None),
            Facet::Vendor | Facet::Supplier => (&["vendor_name"], None),
            Facet::GovernmentLevel => (&names[3..], None),
            Facet::Province => (&["province"], None),
            Facet::Bids => (&["number_of_bids"], None),
            Facet::Fields | Facet::QualityFlag | Facet::Currency => (&[], None),
        };
        match self {
            Facet::QualityFlag => record.quality_flags().for_each(|flag| add("", flag)),
            Facet::Currency => record.currency().into_iter().for_each(|currency| add("", currency)),
            Facet::Bids => {
                let listed = record.listed_bidders();
                listed.into_iter().for_each(|bidders| add(LISTED, &bidders.to_string()));
            }
            _ => {}
        }
        for field in fields {
            if let Some(text) = record.text(field) {
                add(field, text);
            }
        }
        if let Some(role) = role {
            record.named_texts(role).for_each(|(name, text)| add(name, text));
        }
    }

    /// The role of the fields that a value is a text of; `None` for other values.
    pub(crate) fn role(self) -> Option<Role> {
        match self {
            Facet::Vendor | Facet::Supplier => Some(Role::Vendor),
            Facet::NamedDepartment | Facet::Department | Facet::Body => Some(Role::Department),
            Facet::ProcurementMethod => Some(Role::ProcurementMethod),
            Facet::NoticeType => Some(Role::NoticeType),
            _ => None,
        }
    }

    /// Texts with the same key are the same value. For a department: the key of either name; which
    /// one is used depends on the whole collection.
    pub fn key(self, text: &str) -> String {
        let Some(role) = self.role() else {
            return text.to_owned();
        };
        let key = query_key(role, text);
        // A name without letters and digits is still a name.
        if key.is_empty() { text.to_owned() } else { key }
    }
}

/// The last text of an entry of [`Facet::Department`] whose department is a division of the buyer. No
/// position of a name.
pub const DIVISION: &str = "division";

fn buyers(record: &Record) -> Vec<String> {
    let names = ["department_en", "department_fr", "buyer_name"];
    let names = names.map(|name| record.text(name).unwrap_or("").trim().to_owned());
    if names.iter().all(String::is_empty) {
        return Vec::new();
    }
    let mut entry = Vec::from(names);
    // A federal notice names the department that a purchase is for, and the one that buys for it.
    // Neither is a part of the other.
    let is_federal = record.text("government_level") == Some("federal");
    if !entry[2].is_empty() && !is_federal {
        entry.push(DIVISION.to_owned());
    }
    entry
}

/// Begins a value of [`Facet::Bids`] that is the number of bidders of a notice.
pub(crate) const LISTED: &str = "listed ";

fn bids(record: &Record) -> Option<String> {
    let stated = record
        .text("number_of_bids")
        .and_then(|text| text.trim().parse::<u32>().ok());
    // What was awarded had a bid: zero states nothing.
    if let Some(stated) = stated.filter(|bids| *bids > 0) {
        return Some(stated.to_string());
    }
    record.listed_bidders().map(|bidders| format!("{LISTED}{bidders}"))
}

/// The distinct keys of all codes of a record and their ancestors.
fn commodities(record: &Record) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    for (field, text) in record.named_texts(Role::Commodity) {
        for key in commodity::keys_with_ancestors(field, text) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
    }
    keys.sort_unstable();
    keys
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
            (Facet::NamedDepartment, &["", "Défense"]),
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
    fn a_record_names_its_buyer_and_the_division() {
        let entry = |members: &str| -> Vec<String> {
            let line = format!(r#"{{"record_id":"1",{members}}}"#);
            let record = Record::parse(Schema::of(EntityType::Contract), line.as_bytes()).unwrap();
            Facet::Department.entry(&record)
        };
        for (members, expected) in [
            (
                r#""department_en":"Water","buyer_name":" City of Toronto ""#,
                &["Water", "", "City of Toronto", DIVISION][..],
            ),
            (
                r#""department_en":"Defence","department_fr":"Défense","buyer_name":"PSPC","government_level":"federal""#,
                &["Defence", "Défense", "PSPC"],
            ),
            (r#""department_fr":"Défense""#, &["", "Défense", ""]),
            (r#""department_fr":" ""#, &[]),
        ] {
            assert_eq!(entry(members), expected, "{members}");
        }
    }

    #[test]
    fn a_record_has_its_codes_currency_bids_and_flags() {
        let entries = |entity_type: EntityType, members: &str| -> [Vec<String>; 4] {
            let line = format!(r#"{{"record_id":"1"{members}}}"#);
            let record = Record::parse(Schema::of(entity_type), line.as_bytes()).unwrap();
            [Facet::Commodity, Facet::Currency, Facet::Bids, Facet::QualityFlag].map(|facet| facet.entry(&record))
        };
        let [commodity, currency, bids, flags] = entries(
            EntityType::Disclosure,
            r#","commodity_code":"72101700, 72101799","economic_object_code":"430","contract_value":5,"number_of_bids":"03","quality_flags":["no_vendor"]"#,
        );
        assert_eq!(
            commodity,
            [
                "object:04",
                "object:0430",
                "unspsc:72",
                "unspsc:7210",
                "unspsc:721017",
                "unspsc:72101799"
            ]
        );
        assert_eq!((currency, bids), (vec!["CAD".to_owned()], vec!["3".to_owned()]));
        assert_eq!(flags, ["no_vendor"]);
        let [commodity, currency, bids, flags] = entries(EntityType::Disclosure, r#","number_of_bids":"0""#);
        assert_eq!((commodity, currency, bids), (vec![], vec![], vec![]));
        assert_eq!(flags, ["none"]);
        let line = |stated: &str| format!(r#"{{"record_id":"1","number_of_bids":"{stated}"}}"#);
        for (stated, expected) in [("2", "2"), ("0", "listed 5"), ("several", "listed 5")] {
            let line = line(stated);
            let record = Record::parse(Schema::of(EntityType::Disclosure), line.as_bytes()).unwrap();
            assert_eq!(Facet::Bids.entry(&record.with_listed_bidders(Some(5))), [expected]);
        }
        let [_, currency, ..] = entries(EntityType::Tender, r#","contract_value":5,"currency":"USD""#);
        assert_eq!(currency, ["USD"]);
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
