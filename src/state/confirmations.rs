//! Confirmed opt-in: a subscription of a key that is not trusted waits until the owner of the address
//! confirms it by the link in a mail.
//!
//! Decision D-166: a confirmation holds for the address and the key. Later subscriptions of the key to
//! that address need none, until the address unsubscribes from anything. A subscription that is not
//! confirmed within [`CONFIRM_WITHIN`] of its latest request is deleted.
//!
//! The table `confirmations` has one row for each address that was asked, by its hash. So the limit
//! of one mail a day, and a wish to be asked no more, outlive the address itself. Both hold for the
//! whole mailbox: addresses that differ only in the tag after a `+` have the same `mailbox`, as have
//! other spellings that mail services deliver alike ([`mod@super::mailbox`]).

use std::collections::BTreeSet;

use anyhow::Context;
use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use crate::state::{
    address_hash::AddressHash,
    consent::{ConsentEvent, ConsentRecord},
    database::StateDb,
    mailbox::{domains, mailbox},
    subscription::MAX_OF_ADDRESS,
    suppressions::from_unix,
    tokens::{self, LinkToken, Salt},
    unsubscribe::{discard, end_all_of_address},
};

/// How long a request waits for its confirmation, and how long the link works.
pub(crate) const CONFIRM_WITHIN: TimeDelta = TimeDelta::days(7);

/// How long the link to decline works after the latest request: longer than the 60
/// days that CASL requires.
const DECLINE_WITHIN: TimeDelta = TimeDelta::days(120);

/// Rows removed in one transaction. The rest is removed by the next one.
const MAX_EXPIRED: i64 = 200;

/// What the token of a confirmation mail can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfirmationState {
    /// Subscriptions wait for being confirmed.
    Pending,
    /// The address has active subscriptions, and none waits.
    Confirmed,
    /// Nothing is left to confirm, but the token can still be used to decline.
    Expired,
    UnknownToken,
}

/// The columns of a row that a token finds.
struct StoredConfirmation {
    address: AddressHash,
    mailbox: AddressHash,
    address_id: i64,
    requested_at: DateTime<Utc>,
}

impl StateDb {
    /// What a token of a confirmation mail can do, without doing it.
    pub fn find_confirmation(&self, token: &str, now: DateTime<Utc>) -> anyhow::Result<ConfirmationState> {
        let find = || -> rusqlite::Result<ConfirmationState> {
            let Some(stored) = find(&self.connection, token)? else {
                return Ok(ConfirmationState::UnknownToken);
            };
            if stored.is_expired(now) {
                Ok(ConfirmationState::Expired)
            } else if !pending_of_address(&self.connection, stored.address_id, now)?.is_empty() {
                Ok(ConfirmationState::Pending)
            } else if count_active(&self.connection, stored.address_id)? > 0 {
                Ok(ConfirmationState::Confirmed)
            } else {
                Ok(ConfirmationState::Expired)
            }
        };
        find().context("looking up a token")
    }

    /// Confirms the subscriptions that wait at the address of a token, the oldest first, up to the
    /// maximum of an address. Returns [`ConfirmationState::Confirmed`] if the address has alerts now.
    pub fn confirm(&mut self, token: &str, consent: &ConsentRecord) -> anyhow::Result<ConfirmationState> {
        // Before the write lock, so that only a client with a token can delay other writers.
        let found = self.find_confirmation(token, consent.at)?;
        if found != ConfirmationState::Pending {
            return Ok(found);
        }
        self.check_file()?;
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        confirm(&transaction, token, consent).context("confirming subscriptions")?;
        transaction.commit().context("confirming subscriptions")?;
        Ok(match self.find_confirmation(token, consent.at)? {
            // The address has the maximum of alerts, so the others go on waiting.
            ConfirmationState::Pending => ConfirmationState::Confirmed,
            state => state,
        })
    }

    /// Ends all subscriptions of the mailbox of a token, also confirmed ones, and sends it no further
    /// confirmation mail. Returns whether the token is known.
    pub fn decline(&mut self, token: &str, consent: &ConsentRecord) -> anyhow::Result<bool> {
        if self.find_confirmation(token, consent.at)? == ConfirmationState::UnknownToken {
            return Ok(false);
        }
        self.check_file()?;
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let decline = || -> rusqlite::Result<()> {
            let Some(stored) = find(&transaction, token)? else {
                return Ok(());
            };
            let update = "UPDATE confirmations SET declined_at = coalesce(declined_at, ?2) WHERE address = ?1";
            transaction.execute(update, params![stored.address.0, consent.at.timestamp()])?;
            let update = "UPDATE confirmations SET awaits_mail = 0 WHERE mailbox = ?1";
            transaction.execute(update, [stored.mailbox.0])?;
            for address_id in addresses_of_mailbox(&transaction, &stored)? {
                end_all_of_address(&transaction, address_id, consent)?;
            }
            Ok(())
        };
        decline().context("declining subscriptions")?;
        transaction.commit().context("declining subscriptions")?;
        Ok(true)
    }

