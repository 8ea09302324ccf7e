//! API keys in the database: creating, listing and revoking them.
//!
//! The database stores a key's SHA-256, never the key. The key is shown once, when it is created. A
//! running server looks keys up in the [`KeyRing`](super::sync::KeyRing): no request accesses the
//! database, and a wrong key costs at most one hash.

use anyhow::{Context, bail, ensure};
use chrono::{DateTime, Utc};
use rusqlite::{Row, params, types::Type};
use sha2::{Digest, Sha256};

use crate::{
    model::Plan,
    state::database::{StateDb, with_remedy, with_reserve},
    storage::hex::hex,
};

/// A stored key: everything but the key itself.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ApiKey {
    pub(crate) id: i64,
    pub(crate) plan: Plan,
    pub(crate) label: String,
    pub(crate) created_at: DateTime<Utc>,
    /// From this moment on the key is refused.
    pub(crate) expires_at: Option<DateTime<Utc>>,
    pub(crate) disabled_at: Option<DateTime<Utc>>,
    /// Whether alerts that it subscribes need no confirmation, because its owner has
    /// confirmed them.
    pub(crate) has_trusted_consent: bool,
}

/// Why a key is not accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum KeyError {
    Unknown,
    Revoked,
    Expired(DateTime<Utc>),
}

/// The SHA-256 of a key. The lookup need not take constant time: a client that learned a hash from
/// the time it takes would still have to find the key with that hash.
pub(super) type KeyHash = [u8; 32];

/// The rows of the table: the keys, and for each malformed row the reason.
pub(super) struct KeyRows {
    pub(crate) valid: Vec<(KeyHash, ApiKey)>,
    pub(crate) malformed: Vec<String>,
}

/// The prefix of every key, so that a key leaked into a text is recognized.
pub(crate) const PREFIX: &str = "pk_";

/// The random bytes of a key, and of the token of an address.
pub(super) const RANDOM_BYTES: usize = 20;

impl StateDb {
    /// Creates a key and returns it. The label is one line.
    pub fn create_key(
        &self,
        plan: Plan,
        label: &str,
        now: DateTime<Utc>,
        expires_at: Option<DateTime<Utc>>,
    ) -> anyhow::Result<String> {
        self.insert_key(plan, label, now, expires_at, false)
    }

    /// Creates a key whose subscriptions need no confirmation, and returns it.
    pub fn create_trusted_key(
        &self,
        plan: Plan,
        label: &str,
        now: DateTime<Utc>,
        expires_at: Option<DateTime<Utc>>,
    ) -> anyhow::Result<String> {
        self.insert_key(plan, label, now, expires_at, true)
    }

    fn insert_key(
        &self,
        plan: Plan,
        label: &str,
        now: DateTime<Utc>,
        expires_at: Option<DateTime<Utc>>,
        has_trusted_consent: bool,
    ) -> anyhow::Result<String> {
        let label = check_label(label, "the key's owner")?;
        let key = random_secret(PREFIX)?;
        let insert = "INSERT INTO keys (sha256, plan, label, created_at, expires_at, trusted_consent) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let expires_at = expires_at.map(|moment| moment.timestamp());
        self.connection
            .execute(
                insert,
                params![
                    sha256(&key),
                    plan.name(),
                    label,
                    now.timestamp(),
                    expires_at,
                    has_trusted_consent
                ],
            )
            .context("writing the new key")?;
        Ok(key)
    }

    /// Every key ever created, the oldest first. A malformed row is logged and skipped.
    pub(crate) fn keys(&self) -> anyhow::Result<Vec<ApiKey>> {
        let KeyRows { valid, malformed } = self.read_keys()?;
        for why in malformed {
            log::warn!("{why}; it is refused");
        }
        Ok(valid.into_iter().map(|(_, key)| key).collect())
    }

