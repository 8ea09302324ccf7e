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
    response::{Hit, SearchResponse, SortValue},
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
        self.deadline.check()?;
        if bodies.is_empty() {
            return Ok(Vec::new());
        }
        let name = self.index.name.as_str();
        let searches: Vec<(&str, Value)> = bodies.into_iter().map(|body| (name, body)).collect();
        Ok(self.client.multi_search(&searches, self.deadline)?)
    }

    /// The records of hits, in the order of the hits. A response is not larger than a page, apart from a
    /// single record.
    pub(crate) fn records(&self, hits: Vec<RecordHit>) -> Result<Vec<Bytes>, Error> {
        let mut missing: Vec<&RecordHit> = hits.iter().filter(|hit| hit.record.is_none()).collect();
        let mut fetched = Vec::with_capacity(missing.len());
        while !missing.is_empty() {
            let sizes = missing.iter().map(|hit| hit.bytes as usize).take(MAX_FETCHED);
            let rest = missing.split_off(fitting(sizes, MAX_PAGE_BYTES));
            self.fetch(&missing, &mut fetched)?;
            missing = rest;
        }
        let mut fetched = fetched.into_iter();
        let record = |hit: RecordHit| hit.record.or_else(|| fetched.next());
        Ok(hits.into_iter().filter_map(record).collect())
    }

    fn fetch(&self, hits: &[&RecordHit], records: &mut Vec<Bytes>) -> Result<(), Error> {
        let id = Role::RecordId.name();
        let ids: Vec<String> = hits.iter().map(|hit| hit.record_id.clone()).collect();
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

/// A hit, with its record or without.
pub(crate) struct RecordHit {
    /// In the order of the search's sort. The last one is the `record_id`.
    pub(crate) sort: Vec<SortValue>,
    pub(crate) record_id: String,
    /// The size of the record.
    pub(crate) bytes: u64,
    /// Only if the search returned it.
    pub(crate) record: Option<Bytes>,
}

impl RecordHit {
    pub(crate) fn read(mut hit: Hit) -> Result<RecordHit, Error> {
        let bytes = hit.take_field(record::BYTES).and_then(|bytes| bytes.as_u64());
        let (Some(bytes), Some(SortValue::Text(record_id))) = (bytes, hit.sort.last()) else {
            let why = format!("{bytes:?} bytes of {:?}", hit.sort);
            return Err(ClusterError::unreadable("a hit", why).into());
        };
        Ok(RecordHit {
            record_id: record_id.clone(),
            bytes,
            record: stored_record(&mut hit).ok(),
            sort: hit.sort,
        })
    }
}

/// The number of matches of a search that counts all.
pub(crate) fn total(response: &SearchResponse) -> Result<u64, Error> {
    let total = response.hits.total.as_ref().and_then(|total| total.exact());
    total.ok_or_else(|| ClusterError::unreadable("a search", "the number of hits is missing").into())
}

/// The record of a hit, as it was indexed.
pub(crate) fn stored_record(hit: &mut Hit) -> Result<Bytes, Error> {
    match hit.take_field(record::RECORD) {
        Some(Value::String(record)) => Ok(Bytes::from(record)),
        _ => Err(ClusterError::unreadable("a hit", "the record is missing").into()),
    }
}
