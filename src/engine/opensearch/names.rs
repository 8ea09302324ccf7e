//! The names index: vendors of an entity type, and the long keys of roles that are searched by a part.

use std::{collections::HashMap, ops::Range, sync::Arc};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{
    cache::Cache,
    client::Client,
    cluster_error::ClusterError,
    document::{RoleKey, VendorName, vendor_id},
    mapping::{MAX_RESULT_WINDOW, facet_code, key_list, names, parse_facet_code, vendor_list},
    query::{MAX_PATTERN_CHARS, contains, is_long_part, term, terms},
    response::{Hit, SearchResponse},
    searcher::total,
};
use crate::{
    engine::{
        deadline::Deadline,
        error::Error,
        names::{NameCount, NamesPage},
    },
    model::{EntityType, Role, record::MAX_KEY_BYTES},
};

/// The names index of a generation.
pub(crate) struct Names<'a> {
    pub(crate) client: &'a Client,
    /// The name of the index.
    pub(crate) index: &'a str,
    /// Vendors that were looked up by their key.
    pub(crate) vendors: &'a Cache<VendorName>,
}

/// The maximum number of names that one search returns.
const STEP: usize = 5_000;

impl Names<'_> {
    /// The vendors whose key contains `part`, most records first.
    pub(crate) fn vendors(
        &self,
        entity_type: EntityType,
        part: &str,
        page: Range<usize>,
        deadline: &Deadline,
    ) -> Result<NamesPage, Error> {
        let list = vendor_list(entity_type);
        if is_long_part(part) {
            let found = self.with_long_part(&list, part, VendorName::key, deadline)?;
            return Ok(NamesPage {
                total: found.len() as u64,
                rows: found.into_iter().skip(page.start).take(page.len()).map(row).collect(),
            });
        }
        let mut search = json!({
            "query": with_part(&list, part),
            "sort": [{ names::RANK: "asc" }],
            "track_total_hits": true,
        });
        let mut size = page.len().min(STEP);
        if page.start.saturating_add(size) <= MAX_RESULT_WINDOW {
            (search["from"], search["size"]) = (page.start.into(), size.into());
            let response = self.search(&search, deadline)?;
            let total = total(&response)?;
            let mut rows: Vec<NameCount> = read_all(&response)?.into_iter().map(row).collect();
            let end = page.start.saturating_add(rows.len());
            if rows.len() == size && size < page.len() && (end as u64) < total {
                let rest = self.vendors(entity_type, part, end..page.end, deadline)?;
                rows.extend(rest.rows);
            }
            return Ok(NamesPage { total, rows });
        }
        // Deeper than a search reads: rank by rank from the first name on.
        search["size"] = STEP.into();
        let (mut skipped, mut rows) = (0, Vec::new());
        loop {
            let response = self.search(&search, deadline)?;
            let total = total(&response)?;
            let vendors: Vec<VendorName> = read_all(&response)?;
            let Some(last) = vendors.last().filter(|_| (page.start as u64) < total) else {
                return Ok(NamesPage { total, rows });
            };
            search["search_after"] = json!([last.rank]);
            let is_last = vendors.len() < STEP;
            let skip = vendors.len().min(page.start - skipped);
            skipped += skip;
            size = page.len() - rows.len();
            rows.extend(vendors.into_iter().skip(skip).take(size).map(row));
            if is_last || rows.len() == page.len() {
                return Ok(NamesPage { total, rows });
            }
        }
    }

    /// The vendor with a key.
    pub(crate) fn vendor(
        &self,
        entity_type: EntityType,
        key: &str,
        deadline: &Deadline,
    ) -> Result<Option<Arc<VendorName>>, Error> {
        let ids = [vendor_id(entity_type, key)];
        if let Some(known) = self.vendors.get(&ids[0]) {
            return Ok(Some(known));
        }
        let found = self.client.documents(self.index, &ids, deadline)?;
        let Some(source) = found.into_iter().flatten().next() else {
            return Ok(None);
        };
        let vendor: Arc<VendorName> = Arc::new(serde_json::from_str(source.get()).map_err(unreadable)?);
        let [id] = ids;
        // A name without letters and digits can be as long as a record.
        if vendor.name.len() <= MAX_KEY_BYTES {
            self.vendors.insert(id, Arc::clone(&vendor));
        }
        Ok(Some(vendor))
    }

    /// Searches for the names of vendors by their codes; [`read_names`] reads the responses.
    pub(crate) fn searches_by_code(&self, entity_type: EntityType, codes: &[u32]) -> Vec<(&str, Value)> {
        let list = term(names::LIST, vendor_list(entity_type));
        let searches = codes.chunks(STEP).map(|codes| {
            let keywords: Vec<String> = codes.iter().copied().map(facet_code).collect();
            let search = json!({
                "query": { "bool": { "filter": [list, terms(names::CODE, &keywords)] } },
                "size": codes.len(),
                "track_total_hits": false,
            });
            (self.index, search)
        });
        searches.collect()
    }

    /// The keys of a role that contain a part that is too long for a pattern.
    pub(crate) fn keys_with_long_part(
        &self,
        entity_type: EntityType,
        role: Role,
        part: &str,
        deadline: &Deadline,
    ) -> Result<Vec<String>, Error> {
        let list = key_list(entity_type, role);
        let found = self.with_long_part(&list, part, |found: &RoleKey| found.key.as_str(), deadline)?;
        Ok(found.into_iter().map(|found| found.key).collect())
    }

    /// Reads all names that contain the start of a long part, and keeps those that contain all of it.
    fn with_long_part<T: DeserializeOwned>(
        &self,
        list: &str,
        part: &str,
        key: impl Fn(&T) -> &str,
        deadline: &Deadline,
    ) -> Result<Vec<T>, Error> {
        let start: String = part.chars().take(MAX_PATTERN_CHARS).collect();
        let mut search = json!({
            "query": with_part(list, &start),
            "sort": [{ names::RANK: "asc" }],
            "size": STEP,
            "track_total_hits": false,
        });
        let mut found = Vec::new();
        loop {
            let response = self.search(&search, deadline)?;
            let hits = response.hits.hits.len();
            let last = response.hits.hits.last().and_then(|hit| hit.sort.first());
            let last = last.map(|rank| serde_json::from_str::<u32>(rank.get())).transpose();
            let last = last.map_err(unreadable)?;
            let names: Vec<T> = read_all(&response)?;
            found.extend(names.into_iter().filter(|name| key(name).contains(part)));
            match last {
                Some(rank) if hits == STEP => search["search_after"] = json!([rank]),
                _ => return Ok(found),
            }
        }
    }

    pub(crate) fn search(&self, body: &Value, deadline: &Deadline) -> Result<SearchResponse, Error> {
        deadline.check()?;
        Ok(self.client.search(self.index, body, deadline)?)
    }
}

