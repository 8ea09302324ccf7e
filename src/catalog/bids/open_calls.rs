//! How many bidders the open call of a contract or an award had.
//!
//! Publishers that list bidders do so in the notice, not in its contracts. So `index` reads the tenders first, and
//! gives each contract and award the number of bidders of its notice.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::build::DumpBids;
use crate::model::{EntityType, Record, vocabulary::identifies};

/// The numbers of bidders of open calls, by the `record_id` of their tender. Direct awards are no competition, and many
/// invitations list the winner only, so they have no number.
#[derive(Debug, Default)]
pub(crate) struct OpenCalls(FxHashMap<String, u32>);

/// What identifies a notice in the records that were made of it.
#[derive(Debug, PartialEq, Eq, Hash)]
enum NoticeKey {
    /// Unique among all publishers.
    Ocid(String),
    /// A number of a notice is unique in its source only.
    Reference { source: String, number: String },
}

impl NoticeKey {
    /// The keys that a record states, the most certain one first. A solicitation number is not a key: several buyers
    /// use the same number, and a repeated call keeps its number.
    fn of(record: &Record, source: &str) -> impl Iterator<Item = NoticeKey> {
        let stated = |field: &str| {
            let text = record.text(field).map(str::trim);
            text.filter(|text| identifies(text)).map(str::to_lowercase)
        };
        let reference = |number: String| NoticeKey::Reference {
            source: source.to_owned(),
            number,
        };
        let ocid = stated("ocid").map(NoticeKey::Ocid);
        ocid.into_iter().chain(stated("reference_number").map(reference))
    }
}

/// The numbers of bidders of open calls, by what contracts and awards state of their notice.
#[derive(Debug, Default)]
pub(crate) struct NoticeBidders {
    /// `None` if several notices have the key, and if the notice is not an open call or lists no bidders.
    by_key: FxHashMap<NoticeKey, Option<u32>>,
}

impl OpenCalls {
    pub(crate) fn of(bids: &DumpBids) -> OpenCalls {
        let counted = bids.open_calls();
        OpenCalls(
            counted
                .map(|(record_id, bidders)| (record_id.to_owned(), bidders))
                .collect(),
        )
    }
}

impl NoticeBidders {
    /// Adds the keys of a tender, with its bidders if it is an open call that lists them.
    pub(crate) fn observe(&mut self, record: &Record, source: &str, calls: &OpenCalls) {
        if record.entity_type() != EntityType::Tender {
            return;
        }
        if !calls.0.is_empty() {
            let bidders = calls.0.get(record.id()).copied();
            NoticeKey::of(record, source).for_each(|key| self.add(key, bidders));
        }
    }

    fn add(&mut self, key: NoticeKey, bidders: Option<u32>) {
        match self.by_key.entry(key) {
            Entry::Occupied(mut known) => *known.get_mut() = None,
            Entry::Vacant(new) => {
                new.insert(bidders);
            }
        }
    }

    pub(crate) fn merge(mut self, other: NoticeBidders) -> NoticeBidders {
        if self.by_key.is_empty() {
            return other;
        }
        for (key, bidders) in other.by_key {
            self.add(key, bidders);
        }
        self
    }

    /// The number of bidders of the open call that a contract or an award was made from, by the most certain key that
    /// the record states.
    pub(crate) fn of(&self, record: &Record, source: &str) -> Option<u32> {
        let has_notice = matches!(record.entity_type(), EntityType::Contract | EntityType::Award);
        if !has_notice || self.by_key.is_empty() {
            return None;
        }
        let key = NoticeKey::of(record, source).next()?;
        self.by_key.get(&key).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Schema;

    /// The number of bidders of a contract with some members, among tenders with theirs: `record_id` is their position.
    fn bidders(tenders: &[&str], source: &str, contract: &str) -> Option<u32> {
        let calls = (0u32..)
            .zip(tenders)
            .filter(|(_, members)| !members.contains("status"))
            .map(|(number, _)| (number.to_string(), number + 1));
        let calls = OpenCalls(calls.collect());
        let parts = tenders.iter().enumerate().map(|(number, members)| {
            let line = format!(r#"{{"record_id":"{number}",{members}}}"#);
            let mut part = NoticeBidders::default();
            let tender = Record::parse(Schema::of(EntityType::Tender), line.as_bytes()).unwrap();
            part.observe(&tender, "a", &calls);
            part
        });
        let known = parts.fold(NoticeBidders::default(), NoticeBidders::merge);
        let line = format!(r#"{{"record_id":"c",{contract}}}"#);
        let of = |entity_type| {
            known.of(
                &Record::parse(Schema::of(entity_type), line.as_bytes()).unwrap(),
                source,
            )
        };
        assert_eq!(of(EntityType::Tender), None);
        of(EntityType::Contract)
    }

    #[test]
    fn a_contract_has_the_bidders_of_its_notice() {
        let tenders = [
            r#""ocid":"ocds-1","reference_number":"R1","solicitation_number":"S""#,
            r#""ocid":"ocds-2","reference_number":"R2""#,
            r#""reference_number":"R3""#,
            r#""reference_number":"R4""#,
            r#""reference_number":"r4 ""#,
            r#""reference_number":"N/A""#,
            r#""reference_number":"R5""#,
            // No open call that lists bidders.
            r#""reference_number":"R5","status":"Closed""#,
        ];
        for (source, contract, expected) in [
            ("b", r#""ocid":"OCDS-2""#, Some(2)),
            ("b", r#""ocid":"ocds-2","reference_number":"R3""#, Some(2)),
            ("a", r#""ocid":"ocds-9","reference_number":"R3""#, None),
            ("a", r#""reference_number":"R1""#, Some(1)),
            ("a", r#""reference_number":"r3""#, Some(3)),
            ("a", r#""reference_number":"R5""#, None),
            ("b", r#""reference_number":"R3""#, None),
            ("a", r#""reference_number":"R4""#, None),
            ("a", r#""reference_number":"N/A""#, None),
            ("a", r#""solicitation_number":"S""#, None),
        ] {
            assert_eq!(bidders(&tenders, source, contract), expected, "{source} {contract}");
        }
    }
}
