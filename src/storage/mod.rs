//! Files on disk: dumps, compression, locks, durable writes and safe reads; lines of JSON; freed memory.

pub(crate) mod dump;
pub(crate) mod durable_file;
pub(crate) mod file_lock;
pub(crate) mod freed_memory;
pub(crate) mod gzip;
pub(crate) mod hex;
pub(crate) mod json_members;
pub(crate) mod json_text;
pub(crate) mod regular_file;
pub(crate) mod unpacking;
pub(crate) mod zip_archive;
