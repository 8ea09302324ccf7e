//! Who was mailed what: written before a mail goes out, settled after, so that no tender reaches an address twice.
//!
//! What should be mailed is nowhere stored: it follows from the subscriptions, the generation and what was mailed already, and is worked out anew by
//! every run. So nothing waits in a queue that could be lost or go stale; a process that dies leaves at most one row, the mail that was being handed over.
//!
//! | `outcome` | written | after a crash |
//! |---|---|---|
//! | none: the mail is no row yet | | nothing was on the wire, so the next run mails it |
//! | `sending` | and synced, just before the message's first byte | nobody knows whether the server has it: becomes `uncertain` |
//! | `uncertain` | when the line broke, the server fell silent or the run was told to stop while the message was handed over, or by the next run | is never sent again; `alerts list` counts them |
//! | `sent` | when the server took it | |
//!
//! What surely did not arrive is withdrawn: its row goes, and its tenders are new again. **Invariant:** a pair of address and tender is a primary key, so
//! a second mailing of it cannot even begin. Addresses are kept as hashes here: an address is readable for as long as it is subscribed.

use std::{collections::HashMap, path::PathBuf};

use anyhow::Context;
use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::{OptionalExtension, Transaction, TransactionBehavior, params};
use sha2::{Digest, Sha256};

use crate::{state::State, storage::hex::hex};

