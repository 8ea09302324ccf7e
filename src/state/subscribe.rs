//! Adding and listing subscriptions.
//!
//! An address and a set of conditions are one row for ever. Subscribing again changes or reactivates
//! the row, so that every unsubscribe link that was ever mailed keeps working.

use anyhow::Context;
use rusqlite::{OptionalExtension, Row, Transaction, TransactionBehavior, params, types::Type};

use crate::{
    model::{EmailAddress, Language},
    query::keyword::Keyword,
    state::{
        consent::{ConsentEvent, ConsentRecord},
        database::StateDb,
        subscription::{
            Frequency, Locale, MAX_OF_ADDRESS, MAX_OF_KEY, SubscribeOutcome, Subscription, SubscriptionLimit,
            SubscriptionRequest,
        },
        suppressions::lift_pause,
        tokens::{self, Salt},
    },
};

/// A reached limit is not a failure of the database, so it is not in the outer error.
type Subscribed = anyhow::Result<Result<SubscribeOutcome, SubscriptionLimit>>;

/// The columns of a row that may make subscribing again a no-op.
struct StoredSubscription {
    id: i64,
    frequency: String,
    locale: String,
    is_active: bool,
}

impl StateDb {
    /// Stores a subscription with its consent record, unless it exists unchanged. In each case it
    /// lifts a pause of the address, because the subscriber expects mail.
    pub fn subscribe(&mut self, request: &SubscriptionRequest, consent: &ConsentRecord) -> Subscribed {
        self.check_file()?;
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate);
        let written = transaction
            .map_err(anyhow::Error::from)
            .and_then(|transaction| subscribe(transaction, request, consent));
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
        let select = "SELECT subscriptions.id, email, keywords, department, municipality, category, languages, frequency, locale, created_at
             FROM subscriptions JOIN addresses ON addresses.id = address_id WHERE unsubscribed_at IS NULL
             AND (?1 IS NULL OR email = ?1) ORDER BY subscriptions.id";
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

fn subscribe(transaction: Transaction, request: &SubscriptionRequest, consent: &ConsentRecord) -> Subscribed {
    let identity = request.identity()?;
    let address_id = find_or_insert_address(&transaction, &request.email)?;
    let stored = find(&transaction, address_id, &identity)?;
    let outcome = match &stored {
        Some(row) if row.is_active => {
            if row.frequency == request.frequency.name() && row.locale == request.locale.name() {
                lift_pause(&transaction, request.email.as_str(), consent.at)?;
                transaction.commit()?;
                return Ok(Ok(SubscribeOutcome::Unchanged));
            }
            SubscribeOutcome::Changed
        }
        _ => SubscribeOutcome::Created,
    };
    let is_new = outcome == SubscribeOutcome::Created;
    if is_new && let Some(limit) = reached_limit(&transaction, address_id, consent.key_id)? {
        return Ok(Err(limit));
    }
    let id = match stored {
        Some(row) => row.id,
        None => insert(&transaction, address_id, &identity)?,
    };
    update(&transaction, id, request, consent, is_new)?;
    lift_pause(&transaction, request.email.as_str(), consent.at)?;
    let event = if is_new {
        ConsentEvent::Subscribed
    } else {
        ConsentEvent::Changed
    };
    consent.write(&transaction, id, event)?;
    transaction.commit()?;
    Ok(Ok(outcome))
}

fn find(transaction: &Transaction, address_id: i64, identity: &str) -> rusqlite::Result<Option<StoredSubscription>> {
    let select = "SELECT id, frequency, locale, unsubscribed_at IS NULL FROM subscriptions WHERE address_id = ?1 AND identity = ?2";
    let found = transaction.query_row(select, params![address_id, identity], |row| {
        Ok(StoredSubscription {
            id: row.get(0)?,
            frequency: row.get(1)?,
            locale: row.get(2)?,
            is_active: row.get(3)?,
        })
    });
    found.optional()
}

/// Writes the conditions of a row and activates it. A new one gets its creator and time.
fn update(
    transaction: &Transaction,
    id: i64,
    request: &SubscriptionRequest,
    consent: &ConsentRecord,
    is_new: bool,
) -> anyhow::Result<()> {
    let keywords: Vec<&str> = request.keywords.iter().map(Keyword::text).collect();
    let languages: Vec<&str> = request.languages.iter().map(|language| language.code()).collect();
    transaction.execute(
        "UPDATE subscriptions SET keywords = ?2, department = ?3, municipality = ?4, category = ?5, languages = ?6, frequency = ?7, locale = ?8,
         unsubscribed_at = NULL, key_id = iif(?11, ?9, key_id), created_at = iif(?11, ?10, created_at) WHERE id = ?1",
        params![
            id,
            serde_json::to_string(&keywords)?,
            request.department,
            request.municipality,
            request.category,
            languages.join(","),
            request.frequency.name(),
            request.locale.name(),
            consent.key_id,
            consent.at.timestamp(),
            is_new,
        ],
    )?;
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
    Ok(id)
}

/// Inserts a row whose conditions [`update`] still has to write.
fn insert(transaction: &Transaction, address_id: i64, identity: &str) -> anyhow::Result<i64> {
    let salt = Salt::random()?;
    let insert = "INSERT INTO subscriptions (address_id, identity, salt, keywords, languages, frequency, locale, key_id, created_at)
         VALUES (?1, ?2, ?3, '', '', '', '', 0, 0)";
    transaction.execute(insert, params![address_id, identity, salt.0])?;
    let id = transaction.last_insert_rowid();
    let hash = tokens::of_subscription(transaction, id, &salt)?.hash();
    transaction.execute(
        "UPDATE subscriptions SET token_sha256 = ?2 WHERE id = ?1",
        params![id, hash],
    )?;
    Ok(id)
}

/// The limit that one more subscription would exceed.
fn reached_limit(
    transaction: &Transaction,
    address_id: i64,
    key_id: Option<i64>,
) -> rusqlite::Result<Option<SubscriptionLimit>> {
    let count = |column: &str, id: Option<i64>| {
        let count = format!("SELECT count(*) FROM subscriptions WHERE {column} = ?1 AND unsubscribed_at IS NULL");
        transaction.query_row(&count, [id], |row| row.get::<_, i64>(0))
    };
    if count("address_id", Some(address_id))? >= MAX_OF_ADDRESS {
        Ok(Some(SubscriptionLimit::OfAddress))
    } else if count("key_id", key_id)? >= MAX_OF_KEY {
        Ok(Some(SubscriptionLimit::OfKey))
    } else {
        Ok(None)
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
    })
}
