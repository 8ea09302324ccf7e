//! Service addresses: each has a token that opens the reconciliation service for one key, for programs that send no
//! header. The token is all that a client needs, so it is stored and looked up as a key is: the database has its
//! SHA-256, and a running server has all of them in the [`KeyRing`](super::sync::KeyRing).

use anyhow::{Context, bail, ensure};
use chrono::{DateTime, Utc};
use rusqlite::{Row, params};

use crate::state::{
    database::StateDb,
    keys::{ApiKey, KeyHash, RANDOM_BYTES, check_label, moment, random_secret, sha256},
};

/// A stored address: everything but its token.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ServiceAddress {
    pub(crate) id: i64,
    /// The database id of the key that its requests count against.
    pub(crate) key_id: i64,
    pub(crate) label: String,
    pub(crate) created_at: DateTime<Utc>,
    pub(crate) revoked_at: Option<DateTime<Utc>>,
}

/// The rows of the table: the addresses, and for each malformed row the reason.
#[derive(Default)]
pub(super) struct AddressRows {
    pub(super) valid: Vec<(KeyHash, ServiceAddress)>,
    pub(super) malformed: Vec<String>,
}

/// The prefix of every token. It ends like that of keys, so that a leaked token is recognized wherever a key is, and it
/// is longer, so that no token has the length of a key.
pub(crate) const PREFIX: &str = "rpk_";

impl StateDb {
    /// Creates an address for a key that is in force, and returns its token. The label is one line.
    pub fn create_service_address(&self, key_id: i64, label: &str, now: DateTime<Utc>) -> anyhow::Result<String> {
        let label = check_label(label, "who uses the address")?;
        let keys = self.keys()?;
        let key = keys.iter().find(|key| key.id == key_id);
        let key = key.with_context(|| format!("no key has the id {key_id}; `procure keys list` lists the keys"))?;
        ensure!(
            is_in_force(key, now),
            "key {key_id} was revoked or has expired; create the address for a key that works"
        );
        let token = random_secret(PREFIX)?;
        let insert = "INSERT INTO service_addresses (sha256, key_id, label, created_at) VALUES (?1, ?2, ?3, ?4)";
        self.connection
            .execute(insert, params![sha256(&token), key_id, label, now.timestamp()])
            .context("writing the new address")?;
        Ok(token)
    }

    /// Every address ever created, the oldest first. A malformed row is logged and skipped.
    pub(crate) fn service_addresses(&self) -> anyhow::Result<Vec<ServiceAddress>> {
        let AddressRows { valid, malformed } = self.read_service_addresses()?;
        for why in malformed {
            log::warn!("{why}; it is refused");
        }
        Ok(valid.into_iter().map(|(_, address)| address).collect())
    }

    /// Revokes an address. One that is already revoked keeps its time of revocation.
    pub fn revoke_service_address(&self, id: i64, now: DateTime<Utc>) -> anyhow::Result<()> {
        let update = "UPDATE service_addresses SET revoked_at = coalesce(revoked_at, ?2) WHERE id = ?1";
        match self.revoke(update, id, now, "address")? {
            0 => bail!("no address has the id {id}; `procure keys address list` lists the addresses"),
            _ => Ok(()),
        }
    }

    pub(super) fn read_service_addresses(&self) -> anyhow::Result<AddressRows> {
        let select = "SELECT sha256, id, key_id, label, created_at, revoked_at FROM service_addresses ORDER BY id";
        let mut select = self.connection.prepare_cached(select)?;
        let mut rows = select.query([]).context("reading the service addresses")?;
        let mut addresses = AddressRows::default();
        while let Some(row) = rows.next().context("reading the service addresses")? {
            match address(row) {
                Ok(hashed) => addresses.valid.push(hashed),
                Err(error) => {
                    let id: i64 = row.get(1)?;
                    let why = format!("service address {id} cannot be used: {error}");
                    addresses.malformed.push(why);
                }
            }
        }
        Ok(addresses)
    }
}

/// The hash of a client's token; `None` if no token has that form, so that hashing stays cheap.
pub(super) fn hash_token(token: &str) -> Option<KeyHash> {
    let is_token = token.starts_with(PREFIX) && token.len() == PREFIX.len() + 2 * RANDOM_BYTES;
    is_token.then(|| sha256(token))
}

fn is_in_force(key: &ApiKey, now: DateTime<Utc>) -> bool {
    key.disabled_at.is_none() && key.expires_at.is_none_or(|end| end > now)
}

