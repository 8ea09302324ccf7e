//! The delivery log: a delivery intent is written before a mail is sent and completed afterwards, so
//! that no address receives a tender twice.
//!
//! There is no queue of mails. Every run computes what is due from the subscriptions, the generation
//! and this log, so nothing in a queue can be lost or go stale. A process that dies leaves at most
//! one intent: the intent of the mail it was sending.
//!
//! | `outcome` | written | after a crash |
//! |---|---|---|
//! | no row | | nothing was transmitted: the next run sends the mail |
//! | `sending` | and synced to disk, just before the first byte of the message | the server may have the mail: becomes `uncertain` |
//! | `uncertain` | when the connection broke, the server did not answer or the run was stopped during the transmission; or by the next run | never sent again; `alerts list` counts them |
//! | `sent` | when the server accepted the mail | |
//!
//! The intent of a mail that certainly did not arrive is deleted, so its tenders are new again.
//! Confirmation mails are in the same log, as another kind, without tenders.
//! **Invariant:** the pair of address and tender is a primary key, so a second delivery of the same
//! pair cannot begin.

use std::{collections::HashMap, path::PathBuf};

use anyhow::Context;
use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::{OptionalExtension, Transaction, TransactionBehavior, params};

use crate::state::{
    address_hash::{AddressHash, PairHash},
    database::StateDb,
    suppressions::{Suppression, from_unix, suppressions},
};

/// The statements that would scan whole tables without the right index. The first repeats the
/// condition of the partial index, which makes SQLite use it. In the second the `+` keeps SQLite
/// from the index by time, from which it would read all recent deliveries.
pub(super) const MARK_INTERRUPTED: &str =
    "UPDATE mailings SET outcome = 'uncertain' WHERE outcome <> 'sent' AND outcome = 'sending'";
pub(super) const FIRST_RECENT: &str = "SELECT id FROM mailings WHERE +began_at BETWEEN ?1 AND ?2 ORDER BY id LIMIT 1";
pub(super) const PRUNE: [&str; 3] = [
    "DELETE FROM mailed WHERE mailing BETWEEN ?1 AND ?2",
    "DELETE FROM mailed_subscriptions WHERE mailing BETWEEN ?1 AND ?2",
    "DELETE FROM mailings WHERE id BETWEEN ?1 AND ?2",
];

/// Mails pruned in one transaction. With 50 tenders each it blocks other writers for a fraction of a
/// second.
pub(super) const MAX_PRUNED: i64 = 1_000;

/// How long deliveries are remembered. A tender is new for 30 days after its publication, which an
/// amendment may move.
const RETENTION: TimeDelta = TimeDelta::days(120);

/// How far back [`StateDb::delivery_history`] looks: longer than the longest interval between mails.
const HISTORY: TimeDelta = TimeDelta::days(8);

/// A stored delivery intent: a mail that is about to be sent.
#[derive(Debug)]
pub(crate) struct DeliveryIntent {
    id: i64,
    pairs: Vec<PairHash>,
}

/// How an intent is completed if the server may have accepted the mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeliveryStatus {
    Sent,
    Uncertain,
}

/// The recent deliveries, and the addresses that must not be mailed now.
#[derive(Debug, Default)]
pub struct DeliveryHistory {
    pub(crate) last_to_address: HashMap<AddressHash, DateTime<Utc>>,
    pub last_of_subscription: HashMap<i64, DateTime<Utc>>,
    pub suppressions: HashMap<AddressHash, Suppression>,
}

/// The delivered pairs at one moment. One read transaction serves all lookups: a run makes millions,
/// and each alone would lock and unlock the file.
pub(crate) struct DeliveredPairs<'s>(Transaction<'s>);

impl DeliveredPairs<'_> {
    /// Whether the pair was delivered, or may have been.
    pub(crate) fn contains(&self, pair: PairHash) -> anyhow::Result<bool> {
        let select = self.0.prepare_cached("SELECT 1 FROM mailed WHERE pair = ?1");
        let found = select.and_then(|mut select| select.exists([pair.0]));
        found.context("reading the delivered tenders")
    }
}

impl DeliveryIntent {
    /// The intent of a confirmation mail, which lists no tender.
    pub(super) fn of_confirmation(id: i64) -> DeliveryIntent {
        DeliveryIntent { id, pairs: Vec::new() }
    }
}

