//! Decision D-219: records that may be one, with the same buyer, vendor and value, and the same date or solicitation,
//! under different numbers.

use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash, Hasher},
};

use super::placeholder::is_placeholder;
use crate::model::{EntityType, Record, Role, vocabulary};

/// The records that were observed, and after [`Duplicates::conclude`] those that may be one.
#[derive(Default)]
pub(super) struct Duplicates {
    /// The hash of what duplicates share, and the hash of what distinguishes two notices or contracts:
    /// up to 32 bytes per record.
    observed: Vec<(u64, u64)>,
    /// The hashes that several notices or contracts share.
    suspects: HashSet<u64>,
}

impl Duplicates {
    pub(super) fn observe(&mut self, entity_type: EntityType, record: &Record) {
        let own_number = hash(&own_number(record));
        self.observed
            .extend(shared(entity_type, record).map(|shared| (shared, own_number)));
    }

    pub(super) fn conclude(&mut self) {
        let mut observed = std::mem::take(&mut self.observed);
        observed.sort_unstable();
        let same = observed.chunk_by(|a, b| a.0 == b.0);
        let several = same.filter(|same| same.first().map(|one| one.1) != same.last().map(|one| one.1));
        self.suspects = several.filter_map(|same| Some(same.first()?.0)).collect();
    }

    pub(super) fn is_suspect(&self, entity_type: EntityType, record: &Record) -> bool {
        // Most runs have few suspects; then most records need no hash.
        !self.suspects.is_empty() && shared(entity_type, record).any(|hash| self.suspects.contains(&hash))
    }
}

/// What two purchases seldom have in common, with buyer, vendor and value.
#[derive(Hash)]
enum Occasion<'r> {
    Day(i32),
    Solicitation(&'r str),
}

/// A hash of buyer, vendor, value and currency with each [`Occasion`]; none if the record lacks one of them or the
/// value is a placeholder.
fn shared(entity_type: EntityType, record: &Record) -> impl Iterator<Item = u64> {
    let day = record.date(Role::Date).map(|date| Occasion::Day(date.days()));
    let solicitations = record.texts(Role::SolicitationNumber);
    let mut solicitations = solicitations.filter(|text| vocabulary::identifies(text));
    let of_occasion = |occasion: Occasion| {
        let value = record.value().filter(|value| *value > 0.0 && !is_placeholder(*value))?;
        let vendors = record.keys(Role::Vendor);
        let vendor = vendors.first()?;
        let buyers = record.keys(Role::Department);
        buyers.first()?;
        let currency = record.text("currency").unwrap_or("CAD");
        Some(hash(&(
            entity_type as usize,
            occasion,
            value.to_bits(),
            currency,
            vendor,
            buyers,
        )))
    };
    [day, solicitations.next().map(Occasion::Solicitation)]
        .map(|occasion| occasion.and_then(of_occasion))
        .into_iter()
        .flatten()
}

/// The number of the notice or contract. The lots of a notice, and its amendments, share one: they
/// are not suspected of being duplicates.
fn own_number<'a>(record: &'a Record) -> &'a str {
    let reference = record.texts(Role::ReferenceNumber).next();
    reference
        .filter(|text| vocabulary::identifies(text))
        .unwrap_or_else(|| record.id())
}

/// A hash that is the same for the same value in every run of one version of the program.
fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::model::Schema;

    #[test]
    fn the_same_purchase_under_two_numbers_is_suspect() {
        let contract = |changes: Value| {
            let mut record = json!({
                "record_id": "a", "reference_number": "A-1", "buyer_name": "Ville de Laval", "vendor_name": "Béton inc.",
                "award_date": "2024-03-05", "contract_value": 26_706.0, "solicitation_number": "S-1",
            });
            for (name, value) in changes.as_object().unwrap() {
                record[name] = value.clone();
            }
            record.to_string()
        };
        let original = contract(json!({}));
        for (changes, is_suspect) in [
            (json!({"record_id": "b", "reference_number": "B-2"}), true),
            (
                json!({"record_id": "b", "reference_number": "B-2", "vendor_name": "BETON INC"}),
                true,
            ),
            (json!({"record_id": "b", "reference_number": "N/A"}), true),
            (
                json!({"record_id": "b", "reference_number": "B-2", "currency": "CAD"}),
                true,
            ),
            (
                json!({"record_id": "b", "reference_number": "B-2", "currency": "USD"}),
                false,
            ),
            // Lots of one notice, or amendments.
            (json!({"record_id": "b"}), false),
            (
                json!({"record_id": "b", "reference_number": "B-2", "contract_value": 26_706.01}),
                false,
            ),
            (
                json!({"record_id": "b", "reference_number": "B-2", "award_date": "2024-03-06", "solicitation_number": ""}),
                false,
            ),
            (
                json!({"record_id": "b", "reference_number": "B-2", "buyer_name": "Ville de Lévis"}),
                false,
            ),
            // One award of a solicitation, published with two days.
            (
                json!({"record_id": "b", "reference_number": "B-2", "award_date": "2024-03-06", "solicitation_number": "S-1"}),
                true,
            ),
            (
                json!({"record_id": "b", "award_date": "2024-03-06", "solicitation_number": "S-1"}),
                false,
            ),
            (
                json!({"record_id": "b", "reference_number": "B-2", "award_date": "2024-03-06", "solicitation_number": "S-2"}),
                false,
            ),
            (
                json!({"record_id": "b", "reference_number": "B-2", "vendor_name": ""}),
                false,
            ),
        ] {
            let other = contract(changes.clone());
            let records = [&original, &other]
                .map(|line| Record::parse(Schema::of(EntityType::Contract), line.as_bytes()).unwrap());
            let mut duplicates = Duplicates::default();
            for record in &records {
                duplicates.observe(EntityType::Contract, record);
            }
            duplicates.conclude();
            for record in &records {
                assert_eq!(
                    duplicates.is_suspect(EntityType::Contract, record),
                    is_suspect,
                    "{changes}"
                );
            }
        }
        let placeholder = [1.0, 0.0, -5.0].map(|value| contract(json!({"contract_value": value})));
        for line in &placeholder {
            let record = Record::parse(Schema::of(EntityType::Contract), line.as_bytes()).unwrap();
            assert_eq!(shared(EntityType::Contract, &record).count(), 0);
        }
    }
}
