//! The feed: tenders that are open on a given day, were published recently, and match a keyword.
//! Each tender appears once, however many notices it has.
//!
//! The index finds notices by day, status and keyword. The other conditions are checked on the
//! records, and
//! [`NewestStatuses`] decides whether a newer notice has closed the tender. **Invariant:** the same
//! query on the same generation returns the same page: all days are counted from the day in the
//! query.

use std::collections::HashMap;

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    catalog::{
        notices::{BidStatus, NewestStatuses, OPEN_STATUSES, TenderKey, parse_tender},
        pages::for_each_page,
    },
    engine::{Deadline, Engine, Error},
    model::{Date, EntityType, Language, Record, Role},
    query::{
        Filter, Position, SearchQuery,
        keyword::{Keyword, TokenizedRecord},
        text::TextQuery,
    },
};

/// How many days a query may look back at most.
pub(crate) const MAX_DAYS_BACK: u64 = 90;

/// A query of the feed.
pub(crate) struct FeedQuery {
    /// The current day.
    pub(crate) today: Date,
    /// The first day of publication that counts as new.
    pub(crate) since: Date,
    /// The text of each keyword as the client wrote it, and the parsed keyword. A tender must match
    /// one of them; without keywords, every tender matches.
    pub(crate) keywords: Vec<(String, Keyword)>,
    /// A notice must have a title or description in one of these languages.
    pub(crate) languages: Vec<Language>,
    /// In dollars. Tenders of unknown value pass.
    pub(crate) min_value: Option<f64>,
    /// Filters for the index search, in addition to those by day and status.
    pub(crate) filters: Vec<Filter>,
    pub(crate) limit: usize,
    /// The page starts after this position.
    pub(crate) after: Option<Position>,
}

/// One page, newest first.
pub(crate) struct FeedPage {
    pub(crate) tenders: Vec<FeedTender>,
    /// The position of the last tender, if more follow.
    pub(crate) next: Option<Position>,
}

/// A tender, represented by its newest notice that matches.
pub(crate) struct FeedTender {
    pub(crate) notice: Bytes,
    /// The record_ids of its other notices, newest first.
    pub(crate) duplicates: Vec<String>,
    pub(crate) days_until_closing: Option<i32>,
    /// In dollars.
    pub(crate) value: Option<f64>,
    pub(crate) basis: ValueBasis,
    /// The indexes in [`FeedQuery::keywords`] of those that it matches.
    pub(crate) matched: Vec<usize>,
    /// The notice's day of publication and record_id.
    sort_key: (Date, String),
}

/// Where a tender's value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ValueBasis {
    /// The notice states it.
    Stated,
    /// It is estimated from comparable contracts.
    Estimate,
    /// It is neither stated nor can it be estimated.
    Unknown,
}

/// Values are estimated in parallel, for at least this many tenders at a time while there are
/// enough. Estimating only the few that the page lacks would leave cores idle if `min_value`
/// excludes most tenders.
const ESTIMATE_BATCH: usize = 32;

/// Returns one page. `newest_statuses` must be of the same index as `engine`. `estimate` returns
/// the values of tenders, by record_id. It is called only for tenders that state no value, and for
/// at most [`ESTIMATE_BATCH`] more of them than the page needs.
pub(crate) fn find<E: From<Error>>(
    engine: &dyn Engine,
    newest_statuses: &NewestStatuses,
    query: &FeedQuery,
    estimate: impl Fn(&[&str]) -> Result<Vec<Option<f64>>, E>,
    deadline: &Deadline,
) -> Result<FeedPage, E> {
    let mut rest = matching_tenders(engine, newest_statuses, query, deadline)?
        .into_iter()
        .filter(|tender| query.after.as_ref().is_none_or(|after| tender.is_after(after)))
        .peekable();
    let mut tenders = Vec::new();
    // One more than the page, to learn whether another page follows.
    while tenders.len() <= query.limit && rest.peek().is_some() {
        deadline.check()?;
        let wanted = (query.limit + 1 - tenders.len()).max(ESTIMATE_BATCH);
        let mut batch: Vec<FeedTender> = rest.by_ref().take(wanted).collect();
        let without_value: Vec<&str> = batch
            .iter()
            .filter(|tender| tender.value.is_none())
            .map(FeedTender::id)
            .collect();
        let mut estimates = estimate(&without_value)?.into_iter();
        for tender in batch.iter_mut().filter(|tender| tender.value.is_none()) {
            tender.value = estimates.next().flatten();
            tender.basis = match tender.value {
                Some(_) => ValueBasis::Estimate,
                None => ValueBasis::Unknown,
            };
        }
        // A tender of unknown value is kept: it may be large enough.
        let is_enough = |value: f64| query.min_value.is_none_or(|min| value >= min);
        tenders.extend(batch.into_iter().filter(|tender| tender.value.is_none_or(is_enough)));
    }
    let has_more = tenders.len() > query.limit;
    tenders.truncate(query.limit);
    let last = tenders.last().filter(|_| has_more);
    Ok(FeedPage {
        next: last.map(FeedTender::position),
        tenders,
    })
}

