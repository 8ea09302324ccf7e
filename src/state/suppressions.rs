//! Suppressions: addresses that are not mailed now, because the mail server refused them.
//!
//! A temporary refusal defers an address, longer each time; a permanent one pauses it. A pause ends
//! when the operator resumes the address or its owner subscribes again.

use std::collections::HashMap;

use anyhow::Context;
use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use crate::state::{address_hash::AddressHash, database::StateDb};

/// The number of temporary refusals in a row after which an address is paused.
pub(crate) const MAX_ATTEMPTS: u32 = 10;

/// The wait before the second attempt. It doubles with each attempt up to [`MAX_WAIT`]: about three
/// days in all.
pub(super) const FIRST_WAIT: TimeDelta = TimeDelta::minutes(15);
pub(super) const MAX_WAIT: TimeDelta = TimeDelta::hours(24);

/// The minimum time between the first pause of an address and the next mail, if it subscribes again.
/// This time doubles with each pause, up to 32 days.
const MIN_PAUSE: TimeDelta = TimeDelta::days(1);
const MAX_DOUBLINGS: u32 = 5;

/// The maximum length of a stored server reply, in characters.
const MAX_REPLY: usize = 200;

/// Why and until when an address is not mailed.
#[derive(Clone, Debug, PartialEq)]
pub struct Suppression {
    /// Temporary refusals in a row.
    pub(crate) attempts: u32,
    /// Pauses since the address last accepted a mail.
    pub(crate) pauses: u32,
    pub(crate) due_at: DateTime<Utc>,
    /// While it is set, nothing is sent.
    pub(crate) paused_at: Option<DateTime<Utc>>,
    /// The server's reply, which may contain the address.
    pub(crate) why: String,
}

impl StateDb {
    /// Defers an address after a temporary refusal. Returns whether it is now paused, because there
    /// were [`MAX_ATTEMPTS`].
    pub(crate) fn defer_address(&self, address: AddressHash, why: &str, now: DateTime<Utc>) -> anyhow::Result<bool> {
        let write = |transaction: &Transaction| -> rusqlite::Result<bool> {
            let (attempts, pauses) = counts(transaction, address)?;
            let attempts = attempts.saturating_add(1);
            let is_paused = attempts >= MAX_ATTEMPTS;
            let suppression = Suppression {
                attempts,
                pauses: pauses.saturating_add(is_paused.into()),
                due_at: now + wait_after(attempts, jitter()),
                paused_at: is_paused.then_some(now),
                why: one_line(why),
            };
            store(transaction, address, &suppression)?;
            Ok(is_paused)
        };
        self.write(write).context("deferring an address")
    }

    /// Pauses an address after a permanent refusal.
    pub(crate) fn pause_address(&self, address: AddressHash, why: &str, now: DateTime<Utc>) -> anyhow::Result<()> {
        let write = |transaction: &Transaction| {
            let (_, pauses) = counts(transaction, address)?;
            let suppression = Suppression {
                attempts: 1,
                pauses: pauses.saturating_add(1),
                due_at: now,
                paused_at: Some(now),
                why: one_line(why),
            };
            store(transaction, address, &suppression)
        };
        self.write(write).context("pausing an address")
    }

    /// Removes the suppression of one address, or of all. Returns the number removed.
    pub(crate) fn resume_addresses(&self, address: Option<AddressHash>) -> anyhow::Result<usize> {
        let delete = "DELETE FROM setbacks WHERE ?1 IS NULL OR address = ?1";
        let resumed = self.connection.execute(delete, [address.map(|address| address.0)]);
        resumed.context("resuming addresses")
    }
}

/// Lifts the pause of an address that subscribes again, and resets its attempts. It is mailed one day
/// after its first pause at the earliest, two days after the second, and so on: a dead address that
/// is subscribed again and again is tried ever more rarely.
pub(super) fn lift_pause(transaction: &Transaction, email: &str, now: DateTime<Utc>) -> rusqlite::Result<()> {
    // A pause in the future comes from a clock that was wrong, so the wait counts from `now` at most.
    let update = "UPDATE setbacks SET paused_at = NULL, attempts = 0,
         due_at = min(max(?2, paused_at + (?3 << min(max(pauses, 1) - 1, ?4))), ?2 + (?3 << min(max(pauses, 1) - 1, ?4))),
         why = 'subscribed again; before that: ' || why WHERE address = ?1 AND paused_at IS NOT NULL";
    let address = AddressHash::new(email).0;
    let values = params![address, now.timestamp(), MIN_PAUSE.num_seconds(), MAX_DOUBLINGS];
    transaction.execute(update, values).map(drop)
}

pub(super) fn suppressions(connection: &Connection) -> rusqlite::Result<HashMap<AddressHash, Suppression>> {
    let mut select = connection.prepare("SELECT address, attempts, pauses, due_at, paused_at, why FROM setbacks")?;
    let rows = select.query_map([], |row| {
        let suppression = Suppression {
            attempts: row.get(1)?,
            pauses: row.get(2)?,
            due_at: from_unix(row.get(3)?),
            paused_at: row.get::<_, Option<i64>>(4)?.map(from_unix),
            why: row.get(5)?,
        };
        Ok((AddressHash(row.get(0)?), suppression))
    })?;
    rows.collect()
}

/// The attempts and pauses of an address; zero without a suppression.
fn counts(transaction: &Transaction, address: AddressHash) -> rusqlite::Result<(u32, u32)> {
    let select = "SELECT attempts, pauses FROM setbacks WHERE address = ?1";
    let counts = transaction.query_row(select, [address.0], |row| Ok((row.get(0)?, row.get(1)?)));
    Ok(counts.optional()?.unwrap_or((0, 0)))
}

fn store(transaction: &Transaction, address: AddressHash, suppression: &Suppression) -> rusqlite::Result<()> {
    let insert = "INSERT OR REPLACE INTO setbacks (address, attempts, pauses, due_at, paused_at, why) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let values = params![
        address.0,
        suppression.attempts,
        suppression.pauses,
        suppression.due_at.timestamp(),
        suppression.paused_at.map(|moment| moment.timestamp()),
        suppression.why
    ];
    transaction.execute(insert, values).map(drop)
}

/// Exponential backoff, plus up to half as much again, so that addresses that were refused together
/// are not retried together. `jitter` is from 0 to 1.
fn wait_after(attempts: u32, jitter: f64) -> TimeDelta {
    let doubled = FIRST_WAIT * (1 << attempts.saturating_sub(1).min(MAX_ATTEMPTS));
    let wait = doubled.min(MAX_WAIT);
    wait + TimeDelta::seconds((wait.num_seconds() as f64 * jitter / 2.0) as i64)
}

fn jitter() -> f64 {
    f64::from(getrandom::u32().unwrap_or(0)) / f64::from(u32::MAX)
}

/// A server's reply as one line of a list.
fn one_line(reply: &str) -> String {
    let without_control = reply.chars().map(|c| if c.is_control() { ' ' } else { c });
    without_control.take(MAX_REPLY).collect()
}

/// A stored time. One that no clock can show counts as long ago.
pub(super) fn from_unix(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(seconds, 0).unwrap_or(DateTime::UNIX_EPOCH)
}