    /// Revokes a key. A key that is already revoked keeps its time of revocation.
    pub fn revoke_key(&self, id: i64, now: DateTime<Utc>) -> anyhow::Result<()> {
        let update = "UPDATE keys SET disabled_at = coalesce(disabled_at, ?2) WHERE id = ?1";
        match self.revoke(update, id, now, "key")? {
            0 => bail!("no key has the id {id}; `procure keys list` lists the keys"),
            _ => Ok(()),
        }
    }

    /// Runs an update that revokes the row `id` of a kind, also on a full disk. Returns how many rows it changed.
    pub(super) fn revoke(&self, update: &str, id: i64, now: DateTime<Utc>, kind: &str) -> anyhow::Result<usize> {
        // A secret may have leaked just when the disk is full.
        let revoke = || Ok(self.connection.execute(update, params![id, now.timestamp()])?);
        let changed = with_reserve(&self.path, 0, revoke).map_err(|error| with_remedy(&self.path, error));
        let state = self.path.display();
        changed.with_context(|| format!("{kind} {id} is not revoked in the state database {state}"))
    }

    /// Sets whether subscriptions of a key need no confirmation. Those that wait go on waiting.
    pub(crate) fn trust_key(&self, id: i64, has_trusted_consent: bool) -> anyhow::Result<()> {
        let update = "UPDATE keys SET trusted_consent = ?2 WHERE id = ?1";
        let changed = self.connection.execute(update, params![id, has_trusted_consent]);
        match changed.context("changing a key")? {
            0 => bail!("no key has the id {id}; `procure keys list` lists the keys"),
            _ => Ok(()),
        }
    }

    /// Makes the key ids 1 to 60 those of trusted keys, for tests that subscribe without a client.
    #[cfg(test)]
    pub(super) fn trust_made_up_keys(&self) {
        let insert = "WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < 60)
             INSERT INTO keys (id, sha256, plan, label, created_at, trusted_consent)
             SELECT id, CAST(id AS BLOB), 'PRO', 'made up', 0, 1 FROM ids";
        self.connection.execute(insert, []).unwrap();
    }

    pub(super) fn read_keys(&self) -> anyhow::Result<KeyRows> {
        let select = "SELECT sha256, id, plan, label, created_at, expires_at, disabled_at, trusted_consent FROM keys ORDER BY id";
        let mut select = self.connection.prepare_cached(select)?;
        let mut rows = select.query([]).context("reading the keys")?;
        let mut keys = KeyRows {
            valid: Vec::new(),
            malformed: Vec::new(),
        };
        while let Some(row) = rows.next().context("reading the keys")? {
            match key(row) {
                Ok(hashed) => keys.valid.push(hashed),
                Err(error) => keys
                    .malformed
                    .push(format!("key {} cannot be used: {error}", row.get::<_, i64>(1)?)),
            }
        }
        Ok(keys)
    }
}

/// The hash of a client's key; `None` if no key has that length, so that hashing stays cheap.
pub(super) fn hash_key(key: &str) -> Option<KeyHash> {
    (key.len() == PREFIX.len() + 2 * RANDOM_BYTES).then(|| sha256(key))
}

pub(super) fn sha256(secret: &str) -> KeyHash {
    Sha256::digest(secret).into()
}

/// A new secret that cannot be guessed.
pub(super) fn random_secret(prefix: &str) -> anyhow::Result<String> {
    let mut random = [0; RANDOM_BYTES];
    getrandom::fill(&mut random).context("generating random bytes")?;
    Ok(format!("{prefix}{}", hex(&random)))
}

/// A label without white space around it, if it is one line. `named` is what it states.
pub(super) fn check_label<'l>(label: &'l str, named: &str) -> anyhow::Result<&'l str> {
    let label = label.trim();
    ensure!(
        !label.is_empty() && !label.contains(char::is_control),
        "the label must be one line of text that names {named}"
    );
    Ok(label)
}

