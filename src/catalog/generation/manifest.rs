//! What a build says of itself, as it stands in `manifest.json`: kinds, sources, coverage, files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::entity_type::EntityType;

/// What a build says of itself: written last, so that a directory without it is no generation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// When the build was published, RFC 3339 UTC.
    pub built_at: String,
    /// One entry a kind, in the specification's order.
    pub kinds: Vec<KindManifest>,
    pub files: Vec<FileEntry>,
}

/// A kind's records in numbers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KindManifest {
    pub entity_type: EntityType,
    /// Of the schema it was built with.
    pub fingerprint: String,
    pub records: u64,
    /// By source_id.
    pub sources: Vec<Source>,
    /// By municipality.
    pub coverage: Vec<Coverage>,
}

/// An entry of `GET /sources`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Source {
    pub source_id: String,
    pub entity_type: EntityType,
    pub records: u64,
    /// The greatest `fetched_at`.
    #[schemars(extend("format" = "date-time"))]
    pub last_updated: Option<String>,
    /// By event date, `YYYY-MM-DD`.
    #[schemars(extend("format" = "date"))]
    pub earliest_date: Option<String>,
    #[schemars(extend("format" = "date"))]
    pub latest_date: Option<String>,
}

/// A row of `GET /{entity_type}/coverage`: a municipality with at least one record of the kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    pub municipality: String,
    pub name_en: Option<String>,
    pub name_fr: Option<String>,
    pub province: Option<String>,
    pub government_level: Option<String>,
    pub records: u64,
    #[schemars(extend("format" = "date"))]
    pub earliest_date: Option<String>,
    #[schemars(extend("format" = "date"))]
    pub latest_date: Option<String>,
    #[schemars(extend("format" = "date-time"))]
    pub last_updated: Option<String>,
    pub source_ids: Vec<String>,
}

/// A file of the build, to be found again as it was written.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FileEntry {
    /// Relative to the generation's directory, `/` between folders.
    pub path: String,
    pub bytes: u64,
    pub crc32: u32,
}
