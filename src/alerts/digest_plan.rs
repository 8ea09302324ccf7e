//! The plan of a run: matches the subscriptions that are due with the new tenders, without those that
//! were delivered before.
//!
//! Every run computes its own plan and there is no queue: a tender that was not mailed stays new as
//! long as it is open.

use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};

use anyhow::anyhow;
use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    alerts::{
        digest::{Digest, Listing, MAX_TENDERS, SubscriptionSummary},
        mail::{Mail, Sender},
        matching,
        new_tenders::{NewTender, new_tenders},
    },
    catalog::{generation::Generation, tender_value::tender_value},
    engine::Deadline,
    model::{Date, EntityType, Record, Schema},
    query::{
        keyword::{Keyword, TokenizedRecord},
        translate::Translator,
    },
    state::{
        address_hash::{AddressHash, PairHash, mail_name},
        database::StateDb,
        deliveries::{DeliveredPairs, DeliveryHistory},
        subscription::{Frequency, Locale, Subscription},
    },
};

/// Decision D-107: the minimum time between two mails to an address. It is a little less than a day,
/// so that a build that is early today is not postponed until tomorrow.
const DAY: TimeDelta = TimeDelta::hours(22);

/// The minimum time between two mails of a weekly subscription.
const WEEK: TimeDelta = TimeDelta::hours(7 * 24 - 2);

/// The time limit of an estimate. Without one in time, the tender is listed without a value.
const ESTIMATE_TIMEOUT: Duration = Duration::from_secs(10);

/// The recipients of a run and their tenders.
pub struct DigestPlan<'g> {
    pub recipients: Vec<Recipient>,
    generation: &'g Generation,
    subscriptions: Vec<Subscription>,
    /// The new notices, in the order of [`in_order`].
    notices: Vec<NewTender>,
}

/// An address with matching tenders that it has not received.
pub struct Recipient {
    pub email: String,
    pub(super) address: AddressHash,
    /// Indexes into the plan's notices and subscriptions, in the order of the notices.
    matches: Vec<(usize, usize)>,
    /// The number of tenders in `matches`.
    pub(crate) tenders: usize,
    /// The number of further matching tenders, left for the next digest.
    pub(crate) more: usize,
    /// The last tender that matched, and the notice by which it is listed, if it is.
    last: Option<(usize, Option<usize>)>,
}

/// A digest that is ready to be sent.
pub struct OutgoingMail {
    pub(crate) mail: Mail,
    pub(crate) digest: Digest,
    pub(super) pairs: Vec<PairHash>,
    pub(super) subscriptions: Vec<i64>,
}

