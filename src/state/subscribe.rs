//! Adding and listing subscriptions.
//!
//! An address, a key and a set of conditions are one row. Once confirmed, the row stays for ever:
//! subscribing again changes or reactivates it, so that every unsubscribe link that was ever mailed
//! keeps working. A row that was never confirmed is deleted ([`super::confirmations`]).

use anyhow::Context;
use chrono::{DateTime, NaiveTime, Utc};
use rusqlite::{OptionalExtension, Row, Transaction, TransactionBehavior, params, types::Type};
use serde_json::json;

use crate::{
    model::{EmailAddress, Language},
    query::keyword::Keyword,
    state::{
        address_hash::AddressHash,
        confirmations::{CONFIRM_WITHIN, count_active, expire, is_confirmed, request_confirmation},
        consent::{ConsentEvent, ConsentRecord, count_repetition},
        database::StateDb,
        subscription::{
            Frequency, Locale, MAX_BYTES_OF_KEY_AND_DAY, MAX_OF_ADDRESS, MAX_OF_KEY, MAX_OF_KEY_AND_DAY,
            MAX_UNCONFIRMED_OF_KEY, SubscribeOutcome, Subscription, SubscriptionLimit, SubscriptionRequest,
        },
        suppressions::lift_pause,
        tokens::{self, Salt},
    },
};

/// What was done, or the limit that was reached: a limit is not a failure of the database.
type OutcomeOrLimit = Result<SubscribeOutcome, SubscriptionLimit>;

/// The columns of a row that decide what subscribing again does.
struct StoredSubscription {
    id: i64,
    frequency: String,
    locale: String,
    state: SubscriptionState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SubscriptionState {
    Active,
    /// The address has not confirmed it yet.
    Pending,
    Ended,
}

impl StateDb {
    /// Stores a subscription with its consent record, unless it exists unchanged. In each case it
    /// lifts a pause of the address, because the subscriber expects mail.
    ///
    /// What it returns depends on nothing that other keys, if they are not trusted, did with the
    /// address. Every accepted request writes, so that its time reveals nothing either.
    pub fn subscribe(
        &mut self,
        request: &SubscriptionRequest,
        consent: &ConsentRecord,
    ) -> anyhow::Result<OutcomeOrLimit> {
        self.check_file()?;
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate);
        let written = transaction
            .map_err(anyhow::Error::from)
            .and_then(|transaction| store(transaction, request, consent));
        written.context("writing a subscription")
    }

    /// All active subscriptions, the oldest first. A malformed row is logged and skipped.
    pub fn subscriptions(&self) -> anyhow::Result<Vec<Subscription>> {
        self.active_subscriptions(None)
    }

    /// The active subscriptions of an address, the oldest first.
    pub(crate) fn subscriptions_of(&self, email: &str) -> anyhow::Result<Vec<Subscription>> {
        self.active_subscriptions(Some(email))
    }

    fn active_subscriptions(&self, email: Option<&str>) -> anyhow::Result<Vec<Subscription>> {
        let select = "SELECT subscriptions.id, email, keywords, department, municipality, category, languages, frequency, locale, created_at, translate
             FROM subscriptions JOIN addresses ON addresses.id = address_id WHERE unsubscribed_at IS NULL
             AND confirmed_at IS NOT NULL AND (?1 IS NULL OR email = ?1) ORDER BY subscriptions.id";
        let mut select = self.connection.prepare_cached(select)?;
        let mut rows = select.query([email]).context("reading the subscriptions")?;
        let mut subscriptions = Vec::new();
        while let Some(row) = rows.next().context("reading the subscriptions")? {
            match subscription(row) {
                Ok(subscription) => subscriptions.push(subscription),
                Err(error) => log::error!("subscription {} is ignored: {error}", row.get::<_, i64>(0)?),
            }
        }
        Ok(subscriptions)
    }
}

/// Stores a subscription with its consent record, and commits the transaction unless a limit is reached.
fn store(
    transaction: Transaction,
    request: &SubscriptionRequest,
    consent: &ConsentRecord,
) -> anyhow::Result<OutcomeOrLimit> {
    expire(&transaction, consent.at)?;
    let key_id = consent.key_id.context("a subscription needs a key")?;
    let identity = request.identity(key_id)?;
    let address_id = find_or_insert_address(&transaction, &request.email)?;
    let stored = find(&transaction, address_id, &identity)?;
    let state = stored.as_ref().map_or(SubscriptionState::Ended, |row| row.state);
    let is_same =
        |row: &StoredSubscription| row.frequency == request.frequency.name() && row.locale == request.locale.name();
    let outcome = if state == SubscriptionState::Active {
        if stored.as_ref().is_some_and(is_same) {
            SubscribeOutcome::Unchanged
        } else {
            SubscribeOutcome::Changed
        }
    } else if is_confirmed(&transaction, address_id, key_id)? {
        SubscribeOutcome::Created
    } else {
        SubscribeOutcome::Pending
    };
    let owner = Owner {
        address_id,
        mailbox: AddressHash::of_mailbox(request.email.as_str()),
        key_id,
    };
    let limit = owner.reached_limit(&transaction, outcome, state, stored.is_none(), consent.at)?;
    if let Some(limit) = limit {
        return Ok(Err(limit));
    }
    let id = match stored {
        Some(row) => row.id,
        None => insert(&transaction, owner, &identity)?,
    };
    update(&transaction, id, request, consent, outcome, state)?;
    lift_pause(&transaction, request.email.as_str(), consent.at)?;
    match outcome {
        SubscribeOutcome::Unchanged => count_repetition(&transaction, id)?,
        SubscribeOutcome::Changed => {
            let words = changed_words(request);
            let consent = ConsentRecord {
                words: &words,
                ..*consent
            };
            consent.write(&transaction, id, ConsentEvent::Changed)?;
        }
        SubscribeOutcome::Created => consent.write(&transaction, id, ConsentEvent::Subscribed)?,
        SubscribeOutcome::Pending => {
            consent.write(&transaction, id, ConsentEvent::Subscribed)?;
            request_confirmation(&transaction, address_id, request.email.as_str(), key_id, consent.at)?;
        }
    }
    transaction.commit()?;
    Ok(Ok(outcome))
}