/// The layout that [`super::MIGRATIONS`] adds.
pub(super) const TABLES: &str = "
    CREATE TABLE mailings (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        address BLOB NOT NULL,
        began_at INTEGER NOT NULL,
        tenders INTEGER NOT NULL,
        outcome TEXT NOT NULL CHECK (outcome IN ('sending', 'sent', 'uncertain'))
    ) STRICT;
    CREATE INDEX mailings_by_day ON mailings (began_at);
    CREATE TABLE mailed (
        pair BLOB PRIMARY KEY,
        mailing INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE mailed_subscriptions (
        subscription INTEGER NOT NULL,
        mailing INTEGER NOT NULL,
        PRIMARY KEY (subscription, mailing)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE setbacks (
        address BLOB PRIMARY KEY,
        attempts INTEGER NOT NULL,
        due_at INTEGER NOT NULL,
        paused_at INTEGER,
        why TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
";

/// The layout that follows: what every run asks for is found without reading all that was ever mailed; and how often an address was paused.
pub(super) const INDEXES: &str = "
    CREATE INDEX mailed_by_mailing ON mailed (mailing);
    CREATE INDEX mailed_subscriptions_by_mailing ON mailed_subscriptions (mailing);
    CREATE INDEX mailings_unproven ON mailings (outcome) WHERE outcome <> 'sent';
    ALTER TABLE setbacks ADD COLUMN pauses INTEGER NOT NULL DEFAULT 0;
";

/// The statements that would read everything without them. The first begins with the index's own condition, which is how SQLite knows that it will do; the
/// `+` keeps the second from the index by day, of which it would read all of late.
const SETTLE: &str = "UPDATE mailings SET outcome = 'uncertain' WHERE outcome <> 'sent' AND outcome = 'sending'";
const FIRST_OF_LATE: &str = "SELECT id FROM mailings WHERE +began_at BETWEEN ?1 AND ?2 ORDER BY id LIMIT 1";
const FORGET: [&str; 3] = [
    "DELETE FROM mailed WHERE mailing BETWEEN ?1 AND ?2",
    "DELETE FROM mailed_subscriptions WHERE mailing BETWEEN ?1 AND ?2",
    "DELETE FROM mailings WHERE id BETWEEN ?1 AND ?2",
];

/// Mails forgotten at once: of 50 tenders each, a fraction of a second in which nobody else can write.
const MOST_FORGOTTEN: i64 = 1_000;

/// The least time between an address's first pause and the next mail, when it subscribes again; it doubles with each pause, up to 32 days.
const BEFORE_LIFT: TimeDelta = TimeDelta::days(1);
const MOST_DOUBLINGS: u32 = 5;

/// How long it is known what was mailed. A tender is new for 30 days after its publication, which an amendment may move.
const KEPT: TimeDelta = TimeDelta::days(120);

/// How far back [`State::standings`] looks: past the longest pace.
const PACE: TimeDelta = TimeDelta::days(8);

/// Attempts at an address that is refused for now, before it is paused.
pub const MOST_ATTEMPTS: u32 = 10;

/// Before the second attempt; it doubles with each, up to [`LONGEST_WAIT`]: about three days in all.
const FIRST_WAIT: TimeDelta = TimeDelta::minutes(15);
const LONGEST_WAIT: TimeDelta = TimeDelta::hours(24);

/// The longest reply of a server that is kept, in characters.
const LONGEST_REPLY: usize = 200;

/// An address as it is kept: its SHA-256, in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Addressee([u8; 32]);

/// An address and a tender, in 128 bits. The tender goes by the name that all its notices share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair([u8; 16]);

/// A mail whose intent is written.
#[derive(Debug)]
pub struct Mailing {
    id: i64,
    pairs: Vec<Pair>,
}

/// What came of a mail that may have been taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Sent,
    Uncertain,
}

/// Why an address is not mailed now.
#[derive(Clone, Debug, PartialEq)]
pub struct Setback {
    pub attempts: u32,
    /// How often it was paused since it last took a mail.
    pub pauses: u32,
    pub due_at: DateTime<Utc>,
    /// Since when nothing is sent at all, until an operator resumes it or it subscribes again.
    pub paused_at: Option<DateTime<Utc>>,
    /// The server's words, which may hold the address.
    pub why: String,
}

/// When addresses and subscriptions were last mailed, of late, and who is not to be mailed now.
#[derive(Debug, Default)]
pub struct Standings {
    pub addresses: HashMap<Addressee, DateTime<Utc>>,
    pub subscriptions: HashMap<i64, DateTime<Utc>>,
    pub setbacks: HashMap<Addressee, Setback>,
}

/// What was mailed, at one moment: a round looks up millions of pairs, and each by itself would lock the file and let it go again.
pub struct Mailed<'s>(Transaction<'s>);

impl Mailed<'_> {
    /// Whether the pair was mailed, or may have been.
    pub fn has(&self, pair: Pair) -> anyhow::Result<bool> {
        let select = self.0.prepare_cached("SELECT 1 FROM mailed WHERE pair = ?1");
        let found = select.and_then(|mut select| select.exists([pair.0]));
        found.context("reading what was mailed")
    }
}

impl Addressee {
    pub fn new(email: &str) -> Addressee {
        Addressee(Sha256::digest(email.to_lowercase()).into())
    }

    pub(super) fn bytes(&self) -> [u8; 32] {
        self.0
    }

    pub fn pair(&self, tender: &str) -> Pair {
        let hash = Sha256::new().chain_update(self.0).chain_update(tender).finalize();
        let mut pair = [0; 16];
        pair.copy_from_slice(&hash[..16]);
        Pair(pair)
    }
}

/// The name of a mail with these pairs, whichever order they are in: the same whenever the same is mailed again.
pub fn mail_name(pairs: &[Pair]) -> String {
    let mut sorted = pairs.to_vec();
    sorted.sort_unstable();
    let mut hash = Sha256::new();
    sorted.iter().for_each(|pair| hash.update(pair.0));
    hex(&hash.finalize()[..16])
}

