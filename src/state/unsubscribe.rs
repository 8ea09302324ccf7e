//! Ending subscriptions by the tokens in mails.

use anyhow::Context;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::state::{
    consent::{ConsentEvent, ConsentRecord},
    database::StateDb,
    subscription::Subscription,
    tokens::{self, Salt, UnsubscribeToken},
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
        unsubscribe(&mut self.connection, token, consent).context("ending a subscription")
    }

    /// The outcome that [`StateDb::unsubscribe`] would have, without ending anything. A token of
    /// active subscriptions also gives [`UnsubscribeOutcome::AlreadyEnded`].
    pub(crate) fn find_token(&self, token: &str) -> anyhow::Result<UnsubscribeOutcome> {
        let found = subscriptions_of(&self.connection, token).context("looking up a token")?;
        Ok(if found.is_empty() {
            UnsubscribeOutcome::UnknownToken
        } else {
            UnsubscribeOutcome::AlreadyEnded
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
    let mut outcome = UnsubscribeOutcome::AlreadyEnded;
    for id in subscriptions_of(&transaction, token)? {
        let update = "UPDATE subscriptions SET unsubscribed_at = ?2 WHERE id = ?1 AND unsubscribed_at IS NULL";
        if transaction.execute(update, params![id, consent.at.timestamp()])? > 0 {
            consent.write(&transaction, id, ConsentEvent::Unsubscribed)?;
            outcome = UnsubscribeOutcome::Ended;
        }
    }
    transaction.commit()?;
    Ok(outcome)
}

/// The ids of the subscriptions that a token ends.
fn subscriptions_of(connection: &Connection, token: &str) -> rusqlite::Result<Vec<i64>> {
    let Some(token) = UnsubscribeToken::parse(token) else {
        return Ok(Vec::new());
    };
    let find = "SELECT id FROM subscriptions WHERE token_sha256 = ?1
         UNION ALL SELECT subscriptions.id FROM subscriptions JOIN addresses ON addresses.id = address_id WHERE addresses.token_sha256 = ?1";
    let mut find = connection.prepare_cached(find)?;
    find.query_map([token.hash()], |row| row.get(0))?.collect()
}
