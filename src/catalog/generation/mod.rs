//! A published build on disk: layout, manifest, verification and the atomic switch.
//!
//! `<index-dir>/CURRENT` names `<index-dir>/<id>/`. That folder holds `manifest.json`,
//! `calibration.json`, `first_seen.json`, `newest_statuses.json`, `tender_values.json`, `commodities.json`,
//! `bids.json`, `departments.json` and one folder per entity type. A build
//! is written to `<id>.building`, renamed once its manifest is written, and served once `CURRENT` names it. A
//! build that is killed at any moment leaves the served generation intact.
//!
//! **Invariant:** a build is complete if and only if it has a manifest. An index that opens may still
//! be incomplete: an interrupted Tantivy index opens without an error, with too few documents. Files
//! of a published generation are never written again, except `verified.json`, which is not among those that
//! the manifest lists.

mod build;
mod checksums;
mod cluster;
mod commodities;
mod commodity_counts;
mod content_check;
mod derived;
mod first_seen;
mod folder;
mod in_service;
mod layout;
mod manifest;
mod meanings;
mod opened;
mod receipt;
mod source_contents;
mod source_coverage;
mod store;
mod tender_values;

pub use build::Build;
pub use cluster::ClusterStore;
pub(crate) use cluster::generation_files;
pub use commodities::{Commodities, Words};
pub(crate) use commodity_counts::CodeCount;
pub(crate) use derived::DerivedData;
pub use first_seen::{FirstSeen, recent_tender_ids};
pub use folder::{open, switch_to};
pub use in_service::open_current;
pub(crate) use in_service::{GenerationFault, named, open_named, open_newest_other, open_newest_whole, truncation};
pub use layout::{KEPT_GENERATIONS, current, list};
pub use manifest::{Coverage, EntityTypeManifest, FileEntry, Manifest, SourceSummary};
pub(crate) use meanings::{Meanings, Thing};
pub use opened::Generation;
pub(crate) use source_contents::{Abroad, RecordPart, SourceContents};
pub(crate) use source_coverage::{Extent, SourceCoverage};
pub use store::GenerationStore;
pub(crate) use tender_values::TenderValues;