impl StateDb {
    /// The lock file that the one process that sends mail holds.
    pub(crate) fn mail_lock(&self) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(".mail-lock");
        PathBuf::from(name)
    }

    /// Marks the intents of a process that died as uncertain and returns their number. Only for the
    /// holder of [`StateDb::mail_lock`].
    pub(crate) fn mark_interrupted_deliveries(&self) -> anyhow::Result<usize> {
        let marked = self.connection.execute(MARK_INTERRUPTED, []);
        marked.context("marking the interrupted deliveries of an earlier run")
    }

    pub fn delivery_history(&self, now: DateTime<Utc>) -> anyhow::Result<DeliveryHistory> {
        let since = (now - HISTORY).timestamp();
        let read = || -> rusqlite::Result<DeliveryHistory> {
            let select =
                "SELECT address, max(began_at) FROM mailings WHERE began_at > ?1 AND kind = 'digest' GROUP BY address";
            let mut select = self.connection.prepare(select)?;
            let last_to_address =
                select.query_map([since], |row| Ok((AddressHash(row.get(0)?), from_unix(row.get(1)?))))?;
            let last_to_address = last_to_address.collect::<Result<_, _>>()?;
            let select = "SELECT subscription, max(began_at) FROM mailed_subscriptions JOIN mailings ON id = mailing
                          WHERE began_at > ?1 GROUP BY subscription";
            let mut select = self.connection.prepare(select)?;
            let last_of_subscription = select.query_map([since], |row| Ok((row.get(0)?, from_unix(row.get(1)?))))?;
            Ok(DeliveryHistory {
                last_to_address,
                last_of_subscription: last_of_subscription.collect::<Result<_, _>>()?,
                suppressions: suppressions(&self.connection)?,
            })
        };
        read().context("reading the delivery history")
    }

    /// A snapshot of the delivered pairs.
    pub(crate) fn delivered_pairs(&self) -> anyhow::Result<DeliveredPairs<'_>> {
        let reading = Transaction::new_unchecked(&self.connection, TransactionBehavior::Deferred);
        reading.map(DeliveredPairs).context("reading the delivered tenders")
    }

    /// Writes a delivery intent and syncs it to disk: the last step before the first byte of the
    /// message.
    pub(crate) fn begin_delivery(
        &self,
        address: AddressHash,
        pairs: &[PairHash],
        subscriptions: &[i64],
        now: DateTime<Utc>,
    ) -> anyhow::Result<DeliveryIntent> {
        self.check_file()?;
        let write = |transaction: &Transaction| -> rusqlite::Result<i64> {
            let insert = "INSERT INTO mailings (address, began_at, tenders, outcome) VALUES (?1, ?2, ?3, 'sending')";
            transaction.execute(insert, params![address.0, now.timestamp(), pairs.len() as i64])?;
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
            .context("writing a delivery intent; the mail is not sent")?;
        let pairs = pairs.to_vec();
        Ok(DeliveryIntent { id, pairs })
    }

    /// Completes the intent of a mail that was accepted, or may have been. An accepted mail also
    /// removes the suppression of its address.
    pub(crate) fn complete_delivery(&self, intent: DeliveryIntent, status: DeliveryStatus) -> anyhow::Result<()> {
        let outcome = match status {
            DeliveryStatus::Sent => "sent",
            DeliveryStatus::Uncertain => "uncertain",
        };
        let write = |transaction: &Transaction| -> rusqlite::Result<()> {
            let update = "UPDATE mailings SET outcome = ?2 WHERE id = ?1";
            transaction.execute(update, params![intent.id, outcome])?;
            if status == DeliveryStatus::Sent {
                let delete = "DELETE FROM setbacks WHERE address = (SELECT address FROM mailings WHERE id = ?1)";
                transaction.execute(delete, [intent.id])?;
            }
            Ok(())
        };
        self.write(write).context("completing a delivery intent")
    }

    /// Deletes the intent of a mail that was certainly not accepted: its tenders are new again, or
    /// its address still waits for the confirmation mail.
    pub(crate) fn withdraw_delivery(&self, intent: DeliveryIntent) -> anyhow::Result<()> {
        let write = |transaction: &Transaction| -> rusqlite::Result<()> {
            let mut delete = transaction.prepare_cached("DELETE FROM mailed WHERE pair = ?1")?;
            for pair in &intent.pairs {
                delete.execute([pair.0])?;
            }
            transaction.execute("DELETE FROM mailed_subscriptions WHERE mailing = ?1", [intent.id])?;
            let update = "UPDATE confirmations SET awaits_mail = 1
                 WHERE address = (SELECT address FROM mailings WHERE id = ?1 AND kind = 'confirmation')";
            transaction.execute(update, [intent.id])?;
            transaction.execute("DELETE FROM mailings WHERE id = ?1", [intent.id])?;
            Ok(())
        };
        self.write(write).context("deleting a delivery intent")
    }

    /// The number of mails that may or may not have arrived.
    pub fn count_uncertain_deliveries(&self) -> anyhow::Result<i64> {
        let select = "SELECT count(*) FROM mailings WHERE outcome <> 'sent'";
        let counted = self.connection.query_row(select, [], |row| row.get(0));
        counted.context("counting the mails that may not have arrived")
    }

    /// Deletes deliveries that are too old to matter: all before the first one within the retention
    /// time. So a clock that was wrong for a while deletes nothing too early. Without any delivery in
    /// that time the clock may be wrong now, and everything is kept.
    pub(crate) fn prune_deliveries(&self, now: DateTime<Utc>) -> anyhow::Result<()> {
        let prune = || -> rusqlite::Result<()> {
            // Deliveries of the future were made before the clock went back: they count as recent too.
            let recent = [(now - RETENTION).timestamp(), (now + RETENTION).timestamp()];
            let first = self
                .connection
                .query_row(FIRST_RECENT, recent, |row| row.get::<_, i64>(0));
            let Some(first) = first.optional()? else {
                return Ok(());
            };
            let oldest = || {
                let select = "SELECT min(id) FROM mailings";
                let oldest = self
                    .connection
                    .query_row(select, [], |row| row.get::<_, Option<i64>>(0));
                oldest.map(|oldest| oldest.filter(|oldest| *oldest < first))
            };
            while let Some(oldest) = oldest()? {
                let ids = [oldest, (first - 1).min(oldest + MAX_PRUNED - 1)];
                self.write(|transaction| {
                    PRUNE
                        .iter()
                        .try_for_each(|delete| transaction.execute(delete, ids).map(drop))
                })?;
            }
            Ok(())
        };
        prune().context("pruning old deliveries")
    }
}