/// The names of vendors by their codes.
pub(crate) fn read_names(responses: &[SearchResponse]) -> Result<HashMap<u32, String>, Error> {
    let mut name_of = HashMap::new();
    for response in responses {
        let vendors: Vec<VendorName> = read_all(response)?;
        let named = vendors
            .into_iter()
            .filter_map(|vendor| Some((parse_facet_code(&vendor.code)?, vendor.name)));
        name_of.extend(named);
    }
    Ok(name_of)
}

pub(crate) fn read_all<T: DeserializeOwned>(response: &SearchResponse) -> Result<Vec<T>, Error> {
    response.hits.hits.iter().map(read).collect()
}

fn read<T: DeserializeOwned>(hit: &Hit) -> Result<T, Error> {
    match &hit.source {
        Some(source) => serde_json::from_str(source.get()).map_err(unreadable),
        None => Err(unreadable("a document has no source")),
    }
}

fn unreadable(why: impl std::fmt::Display) -> Error {
    ClusterError::unreadable("the names index", why).into()
}

fn with_part(list: &str, part: &str) -> Value {
    let mut clauses = vec![term(names::LIST, list)];
    if !part.is_empty() {
        clauses.push(contains(names::KEY, part));
    }
    json!({ "bool": { "filter": clauses } })
}

fn row(vendor: VendorName) -> NameCount {
    NameCount {
        records: vendor.records,
        total_value: vendor.total_value(),
        name: vendor.name,
        kind: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_list_and_part() {
        assert_eq!(
            with_part("award/vendors", ""),
            json!({ "bool": { "filter": [{ "term": { "list": { "value": "award/vendors" } } }] } })
        );
        assert_eq!(
            with_part("award/vendors", "inc")["bool"]["filter"][1],
            json!({ "wildcard": { "key": { "value": "*inc*" } } })
        );
    }
}
