//! Consent records: the proof of who subscribed and unsubscribed, which anti-spam law requires. The
//! log is append-only.

use std::net::IpAddr;

use chrono::{DateTime, Utc};
use rusqlite::{Transaction, params};

/// Where a request to subscribe or unsubscribe came from.
#[derive(Clone, Copy, Debug)]
pub struct ConsentRecord<'a> {
    pub at: DateTime<Utc>,
    /// The API key that was used; `None` for unsubscribing.
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
#[derive(Clone, Copy, Debug)]
pub(super) enum ConsentEvent {
    Subscribed,
    Changed,
    Unsubscribed,
}

impl ConsentRecord<'_> {
    pub(super) fn write(
        &self,
        transaction: &Transaction,
        subscription_id: i64,
        event: ConsentEvent,
    ) -> rusqlite::Result<()> {
        let event = match event {
            ConsentEvent::Subscribed => "subscribed",
            ConsentEvent::Changed => "changed",
            ConsentEvent::Unsubscribed => "unsubscribed",
        };
        let insert = "INSERT INTO consents (subscription_id, event, at, key_id, request_id, peer, forwarded_for, words)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let mut insert = transaction.prepare_cached(insert)?;
        insert.execute(params![
            subscription_id,
            event,
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