/// All tenders that match, whatever their value: newest first, then by record_id.
fn matching_tenders(
    engine: &dyn Engine,
    newest_statuses: &NewestStatuses,
    query: &FeedQuery,
    deadline: &Deadline,
) -> Result<Vec<FeedTender>, Error> {
    let mut notices = Vec::new();
    for status in OPEN_STATUSES {
        for_each_page(engine, &search_query(query, status), deadline, |page| {
            for notice in page {
                let record = parse_tender(&notice)?;
                let Some(tender) = match_notice(query, &record) else {
                    continue;
                };
                let key = TenderKey::of(&record);
                if newest_statuses
                    .of(&key)
                    .is_none_or(|newest| newest.is_open(query.today))
                {
                    let notice = notice.clone();
                    notices.push((key, FeedTender { notice, ..tender }));
                }
            }
            Ok(())
        })?;
    }
    notices.sort_by(|(_, a), (_, b)| {
        let newest_first = b.sort_key.0.cmp(&a.sort_key.0);
        newest_first.then_with(|| a.sort_key.1.cmp(&b.sort_key.1))
    });
    let (mut tenders, mut indexes) = (Vec::<FeedTender>::new(), HashMap::new());
    for (key, tender) in notices {
        let index = *indexes.entry(key).or_insert(tenders.len());
        match tenders.get_mut(index) {
            Some(newest) => newest.duplicates.push(tender.sort_key.1),
            None => tenders.push(tender),
        }
    }
    Ok(tenders)
}

/// Finds the notices since the first day, with a status and, if there are keywords, with one of
/// these.
fn search_query(query: &FeedQuery, status: &str) -> SearchQuery {
    let window = Filter::Dates {
        role: Role::Date,
        from: Some(query.since),
        to: None,
    };
    let status = Filter::Term {
        role: Role::Status,
        key: status.to_owned(),
    };
    let terms: Vec<_> = query
        .keywords
        .iter()
        .map(|(_, keyword)| keyword.term().clone())
        .collect();
    let filters = query.filters.iter().cloned().chain([window, status]).collect();
    SearchQuery {
        text: (!terms.is_empty()).then(|| TextQuery::any(terms)),
        ..SearchQuery::newest(EntityType::Tender, filters)
    }
}

/// The tender of one notice, without its bytes and duplicates; `None` if the notice does not match.
fn match_notice(query: &FeedQuery, record: &Record) -> Option<FeedTender> {
    let date = record.date(Role::Date)?;
    if !BidStatus::of_open(record).is_open(query.today) {
        return None;
    }
    let has_language = query.languages.iter().any(|language| has_text(record, *language));
    // All languages means no filter, so a notice without any text passes too.
    let allows_all_languages = query.languages.len() == Language::ALL.len();
    if !has_language && !allows_all_languages {
        return None;
    }
    let mut matched = Vec::new();
    if !query.keywords.is_empty() {
        let tokenized = TokenizedRecord::of(record);
        for (index, (_, keyword)) in query.keywords.iter().enumerate() {
            if keyword.matches(&tokenized, &query.languages) {
                matched.push(index);
            }
        }
        if matched.is_empty() {
            return None;
        }
    }
    let closing = record.date(Role::ClosingDate);
    Some(FeedTender {
        notice: Bytes::new(),
        duplicates: Vec::new(),
        days_until_closing: closing.map(|closing| closing.days() - query.today.days()),
        value: record.dollars(),
        basis: ValueBasis::Stated,
        matched,
        sort_key: (date, record.id().to_owned()),
    })
}

fn has_text(record: &Record, language: Language) -> bool {
    let code = language.code();
    let text = |field: &str| record.text(&format!("{field}_{code}")).unwrap_or_default();
    ["title", "description"]
        .into_iter()
        .any(|field| !text(field).trim().is_empty())
}

impl FeedTender {
    fn id(&self) -> &str {
        &self.sort_key.1
    }

    /// The record_ids of all its notices that match.
    pub(crate) fn notices(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.id()).chain(self.duplicates.iter().map(String::as_str))
    }

    fn position(&self) -> Position {
        Position {
            key: Some(self.sort_key.0),
            record_id: self.sort_key.1.clone(),
        }
    }

    /// Whether it comes after a position, in the order of the feed.
    fn is_after(&self, position: &Position) -> bool {
        let (date, record_id) = &self.sort_key;
        match position.key {
            Some(key) => *date < key || (*date == key && *record_id > position.record_id),
            None => false,
        }
    }
}
