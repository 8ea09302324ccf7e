//! The spool: what rows produced waits on disk until all files are read, then comes back by merge
//! group.
//!
//! Bodies go to one temporary file for each set of sources that are merged together; memory holds a
//! [`SpoolEntry`] of fixed size for each body. Files are read in parallel, so bodies lie in the
//! spool in any order. Each entry knows its file and its number in that file, and the order in
//! which groups come back depends on those alone.
//!
//! [`SpoolEntry`]: entry::SpoolEntry

pub mod body;
pub mod entry;
pub mod file;
pub mod groups;
pub mod writer;

#[cfg(test)]
mod tests;
