//! `procure index`: dumps of the six entity types in, one published generation out.
//!
//! There are two passes per entity type. `read_dumps` reads every line once; it keeps the sort keys
//! in memory and writes the records to a spool file on disk. `write_index` reads the records back
//! in document order, chunk by chunk, into the index. Memory holds keys, never record bodies. No
//! record is changed, except that members that are null are dropped. These and lines that are left out
//! are counted: [`IndexReport`].

mod body_names;
mod cluster;
mod embedded;
mod manifest_counts;
mod null_members;
mod read_dumps;
mod report;
mod run;
mod spooled_records;
mod supplier_names;
mod target;
mod value_tenders;
mod write_index;

pub use report::{DumpFileReport, EntityTypeReport, IndexReport, LineProblem, TooLongRecord, TooLongRecords};
pub(crate) use run::run_keeping;
pub use run::{DEFAULT_MEMORY_MB, IndexOptions, run, run_with_claims};
