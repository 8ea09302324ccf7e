//! How much each key has used, a UTC day at a time: counted in memory, kept in the database.
//!
//! A request only adds to [`Usage`]; [`Watch`](super::watch::Watch) writes what was added. What is written is a difference, so servers that share a database
//! add up, and each soon knows what the others counted.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Mutex, MutexGuard, PoisonError},
};

use anyhow::Context;
use chrono::{Days, NaiveDate};
use rusqlite::{Connection, TransactionBehavior, params};

use crate::state::State;

/// Spec silent: how many days' counts are kept, for whoever wants to look back.
const KEPT_DAYS: Days = Days::new(90);

/// More than any key can use in a day: a count that someone wrote by hand stays far from an overflow.
const MOST: i64 = 1 << 53;

/// What one key has used. Locked for a few additions and never while anything waits; two requests meet here only if they carry one key.
#[derive(Debug, Default)]
pub struct Usage(Mutex<BTreeMap<NaiveDate, Count>>);

/// A day's count: what the database holds, and what it is still owed, which giving back may make negative.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    stored: i64,
    owed: i64,
}

/// A difference that the database has to learn: of this key, on this day.
pub(super) type Owed = (i64, NaiveDate, i64);

impl Count {
    fn used(&self) -> i64 {
        self.stored.saturating_add(self.owed).clamp(0, MOST)
    }
}

impl Usage {
    /// What was used on a day.
    pub fn on(&self, day: NaiveDate) -> i64 {
        self.days().get(&day).map_or(0, Count::used)
    }

    /// Counts `cost` if it stays within the quota. Either way tells what is used then.
    pub fn charge(&self, day: NaiveDate, cost: u32, quota: u32) -> Result<i64, i64> {
        let mut days = self.days();
        let count = days.entry(day).or_default();
        let used = count.used();
        if used + i64::from(cost) > i64::from(quota) {
            return Err(used);
        }
        count.owed += i64::from(cost);
        Ok(count.used())
    }

    /// Takes back what a charge of that day counted.
    pub fn give_back(&self, day: NaiveDate, cost: u32) {
        self.days().entry(day).or_default().owed -= i64::from(cost);
    }

    pub(super) fn owed(&self) -> Vec<(NaiveDate, i64)> {
        let days = self.days();
        let owed = days.iter().map(|(day, count)| (*day, count.owed));
        owed.filter(|(_, owed)| *owed != 0).collect()
    }

    /// The database has learnt this difference.
    pub(super) fn settle(&self, day: NaiveDate, written: i64) {
        let mut days = self.days();
        let count = days.entry(day).or_default();
        count.owed -= written;
        count.stored = count.stored.saturating_add(written).clamp(0, MOST);
    }

    /// What the database holds for today, other servers' requests included. Other days are over, once they are written.
    pub(super) fn read(&self, today: NaiveDate, stored: i64) {
        let mut days = self.days();
        days.entry(today).or_default().stored = stored.clamp(0, MOST);
        days.retain(|day, count| *day == today || count.owed != 0);
    }

