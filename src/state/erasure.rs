//! Erasing an address at its owner's request. The address and everything its owner wrote is removed;
//! of the consent records only what proves the consent stays.
//!
//! | data | afterwards |
//! |---|---|
//! | address | its SHA-256, so that the proof can be found if its owner complains |
//! | subscriptions | ended, without their conditions; the links in mails still answer; those never confirmed are deleted |
//! | link to confirm | deleted, unless the address asked for no further mail, which stays, by hash |
//! | consent records | event, time, key and connection stay; the text of the request is removed |
//! | suppression | deleted, because a mail server's reply contains the address |
//! | deliveries | stay, by hash, until they are pruned, so that the address does not receive a tender again if it subscribes again |

use anyhow::Context;
use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension, Transaction, TransactionBehavior, params};

use crate::{
    model::EmailAddress,
    state::{address_hash::AddressHash, consent::ConsentRecord, database::StateDb, unsubscribe::end_all_of_address},
};

/// Stored in the consent record in place of a request id.
const BY_OPERATOR: &str = "procure alerts forget";

impl StateDb {
    /// Returns the number of subscriptions that this ended; `None` if the address is unknown.
    pub(crate) fn erase_address(&mut self, email: &EmailAddress, now: DateTime<Utc>) -> anyhow::Result<Option<usize>> {
        self.check_file()?;
        // Overwritten data leaves no copy in the file.
        self.connection.pragma_update(None, "secure_delete", true)?;
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let ended = erase(&transaction, email, now).context("erasing an address")?;
        transaction.commit().context("erasing an address")?;
        // The write-ahead log must not keep a copy of the address either. If another process is
        // reading the log, the next checkpoint removes the copy.
        let truncated = self
            .connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
        truncated.context("truncating the write-ahead log after erasing an address")?;
        Ok(ended)
    }
}

fn erase(transaction: &Transaction, email: &EmailAddress, now: DateTime<Utc>) -> rusqlite::Result<Option<usize>> {
    let select = "SELECT id FROM addresses WHERE email = ?1";
    let known = transaction.query_row(select, [email.as_str()], |row| row.get::<_, i64>(0));
    let Some(id) = known.optional()? else {
        return Ok(None);
    };
    let count = "SELECT count(*) FROM subscriptions WHERE address_id = ?1 AND unsubscribed_at IS NULL";
    let ended: i64 = transaction.query_row(count, [id], |row| row.get(0))?;
    let consent = ConsentRecord {
        at: now,
        key_id: None,
        request_id: BY_OPERATOR,
        peer: None,
        forwarded_for: None,
        words: "",
    };
    end_all_of_address(transaction, id, &consent)?;
    let update =
        "UPDATE consents SET words = '' WHERE subscription_id IN (SELECT id FROM subscriptions WHERE address_id = ?1)";
    transaction.execute(update, [id])?;
    let update = "UPDATE subscriptions SET identity = 'forgotten ' || id, keywords = '[]', department = NULL, municipality = NULL, category = NULL,
         unsubscribed_at = coalesce(unsubscribed_at, ?2) WHERE address_id = ?1";
    transaction.execute(update, params![id, now.timestamp()])?;
    let address = AddressHash::new(email.as_str());
    transaction.execute("DELETE FROM setbacks WHERE address = ?1", [address.0])?;
    let delete = "DELETE FROM confirmations WHERE address = ?1 AND declined_at IS NULL";
    transaction.execute(delete, [address.0])?;
    let update = "UPDATE addresses SET email = 'forgotten ' || id || ' ' || lower(hex(?2)) WHERE id = ?1";
    transaction.execute(update, params![id, address.0])?;
    Ok(Some(usize::try_from(ended).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs};

    use super::*;
    use crate::{
        model::Language,
        query::keyword::Keyword,
        state::{
            subscription::{Frequency, Locale, SubscriptionRequest},
            unsubscribe::UnsubscribeOutcome,
        },
    };

    #[test]
    fn an_erased_address_is_nowhere_in_the_file_and_can_subscribe_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let mut state = StateDb::open(&path).unwrap();
        state.trust_made_up_keys();
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let request = |email: &str, keyword: &str| SubscriptionRequest {
            email: EmailAddress::parse(email).unwrap(),
            keywords: vec![Keyword::parse(keyword).unwrap()],
            department: None,
            municipality: None,
            category: None,
            languages: BTreeSet::from(Language::ALL),
            translate: false,
            frequency: Frequency::Daily,
            locale: Locale::En,
        };
        let consent = ConsentRecord {
            at: now,
            key_id: Some(7),
            request_id: "r1",
            peer: None,
            forwarded_for: None,
            words: "wheelbarrow",
        };
        let ann = EmailAddress::parse("ann@example.org").unwrap();
        assert_eq!(state.erase_address(&ann, now).unwrap(), None);
        for (email, keyword) in [
            ("ann@example.org", "wheelbarrow"),
            ("ann@example.org", "snow"),
            ("bob@example.org", "ice"),
        ] {
            let consent = ConsentRecord {
                words: keyword,
                ..consent
            };
            state.subscribe(&request(email, keyword), &consent).unwrap().unwrap();
        }
        let subscriptions = state.subscriptions_of("ann@example.org").unwrap();
        let token = state.unsubscribe_token(&subscriptions[0]).unwrap();
        let address = AddressHash::new(ann.as_str());
        state.pause_address(address, "550 no ann@example.org", now).unwrap();
        for _ in 0..2 {
            assert_eq!(state.erase_address(&ann, now).unwrap(), Some(2));
            let left: Vec<String> = state
                .subscriptions()
                .unwrap()
                .into_iter()
                .map(|one| one.email)
                .collect();
            assert_eq!(left, ["bob@example.org"]);
            for name in ["state.db", "state.db-wal"] {
                let bytes = fs::read(folder.path().join(name)).unwrap();
                for text in ["ann@", "wheelbarrow"] {
                    assert!(
                        !bytes.windows(text.len()).any(|run| run == text.as_bytes()),
                        "{text} in {name}"
                    );
                }
            }
            assert_eq!(
                state.unsubscribe(&token, &consent).unwrap(),
                UnsubscribeOutcome::AlreadyEnded
            );
            let count = "SELECT count(*) FROM consents WHERE event = 'subscribed' AND key_id = 7";
            let kept: i64 = state.connection.query_row(count, [], |row| row.get(0)).unwrap();
            assert!(kept >= 3, "the consent records stay");
            for keyword in ["wheelbarrow", "snow"] {
                state
                    .subscribe(&request(ann.as_str(), keyword), &consent)
                    .unwrap()
                    .unwrap();
            }
        }
        assert_eq!(state.subscriptions_of(ann.as_str()).unwrap().len(), 2);
    }
}
