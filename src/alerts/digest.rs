//! A digest: the content of one mail, made from records and subscriptions and rendered as text and
//! HTML.
//!
//! A digest lists a tender once, in the language of the first subscription that
//! matches it. An address with subscriptions in both languages gets one mail with two parts, English
//! first. Equal input makes equal bytes.
//!
//! **Invariant:** every text of a publisher went through [`clean`], and every text of a subscriber
//! through [`is_shown`]: it is one line of bounded length without control characters. A link is an
//! `http` or `https` address.

use std::collections::BTreeMap;

use crate::{
    model::{Date, Record, Role, mail_safe_text},
    state::subscription::{Frequency, Locale, Subscription},
};

/// The maximum number of tenders in one mail. Further ones stay new for the next.
pub(crate) const MAX_TENDERS: usize = 50;

/// The maximum length of a title, name or keyword, in characters.
const MAX_TEXT: usize = 300;

/// The minimum estimate that is shown.
const MIN_ESTIMATE: f64 = 100.0;

/// The currency that is not stated.
const CANADIAN_DOLLAR: &str = "CAD";

/// The content of a mail.
#[derive(Clone, Debug, PartialEq)]
pub struct Digest {
    /// One or two, by language.
    pub parts: Vec<DigestPart>,
    /// The number of tenders left for the next digest.
    pub more: usize,
    /// The subscriptions that found something in this digest.
    pub subscriptions: Vec<SubscriptionSummary>,
    /// The link that ends all of them.
    pub unsubscribe: String,
    /// The sender's name and e-mail address, as anti-spam law (CASL) requires.
    pub sender: String,
    /// The sender's postal address.
    pub postal: String,
    pub today: Date,
}

/// The part of a digest in one language.
#[derive(Clone, Debug, PartialEq)]
pub struct DigestPart {
    pub(crate) locale: Locale,
    pub(crate) listings: Vec<Listing>,
}

/// A tender in a digest.
#[derive(Clone, Debug, PartialEq)]
pub struct Listing {
    /// `None` for a notice without a title.
    pub(crate) title: Option<String>,
    pub(crate) buyer: Option<String>,
    pub(crate) closing: Option<Date>,
    pub(crate) value: Option<ListedValue>,
    pub(crate) link: Option<String>,
    /// The number to look up at the buyer's site, if there is no link.
    pub(crate) number: Option<String>,
    /// The keywords that match it.
    pub(crate) matched: Vec<String>,
}

/// The stated or estimated value of a tender.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ListedValue {
    pub(crate) amount: f64,
    /// `None` for the Canadian dollar.
    pub(crate) currency: Option<String>,
    pub(crate) is_estimated: bool,
}

/// A subscription as its owner recognizes it, with the link that ends it.
#[derive(Clone, Debug, PartialEq)]
pub struct SubscriptionSummary {
    pub(crate) locale: Locale,
    /// The keywords that found something.
    pub(crate) keywords: Vec<String>,
    pub(crate) department: Option<String>,
    pub(crate) municipality: Option<String>,
    pub(crate) category: Option<String>,
    /// Whether a keyword or the department is not shown, because it could be taken for a link.
    pub(crate) hides_words: bool,
    pub(crate) frequency: Frequency,
    pub(crate) unsubscribe: String,
}

impl Digest {
    /// Groups listings into parts, English first. A language without listings has no part.
    pub fn parts(listings: impl IntoIterator<Item = (Locale, Listing)>) -> Vec<DigestPart> {
        let mut parts: BTreeMap<&str, DigestPart> = BTreeMap::new();
        for (locale, listing) in listings {
            let part = parts.entry(locale.name()).or_insert(DigestPart {
                locale,
                listings: Vec::new(),
            });
            part.listings.push(listing);
        }
        parts.into_values().collect()
    }

    /// The languages of the parts, as in `Content-Language`.
    pub(crate) fn languages(&self) -> String {
        let codes: Vec<&str> = self.parts.iter().map(|part| part.locale.name()).collect();
        codes.join(", ")
    }

    /// The subscriptions to list in a part: those in its language, or all if there is one part.
    pub(crate) fn subscriptions_of<'a>(
        &'a self,
        part: &'a DigestPart,
    ) -> impl Iterator<Item = &'a SubscriptionSummary> {
        let is_alone = self.parts.len() == 1;
        self.subscriptions
            .iter()
            .filter(move |subscription| is_alone || subscription.locale == part.locale)
    }
}

