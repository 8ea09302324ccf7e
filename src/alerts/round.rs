//! Who is to be told what now: the subscriptions whose time it is, against the new tenders, without what was mailed already.
//!
//! Worked out anew by every run, so that nothing waits anywhere: a tender that was not mailed is new for as long as it is open.

use std::{collections::HashMap, time::Duration};

use anyhow::anyhow;
use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    alerts::{
        digest::{Digest, Listing, MOST_TENDERS, Named},
        fresh::{Tender, fresh},
        mail::{Mail, Sender},
        matching,
    },
    catalog::{generation::Generation, tender_value::tender_value},
    engine::Deadline,
    model::{date::Date, entity_type::EntityType, record::Record, schema::Schema},
    query::keyword::{Keyword, TokenizedRecord},
    state::{
        database::StateDb,
        address_hash::{AddressHash, PairHash, mail_name},
        deliveries::{DeliveredPairs, DeliveryHistory},
        subscription::{Frequency, Subscription},
    },
};

/// Spec silent: the least time between two mails to an address. A little under a day, so that a build that is early today is not put off until tomorrow.
const DAY: TimeDelta = TimeDelta::hours(22);

/// The same between two mails of a weekly subscription.
const WEEK: TimeDelta = TimeDelta::hours(7 * 24 - 2);

/// How long an estimate is waited for; a digest goes without.
const ESTIMATE: Duration = Duration::from_secs(10);

/// Who is to be told what.
pub struct Round<'g> {
    pub due: Vec<Due>,
    generation: &'g Generation,
    subscriptions: Vec<Subscription>,
    tenders: Vec<Tender>,
}

/// An address with tenders that it was not told of.
pub struct Due {
    pub email: String,
    pub(super) addressee: AddressHash,
    /// A number in the round's tenders and one in its subscriptions, which found it; those of one tender side by side, and what closes next first.
    found: Vec<(usize, usize)>,
    /// Of these tenders.
    pub tenders: usize,
    /// Found too, and left for the next digest.
    pub more: usize,
    /// The tender that was last looked at, and by which of its notices it is told of, where it is.
    last: Option<(usize, Option<usize>)>,
}

/// A digest ready to go.
pub struct Letter {
    pub mail: Mail,
    pub digest: Digest,
    pub(super) pairs: Vec<PairHash>,
    pub(super) subscriptions: Vec<i64>,
}

/// Who is to be told what now; of one address only, and whether or not it is its time, where one is given.
pub fn plan<'g>(
    state: &StateDb,
    generation: &'g Generation,
    only: Option<&str>,
    now: DateTime<Utc>,
) -> anyhow::Result<Round<'g>> {
    let standings = match only {
        None => state.delivery_history(now)?,
        Some(_) => DeliveryHistory::default(),
    };
    let wanted = only.map(AddressHash::new);
    let mut subscriptions = state.subscriptions()?;
    subscriptions.retain(|subscription| {
        let addressee = AddressHash::new(&subscription.email);
        wanted.is_none_or(|wanted| wanted == addressee) && is_due(&standings, subscription, addressee, now)
    });
    let read = fresh(generation, Date::in_toronto(now), Deadline::never());
    let tenders = in_order(read.map_err(|error| anyhow!("the new tenders cannot be read: {error:?}"))?);
    let firsts = firsts(&tenders);
    let (mut due, owners) = addresses(&subscriptions);
    let mailed = state.delivered_pairs()?;
    matching::each_tender(&subscriptions, &tenders, |notice, finders| {
        let (Some(tender), Some(first)) = (tenders.get(notice), firsts.get(notice)) else {
            return Ok(());
        };
        finders.into_iter().try_for_each(|finder| {
            let owner = owners.get(finder).and_then(|owner| due.get_mut(*owner));
            owner.map_or(Ok(()), |due| due.find(finder, notice, tender, *first, &mailed))
        })
    })?;
    drop(mailed);
    due.retain(|due| due.tenders > 0);
    due.sort_unstable_by_key(|due| due.addressee);
    Ok(Round {
        due,
        generation,
        subscriptions,
        tenders,
    })
}

