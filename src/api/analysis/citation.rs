//! How to cite an index: what is in it, from which sources, and by which program.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::{
    catalog::generation::{Generation, Manifest},
    fetch::published_sources::PUBLISHED_SOURCES,
    model::EntityType,
    storage::hex::hex,
};

/// What identifies an index.
#[derive(Serialize, JsonSchema)]
#[schemars(description = "An index, and what it was built from")]
pub(crate) struct Citation<'a> {
    generation: &'a str,
    /// When it was published.
    #[schemars(extend("format" = "date-time"))]
    built_at: &'a str,
    records: u64,
    /// Numbers of records, by entity type.
    entity_types: Vec<EntityTypeCount>,
    pub(crate) sources: Vec<CitedSource<'a>>,
    /// SHA-256 of the names, sizes and checksums of all files of the index: equal records give an equal one only if
    /// the same version has built it.
    checksum: String,
    /// The program that answers, and its version.
    software: &'static str,
    software_version: &'static str,
    /// The citation as a sentence.
    pub(crate) citation: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct EntityTypeCount {
    entity_type: EntityType,
    records: u64,
}

/// A source of an index.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CitedSource<'a> {
    pub(crate) source_id: &'a str,
    entity_type: EntityType,
    records: u64,
    #[schemars(extend("format" = "date"))]
    earliest_date: Option<&'a str>,
    #[schemars(extend("format" = "date"))]
    latest_date: Option<&'a str>,
    #[schemars(extend("format" = "date-time"))]
    last_updated: Option<&'a str>,
    /// The publisher's page; null for a source of the operator.
    pub(crate) page: Option<&'static str>,
    pub(crate) licence: Option<&'static str>,
    pub(crate) attribution: Option<&'static str>,
}

impl Citation<'_> {
    pub(crate) fn of(generation: &Generation) -> Citation<'_> {
        let manifest = &generation.manifest;
        let count = |entity_type: EntityType| EntityTypeCount {
            entity_type,
            records: generation.manifest_of(entity_type).records,
        };
        let entity_types: Vec<EntityTypeCount> = EntityType::ALL.into_iter().map(count).collect();
        let mut citation = Citation {
            generation: &generation.id,
            built_at: &manifest.built_at,
            records: entity_types.iter().map(|count| count.records).sum(),
            entity_types,
            sources: sources(manifest),
            checksum: checksum(manifest),
            software: env!("CARGO_PKG_NAME"),
            software_version: env!("CARGO_PKG_VERSION"),
            citation: String::new(),
        };
        citation.citation = citation.sentence();
        citation
    }

    /// The program that answers.
    pub(crate) fn software(&self) -> &'static str {
        self.software
    }

    pub(crate) fn title(&self) -> String {
        format!("Canadian public procurement records, index {}", self.generation)
    }

    /// The day of the build, `YYYY-MM-DD`.
    fn day(&self) -> &str {
        self.built_at.get(..10).unwrap_or(self.built_at)
    }

    fn sentence(&self) -> String {
        let mut ids: Vec<&str> = self.sources.iter().map(|source| source.source_id).collect();
        ids.dedup();
        let (title, records, day) = (self.title(), self.records, self.day());
        let (sources, software, version) = (ids.join(", "), self.software, self.software_version);
        let checksum = &self.checksum;
        format!(
            "{title} ({day}). {records} records of the sources {sources}. Built and served by {software} {version}. \
             SHA-256 {checksum}."
        )
    }

    pub(crate) fn bibtex(&self) -> String {
        let (id, title, day) = (self.generation, self.title(), self.day());
        let (software, version) = (self.software, self.software_version);
        let mut entry = String::new();
        // Ids and versions have no character that BibTeX reads as a command.
        let _ = write!(
            entry,
            "@misc{{procure-{id},\n  title = {{{{{title}}}}},\n  year = {{{}}},\n  date = {{{day}}},\n  \
             version = {{{id}}},\n  note = {{{} records; {software} {version}; SHA-256 {}}},\n}}\n",
            day.get(..4).unwrap_or_default(),
            self.records,
            self.checksum
        );
        entry
    }

    pub(crate) fn csl(&self) -> serde_json::Value {
        let parts: Vec<u32> = self.day().split('-').filter_map(|part| part.parse().ok()).collect();
        json!([{
            "id": format!("procure-{}", self.generation),
            "type": "dataset",
            "title": self.title(),
            "version": self.generation,
            "issued": {"date-parts": [parts]},
            "number": self.checksum,
            "note": self.citation,
        }])
    }
}

fn sources(manifest: &Manifest) -> Vec<CitedSource<'_>> {
    let summaries = manifest.entity_types.iter().flat_map(|part| &part.sources);
    let mut sources: Vec<CitedSource> = summaries
        .map(|source| {
            let published = PUBLISHED_SOURCES
                .iter()
                .find(|published| published.id == source.source_id);
            CitedSource {
                source_id: &source.source_id,
                entity_type: source.entity_type,
                records: source.records,
                earliest_date: source.earliest_date.as_deref(),
                latest_date: source.latest_date.as_deref(),
                last_updated: source.last_updated.as_deref(),
                page: published.map(|published| published.page),
                licence: published.map(|published| published.licence),
                attribution: published.map(|published| published.attribution),
            }
        })
        .collect();
    sources.sort_by_key(|source| (source.source_id, source.entity_type));
    sources
}

fn checksum(manifest: &Manifest) -> String {
    let mut hash = Sha256::new();
    for file in &manifest.files {
        hash.update(format!("{} {} {:08x}\n", file.path, file.bytes, file.crc32));
    }
    hex(&hash.finalize())
}
