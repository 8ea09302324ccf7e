//! A digest: what one address is told at once. It is made of records and subscriptions, and becomes text and HTML.
//!
//! Spec silent: a tender stands once in it, in the language of the first subscription that found it; an address with subscriptions in both languages gets one mail
//! with two parts, English first. Equal input makes equal bytes.
//!
//! **Invariant:** whatever a publisher or a subscriber wrote has gone through [`clean`] before it is held here: one line, without control characters, of a
//! bounded length. A link is an `http` address or is not there.

use std::collections::BTreeMap;

use crate::{
    alerts::words::Words,
    model::{date::Date, record::Record, schema::Role},
    state::subscription::{Frequency, Locale, Subscription},
};

/// The most tenders one mail lists. Spec silent: those beyond it stay new, and are in the next one.
pub const MOST_TENDERS: usize = 50;

/// The longest title, name or keyword that is shown, in characters.
const LONGEST_TEXT: usize = 300;

/// The longest title in a subject line.
const LONGEST_SUBJECT: usize = 80;

/// The least estimate that is shown.
const LEAST_ESTIMATE: f64 = 100.0;

/// The currency that goes without saying.
const CANADIAN: &str = "CAD";

/// A mail's content.
#[derive(Clone, Debug, PartialEq)]
pub struct Digest {
    /// By language; one or two.
    pub parts: Vec<Part>,
    /// Tenders that wait for the next digest.
    pub more: usize,
    /// Of the address, each with the link that ends it.
    pub subscriptions: Vec<Named>,
    /// Ends all of them.
    pub unsubscribe: String,
    /// The sender, as CASL wants it named.
    pub sender: String,
    pub postal: String,
    pub today: Date,
}

/// What is told in one language.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    pub locale: Locale,
    pub listings: Vec<Listing>,
}

/// A tender.
#[derive(Clone, Debug, PartialEq)]
pub struct Listing {
    pub title: String,
    pub buyer: Option<String>,
    pub closing: Option<Date>,
    pub value: Option<Value>,
    pub link: Option<String>,
    /// What to look for at the buyer's where there is no link.
    pub number: Option<String>,
    /// The keywords that found it.
    pub matched: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    pub amount: f64,
    /// Where it is not the Canadian dollar.
    pub currency: Option<String>,
    pub is_estimated: bool,
}

/// A subscription, as its owner knows it again.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    pub locale: Locale,
    pub keywords: Vec<String>,
    pub department: Option<String>,
    pub municipality: Option<String>,
    pub category: Option<String>,
    pub frequency: Frequency,
    pub unsubscribe: String,
}

impl Digest {
    /// The parts with these listings, English first; a language without any has no part.
    pub fn parts(listings: impl IntoIterator<Item = (Locale, Listing)>) -> Vec<Part> {
        let mut parts: BTreeMap<&str, Part> = BTreeMap::new();
        for (locale, listing) in listings {
            let part = parts.entry(Words::of(locale).code).or_insert(Part {
                locale,
                listings: Vec::new(),
            });
            part.listings.push(listing);
        }
        parts.into_values().collect()
    }

    pub fn subject(&self) -> String {
        let subjects = self.parts.iter().map(|part| {
            let titles: Vec<&str> = part.listings.iter().map(|listing| listing.title.as_str()).collect();
            match titles.as_slice() {
                [title] => Words::of(part.locale).subject(&[&shortened(title, LONGEST_SUBJECT)]),
                titles => Words::of(part.locale).subject(titles),
            }
        });
        subjects.collect::<Vec<_>>().join(" / ")
    }

    /// The languages of the parts, as `Content-Language` has them.
    pub fn languages(&self) -> String {
        let codes: Vec<&str> = self.parts.iter().map(|part| Words::of(part.locale).code).collect();
        codes.join(", ")
    }

    /// The subscriptions a part names: its language's own, and in a mail with one part all.
    pub fn named_in<'a>(&'a self, part: &'a Part) -> impl Iterator<Item = &'a Named> {
        let is_alone = self.parts.len() == 1;
        self.subscriptions
            .iter()
            .filter(move |named| is_alone || named.locale == part.locale)
    }
}

impl Listing {
    /// A tender's record in a language. A notice without an address of its own is not linked to: this service's page of it opens to who holds a key only.
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
        let value = amount.map(|amount| Value {
            amount,
            currency: text(&["currency"]).filter(|currency| currency != CANADIAN),
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
        Listing {
            title: text(&title).unwrap_or_else(|| Words::of(locale).untitled.to_owned()),
            buyer: text(&buyer),
            closing: record.date(Role::ClosingDate),
            value,
            number: text(&["solicitation_number", "reference_number"]).filter(|_| link.is_none()),
            link,
            matched: matched.iter().map(|keyword| clean(keyword)).collect(),
        }
    }
}

impl Listing {
    /// With what comparable contracts tell of a value that is not stated.
    ///
    /// Spec silent: an estimate is shown to two figures; more of them would tell more than is known. One below a hundred dollars comes of prices by the hour or
    /// the piece, and is not shown.
    pub fn estimated(self, amount: f64) -> Listing {
        let figure = 10_f64.powf(amount.abs().log10().floor() - 1.0);
        let rounded = (amount / figure).round() * figure;
        let value = (rounded.is_finite() && rounded >= LEAST_ESTIMATE).then_some(Value {
            amount: rounded,
            currency: None,
            is_estimated: true,
        });
        Listing {
            value: self.value.or(value),
            ..self
        }
    }
}

impl Named {
    pub fn new(subscription: &Subscription, unsubscribe: String) -> Named {
        let cleaned = |text: &Option<String>| text.as_deref().map(clean);
        Named {
            locale: subscription.locale,
            keywords: subscription.keywords.iter().map(|keyword| clean(keyword)).collect(),
            department: cleaned(&subscription.department),
            municipality: cleaned(&subscription.municipality),
            category: cleaned(&subscription.category),
            frequency: subscription.frequency,
            unsubscribe,
        }
    }
}

/// A text fit to be shown on one line: controls and the signs that turn the reading direction are blanks, blanks are one, and it ends somewhere.
pub fn clean(text: &str) -> String {
    let is_blank = |c: char| c.is_whitespace() || c.is_control() || is_unseen(c);
    let words: Vec<&str> = text.split(is_blank).filter(|word| !word.is_empty()).collect();
    shortened(&words.join(" "), LONGEST_TEXT)
}

/// What would change how the text around it reads. The joiner inside an emoji is none of it.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => {
            let kept: String = text.chars().take(most.saturating_sub(1)).collect();
            format!("{}…", kept.trim_end())
        }
    }
}

/// An address that a mail client can open and nothing else.
fn web_address(text: &str) -> Option<String> {
    let text = text.trim();
    let scheme = ["https://", "http://"].iter().find(|scheme| {
        text.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    })?;
    let is_whole = text.len() > scheme.len()
        && text.len() <= 2000
        && !text.contains(|c: char| c.is_whitespace() || c.is_control() || is_unseen(c) || "<>\"".contains(c));
    is_whole.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_tells_no_more_than_is_known() {
        let listing = |value: Option<Value>| Listing {
            title: "x".to_owned(),
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
            let value = listing(None).estimated(amount).value;
            assert!(value.iter().all(|value| value.is_estimated));
            assert_eq!(value.map(|value| value.amount), expected, "{amount}");
        }
        let stated = Value {
            amount: 7.0,
            currency: None,
            is_estimated: false,
        };
        assert_eq!(listing(Some(stated.clone())).estimated(5e6).value, Some(stated));
    }
}
