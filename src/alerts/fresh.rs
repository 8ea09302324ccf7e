//! The tenders of a generation that someone could still be told of: open, and published lately.

use std::borrow::Cow;

use bytes::Bytes;

use crate::{
    catalog::{
        generation::Generation,
        notices::{BidStatus, LatestNotices, TenderKey, for_each_page, parse_tender},
    },
    engine::{Deadline, Error},
    model::{date::Date, entity_type::EntityType, schema::Role},
    query::{Filter, SearchQuery, keyword::TokenizedRecord},
};

/// Spec silent: for how many days a tender is new. One that was published before is told of to nobody, whenever it came into the index.
pub const NEW_FOR_DAYS: i32 = 30;

/// A new tender, ready to be compared with many subscriptions.
#[derive(Clone, Debug)]
pub struct Tender {
    /// As it is served.
    pub bytes: Bytes,
    pub record_id: String,
    /// What all notices of one tender share ([`TenderKey`]): it is told of once.
    pub name: String,
    /// What this notice and the tender's newest say of whether bids are taken.
    statuses: [BidStatus; 2],
    pub published: Date,
    /// The last day for bids.
    pub closing: Option<Date>,
    /// Folded, as a filter compares them.
    pub departments: Vec<String>,
    pub municipality: String,
    pub categories: Vec<String>,
}

impl Tender {
    /// None of a record that is no tender, or tells no day of publication.
    pub fn parse(bytes: Bytes, latest: &LatestNotices) -> Option<Tender> {
        let record = parse_tender(&bytes).ok()?;
        let (key, status) = (TenderKey::of(&record), BidStatus::of(&record));
        let keys = |role: Role| -> Vec<String> { record.keys(role).into_iter().map(Cow::into_owned).collect() };
        Some(Tender {
            record_id: record.id().to_owned(),
            statuses: [status, latest.of(&key).unwrap_or(status)],
            name: key.stable_name(),
            published: record.date(Role::Date)?,
            closing: record.date(Role::ClosingDate),
            departments: keys(Role::Department),
            municipality: keys(Role::Municipality).pop().unwrap_or_default(),
            categories: keys(Role::Category),
            bytes: bytes.clone(),
        })
    }

    /// Its words, made when asked for: they take ten times its bytes, so that those of many tenders are not kept together.
    pub fn subject(&self) -> TokenizedRecord {
        let record = parse_tender(&self.bytes);
        record.map_or_else(|_| TokenizedRecord::default(), |record| TokenizedRecord::of(&record))
    }

    /// Whether bids are still taken.
    pub fn is_open(&self, today: Date) -> bool {
        self.statuses.iter().all(|status| status.is_open(today))
    }
}

/// The notices of new tenders, the newest first: open, as the tender's newest has it too, closing today or later if on a known day, and published within the last [`NEW_FOR_DAYS`] days.
///
/// Spec silent: one that was published tomorrow is new too, since the publisher's day is not ours.
pub fn fresh(generation: &Generation, today: Date, deadline: Deadline) -> Result<Vec<Tender>, Error> {
    let window = Filter::Dates {
        role: Role::Date,
        from: Date::from_days(today.days() - NEW_FOR_DAYS),
        to: None,
    };
    let query = SearchQuery::newest(EntityType::Tender, vec![window]);
    let mut tenders = Vec::new();
    for_each_page(&*generation.engine, &query, &deadline, |page| {
        let read = page
            .into_iter()
            .filter_map(|notice| Tender::parse(notice, &generation.latest_notices));
        tenders.extend(read.filter(|tender| tender.is_open(today)));
        Ok(())
    })?;
    Ok(tenders)
}