/// The notices as a digest lists them: by when their tender closes, those of one tender side by side, and of these the newest first.
fn in_order(mut notices: Vec<Tender>) -> Vec<Tender> {
    notices.sort_by(|a, b| {
        let newest = b.published.cmp(&a.published);
        a.name
            .cmp(&b.name)
            .then(newest)
            .then_with(|| a.record_id.cmp(&b.record_id))
    });
    let mut tenders: Vec<Vec<Tender>> = Vec::new();
    for notice in notices {
        match tenders.last_mut() {
            Some(known) if known.first().is_some_and(|newest| newest.name == notice.name) => known.push(notice),
            _ => tenders.push(vec![notice]),
        }
    }
    tenders.sort_by_cached_key(|notices| notices.first().map(urgency));
    tenders.into_iter().flatten().collect()
}

/// What closes next comes first; what says nothing of it last.
fn urgency(tender: &Tender) -> (i32, String) {
    let closing = tender.closing.map_or(i32::MAX, Date::days);
    (closing, tender.record_id.clone())
}

/// For each notice in order, the number of its tender's first.
fn firsts(notices: &[Tender]) -> Vec<usize> {
    let mut firsts = Vec::with_capacity(notices.len());
    for of_tender in notices.chunk_by(|a, b| a.name == b.name) {
        firsts.resize(firsts.len() + of_tender.len(), firsts.len());
    }
    firsts
}

/// The addresses of subscriptions, with nothing found yet, and which is whose.
fn addresses(subscriptions: &[Subscription]) -> (Vec<Due>, Vec<usize>) {
    let (mut due, mut owners) = (Vec::new(), Vec::with_capacity(subscriptions.len()));
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for Subscription { email, .. } in subscriptions {
        let owner = *numbers.entry(email).or_insert(due.len());
        if owner == due.len() {
            due.push(Due {
                email: email.clone(),
                addressee: AddressHash::new(email),
                found: Vec::new(),
                tenders: 0,
                more: 0,
                last: None,
            });
        }
        owners.push(owner);
    }
    (due, owners)
}

impl Due {
    /// Takes down that a subscription of the address found a notice; `first` tells which tender it is of.
    fn find(
        &mut self,
        finder: usize,
        notice: usize,
        tender: &Tender,
        first: usize,
        mailed: &DeliveredPairs,
    ) -> anyhow::Result<()> {
        let told = match self.last {
            Some((last, told)) if last == first => told,
            _ if mailed.contains(self.addressee.with_tender(&tender.name))? => None,
            _ if self.tenders == MOST_TENDERS => {
                self.more += 1;
                None
            }
            _ => {
                self.tenders += 1;
                Some(notice)
            }
        };
        self.last = Some((first, told));
        if let Some(notice) = told {
            self.found.push((notice, finder));
        }
        Ok(())
    }
}

fn is_due(standings: &DeliveryHistory, subscription: &Subscription, addressee: AddressHash, now: DateTime<Utc>) -> bool {
    // Either way: a mail from the future is one of a clock that was wrong.
    let is_over = |last: Option<&DateTime<Utc>>, pace: TimeDelta| last.is_none_or(|last| (now - last).abs() >= pace);
    let is_free = standings
        .suppressions
        .get(&addressee)
        .is_none_or(|setback| setback.paused_at.is_none() && setback.due_at <= now);
    let pace_of_subscription = match subscription.frequency {
        Frequency::Daily => DAY,
        Frequency::Weekly => WEEK,
    };
    is_free
        && is_over(standings.last_to_address.get(&addressee), DAY)
        && is_over(standings.last_of_subscription.get(&subscription.id), pace_of_subscription)
}

