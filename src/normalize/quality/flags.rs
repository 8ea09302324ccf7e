//! The step that gives each record its quality flags.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicU64, Ordering},
};

use serde_json::Value;

use super::{
    duplicates::Duplicates, placeholder::is_placeholder, price_ranges::PriceRanges, vendor_values::VendorValues,
};
use crate::{
    model::{
        Date, EntityType, Record, Role, Schema,
        vocabulary::{
            self, DUPLICATE_SUSPECT, FUTURE_DATE, IMPLAUSIBLE_VALUE, NO_VENDOR, PLACEHOLDER_VALUE, QUALITY_FLAGS,
        },
    },
    normalize::{report::NormalizeReport, second_pass::SecondPassStep},
};

/// Sets `quality_flags`. Keeps 24 bytes of each record with a value and 32 of each vendor, and otherwise only counts.
#[derive(Default)]
pub(crate) struct QualityFlags {
    prices: PriceRanges,
    vendors: VendorValues,
    duplicates: Duplicates,
    /// By source: the day of its newest file.
    newest: BTreeMap<String, Date>,
    dumps: BTreeMap<EntityType, BTreeMap<String, DumpCounts>>,
}

#[derive(Default)]
struct DumpCounts {
    /// Whether a record names a vendor.
    has_vendors: bool,
    /// Records with each of [`QUALITY_FLAGS`].
    flagged: [AtomicU64; QUALITY_FLAGS.len()],
}

impl SecondPassStep for QualityFlags {
    fn observe(&mut self, entity_type: EntityType, source: &str, record: &Record) {
        let counts = counts_of(self.dumps.entry(entity_type).or_default(), source);
        counts.has_vendors = counts.has_vendors || names_vendor(record);
        if let Some(value) = price(record) {
            self.prices.observe(entity_type, source, category(record), value);
            self.vendors.observe(entity_type, source, record, value);
        }
        self.duplicates.observe(entity_type, record);
        if let Some(day) = fetched_on(record)
            && self.newest.get(source).is_none_or(|newest| *newest < day)
        {
            self.newest.insert(source.to_owned(), day);
        }
    }

    fn conclude(&mut self) {
        self.prices.conclude();
        self.duplicates.conclude();
    }

    fn complete(&self, entity_type: EntityType, source: &str, record: &Record) -> Vec<(&'static str, Value)> {
        let has_flag = |flag: &str| self.has_flag(flag, entity_type, source, record);
        let flags: Vec<&str> = QUALITY_FLAGS.into_iter().filter(|flag| has_flag(flag)).collect();
        if flags.is_empty() {
            return Vec::new();
        }
        if let Some(counts) = self.counts(entity_type, source) {
            for (flag, count) in QUALITY_FLAGS.iter().zip(&counts.flagged) {
                count.fetch_add(u64::from(flags.contains(flag)), Ordering::Relaxed);
            }
        }
        vec![("quality_flags", flags.into())]
    }

    fn report(&self, report: &mut NormalizeReport) {
        for (entity_type, sources) in &self.dumps {
            for (source, counts) in sources {
                let counted = QUALITY_FLAGS.into_iter().zip(&counts.flagged);
                let flagged = counted.map(|(flag, count)| (flag, count.load(Ordering::Relaxed)));
                let flagged: BTreeMap<_, _> = flagged.filter(|(_, count)| *count > 0).collect();
                if !flagged.is_empty() {
                    report.quality_flags.insert(format!("{entity_type}/{source}"), flagged);
                }
            }
        }
    }
}

impl QualityFlags {
    fn counts(&self, entity_type: EntityType, source: &str) -> Option<&DumpCounts> {
        self.dumps.get(&entity_type)?.get(source)
    }

    fn has_flag(&self, flag: &str, entity_type: EntityType, source: &str, record: &Record) -> bool {
        match flag {
            PLACEHOLDER_VALUE => record.value().is_some_and(is_placeholder),
            IMPLAUSIBLE_VALUE => {
                let is_negative = record.value().is_some_and(|value| value < 0.0);
                let is_far = |value| {
                    self.prices.is_implausible(entity_type, source, category(record), value)
                        || self.vendors.is_implausible(entity_type, source, record, value)
                };
                is_negative || price(record).is_some_and(is_far)
            }
            FUTURE_DATE => {
                let newest = self.newest.get(source);
                record
                    .date(Role::Date)
                    .zip(newest)
                    .is_some_and(|(day, newest)| day > *newest)
            }
            NO_VENDOR => {
                // A source that names no vendor at all does not publish them.
                let counts = self.counts(entity_type, source);
                has_vendors(entity_type) && counts.is_some_and(|counts| counts.has_vendors) && !names_vendor(record)
            }
            DUPLICATE_SUSPECT => self.duplicates.is_suspect(entity_type, record),
            _ => false,
        }
    }
}

fn counts_of<'a>(sources: &'a mut BTreeMap<String, DumpCounts>, source: &str) -> &'a mut DumpCounts {
    if !sources.contains_key(source) {
        sources.insert(source.to_owned(), DumpCounts::default());
    }
    sources.get_mut(source).expect("it was inserted if it was missing")
}

/// The value, if it can be compared with others: positive, in Canadian dollars, not a placeholder.
fn price(record: &Record) -> Option<f64> {
    record.dollars().filter(|value| !is_placeholder(*value))
}

