//! Hashes of e-mail addresses, and of pairs of an address and a tender.
//!
//! Deliveries and suppressions are stored by hash: an address is readable in the database only as
//! long as it is subscribed.

use sha2::{Digest, Sha256};

use crate::{state::mailbox::mailbox, storage::hex::hex};

/// The SHA-256 of an address in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AddressHash(pub(super) [u8; 32]);

/// An address and a tender as 128 bits. The tender is identified by the name that all its notices
/// share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PairHash(pub(super) [u8; 16]);

impl AddressHash {
    pub(crate) fn new(email: &str) -> AddressHash {
        AddressHash(Sha256::digest(email.to_lowercase()).into())
    }

    /// The hash of the mailbox of an address.
    pub(super) fn of_mailbox(email: &str) -> AddressHash {
        AddressHash::new(&mailbox(&email.to_lowercase()))
    }

    pub(crate) fn with_tender(&self, tender: &str) -> PairHash {
        let hash = Sha256::new().chain_update(self.0).chain_update(tender).finalize();
        PairHash(hash[..16].try_into().expect("SHA-256 has 32 bytes"))
    }
}

/// Names a mail by the pairs it delivers, in any order: sent again, the same content has the same
/// name.
pub(crate) fn mail_name(pairs: &[PairHash]) -> String {
    let mut sorted = pairs.to_vec();
    sorted.sort_unstable();
    let mut hash = Sha256::new();
    for pair in sorted {
        hash.update(pair.0);
    }
    hex(&hash.finalize()[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_a_mailbox_is_that_of_its_spelling() {
        for (email, expected) in [
            ("Ann+Tag@Example.ORG", "ann@example.org"),
            ("A.nn@Gmail.com", "ann@gmail.com"),
        ] {
            assert_eq!(AddressHash::of_mailbox(email), AddressHash::new(expected));
        }
    }

    #[test]
    fn a_mail_is_named_by_its_content() {
        let ann = AddressHash::new("Ann@example.org");
        assert_eq!(ann, AddressHash::new("ann@example.org"));
        let bob = AddressHash::new("bob@example.org");
        let name = mail_name(&[ann.with_tender("a"), ann.with_tender("b")]);
        assert_eq!(name, mail_name(&[ann.with_tender("b"), ann.with_tender("a")]));
        assert_eq!(name.len(), 32);
        assert_ne!(name, mail_name(&[bob.with_tender("a"), bob.with_tender("b")]));
    }
}
