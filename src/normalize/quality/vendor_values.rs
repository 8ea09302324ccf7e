//! Decision D-217: a value that is far above all others of its vendor, written as cents without a point would be.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use crate::model::{EntityType, Record, Role};

/// Fewer values of a vendor say too little about what is usual.
const MIN_VALUES: u32 = 10;

/// How many times the second-highest value of the vendor a value is. An amount in cents is a hundred times too high;
/// the right one is at most three times the second-highest.
const TIMES_SECOND: f64 = 100.0 / 3.0;

/// A large contract of a small firm is plausible below it, in dollars.
const MIN_DOLLARS: f64 = 1_000_000.0;

/// The values of each vendor of a source that were observed: 32 bytes each.
#[derive(Default)]
pub(super) struct VendorValues(HashMap<u64, Highest>);

#[derive(Clone, Copy, Default)]
struct Highest {
    count: u32,
    first: f64,
    second: f64,
}

impl VendorValues {
    /// Adds a positive value.
    pub(super) fn observe(&mut self, entity_type: EntityType, source: &str, record: &Record, value: f64) {
        let Some(vendor) = vendor(entity_type, source, record) else {
            return;
        };
        let highest = self.0.entry(vendor).or_default();
        highest.count = highest.count.saturating_add(1);
        if value > highest.first {
            (highest.first, highest.second) = (value, highest.first);
        } else if value > highest.second {
            highest.second = value;
        }
    }

    /// Whether a value in whole dollars is far above the others of its vendor.
    pub(super) fn is_implausible(&self, entity_type: EntityType, source: &str, record: &Record, value: f64) -> bool {
        // Most values need no hash.
        if value < MIN_DOLLARS || value.fract() != 0.0 {
            return false;
        }
        let highest = vendor(entity_type, source, record).and_then(|vendor| self.0.get(&vendor));
        highest.is_some_and(|of| of.count >= MIN_VALUES && value == of.first && value >= TIMES_SECOND * of.second)
    }
}

/// A hash of the source and the vendor; `None` without one.
fn vendor(entity_type: EntityType, source: &str, record: &Record) -> Option<u64> {
    let vendors = record.keys(Role::Vendor);
    let mut hasher = DefaultHasher::new();
    (entity_type.name(), source, vendors.first()?).hash(&mut hasher);
    Some(hasher.finish())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::Schema;

    fn line(vendor: &str) -> String {
        json!({"record_id": "c", "vendor_name": vendor}).to_string()
    }

    fn record(line: &str) -> Record<'_> {
        Record::parse(Schema::of(EntityType::Contract), line.as_bytes()).unwrap()
    }

    /// Whether a value is implausible next to others of its vendor in its source.
    fn is_implausible(others: impl Iterator<Item = f64>, value: f64) -> bool {
        let [acme, capitals, zenith] = ["Acme inc.", "ACME INC.", "Zenith"].map(line);
        let mut values = VendorValues::default();
        let of = EntityType::Contract;
        for other in others.chain([value]) {
            values.observe(of, "x", &record(&acme), other);
        }
        // Those of others do not count.
        values.observe(of, "x", &record(&zenith), 1e9);
        values.observe(of, "y", &record(&acme), 1e9);
        assert!(!values.is_implausible(of, "x", &record(&zenith), 1e9));
        values.is_implausible(of, "x", &record(&capitals), value)
    }

    #[test]
    fn one_value_in_whole_dollars_far_above_the_others_is_implausible() {
        for (others, second, value, expected) in [
            (9, 4_749_696.0, 270_287_697.0, true),
            (9, 4_749_696.0, 270_287_697.5, false),
            (8, 4_749_696.0, 270_287_697.0, false),
            (9, 9_000_000.0, 270_287_697.0, false),
            (9, 20_000.0, 900_000.0, false),
            (0, 1.0, 270_287_697.0, false),
        ] {
            let below = (0..others).map(|number| second - f64::from(number));
            assert_eq!(is_implausible(below, value), expected, "{others} {second} {value}");
        }
        let twice = std::iter::repeat_n(1_000.0, 9).chain([5e7]);
        assert!(!is_implausible(twice, 5e7), "a value that is there twice");
    }
}
