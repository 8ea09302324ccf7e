//! The catalog index: what each generation states about itself, and its files.
//!
//! A file is a JSON text that only the catalog layer interprets. It is stored in parts, so that no
//! request is large, and read back with its length and checksum compared.

use std::collections::BTreeMap;

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    build_totals::RecordSummary,
    client::{Body, Client, ClusterRequest, Method},
    cluster_error::ClusterError,
    cluster_indexes,
    mapping::{FORMAT, catalog, catalog_definition, catalog_index},
    query::term,
};
use crate::{
    engine::deadline::Deadline,
    model::{EntityType, timestamp},
};

/// What the catalog knows of a generation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct GenerationEntry {
    kind: String,
    pub(crate) generation: String,
    /// The version of its mappings and documents.
    format: u32,
    /// Whether all its documents are stored and verified.
    pub(crate) is_complete: bool,
    /// RFC 3339 UTC.
    started_at: String,
    /// By the name of the entity type.
    summaries: BTreeMap<String, RecordSummary>,
    files: BTreeMap<String, StoredFile>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct StoredFile {
    parts: usize,
    bytes: usize,
    crc32: u32,
}

#[derive(Serialize, Deserialize)]
struct FilePart {
    kind: String,
    generation: String,
    text: String,
}

/// The values of [`catalog::KIND`].
const GENERATION: &str = "generation";
const FILE: &str = "file";

/// The maximum length of a part in bytes.
const PART_BYTES: usize = 4 << 20;

/// How many parts are read at a time.
const PARTS_READ: usize = 8;

/// How many documents are deleted at a time.
const DELETED: usize = 1000;

impl GenerationEntry {
    pub(crate) fn new(generation: &str) -> GenerationEntry {
        GenerationEntry {
            kind: GENERATION.to_owned(),
            generation: generation.to_owned(),
            format: FORMAT,
            is_complete: false,
            started_at: timestamp::format_seconds(chrono::Utc::now()),
            summaries: BTreeMap::new(),
            files: BTreeMap::new(),
        }
    }

    /// The numbers of an entity type; zeros where it was not loaded.
    pub(crate) fn summary(&self, entity_type: EntityType) -> RecordSummary {
        self.summaries.get(entity_type.name()).copied().unwrap_or_default()
    }

    pub(crate) fn set_summary(&mut self, entity_type: EntityType, summary: RecordSummary) {
        self.summaries.insert(entity_type.name().to_owned(), summary);
    }

    pub(crate) fn write(&self, client: &Client) -> Result<(), ClusterError> {
        put(client, &self.generation, &json!(self))
    }

    /// Stores a file. The entry must be written afterwards.
    pub(crate) fn write_file(&mut self, client: &Client, name: &str, content: &[u8]) -> anyhow::Result<()> {
        let mut rest = std::str::from_utf8(content).with_context(|| format!("{name} is not UTF-8"))?;
        let mut parts = 0;
        while parts == 0 || !rest.is_empty() {
            let (part, after) = rest.split_at(rest.floor_char_boundary(PART_BYTES));
            let document = json!(FilePart {
                kind: FILE.to_owned(),
                generation: self.generation.clone(),
                text: part.to_owned(),
            });
            put(client, &part_id(&self.generation, name, parts), &document)
                .with_context(|| format!("storing {name}"))?;
            parts += 1;
            rest = after;
        }
        let file = StoredFile {
            parts,
            bytes: content.len(),
            crc32: crc32fast::hash(content),
        };
        self.files.insert(name.to_owned(), file);
        Ok(())
    }

    /// A file of the generation; `None` if it has no such file.
    pub(crate) fn read_file(
        &self,
        client: &Client,
        name: &str,
        deadline: &Deadline,
    ) -> anyhow::Result<Option<Vec<u8>>> {
        let Some(file) = self.files.get(name) else {
            return Ok(None);
        };
        let ids = (0..file.parts).map(|part| part_id(&self.generation, name, part));
        let ids: Vec<String> = ids.collect();
        let mut content = Vec::with_capacity(file.bytes);
        for ids in ids.chunks(PARTS_READ) {
            for part in client.documents(&catalog_index(&client.prefix), ids, deadline)? {
                let source = part.source.with_context(|| format!("a part of {name} is missing"))?;
                let part: FilePart = serde_json::from_str(source.get())?;
                content.extend_from_slice(part.text.as_bytes());
            }
        }
        ensure!(
            content.len() == file.bytes && crc32fast::hash(&content) == file.crc32,
            "{name} of generation {} was changed after it was stored (its checksum differs); \
             build again with `procure index`, or go back with `procure generations use ID`",
            self.generation
        );
        Ok(Some(content))
    }
}

/// The entries of some generations, in the same order; `None` where there is none.
pub(crate) fn entries(
    client: &Client,
    generations: &[String],
    deadline: &Deadline,
) -> anyhow::Result<Vec<Option<GenerationEntry>>> {
    let found = match client.documents(&catalog_index(&client.prefix), generations, deadline) {
        // Without a catalog no generation is known.
        Err(ClusterError::NotFound(_)) => return Ok(vec![None; generations.len()]),
        found => found?,
    };
    let entries = found.into_iter().map(|document| match document.source {
        Some(source) => read_entry(source.get()).context("reading the catalog"),
        None => Ok(None),
    });
    entries.collect()
}