impl State {
    /// The file whose lock the one process holds that mails.
    pub fn mail_lock(&self) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(".mail-lock");
        PathBuf::from(name)
    }

    /// Settles what a process that died was handing over, and tells how many mails that were. Only for the holder of [`State::mail_lock`].
    pub fn settle_interrupted(&self) -> anyhow::Result<usize> {
        let settled = self.connection.execute(SETTLE, []);
        settled.context("settling what an earlier run left unsettled")
    }

    pub fn standings(&self, now: DateTime<Utc>) -> anyhow::Result<Standings> {
        let read = || -> rusqlite::Result<Standings> {
            let mut standings = Standings::default();
            let since = (now - PACE).timestamp();
            let select = "SELECT address, max(began_at) FROM mailings WHERE began_at > ?1 GROUP BY address";
            let mut select = self.connection.prepare(select)?;
            let mut rows = select.query([since])?;
            while let Some(row) = rows.next()? {
                standings.addresses.insert(Addressee(row.get(0)?), moment(row.get(1)?));
            }
            let select = "SELECT subscription, max(began_at) FROM mailed_subscriptions JOIN mailings ON id = mailing
                          WHERE began_at > ?1 GROUP BY subscription";
            let mut select = self.connection.prepare(select)?;
            let mut rows = select.query([since])?;
            while let Some(row) = rows.next()? {
                standings.subscriptions.insert(row.get(0)?, moment(row.get(1)?));
            }
            let select = "SELECT address, attempts, pauses, due_at, paused_at, why FROM setbacks";
            let mut select = self.connection.prepare(select)?;
            let mut rows = select.query([])?;
            while let Some(row) = rows.next()? {
                let setback = Setback {
                    attempts: row.get(1)?,
                    pauses: row.get(2)?,
                    due_at: moment(row.get(3)?),
                    paused_at: row.get::<_, Option<i64>>(4)?.map(moment),
                    why: row.get(5)?,
                };
                standings.setbacks.insert(Addressee(row.get(0)?), setback);
            }
            Ok(standings)
        };
        read().context("reading who was mailed when")
    }

    /// What was mailed up to this moment.
    pub fn mailed(&self) -> anyhow::Result<Mailed<'_>> {
        let reading = Transaction::new_unchecked(&self.connection, TransactionBehavior::Deferred);
        reading.map(Mailed).context("reading what was mailed")
    }

    /// Writes the intent, on disk when this returns: the last step before the message's first byte.
    pub fn begin_mailing(
        &self,
        addressee: Addressee,
        pairs: &[Pair],
        subscriptions: &[i64],
        now: DateTime<Utc>,
    ) -> anyhow::Result<Mailing> {
        self.check_place()?;
        let write = |transaction: &Transaction| -> rusqlite::Result<i64> {
            let insert = "INSERT INTO mailings (address, began_at, tenders, outcome) VALUES (?1, ?2, ?3, 'sending')";
            transaction.execute(insert, params![addressee.0, now.timestamp(), pairs.len() as i64])?;
            let id = transaction.last_insert_rowid();
            let mut insert = transaction.prepare_cached("INSERT INTO mailed (pair, mailing) VALUES (?1, ?2)")?;
            for pair in pairs {
                insert.execute(params![pair.0, id])?;
            }
            let insert = "INSERT INTO mailed_subscriptions (subscription, mailing) VALUES (?1, ?2)";
            let mut insert = transaction.prepare_cached(insert)?;
            for subscription in subscriptions {
                insert.execute(params![subscription, id])?;
            }
            Ok(id)
        };
        let id = self
            .write(write)
            .context("writing that a mail is about to go out; it does not")?;
        let pairs = pairs.to_vec();
        Ok(Mailing { id, pairs })
    }

    /// Settles a mail that was, or may have been, taken. One that surely was clears what stood against its address.
    pub fn settle_mailing(&self, mailing: Mailing, outcome: Outcome) -> anyhow::Result<()> {
        let write = |transaction: &Transaction| -> rusqlite::Result<()> {
            let word = match outcome {
                Outcome::Sent => "sent",
                Outcome::Uncertain => "uncertain",
            };
            let update = "UPDATE mailings SET outcome = ?2 WHERE id = ?1";
            transaction.execute(update, params![mailing.id, word])?;
            if outcome == Outcome::Sent {
                let delete = "DELETE FROM setbacks WHERE address = (SELECT address FROM mailings WHERE id = ?1)";
                transaction.execute(delete, [mailing.id])?;
            }
            Ok(())
        };
        self.write(write).context("writing that a mail was taken")
    }

    /// Takes back the intent of a mail that surely was not taken: its tenders are new again.
    pub fn withdraw_mailing(&self, mailing: Mailing) -> anyhow::Result<()> {
        let write = |transaction: &Transaction| -> rusqlite::Result<()> {
            let mut delete = transaction.prepare_cached("DELETE FROM mailed WHERE pair = ?1")?;
            for pair in &mailing.pairs {
                delete.execute([pair.0])?;
            }
            transaction.execute("DELETE FROM mailed_subscriptions WHERE mailing = ?1", [mailing.id])?;
            transaction.execute("DELETE FROM mailings WHERE id = ?1", [mailing.id])?;
            Ok(())
        };
        self.write(write).context("writing that a mail was not taken")
    }

    /// Leaves an address alone for a while, longer each time; paused once that was often enough. Tells whether it is.
    pub fn defer_address(&self, addressee: Addressee, why: &str, now: DateTime<Utc>) -> anyhow::Result<bool> {
        let write = |transaction: &Transaction| -> rusqlite::Result<bool> {
            let (attempts, pauses) = counts(transaction, addressee)?;
            let attempts = attempts.saturating_add(1);
            let is_paused = attempts >= MOST_ATTEMPTS;
            let setback = Setback {
                attempts,
                pauses: pauses.saturating_add(is_paused.into()),
                due_at: now + wait_after(attempts, jitter()),
                paused_at: is_paused.then_some(now),
                why: short(why),
            };
            put(transaction, addressee, &setback)?;
            Ok(is_paused)
        };
        self.write(write).context("writing that an address waits")
    }

    /// Sends an address nothing any more, until it is resumed or subscribes again.
    pub fn pause_address(&self, addressee: Addressee, why: &str, now: DateTime<Utc>) -> anyhow::Result<()> {
        let write = |transaction: &Transaction| {
            let (_, pauses) = counts(transaction, addressee)?;
            let setback = Setback {
                attempts: 1,
                pauses: pauses.saturating_add(1),
                due_at: now,
                paused_at: Some(now),
                why: short(why),
            };
            put(transaction, addressee, &setback)
        };
        self.write(write).context("writing that an address is paused")
    }

    /// Forgets what stands against an address, or against all; tells of how many.
    pub fn resume_addresses(&self, addressee: Option<Addressee>) -> anyhow::Result<usize> {
        let delete = "DELETE FROM setbacks WHERE ?1 IS NULL OR address = ?1";
        let resumed = self
            .connection
            .execute(delete, [addressee.map(|addressee| addressee.0)]);
        resumed.context("resuming addresses")
    }

    /// Mails of which nobody knows whether they arrived.
    pub fn uncertain_mailings(&self) -> anyhow::Result<i64> {
        let select = "SELECT count(*) FROM mailings WHERE outcome <> 'sent'";
        let counted = self.connection.query_row(select, [], |row| row.get(0));
        counted.context("counting mails that may not have arrived")
    }

    /// Forgets what was mailed so long ago that it is new to nobody: what was written before the first mail of late. A clock that was wrong for a while
    /// makes nothing forgotten too early; where there is no mail of late it may be wrong now, and all is kept.
    pub fn prune_mailings(&self, now: DateTime<Utc>) -> anyhow::Result<()> {
        let forget = |ids: [i64; 2]| -> rusqlite::Result<()> {
            self.write(|transaction| {
                FORGET
                    .iter()
                    .try_for_each(|delete| transaction.execute(delete, ids).map(drop))
            })
        };
        let prune = || -> rusqlite::Result<()> {
            let late = [(now - KEPT).timestamp(), now.timestamp()];
            let first = self
                .connection
                .query_row(FIRST_OF_LATE, late, |row| row.get::<_, i64>(0));
            let oldest = || {
                let select = "SELECT min(id) FROM mailings";
                self.connection
                    .query_row(select, [], |row| row.get::<_, Option<i64>>(0))
            };
            let Some(first) = first.optional()? else {
                return Ok(());
            };
            while let Some(oldest) = oldest()?.filter(|oldest| *oldest < first) {
                forget([oldest, (first - 1).min(oldest + MOST_FORGOTTEN - 1)])?;
            }
            Ok(())
        };
        prune().context("forgetting what was mailed long ago")
    }

    fn write<T>(&self, work: impl FnOnce(&Transaction) -> rusqlite::Result<T>) -> rusqlite::Result<T> {
        let transaction = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
        let done = work(&transaction)?;
        transaction.commit()?;
        Ok(done)
    }
}