    /// Lets the mailbox of an address be asked again after it declined. Returns whether it had declined.
    pub(crate) fn allow_confirmations(&self, address: AddressHash) -> anyhow::Result<bool> {
        let update = "UPDATE confirmations SET declined_at = NULL WHERE declined_at IS NOT NULL
             AND mailbox IN (SELECT mailbox FROM confirmations WHERE address = ?1 UNION ALL SELECT ?1)";
        let allowed = self.connection.execute(update, [address.0]);
        Ok(allowed.context("allowing confirmation mails")? > 0)
    }

    /// Removes the subscriptions that were not confirmed in time, and the tokens that no longer work.
    pub(crate) fn expire_confirmations(&self, now: DateTime<Utc>) -> anyhow::Result<()> {
        self.write(|transaction| expire(transaction, now))
            .context("removing the subscriptions that were not confirmed")
    }

    /// Whether an address is in the database, readable.
    pub(crate) fn knows_address(&self, email: &str) -> anyhow::Result<bool> {
        let mut select = self
            .connection
            .prepare_cached("SELECT 1 FROM addresses WHERE email = ?1")?;
        select.exists([email]).context("looking up an address")
    }
}

impl StoredConfirmation {
    fn is_expired(&self, now: DateTime<Utc>) -> bool {
        self.requested_at + CONFIRM_WITHIN <= now
    }
}

/// Remembers that an address must confirm a subscription. Its links stay the same, so that the link to
/// decline in an earlier mail goes on working, as CASL requires.
pub(super) fn request_confirmation(
    transaction: &Transaction,
    address_id: i64,
    email: &str,
    key_id: i64,
    now: DateTime<Utc>,
) -> anyhow::Result<()> {
    let salt = Salt::random()?;
    let token = tokens::of_confirmation(transaction, &salt)?.hash();
    let insert = "INSERT INTO confirmations (address, address_id, key_id, salt, token_sha256, requested_at, mailbox, awaits_mail) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 1)
         ON CONFLICT (address) DO UPDATE SET address_id = ?2, key_id = ?3, requested_at = ?6, mailbox = ?7, awaits_mail = declined_at IS NULL";
    let values = params![
        AddressHash::new(email).0,
        address_id,
        key_id,
        salt.0,
        token,
        now.timestamp(),
        AddressHash::of_mailbox(email).0
    ];
    transaction.execute(insert, values)?;
    Ok(())
}

/// Whether subscriptions of the key to the address need no confirmation: the operator trusts the key,
/// or the owner of the address has confirmed one of its subscriptions.
pub(super) fn is_confirmed(transaction: &Transaction, address_id: i64, key_id: i64) -> rusqlite::Result<bool> {
    let select = "SELECT 1 FROM keys WHERE id = ?2 AND trusted_consent = 1
         UNION ALL SELECT 1 FROM confirmed_keys WHERE address_id = ?1 AND key_id = ?2";
    transaction.prepare_cached(select)?.exists([address_id, key_id])
}

/// Removes at most [`MAX_EXPIRED`] subscriptions that were not confirmed in time.
pub(super) fn expire(transaction: &Transaction, now: DateTime<Utc>) -> rusqlite::Result<()> {
    let select =
        "SELECT id FROM subscriptions WHERE confirmed_at IS NULL AND unsubscribed_at IS NULL AND requested_at <= ?1
         ORDER BY requested_at LIMIT ?2";
    let mut select = transaction.prepare_cached(select)?;
    let since = (now - CONFIRM_WITHIN).timestamp();
    let expired = select.query_map([since, MAX_EXPIRED], |row| row.get(0))?;
    let expired: Vec<i64> = expired.collect::<rusqlite::Result<_>>()?;
    for id in expired {
        discard(transaction, id, now)?;
    }
    let delete = "DELETE FROM confirmations WHERE address IN
         (SELECT address FROM confirmations WHERE declined_at IS NULL AND requested_at <= ?1 LIMIT ?2)";
    let since = (now - DECLINE_WITHIN).timestamp();
    transaction
        .prepare_cached(delete)?
        .execute([since, MAX_EXPIRED])
        .map(drop)
}

