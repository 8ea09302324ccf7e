//! Files on disk: dumps, compression, locks and durable writes.

pub(crate) mod dump;
pub(crate) mod durable_file;
pub(crate) mod file_lock;
pub(crate) mod gzip;
pub(crate) mod hex;
