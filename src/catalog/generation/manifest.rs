//! `manifest.json`: what a build states about its entity types, sources, coverage and files.

use std::path::Path;

use anyhow::ensure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    layout::{MANIFEST, REMEDY, read_json, write_durably},
    source_contents::SourceContents,
};
use crate::model::{EntityType, Language, Schema, timestamp};

/// What a build states about itself. It is written last: a folder without it is not a generation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// When the build was published, RFC 3339 UTC.
    pub(crate) built_at: String,
    /// One entry per entity type, in the order of [`EntityType::ALL`].
    #[serde(rename = "kinds")]
    pub(crate) entity_types: Vec<EntityTypeManifest>,
    pub(crate) files: Vec<FileEntry>,
}

/// The numbers of one entity type.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EntityTypeManifest {
    pub(crate) entity_type: EntityType,
    /// Fingerprint of the schema it was built with.
    pub(crate) fingerprint: String,
    pub records: u64,
    /// In order of source_id.
    pub(crate) sources: Vec<SourceSummary>,
    /// In order of municipality.
    pub(crate) coverage: Vec<Coverage>,
    /// In order of source_id. Empty in a generation of an older program.
    #[serde(default)]
    pub(crate) contents: Vec<SourceContents>,
}

/// An entry of `GET /sources`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Source")]
pub struct SourceSummary {
    pub(crate) source_id: String,
    pub(crate) entity_type: EntityType,
    pub(crate) records: u64,
    /// The latest `fetched_at`.
    #[schemars(extend("format" = "date-time"))]
    pub(crate) last_updated: Option<String>,
    /// The earliest event date, `YYYY-MM-DD`.
    #[schemars(extend("format" = "date"))]
    pub(crate) earliest_date: Option<String>,
    #[schemars(extend("format" = "date"))]
    pub(crate) latest_date: Option<String>,
}

/// A row of `GET /{entity_type}/coverage`: a municipality with at least one record of the entity
/// type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    pub(crate) municipality: String,
    pub(crate) name_en: Option<String>,
    pub(crate) name_fr: Option<String>,
    pub(crate) province: Option<String>,
    pub(crate) government_level: Option<String>,
    pub(crate) records: u64,
    #[schemars(extend("format" = "date"))]
    pub(crate) earliest_date: Option<String>,
    #[schemars(extend("format" = "date"))]
    pub(crate) latest_date: Option<String>,
    #[schemars(extend("format" = "date-time"))]
    pub(crate) last_updated: Option<String>,
    pub(crate) source_ids: Vec<String>,
}

impl Coverage {
    /// The name of the municipality or government in a language, else in the other one; `None` if neither is known.
    pub(crate) fn name(&self, language: Language) -> Option<&str> {
        let names = match language {
            Language::English => [&self.name_en, &self.name_fr],
            Language::French => [&self.name_fr, &self.name_en],
        };
        names.into_iter().flatten().next().map(String::as_str)
    }
}

impl EntityTypeManifest {
    /// What there is of a municipality.
    pub(crate) fn place(&self, slug: &str) -> Option<&Coverage> {
        let row = self
            .coverage
            .binary_search_by(|row| row.municipality.as_str().cmp(slug));
        row.ok().map(|row| &self.coverage[row])
    }
}

#[cfg(test)]
impl Coverage {
    /// A municipality of which nothing but a record is known.
    pub(crate) fn of_place(slug: &str) -> Coverage {
        Coverage {
            municipality: slug.to_owned(),
            name_en: None,
            name_fr: None,
            province: None,
            government_level: None,
            records: 1,
            earliest_date: None,
            latest_date: None,
            last_updated: None,
            source_ids: Vec::new(),
        }
    }
}

/// The size and checksum of a file when it was written.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FileEntry {
    /// Relative to the generation's folder, with `/` between folders.
    pub(crate) path: String,
    pub(crate) bytes: u64,
    pub(crate) crc32: u32,
}

impl Manifest {
    /// The manifest of a build that is published now.
    pub(super) fn new(entity_types: Vec<EntityTypeManifest>, files: Vec<FileEntry>) -> Manifest {
        Manifest {
            built_at: timestamp::format_seconds(chrono::Utc::now()),
            entity_types,
            files,
        }
    }

    pub(crate) fn read(folder: &Path) -> anyhow::Result<Manifest> {
        let path = folder.join(MANIFEST);
        let manifest: Manifest = read_json(&path, "manifest")?;
        ensure!(
            manifest.has_all_entity_types(),
            "{} does not list the six entity types: {REMEDY}",
            path.display()
        );
        Ok(manifest)
    }

    /// Whether it has an entry for each entity type, in the order of [`EntityType::ALL`].
    pub(super) fn has_all_entity_types(&self) -> bool {
        self.entity_types
            .iter()
            .map(|entry| entry.entity_type)
            .eq(EntityType::ALL)
    }

    /// Checks that the generation was built with the schemas of this program.
    pub(super) fn check_schemas(&self, id: &str) -> anyhow::Result<()> {
        for entry in &self.entity_types {
            let schema = Schema::of(entry.entity_type);
            ensure!(
                entry.fingerprint == schema.fingerprint(),
                "generation {id} was built with another {} schema ({} then, {} now); re-index with `procure index`",
                entry.entity_type,
                entry.fingerprint,
                schema.fingerprint()
            );
        }
        Ok(())
    }

    /// Whether a file belongs to the generation.
    pub(super) fn lists(&self, path: &str) -> bool {
        self.files.iter().any(|file| file.path == path)
    }

    /// The number of records of an entity type.
    pub(super) fn records(&self, entity_type: EntityType) -> u64 {
        self.entity_types[entity_type as usize].records
    }

    pub(crate) fn write(&self, folder: &Path) -> anyhow::Result<()> {
        write_durably(&folder.join(MANIFEST), &serde_json::to_vec(self)?)
    }
}