/// Lifts the pause of an address that subscribes again, with its attempts counted anew. It is mailed a day after its first pause at the earliest, two days after
/// the second, and so on: whoever subscribes a dead address again and again has it tried ever more rarely.
pub(super) fn lift_pause(transaction: &Transaction, email: &str, now: DateTime<Utc>) -> rusqlite::Result<()> {
    // A pause from the future is one of a clock that was wrong.
    let update = "UPDATE setbacks SET paused_at = NULL, attempts = 0,
         due_at = min(max(?2, paused_at + (?3 << min(max(pauses, 1) - 1, ?4))), ?2 + (?3 << min(max(pauses, 1) - 1, ?4))), why = 'subscribed again; before that: ' || why WHERE address = ?1 AND paused_at IS NOT NULL";
    let address = Addressee::new(email).0;
    let values = params![address, now.timestamp(), BEFORE_LIFT.num_seconds(), MOST_DOUBLINGS];
    transaction.execute(update, values).map(drop)
}

/// The attempts and the pauses of an address.
fn counts(transaction: &Transaction, addressee: Addressee) -> rusqlite::Result<(u32, u32)> {
    let select = "SELECT attempts, pauses FROM setbacks WHERE address = ?1";
    let counts = transaction.query_row(select, [addressee.0], |row| Ok((row.get(0)?, row.get(1)?)));
    Ok(counts.optional()?.unwrap_or_default())
}

