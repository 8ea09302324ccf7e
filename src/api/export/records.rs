//! The records that match a search, in its order.

use std::sync::Arc;

use bytes::Bytes;
use serde::Serialize;

use crate::{
    api::{
        cost::ScanCost,
        export::{
            RowPage, RowSource, columns,
            listing::{Listing, two_starts},
            suppliers::supplier_of,
        },
        params::{
            paging::limit_applied,
            parse::Given,
            resolve::{ResolveContext, ResolvedSearch},
            search::{FILTERS, SearchParams},
        },
    },
    catalog::{ask::Ask, generation::Generation},
    engine::{Deadline, Hits},
    http::{call::Call, error::ApiError, parameter_error::Reason, quoted::quoted, stream::CHUNK_BYTES, work::Work},
    model::{EntityType, Record, Schema},
    query::{Page, Position, SearchQuery, SortKey, Start},
};

/// What an export accepts in addition to the filters.
const OTHERS: [&str; 10] = [
    "translate",
    "match_codes",
    "q_in",
    "sort_by",
    "sort_order",
    "cursor",
    "format",
    "after",
    "bom",
    "excel",
];

pub(crate) static PARAMETERS: [&str; FILTERS.len() + OTHERS.len()] = {
    let mut names = [""; FILTERS.len() + OTHERS.len()];
    let mut number = 0;
    while number < names.len() {
        names[number] = if number < FILTERS.len() {
            FILTERS[number]
        } else {
            OTHERS[number - FILTERS.len()]
        };
        number += 1;
    }
    names
};

/// How many records are read at once from an index on this machine. Their bytes stay in the memory map until they are
/// written.
const LOCAL_RECORDS: usize = 5_000;

/// How many are read first from a cluster; after that, as many as a chunk has.
const FIRST_REMOTE_RECORDS: usize = 100;

/// How many records an export by relevance has at most: as many as pages lead to.
const MAX_RELEVANT: usize = 10_000;

/// Where an export begins.
#[derive(Clone, PartialEq, Serialize)]
pub(crate) enum Begin {
    At(Start),
    /// After the record with this id.
    After(String),
}

/// The export that a request asks for.
pub(crate) fn export(call: &Call, entity_type: EntityType) -> Result<Work, ApiError> {
    let endpoint = format!("/{entity_type}/export");
    let mut given = SearchParams::read_only(&PARAMETERS, &endpoint, entity_type, call.query)?;
    let file = std::mem::take(&mut given.file);
    let search = given.resolve(&ResolveContext::of(call, entity_type))?;
    let begin = begin(&search, &file.after)?;
    listing(&call.generation, search, begin)?.work(call, &file)
}

fn listing(generation: &Arc<Generation>, search: ResolvedSearch, begin: Begin) -> Result<Listing, ApiError> {
    let query = search.query;
    let entity_type = query.entity_type;
    let count_cost = ScanCost::of(generation, &[(entity_type, 1)]);
    let counted = query.clone();
    let mut headers = Vec::new();
    if query.sort.key == SortKey::Relevance {
        headers.push(limit_applied(MAX_RELEVANT as u64));
    }
    Ok(Listing {
        name: entity_type.name(),
        is_selection: !query.matches_all(),
        is_resumed: begin != Begin::At(Start::Offset(0)),
        columns: columns::of_records(Schema::of(entity_type)),
        cost: ScanCost::of(generation, &[]).with_text(generation, &query, 1).cost(),
        count_cost: count_cost.with_text(generation, &query, 1),
        normal_form: serde_json::to_value((&query, &begin)).map_err(ApiError::internal)?,
        count: Box::new(move |ask| Ok(ask.count(&counted)?)),
        supplier_of: supplier_of(generation, Schema::of(entity_type)),
        rows: Box::new(SearchRecords::new(generation, query, begin)),
        ignored: search.ignored,
        headers,
    })
}

