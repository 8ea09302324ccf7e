//! One page of the matching records, in a sort order.
//!
//! Within a [`Phase`] of the order, pages follow each other by `search_after`; the index never
//! changes, so they fit together. The oldest first are read in [`Windows`].
//!
//! A page of small records is one search that returns them. If records could be large, the first
//! search returns their sizes, so that no response is much larger than a page
//! ([`MAX_PAGE_BYTES`]).

use bytes::Bytes;
use serde_json::{Value, json, value::RawValue};

use super::{
    cluster_error::ClusterError,
    mapping::{MAX_RESULT_WINDOW, NO_DATE, record},
    phases::{Phase, phases},
    query::CompiledQuery,
    response::{Hit, SearchResponse},
    searcher::{Searcher, record_bytes, stored_record, total},
    windows::Windows,
};
use crate::{
    engine::{
        error::Error,
        page_size::{MAX_PAGE_BYTES, fitting},
        traits::Hits,
    },
    model::Date,
    query::{Order, Page, Position, Sort, SortKey, Start},
};

/// Hits of one search at most. Larger pages are read in steps.
const STEP: usize = 5_000;

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
        if phase.reverse_to.is_some() {
            return None;
        }
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
            phase.query = std::mem::take(&mut phase.query).require(numbers(json!({ "gte": self.offset })));
        }
        self.offset = 0;
    }

    fn read(&mut self) -> Result<(), Error> {
        for mut phase in std::mem::take(&mut self.phases) {
            match phase.reverse_to.take() {
                Some(clause) => self.read_windows(&phase, clause)?,
                None => self.read_phase(&mut phase)?,
            }
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

    /// Reads a phase in the reverse of the default order, in which `clause` matches the first records.
    fn read_windows(&mut self, phase: &Phase, clause: Value) -> Result<(), Error> {
        let end = self.count(&CompiledQuery::default().require(clause))?;
        for window in Windows::before(end, self.offset + self.wanted) {
            let range = numbers(json!({ "gte": window.start, "lt": window.end }));
            self.read_phase(&mut Phase {
                query: phase.query.clone().require(range),
                sort: phase.sort.clone(),
                after: phase.after.clone(),
                reverse_to: None,
            })?;
            if self.is_full() {
                break;
            }
        }
        Ok(())
    }

    fn read_phase(&mut self, phase: &mut Phase) -> Result<(), Error> {
        let mut skipped = 0;
        loop {
            let size = STEP.min(self.wanted - self.stubs.len());
            if self.offset + size > MAX_RESULT_WINDOW {
                let Some(jump) = self.jump(phase)? else {
                    break;
                };
                skipped += jump as u64;
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
            let matches = self.count(&phase.query)?.saturating_sub(skipped);
            let matches = usize::try_from(matches).unwrap_or(usize::MAX);
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

    fn count(&self, query: &CompiledQuery) -> Result<u64, Error> {
        let body = json!({ "query": query.to_json(), "size": 0, "track_total_hits": true });
        total(&self.searcher.search(&body)?)
    }
}

/// A clause that matches the record numbers of a range.
fn numbers(range: Value) -> Value {
    json!({ "range": { record::NUMBER: range } })
}

fn sort_values(stub: &Stub) -> Vec<Value> {
    stub.sort.iter().map(SortValue::to_json).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