fn confirm(transaction: &Transaction, token: &str, consent: &ConsentRecord) -> rusqlite::Result<()> {
    let Some(stored) = find(transaction, token)? else {
        return Ok(());
    };
    let free = MAX_OF_ADDRESS - count_active(transaction, stored.address_id)?;
    let pending = pending_of_address(transaction, stored.address_id, consent.at)?;
    // The owner declined in the meantime, which must stay in force.
    if pending.is_empty() {
        return Ok(());
    }
    for (id, key_id) in pending.into_iter().take(usize::try_from(free).unwrap_or(0)) {
        let update = "UPDATE subscriptions SET confirmed_at = ?2 WHERE id = ?1";
        transaction.execute(update, params![id, consent.at.timestamp()])?;
        consent.write(transaction, id, ConsentEvent::Confirmed)?;
        let insert = "INSERT OR IGNORE INTO confirmed_keys (address_id, key_id) VALUES (?1, ?2)";
        transaction.execute(insert, [stored.address_id, key_id])?;
    }
    let update = "UPDATE confirmations SET confirmed_at = ?2, awaits_mail = 0 WHERE address = ?1";
    transaction.execute(update, params![stored.address.0, consent.at.timestamp()])?;
    let update = "UPDATE confirmations SET declined_at = NULL WHERE mailbox = ?1 AND declined_at IS NOT NULL";
    transaction.execute(update, [stored.mailbox.0])?;
    Ok(())
}

/// The addresses of the mailbox of a confirmation, of all keys.
fn addresses_of_mailbox(transaction: &Transaction, stored: &StoredConfirmation) -> rusqlite::Result<Vec<i64>> {
    let select = "SELECT email FROM addresses JOIN confirmations ON address_id = addresses.id WHERE mailbox = ?1
         AND email LIKE '%@%' LIMIT 1";
    let email = transaction.query_row(select, [stored.mailbox.0], |row| row.get::<_, String>(0));
    let spelling = email.optional()?.map(|email| mailbox(&email)).unwrap_or_default();
    let select = "SELECT address_id FROM confirmations WHERE mailbox = ?1";
    let mut select = transaction.prepare_cached(select)?;
    let asked = select.query_map([stored.mailbox.0], |row| row.get(0))?;
    let mut found: BTreeSet<i64> = asked.collect::<rusqlite::Result<_>>()?;
    // Those that were never asked, because a trusted key subscribed them. All begin with the same character, and an
    // erased address has no `@`.
    let select =
        "SELECT id, email FROM addresses WHERE email >= ?1 AND email < ?1 || char(127) AND email LIKE '%@' || ?2";
    let mut select = transaction.prepare_cached(select)?;
    let first: String = spelling.chars().take(1).collect();
    for domain in domains(&spelling) {
        let mut rows = select.query([first.as_str(), domain])?;
        while let Some(row) = rows.next()? {
            if mailbox(&row.get::<_, String>(1)?) == spelling {
                found.insert(row.get(0)?);
            }
        }
    }
    Ok(found.into_iter().collect())
}

fn find(connection: &Connection, token: &str) -> rusqlite::Result<Option<StoredConfirmation>> {
    let Some(token) = LinkToken::parse(token) else {
        return Ok(None);
    };
    let select = "SELECT address, mailbox, address_id, requested_at FROM confirmations WHERE token_sha256 = ?1";
    let mut select = connection.prepare_cached(select)?;
    let stored = select.query_row([token.hash()], |row| {
        Ok(StoredConfirmation {
            address: AddressHash(row.get(0)?),
            mailbox: AddressHash(row.get(1)?),
            address_id: row.get(2)?,
            requested_at: from_unix(row.get(3)?),
        })
    });
    stored.optional()
}

/// The subscriptions that wait at an address, the oldest first, each with its key.
fn pending_of_address(
    connection: &Connection,
    address_id: i64,
    now: DateTime<Utc>,
) -> rusqlite::Result<Vec<(i64, i64)>> {
    let select = "SELECT id, key_id FROM subscriptions WHERE address_id = ?1 AND confirmed_at IS NULL AND unsubscribed_at IS NULL
         AND requested_at > ?2 ORDER BY id";
    let mut select = connection.prepare_cached(select)?;
    let since = (now - CONFIRM_WITHIN).timestamp();
    select
        .query_map([address_id, since], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}

/// The number of active subscriptions of an address.
pub(super) fn count_active(connection: &Connection, address_id: i64) -> rusqlite::Result<i64> {
    let count = "SELECT count(*) FROM subscriptions WHERE address_id = ?1 AND confirmed_at IS NOT NULL AND unsubscribed_at IS NULL";
    connection
        .prepare_cached(count)?
        .query_row([address_id], |row| row.get(0))
}
