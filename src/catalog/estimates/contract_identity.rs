//! The numbers, names and values that show that two records are of one contract.

use super::purchase_facts::is_distinctive;
use crate::model::{Date, Record, Role, fold::fold};

/// Folded legal forms in company names. One source writes them, another omits them.
const LEGAL_FORMS: [&str; 14] = [
    "inc",
    "incorporated",
    "ltd",
    "limited",
    "ltee",
    "limitee",
    "corp",
    "corporation",
    "co",
    "company",
    "llc",
    "llp",
    "enr",
    "senc",
];

/// The folded name of a supplier without its legal form; with it if there is nothing else.
pub(crate) fn vendor_key(name: &str) -> String {
    let folded = fold(name);
    let words: Vec<&str> = folded.split(' ').filter(|word| !LEGAL_FORMS.contains(word)).collect();
    if words.is_empty() { folded } else { words.join(" ") }
}

/// What identifies a contract. Two records are of one contract
///
/// - if they are of different entity types, and have the same number and the same vendor or value;
/// - if they are of different entity types, and have the same vendor, day and value;
/// - if they are of one entity type, and have the same `contract_number` and the same vendor or
///   value: these are amendments. (`normalize` has already merged what one source publishes twice.)
#[derive(Debug)]
pub(crate) struct ContractIdentity {
    /// The `contract_number`, folded.
    pub(crate) contract_number: Option<String>,
    /// All numbers that may identify the contract, folded; `contract_number` is one of them.
    pub(crate) numbers: Vec<String>,
    /// The vendor's key, or empty.
    vendor: String,
    /// The value in cents.
    cents: i64,
    /// The date and number of the amendment, as texts that sort in the order of time; empty for none.
    pub(crate) amendment: (String, String),
}

/// One of the two facts that two records of a contract share in addition to a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum VendorOrValue<'a> {
    Vendor(&'a str),
    Cents(i64),
}

impl ContractIdentity {
    pub(crate) fn of(record: &Record, value: f64) -> ContractIdentity {
        let number = |field: &str| record.text(field).map(fold).filter(|number| is_distinctive(number));
        let text = |field: &str| record.text(field).unwrap_or_default().to_owned();
        let fields = ["contract_number", "contract_id", "procurement_id", "reference_number"];
        ContractIdentity {
            contract_number: number("contract_number"),
            numbers: fields.iter().filter_map(|field| number(field)).collect(),
            vendor: record.texts(Role::Vendor).next().map(vendor_key).unwrap_or_default(),
            cents: (value * 100.0).round() as i64,
            amendment: (text("amendment_date"), amendment_number(record)),
        }
    }

    /// The keys of which one must be equal, in addition to a number: the vendor and the value.
    pub(crate) fn vendor_or_value_keys(&self) -> impl Iterator<Item = VendorOrValue<'_>> {
        let vendor = (!self.vendor.is_empty()).then_some(VendorOrValue::Vendor(&self.vendor));
        vendor.into_iter().chain([VendorOrValue::Cents(self.cents)])
    }

    /// Vendor, value in cents, and day; `None` without a vendor. Two records of different entity
    /// types with the same key are of one contract.
    pub(crate) fn vendor_value_and_day(&self, date: Date) -> Option<(&str, i64, Date)> {
        if self.vendor.is_empty() {
            None
        } else {
            Some((&self.vendor, self.cents, date))
        }
    }
}

/// The number of a record's amendment, padded to eight digits so that texts sort like numbers. Empty for the contract
/// itself, which is number 0.
fn amendment_number(record: &Record) -> String {
    let number = record.text("amendment_number").unwrap_or_default();
    match number.trim_start_matches('0') {
        "" => String::new(),
        number => format!("{number:0>8}"),
    }
}
