//! Who asked for which alerts, and the proof that they did.
//!
//! An address and what it asked for are one subscription for ever: asked for again it is changed or taken up again, so that every link ever mailed goes on ending
//! it. What the law asks proof of stands beside it in a log that is only added to: who subscribed and unsubscribed when, from where, by which key, and the words.

use std::{collections::BTreeSet, fmt, net::IpAddr};

use anyhow::Context;
use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension, Row, Transaction, TransactionBehavior, params, types::Type};

use crate::{
    model::{email::EmailAddress, fold::fold, stem::Language},
    query::keyword::Keyword,
    state::{
        State,
        mailings::lift_pause,
        tokens::{self, Salt},
    },
};

/// The most live subscriptions of an address.
pub const MOST_OF_ADDRESS: i64 = 50;

/// The most live subscriptions that a key has made.
pub const MOST_OF_KEY: i64 = 1_000;

/// What someone wants to be told of.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    pub email: EmailAddress,
    /// Any of them; every tender where there is none.
    pub keywords: Vec<Keyword>,
    /// Part of a department's name.
    pub department: Option<String>,
    pub municipality: Option<String>,
    pub category: Option<String>,
    /// The languages of notices to look at; never empty.
    pub languages: BTreeSet<Language>,
    pub frequency: Frequency,
    pub locale: Locale,
}

/// Where a wish came from: kept as proof.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    pub at: DateTime<Utc>,
    /// Whose key was used; none to unsubscribe.
    pub key_id: Option<i64>,
    pub request_id: &'a str,
    /// The other end of the connection, which is a proxy's where there is one.
    pub peer: Option<IpAddr>,
    /// What that end says of where the request came from. Anyone can claim anything here: it tells something where the peer is a proxy of one's own.
    pub forwarded_for: Option<&'a str>,
    /// The wish as it was written.
    pub words: &'a str,
}

/// A live subscription.
#[derive(Clone, Debug, PartialEq)]
pub struct Subscription {
    pub id: i64,
    /// As [`EmailAddress`] writes it.
    pub email: String,
    pub keywords: Vec<String>,
    pub department: Option<String>,
    pub municipality: Option<String>,
    pub category: Option<String>,
    pub languages: Vec<Language>,
    pub frequency: Frequency,
    pub locale: Locale,
    /// Unix seconds.
    pub created_at: i64,
}

/// How often a digest is sent at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Frequency {
    #[default]
    Daily,
    Weekly,
}

/// The language a digest is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Locale {
    #[default]
    En,
    Fr,
}

/// What came of a wish to subscribe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subscribed {
    New,
    /// Known, with another frequency or locale.
    Changed,
    Known,
}

/// Why no subscription was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    Address,
    Key,
}

/// A limit that is reached is no failure: the two are told apart.
pub type Outcome = anyhow::Result<Result<Subscribed, Full>>;

impl Frequency {
    pub const ALL: [Frequency; 2] = [Frequency::Daily, Frequency::Weekly];

    pub const fn name(self) -> &'static str {
        match self {
            Frequency::Daily => "daily",
            Frequency::Weekly => "weekly",
        }
    }

    pub fn parse(name: &str) -> Option<Frequency> {
        Frequency::ALL.into_iter().find(|frequency| frequency.name() == name)
    }
}

impl Locale {
    pub const ALL: [Locale; 2] = [Locale::En, Locale::Fr];

    pub const fn name(self) -> &'static str {
        match self {
            Locale::En => "en",
            Locale::Fr => "fr",
        }
    }

    pub fn parse(name: &str) -> Option<Locale> {
        Locale::ALL.into_iter().find(|locale| locale.name() == name)
    }
}