/// The time in a column of a row. An invalid one is an error, because it must not be read as "no end".
pub(super) fn moment(row: &Row, column: usize) -> rusqlite::Result<Option<DateTime<Utc>>> {
    let seconds: Option<i64> = row.get(column)?;
    let moment = seconds.map(|seconds| {
        DateTime::from_timestamp(seconds, 0).ok_or_else(|| malformed(column, format!("{seconds} is not a valid time")))
    });
    moment.transpose()
}

fn malformed(column: usize, why: String) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Null, why.into())
}

fn key(row: &Row) -> rusqlite::Result<(KeyHash, ApiKey)> {
    let plan: String = row.get(2)?;
    let unknown = || malformed(2, format!("'{plan}' is not a plan; the plans are {}", Plan::names()));
    let key = ApiKey {
        id: row.get(1)?,
        plan: Plan::parse(&plan).ok_or_else(unknown)?,
        label: row.get(3)?,
        created_at: moment(row, 4)?.expect("the column is NOT NULL"),
        expires_at: moment(row, 5)?,
        disabled_at: moment(row, 6)?,
        has_trusted_consent: row.get(7)?,
    };
    Ok((row.get(0)?, key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{model::Plans, state::sync::StateSync};

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
        let mut sync = StateSync::open(&path, Plans::default(), at(0)).unwrap();
        let ring = sync.ring();
        assert!(ring.is_empty());

        let state = StateDb::open(&path).unwrap();
        let lasting = state.create_key(Plan::Pro, "lasting", at(0), None).unwrap();
        let fleeting = state
            .create_key(Plan::Basic, " fleeting ", at(0), Some(at(100)))
            .unwrap();
        assert_eq!(error(ring.check(&lasting, at(1))), KeyError::Unknown);

        assert!(sync.step(at(1)).unwrap());
        assert!(!sync.step(at(1)).unwrap());
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
        assert!(sync.step(at(6)).unwrap());
        assert_eq!(error(ring.check(&lasting, at(6))), KeyError::Revoked);
        assert_eq!(state.keys().unwrap()[0].disabled_at, Some(at(5)));
        assert!(state.revoke_key(7, at(6)).is_err());
        for label in ["", " ", "a\nb"] {
            assert!(state.create_key(Plan::Pro, label, at(0), None).is_err());
        }
    }

    #[test]
    fn a_malformed_row_does_not_affect_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let state = StateDb::open(&path).unwrap();
        let good = state.create_key(Plan::Pro, "good", at(0), None).unwrap();
        let gold = state.create_key(Plan::Pro, "gold", at(0), None).unwrap();
        let never = state.create_key(Plan::Pro, "never", at(0), Some(at(9))).unwrap();
        let by_hand =
            "UPDATE keys SET plan = 'GOLD' WHERE id = 2; UPDATE keys SET expires_at = 9223372036854775807 WHERE id = 3;
             INSERT INTO keys VALUES (4, x'00', 'PRO', 'short', 0, NULL, NULL, 0)";
        state.connection.execute_batch(by_hand).unwrap();
        let KeyRows { valid, malformed } = state.read_keys().unwrap();
        assert_eq!(valid.len(), 1);
        assert_eq!(malformed.len(), 3);
        assert!(
            malformed[0].starts_with("key 2 cannot be used: ")
                && malformed[0].contains("'GOLD' is not a plan; the plans are"),
            "{malformed:?}"
        );
        let sync = StateSync::open(&path, Plans::default(), at(0)).unwrap();
        assert!(sync.ring().check(&good, at(1)).is_ok());
        for refused in [gold, never] {
            assert_eq!(error(sync.ring().check(&refused, at(1))), KeyError::Unknown);
        }
    }

    #[test]
    fn the_file_does_not_contain_the_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let state = StateDb::open(&path).unwrap();
        let key = state.create_key(Plan::Mega, "x", at(0), None).unwrap();
        assert_eq!(key.len(), PREFIX.len() + 2 * RANDOM_BYTES);
        drop(state);
        let file = std::fs::read(&path).unwrap();
        assert!(!file.windows(key.len()).any(|window| window == key.as_bytes()));
    }
}
