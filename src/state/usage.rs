//! The requests of each key per UTC day, counted in memory and stored in the database.
//!
//! A request only adds to [`Usage`]; [`StateSync`](super::sync::StateSync) writes the increments.
//! Because increments are written, the counts of servers that share a database add up, and each
//! server soon reads what the others counted.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Mutex, MutexGuard, PoisonError},
};

use anyhow::Context;
use chrono::{Days, NaiveDate};
use rusqlite::{Connection, TransactionBehavior, params};

use crate::state::database::StateDb;

/// How long daily counts are kept for inspection.
const KEPT_DAYS: Days = Days::new(90);

/// More than any key can use in a day. It bounds counts that were written by hand, so that no sum
/// overflows.
const MAX_COUNT: i64 = 1 << 53;

/// The counts of one key. The lock is held for a few additions and never across blocking calls; only
/// requests with the same key contend for it.
#[derive(Debug, Default)]
pub(crate) struct Usage(Mutex<BTreeMap<NaiveDate, DayCount>>);

/// A day's count: what the database holds, and the increment still to be written, which a refund may
/// make negative.
#[derive(Clone, Copy, Debug, Default)]
struct DayCount {
    stored: i64,
    unwritten: i64,
}

/// A count to add to the database: key id, day, increment.
pub(super) type Increment = (i64, NaiveDate, i64);

impl DayCount {
    fn used(&self) -> i64 {
        self.stored.saturating_add(self.unwritten).clamp(0, MAX_COUNT)
    }
}

impl Usage {
    /// The requests counted on a day.
    pub(crate) fn on(&self, day: NaiveDate) -> i64 {
        self.days().get(&day).map_or(0, DayCount::used)
    }

    /// Counts `cost` if the sum stays within the quota. The count afterwards, in both cases.
    pub(crate) fn charge(&self, day: NaiveDate, cost: u32, quota: u32) -> Result<i64, i64> {
        let mut days = self.days();
        let count = days.entry(day).or_default();
        let used = count.used();
        if used + i64::from(cost) > i64::from(quota) {
            return Err(used);
        }
        count.unwritten += i64::from(cost);
        Ok(count.used())
    }

    /// Subtracts what a charge on that day added.
    pub(crate) fn refund(&self, day: NaiveDate, cost: u32) {
        self.days().entry(day).or_default().unwritten -= i64::from(cost);
    }

    pub(super) fn unwritten(&self) -> Vec<(NaiveDate, i64)> {
        let days = self.days();
        let unwritten = days.iter().map(|(day, count)| (*day, count.unwritten));
        unwritten.filter(|(_, increment)| *increment != 0).collect()
    }

    /// Notes that this increment is in the database.
    pub(super) fn mark_written(&self, day: NaiveDate, written: i64) {
        let mut days = self.days();
        let count = days.entry(day).or_default();
        count.unwritten -= written;
        count.stored = count.stored.saturating_add(written).clamp(0, MAX_COUNT);
    }

    /// Sets what the database holds for today, including the counts of other servers. Past days are
    /// dropped once they are written.
    pub(super) fn set_stored(&self, today: NaiveDate, stored: i64) {
        let mut days = self.days();
        days.entry(today).or_default().stored = stored.clamp(0, MAX_COUNT);
        days.retain(|day, count| *day == today || count.unwritten != 0);
    }

    fn days(&self) -> MutexGuard<'_, BTreeMap<NaiveDate, DayCount>> {
        // A panic cannot interrupt an addition, so a poisoned lock still guards valid counts.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StateDb {
    /// The requests of each key on a day; a key without an entry made none.
    pub fn usage(&self, day: NaiveDate) -> anyhow::Result<HashMap<i64, i64>> {
        let mut select = self
            .connection
            .prepare_cached("SELECT key_id, requests FROM usage WHERE day = ?1")?;
        let rows = select.query_map([day.to_string()], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect::<Result<_, _>>().context("reading the day's usage")
    }

    /// The requests of a key on each day that is kept, the newest first, up to and including `today`.
    pub fn usage_of(&self, key_id: i64, today: NaiveDate) -> anyhow::Result<Vec<(NaiveDate, i64)>> {
        let first = today.checked_sub_days(KEPT_DAYS).unwrap_or(NaiveDate::MIN);
        let mut select = self.connection.prepare_cached(
            "SELECT day, requests FROM usage
             WHERE key_id = ?1 AND day BETWEEN ?2 AND ?3 AND requests > 0 ORDER BY day DESC",
        )?;
        let days = params![key_id, first.to_string(), today.to_string()];
        let rows = select.query_map(days, |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))?;
        let mut history = Vec::new();
        for row in rows {
            let (day, requests) = row.context("reading the usage of a key")?;
            // A day that was written by hand may be no date.
            history.extend(day.parse().ok().map(|day: NaiveDate| (day, requests)));
        }
        Ok(history)
    }

    /// Adds all increments in one transaction.
    pub(super) fn add_usage(&mut self, increments: &[Increment]) -> anyhow::Result<()> {
        add(&mut self.connection, increments).context("writing the usage counts")
    }

