//! The feed: tenders that are open on a day, new, and about one of some keywords, each tender once however many notices tell of it.
//!
//! The index finds the notices by day and status; the rest is asked of the records themselves, and of [`Latest`] whether a newer notice
//! has ended a tender. **Invariant:** the same question on the same generation has the same answer: all days are counted from the question's.

use std::collections::HashMap;

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    catalog::notices::{Latest, OPEN, Standing, each_page, group, parse},
    engine::{Deadline, Engine, Error},
    model::{date::Date, entity_type::EntityType, record::Record, schema::Role, stem::Language},
    query::{
        Filter, Position, SearchQuery,
        keyword::{Keyword, TokenizedRecord},
        text::TextQuery,
    },
};

/// How many days a question may look back at most.
pub const MOST_DAYS_BACK: u64 = 90;

/// What is looked for.
pub struct Question {
    /// The day it is.
    pub today: Date,
    /// The first day of publication that counts as new.
    pub since: Date,
    /// As written, and as looked for; any of them. Without any, every tender matches.
    pub keywords: Vec<(String, Keyword)>,
    /// A notice has a title or a description in one of these.
    pub languages: Vec<Language>,
    pub min_value: Option<f64>,
    /// Of the index, beside those of day and status.
    pub filters: Vec<Filter>,
    pub limit: usize,
    /// The page begins behind this place.
    pub after: Option<Position>,
}

/// One page, the newest first.
pub struct Found {
    pub tenders: Vec<Tender>,
    /// The place of the last one, where more follow.
    pub next: Option<Position>,
}

/// A tender, by its newest notice.
pub struct Tender {
    pub notice: Bytes,
    /// The record_ids of its other notices, the newest first.
    pub duplicates: Vec<String>,
    pub days_until_closing: Option<i32>,
    pub value: Option<f64>,
    pub basis: ValueBasis,
    /// The numbers of the keywords it has.
    pub matched: Vec<usize>,
    /// Of its notice: the day of publication, and the id.
    place: (Date, String),
}

/// Where a tender's value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ValueBasis {
    /// The notice states it.
    Stated,
    /// Comparable contracts tell it.
    Estimate,
    /// Nothing tells it.
    Unknown,
}

/// How many values are estimated at once: where `min_value` leaves few, one after the other would keep one core busy.
const AT_LEAST: usize = 32;

/// Answers a question; `latest` is of the same index, and `estimate` is asked what the tenders with these ids are worth that state no value, of hardly more than the page needs.
pub fn find<E: From<Error>>(
    engine: &dyn Engine,
    latest: &Latest,
    question: &Question,
    estimate: impl Fn(&[&str]) -> Result<Vec<Option<f64>>, E>,
    deadline: &Deadline,
) -> Result<Found, E> {
    let is_behind = |tender: &Tender| question.after.as_ref().is_none_or(|after| tender.is_behind(after));
    let mut rest = tenders(engine, latest, question, deadline)?
        .into_iter()
        .filter(is_behind)
        .peekable();
    let mut found = Vec::new();
    // One more than the page, to know whether there is one more.
    while found.len() <= question.limit && rest.peek().is_some() {
        deadline.check()?;
        let wanted = (question.limit + 1 - found.len()).max(AT_LEAST);
        let mut next: Vec<Tender> = rest.by_ref().take(wanted).collect();
        let valueless: Vec<&str> = next
            .iter()
            .filter(|tender| tender.value.is_none())
            .map(Tender::id)
            .collect();
        let mut estimates = estimate(&valueless)?.into_iter();
        for tender in next.iter_mut().filter(|tender| tender.value.is_none()) {
            tender.value = estimates.next().flatten();
            tender.basis = match tender.value {
                Some(_) => ValueBasis::Estimate,
                None => ValueBasis::Unknown,
            };
        }
        // What may be worth enough is kept.
        let is_enough = |value: f64| question.min_value.is_none_or(|least| value >= least);
        found.extend(next.into_iter().filter(|tender| tender.value.is_none_or(is_enough)));
    }
    let is_cut = found.len() > question.limit;
    found.truncate(question.limit);
    Ok(Found {
        next: found.last().filter(|_| is_cut).map(Tender::position),
        tenders: found,
    })
}

