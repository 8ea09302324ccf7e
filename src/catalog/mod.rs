//! What is built from dumps and read through an engine: generations, indexing, notices, the feed and the market of comparable contracts.

pub mod feed;
pub mod generation;
pub mod indexing;
pub mod market;
pub mod notices;
