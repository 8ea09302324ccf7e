//! Synchronizes a running server with the database: reads changed keys, writes usage counts.
//!
//! One thread owns the [`StateSync`] and its connection. Requests use only the [`KeyRing`] and never
//! wait for the database.

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use anyhow::Context;
use arc_swap::ArcSwap;
use chrono::{DateTime, NaiveDate, Utc};

use crate::{
    model::Plans,
    state::{
        account::Account,
        database::{StateDb, with_remedy},
        keys::{ApiKey, KeyError, KeyHash, KeyRows, hash_key},
        reserve,
        service_addresses::{ServiceAddress, hash_token},
        usage::Increment,
    },
};

/// How long a step waits for another process's write lock: short, because changed keys wait as long.
const BUSY_TIMEOUT: Duration = Duration::from_secs(1);

/// How often the keys are read from the file itself. SQLite keeps pages in memory, and so does not
/// notice that the file is damaged as long as no other process writes to it.
const REREAD_INTERVAL: Duration = Duration::from_secs(60);

/// The accounts of all keys.
#[derive(Default)]
struct Accounts {
    by_hash: HashMap<KeyHash, Arc<Account>>,
    /// The accounts by the database id of their keys.
    by_id: HashMap<i64, Arc<Account>>,
    addresses: HashMap<KeyHash, ServiceAddress>,
}

/// The keys in memory, shared by all requests.
#[derive(Clone)]
pub(crate) struct KeyRing {
    accounts: Arc<ArcSwap<Accounts>>,
    /// When the keys and counts last were in step with the database.
    synced_at: Arc<Mutex<Instant>>,
}

impl KeyRing {
    fn empty() -> KeyRing {
        KeyRing {
            accounts: Arc::default(),
            synced_at: Arc::new(Mutex::new(Instant::now())),
        }
    }

    /// How long ago the keys and counts were last in step with the database. A key that was revoked
    /// since then may still be in force.
    pub(crate) fn age(&self) -> Duration {
        self.synced_at.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }

    fn mark_synced(&self) {
        *self.synced_at.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// The account of a key that a client sent, if the key is valid at this moment.
    pub(crate) fn check(&self, key: &str, now: DateTime<Utc>) -> Result<Arc<Account>, KeyError> {
        let accounts = self.accounts.load();
        let hash = hash_key(key).ok_or(KeyError::Unknown)?;
        valid_at(now, accounts.by_hash.get(&hash))
    }

    /// The account of the key with this database id, if the key is valid at this moment.
    pub(crate) fn by_id(&self, key_id: i64, now: DateTime<Utc>) -> Result<Arc<Account>, KeyError> {
        valid_at(now, self.accounts.load().by_id.get(&key_id))
    }

    /// The account that a request with the token of a service address counts against, if address and key are valid at
    /// this moment.
    pub(crate) fn check_token(&self, token: &str, now: DateTime<Utc>) -> Result<Arc<Account>, KeyError> {
        let accounts = self.accounts.load();
        let address = hash_token(token).and_then(|hash| accounts.addresses.get(&hash));
        let address = address.ok_or(KeyError::Unknown)?;
        if address.revoked_at.is_some() {
            return Err(KeyError::Revoked);
        }
        valid_at(now, accounts.by_id.get(&address.key_id))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.accounts.load().by_hash.is_empty()
    }
}

fn valid_at(now: DateTime<Utc>, account: Option<&Arc<Account>>) -> Result<Arc<Account>, KeyError> {
    let account = account.ok_or(KeyError::Unknown)?;
    if account.key.disabled_at.is_some() {
        return Err(KeyError::Revoked);
    }
    match account.key.expires_at {
        Some(end) if end <= now => Err(KeyError::Expired(end)),
        _ => Ok(Arc::clone(account)),
    }
}

impl Accounts {
    fn of(by_hash: HashMap<KeyHash, Arc<Account>>, addresses: HashMap<KeyHash, ServiceAddress>) -> Accounts {
        let by_id = by_hash.values().map(|account| (account.key.id, Arc::clone(account)));
        Accounts {
            by_id: by_id.collect(),
            by_hash,
            addresses,
        }
    }
}

/// Keeps a [`KeyRing`] and the database in sync.
pub(crate) struct StateSync {
    state: StateDb,
    plans: Plans,
    ring: KeyRing,
    /// The malformed rows that were logged, so that each is logged once.
    malformed: Vec<String>,
    /// The data version and the day of the last step.
    last: Option<(i64, NaiveDate)>,
    /// When the keys were last read.
    read_at: Instant,
    reread_interval: Duration,
    /// When the reserve was last filled, or tried to be.
    filled_at: Instant,
}

impl StateSync {
    /// Opens the database and reads the keys and today's counts.
    pub(crate) fn open(path: &Path, plans: Plans, now: DateTime<Utc>) -> anyhow::Result<StateSync> {
        let mut sync = StateSync {
            state: StateDb::open(path)?,
            plans,
            ring: KeyRing::empty(),
            malformed: Vec::new(),
            last: None,
            read_at: Instant::now(),
            reread_interval: REREAD_INTERVAL,
            filled_at: Instant::now(),
        };
        sync.step(now)
            .map_err(|error| with_remedy(path, error))
            .with_context(|| format!("reading the state database {}", path.display()))?;
        sync.state.set_busy_timeout(BUSY_TIMEOUT)?;
        if let Err(error) = reserve::fill(path) {
            log::warn!(
                "{} has not all the space that revoking a key on a full disk needs: {error}; free space on its disk",
                reserve::path_of(path).display()
            );
        }
        Ok(sync)
    }

