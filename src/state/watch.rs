//! What a running server knows of the database, and the one step that keeps the two together: keys in, counts out.
//!
//! One thread owns the [`Watch`] and its connection. Requests see the [`KeyRing`] only; nothing they do waits for the database.

use std::{collections::HashMap, path::Path, sync::Arc, time::Duration};

use anyhow::Context;
use arc_swap::ArcSwap;
use chrono::{DateTime, NaiveDate, Utc};

use crate::{
    model::plans::Plans,
    state::{
        State,
        account::Account,
        explained,
        keys::{Hash, Key, KeyError, Keys, hash},
        usage::Owed,
    },
};

/// How long a step waits for another process's write: short, since the keys wait with it.
const BUSY: Duration = Duration::from_secs(1);

type Accounts = HashMap<Hash, Arc<Account>>;

/// The keys in memory, shared by every request.
#[derive(Clone, Default)]
pub struct KeyRing(Arc<ArcSwap<Accounts>>);

impl KeyRing {
    /// The account of the key a client sent, if it works at this moment.
    pub fn check(&self, key: &str, now: DateTime<Utc>) -> Result<Arc<Account>, KeyError> {
        let accounts = self.0.load();
        let hash = hash(key).ok_or(KeyError::Unknown)?;
        let account = accounts.get(&hash).ok_or(KeyError::Unknown)?;
        match account.key.expires_at {
            _ if account.key.disabled_at.is_some() => Err(KeyError::Revoked),
            Some(end) if end <= now => Err(KeyError::Expired(end)),
            _ => Ok(Arc::clone(account)),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.load().is_empty()
    }
}

/// Keeps a [`KeyRing`] and the database together.
pub struct Watch {
    state: State,
    plans: Plans,
    ring: KeyRing,
    /// The rows that hold no usable key, so that each is complained of once.
    refused: Vec<String>,
    /// The database as it was last read, and the day whose counts were.
    seen: Option<(i64, NaiveDate)>,
}

impl Watch {
    /// Opens the database, and reads the keys and what they have used today.
    pub fn open(path: &Path, plans: Plans, now: DateTime<Utc>) -> anyhow::Result<Watch> {
        let mut watch = Watch {
            state: State::open(path)?,
            plans,
            ring: KeyRing::default(),
            refused: Vec::new(),
            seen: None,
        };
        watch
            .step(now)
            .map_err(|error| explained(path, error))
            .with_context(|| format!("reading the state file {}", path.display()))?;
        watch.state.wait_at_most(BUSY)?;
        Ok(watch)
    }

    pub fn ring(&self) -> KeyRing {
        self.ring.clone()
    }

    /// Takes over what other processes wrote, and writes what was used since the last step. Tells whether a key changed.
    pub fn step(&mut self, now: DateTime<Utc>) -> anyhow::Result<bool> {
        self.state.check_place()?;
        // Asked before anything is read: a write in between is seen next time.
        let seen = (self.state.data_version()?, now.date_naive());
        let is_changed = self.seen.is_none_or(|(version, _)| version != seen.0) && self.read_keys()?;
        let is_written = self.write_usage()?;
        if is_written || self.seen != Some(seen) {
            self.read_usage(seen.1)?;
        }
        self.seen = Some(seen);
        Ok(is_changed)
    }

    /// Other servers write counts every second or so: a change is told from the keys themselves.
    fn read_keys(&mut self) -> anyhow::Result<bool> {
        let Keys { known, refused } = self.state.read_keys()?;
        let accounts = self.ring.0.load();
        let is_same = accounts.len() == known.len()
            && known
                .iter()
                .all(|(hash, key)| accounts.get(hash).is_some_and(|account| account.key == *key));
        if !is_same {
            let account = |(hash, key): (Hash, Key)| {
                let terms = *self.plans.limits(key.plan);
                let account = match accounts.get(&hash) {
                    Some(account) => account.with_key(key, terms),
                    None => Account::new(key, terms),
                };
                (hash, Arc::new(account))
            };
            self.ring.0.store(Arc::new(known.into_iter().map(account).collect()));
        }
        for why in refused.iter().filter(|why| !self.refused.contains(why)) {
            log::error!("{why}; it is refused");
        }
        self.refused = refused;
        Ok(!is_same)
    }

    fn write_usage(&mut self) -> anyhow::Result<bool> {
        let accounts = self.ring.0.load();
        let mut owed: Vec<Owed> = Vec::new();
        for account in accounts.values() {
            let of_key = account.usage.owed().into_iter();
            owed.extend(of_key.map(|(day, difference)| (account.key.id, day, difference)));
        }
        if owed.is_empty() {
            return Ok(false);
        }
        self.state.add_usage(&owed)?;
        let by_id: HashMap<i64, &Arc<Account>> = accounts.values().map(|account| (account.key.id, account)).collect();
        for (key_id, day, difference) in owed {
            if let Some(account) = by_id.get(&key_id) {
                account.usage.settle(day, difference);
            }
        }
        Ok(true)
    }

