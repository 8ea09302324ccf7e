//! Consent records: the proof of who subscribed, confirmed and unsubscribed, which anti-spam law
//! requires.
//!
//! Decision D-165: the number of records is bounded. A change of frequency or language is recorded
//! once a day and subscription, and further changes of that day replace the record. So does an event
//! that is the same as the day's latest one, such as another request for what is not confirmed. Of all
//! events, a subscription keeps [`MAX_PER_DAY`] records a day; after that, an event replaces the day's
//! latest record of the same event.

use std::net::IpAddr;

use chrono::{DateTime, Utc};
use rusqlite::{Transaction, params};

/// Where a request to subscribe, confirm or unsubscribe came from.
#[derive(Clone, Copy, Debug)]
pub struct ConsentRecord<'a> {
    pub at: DateTime<Utc>,
    /// The API key that was used; `None` for confirming and unsubscribing.
    pub key_id: Option<i64>,
    pub request_id: &'a str,
    /// The other end of the connection; a proxy's address if there is one.
    pub peer: Option<IpAddr>,
    /// The peer's statement of where the request came from. Any client can claim anything here, so
    /// it is evidence only if the peer is the operator's own proxy.
    pub forwarded_for: Option<&'a str>,
    /// The request as it was written.
    pub words: &'a str,
}

/// What happened to a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConsentEvent {
    /// A client asked for it.
    Subscribed,
    /// The client changed its frequency or language.
    Changed,
    /// The owner of the address confirmed it by the link in a mail.
    Confirmed,
    Unsubscribed,
}

/// The number of records of one UTC day after which a subscription gets no second one of an event.
pub(super) const MAX_PER_DAY: i64 = 10;

const SECONDS_PER_DAY: i64 = 86_400;

impl ConsentEvent {
    pub(super) const fn name(self) -> &'static str {
        match self {
            ConsentEvent::Subscribed => "subscribed",
            ConsentEvent::Changed => "changed",
            ConsentEvent::Confirmed => "confirmed",
            ConsentEvent::Unsubscribed => "unsubscribed",
        }
    }
}

/// Counts that a client asked again for what it has. It changes the database in any case: SQLite does
/// not write a row that stays the same, and the time of an answer must not reveal that.
pub(super) fn count_repetition(transaction: &Transaction, subscription_id: i64) -> rusqlite::Result<()> {
    let update = "UPDATE consents SET times = times + 1 WHERE id =
         (SELECT max(id) FROM consents WHERE subscription_id = ?1 AND event = ?2)";
    let mut update = transaction.prepare_cached(update)?;
    update.execute(params![subscription_id, ConsentEvent::Subscribed.name()])?;
    Ok(())
}

impl ConsentRecord<'_> {
    pub(super) fn write(
        &self,
        transaction: &Transaction,
        subscription_id: i64,
        event: ConsentEvent,
    ) -> rusqlite::Result<()> {
        let midnight = self.at.timestamp().div_euclid(SECONDS_PER_DAY) * SECONDS_PER_DAY;
        let of_today = "SELECT count(*), max(id), max(iif(event = ?2, id, NULL)) FROM consents
             WHERE subscription_id = ?1 AND at BETWEEN ?3 AND ?4";
        let mut of_today = transaction.prepare_cached(of_today)?;
        let day = params![subscription_id, event.name(), midnight, midnight + SECONDS_PER_DAY - 1];
        let (count, latest, same): (i64, Option<i64>, Option<i64>) =
            of_today.query_row(day, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let replaces = event == ConsentEvent::Changed || same == latest || count >= MAX_PER_DAY;
        // The same parameters for both statements: `?1` is the row, or the subscription of a new one.
        let (row, write) = match same.filter(|_| replaces) {
            Some(id) => (
                id,
                "UPDATE consents SET event = ?2, at = ?3, key_id = ?4, request_id = ?5, peer = ?6, forwarded_for = ?7, words = ?8,
                 times = times + 1 WHERE id = ?1",
            ),
            None => (
                subscription_id,
                "INSERT INTO consents (subscription_id, event, at, key_id, request_id, peer, forwarded_for, words)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            ),
        };
        let mut write = transaction.prepare_cached(write)?;
        write.execute(params![
            row,
            event.name(),
            self.at.timestamp(),
            self.key_id,
            self.request_id,
            self.peer.map(|peer| peer.to_string()),
            self.forwarded_for,
            self.words
        ])?;
        Ok(())
    }
}
