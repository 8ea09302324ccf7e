//! One page of the matching records, in a sort order.
//!
//! An order has up to two phases, each a search of its own: first the records with the sort key,
//! then those without it, by `record_id`. Within a phase, pages follow each other by
//! `search_after`; the index never changes, so they fit together.
//!
//! A page of small records is one search that returns them. If records could be large, the first
//! search returns their sizes, so that no response is much larger than a page
//! ([`MAX_PAGE_BYTES`]).

use bytes::Bytes;
use serde_json::{Value, json, value::RawValue};

use super::{
    cluster_error::ClusterError,
    mapping::{MAX_RESULT_WINDOW, NO_DATE, record},
    query::{CompiledQuery, dates, exists, term},
    response::{Hit, SearchResponse},
    searcher::{Searcher, record_bytes, stored_record, total},
};
use crate::{
    engine::{
        error::Error,
        page_size::{MAX_PAGE_BYTES, fitting},
        traits::Hits,
    },
    model::{Date, Role},
    query::{Order, Page, Position, Sort, SortKey, Start},
};

/// Hits of one search at most. Larger pages are read in steps.
const STEP: usize = 5_000;

/// A part of an order that one sort covers.
struct Phase {
    query: CompiledQuery,
    sort: Value,
    /// The sort values of the hit before the first one.
    after: Option<Vec<Value>>,
}

/// A hit without its record.
struct Stub {
    /// In the order of the phase's sort. The last one is the `record_id`.
    sort: Vec<SortValue>,
    record_id: String,
    bytes: u64,
    /// Only where the search was asked for it.
    record: Option<Bytes>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SortValue {
    Integer(i64),
    Float(f64),
    Text(String),
}

impl SortValue {
    /// Floats are read exactly, which `serde_json` does not do.
    pub(crate) fn parse(raw: &RawValue) -> Result<SortValue, Error> {
        let text = raw.get();
        if text.starts_with('"') {
            return serde_json::from_str(text).map(SortValue::Text).map_err(unexpected);
        }
        if let Ok(integer) = text.parse() {
            return Ok(SortValue::Integer(integer));
        }
        text.parse().map(SortValue::Float).map_err(unexpected)
    }

    pub(crate) fn to_json(&self) -> Value {
        match self {
            SortValue::Integer(integer) => (*integer).into(),
            SortValue::Float(float) => (*float).into(),
            SortValue::Text(text) => text.as_str().into(),
        }
    }
}

fn unexpected(why: impl std::fmt::Display) -> Error {
    ClusterError::unreadable("a sort value", why).into()
}

/// The `record_id` that a hit is sorted by last.
pub(crate) fn sorted_id(sort: &[SortValue]) -> Result<String, Error> {
    match sort.last() {
        Some(SortValue::Text(record_id)) => Ok(record_id.clone()),
        other => Err(unexpected(format!("{other:?} instead of a record_id"))),
    }
}

/// The matches of a query on one page of an order.
pub(crate) fn search(searcher: &Searcher, query: &CompiledQuery, sort: Sort, page: &Page) -> Result<Hits, Error> {
    PageSearch::new(searcher, query, sort, page).finish()
}

/// A page whose first search can be sent together with others.
pub(crate) struct PageSearch<'a> {
    reader: Reader<'a>,
    limit: usize,
    sort: Sort,
}