/// The text of a change in the consent record: only what can change.
fn changed_words(request: &SubscriptionRequest) -> String {
    json!({"frequency": request.frequency.name(), "locale": request.locale.name()}).to_string()
}

fn find(transaction: &Transaction, address_id: i64, identity: &str) -> rusqlite::Result<Option<StoredSubscription>> {
    let select = "SELECT id, frequency, locale, unsubscribed_at IS NOT NULL, confirmed_at IS NULL FROM subscriptions
         WHERE address_id = ?1 AND identity = ?2";
    let found = transaction.query_row(select, params![address_id, identity], |row| {
        let state = match (row.get(3)?, row.get(4)?) {
            (true, _) => SubscriptionState::Ended,
            (false, true) => SubscriptionState::Pending,
            (false, false) => SubscriptionState::Active,
        };
        Ok(StoredSubscription {
            id: row.get(0)?,
            frequency: row.get(1)?,
            locale: row.get(2)?,
            state,
        })
    });
    found.optional()
}

/// Writes what a request changes. An active subscription keeps its conditions as they were written
/// first, as the consent record has them. One that was ended counts from now on.
fn update(
    transaction: &Transaction,
    id: i64,
    request: &SubscriptionRequest,
    consent: &ConsentRecord,
    outcome: SubscribeOutcome,
    before: SubscriptionState,
) -> anyhow::Result<()> {
    let now = consent.at.timestamp();
    let update = "UPDATE subscriptions SET frequency = ?2, locale = ?3, requested_at = ?4 WHERE id = ?1";
    let values = params![id, request.frequency.name(), request.locale.name(), now];
    transaction.prepare_cached(update)?.execute(values)?;
    if before == SubscriptionState::Active {
        return Ok(());
    }
    let keywords: Vec<&str> = request.keywords.iter().map(Keyword::text).collect();
    let languages: Vec<&str> = request.languages.iter().map(|language| language.code()).collect();
    let update =
        "UPDATE subscriptions SET keywords = ?2, department = ?3, municipality = ?4, category = ?5, languages = ?6, translate = ?7,
         unsubscribed_at = NULL, confirmed_at = ?8, created_at = iif(?9, ?10, created_at) WHERE id = ?1";
    let values = params![
        id,
        serde_json::to_string(&keywords)?,
        request.department,
        request.municipality,
        request.category,
        languages.join(","),
        request.translate,
        (outcome == SubscribeOutcome::Created).then_some(now),
        before == SubscriptionState::Ended,
        now,
    ];
    transaction.prepare_cached(update)?.execute(values)?;
    Ok(())
}

fn find_or_insert_address(transaction: &Transaction, email: &EmailAddress) -> anyhow::Result<i64> {
    let select = "SELECT id FROM addresses WHERE email = ?1";
    let known = transaction.query_row(select, [email.as_str()], |row| row.get(0));
    if let Some(id) = known.optional()? {
        return Ok(id);
    }
    let salt = Salt::random()?;
    let insert = "INSERT INTO addresses (email, salt) VALUES (?1, ?2)";
    transaction.execute(insert, params![email.as_str(), salt.0])?;
    let id = transaction.last_insert_rowid();
    let hash = tokens::of_address(transaction, id, &salt)?.hash();
    transaction.execute(
        "UPDATE addresses SET token_sha256 = ?2 WHERE id = ?1",
        params![id, hash],
    )?;
    // The address may have been deleted after it was asked to confirm. The link to decline, which still
    // works, must end the new subscriptions.
    let update = "UPDATE confirmations SET address_id = ?2 WHERE address = ?1";
    transaction.execute(update, params![AddressHash::new(email.as_str()).0, id])?;
    Ok(id)
}