    pub(crate) fn ring(&self) -> KeyRing {
        self.ring.clone()
    }

    /// The secret that the sessions of visitors are signed with.
    pub(crate) fn session_secret(&self) -> anyhow::Result<[u8; 32]> {
        self.state.session_secret()
    }

    /// Reads what other processes wrote, and writes the requests counted since the last step. Returns
    /// whether a key or an address changed.
    pub(crate) fn step(&mut self, now: DateTime<Utc>) -> anyhow::Result<bool> {
        self.state.check_file()?;
        // Read first, so that the next step notices a write that happens meanwhile.
        let current = (self.state.data_version()?, now.date_naive());
        let is_due = self.read_at.elapsed() >= self.reread_interval;
        if is_due {
            self.state.forget_pages()?;
        }
        let is_changed = (is_due || self.last.is_none_or(|(version, _)| version != current.0)) && self.read_keys()?;
        let is_written = self.write_usage()?;
        if is_written || self.last != Some(current) {
            self.read_usage(current.1)?;
        }
        self.last = Some(current);
        self.ring.mark_synced();
        // Last, so that a disk with little space has the counts first.
        if self.filled_at.elapsed() >= self.reread_interval {
            self.filled_at = Instant::now();
            // What is missing is tried again. A disk without space is reported by the next write.
            let _ = reserve::fill(&self.state.path);
        }
        Ok(is_changed)
    }

    /// Returns whether a key or an address changed. They themselves are compared, because other servers change the
    /// data version about every second by writing counts.
    fn read_keys(&mut self) -> anyhow::Result<bool> {
        let KeyRows { valid, mut malformed } = self.state.read_keys()?;
        let addresses = self.state.read_service_addresses()?;
        malformed.extend(addresses.malformed);
        let addresses = addresses.valid.into_iter().collect();
        let accounts = self.ring.accounts.load();
        let is_same = accounts.addresses == addresses
            && accounts.by_hash.len() == valid.len()
            && valid
                .iter()
                .all(|(hash, key)| accounts.by_hash.get(hash).is_some_and(|account| account.key == *key));
        if !is_same {
            let account = |(hash, key): (KeyHash, ApiKey)| {
                let limits = *self.plans.limits(key.plan);
                let account = match accounts.by_hash.get(&hash) {
                    Some(account) => account.with_key(key, limits),
                    None => Account::new(key, limits),
                };
                (hash, Arc::new(account))
            };
            let accounts = Accounts::of(valid.into_iter().map(account).collect(), addresses);
            self.ring.accounts.store(Arc::new(accounts));
        }
        for why in malformed.iter().filter(|why| !self.malformed.contains(why)) {
            log::error!("{why}; it is refused");
        }
        self.malformed = malformed;
        self.read_at = Instant::now();
        Ok(!is_same)
    }