/// All tenders that match, whatever they are worth, in order.
fn tenders(
    engine: &dyn Engine,
    latest: &Latest,
    question: &Question,
    deadline: &Deadline,
) -> Result<Vec<Tender>, Error> {
    let mut notices = Vec::new();
    for status in OPEN {
        each_page(engine, &query(question, status), deadline, |page| {
            for notice in page {
                let record = parse(&notice)?;
                let Some(tender) = matching(question, &record) else {
                    continue;
                };
                let group = group(&record);
                if latest.of(&group).is_none_or(|newest| newest.is_open(question.today)) {
                    let notice = notice.clone();
                    notices.push((group, Tender { notice, ..tender }));
                }
            }
            Ok(())
        })?;
    }
    notices.sort_by(|(_, a), (_, b)| b.place.0.cmp(&a.place.0).then_with(|| a.place.1.cmp(&b.place.1)));
    let (mut tenders, mut numbers) = (Vec::<Tender>::new(), HashMap::new());
    for (group, tender) in notices {
        let number = *numbers.entry(group).or_insert(tenders.len());
        match tenders.get_mut(number) {
            Some(newest) => newest.duplicates.push(tender.place.1),
            None => tenders.push(tender),
        }
    }
    Ok(tenders)
}

/// The notices of the window with a status; where there are keywords, those that `q` would find by one.
fn query(question: &Question, status: &str) -> SearchQuery {
    let window = Filter::Dates {
        role: Role::Date,
        from: Some(question.since),
        to: None,
    };
    let status = Filter::Term {
        role: Role::Status,
        key: status.to_owned(),
    };
    let terms: Vec<_> = question
        .keywords
        .iter()
        .map(|(_, keyword)| keyword.term().clone())
        .collect();
    let filters = question.filters.iter().cloned().chain([window, status]).collect();
    SearchQuery {
        text: (!terms.is_empty()).then(|| TextQuery::any(terms)),
        ..SearchQuery::newest(EntityType::Tender, filters)
    }
}

/// What is told of a notice of the query that matches, but for what is compared between notices.
fn matching(question: &Question, record: &Record) -> Option<Tender> {
    let date = record.date(Role::Date)?;
    if !Standing::of_listed(record).is_open(question.today) {
        return None;
    }
    let closing = record.date(Role::ClosingDate);
    let is_read = question.languages.iter().any(|language| has_text(record, *language));
    let is_every = question.languages.len() == Language::ALL.len();
    if !is_read && !is_every {
        return None;
    }
    let mut matched = Vec::new();
    if !question.keywords.is_empty() {
        let subject = TokenizedRecord::of(record);
        let keywords = question.keywords.iter().enumerate();
        let has = |(_, (_, keyword)): &(usize, &(String, Keyword))| keyword.matches(&subject, &question.languages);
        matched = keywords.filter(has).map(|(number, _)| number).collect();
        if matched.is_empty() {
            return None;
        }
    }
    Some(Tender {
        notice: Bytes::new(),
        duplicates: Vec::new(),
        days_until_closing: closing.map(|closing| closing.days() - question.today.days()),
        value: record.dollars(),
        basis: ValueBasis::Stated,
        matched,
        place: (date, record.id().to_owned()),
    })
}

fn has_text(record: &Record, language: Language) -> bool {
    let code = language.code();
    let text = |field: &str| record.text(&format!("{field}_{code}")).unwrap_or_default();
    ["title", "description"]
        .into_iter()
        .any(|field| !text(field).trim().is_empty())
}

impl Tender {
    fn id(&self) -> &str {
        &self.place.1
    }

    /// The record_ids of all its notices that match.
    pub fn notices(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.id()).chain(self.duplicates.iter().map(String::as_str))
    }

    fn position(&self) -> Position {
        Position {
            key: Some(self.place.0),
            record_id: self.place.1.clone(),
        }
    }

    /// Whether it comes after a place, the newest being first.
    fn is_behind(&self, place: &Position) -> bool {
        let (date, record_id) = &self.place;
        match place.key {
            Some(key) => *date < key || (*date == key && *record_id > place.record_id),
            None => false,
        }
    }
}
