//! Ending subscriptions by the tokens in mails.

use anyhow::Context;
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use crate::state::{
    consent::{ConsentEvent, ConsentRecord},
    database::{StateDb, with_reserve},
    reserve::KEPT_FOR_OPERATOR,
    subscription::Subscription,
    tokens::{self, LinkToken, Salt},
};

/// The outcome of using a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsubscribeOutcome {
    Ended,
    AlreadyEnded,
    /// No row has such a token.
    UnknownToken,
}

impl StateDb {
    /// The token that ends this subscription.
    pub fn unsubscribe_token(&self, subscription: &Subscription) -> anyhow::Result<String> {
        let salt = self.salt("SELECT id, salt FROM subscriptions WHERE id = ?1", subscription.id)?;
        let (id, salt) = salt.context("the subscription is not in the state database")?;
        Ok(tokens::of_subscription(&self.connection, id, &salt)?.0)
    }

    /// The token that ends all subscriptions of the address, including those made later.
    pub fn unsubscribe_all_token(&self, email: &str) -> anyhow::Result<String> {
        let salt = self.salt("SELECT id, salt FROM addresses WHERE email = ?1", email)?;
        let (id, salt) = salt.context("the address is not in the state database")?;
        Ok(tokens::of_address(&self.connection, id, &salt)?.0)
    }

    /// Ends the subscriptions of a token.
    pub fn unsubscribe(&mut self, token: &str, consent: &ConsentRecord) -> anyhow::Result<UnsubscribeOutcome> {
        // Before the write lock, so that only a client with a token can delay other writers.
        if self.find_token(token)? == UnsubscribeOutcome::UnknownToken {
            return Ok(UnsubscribeOutcome::UnknownToken);
        }
        self.check_file()?;
        let StateDb { connection, path, .. } = self;
        // Also on a full disk: the mails would come again as soon as there is space.
        let ended = with_reserve(path, KEPT_FOR_OPERATOR, || unsubscribe(connection, token, consent));
        ended.context("ending a subscription")
    }

    /// The outcome that [`StateDb::unsubscribe`] would have, without ending anything. A token of
    /// active subscriptions also gives [`UnsubscribeOutcome::AlreadyEnded`].
    pub(crate) fn find_token(&self, token: &str) -> anyhow::Result<UnsubscribeOutcome> {
        let is_known = is_known(&self.connection, token).context("looking up a token")?;
        Ok(if is_known {
            UnsubscribeOutcome::AlreadyEnded
        } else {
            UnsubscribeOutcome::UnknownToken
        })
    }

    fn salt(&self, select: &str, key: impl rusqlite::ToSql) -> anyhow::Result<Option<(i64, Salt)>> {
        let mut select = self.connection.prepare_cached(select)?;
        let row = select.query_row([key], |row| Ok((row.get(0)?, Salt(row.get(1)?))));
        row.optional().context("reading the salt of a token")
    }
}

fn unsubscribe(
    connection: &mut Connection,
    token: &str,
    consent: &ConsentRecord,
) -> anyhow::Result<UnsubscribeOutcome> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let subscriptions = live_subscriptions_of(&transaction, token)?;
    let has_ended = end(&transaction, &subscriptions, consent)?;
    transaction.commit()?;
    Ok(if has_ended {
        UnsubscribeOutcome::Ended
    } else {
        UnsubscribeOutcome::AlreadyEnded
    })
}