impl Listing {
    /// Lists a tender's record in a language. Without an address of the notice itself there is no link,
    /// because this service's own page of a record requires an API key.
    pub fn new(record: &Record, locale: Locale, matched: &[String]) -> Listing {
        let text = |fields: &[&str]| {
            let mut texts = fields.iter().filter_map(|field| record.text(field));
            texts.find_map(|text| Some(clean(text)).filter(|text| !text.is_empty()))
        };
        let (title, buyer) = match locale {
            Locale::En => (
                ["title_en", "title_fr"],
                ["buyer_name", "department_en", "department_fr"],
            ),
            Locale::Fr => (
                ["title_fr", "title_en"],
                ["buyer_name", "department_fr", "department_en"],
            ),
        };
        let amount = record.value().filter(|amount| amount.is_finite() && *amount != 0.0);
        let value = amount.map(|amount| ListedValue {
            amount,
            currency: text(&["currency"]).filter(|currency| currency != CANADIAN_DOLLAR),
            is_estimated: false,
        });
        let links = match locale {
            Locale::En => ["notice_url_en", "notice_url"],
            Locale::Fr => ["notice_url", "notice_url_en"],
        };
        let link = links
            .iter()
            .filter_map(|field| record.text(field))
            .find_map(web_address);
        let number = if link.is_none() {
            text(&["solicitation_number", "reference_number"])
        } else {
            None
        };
        Listing {
            title: text(&title),
            buyer: text(&buyer),
            closing: record.date(Role::ClosingDate),
            value,
            number,
            link,
            matched: shown_words(matched),
        }
    }

    /// Adds an estimate from comparable contracts, if the notice states no value.
    ///
    /// An estimate is rounded to two significant figures, because more would claim a
    /// precision that it does not have. One below 100 dollars comes from prices per hour or piece, and
    /// is not shown.
    pub(crate) fn with_estimate(self, amount: f64) -> Listing {
        let unit = 10_f64.powf(amount.abs().log10().floor() - 1.0);
        let rounded = (amount / unit).round() * unit;
        if self.value.is_some() || !rounded.is_finite() || rounded < MIN_ESTIMATE {
            return self;
        }
        let value = Some(ListedValue {
            amount: rounded,
            currency: None,
            is_estimated: true,
        });
        Listing { value, ..self }
    }
}

impl SubscriptionSummary {
    /// `found` are the keywords that found something.
    pub fn new(subscription: &Subscription, found: &[String], unsubscribe: String) -> SubscriptionSummary {
        let cleaned = |text: &Option<String>| text.as_deref().map(clean);
        let department = subscription.department.as_ref();
        let (keywords, shown) = (shown_words(found), department.filter(|name| is_shown(name)));
        SubscriptionSummary {
            locale: subscription.locale,
            hides_words: keywords.len() < found.len() || shown.is_none() && department.is_some(),
            keywords,
            department: shown.cloned(),
            municipality: cleaned(&subscription.municipality),
            category: cleaned(&subscription.category),
            frequency: subscription.frequency,
            unsubscribe,
        }
    }
}

/// Whether a keyword or a part of a name that a client wrote may appear in a mail.
///
/// Decision D-169: one that is refused today but was stored before is not shown.
fn is_shown(text: &str) -> bool {
    mail_safe_text::check(text).is_ok()
}

fn shown_words(texts: &[String]) -> Vec<String> {
    texts.iter().filter(|text| is_shown(text)).cloned().collect()
}

/// A text as one line of bounded length. Control characters and signs that change the reading
/// direction become blanks; runs of blanks become one.
pub(crate) fn clean(text: &str) -> String {
    let is_blank = |c: char| c.is_whitespace() || c.is_control() || is_invisible(c);
    let words: Vec<&str> = text.split(is_blank).filter(|word| !word.is_empty()).collect();
    truncate(&words.join(" "), MAX_TEXT)
}

/// Invisible characters that could change how the surrounding text reads. The joiner inside an emoji
/// is not one of them.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// The text, with an ellipsis if it is longer than `max` characters.
pub(crate) fn truncate(text: &str, max: usize) -> String {
    if text.chars().nth(max).is_none() {
        return text.to_owned();
    }
    let kept: String = text.chars().take(max.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// An `http` or `https` address that is safe to put into a mail.
fn web_address(text: &str) -> Option<String> {
    let text = text.trim();
    let scheme = ["https://", "http://"].iter().find(|scheme| {
        text.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    })?;
    let is_safe = text.len() > scheme.len()
        && text.len() <= 2000
        && !text.contains(|c: char| c.is_whitespace() || c.is_control() || is_invisible(c) || "<>\"".contains(c));
    is_safe.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_has_two_significant_figures() {
        let listing = |value: Option<ListedValue>| Listing {
            title: None,
            buyer: None,
            closing: None,
            value,
            link: None,
            number: None,
            matched: Vec::new(),
        };
        for (amount, expected) in [
            (123_456.0, Some(120_000.0)),
            (99_900.0, Some(100_000.0)),
            (101.0, Some(100.0)),
            (7.5, None),
            (0.01, None),
            (0.0, None),
            (-5_000.0, None),
            (f64::NAN, None),
            (f64::INFINITY, None),
        ] {
            let value = listing(None).with_estimate(amount).value;
            assert!(value.iter().all(|value| value.is_estimated));
            assert_eq!(value.map(|value| value.amount), expected, "{amount}");
        }
        let stated = ListedValue {
            amount: 7.0,
            currency: None,
            is_estimated: false,
        };
        assert_eq!(listing(Some(stated.clone())).with_estimate(5e6).value, Some(stated));
    }
}