impl<'g> DigestPlan<'g> {
    /// The recipients that are due now. With `only`, that address alone, whether or not it is due.
    pub fn new(
        state: &StateDb,
        generation: &'g Generation,
        only: Option<&str>,
        now: DateTime<Utc>,
    ) -> anyhow::Result<DigestPlan<'g>> {
        let history = match only {
            None => state.delivery_history(now)?,
            Some(_) => DeliveryHistory::default(),
        };
        let only = only.map(AddressHash::new);
        let mut subscriptions = state.subscriptions()?;
        subscriptions.retain(|subscription| {
            let address = AddressHash::new(&subscription.email);
            only.is_none_or(|only| only == address) && is_due(&history, subscription, address, now)
        });
        let read = new_tenders(generation, Date::in_toronto(now), Deadline::never());
        let notices = in_order(read.map_err(|error| anyhow!("reading the new tenders: {error:?}"))?);
        let first_notices = first_notices(&notices);
        let (mut recipients, owners) = recipients(&subscriptions);
        let delivered = state.delivered_pairs()?;
        matching::each_tender(&subscriptions, &notices, &generation.translator, |notice, matching| {
            matching.into_iter().try_for_each(|subscription| {
                let tender = (first_notices[notice], notices[notice].name.as_str());
                recipients[owners[subscription]].add(subscription, notice, tender, &delivered)
            })
        })?;
        drop(delivered);
        recipients.retain(|recipient| recipient.tenders > 0);
        recipients.sort_unstable_by_key(|recipient| recipient.address);
        Ok(DigestPlan {
            recipients,
            generation,
            subscriptions,
            notices,
        })
    }

    /// The mail to a recipient, with the subscriptions that are still active. `None` if nothing is left
    /// to send.
    pub fn compose(
        &self,
        recipient: &Recipient,
        sender: &Sender,
        state: &StateDb,
        now: DateTime<Utc>,
    ) -> anyhow::Result<Option<OutgoingMail>> {
        let active = state.subscriptions_of(&recipient.email)?;
        let today = Date::in_toronto(now);
        let (mut listings, mut pairs) = (Vec::new(), Vec::new());
        // By subscription, the keywords that found something.
        let mut found: BTreeMap<i64, Vec<String>> = BTreeMap::new();
        for matches in recipient.matches.chunk_by(|(a, _), (b, _)| a == b) {
            let tender = &self.notices[matches[0].0];
            let matching = matches
                .iter()
                .map(|(_, subscription)| &self.subscriptions[*subscription]);
            let matching: Vec<&Subscription> = matching
                .filter(|subscription| active.iter().any(|other| other.id == subscription.id))
                .collect();
            let Some(first) = matching.first() else { continue };
            // A run may last past midnight, so the tender may have closed.
            if !tender.is_open(today) {
                continue;
            }
            let record = Record::parse(Schema::of(EntityType::Tender), &tender.bytes)?;
            let tokens = TokenizedRecord::of(&record);
            let mut keywords = Vec::new();
            for subscription in &matching {
                let matched = matching_keywords(subscription, &tokens, &self.generation.translator);
                add_new(&mut keywords, &matched);
                add_new(found.entry(subscription.id).or_default(), &matched);
            }
            listings.push((first.locale, self.listing(&record, first.locale, &keywords, today)));
            pairs.push(recipient.address.with_tender(&tender.name));
        }
        if listings.is_empty() {
            return Ok(None);
        }
        let summary = |(subscription, keywords): (&Subscription, &Vec<String>)| -> anyhow::Result<_> {
            let link = sender.unsubscribe_link(&state.unsubscribe_token(subscription)?);
            Ok(SubscriptionSummary::new(subscription, keywords, link))
        };
        let summarized = active.iter().filter_map(|of| Some((of, found.get(&of.id)?)));
        let digest = Digest {
            parts: Digest::parts(listings),
            more: recipient.more,
            subscriptions: summarized.map(summary).collect::<Result<_, _>>()?,
            unsubscribe: sender.unsubscribe_link(&state.unsubscribe_all_token(&recipient.email)?),
            sender: sender.signature.clone(),
            postal: sender.postal.clone(),
            today,
        };
        Ok(Some(OutgoingMail {
            mail: sender.encode(&recipient.email, &digest, &mail_name(&pairs), now)?,
            digest,
            pairs,
            subscriptions: found.into_keys().collect(),
        }))
    }

    /// Lists a tender. If the notice states no value, the listing gets an estimate if there is one.
    fn listing(&self, record: &Record, locale: Locale, keywords: &[String], today: Date) -> Listing {
        let listing = Listing::new(record, locale, keywords);
        if listing.value.is_some() {
            return listing;
        }
        let deadline = Deadline::after(ESTIMATE_TIMEOUT);
        match tender_value(self.generation, today, record.id(), &deadline) {
            Ok(Some(amount)) => listing.with_estimate(amount),
            Ok(None) => listing,
            Err(error) => {
                log::warn!("a tender is listed without an estimate: {error:?}");
                listing
            }
        }
    }
}

/// Sorts the notices as a digest lists them: by the closing date of their tender, the notices of one
/// tender together, and of these the newest first.
fn in_order(mut notices: Vec<NewTender>) -> Vec<NewTender> {
    notices.sort_by(|a, b| {
        let newest = b.published.cmp(&a.published);
        a.name
            .cmp(&b.name)
            .then(newest)
            .then_with(|| a.record_id.cmp(&b.record_id))
    });
    let mut tenders: Vec<Vec<NewTender>> = Vec::new();
    for notice in notices {
        match tenders.last_mut() {
            Some(known) if known.first().is_some_and(|newest| newest.name == notice.name) => known.push(notice),
            _ => tenders.push(vec![notice]),
        }
    }
    tenders.sort_by_cached_key(|notices| notices.first().map(urgency));
    tenders.into_iter().flatten().collect()
}

/// The sort key: the tender that closes next first, those without a closing date last.
fn urgency(tender: &NewTender) -> (i32, String) {
    let closing = tender.closing.map_or(i32::MAX, Date::days);
    (closing, tender.record_id.clone())
}

/// For each notice, the index of the first notice of its tender.
fn first_notices(notices: &[NewTender]) -> Vec<usize> {
    let mut firsts = Vec::with_capacity(notices.len());
    for of_tender in notices.chunk_by(|a, b| a.name == b.name) {
        firsts.resize(firsts.len() + of_tender.len(), firsts.len());
    }
    firsts
}

