//! Reading publishers' files: CSV, JSON and XML as streams of rows, text repair, and the spool that groups what rows gave.

pub mod batches;
pub mod bytes;
pub mod decode;
pub mod fields;
pub mod intake;
pub mod json;
pub mod mojibake;
pub mod spool;
pub mod table;
pub mod text;
pub mod xml;