impl Round<'_> {
    /// The mail to an address, as things stand now: none if nobody there wants it any more.
    pub fn letter(
        &self,
        due: &Due,
        sender: &Sender,
        state: &StateDb,
        now: DateTime<Utc>,
    ) -> anyhow::Result<Option<Letter>> {
        // Who unsubscribed since the round began is not mailed.
        let live = state.subscriptions_of(&due.email)?;
        let is_live = |number: usize| {
            self.subscriptions
                .get(number)
                .filter(|one| live.iter().any(|other| other.id == one.id))
        };
        let (mut listings, mut pairs, mut finders) = (Vec::new(), Vec::new(), Vec::new());
        let today = Date::in_toronto(now);
        for found in due.found.chunk_by(|(a, _), (b, _)| a == b) {
            let found_by: Vec<&Subscription> = found.iter().filter_map(|(_, finder)| is_live(*finder)).collect();
            let tender = found.first().and_then(|(notice, _)| self.tenders.get(*notice));
            let (Some(tender), Some(first)) = (tender, found_by.first()) else {
                continue;
            };
            // A round may last longer than the day it began on.
            if !tender.is_open(today) {
                continue;
            }
            let record = Record::parse(Schema::of(EntityType::Tender), &tender.bytes)?;
            let matched = matched_keywords(&found_by, &TokenizedRecord::of(&record));
            let listing = Listing::new(&record, first.locale, &matched);
            listings.push((first.locale, self.valued(listing, record.id(), today)));
            pairs.push(due.addressee.with_tender(&tender.name));
            finders.extend(found_by.iter().map(|subscription| subscription.id));
        }
        finders.sort_unstable();
        finders.dedup();
        if listings.is_empty() {
            return Ok(None);
        }
        let mut named = Vec::new();
        for subscription in &live {
            let token = state.unsubscribe_token(subscription)?;
            named.push(Named::new(subscription, sender.unsubscribe_link(&token)));
        }
        let digest = Digest {
            parts: Digest::parts(listings),
            more: due.more,
            subscriptions: named,
            unsubscribe: sender.unsubscribe_link(&state.unsubscribe_all_token(&due.email)?),
            sender: sender.signature(),
            postal: sender.postal.clone(),
            today,
        };
        let mail = sender.write(&due.email, &digest, &mail_name(&pairs), now)?;
        Ok(Some(Letter {
            mail,
            digest,
            pairs,
            subscriptions: finders,
        }))
    }
}

impl Round<'_> {
    /// A listing with an estimate where the notice states no value and comparable contracts tell one.
    fn valued(&self, listing: Listing, record_id: &str, today: Date) -> Listing {
        if listing.value.is_some() {
            return listing;
        }
        match tender_value(self.generation, today, record_id, &Deadline::after(ESTIMATE)) {
            Ok(Some(amount)) => listing.estimated(amount),
            Ok(None) => listing,
            Err(error) => {
                log::warn!("a tender is told of without an estimate: {error:?}");
                listing
            }
        }
    }
}

/// The keywords that found a tender, each once, as they were written.
fn matched_keywords(found_by: &[&Subscription], subject: &TokenizedRecord) -> Vec<String> {
    let mut matched: Vec<String> = Vec::new();
    for subscription in found_by {
        for text in &subscription.keywords {
            let is_found = Keyword::parse(text).is_ok_and(|keyword| keyword.matches(subject, &subscription.languages));
            if is_found && !matched.contains(text) {
                matched.push(text.clone());
            }
        }
    }
    matched
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{model::stem::Language, state::subscription::Locale};

    #[test]
    fn a_pace_is_kept_whatever_the_clock_did() {
        let at = |hours: i64| DateTime::from_timestamp(1_800_000_000 + hours * 3600, 0).unwrap();
        let addressee = AddressHash::new("ann@example.org");
        let subscription = |frequency| Subscription {
            id: 7,
            email: "ann@example.org".to_owned(),
            keywords: Vec::new(),
            department: None,
            municipality: None,
            category: None,
            languages: Language::ALL.into(),
            frequency,
            locale: Locale::En,
            created_at: 0,
        };
        // Hours since the last mail; below zero, it is one of a clock that was ahead.
        for (since, daily, weekly) in [
            (0, false, false),
            (21, false, false),
            (22, true, false),
            (166, true, true),
            (-1, false, false),
            (-10_000, true, true),
        ] {
            let mut standings = DeliveryHistory::default();
            standings.last_to_address.insert(addressee, at(-since));
            standings.last_of_subscription.insert(7, at(-since));
            for (frequency, expected) in [(Frequency::Daily, daily), (Frequency::Weekly, weekly)] {
                let is_due = is_due(&standings, &subscription(frequency), addressee, at(0));
                assert_eq!(is_due, expected, "{since} {frequency:?}");
            }
        }
    }
}
