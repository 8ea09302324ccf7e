//! The tenders of a generation that a digest can list: open, and published recently.

use std::{borrow::Cow, collections::HashMap, sync::Arc};

use bytes::Bytes;

use crate::{
    catalog::{
        all_matches::for_each_page,
        generation::Generation,
        notices::{BidStatus, NewestStatuses, parse_tender},
        tender_key::TenderKey,
    },
    engine::{Deadline, Error},
    model::{Date, EntityType, Role},
    query::{Filter, SearchQuery, keyword::TokenizedRecord},
};

/// For how many days after its publication a tender is new. An older one is mailed to
/// no address, whenever it entered the index.
pub const NEW_FOR_DAYS: i32 = 30;

/// A notice of a new tender, prepared for matching with many subscriptions.
#[derive(Clone, Debug)]
pub struct NewTender {
    /// The record as it is served.
    pub bytes: Bytes,
    pub record_id: String,
    /// What all notices of one tender share ([`TenderKey`]): it is mailed once.
    pub(crate) name: String,
    /// Whether bids are accepted, according to this notice and to the newest notice of the tender.
    statuses: [BidStatus; 2],
    pub(crate) published: Date,
    /// The last day for bids.
    pub(crate) closing: Option<Date>,
    /// All names of each department that the notice states, folded, as a filter compares them.
    /// Decision D-65. All tenders of a department share its names.
    pub departments: Vec<Arc<[String]>>,
    pub municipality: String,
    pub categories: Vec<String>,
}

impl NewTender {
    /// `None` for a record that is not a tender, or has no day of publication. `names_of` returns all
    /// names of the department that has a folded name
    /// ([`Engine::department_names`](crate::engine::Engine::department_names)).
    pub fn parse(
        bytes: Bytes,
        newest_statuses: &NewestStatuses,
        mut names_of: impl FnMut(String) -> Arc<[String]>,
    ) -> Option<NewTender> {
        let record = parse_tender(&bytes).ok()?;
        let (key, status) = (TenderKey::of(&record), BidStatus::of(&record));
        let keys = |role: Role| -> Vec<String> { record.keys(role).into_iter().map(Cow::into_owned).collect() };
        let mut departments: Vec<Arc<[String]>> = Vec::new();
        for name in keys(Role::Department) {
            let names = names_of(name);
            if !departments.contains(&names) {
                departments.push(names);
            }
        }
        Some(NewTender {
            record_id: record.id().to_owned(),
            statuses: [status, newest_statuses.of(&key).unwrap_or(status)],
            name: key.stable_name(),
            published: record.date(Role::Date)?,
            closing: record.date(Role::ClosingDate),
            departments,
            municipality: keys(Role::Municipality).pop().unwrap_or_default(),
            categories: keys(Role::Category),
            bytes: bytes.clone(),
        })
    }

    /// All names of all departments that the notice states.
    pub(crate) fn department_names(&self) -> impl Iterator<Item = &String> {
        self.departments.iter().flat_map(|names| names.iter())
    }

    /// Makes the tokens of the tender. They take ten times the memory of its bytes, so the tokens of many tenders must
    /// not be held at once.
    pub fn tokenize(&self) -> TokenizedRecord {
        let record = parse_tender(&self.bytes);
        TokenizedRecord::of(&record.expect("these bytes were parsed into this tender"))
    }

    /// Whether bids are still accepted.
    pub(crate) fn is_open(&self, today: Date) -> bool {
        self.statuses.iter().all(|status| status.is_open(today))
    }
}

/// The notices of new tenders, the newest first. A notice is new if it was published within the last
/// [`NEW_FOR_DAYS`] days and is open, also according to the newest notice of its tender: it closes
/// today or later, or on an unknown day.
///
/// A notice dated tomorrow is new too, because the publisher's time zone may be ahead.
pub fn new_tenders(generation: &Generation, today: Date, deadline: Deadline) -> Result<Vec<NewTender>, Error> {
    let window = Filter::Dates {
        role: Role::Date,
        from: Date::from_days(today.days() - NEW_FOR_DAYS),
        to: None,
    };
    let query = SearchQuery::newest(EntityType::Tender, vec![window]);
    let engine = &*generation.engine;
    let mut known_names: HashMap<String, Arc<[String]>> = HashMap::new();
    let mut names_of = |name: String| {
        let names = known_names.entry(name);
        Arc::clone(names.or_insert_with_key(|name| engine.department_names(name).into()))
    };
    let mut tenders = Vec::new();
    for_each_page(engine, &query, &deadline, |page| {
        let read = page
            .into_iter()
            .filter_map(|notice| NewTender::parse(notice, &generation.newest_statuses, &mut names_of));
        tenders.extend(read.filter(|tender| tender.is_open(today)));
        Ok(())
    })?;
    Ok(tenders)
}
