//! API keys: made, listed and revoked in the database.
//!
//! The database holds a key's SHA-256, never the key: it is shown once, when it is made. A running server looks keys up in the
//! [`KeyRing`](super::watch::KeyRing); a request touches no database, and a wrong key costs one hash at most.

use anyhow::{Context, bail, ensure};
use chrono::{DateTime, Utc};
use rusqlite::{Row, params, types::Type};
use sha2::{Digest, Sha256};

use crate::{model::plans::Plan, state::State, storage::hex::hex};

/// A key as it is kept: all but the key itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    pub id: i64,
    pub plan: Plan,
    pub label: String,
    pub created_at: DateTime<Utc>,
    /// The moment from which it no longer works.
    pub expires_at: Option<DateTime<Utc>>,
    pub disabled_at: Option<DateTime<Utc>>,
}

/// Why a key is not accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KeyError {
    Unknown,
    Revoked,
    Expired(DateTime<Utc>),
}

/// Looked up by value, which needs no constant time: who could learn of a hash from the time it takes would still have to find what it is the hash of.
pub(super) type Hash = [u8; 32];

/// The rows of the table: the keys, and for each row that holds none the reason.
pub(super) struct Keys {
    pub known: Vec<(Hash, Key)>,
    pub refused: Vec<String>,
}

/// How a key starts, so that one that leaked into a text is recognized.
pub const PREFIX: &str = "pk_";

/// The random bytes of a key.
const RANDOM_BYTES: usize = 20;

impl State {
    /// Makes a key and tells it, this once. The label is one line.
    pub fn create_key(
        &self,
        plan: Plan,
        label: &str,
        now: DateTime<Utc>,
        expires_at: Option<DateTime<Utc>>,
    ) -> anyhow::Result<String> {
        let label = label.trim();
        ensure!(
            !label.is_empty() && !label.contains(char::is_control),
            "a key's label is one line of text that tells whose it is"
        );
        let mut random = [0; RANDOM_BYTES];
        getrandom::fill(&mut random).context("drawing random bytes for the key")?;
        let key = format!("{PREFIX}{}", hex(&random));
        let insert = "INSERT INTO keys (sha256, plan, label, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)";
        let expires_at = expires_at.map(|moment| moment.timestamp());
        self.connection
            .execute(
                insert,
                params![sha256(&key), plan.name(), label, now.timestamp(), expires_at],
            )
            .context("writing the new key")?;
        Ok(key)
    }

    /// Every key ever made, oldest first. A row that holds no usable key is logged.
    pub fn keys(&self) -> anyhow::Result<Vec<Key>> {
        let Keys { known, refused } = self.read_keys()?;
        for why in refused {
            log::warn!("{why}; it is refused");
        }
        Ok(known.into_iter().map(|(_, key)| key).collect())
    }

    /// Makes a key stop working. One that was revoked already stays so.
    pub fn revoke_key(&self, id: i64, now: DateTime<Utc>) -> anyhow::Result<()> {
        let update = "UPDATE keys SET disabled_at = coalesce(disabled_at, ?2) WHERE id = ?1";
        let changed = self.connection.execute(update, params![id, now.timestamp()]);
        match changed.context("revoking a key")? {
            0 => bail!("no key has the id {id}; `procure keys list` shows them all"),
            _ => Ok(()),
        }
    }

    pub(super) fn read_keys(&self) -> anyhow::Result<Keys> {
        let select = "SELECT sha256, id, plan, label, created_at, expires_at, disabled_at FROM keys ORDER BY id";
        let mut select = self.connection.prepare_cached(select)?;
        let mut rows = select.query([]).context("reading the keys")?;
        let mut keys = Keys {
            known: Vec::new(),
            refused: Vec::new(),
        };
        while let Some(row) = rows.next().context("reading the keys")? {
            match key(row) {
                Ok(hashed) => keys.known.push(hashed),
                Err(error) => keys
                    .refused
                    .push(format!("key {} cannot be used: {error}", row.get::<_, i64>(1)?)),
            }
        }
        Ok(keys)
    }
}

/// What a client's text is looked up by; none where no key has that length, so that a long text is not worth sending.
pub(super) fn hash(key: &str) -> Option<Hash> {
    (key.len() == PREFIX.len() + 2 * RANDOM_BYTES).then(|| sha256(key))
}

fn sha256(key: &str) -> Hash {
    Sha256::digest(key).into()
}