impl Wanted {
    /// The same for two wishes that find the same tenders.
    fn identity(&self) -> anyhow::Result<String> {
        let keywords: Result<BTreeSet<String>, _> = self
            .keywords
            .iter()
            .map(|keyword| serde_json::to_string(keyword.term()))
            .collect();
        let languages: Vec<&str> = self.languages.iter().map(|language| language.code()).collect();
        let department = self.department.as_deref().map(fold);
        let parts = (keywords?, department, &self.municipality, &self.category, languages);
        Ok(serde_json::to_string(&parts)?)
    }
}

impl State {
    /// Writes a subscription and the proof of it, or finds it written. Either way whoever asks expects mail: a pause of the address is lifted.
    pub fn subscribe(&mut self, wanted: &Wanted, evidence: &Evidence) -> Outcome {
        self.check_place()?;
        let change = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate);
        let written = change
            .map_err(anyhow::Error::from)
            .and_then(|change| subscribe(change, wanted, evidence));
        written.context("writing a subscription")
    }

    /// Every live subscription, the oldest first. A row that cannot be understood is logged, and mailed nothing.
    pub fn subscriptions(&self) -> anyhow::Result<Vec<Subscription>> {
        self.live_subscriptions(None)
    }

    /// The live subscriptions of an address, the oldest first.
    pub fn subscriptions_of(&self, email: &str) -> anyhow::Result<Vec<Subscription>> {
        self.live_subscriptions(Some(email))
    }

    fn live_subscriptions(&self, email: Option<&str>) -> anyhow::Result<Vec<Subscription>> {
        let select = "SELECT subscriptions.id, email, keywords, department, municipality, category, languages, frequency, locale, created_at
             FROM subscriptions JOIN addresses ON addresses.id = address_id WHERE unsubscribed_at IS NULL
             AND (?1 IS NULL OR email = ?1) ORDER BY subscriptions.id";
        let mut select = self.connection.prepare_cached(select)?;
        let mut rows = select.query([email]).context("reading the subscriptions")?;
        let mut subscriptions = Vec::new();
        while let Some(row) = rows.next().context("reading the subscriptions")? {
            match subscription(row) {
                Ok(subscription) => subscriptions.push(subscription),
                Err(error) => log::error!("subscription {} cannot be used: {error}", row.get::<_, i64>(0)?),
            }
        }
        Ok(subscriptions)
    }
}

fn subscribe(change: Transaction, wanted: &Wanted, evidence: &Evidence) -> Outcome {
    let identity = wanted.identity()?;
    let address_id = address(&change, &wanted.email)?;
    let select = "SELECT id, frequency, locale, unsubscribed_at IS NULL FROM subscriptions WHERE address_id = ?1 AND identity = ?2";
    let found = change.query_row(select, params![address_id, identity], |row| {
        let columns: (i64, String, String, bool) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        Ok(columns)
    });
    let (frequency, locale) = (wanted.frequency.name(), wanted.locale.name());
    let (id, subscribed) = match found.optional()? {
        Some((_, was_frequency, was_locale, true)) if was_frequency == frequency && was_locale == locale => {
            lift_pause(&change, wanted.email.as_str(), evidence.at)?;
            change.commit()?;
            return Ok(Ok(Subscribed::Known));
        }
        Some((id, _, _, true)) => (id, Subscribed::Changed),
        found => {
            if let Some(full) = full(&change, address_id, evidence.key_id)? {
                return Ok(Err(full));
            }
            let id = match found {
                Some((id, ..)) => id,
                None => insert(&change, address_id, &identity)?,
            };
            (id, Subscribed::New)
        }
    };
    let keywords: Vec<&str> = wanted.keywords.iter().map(Keyword::text).collect();
    let languages: Vec<&str> = wanted.languages.iter().map(|language| language.code()).collect();
    let is_new = subscribed == Subscribed::New;
    change.execute(
        "UPDATE subscriptions SET keywords = ?2, department = ?3, municipality = ?4, category = ?5, languages = ?6, frequency = ?7, locale = ?8,
         unsubscribed_at = NULL, key_id = iif(?11, ?9, key_id), created_at = iif(?11, ?10, created_at) WHERE id = ?1",
        params![
            id,
            serde_json::to_string(&keywords)?,
            wanted.department,
            wanted.municipality,
            wanted.category,
            languages.join(","),
            frequency,
            locale,
            evidence.key_id,
            evidence.at.timestamp(),
            is_new,
        ],
    )?;
    lift_pause(&change, wanted.email.as_str(), evidence.at)?;
    evidence.write(&change, id, if is_new { "subscribed" } else { "changed" })?;
    change.commit()?;
    Ok(Ok(subscribed))
}

