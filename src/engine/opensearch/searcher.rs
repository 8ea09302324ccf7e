//! Searches of one entity type for one call of the engine.

use std::collections::HashMap;

use bytes::Bytes;
use serde_json::{Value, json};

use super::{
    client::Client,
    cluster_error::ClusterError,
    mapping::record,
    query::terms,
    records_index::RecordsIndex,
    response::{Hit, SearchResponse},
};
use crate::{
    engine::{
        deadline::Deadline,
        error::Error,
        page_size::{MAX_PAGE_BYTES, fitting},
    },
    model::Role,
};

/// The index of an entity type, and the deadline of the call.
pub(crate) struct Searcher<'a> {
    pub(crate) client: &'a Client,
    pub(crate) index: &'a RecordsIndex,
    pub(crate) deadline: &'a Deadline,
}

/// The maximum number of records that one search fetches by their ids.
const MAX_FETCHED: usize = 5_000;

impl Searcher<'_> {
    pub(crate) fn search(&self, body: &Value) -> Result<SearchResponse, Error> {
        self.deadline.check()?;
        Ok(self.client.search(&self.index.name, body, self.deadline)?)
    }

    /// Several searches of the entity type in one request; the responses are in the order of the
    /// searches.
    pub(crate) fn multi_search(&self, bodies: Vec<Value>) -> Result<Vec<SearchResponse>, Error> {
        let name = self.index.name.as_str();
        let searches: Vec<(&str, Value)> = bodies.into_iter().map(|body| (name, body)).collect();
        self.multi_search_of(&searches)
    }

    /// The same, each given with the name of the index that it searches.
    pub(crate) fn multi_search_of(&self, searches: &[(&str, Value)]) -> Result<Vec<SearchResponse>, Error> {
        self.deadline.check()?;
        if searches.is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.client.multi_search(searches, self.deadline)?)
    }

    /// Records by their ids, in the order of the ids, each given with its size in bytes. A response
    /// is not larger than a page, apart from a single record.
    pub(crate) fn records(&self, mut wanted: &[(String, u64)]) -> Result<Vec<Bytes>, Error> {
        let mut records = Vec::with_capacity(wanted.len());
        while !wanted.is_empty() {
            let sizes = wanted
                .iter()
                .map(|(_, bytes)| usize::try_from(*bytes).unwrap_or(usize::MAX));
            let (step, rest) = wanted.split_at(fitting(sizes.take(MAX_FETCHED), MAX_PAGE_BYTES));
            wanted = rest;
            self.fetch(step, &mut records)?;
        }
        Ok(records)
    }

    fn fetch(&self, step: &[(String, u64)], records: &mut Vec<Bytes>) -> Result<(), Error> {
        let id = Role::RecordId.name();
        let ids: Vec<String> = step.iter().map(|(record_id, _)| record_id.clone()).collect();
        let body = json!({
            "query": { "bool": { "filter": [terms(id, &ids)] } },
            "size": ids.len(),
            "track_total_hits": false,
            "stored_fields": [record::RECORD],
            "docvalue_fields": [id],
            "_source": false,
        });
        let mut found: HashMap<String, Bytes> = HashMap::with_capacity(ids.len());
        for mut hit in self.search(&body)?.hits.hits {
            let Some(Value::String(record_id)) = hit.take_field(id) else {
                return Err(ClusterError::unreadable("a hit", "the record_id is missing").into());
            };
            found.insert(record_id, stored_record(&mut hit)?);
        }
        for record_id in &ids {
            let record = found.remove(record_id);
            records.push(record.ok_or_else(|| ClusterError::unreadable("a search", "a record is missing"))?);
        }
        Ok(())
    }
}

/// The number of matches of a search that counts all.
pub(crate) fn total(response: &SearchResponse) -> Result<u64, Error> {
    let total = response.hits.total.as_ref().and_then(|total| total.exact());
    total.ok_or_else(|| ClusterError::unreadable("a search", "the number of hits is missing").into())
}

/// The size of the record of a hit.
pub(crate) fn record_bytes(hit: &mut Hit) -> Result<u64, Error> {
    let bytes = hit.take_field(record::BYTES).and_then(|bytes| bytes.as_u64());
    bytes.ok_or_else(|| ClusterError::unreadable("a hit", "the size of the record is missing").into())
}

/// The record of a hit, as it was indexed.
pub(crate) fn stored_record(hit: &mut Hit) -> Result<Bytes, Error> {
    match hit.take_field(record::RECORD) {
        Some(Value::String(record)) => Ok(Bytes::from(record)),
        _ => Err(ClusterError::unreadable("a hit", "the record is missing").into()),
    }
}
