//! Subscriptions to alerts, as they are requested and as they are stored.

use std::{collections::BTreeSet, fmt};

use crate::{
    model::{EmailAddress, Language, fold::fold},
    query::keyword::Keyword,
};

/// The maximum number of active subscriptions of an address.
pub const MAX_OF_ADDRESS: i64 = 50;

/// The maximum number of active subscriptions that one API key has created.
pub const MAX_OF_KEY: i64 = 1_000;

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
    pub frequency: Frequency,
    pub locale: Locale,
}

/// An active subscription.
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

/// The outcome of subscribing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubscribeOutcome {
    Created,
    /// It existed, with another frequency or locale.
    Changed,
    Unchanged,
}

/// The limit that refuses one more subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubscriptionLimit {
    OfAddress,
    OfKey,
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
    pub(crate) const ALL: [Locale; 2] = [Locale::En, Locale::Fr];

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
    /// A text that is equal for two requests exactly if they match the same tenders.
    pub(super) fn identity(&self) -> anyhow::Result<String> {
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
        }
    }
}
