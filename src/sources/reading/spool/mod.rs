//! The spool: it stores the outputs of rows on disk until all files are read, then returns them by
//! merge group.
//!
//! Bodies go to one temporary file for each set of sources that are merged together; memory holds a
//! [`SpoolEntry`] of fixed size for each body. Files are read in parallel, so bodies are
//! in the spool in any order. Each entry holds its file and its number in that file. The order in
//! which groups are returned depends only on these two.
//!
//! [`SpoolEntry`]: entry::SpoolEntry

pub(crate) mod body;
pub(crate) mod entry;
pub(crate) mod file;
pub(crate) mod groups;
pub(crate) mod writer;

#[cfg(test)]
mod tests;