/// `None` if another version of this program has written it, in another form.
fn read_entry(json: &str) -> serde_json::Result<Option<GenerationEntry>> {
    #[derive(Deserialize)]
    struct Format {
        format: u32,
    }
    let Format { format } = serde_json::from_str(json)?;
    if format == FORMAT {
        serde_json::from_str(json).map(Some)
    } else {
        Ok(None)
    }
}

/// Creates the catalog if there is none.
pub(crate) fn create_if_missing(client: &Client, replicas: u32) -> Result<(), ClusterError> {
    cluster_indexes::create_if_missing(client, &catalog_index(&client.prefix), &catalog_definition(replicas))
}

/// The response of a bulk request that deletes.
#[derive(Deserialize)]
struct Deleted {
    items: Vec<BTreeMap<String, DeletedItem>>,
}

#[derive(Deserialize)]
struct DeletedItem {
    status: u16,
    error: Option<Value>,
}

impl Deleted {
    fn check(self) -> Result<(), ClusterError> {
        let failed = self
            .items
            .iter()
            .flat_map(BTreeMap::values)
            .find(|item| item.error.is_some());
        failed.map_or(Ok(()), |DeletedItem { status, error }| {
            let body = json!({ "error": error }).to_string();
            Err(ClusterError::of_response("a bulk request", *status, body.as_bytes()))
        })
    }
}

/// Deletes the files of a generation, then its entry.
pub(crate) fn delete(client: &Client, generation: &str) -> Result<(), ClusterError> {
    let index = catalog_index(&client.prefix);
    cluster_indexes::refresh(client, &index)?;
    loop {
        let of_generation = [term(catalog::KIND, FILE), term(catalog::GENERATION, generation)];
        let files = find(client, &json!({ "bool": { "filter": of_generation } }))?;
        if files.is_empty() {
            break;
        }
        let actions = files
            .iter()
            .map(|id| format!("{}\n", json!({ "delete": { "_id": id } })));
        let lines: String = actions.collect();
        let path = format!("/{index}/_bulk?refresh=true");
        let request = ClusterRequest::new(Method::POST, path, Body::Lines(lines.as_bytes()));
        client.send_for::<Deleted>(&request, &Deadline::never())?.check()?;
    }
    let path = format!("/{index}/_doc/{generation}?refresh=true");
    match client.change(Method::DELETE, path, Body::Empty) {
        Err(ClusterError::NotFound(_)) => Ok(()),
        deleted => deleted,
    }
}

/// The ids of the generations that have an entry.
pub(crate) fn generations(client: &Client) -> Result<Vec<String>, ClusterError> {
    cluster_indexes::refresh(client, &catalog_index(&client.prefix))?;
    find(client, &term(catalog::KIND, GENERATION))
}

/// The ids of the documents that match a query, up to [`DELETED`].
fn find(client: &Client, query: &Value) -> Result<Vec<String>, ClusterError> {
    let search = json!({ "size": DELETED, "_source": false, "query": query });
    let found = client.search(&catalog_index(&client.prefix), &search, &Deadline::never())?;
    Ok(found.hits.hits.into_iter().map(|hit| hit.id).collect())
}

fn part_id(generation: &str, name: &str, part: usize) -> String {
    format!("{generation}.{name}.{part}")
}

fn put(client: &Client, id: &str, document: &Value) -> Result<(), ClusterError> {
    let path = format!("/{}/_doc/{id}", catalog_index(&client.prefix));
    client.change(Method::PUT, path, Body::Json(document))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_of_another_version_is_not_read() {
        let mut entry = json!(GenerationEntry::new("20261122T050227631Z"));
        assert!(read_entry(&entry.to_string()).unwrap().is_some());
        entry["format"] = (FORMAT + 1).into();
        entry["summaries"] = "in another form".into();
        assert!(read_entry(&entry.to_string()).unwrap().is_none());
    }

    #[test]
    fn a_document_that_is_not_deleted_is_an_error() {
        let deleted = |items: &str| serde_json::from_str::<Deleted>(&format!(r#"{{"errors":true,"items":{items}}}"#));
        let missing =
            r#"[{"delete":{"_id":"a","status":200}},{"delete":{"_id":"b","status":404,"result":"not_found"}}]"#;
        assert_eq!(deleted(missing).unwrap().check(), Ok(()));
        let blocked = r#"[{"delete":{"_id":"a","status":429,"error":{"type":"cluster_block_exception","reason":
            "index [p-catalog] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark, index has read-only-allow-delete block];"}}}]"#;
        let blocked = deleted(blocked).unwrap().check();
        assert!(matches!(blocked, Err(ClusterError::DisksFull(_))), "{blocked:?}");
    }
}
