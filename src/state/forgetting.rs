//! Forgetting a person who asks for it: what names them or tells what they wanted is erased, and of the proof only what shows that there was consent.
//!
//! | | afterwards |
//! |---|---|
//! | address | its SHA-256: who complains under the same address can be shown the proof |
//! | subscriptions | ended, with nothing of what was asked for; the links that were mailed still answer |
//! | proof | event, time, key and the connection it came from; not the words |
//! | setbacks | gone: a mail server's words hold the address |
//! | mailings | stay, as hashes, for as long as all do, so that an address that comes back is not told of a tender again |

use anyhow::Context;
use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension, Transaction, TransactionBehavior, params};

use crate::{
    model::email::EmailAddress,
    state::{State, mailings::Addressee, subscriptions::Evidence},
};

/// What stands in the proof where a request's id would.
const BY_OPERATOR: &str = "procure alerts forget";

impl State {
    /// Tells how many live subscriptions that ended; `None` where the address is not known.
    pub fn forget(&mut self, email: &EmailAddress, now: DateTime<Utc>) -> anyhow::Result<Option<usize>> {
        self.check_place()?;
        // What is overwritten leaves no copy behind in the file.
        self.connection.pragma_update(None, "secure_delete", true)?;
        let change = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let ended = forget(&change, email, now).context("forgetting an address")?;
        change.commit().context("forgetting an address")?;
        // Nor in the journal beside it, unless someone is reading there: then it goes with the next one written.
        let truncate = |row: &rusqlite::Row| row.get::<_, i64>(0);
        let checkpoint = self
            .connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], truncate);
        checkpoint.context("clearing the journal of what was forgotten")?;
        Ok(ended)
    }
}

fn forget(change: &Transaction, email: &EmailAddress, now: DateTime<Utc>) -> rusqlite::Result<Option<usize>> {
    let select = "SELECT id FROM addresses WHERE email = ?1";
    let known = change.query_row(select, [email.as_str()], |row| row.get::<_, i64>(0));
    let Some(id) = known.optional()? else {
        return Ok(None);
    };
    let mut select =
        change.prepare("SELECT id FROM subscriptions WHERE address_id = ?1 AND unsubscribed_at IS NULL")?;
    let live: Vec<i64> = select.query_map([id], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let evidence = Evidence {
        at: now,
        key_id: None,
        request_id: BY_OPERATOR,
        peer: None,
        forwarded_for: None,
        words: "",
    };
    for subscription in &live {
        evidence.write(change, *subscription, "unsubscribed")?;
    }
    let erase =
        "UPDATE consents SET words = '' WHERE subscription_id IN (SELECT id FROM subscriptions WHERE address_id = ?1)";
    change.execute(erase, [id])?;
    let erase = "UPDATE subscriptions SET identity = 'forgotten ' || id, keywords = '[]', department = NULL, municipality = NULL, category = NULL,
         unsubscribed_at = coalesce(unsubscribed_at, ?2) WHERE address_id = ?1";
    change.execute(erase, params![id, now.timestamp()])?;
    let addressee = Addressee::new(email.as_str());
    change.execute("DELETE FROM setbacks WHERE address = ?1", [addressee.bytes()])?;
    let erase = "UPDATE addresses SET email = 'forgotten ' || id || ' ' || lower(hex(?2)) WHERE id = ?1";
    change.execute(erase, params![id, addressee.bytes()])?;
    Ok(Some(live.len()))
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs};

    use super::*;
    use crate::{
        model::stem::Language,
        query::keyword::Keyword,
        state::{
            subscriptions::{Frequency, Locale, Wanted},
            tokens::Unsubscribed,
        },
    };

    #[test]
    fn what_is_forgotten_is_nowhere_in_the_file_and_can_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let mut state = State::open(&path).unwrap();
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let wanted = |email: &str, keyword: &str| Wanted {
            email: EmailAddress::parse(email).unwrap(),
            keywords: vec![Keyword::parse(keyword).unwrap()],
            department: None,
            municipality: None,
            category: None,
            languages: BTreeSet::from(Language::ALL),
            frequency: Frequency::Daily,
            locale: Locale::En,
        };
        let evidence = Evidence {
            at: now,
            key_id: Some(7),
            request_id: "r1",
            peer: None,
            forwarded_for: None,
            words: "wheelbarrow",
        };
        let ann = EmailAddress::parse("ann@example.org").unwrap();
        assert_eq!(state.forget(&ann, now).unwrap(), None);
        for (email, keyword) in [
            ("ann@example.org", "wheelbarrow"),
            ("ann@example.org", "snow"),
            ("bob@example.org", "ice"),
        ] {
            let evidence = Evidence {
                words: keyword,
                ..evidence
            };
            state.subscribe(&wanted(email, keyword), &evidence).unwrap().unwrap();
        }
        let subscriptions = state.subscriptions_of("ann@example.org").unwrap();
        let token = state.unsubscribe_token(&subscriptions[0]).unwrap();
        let addressee = Addressee::new(ann.as_str());
        state.pause_address(addressee, "550 no ann@example.org", now).unwrap();
        for _ in 0..2 {
            assert_eq!(state.forget(&ann, now).unwrap(), Some(2));
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
            assert_eq!(state.unsubscribe(&token, &evidence).unwrap(), Unsubscribed::Already);
            let count = "SELECT count(*) FROM consents WHERE event = 'subscribed' AND key_id = 7";
            let kept: i64 = state.connection.query_row(count, [], |row| row.get(0)).unwrap();
            assert!(kept >= 3, "the proof stays");
            for keyword in ["wheelbarrow", "snow"] {
                state
                    .subscribe(&wanted(ann.as_str(), keyword), &evidence)
                    .unwrap()
                    .unwrap();
            }
        }
        assert_eq!(state.subscriptions_of(ann.as_str()).unwrap().len(), 2);
    }
}
