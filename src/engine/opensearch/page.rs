//! One page of the matching records, in a sort order.
//!
//! Within a [`Phase`] of the order, pages follow each other by `search_after`; the index never
//! changes, so they fit together. The oldest first are read in [`NumberRanges`].
//!
//! A page of small records is one search that returns them. If records could be large, the first
//! search returns their sizes, so that no response is much larger than a page
//! ([`MAX_PAGE_BYTES`]).

use serde_json::{Value, json};

use super::{
    mapping::{MAX_RESULT_WINDOW, NO_DATE, record},
    number_ranges::NumberRanges,
    query::CompiledQuery,
    response::{SearchResponse, SortValue},
    searcher::{RecordHit, Searcher, total},
    sort_phases::{Phase, phases},
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

/// The matches of a query on one page of an order.
pub(crate) fn search(searcher: &Searcher, query: &CompiledQuery, sort: Sort, page: &Page) -> Result<Hits, Error> {
    PageSearch::new(searcher, query, sort, page).finish()
}

/// A page, read phase by phase. Its first search can be sent together with others.
pub(crate) struct PageSearch<'a> {
    searcher: &'a Searcher<'a>,
    sort: Sort,
    limit: usize,
    phases: Vec<Phase>,
    /// How many hits are still to skip.
    offset: usize,
    /// One more than the page has, to know whether another page follows.
    wanted: usize,
    with_records: bool,
    /// The response to the first search, until it is read.
    first: Option<SearchResponse>,
    hits: Vec<RecordHit>,
}

impl<'a> PageSearch<'a> {
    pub(crate) fn new(searcher: &'a Searcher<'a>, query: &CompiledQuery, sort: Sort, page: &Page) -> PageSearch<'a> {
        let (offset, after) = match &page.start {
            Start::Offset(offset) => (*offset, None),
            Start::After(position) => (0, Some(position)),
        };
        let wanted = page.limit.saturating_add(1);
        let mut search = PageSearch {
            searcher,
            sort,
            limit: page.limit,
            phases: phases(query, sort, after),
            offset,
            wanted,
            with_records: wanted <= STEP && searcher.index.fits_one_response(wanted),
            first: None,
            hits: Vec::new(),
        };
        search.skip_by_number(query, sort);
        search
    }

    /// The maximum number of records that the first search returns.
    pub(crate) fn first_records(&self) -> usize {
        STEP.min(self.wanted)
    }

    /// The first search; `None` if it was sent, or if it depends on others.
    pub(crate) fn first(&self) -> Option<Value> {
        let (phase, size) = (self.phases.first()?, self.first_records());
        if phase.reverse_to.is_some() {
            return None;
        }
        let fits = self.offset + size <= MAX_RESULT_WINDOW;
        (fits && self.first.is_none()).then(|| self.body(phase, self.offset, size))
    }

    /// Takes the response to the first search.
    pub(crate) fn read_first(&mut self, response: SearchResponse) {
        self.first = Some(response);
    }

    /// The page, after the searches that are left.
    pub(crate) fn finish(mut self) -> Result<Hits, Error> {
        self.read()?;
        let mut hits = self.hits;
        let has_more = hits.len() > self.limit;
        hits.truncate(self.limit);
        let fitting = fitting(hits.iter().map(|hit| hit.bytes as usize), MAX_PAGE_BYTES);
        let is_cut = fitting < hits.len();
        hits.truncate(fitting);
        let next = match hits.last() {
            Some(last) if (has_more || is_cut) && self.sort.key.has_positions() => Some(position(last)),
            _ => None,
        };
        Ok(Hits {
            records: self.searcher.records(hits)?,
            is_cut,
            next,
        })
    }

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
                Some(clause) => self.read_ranges(&phase, clause)?,
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
        let bytes: u64 = self.hits.iter().map(|hit| hit.bytes).sum();
        self.hits.len() >= self.wanted || (self.hits.len() > 1 && bytes > MAX_PAGE_BYTES as u64)
    }

    /// Reads a phase in the reverse of the default order, in which `clause` matches the first records.
    fn read_ranges(&mut self, phase: &Phase, clause: Value) -> Result<(), Error> {
        let end = self.count(&CompiledQuery::default().require(clause))?;
        for range in NumberRanges::before(end, self.offset + self.wanted) {
            let range = numbers(json!({ "gte": range.start, "lt": range.end }));
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
            let size = STEP.min(self.wanted - self.hits.len());
            if self.offset + size > MAX_RESULT_WINDOW {
                let Some(jump) = self.jump(phase)? else {
                    break;
                };
                skipped += jump as u64;
                continue;
            }
            let hits = self.search(phase, self.offset, size)?;
            let found = hits.len();
            self.hits.extend(hits);
            if found > 0 {
                self.offset = 0;
            }
            if found < size {
                break;
            }
            phase.after = self.hits.last().map(sort_values);
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

    fn search(&mut self, phase: &Phase, from: usize, size: usize) -> Result<Vec<RecordHit>, Error> {
        let response = match self.first.take() {
            Some(response) => response,
            None => self.searcher.search(&self.body(phase, from, size))?,
        };
        response.hits.hits.into_iter().map(RecordHit::read).collect()
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

    fn count(&self, query: &CompiledQuery) -> Result<u64, Error> {
        total(&self.searcher.search(&query.count())?)
    }
}

fn position(hit: &RecordHit) -> Position {
    let key = match hit.sort.first() {
        Some(SortValue::Integer(days)) if hit.sort.len() > 1 => {
            let days = i32::try_from(*days).ok().filter(|days| *days != NO_DATE);
            days.and_then(Date::from_days)
        }
        _ => None,
    };
    Position {
        key,
        record_id: hit.record_id.clone(),
    }
}

/// A clause that matches the record numbers of a range.
fn numbers(range: Value) -> Value {
    json!({ "range": { record::NUMBER: range } })
}

fn sort_values(hit: &RecordHit) -> Vec<Value> {
    hit.sort.iter().map(SortValue::to_json).collect()
}
