//! The keys of one role: names, statuses, numbers and so on, each one term.

use super::postings_log::{FieldTerms, PostingsLog};
use crate::model::{Record, Role, interner::Interner};

/// The keys of a role of consecutive documents.
pub(super) struct KeyTerms {
    pub(super) role: Role,
    terms: Interner,
    log: PostingsLog,
    /// `None` for a role whose texts hardly ever repeat, and for one that has more than texts.
    known: Option<KnownKeys>,
}

/// The keys of texts that were seen before: making them again would take most of the time.
#[derive(Default)]
struct KnownKeys {
    texts: Interner,
    /// Where the keys of each text end in `keys`.
    ends: Vec<usize>,
    keys: Vec<u32>,
    /// The texts of the current record.
    current: Vec<u8>,
}

/// Ends a text. No text has this byte.
const END: u8 = 0xff;

impl KeyTerms {
    pub(super) fn new(role: Role) -> KeyTerms {
        let is_repeated = !matches!(role, Role::ReferenceNumber | Role::SolicitationNumber | Role::Amended);
        KeyTerms {
            role,
            terms: Interner::default(),
            log: PostingsLog::default(),
            known: is_repeated.then(KnownKeys::default),
        }
    }

    /// Adds the next document.
    pub(super) fn add(&mut self, record: &Record) {
        let terms = &mut self.terms;
        match &mut self.known {
            Some(known) => self.log.extend(known.keys(record, self.role, terms)),
            None => {
                for key in record.keys(self.role) {
                    self.log.push(terms.add(key.as_bytes()).0);
                }
            }
        }
        self.log.end_document();
    }

    pub(super) fn finish(self) -> FieldTerms {
        FieldTerms::new(self.terms.into_texts(), self.log)
    }
}

impl KnownKeys {
    fn keys(&mut self, record: &Record, role: Role, terms: &mut Interner) -> &[u32] {
        self.current.clear();
        let flags = if role == Role::QualityFlag {
            Some(record.quality_flags())
        } else {
            None
        };
        let flags = flags.into_iter().flatten().map(|flag| ("", flag));
        for (field, text) in record.named_texts(role).chain(flags) {
            for part in [field, text] {
                self.current.extend_from_slice(part.as_bytes());
                self.current.push(END);
            }
        }
        let (number, is_new) = self.texts.add(&self.current);
        if is_new {
            let keys = record.keys(role);
            self.keys.extend(keys.iter().map(|key| terms.add(key.as_bytes()).0));
            self.ends.push(self.keys.len());
        }
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.keys[start..self.ends[number]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{EntityType, Schema};

    #[test]
    fn the_keys_of_every_role_are_those_of_the_record() {
        let lines = [
            r#"{"record_id":"1","vendor_name":"A Inc.","gsin":"N7030;N7031","quality_flags":["no_vendor"],"status":"active"}"#,
            r#"{"record_id":"2","vendor_name":"A Inc.","unspsc":"N7030;N7031","status_en":"active"}"#,
            r#"{"record_id":"3","vendor_name_standardized":"A Inc.","reference_number":"Z-1"}"#,
            r#"{"record_id":"4","supplier_legal_name":"B","vendor_name":"A Inc.","province":"QC"}"#,
            r#"{"record_id":"5","province":"QC","government_level":"federal","regions_of_delivery_en":"Yukon; Laval"}"#,
            r#"{"record_id":"6","amendment_count":1}"#,
            r#"{"record_id":"7","amendment_count":0,"amendment_number":"000"}"#,
        ];
        let schema = Schema::of(EntityType::Contract);
        let records = lines.map(|line| Record::parse(schema, line.as_bytes()).unwrap());
        for role in [
            Role::Vendor,
            Role::Commodity,
            Role::Status,
            Role::QualityFlag,
            Role::Amended,
            Role::ReferenceNumber,
            Role::Region,
        ] {
            let mut keys = KeyTerms::new(role);
            records.iter().for_each(|record| keys.add(record));
            let FieldTerms { terms, log, .. } = keys.finish();
            let inverted = log.invert(terms.len());
            for (number, record) in (0..).zip(&records) {
                let mut found: Vec<&[u8]> = (0..terms.len() as u32)
                    .filter(|term| inverted.get(*term).iter().any(|(document, _)| *document == number))
                    .map(|term| terms.get(term))
                    .collect();
                let expected = record.keys(role);
                let mut expected: Vec<&[u8]> = expected.iter().map(|key| key.as_bytes()).collect();
                found.sort_unstable();
                expected.sort_unstable();
                assert_eq!(found, expected, "{role:?} of {number}");
            }
        }
    }
}
