//! What is built from dumps and read through an engine: generations, indexing, notices, the feed,
//! estimates and comparables.

pub mod feed;
pub mod generation;
pub mod indexing;
pub mod market;
pub mod notices;
pub mod pages;
pub mod tender_value;
