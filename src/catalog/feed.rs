//! The feed: tenders that are open on a given day, were published recently, and match a keyword. Each tender appears
//! once, however many notices it has.
//!
//! The index finds notices by day, status and keyword. The other conditions are checked on the records, and
//! [`NewestStatuses`] decides whether a newer notice has closed the tender.
//!
//! **Invariant:** the same query on the same generation returns the same page: all days are counted from the day in the
//! query.

use std::collections::{BTreeSet, HashMap};

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    catalog::{
        all_matches::for_each_page,
        notices::{BidStatus, NewestStatuses, OPEN_STATUSES, parse_tender},
        tender_key::TenderKey,
    },
    engine::{Deadline, Engine, Error, MAX_PAGE_BYTES, fitting},
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
    /// one of them or one of its translations, or have one of its commodity codes; without keywords,
    /// every tender matches.
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
    /// Whether the page ended at [`MAX_PAGE_BYTES`], although its limit allows more tenders.
    pub(crate) is_cut: bool,
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

/// The values of tenders that state none. `None` as a value means that a tender cannot be estimated.
pub(crate) trait EstimatedValues {
    type Error: From<Error>;

    /// The value of a tender, if it was estimated before.
    fn known(&self, record_id: &str) -> Option<Option<f64>>;

    /// Estimates a tender, the first of `missing` that the page needs, as far as is known. It may
    /// need more: an estimate can be below the minimum value.
    fn estimate(&self, record_id: &str, missing: usize) -> Result<Option<f64>, Self::Error>;
}

/// Returns one page. `newest_statuses` must be of the same index as `engine`. No more tenders are
/// estimated than the page needs.
pub(crate) fn find<V: EstimatedValues>(
    engine: &dyn Engine,
    newest_statuses: &NewestStatuses,
    query: &FeedQuery,
    values: &V,
    deadline: &Deadline,
) -> Result<FeedPage, V::Error> {
    let mut all = matching_tenders(engine, newest_statuses, query, deadline)?;
    all.retain(|tender| query.after.as_ref().is_none_or(|after| tender.is_after(after)));
    let missing = tenders_to_estimate(&all, query, values);
    let mut tenders = Vec::new();
    for (index, mut tender) in all.into_iter().enumerate() {
        // One more than the page, to learn whether another page follows.
        if tenders.len() > query.limit {
            break;
        }
        deadline.check()?;
        if tender.value.is_none() {
            tender.value = match values.known(tender.id()) {
                Some(value) => value,
                None => {
                    let done = missing.partition_point(|missing| *missing < index);
                    values.estimate(tender.id(), (missing.len() - done).max(1))?
                }
            };
            tender.basis = match tender.value {
                Some(_) => ValueBasis::Estimate,
                None => ValueBasis::Unknown,
            };
        }
        // A tender of unknown value is kept: it may be large enough.
        if tender.value.is_none_or(|value| query.allows(value)) {
            tenders.push(tender);
        }
    }
    let (found, limit) = (tenders.len(), tenders.len().min(query.limit));
    let sizes = tenders[..limit].iter().map(|tender| tender.notice.len());
    tenders.truncate(fitting(sizes, MAX_PAGE_BYTES));
    let has_more = tenders.len() < found;
    let last = tenders.last().filter(|_| has_more);
    Ok(FeedPage {
        next: last.map(FeedTender::position),
        is_cut: tenders.len() < limit,
        tenders,
    })
}

/// The indexes of the tenders that must be estimated at least to fill the page, and to learn whether
/// another one follows.
fn tenders_to_estimate(tenders: &[FeedTender], query: &FeedQuery, values: &impl EstimatedValues) -> Vec<usize> {
    let (mut missing, mut passing) = (Vec::new(), 0);
    for (index, tender) in tenders.iter().enumerate() {
        if passing > query.limit {
            break;
        }
        let value = match tender.value {
            Some(value) => Some(Some(value)),
            None => values.known(tender.id()),
        };
        if value.is_none() {
            missing.push(index);
        }
        if value.flatten().is_none_or(|value| query.allows(value)) {
            passing += 1;
        }
    }
    missing
}