    fn days(&self) -> MutexGuard<'_, BTreeMap<NaiveDate, Count>> {
        // Whoever panicked left whole numbers behind.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// What each key used on a day; one that is not named used nothing.
    pub fn usage(&self, day: NaiveDate) -> anyhow::Result<HashMap<i64, i64>> {
        let mut select = self
            .connection
            .prepare_cached("SELECT key_id, requests FROM usage WHERE day = ?1")?;
        let rows = select.query_map([day.to_string()], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect::<Result<_, _>>().context("reading the day's usage")
    }

    /// Adds all of these, or none.
    pub(super) fn add_usage(&mut self, owed: &[Owed]) -> anyhow::Result<()> {
        add(&mut self.connection, owed).context("writing the usage")
    }

    /// Forgets days long gone.
    pub(super) fn prune_usage(&self, today: NaiveDate) -> anyhow::Result<()> {
        let first = today.checked_sub_days(KEPT_DAYS).unwrap_or(NaiveDate::MIN);
        self.connection
            .execute("DELETE FROM usage WHERE day < ?1", [first.to_string()])
            .context("removing them from the state file")?;
        Ok(())
    }
}

fn add(connection: &mut Connection, owed: &[Owed]) -> rusqlite::Result<()> {
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    {
        let mut add = change.prepare_cached(
            "INSERT INTO usage (day, key_id, requests) VALUES (?1, ?2, max(?3, 0))
             ON CONFLICT DO UPDATE SET requests = min(max(requests + ?3, 0), ?4)",
        )?;
        for (key_id, day, difference) in owed {
            add.execute(params![day.to_string(), key_id, difference, MOST])?;
        }
    }
    change.commit()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn day(number: u64) -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 1, 1).unwrap() + Days::new(number)
    }

    #[derive(Clone, Debug)]
    enum Step {
        Charge(u64, u32),
        GiveBack(usize),
        Write,
        Other(i64),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            4 => (0..3_u64, 1..50_u32).prop_map(|(day, cost)| Step::Charge(day, cost)),
            2 => (0..100_usize).prop_map(Step::GiveBack),
            1 => Just(Step::Write),
            1 => (0..20_i64).prop_map(Step::Other),
        ];
        prop::collection::vec(step, 0..80)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Whatever is charged, given back and written in whatever order, by this server and another, the database ends with the sum, and
        /// nothing is charged past the quota as far as this server knows it.
        #[test]
        fn the_database_ends_with_the_sum(steps in steps()) {
            const QUOTA: u32 = 200;
            let folder = tempfile::tempdir().unwrap();
            let mut state = State::open(&folder.path().join("state.db")).unwrap();
            let usage = Usage::default();
            let mut charged: Vec<(u64, u32)> = Vec::new();
            let mut others = 0;
            let write = |state: &mut State| {
                let owed: Vec<Owed> = usage.owed().into_iter().map(|(day, n)| (1, day, n)).collect();
                state.add_usage(&owed).unwrap();
                owed.iter().for_each(|(_, day, n)| usage.settle(*day, *n));
                usage.read(day(0), state.usage(day(0)).unwrap().get(&1).copied().unwrap_or(0));
            };
            for step in steps {
                match step {
                    Step::Charge(on, cost) => {
                        let before = usage.on(day(on));
                        match usage.charge(day(on), cost, QUOTA) {
                            Ok(used) => {
                                // Of other days the stored count is forgotten once it is written.
                                prop_assert!(on != 0 || used == before + i64::from(cost));
                                prop_assert!(used <= i64::from(QUOTA));
                                charged.push((on, cost));
                            }
                            Err(used) => {
                                prop_assert_eq!(used, before);
                                prop_assert!(used + i64::from(cost) > i64::from(QUOTA));
                            }
                        }
                    }
                    Step::GiveBack(at) if at < charged.len() => {
                        let (on, cost) = charged.swap_remove(at);
                        usage.give_back(day(on), cost);
                    }
                    Step::GiveBack(_) => {}
                    Step::Write => write(&mut state),
                    Step::Other(n) => {
                        state.add_usage(&[(1, day(0), n)]).unwrap();
                        others += n;
                    }
                }
                prop_assert!(usage.on(day(0)) >= 0);
            }
            write(&mut state);
            for on in 0..3 {
                let mine: i64 = charged.iter().filter(|(d, _)| *d == on).map(|(_, n)| i64::from(*n)).sum();
                let all = if on == 0 { mine + others } else { mine };
                prop_assert_eq!(state.usage(day(on)).unwrap().get(&1).copied().unwrap_or(0), all);
            }
            prop_assert!(usage.owed().is_empty());
            prop_assert_eq!(usage.days().len(), 1, "days that are over are forgotten");
        }
    }

    #[test]
    fn a_count_written_by_hand_does_no_harm() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = State::open(&folder.path().join("state.db")).unwrap();
        for (by_hand, then) in [(i64::MAX, MOST), (-7, 5)] {
            let insert = "INSERT OR REPLACE INTO usage VALUES (?1, 1, ?2)";
            state
                .connection
                .execute(insert, params![day(0).to_string(), by_hand])
                .unwrap();
            let usage = Usage::default();
            usage.read(day(0), by_hand);
            assert_eq!(usage.charge(day(0), 5, 100).is_ok(), by_hand < 0);
            state.add_usage(&[(1, day(0), 5)]).unwrap();
            assert!((0..=then).contains(&state.usage(day(0)).unwrap()[&1]));
        }
    }

    #[test]
    fn old_days_are_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = State::open(&folder.path().join("state.db")).unwrap();
        state.add_usage(&[(1, day(0), 3), (1, day(10), 4)]).unwrap();
        state.prune_usage(day(91)).unwrap();
        assert!(state.usage(day(0)).unwrap().is_empty());
        assert_eq!(state.usage(day(10)).unwrap()[&1], 4);
    }
}