impl<'a> PageSearch<'a> {
    pub(crate) fn new(searcher: &'a Searcher<'a>, query: &CompiledQuery, sort: Sort, page: &Page) -> PageSearch<'a> {
        let (offset, after) = match &page.start {
            Start::Offset(offset) => (*offset, None),
            Start::After(position) => (0, Some(position)),
        };
        // One more than the page has, to know whether another page follows.
        let wanted = page.limit.saturating_add(1);
        let with_records = wanted <= STEP && searcher.index.fits_one_response(wanted);
        let mut reader = Reader {
            searcher,
            phases: phases(query, sort, after),
            offset,
            wanted,
            with_records,
            first: None,
            stubs: Vec::new(),
        };
        reader.skip_by_number(query, sort);
        PageSearch {
            reader,
            limit: page.limit,
            sort,
        }
    }

    /// The maximum number of records that the first search returns.
    pub(crate) fn first_records(&self) -> usize {
        STEP.min(self.reader.wanted)
    }

    /// The first search; `None` if it was sent, or if it depends on others.
    pub(crate) fn first(&self) -> Option<Value> {
        let (phase, size) = (self.reader.phases.first()?, self.first_records());
        let fits = self.reader.offset + size <= MAX_RESULT_WINDOW;
        (fits && self.reader.first.is_none()).then(|| self.reader.body(phase, self.reader.offset, size))
    }

    /// Takes the response to the first search.
    pub(crate) fn read_first(&mut self, response: SearchResponse) {
        self.reader.first = Some(response);
    }

    /// The page, after the searches that are left.
    pub(crate) fn finish(mut self) -> Result<Hits, Error> {
        self.reader.read()?;
        let mut stubs = self.reader.stubs;
        let has_more = stubs.len() > self.limit;
        stubs.truncate(self.limit);
        let fitting = fitting(stubs.iter().map(|stub| stub.bytes as usize), MAX_PAGE_BYTES);
        let is_cut = fitting < stubs.len();
        stubs.truncate(fitting);
        let next = match stubs.last() {
            Some(last) if (has_more || is_cut) && self.sort.key.has_positions() => Some(position(last)),
            _ => None,
        };
        Ok(Hits {
            records: records(self.reader.searcher, stubs)?,
            is_cut,
            next,
        })
    }
}

fn position(stub: &Stub) -> Position {
    let key = match stub.sort.first() {
        Some(SortValue::Integer(days)) if stub.sort.len() > 1 => {
            let days = i32::try_from(*days).ok().filter(|days| *days != NO_DATE);
            days.and_then(Date::from_days)
        }
        _ => None,
    };
    Position {
        key,
        record_id: stub.record_id.clone(),
    }
}

/// The records of hits that a search returned with or without them.
fn records(searcher: &Searcher, stubs: Vec<Stub>) -> Result<Vec<Bytes>, Error> {
    let missing: Vec<(String, u64)> = stubs
        .iter()
        .filter(|stub| stub.record.is_none())
        .map(|stub| (stub.record_id.clone(), stub.bytes))
        .collect();
    let mut fetched = searcher.records(&missing)?.into_iter();
    let record = |stub: Stub| stub.record.or_else(|| fetched.next());
    Ok(stubs.into_iter().filter_map(record).collect())
}

/// The phases of an order, from the position on.
fn phases(query: &CompiledQuery, sort: Sort, after: Option<&Position>) -> Vec<Phase> {
    let (key, id) = (sort.key.role().name(), Role::RecordId.name());
    let (of_key, of_id) = match sort.order {
        Order::Desc => ("desc", "asc"),
        Order::Asc => ("asc", "desc"),
    };
    let by_key = json!([{ key: of_key }, { id: of_id }]);
    let after_key = |days: i32, position: &Position| vec![json!(days), json!(position.record_id)];
    if sort.key == SortKey::Relevance {
        return vec![Phase {
            query: query.clone(),
            sort: json!([{ "_score": "desc" }, { Role::Date.name(): "desc" }, { id: "asc" }]),
            after: None,
        }];
    }
    if sort.key != SortKey::Value && sort.order == Order::Desc {
        // The order of the index itself. Records without a date have the earliest one.
        let days = |position: &Position| position.key.map_or(NO_DATE, Date::days);
        return vec![Phase {
            query: query.clone(),
            sort: by_key,
            after: after.map(|position| after_key(days(position), position)),
        }];
    }
    let (keyed, unkeyed) = match sort.key {
        SortKey::Value | SortKey::Relevance => (query.clone().require(exists(key)), query.clone().exclude(exists(key))),
        SortKey::Date | SortKey::ClosingDate => (
            query.clone().require(dates(sort.key.role(), None, None)),
            query.clone().require(term(key, NO_DATE)),
        ),
    };
    let mut phases = Vec::new();
    let keyed_after = after.map(|position| position.key.map(|day| after_key(day.days(), position)));
    if !matches!(keyed_after, Some(None)) {
        phases.push(Phase {
            query: keyed,
            sort: by_key,
            after: keyed_after.flatten(),
        });
    }
    phases.push(Phase {
        query: unkeyed,
        sort: json!([{ id: "asc" }]),
        after: after
            .filter(|position| position.key.is_none())
            .map(|position| vec![json!(position.record_id)]),
    });
    phases
}