fn category<'a>(record: &'a Record) -> &'a str {
    record.texts(Role::Category).next().unwrap_or_default()
}

fn fetched_on(record: &Record) -> Option<Date> {
    Date::parse_prefix(record.text("fetched_at")?).ok()
}

/// Whether records of the entity type are about a vendor. A pre-solicitation has none yet.
fn has_vendors(entity_type: EntityType) -> bool {
    entity_type != EntityType::PreSolicitation && Schema::of(entity_type).has_role(Role::Vendor)
}

fn names_vendor(record: &Record) -> bool {
    let is_name = |text: &str| vocabulary::identifies(text) && !vocabulary::is_withheld(text);
    record.texts(Role::Vendor).any(is_name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The flags of each record of one dump.
    fn flags_of(entity_type: EntityType, records: &[Value]) -> Vec<Vec<String>> {
        let lines: Vec<String> = records.iter().map(Value::to_string).collect();
        let schema = Schema::of(entity_type);
        let records: Vec<Record> = lines
            .iter()
            .map(|line| Record::parse(schema, line.as_bytes()).unwrap())
            .collect();
        let mut step = QualityFlags::default();
        for record in &records {
            step.observe(entity_type, "toronto", record);
        }
        step.conclude();
        let flags = records.iter().map(|record| {
            let members = step.complete(entity_type, "toronto", record);
            let Some((name, value)) = members.into_iter().next() else {
                return Vec::new();
            };
            assert_eq!(name, "quality_flags");
            serde_json::from_value(value).unwrap()
        });
        flags.collect()
    }

    #[test]
    fn flags_come_in_the_order_of_the_vocabulary() {
        let contract = |id: &str, vendor: &str, date: &str, value: f64| {
            json!({"record_id": id, "buyer_name": "Toronto", "vendor_name": vendor, "award_date": date,
                "contract_value": value, "fetched_at": "2024-05-01T00:00:00Z"})
        };
        let found = flags_of(
            EntityType::Contract,
            &[
                contract("1", "A", "2024-05-01", 5000.0),
                contract("2", "N/A", "2024-05-02", 1.0),
                contract("3", "", "2024-04-01", -3.0),
                contract("4", "B", "2024-05-09", 700.0),
                contract("5", "b.", "2024-05-09", 700.0),
                json!({"record_id": "6", "award_date": "2030-01-01", "vendor_name": "A", "fetched_at": "2030-01-01T00:00:00Z"}),
            ],
        );
        let expected: [&[&str]; 6] = [
            &[],
            &["placeholder_value", "no_vendor"],
            &["implausible_value", "no_vendor"],
            &["duplicate_suspect"],
            &["duplicate_suspect"],
            &[],
        ];
        assert_eq!(found, expected, "the newest file of the source counts");
        let late = flags_of(EntityType::Contract, &[contract("1", "A", "2024-05-02", 5000.0)]);
        assert_eq!(late, [["future_date"]]);
    }

    #[test]
    fn a_source_without_vendors_does_not_publish_them() {
        let award = |id: &str| json!({"record_id": id, "award_date": "2024-05-01"});
        assert_eq!(flags_of(EntityType::Award, &[award("1"), award("2")]), [[""; 0]; 2]);
        let mut named = award("3");
        named["vendor_name"] = json!("A");
        let found = flags_of(EntityType::Award, &[award("1"), named]);
        assert_eq!(found, [vec!["no_vendor"], vec![]]);
        for (name, is_named) in [
            ("Confidential", false),
            ("CONFIDENTIEL.", false),
            ("n/a", false),
            ("Confidential Shredding Inc", true),
        ] {
            let (mut withheld, mut named) = (award("1"), award("2"));
            withheld["vendor_name"] = json!(name);
            named["vendor_name"] = json!("A");
            let flags = flags_of(EntityType::Award, &[withheld, named]);
            assert_eq!(flags[0].is_empty(), is_named, "{name}");
        }
        let tender = json!({"record_id": "1", "publication_date": "2024-05-01"});
        assert_eq!(flags_of(EntityType::Tender, &[tender]), [[""; 0]]);
    }

    /// Prices between 1,000 and 100,000; then one record with each of these values.
    #[test]
    fn a_value_far_from_its_category_is_implausible() {
        let contract = |number: usize, category: &str, currency: &str, value: f64| {
            json!({"record_id": format!("{number}"), "vendor_name": format!("V{number}"), "procurement_category": category,
                "currency": currency, "contract_value": value})
        };
        let usual = (0..400).map(|number| {
            contract(
                number,
                "CNST",
                "CAD",
                10_f64.powf(3.0 + f64::from(number as u32 % 100) / 50.0),
            )
        });
        let mut records: Vec<Value> = usual.collect();
        records.extend([
            contract(400, "CNST", "CAD", 9_054_510_208.0),
            contract(401, "CNST", "USD", 9_054_510_208.0),
            contract(402, "GD", "CAD", 9_054_510_208.0),
            contract(403, "CNST", "CAD", 0.57),
            contract(404, "CNST", "CAD", 999_999_999.0),
        ]);
        let found = flags_of(EntityType::Contract, &records);
        assert!(found[..400].iter().all(Vec::is_empty));
        let expected: [&[&str]; 5] = [
            &["implausible_value"],
            &[],
            &[],
            &["implausible_value"],
            &["placeholder_value"],
        ];
        assert_eq!(found[400..], expected);
    }
}
