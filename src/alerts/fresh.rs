//! The tenders of a generation that someone could still be told of: open, and published lately.

use std::borrow::Cow;

use bytes::Bytes;

use crate::{
    date::Date,
    engine::{Deadline, Engine, Error},
    entity::EntityType,
    feed,
    query::{Filter, Order, Page, SearchQuery, Sort, SortKey, Start, keyword::Subject},
    record::Record,
    schema::{Role, Schema},
};

/// Spec silent: for how many days a tender is new. One that was published before is told of to nobody, whenever it came into the index.
pub const NEW_FOR_DAYS: i32 = 30;

/// The statuses that take bids.
const OPEN: [&str; 2] = ["Open", "Active"];

/// How many are read at once.
const PAGE: usize = 1_000;

/// A new tender, ready to be compared with many subscriptions.
#[derive(Clone, Debug)]
pub struct Tender {
    /// As it is served.
    pub bytes: Bytes,
    pub record_id: String,
    /// What all notices of one tender share ([`feed::Group`]): it is told of once.
    pub name: String,
    /// One of the four words of the filter, where the source's is understood.
    pub status: Option<String>,
    pub published: Date,
    /// The last day for bids.
    pub closing: Option<Date>,
    pub subject: Subject,
    /// Folded, as a filter compares them.
    pub departments: Vec<String>,
    pub municipality: String,
    pub categories: Vec<String>,
}

impl Tender {
    /// None of a record that is no tender, or tells no day of publication.
    pub fn parse(bytes: Bytes) -> Option<Tender> {
        let record = Record::parse(Schema::of(EntityType::Tender), &bytes).ok()?;
        let keys = |role: Role| -> Vec<String> { record.keys(role).into_iter().map(Cow::into_owned).collect() };
        Some(Tender {
            record_id: record.id().to_owned(),
            name: feed::group(&record).name(),
            status: keys(Role::Status).pop(),
            published: record.date(Role::Date)?,
            closing: record.date(Role::ClosingDate),
            subject: Subject::of(&record),
            departments: keys(Role::Department),
            municipality: keys(Role::Municipality).pop().unwrap_or_default(),
            categories: keys(Role::Category),
            bytes: bytes.clone(),
        })
    }

    /// Whether bids are still taken.
    pub fn is_open(&self, today: Date) -> bool {
        let status = self.status.as_deref();
        status.is_some_and(|status| OPEN.contains(&status)) && self.closing.is_none_or(|closing| closing >= today)
    }
}

/// The new tenders, the newest first: open, closing today or later if on a known day, and published within the last [`NEW_FOR_DAYS`] days.
///
/// Spec silent: one that was published tomorrow is new too, since the publisher's day is not ours.
pub fn fresh(engine: &dyn Engine, today: Date, deadline: Deadline) -> Result<Vec<Tender>, Error> {
    let query = SearchQuery {
        entity_type: EntityType::Tender,
        text: None,
        filters: vec![Filter::Dates {
            role: Role::Date,
            from: Date::from_days(today.days() - NEW_FOR_DAYS),
            to: None,
        }],
        sort: Sort {
            key: SortKey::Date,
            order: Order::Desc,
        },
    };
    let mut tenders = Vec::new();
    let mut start = Start::Offset(0);
    loop {
        let hits = engine.search(&query, &Page { limit: PAGE, start }, deadline.clone())?;
        let read = hits.records.into_iter().filter_map(Tender::parse);
        tenders.extend(read.filter(|tender| tender.is_open(today)));
        match hits.next {
            Some(position) => start = Start::After(position),
            None => return Ok(tenders),
        }
    }
}