/// Reads hits phase by phase.
struct Reader<'a> {
    searcher: &'a Searcher<'a>,
    phases: Vec<Phase>,
    /// How many hits are still to skip.
    offset: usize,
    wanted: usize,
    with_records: bool,
    /// The response to the first search, until it is read.
    first: Option<SearchResponse>,
    stubs: Vec<Stub>,
}

impl Reader<'_> {
    /// In the default order of all records, an offset is a record number.
    fn skip_by_number(&mut self, query: &CompiledQuery, sort: Sort) {
        let is_default = sort.key == SortKey::Date && sort.order == Order::Desc;
        if !is_default || *query != CompiledQuery::default() || self.offset == 0 {
            return;
        }
        for phase in &mut self.phases {
            let range = json!({ "range": { record::NUMBER: { "gte": self.offset } } });
            phase.query = std::mem::take(&mut phase.query).require(range);
        }
        self.offset = 0;
    }

    fn read(&mut self) -> Result<(), Error> {
        for mut phase in std::mem::take(&mut self.phases) {
            self.read_phase(&mut phase)?;
            if self.is_full() {
                break;
            }
        }
        Ok(())
    }

    /// Whether the page needs no further hit.
    fn is_full(&self) -> bool {
        let bytes: u64 = self.stubs.iter().map(|stub| stub.bytes).sum();
        self.stubs.len() >= self.wanted || (self.stubs.len() > 1 && bytes > MAX_PAGE_BYTES as u64)
    }

    fn read_phase(&mut self, phase: &mut Phase) -> Result<(), Error> {
        let mut skipped = 0;
        loop {
            let size = STEP.min(self.wanted - self.stubs.len());
            if self.offset + size > MAX_RESULT_WINDOW {
                let Some(jump) = self.jump(phase)? else {
                    break;
                };
                skipped += jump;
                continue;
            }
            let hits = self.search(phase, self.offset, size)?;
            let found = hits.len();
            for hit in hits {
                self.stubs.push(hit);
            }
            if found > 0 {
                self.offset = 0;
            }
            if found < size {
                break;
            }
            phase.after = self.stubs.last().map(sort_values);
            if self.is_full() {
                return Ok(());
            }
        }
        if self.offset > 0 {
            // The phase ended before the first hit of the page.
            let matches = self.count(phase)?.saturating_sub(skipped);
            self.offset = self.offset.saturating_sub(matches);
        }
        Ok(())
    }

    /// Skips as many hits as one search can, and returns how many; `None` if there are fewer.
    fn jump(&mut self, phase: &mut Phase) -> Result<Option<usize>, Error> {
        let jump = self.offset.min(MAX_RESULT_WINDOW);
        let hits = self.search(phase, jump - 1, 1)?;
        let Some(last) = hits.last() else {
            return Ok(None);
        };
        phase.after = Some(sort_values(last));
        self.offset -= jump;
        Ok(Some(jump))
    }

    fn search(&mut self, phase: &Phase, from: usize, size: usize) -> Result<Vec<Stub>, Error> {
        let response = match self.first.take() {
            Some(response) => response,
            None => self.searcher.search(&self.body(phase, from, size))?,
        };
        response.hits.hits.into_iter().map(|hit| self.stub(hit)).collect()
    }

    fn body(&self, phase: &Phase, from: usize, size: usize) -> Value {
        let mut body = json!({
            "query": phase.query.to_json(),
            "sort": phase.sort,
            "from": from,
            "size": size,
            "track_total_hits": false,
            "docvalue_fields": [record::BYTES],
        });
        body["stored_fields"] = if self.with_records {
            json!([record::RECORD])
        } else {
            json!("_none_")
        };
        if let Some(after) = &phase.after {
            body["search_after"] = after.as_slice().into();
        }
        body
    }

    fn stub(&self, mut hit: Hit) -> Result<Stub, Error> {
        let sort = hit.sort.iter().map(|raw| SortValue::parse(raw));
        let sort = sort.collect::<Result<Vec<_>, _>>()?;
        Ok(Stub {
            record_id: sorted_id(&sort)?,
            sort,
            bytes: record_bytes(&mut hit)?,
            record: if self.with_records {
                Some(stored_record(&mut hit)?)
            } else {
                None
            },
        })
    }

    /// The number of matches of a phase.
    fn count(&self, phase: &Phase) -> Result<usize, Error> {
        let body = json!({ "query": phase.query.to_json(), "size": 0, "track_total_hits": true });
        let total = total(&self.searcher.search(&body)?)?;
        Ok(usize::try_from(total).unwrap_or(usize::MAX))
    }
}