    /// Deletes the counts of days beyond the retention time. Without a count of another day within that time of today,
    /// the clock may be wrong, and everything is kept. Days of the future were counted before the clock went back.
    pub(super) fn prune_usage(&self, today: NaiveDate) -> anyhow::Result<()> {
        let first = today.checked_sub_days(KEPT_DAYS).unwrap_or(NaiveDate::MIN);
        let last = today.checked_add_days(KEPT_DAYS).unwrap_or(NaiveDate::MAX);
        self.connection
            .execute(
                "DELETE FROM usage WHERE day < ?1
                 AND EXISTS (SELECT 1 FROM usage WHERE day BETWEEN ?1 AND ?2 AND day <> ?3)",
                [first, last, today].map(|day| day.to_string()),
            )
            .context("deleting them from the state database")?;
        Ok(())
    }
}

fn add(connection: &mut Connection, increments: &[Increment]) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for (key_id, day, increment) in increments {
        let mut add = transaction.prepare_cached(
            "INSERT INTO usage (day, key_id, requests) VALUES (?1, ?2, max(?3, 0))
             ON CONFLICT DO UPDATE SET requests = min(max(requests + ?3, 0), ?4)",
        )?;
        add.execute(params![day.to_string(), key_id, increment, MAX_COUNT])?;
    }
    transaction.commit()
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
        Refund(usize),
        Write,
        Other(i64),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            4 => (0..3_u64, 1..50_u32).prop_map(|(day, cost)| Step::Charge(day, cost)),
            2 => (0..100_usize).prop_map(Step::Refund),
            1 => Just(Step::Write),
            1 => (0..20_i64).prop_map(Step::Other),
        ];
        prop::collection::vec(step, 0..80)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// After any sequence of charges, refunds and writes, by this server and another one, the
        /// database holds the sum. No charge exceeds the quota as far as this server knows the count.
        #[test]
        fn the_database_holds_the_sum_of_all_servers(steps in steps()) {
            const QUOTA: u32 = 200;
            let folder = tempfile::tempdir().unwrap();
            let mut state = StateDb::open(&folder.path().join("state.db")).unwrap();
            let usage = Usage::default();
            let mut charged: Vec<(u64, u32)> = Vec::new();
            let mut others = 0;
            let write = |state: &mut StateDb| {
                let increments: Vec<Increment> = usage.unwritten().into_iter().map(|(day, n)| (1, day, n)).collect();
                state.add_usage(&increments).unwrap();
                increments.iter().for_each(|(_, day, n)| usage.mark_written(*day, *n));
                usage.set_stored(day(0), state.usage(day(0)).unwrap().get(&1).copied().unwrap_or(0));
            };
            for step in steps {
                match step {
                    Step::Charge(on, cost) => {
                        let before = usage.on(day(on));
                        match usage.charge(day(on), cost, QUOTA) {
                            Ok(used) => {
                                // The stored count of other days is dropped once it is written.
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
                    Step::Refund(at) if at < charged.len() => {
                        let (on, cost) = charged.swap_remove(at);
                        usage.refund(day(on), cost);
                    }
                    Step::Refund(_) => {}
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
            prop_assert!(usage.unwritten().is_empty());
            prop_assert_eq!(usage.days().len(), 1, "past days are dropped");
        }
    }

    #[test]
    fn an_absurd_stored_count_does_not_overflow() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = StateDb::open(&folder.path().join("state.db")).unwrap();
        for (by_hand, then) in [(i64::MAX, MAX_COUNT), (-7, 5)] {
            let insert = "INSERT OR REPLACE INTO usage VALUES (?1, 1, ?2)";
            state
                .connection
                .execute(insert, params![day(0).to_string(), by_hand])
                .unwrap();
            let usage = Usage::default();
            usage.set_stored(day(0), by_hand);
            assert_eq!(usage.charge(day(0), 5, 100).is_ok(), by_hand < 0);
            state.add_usage(&[(1, day(0), 5)]).unwrap();
            assert!((0..=then).contains(&state.usage(day(0)).unwrap()[&1]));
        }
    }

    #[test]
    fn old_days_are_pruned() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = StateDb::open(&folder.path().join("state.db")).unwrap();
        state.add_usage(&[(1, day(0), 3), (1, day(10), 4)]).unwrap();
        state.prune_usage(day(91)).unwrap();
        assert!(state.usage(day(0)).unwrap().is_empty());
        assert_eq!(state.usage(day(10)).unwrap()[&1], 4);
    }

    #[test]
    fn a_clock_that_jumps_gives_no_key_its_day_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = StateDb::open(&folder.path().join("state.db")).unwrap();
        state.add_usage(&[(1, day(0), 3)]).unwrap();
        // A request that was counted in the wrong century is no reason to believe the clock.
        state.add_usage(&[(1, day(36_500), 1)]).unwrap();
        state.prune_usage(day(36_500)).unwrap();
        assert_eq!(state.usage(day(0)).unwrap()[&1], 3);
        state.prune_usage(day(0)).unwrap();
        assert_eq!(state.usage(day(0)).unwrap()[&1], 3);
    }
}