fn address(row: &Row) -> rusqlite::Result<(KeyHash, ServiceAddress)> {
    let address = ServiceAddress {
        id: row.get(1)?,
        key_id: row.get(2)?,
        label: row.get(3)?,
        created_at: moment(row, 4)?.expect("the column is NOT NULL"),
        revoked_at: moment(row, 5)?,
    };
    Ok((row.get(0)?, address))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{Plan, Plans},
        state::{
            keys::KeyError,
            sync::{KeyRing, StateSync},
        },
    };

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    /// The key that a token counts against, or why it is refused.
    fn key_of(ring: &KeyRing, token: &str, now: i64) -> Result<i64, KeyError> {
        ring.check_token(token, at(now)).map(|account| account.key.id)
    }

    #[test]
    fn an_address_works_until_it_or_its_key_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let state = StateDb::open(&path).unwrap();
        let key = state.create_key(Plan::Pro, "lasting", at(0), None).unwrap();
        state.create_key(Plan::Pro, "fleeting", at(0), Some(at(100))).unwrap();
        let mut sync = StateSync::open(&path, Plans::default(), at(0)).unwrap();
        let ring = sync.ring();
        let of_lasting = state.create_service_address(1, " OpenRefine ", at(1)).unwrap();
        let of_fleeting = state.create_service_address(2, "x", at(1)).unwrap();
        assert_eq!(key_of(&ring, &of_lasting, 1), Err(KeyError::Unknown));
        assert!(sync.step(at(1)).unwrap() && !sync.step(at(1)).unwrap());
        assert_eq!(key_of(&ring, &of_lasting, 1), Ok(1));
        assert_eq!(key_of(&ring, &of_fleeting, 99), Ok(2));
        assert_eq!(key_of(&ring, &of_fleeting, 100), Err(KeyError::Expired(at(100))));
        for wrong in ["", &key, &of_lasting.to_uppercase(), &"x".repeat(1 << 20)] {
            assert_eq!(key_of(&ring, wrong, 1), Err(KeyError::Unknown));
        }
        assert_eq!(ring.check(&of_lasting, at(1)).err(), Some(KeyError::Unknown));

        state.revoke_service_address(1, at(5)).unwrap();
        state.revoke_service_address(1, at(6)).unwrap();
        assert!(sync.step(at(6)).unwrap());
        assert_eq!(key_of(&ring, &of_lasting, 6), Err(KeyError::Revoked));
        assert!(ring.check(&key, at(6)).is_ok());
        let second = state.create_service_address(1, "second", at(6)).unwrap();
        state.revoke_key(1, at(7)).unwrap();
        sync.step(at(7)).unwrap();
        assert_eq!(key_of(&ring, &second, 7), Err(KeyError::Revoked));
        let listed = state.service_addresses().unwrap();
        assert_eq!(
            (listed[0].revoked_at, listed[0].label.as_str()),
            (Some(at(5)), "OpenRefine")
        );
        assert!(state.revoke_service_address(9, at(7)).is_err());
    }

    #[test]
    fn only_a_key_in_force_gets_an_address() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateDb::open(&folder.path().join("state.db")).unwrap();
        state.create_key(Plan::Pro, "revoked", at(0), None).unwrap();
        state.create_key(Plan::Pro, "fleeting", at(0), Some(at(100))).unwrap();
        state.revoke_key(1, at(1)).unwrap();
        for (key, now) in [(1, 2), (2, 100), (3, 2)] {
            assert!(state.create_service_address(key, "x", at(now)).is_err(), "key {key}");
        }
        for label in ["", " ", "a\nb"] {
            assert!(state.create_service_address(2, label, at(2)).is_err());
        }
        assert!(state.service_addresses().unwrap().is_empty());
    }

    #[test]
    fn the_file_does_not_contain_the_token_and_a_malformed_row_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let state = StateDb::open(&path).unwrap();
        state.create_key(Plan::Pro, "x", at(0), None).unwrap();
        let (good, bad) = (
            state.create_service_address(1, "x", at(0)).unwrap(),
            state.create_service_address(1, "x", at(0)).unwrap(),
        );
        let by_hand = "UPDATE service_addresses SET revoked_at = 9223372036854775807 WHERE id = 2";
        state.connection.execute_batch(by_hand).unwrap();
        let sync = StateSync::open(&path, Plans::default(), at(0)).unwrap();
        assert_eq!(key_of(&sync.ring(), &good, 1), Ok(1));
        assert_eq!(key_of(&sync.ring(), &bad, 1), Err(KeyError::Unknown));
        drop((state, sync));
        let file = std::fs::read(&path).unwrap();
        assert!(!file.windows(good.len()).any(|window| window == good.as_bytes()));
    }
}