/// The row of an address, made where there is none.
fn address(change: &Transaction, email: &EmailAddress) -> anyhow::Result<i64> {
    let select = "SELECT id FROM addresses WHERE email = ?1";
    let known = change.query_row(select, [email.as_str()], |row| row.get(0));
    if let Some(id) = known.optional()? {
        return Ok(id);
    }
    let salt = Salt::random()?;
    let insert = "INSERT INTO addresses (email, salt) VALUES (?1, ?2)";
    change.execute(insert, params![email.as_str(), salt.0])?;
    let id = change.last_insert_rowid();
    let hash = tokens::of_address(change, id, &salt)?.hash();
    change.execute(
        "UPDATE addresses SET token_sha256 = ?2 WHERE id = ?1",
        params![id, hash],
    )?;
    Ok(id)
}

/// A new row, its content still to be written.
fn insert(change: &Transaction, address_id: i64, identity: &str) -> anyhow::Result<i64> {
    let salt = Salt::random()?;
    let insert = "INSERT INTO subscriptions (address_id, identity, salt, keywords, languages, frequency, locale, key_id, created_at)
         VALUES (?1, ?2, ?3, '', '', '', '', 0, 0)";
    change.execute(insert, params![address_id, identity, salt.0])?;
    let id = change.last_insert_rowid();
    let hash = tokens::of_subscription(change, id, &salt)?.hash();
    change.execute(
        "UPDATE subscriptions SET token_sha256 = ?2 WHERE id = ?1",
        params![id, hash],
    )?;
    Ok(id)
}

/// The limit that one more subscription would pass.
fn full(change: &Transaction, address_id: i64, key_id: Option<i64>) -> anyhow::Result<Option<Full>> {
    let count = |column: &str, id: Option<i64>| {
        let count = format!("SELECT count(*) FROM subscriptions WHERE {column} = ?1 AND unsubscribed_at IS NULL");
        change.query_row(&count, [id], |row| row.get::<_, i64>(0))
    };
    Ok(match () {
        () if count("address_id", Some(address_id))? >= MOST_OF_ADDRESS => Some(Full::Address),
        () if count("key_id", key_id)? >= MOST_OF_KEY => Some(Full::Key),
        () => None,
    })
}

impl Evidence<'_> {
    pub(super) fn write(&self, change: &Transaction, subscription_id: i64, event: &str) -> rusqlite::Result<()> {
        let insert = "INSERT INTO consents (subscription_id, event, at, key_id, request_id, peer, forwarded_for, words)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let peer = self.peer.map(|peer| peer.to_string());
        let (at, words) = (self.at.timestamp(), self.words);
        let mut insert = change.prepare_cached(insert)?;
        insert.execute(params![
            subscription_id,
            event,
            at,
            self.key_id,
            self.request_id,
            peer,
            self.forwarded_for,
            words
        ])?;
        Ok(())
    }
}

fn subscription(row: &Row) -> rusqlite::Result<Subscription> {
    let malformed = |column: usize| {
        let why = "its text is none this program writes";
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

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Full::Address => write!(
                f,
                "this e-mail address has {MOST_OF_ADDRESS} subscriptions, which is the most; end one by the link in a mail to it"
            ),
            Full::Key => write!(
                f,
                "this API key has made {MOST_OF_KEY} subscriptions that still live, which is the most; end one, or use another key"
            ),
        }
    }
}

#[cfg(test)]
mod tests;
