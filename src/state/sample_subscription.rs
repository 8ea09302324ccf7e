//! A subscription for tests.

use super::subscription::{Frequency, Locale, SubscriptionRequest};
use crate::{
    model::{EmailAddress, Language},
    query::keyword::Keyword,
};

/// A daily subscription without other conditions than keywords.
pub(super) fn request(email: &str, keywords: &[&str]) -> SubscriptionRequest {
    SubscriptionRequest {
        email: EmailAddress::parse(email).unwrap(),
        keywords: keywords
            .iter()
            .map(|keyword| Keyword::parse(keyword).unwrap())
            .collect(),
        department: None,
        municipality: None,
        category: None,
        languages: Language::ALL.into(),
        translate: false,
        frequency: Frequency::Daily,
        locale: Locale::En,
    }
}