    fn read_usage(&mut self, today: NaiveDate) -> anyhow::Result<()> {
        if self.seen.is_none_or(|(_, day)| day != today) {
            // Worth no failure, of a start least of all.
            if let Err(error) = self.state.prune_usage(today) {
                log::warn!("the counts of days long gone stay until tomorrow: {error:#}");
            }
        }
        let used = self.state.usage(today)?;
        for account in self.ring.0.load().values() {
            account
                .usage
                .read(today, used.get(&account.key.id).copied().unwrap_or(0));
        }
        Ok(())
    }
}

impl Drop for Watch {
    /// The last counts, when the server stops.
    fn drop(&mut self) {
        let written = self.state.check_place().and_then(|()| self.write_usage());
        if let Err(error) = written {
            log::error!("the last requests are not counted: {error:#}");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, num::NonZeroU32, path::PathBuf};

    use super::*;

    use crate::model::plans::Plan;

    const NOON: i64 = 1_772_366_400;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    /// A database with one key of a plan.
    fn database(plan: Plan) -> (tempfile::TempDir, PathBuf, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let key = State::open(&path).unwrap().create_key(plan, "x", at(0), None).unwrap();
        (folder, path, key)
    }

    fn open(path: &Path, now: i64) -> Watch {
        Watch::open(path, Plans::default(), at(now)).unwrap()
    }

    /// Asks so many times, and tells what then is left of the day.
    fn ask(watch: &Watch, key: &str, times: u32, now: i64) -> u32 {
        let account = watch.ring().check(key, at(now)).unwrap();
        let cost = NonZeroU32::new(times).unwrap();
        account.charge(cost, at(now)).day.remaining
    }

    #[test]
    fn a_file_that_another_program_is_writing_to_does_not_stop_a_start() {
        let (_folder, path, key) = database(Plan::Pro);
        let other = rusqlite::Connection::open(&path).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let watch = open(&path, NOON);
        assert!(watch.ring().check(&key, at(NOON)).is_ok());
    }

    #[test]
    fn servers_that_share_a_database_count_together() {
        let (_folder, path, key) = database(Plan::Pro);
        let (mut one, mut two) = (open(&path, NOON), open(&path, NOON));
        assert_eq!(ask(&one, &key, 10, NOON), 49_990);
        assert_eq!(ask(&two, &key, 5, NOON), 49_995);
        for watch in [&mut one, &mut two] {
            assert!(!watch.step(at(NOON)).unwrap(), "no key changed");
        }
        assert_eq!(ask(&two, &key, 1, NOON), 49_984);
        two.step(at(NOON)).unwrap();
        one.step(at(NOON)).unwrap();
        assert_eq!(ask(&one, &key, 1, NOON), 49_983);
        drop((one, two));
        let state = State::open(&path).unwrap();
        assert_eq!(
            state.usage(at(NOON).date_naive()).unwrap()[&1],
            17,
            "a stop writes the last counts"
        );
        assert_eq!(ask(&open(&path, NOON), &key, 1, NOON), 49_982, "and a start reads them");
    }

    #[test]
    fn midnight_under_a_running_server() {
        let (_folder, path, key) = database(Plan::Pro);
        let mut watch = open(&path, NOON);
        let (before, after) = (NOON + 43_199, NOON + 43_200);
        assert_eq!(ask(&watch, &key, 7, before), 49_993);
        assert_eq!(ask(&watch, &key, 3, after), 49_997);
        // A clock that is set back for a moment counts on where it was.
        assert_eq!(ask(&watch, &key, 1, before), 49_992);
        watch.step(at(after)).unwrap();
        assert_eq!(ask(&watch, &key, 1, after), 49_996);
        watch.step(at(after)).unwrap();
        let state = State::open(&path).unwrap();
        assert_eq!(state.usage(at(before).date_naive()).unwrap()[&1], 8);
        assert_eq!(state.usage(at(after).date_naive()).unwrap()[&1], 4);
    }

    #[test]
    fn what_cannot_be_written_now_is_written_later() {
        let (_folder, path, key) = database(Plan::Pro);
        let mut watch = open(&path, NOON);
        watch.state.wait_at_most(Duration::from_millis(1)).unwrap();
        let other = rusqlite::Connection::open(&path).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        ask(&watch, &key, 7, NOON);
        let error = format!("{:#}", watch.step(at(NOON)).unwrap_err());
        assert!(error.starts_with("writing the usage: "), "{error}");
        assert_eq!(ask(&watch, &key, 1, NOON), 49_992);
        other.execute_batch("COMMIT").unwrap();
        watch.step(at(NOON)).unwrap();
        assert_eq!(watch.state.usage(at(NOON).date_naive()).unwrap()[&1], 8);
    }

    #[test]
    fn a_file_that_is_replaced_is_noticed_and_left_alone() {
        let (_folder, path, key) = database(Plan::Pro);
        let mut watch = open(&path, NOON);
        let aside = path.with_extension("aside");
        fs::rename(&path, &aside).unwrap();
        fs::write(&path, "another").unwrap();
        ask(&watch, &key, 7, NOON);
        let error = format!("{:#}", watch.step(at(NOON)).unwrap_err());
        assert!(
            error.contains("state.db was replaced or removed under the running server"),
            "{error}"
        );
        assert_eq!(
            ask(&watch, &key, 1, NOON),
            49_992,
            "keys and counts known so far stay in force"
        );
        assert_eq!(fs::read(&path).unwrap(), b"another");
        fs::rename(&aside, &path).unwrap();
        watch.step(at(NOON)).unwrap();
        assert_eq!(watch.state.usage(at(NOON).date_naive()).unwrap()[&1], 8);
    }
}