fn sort_values(stub: &Stub) -> Vec<Value> {
    stub.sort.iter().map(SortValue::to_json).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(key: SortKey, order: Order, after: Option<(Option<&str>, &str)>) -> Vec<(Value, Value, Option<Value>)> {
        let position = after.map(|(day, id)| Position {
            key: day.map(|day| Date::parse(day).unwrap()),
            record_id: id.to_owned(),
        });
        let phases = phases(&CompiledQuery::default(), Sort { key, order }, position.as_ref());
        let shown = |phase: Phase| (phase.query.to_json(), phase.sort, phase.after.map(Value::from));
        phases.into_iter().map(shown).collect()
    }

    #[test]
    fn the_newest_first_are_one_phase_in_the_order_of_the_index() {
        let sort = json!([{ "date": "desc" }, { "record_id": "asc" }]);
        let all = json!({ "match_all": {} });
        for (after, expected) in [
            (None, None),
            (Some((Some("1970-01-02"), "x")), Some(json!([1, "x"]))),
            (Some((None, "x")), Some(json!([NO_DATE, "x"]))),
        ] {
            let found = shown(SortKey::Date, Order::Desc, after);
            assert_eq!(found, [(all.clone(), sort.clone(), expected)], "{after:?}");
        }
    }

    #[test]
    fn the_oldest_first_end_with_those_without_a_date() {
        let dated = json!({ "bool": { "filter": [{ "range": { "date": { "gt": NO_DATE } } }] } });
        let undated = json!({ "bool": { "filter": [{ "term": { "date": { "value": NO_DATE } } }] } });
        let by_date = json!([{ "date": "asc" }, { "record_id": "desc" }]);
        let by_id = json!([{ "record_id": "asc" }]);
        let first = |after: Option<Value>| (dated.clone(), by_date.clone(), after);
        let last = |after: Option<Value>| (undated.clone(), by_id.clone(), after);
        assert_eq!(shown(SortKey::Date, Order::Asc, None), [first(None), last(None)]);
        assert_eq!(
            shown(SortKey::Date, Order::Asc, Some((Some("1970-01-02"), "x"))),
            [first(Some(json!([1, "x"]))), last(None)]
        );
        assert_eq!(
            shown(SortKey::Date, Order::Asc, Some((None, "x"))),
            [last(Some(json!(["x"])))]
        );
    }

    #[test]
    fn the_most_relevant_come_first_and_equal_ones_in_the_default_order() {
        let sort = json!([{ "_score": "desc" }, { "date": "desc" }, { "record_id": "asc" }]);
        let found = shown(SortKey::Relevance, Order::Desc, None);
        assert_eq!(found, [(json!({ "match_all": {} }), sort, None)]);
    }

    #[test]
    fn values_come_before_records_without_a_value_in_both_orders() {
        for (order, of_value, of_id) in [(Order::Desc, "desc", "asc"), (Order::Asc, "asc", "desc")] {
            let found = shown(SortKey::Value, order, None);
            assert_eq!(found[0].1, json!([{ "value": of_value }, { "record_id": of_id }]));
            assert_eq!(found[1].1, json!([{ "record_id": "asc" }]));
            assert_eq!(
                found[1].0["bool"]["must_not"],
                json!([{ "exists": { "field": "value" } }])
            );
        }
    }

    #[test]
    fn sort_values_are_read_exactly() {
        for (json, expected) in [
            ("9007199254740993", SortValue::Integer(9_007_199_254_740_993)),
            ("-2147483648", SortValue::Integer(NO_DATE.into())),
            ("0.1", SortValue::Float(0.1)),
            ("1.7976931348623157E308", SortValue::Float(f64::MAX)),
            ("\"a\\\"b\"", SortValue::Text("a\"b".to_owned())),
        ] {
            let raw: Box<RawValue> = serde_json::from_str(json).unwrap();
            assert_eq!(SortValue::parse(&raw).unwrap(), expected, "{json}");
        }
        assert!(SortValue::parse(&serde_json::from_str::<Box<RawValue>>("null").unwrap()).is_err());
    }
}