/// The addresses of the subscriptions, without tenders, and for each subscription the index of its
/// address.
fn recipients(subscriptions: &[Subscription]) -> (Vec<Recipient>, Vec<usize>) {
    let (mut recipients, mut owners) = (Vec::new(), Vec::with_capacity(subscriptions.len()));
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for Subscription { email, .. } in subscriptions {
        let owner = *numbers.entry(email).or_insert(recipients.len());
        if owner == recipients.len() {
            recipients.push(Recipient {
                email: email.clone(),
                address: AddressHash::new(email),
                matches: Vec::new(),
                tenders: 0,
                more: 0,
                last: None,
            });
        }
        owners.push(owner);
    }
    (recipients, owners)
}

impl Recipient {
    /// Adds a notice that a subscription of the address matches, unless its tender was delivered or
    /// the digest is full. `tender` is the index of the tender's first notice, and its name.
    fn add(
        &mut self,
        subscription: usize,
        notice: usize,
        (tender, name): (usize, &str),
        delivered: &DeliveredPairs,
    ) -> anyhow::Result<()> {
        let listed_by = match self.last {
            Some((last, listed_by)) if last == tender => listed_by,
            _ if delivered.contains(self.address.with_tender(name))? => None,
            _ if self.tenders == MAX_TENDERS => {
                self.more += 1;
                None
            }
            _ => {
                self.tenders += 1;
                Some(notice)
            }
        };
        self.last = Some((tender, listed_by));
        self.matches.extend(listed_by.map(|notice| (notice, subscription)));
        Ok(())
    }
}

fn is_due(history: &DeliveryHistory, subscription: &Subscription, address: AddressHash, now: DateTime<Utc>) -> bool {
    // The absolute difference, because a mail in the future comes from a clock that was wrong.
    let has_passed = |last: Option<&DateTime<Utc>>, time: TimeDelta| last.is_none_or(|last| (now - last).abs() >= time);
    let is_suppressed = history
        .suppressions
        .get(&address)
        .is_some_and(|suppression| suppression.paused_at.is_some() || suppression.due_at > now);
    let interval = match subscription.frequency {
        Frequency::Daily => DAY,
        Frequency::Weekly => WEEK,
    };
    !is_suppressed
        && has_passed(history.last_to_address.get(&address), DAY)
        && has_passed(history.last_of_subscription.get(&subscription.id), interval)
}

/// The keywords of a subscription that match a tender, as the subscriber wrote them.
fn matching_keywords(subscription: &Subscription, record: &TokenizedRecord, translator: &Translator) -> Vec<String> {
    let is_match = |text: &String| {
        Keyword::parse(text).is_ok_and(|keyword| {
            let keyword = if subscription.translate {
                keyword.translated(translator)
            } else {
                keyword
            };
            keyword.matches(record, &subscription.languages)
        })
    };
    subscription
        .keywords
        .iter()
        .filter(|text| is_match(text))
        .cloned()
        .collect()
}

/// Adds the texts that are not in the list.
fn add_new(list: &mut Vec<String>, texts: &[String]) {
    for text in texts {
        if !list.contains(text) {
            list.push(text.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Language;

    #[test]
    fn intervals_are_kept_when_the_clock_was_wrong() {
        let at = |hours: i64| DateTime::from_timestamp(1_800_000_000 + hours * 3600, 0).unwrap();
        let address = AddressHash::new("ann@example.org");
        let subscription = |frequency| Subscription {
            id: 7,
            email: "ann@example.org".to_owned(),
            keywords: Vec::new(),
            department: None,
            municipality: None,
            category: None,
            languages: Language::ALL.into(),
            translate: false,
            frequency,
            locale: Locale::En,
            created_at: 0,
        };
        // Hours since the last mail; negative if the clock was ahead when it was sent.
        for (since, daily, weekly) in [
            (0, false, false),
            (21, false, false),
            (22, true, false),
            (166, true, true),
            (-1, false, false),
            (-10_000, true, true),
        ] {
            let mut history = DeliveryHistory::default();
            history.last_to_address.insert(address, at(-since));
            history.last_of_subscription.insert(7, at(-since));
            for (frequency, expected) in [(Frequency::Daily, daily), (Frequency::Weekly, weekly)] {
                let is_due = is_due(&history, &subscription(frequency), address, at(0));
                assert_eq!(is_due, expected, "{since} {frequency:?}");
            }
        }
    }
}