fn key(row: &Row) -> rusqlite::Result<(Hash, Key)> {
    let malformed =
        |column: usize, why: String| rusqlite::Error::FromSqlConversionFailure(column, Type::Null, why.into());
    let moment = |column: usize| -> rusqlite::Result<Option<DateTime<Utc>>> {
        let seconds: Option<i64> = row.get(column)?;
        // What is no moment must not read as no end.
        let moment = seconds.map(|seconds| {
            DateTime::from_timestamp(seconds, 0).ok_or_else(|| malformed(column, format!("{seconds} is no moment")))
        });
        moment.transpose()
    };
    let plan: String = row.get(2)?;
    let unknown = || malformed(2, format!("'{plan}' is not a plan; the plans are {}", Plan::names()));
    let key = Key {
        id: row.get(1)?,
        plan: Plan::parse(&plan).ok_or_else(unknown)?,
        label: row.get(3)?,
        created_at: moment(4)?.unwrap_or_default(),
        expires_at: moment(5)?,
        disabled_at: moment(6)?,
    };
    Ok((row.get(0)?, key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{model::plans::Plans, state::watch::Watch};

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    fn error<T>(checked: Result<T, KeyError>) -> KeyError {
        checked.err().unwrap()
    }

    #[test]
    fn a_key_works_until_it_is_revoked_or_expires() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let mut watch = Watch::open(&path, Plans::default(), at(0)).unwrap();
        let ring = watch.ring();
        assert!(ring.is_empty());

        let state = State::open(&path).unwrap();
        let lasting = state.create_key(Plan::Pro, "lasting", at(0), None).unwrap();
        let fleeting = state
            .create_key(Plan::Basic, " fleeting ", at(0), Some(at(100)))
            .unwrap();
        assert_eq!(error(ring.check(&lasting, at(1))), KeyError::Unknown);

        assert!(watch.step(at(1)).unwrap());
        assert!(!watch.step(at(1)).unwrap());
        assert_eq!(ring.check(&lasting, at(1)).unwrap().key.plan, Plan::Pro);
        assert_eq!(ring.check(&fleeting, at(99)).unwrap().key.label, "fleeting");
        assert_eq!(error(ring.check(&fleeting, at(100))), KeyError::Expired(at(100)));
        for wrong in [
            "",
            "pk_",
            &"x".repeat(43),
            &"x".repeat(1 << 20),
            &lasting.to_uppercase(),
        ] {
            assert_eq!(error(ring.check(wrong, at(1))), KeyError::Unknown);
        }

        state.revoke_key(1, at(5)).unwrap();
        state.revoke_key(1, at(6)).unwrap();
        assert!(watch.step(at(6)).unwrap());
        assert_eq!(error(ring.check(&lasting, at(6))), KeyError::Revoked);
        assert_eq!(state.keys().unwrap()[0].disabled_at, Some(at(5)));
        assert!(state.revoke_key(7, at(6)).is_err());
        for label in ["", " ", "a\nb"] {
            assert!(state.create_key(Plan::Pro, label, at(0), None).is_err());
        }
    }

    #[test]
    fn a_row_that_holds_no_key_harms_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let state = State::open(&path).unwrap();
        let good = state.create_key(Plan::Pro, "good", at(0), None).unwrap();
        let gold = state.create_key(Plan::Pro, "gold", at(0), None).unwrap();
        let never = state.create_key(Plan::Pro, "never", at(0), Some(at(9))).unwrap();
        let by_hand =
            "UPDATE keys SET plan = 'GOLD' WHERE id = 2; UPDATE keys SET expires_at = 9223372036854775807 WHERE id = 3;
             INSERT INTO keys VALUES (4, x'00', 'PRO', 'short', 0, NULL, NULL)";
        state.connection.execute_batch(by_hand).unwrap();
        let Keys { known, refused } = state.read_keys().unwrap();
        assert_eq!(known.len(), 1);
        assert_eq!(refused.len(), 3);
        assert!(
            refused[0].starts_with("key 2 cannot be used: ") && refused[0].contains("'GOLD' is not a plan; the plans are"),
            "{refused:?}"
        );
        let watch = Watch::open(&path, Plans::default(), at(0)).unwrap();
        assert!(watch.ring().check(&good, at(1)).is_ok());
        for refused in [gold, never] {
            assert_eq!(error(watch.ring().check(&refused, at(1))), KeyError::Unknown);
        }
    }

    #[test]
    fn the_key_itself_is_nowhere_in_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let state = State::open(&path).unwrap();
        let key = state.create_key(Plan::Mega, "x", at(0), None).unwrap();
        assert_eq!(key.len(), PREFIX.len() + 2 * RANDOM_BYTES);
        drop(state);
        let file = std::fs::read(&path).unwrap();
        assert!(!file.windows(key.len()).any(|window| window == key.as_bytes()));
    }
}
