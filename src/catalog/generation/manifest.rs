//! `manifest.json`: what a build states about its entity types, sources, coverage and files.

use std::path::Path;

use anyhow::ensure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::layout::{MANIFEST, REMEDY, read_json, write_durably};
use crate::model::EntityType;

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

/// The size and checksum of a file when it was written.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FileEntry {
    /// Relative to the generation's folder, with `/` between folders.
    pub(crate) path: String,
    pub(crate) bytes: u64,
    pub(crate) crc32: u32,
}

impl Manifest {
    pub(crate) fn read(folder: &Path) -> anyhow::Result<Manifest> {
        let path = folder.join(MANIFEST);
        let manifest: Manifest = read_json(&path, "manifest")?;
        let entity_types: Vec<EntityType> = manifest.entity_types.iter().map(|entry| entry.entity_type).collect();
        ensure!(
            entity_types == EntityType::ALL,
            "{} does not list the six entity types: {REMEDY}",
            path.display()
        );
        Ok(manifest)
    }

    pub(crate) fn write(&self, folder: &Path) -> anyhow::Result<()> {
        write_durably(&folder.join(MANIFEST), &serde_json::to_vec(self)?)
    }
}