/// The open tenders of the longest feed that state no value, by `record_id`, the newest first.
pub(crate) fn tenders_without_value(
    engine: &dyn Engine,
    newest_statuses: &NewestStatuses,
    today: Date,
    deadline: &Deadline,
) -> Result<Vec<String>, Error> {
    let query = FeedQuery {
        today,
        since: today.days_before(MAX_DAYS_BACK as u32),
        keywords: Vec::new(),
        languages: Language::ALL.to_vec(),
        min_value: None,
        filters: Vec::new(),
        limit: 0,
        after: None,
    };
    let tenders = matching_tenders(engine, newest_statuses, &query, deadline)?.into_iter();
    let without_value = tenders.filter(|tender| tender.value.is_none());
    Ok(without_value.map(|tender| tender.sort_key.1).collect())
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
/// these or of their commodity codes.
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
        .flat_map(|(_, keyword)| keyword.terms().cloned())
        .collect();
    let filters = query.filters.iter().cloned().chain([window, status]).collect();
    let codes = query.keywords.iter().flat_map(|(_, keyword)| keyword.codes());
    let codes: BTreeSet<String> = codes.cloned().collect();
    let text = (!terms.is_empty()).then(|| TextQuery::any(terms));
    SearchQuery {
        text: text.map(|text| {
            if codes.is_empty() {
                text
            } else {
                text.or_codes(codes.into_iter().collect())
            }
        }),
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
        let codes = record.keys(Role::Commodity);
        for (index, (_, keyword)) in query.keywords.iter().enumerate() {
            if keyword.matches(&tokenized, &query.languages) || keyword.means_one_of(&codes) {
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

impl FeedQuery {
    fn allows(&self, value: f64) -> bool {
        self.min_value.is_none_or(|min| value >= min)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Values that are known; no other is needed.
    impl EstimatedValues for HashMap<&str, Option<f64>> {
        type Error = Error;

        fn known(&self, record_id: &str) -> Option<Option<f64>> {
            self.get(record_id).copied()
        }

        fn estimate(&self, _: &str, _: usize) -> Result<Option<f64>, Error> {
            Ok(None)
        }
    }

    #[test]
    fn the_tenders_of_a_page_are_estimated_and_one_more() {
        let day = Date::from_days(20_000).unwrap();
        let tender = |id: &str, value: Option<f64>| FeedTender {
            notice: Bytes::new(),
            duplicates: Vec::new(),
            days_until_closing: None,
            value,
            basis: ValueBasis::Stated,
            matched: Vec::new(),
            sort_key: (day, id.to_owned()),
        };
        let tenders = [
            tender("stated", Some(9.0)),
            tender("first", None),
            tender("small", Some(1.0)),
            tender("known to be small", None),
            tender("known to be unknown", None),
            tender("second", None),
            tender("third", None),
            tender("fourth", None),
        ];
        let known = HashMap::from([("known to be small", Some(1.0)), ("known to be unknown", None)]);
        let missing = |limit: usize, min_value: Option<f64>| {
            let query = FeedQuery {
                today: day,
                since: day,
                keywords: Vec::new(),
                languages: Vec::new(),
                min_value,
                filters: Vec::new(),
                limit,
                after: None,
            };
            tenders_to_estimate(&tenders, &query, &known)
        };
        assert_eq!(missing(1, None), [1]);
        assert_eq!(missing(4, None), [1]);
        assert_eq!(missing(5, None), [1, 5]);
        assert_eq!(missing(4, Some(5.0)), [1, 5, 6]);
        assert_eq!(missing(500, Some(5.0)), [1, 5, 6, 7]);
    }
}