/// Where the export begins: at its cursor, after the given record, or with the first one.
fn begin(search: &ResolvedSearch, after: &Option<Given<String>>) -> Result<Begin, ApiError> {
    let Some(after) = after else {
        return Ok(Begin::At(search.page.start.clone()));
    };
    if search.page.start != Start::Offset(0) {
        return Err(two_starts());
    }
    match search.query.sort.key {
        SortKey::Value => Err(ApiError::invalid(after.name, Reason::CursorWithSort("value"))),
        SortKey::Relevance => Err(ApiError::invalid(after.name, Reason::CursorWithSort("relevance"))),
        SortKey::Date | SortKey::ClosingDate | SortKey::EndDate => Ok(Begin::After(after.value.clone())),
    }
}

/// The records of a search, from one generation.
pub(crate) struct SearchRecords {
    generation: Arc<Generation>,
    query: SearchQuery,
    begin: Begin,
    /// The mean size of a record of the last page, in bytes.
    mean_bytes: Option<usize>,
}

impl SearchRecords {
    pub(crate) fn new(generation: &Arc<Generation>, query: SearchQuery, begin: Begin) -> SearchRecords {
        SearchRecords {
            generation: Arc::clone(generation),
            query,
            begin,
            mean_bytes: None,
        }
    }

    fn limit(&self) -> usize {
        match self.mean_bytes {
            _ if self.generation.engine.is_local() => LOCAL_RECORDS,
            None => FIRST_REMOTE_RECORDS,
            Some(bytes) => (CHUNK_BYTES / bytes.max(1)).clamp(1, LOCAL_RECORDS),
        }
    }

    fn start(&self, ask: &Ask) -> Result<Start, ApiError> {
        let record_id = match &self.begin {
            Begin::At(start) => return Ok(start.clone()),
            Begin::After(record_id) => record_id,
        };
        let entity_type = self.query.entity_type;
        let record = ask.record(entity_type, record_id)?.ok_or_else(|| {
            ApiError::not_found(format!(
                "no {entity_type} record has the id {}, after which the export is to go on; begin it again without 'after'",
                quoted(record_id)
            ))
        })?;
        Ok(Start::After(position(&self.query, &record)?))
    }

    /// Where the next page starts; `None` if there is none.
    fn next(&self, start: &Start, limit: usize, hits: &Hits) -> Option<Start> {
        if let Some(position) = &hits.next {
            return Some(Start::After(position.clone()));
        }
        let Start::Offset(offset) = start else {
            return None;
        };
        // An order without positions: its pages are counted.
        let is_counted = !self.query.sort.key.has_positions();
        let has_more = hits.is_cut || hits.records.len() == limit;
        (is_counted && has_more).then(|| Start::Offset(offset + hits.records.len()))
    }
}

/// The position of a record in the order of a search.
fn position(query: &SearchQuery, record: &Bytes) -> Result<Position, ApiError> {
    let record = Record::parse(Schema::of(query.entity_type), record).map_err(ApiError::internal)?;
    Ok(Position {
        key: query.sort.key.date_role().and_then(|role| record.date(role)),
        record_id: record.id().to_owned(),
    })
}

impl RowSource for SearchRecords {
    fn next_rows(&mut self, deadline: &Deadline) -> Result<RowPage, ApiError> {
        let ask = Ask {
            generation: Arc::clone(&self.generation),
            deadline: deadline.clone(),
        };
        let start = self.start(&ask)?;
        let mut limit = self.limit();
        if let (SortKey::Relevance, Start::Offset(offset)) = (self.query.sort.key, &start) {
            limit = limit.min(MAX_RELEVANT.saturating_sub(*offset));
        }
        if limit == 0 {
            return Ok(RowPage {
                rows: Vec::new(),
                is_last: true,
            });
        }
        let page = Page { limit, start };
        let hits = ask.search(&self.query, &page)?;
        let bytes: usize = hits.records.iter().map(Bytes::len).sum();
        self.mean_bytes = bytes.checked_div(hits.records.len());
        let next = self.next(&page.start, limit, &hits);
        let is_last = next.is_none();
        if let Some(next) = next {
            self.begin = Begin::At(next);
        }
        Ok(RowPage {
            rows: hits.records,
            is_last,
        })
    }
}
