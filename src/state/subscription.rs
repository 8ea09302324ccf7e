//! Subscriptions to alerts, as they are requested and as they are stored.

use std::{collections::BTreeSet, fmt};

use crate::{
    model::{EmailAddress, Language, fold::fold},
    query::keyword::Keyword,
};

/// The maximum number of active subscriptions of an address.
pub const MAX_OF_ADDRESS: i64 = 50;

/// The maximum number of subscriptions that one API key has created, active or waiting for
/// confirmation.
pub const MAX_OF_KEY: i64 = 1_000;

/// Decision D-165: the maximum number of subscriptions that one API key creates in a UTC day,
/// whether or not they were ended since: an ended subscription stays in the database as a proof.
pub(crate) const MAX_OF_KEY_AND_DAY: i64 = 1_000;

/// Decision D-165: an API key creates no further subscription in a UTC day when the conditions of those that it has
/// created have this many bytes, as they are stored: with the words as given and as they are compared.
pub(crate) const MAX_BYTES_OF_KEY_AND_DAY: i64 = 2 << 20;

/// Decision D-166: the maximum number of mailboxes with unconfirmed subscriptions of one API key. So
/// no key can have confirmation mails sent to many strangers.
pub(crate) const MAX_UNCONFIRMED_OF_KEY: i64 = 100;

/// A requested subscription.
#[derive(Clone, Debug, PartialEq)]
pub struct SubscriptionRequest {
    pub email: EmailAddress,
    /// A tender must match one of them; empty for every tender.
    pub keywords: Vec<Keyword>,
    /// Part of a department's name.
    pub department: Option<String>,
    pub municipality: Option<String>,
    pub category: Option<String>,
    /// The languages of notices to look at; never empty.
    pub languages: BTreeSet<Language>,
    /// Whether a keyword also matches other terms for it, in both languages.
    pub translate: bool,
    pub frequency: Frequency,
    pub locale: Locale,
}

/// An active subscription: confirmed, or made by a key that needs no confirmation.
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
    /// Whether a keyword also matches other terms for it, in both languages.
    pub translate: bool,
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

/// The outcome of subscribing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubscribeOutcome {
    Created,
    /// The owner of the address has still to confirm it.
    Pending,
    /// The subscription existed, with another frequency or locale.
    Changed,
    Unchanged,
}

/// The limit that refuses one more subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubscriptionLimit {
    OfAddress,
    OfKey,
    OfKeyAndDay,
    BytesOfKeyAndDay,
    /// Too many addresses have not confirmed a subscription of the key.
    UnconfirmedOfKey,
}

impl Frequency {
    pub(crate) const ALL: [Frequency; 2] = [Frequency::Daily, Frequency::Weekly];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Frequency::Daily => "daily",
            Frequency::Weekly => "weekly",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Frequency> {
        Frequency::ALL.into_iter().find(|frequency| frequency.name() == name)
    }
}

impl Locale {
    pub const ALL: [Locale; 2] = [Locale::En, Locale::Fr];

    /// The language code.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Locale::En => "en",
            Locale::Fr => "fr",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Locale> {
        Locale::ALL.into_iter().find(|locale| locale.name() == name)
    }
}

impl SubscriptionRequest {
    /// A text that is equal for two requests exactly if the same key made them and they match the
    /// same tenders.
    ///
    /// Decision D-168: equal requests of two keys are two subscriptions. So no key can change the
    /// subscription of another one, or find out that it exists.
    pub(super) fn identity(&self, key_id: i64) -> anyhow::Result<String> {
        let keywords: Result<BTreeSet<String>, _> = self
            .keywords
            .iter()
            .map(|keyword| serde_json::to_string(keyword.term()))
            .collect();
        let languages: Vec<&str> = self.languages.iter().map(|language| language.code()).collect();
        let department = self.department.as_deref().map(fold);
        let parts = (keywords?, department, &self.municipality, &self.category, languages);
        // Added only where it holds: the identities that are stored do not have it.
        let translate = if self.translate { " translate" } else { "" };
        Ok(format!("{key_id} {}{translate}", serde_json::to_string(&parts)?))
    }
}

impl fmt::Display for SubscriptionLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SubscriptionLimit::OfAddress => write!(
                f,
                "this e-mail address has {MAX_OF_ADDRESS} subscriptions, the maximum; end one by the link in a mail to it"
            ),
            SubscriptionLimit::OfKey => write!(
                f,
                "this API key has created {MAX_OF_KEY} active subscriptions, the maximum; end one, or use another key"
            ),
            SubscriptionLimit::OfKeyAndDay => write!(
                f,
                "this API key has created {MAX_OF_KEY_AND_DAY} subscriptions today (UTC), the maximum; continue tomorrow"
            ),
            SubscriptionLimit::BytesOfKeyAndDay => write!(
                f,
                "the subscriptions that this API key has created today (UTC) have {} KiB of conditions, the maximum; \
                 continue tomorrow, or with fewer and shorter keywords",
                MAX_BYTES_OF_KEY_AND_DAY >> 10
            ),
            SubscriptionLimit::UnconfirmedOfKey => write!(
                f,
                "{MAX_UNCONFIRMED_OF_KEY} e-mail addresses have not confirmed a subscription of this API key, the maximum; \
                 continue when some have confirmed, or after 7 days, when such subscriptions expire"
            ),
        }
    }
}