fn put(transaction: &Transaction, addressee: Addressee, setback: &Setback) -> rusqlite::Result<()> {
    let insert = "INSERT OR REPLACE INTO setbacks (address, attempts, pauses, due_at, paused_at, why) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let paused_at = setback.paused_at.map(|moment| moment.timestamp());
    let values = params![
        addressee.0,
        setback.attempts,
        setback.pauses,
        setback.due_at.timestamp(),
        paused_at,
        setback.why
    ];
    transaction.execute(insert, values).map(|_| ())
}

/// Doubling, and up to half as much again, so that what was refused together does not come back together.
fn wait_after(attempts: u32, jitter: f64) -> TimeDelta {
    let doubled = FIRST_WAIT * (1 << attempts.saturating_sub(1).min(MOST_ATTEMPTS));
    let wait = doubled.min(LONGEST_WAIT);
    wait + TimeDelta::seconds((wait.num_seconds() as f64 * jitter / 2.0) as i64)
}

fn jitter() -> f64 {
    f64::from(getrandom::u32().unwrap_or(0)) / f64::from(u32::MAX)
}

/// A server's words on one line of a list.
fn short(why: &str) -> String {
    let shown = |c: char| if c.is_control() { ' ' } else { c };
    why.chars().map(shown).take(LONGEST_REPLY).collect()
}

fn moment(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(seconds, 0).unwrap_or_default()
}

#[cfg(test)]
mod tests;
