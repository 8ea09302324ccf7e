//! Files on disk: dumps, compression, locks and durable writes.

pub mod dump;
pub mod durable_file;
pub mod file_lock;
pub mod gzip;
pub mod hex;