    fn write_usage(&mut self) -> anyhow::Result<bool> {
        let accounts = self.ring.accounts.load();
        let mut increments: Vec<Increment> = Vec::new();
        for account in accounts.by_hash.values() {
            let unwritten = account.usage.unwritten().into_iter();
            increments.extend(unwritten.map(|(day, increment)| (account.key.id, day, increment)));
        }
        if increments.is_empty() {
            return Ok(false);
        }
        self.state.add_usage(&increments)?;
        for (key_id, day, increment) in increments {
            accounts.by_id[&key_id].usage.mark_written(day, increment);
        }
        Ok(true)
    }

    fn read_usage(&mut self, today: NaiveDate) -> anyhow::Result<()> {
        if self.last.is_none_or(|(_, day)| day != today) {
            // No reason to fail, in particular not at startup.
            if let Err(error) = self.state.prune_usage(today) {
                log::warn!("old usage counts are kept until tomorrow: {error:#}");
            }
        }
        let used = self.state.usage(today)?;
        for account in self.ring.accounts.load().by_hash.values() {
            account
                .usage
                .set_stored(today, used.get(&account.key.id).copied().unwrap_or(0));
        }
        Ok(())
    }
}

impl Drop for StateSync {
    /// Writes the last counts when the server stops.
    fn drop(&mut self) {
        let written = self.state.check_file().and_then(|()| self.write_usage());
        if let Err(error) = written {
            log::error!("the usage counts of the last requests are lost: {error:#}");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, num::NonZeroU32, path::PathBuf};

    use super::*;

    use crate::model::Plan;

    const NOON: i64 = 1_772_366_400;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    /// A database with one key of the plan.
    fn database(plan: Plan) -> (tempfile::TempDir, PathBuf, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let key = StateDb::open(&path)
            .unwrap()
            .create_key(plan, "x", at(0), None)
            .unwrap();
        (folder, path, key)
    }

    fn open(path: &Path, now: i64) -> StateSync {
        StateSync::open(path, Plans::default(), at(now)).unwrap()
    }

    /// Charges requests and returns what remains of the daily quota.
    fn charge(sync: &StateSync, key: &str, times: u32, now: i64) -> u32 {
        let account = sync.ring().check(key, at(now)).unwrap();
        let cost = NonZeroU32::new(times).unwrap();
        account.charge(cost, at(now)).day.remaining
    }

    #[test]
    fn startup_succeeds_while_another_program_holds_the_write_lock() {
        let (_folder, path, key) = database(Plan::Pro);
        let other = rusqlite::Connection::open(&path).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let sync = open(&path, NOON);
        assert!(sync.ring().check(&key, at(NOON)).is_ok());
    }

    #[test]
    fn servers_that_share_a_database_count_together() {
        let (_folder, path, key) = database(Plan::Pro);
        let (mut one, mut two) = (open(&path, NOON), open(&path, NOON));
        assert_eq!(charge(&one, &key, 10, NOON), 49_990);
        assert_eq!(charge(&two, &key, 5, NOON), 49_995);
        for sync in [&mut one, &mut two] {
            assert!(!sync.step(at(NOON)).unwrap(), "no key changed");
        }
        assert_eq!(charge(&two, &key, 1, NOON), 49_984);
        two.step(at(NOON)).unwrap();
        one.step(at(NOON)).unwrap();
        assert_eq!(charge(&one, &key, 1, NOON), 49_983);
        drop((one, two));
        let state = StateDb::open(&path).unwrap();
        assert_eq!(
            state.usage(at(NOON).date_naive()).unwrap()[&1],
            17,
            "stopping writes the last counts"
        );
        assert_eq!(
            charge(&open(&path, NOON), &key, 1, NOON),
            49_982,
            "and starting reads them"
        );
    }

    #[test]
    fn a_running_server_counts_across_midnight() {
        let (_folder, path, key) = database(Plan::Pro);
        let mut sync = open(&path, NOON);
        let (before, after) = (NOON + 43_199, NOON + 43_200);
        assert_eq!(charge(&sync, &key, 7, before), 49_993);
        assert_eq!(charge(&sync, &key, 3, after), 49_997);
        // When the clock is set back, the old day goes on counting.
        assert_eq!(charge(&sync, &key, 1, before), 49_992);
        sync.step(at(after)).unwrap();
        assert_eq!(charge(&sync, &key, 1, after), 49_996);
        sync.step(at(after)).unwrap();
        let state = StateDb::open(&path).unwrap();
        assert_eq!(state.usage(at(before).date_naive()).unwrap()[&1], 8);
        assert_eq!(state.usage(at(after).date_naive()).unwrap()[&1], 4);
    }

    #[test]
    fn counts_that_cannot_be_written_are_written_later() {
        let (_folder, path, key) = database(Plan::Pro);
        let mut sync = open(&path, NOON);
        sync.state.set_busy_timeout(Duration::from_millis(1)).unwrap();
        let other = rusqlite::Connection::open(&path).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        charge(&sync, &key, 7, NOON);
        let error = format!("{:#}", sync.step(at(NOON)).unwrap_err());
        assert!(error.starts_with("writing the usage counts: "), "{error}");
        assert_eq!(charge(&sync, &key, 1, NOON), 49_992);
        other.execute_batch("COMMIT").unwrap();
        sync.step(at(NOON)).unwrap();
        assert_eq!(sync.state.usage(at(NOON).date_naive()).unwrap()[&1], 8);
    }

    #[test]
    fn a_replaced_state_file_is_detected_and_not_touched() {
        let (_folder, path, key) = database(Plan::Pro);
        let mut sync = open(&path, NOON);
        let aside = path.with_extension("aside");
        fs::rename(&path, &aside).unwrap();
        fs::write(&path, "another").unwrap();
        charge(&sync, &key, 7, NOON);
        let error = format!("{:#}", sync.step(at(NOON)).unwrap_err());
        assert!(
            error.contains("state.db was replaced or removed while in use"),
            "{error}"
        );
        assert_eq!(
            charge(&sync, &key, 1, NOON),
            49_992,
            "the known keys and counts stay in force"
        );
        assert_eq!(fs::read(&path).unwrap(), b"another");
        fs::rename(&aside, &path).unwrap();
        sync.step(at(NOON)).unwrap();
        assert_eq!(sync.state.usage(at(NOON).date_naive()).unwrap()[&1], 8);
    }

    #[test]
    fn the_keys_are_stale_until_a_step_succeeds() {
        let (_folder, path, key) = database(Plan::Pro);
        let mut sync = open(&path, NOON);
        let aside = path.with_extension("aside");
        fs::rename(&path, &aside).unwrap();
        let before = sync.ring().age();
        sync.step(at(NOON)).unwrap_err();
        let stale = sync.ring().age();
        assert!(stale >= before, "a step that fails does not make the keys fresh");
        fs::rename(&aside, &path).unwrap();
        let started = Instant::now();
        sync.step(at(NOON)).unwrap();
        assert!(sync.ring().age() <= started.elapsed());
        assert!(sync.ring().check(&key, at(NOON)).is_ok());
    }

    #[test]
    fn a_file_that_is_damaged_while_in_use_is_noticed() {
        let (_folder, path, key) = database(Plan::Pro);
        let mut sync = open(&path, NOON);
        // Moves all pages from the journal to the file.
        sync.state
            .connection
            .execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")
            .unwrap();
        let bytes = fs::metadata(&path).unwrap().len();
        let file = fs::File::options().write(true).open(&path).unwrap();
        std::os::unix::fs::FileExt::write_all_at(&file, &vec![0x55; bytes as usize], 0).unwrap();
        sync.reread_interval = Duration::ZERO;
        let error = format!("{:#}", sync.step(at(NOON)).unwrap_err());
        assert!(
            error.contains("not a database") || error.contains("malformed"),
            "{error}"
        );
        assert!(
            sync.ring().check(&key, at(NOON)).is_ok(),
            "the known keys stay in force"
        );
    }
}