/// Inserts a row whose conditions [`update`] still has to write.
fn insert(transaction: &Transaction, owner: Owner, identity: &str) -> anyhow::Result<i64> {
    let salt = Salt::random()?;
    let insert = "INSERT INTO subscriptions (address_id, identity, salt, keywords, languages, frequency, locale, key_id, created_at)
         VALUES (?1, ?2, ?3, '', '', '', '', ?4, 0)";
    transaction.execute(insert, params![owner.address_id, identity, salt.0, owner.key_id])?;
    let id = transaction.last_insert_rowid();
    let hash = tokens::of_subscription(transaction, id, &salt)?.hash();
    transaction.execute(
        "UPDATE subscriptions SET token_sha256 = ?2 WHERE id = ?1",
        params![id, hash],
    )?;
    Ok(id)
}

/// The address and the key of a subscription.
#[derive(Clone, Copy)]
struct Owner {
    address_id: i64,
    mailbox: AddressHash,
    key_id: i64,
}

impl Owner {
    /// The limit that a subscription would exceed.
    fn reached_limit(
        self,
        transaction: &Transaction,
        outcome: SubscribeOutcome,
        before: SubscriptionState,
        is_new_row: bool,
        now: DateTime<Utc>,
    ) -> rusqlite::Result<Option<SubscriptionLimit>> {
        let is_new_to_key = before == SubscriptionState::Ended;
        let of_address = match outcome {
            SubscribeOutcome::Created => count_active(transaction, self.address_id)?,
            // Subscriptions of other keys do not count: the address confirms which of them it wants.
            SubscribeOutcome::Pending if is_new_to_key => {
                let count = "SELECT count(*) FROM subscriptions WHERE address_id = ?1 AND key_id = ?2 AND unsubscribed_at IS NULL";
                transaction.query_row(count, [self.address_id, self.key_id], |row| row.get(0))?
            }
            _ => 0,
        };
        let of_key = |counted: &str, condition: &str, values: &[i64]| -> rusqlite::Result<i64> {
            let count = format!("SELECT {counted} FROM subscriptions WHERE key_id = ?1 AND {condition}");
            let mut count = transaction.prepare_cached(&count)?;
            count.query_row(rusqlite::params_from_iter(values), |row| row.get(0))
        };
        let midnight = now.date_naive().and_time(NaiveTime::MIN).and_utc().timestamp();
        let of_today = |counted: &str| of_key(counted, "created_at >= ?2", &[self.key_id, midnight]);
        let bytes = "coalesce(sum(octet_length(identity) + octet_length(keywords)), 0)";
        Ok(if of_address >= MAX_OF_ADDRESS {
            Some(SubscriptionLimit::OfAddress)
        } else if is_new_to_key && of_key("count(*)", "unsubscribed_at IS NULL", &[self.key_id])? >= MAX_OF_KEY {
            Some(SubscriptionLimit::OfKey)
        } else if is_new_row && of_today("count(*)")? >= MAX_OF_KEY_AND_DAY {
            Some(SubscriptionLimit::OfKeyAndDay)
        } else if is_new_row && of_today(bytes)? >= MAX_BYTES_OF_KEY_AND_DAY {
            Some(SubscriptionLimit::BytesOfKeyAndDay)
        } else if outcome == SubscribeOutcome::Pending
            && is_new_to_key
            && self.count_other_unconfirmed(transaction, now)? >= MAX_UNCONFIRMED_OF_KEY
        {
            Some(SubscriptionLimit::UnconfirmedOfKey)
        } else {
            None
        })
    }

    /// The number of other mailboxes that have not confirmed a subscription of the key. Expired
    /// subscriptions do not count, although not all of them may be removed yet.
    fn count_other_unconfirmed(self, transaction: &Transaction, now: DateTime<Utc>) -> rusqlite::Result<i64> {
        let count = "SELECT count(DISTINCT mailbox) FROM subscriptions
                JOIN confirmations ON confirmations.address_id = subscriptions.address_id
             WHERE subscriptions.key_id = ?1 AND mailbox <> ?2 AND unsubscribed_at IS NULL
                AND subscriptions.confirmed_at IS NULL AND subscriptions.requested_at > ?3";
        let since = (now - CONFIRM_WITHIN).timestamp();
        transaction
            .prepare_cached(count)?
            .query_row(params![self.key_id, self.mailbox.0, since], |row| row.get(0))
    }
}

fn subscription(row: &Row) -> rusqlite::Result<Subscription> {
    let malformed = |column: usize| {
        let why = "the column has a text that this program does not write";
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, why.into())
    };
    let keywords: String = row.get(2)?;
    let languages: String = row.get(6)?;
    let (frequency, locale): (String, String) = (row.get(7)?, row.get(8)?);
    let languages = languages.split(',').map(Language::parse).collect::<Option<Vec<_>>>();
    Ok(Subscription {
        id: row.get(0)?,
        email: row.get(1)?,
        keywords: serde_json::from_str(&keywords).map_err(|_| malformed(2))?,
        department: row.get(3)?,
        municipality: row.get(4)?,
        category: row.get(5)?,
        languages: languages.ok_or_else(|| malformed(6))?,
        frequency: Frequency::parse(&frequency).ok_or_else(|| malformed(7))?,
        locale: Locale::parse(&locale).ok_or_else(|| malformed(8))?,
        created_at: row.get(9)?,
        translate: row.get(10)?,
    })
}