/// Ends all subscriptions of an address. Returns whether there were any.
pub(super) fn end_all_of_address(
    transaction: &Transaction,
    address_id: i64,
    consent: &ConsentRecord,
) -> rusqlite::Result<bool> {
    let select = "SELECT id FROM subscriptions WHERE address_id = ?1 AND unsubscribed_at IS NULL";
    let mut select = transaction.prepare_cached(select)?;
    let subscriptions: Vec<i64> = select
        .query_map([address_id], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    end(transaction, &subscriptions, consent)
}

/// Ends active subscriptions, with a consent record each, and removes those that were never
/// confirmed. From then on the address must confirm every new subscription.
fn end(transaction: &Transaction, subscriptions: &[i64], consent: &ConsentRecord) -> rusqlite::Result<bool> {
    let mut has_ended = false;
    for id in subscriptions {
        let update = "UPDATE subscriptions SET unsubscribed_at = ?2 WHERE id = ?1 AND unsubscribed_at IS NULL AND confirmed_at IS NOT NULL";
        if transaction.execute(update, params![id, consent.at.timestamp()])? > 0 {
            consent.write(transaction, *id, ConsentEvent::Unsubscribed)?;
            has_ended = true;
        }
        let delete =
            "DELETE FROM confirmed_keys WHERE address_id = (SELECT address_id FROM subscriptions WHERE id = ?1)";
        transaction.execute(delete, [id])?;
        let is_pending =
            "SELECT 1 FROM subscriptions WHERE id = ?1 AND unsubscribed_at IS NULL AND confirmed_at IS NULL";
        if transaction.prepare_cached(is_pending)?.exists([id])? {
            discard(transaction, *id, consent.at)?;
            has_ended = true;
        }
    }
    Ok(has_ended)
}

/// Removes a subscription that was never confirmed, with everything about it. One that was active
/// before is ended again instead, because the links in old mails must go on working.
pub(super) fn discard(transaction: &Transaction, id: i64, now: DateTime<Utc>) -> rusqlite::Result<()> {
    let was_active = "SELECT 1 FROM consents WHERE subscription_id = ?1 AND event = ?2";
    let was_active = transaction
        .prepare_cached(was_active)?
        .exists(params![id, ConsentEvent::Unsubscribed.name()])?;
    if was_active {
        let update = "UPDATE subscriptions SET unsubscribed_at = ?2 WHERE id = ?1";
        return transaction.execute(update, params![id, now.timestamp()]).map(drop);
    }
    let select = "SELECT address_id FROM subscriptions WHERE id = ?1";
    let address_id: i64 = transaction.query_row(select, [id], |row| row.get(0))?;
    transaction.execute("DELETE FROM consents WHERE subscription_id = ?1", [id])?;
    transaction.execute("DELETE FROM subscriptions WHERE id = ?1", [id])?;
    let is_used = "SELECT 1 FROM subscriptions WHERE address_id = ?1";
    if !transaction.prepare_cached(is_used)?.exists([address_id])? {
        transaction.execute("DELETE FROM confirmed_keys WHERE address_id = ?1", [address_id])?;
        transaction.execute("DELETE FROM addresses WHERE id = ?1", [address_id])?;
    }
    Ok(())
}

fn is_known(connection: &Connection, token: &str) -> rusqlite::Result<bool> {
    let Some(token) = LinkToken::parse(token) else {
        return Ok(false);
    };
    let find =
        "SELECT 1 FROM subscriptions WHERE token_sha256 = ?1 UNION ALL SELECT 1 FROM addresses WHERE token_sha256 = ?1";
    connection.prepare_cached(find)?.exists([token.hash()])
}

/// The ids of the subscriptions that a token ends. Those that are ended already may be many.
fn live_subscriptions_of(connection: &Connection, token: &str) -> rusqlite::Result<Vec<i64>> {
    let Some(token) = LinkToken::parse(token) else {
        return Ok(Vec::new());
    };
    let find = "SELECT id FROM subscriptions WHERE token_sha256 = ?1 AND unsubscribed_at IS NULL
         UNION ALL SELECT subscriptions.id FROM addresses JOIN subscriptions ON addresses.id = address_id
         WHERE addresses.token_sha256 = ?1 AND unsubscribed_at IS NULL";
    let mut find = connection.prepare_cached(find)?;
    find.query_map([token.hash()], |row| row.get(0))?.collect()
}
