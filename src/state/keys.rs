//! API keys: made, listed and revoked in the database, looked up in memory.
//!
//! The database holds a key's SHA-256, never the key: it is shown once, when it is made. A running server looks keys up in a [`KeyRing`],
//! a map that [`Watch::refresh`] reloads when another process has written; a request touches no database, and a wrong key costs one hash.

use std::{collections::HashMap, path::Path, sync::Arc};

use anyhow::{Context, bail};
use arc_swap::ArcSwap;
use chrono::{DateTime, Utc};
use rusqlite::{Row, params, types::Type};
use sha2::{Digest, Sha256};

use crate::{plans::Plan, state::State};

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

type Hash = [u8; 32];

/// How a key starts, so that one that leaked into a text is recognized.
const PREFIX: &str = "pk_";

/// The random bytes of a key.
const RANDOM_BYTES: usize = 20;

impl State {
    /// Makes a key and tells it, this once.
    pub fn create_key(
        &self,
        plan: Plan,
        label: &str,
        now: DateTime<Utc>,
        expires_at: Option<DateTime<Utc>>,
    ) -> anyhow::Result<String> {
        let mut random = [0; RANDOM_BYTES];
        getrandom::fill(&mut random).context("drawing random bytes for the key")?;
        let hex: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let key = format!("{PREFIX}{hex}");
        let insert = "INSERT INTO keys (sha256, plan, label, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)";
        let expires_at = expires_at.map(|moment| moment.timestamp());
        self.connection
            .execute(
                insert,
                params![hash(&key), plan.name(), label, now.timestamp(), expires_at],
            )
            .context("writing the new key")?;
        Ok(key)
    }

    /// Every key ever made, oldest first.
    pub fn keys(&self) -> anyhow::Result<Vec<Key>> {
        Ok(self.hashed_keys()?.into_iter().map(|(_, key)| key).collect())
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

    fn hashed_keys(&self) -> anyhow::Result<Vec<(Hash, Key)>> {
        let select = "SELECT sha256, id, plan, label, created_at, expires_at, disabled_at FROM keys ORDER BY id";
        let mut select = self.connection.prepare_cached(select)?;
        let rows = select.query_map([], key)?;
        rows.collect::<Result<_, _>>().context("reading the keys")
    }
}

/// The keys in memory, shared by every request.
#[derive(Clone, Default)]
pub struct KeyRing(Arc<ArcSwap<HashMap<Hash, Arc<Key>>>>);

impl KeyRing {
    /// The key a client sent, if it works at this moment.
    pub fn check(&self, key: &str, now: DateTime<Utc>) -> Result<Arc<Key>, KeyError> {
        let keys = self.0.load();
        let key = keys.get(&hash(key)).ok_or(KeyError::Unknown)?;
        match key.expires_at {
            _ if key.disabled_at.is_some() => Err(KeyError::Revoked),
            Some(end) if end <= now => Err(KeyError::Expired(end)),
            _ => Ok(Arc::clone(key)),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.load().is_empty()
    }
}

/// Keeps a [`KeyRing`] as the database is.
pub struct Watch {
    state: State,
    seen: Option<i64>,
    ring: KeyRing,
}

impl Watch {
    /// Opens the database and reads the keys.
    pub fn open(path: &Path) -> anyhow::Result<Watch> {
        let mut watch = Watch {
            state: State::open(path)?,
            seen: None,
            ring: KeyRing::default(),
        };
        watch.refresh()?;
        Ok(watch)
    }

    pub fn ring(&self) -> KeyRing {
        self.ring.clone()
    }

    /// Reads the keys again if another process has written since; tells whether it did.
    pub fn refresh(&mut self) -> anyhow::Result<bool> {
        // Asked before the keys are read: a write in between is seen next time.
        let version = self.state.data_version()?;
        if self.seen == Some(version) {
            return Ok(false);
        }
        let keys = self.state.hashed_keys()?.into_iter();
        let keys = keys.map(|(hash, key)| (hash, Arc::new(key))).collect();
        self.ring.0.store(Arc::new(keys));
        self.seen = Some(version);
        Ok(true)
    }
}

fn hash(key: &str) -> Hash {
    Sha256::digest(key).into()
}

fn key(row: &Row) -> rusqlite::Result<(Hash, Key)> {
    let moment = |column: usize| -> rusqlite::Result<Option<DateTime<Utc>>> {
        let seconds: Option<i64> = row.get(column)?;
        Ok(seconds.and_then(|seconds| DateTime::from_timestamp(seconds, 0)))
    };
    let plan: String = row.get(2)?;
    let unknown = || rusqlite::Error::FromSqlConversionFailure(2, Type::Text, format!("'{plan}' is no plan").into());
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

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    #[test]
    fn a_key_works_until_it_is_revoked_or_expires() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let mut watch = Watch::open(&path).unwrap();
        let ring = watch.ring();
        assert!(ring.is_empty());

        let state = State::open(&path).unwrap();
        let lasting = state.create_key(Plan::Pro, "lasting", at(0), None).unwrap();
        let fleeting = state.create_key(Plan::Basic, "fleeting", at(0), Some(at(100))).unwrap();
        assert_eq!(ring.check(&lasting, at(1)), Err(KeyError::Unknown));

        assert!(watch.refresh().unwrap());
        assert!(!watch.refresh().unwrap());
        assert_eq!(ring.check(&lasting, at(1)).unwrap().plan, Plan::Pro);
        assert_eq!(ring.check(&fleeting, at(99)).unwrap().label, "fleeting");
        assert_eq!(ring.check(&fleeting, at(100)), Err(KeyError::Expired(at(100))));
        assert_eq!(ring.check("pk_", at(1)), Err(KeyError::Unknown));

        state.revoke_key(1, at(5)).unwrap();
        state.revoke_key(1, at(6)).unwrap();
        assert!(watch.refresh().unwrap());
        assert_eq!(ring.check(&lasting, at(6)), Err(KeyError::Revoked));
        assert_eq!(state.keys().unwrap()[0].disabled_at, Some(at(5)));
        assert!(state.revoke_key(7, at(6)).is_err());
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
