//! What is built from dumps and read through an engine: generations, indexing, notices, the feed,
//! estimates and comparables, suppliers.

pub(crate) mod all_matches;
pub(crate) mod ask;
pub(crate) mod bids;
pub mod estimates;
pub(crate) mod feed;
pub mod generation;
pub mod indexing;
pub mod notices;
pub(crate) mod suggest;
pub(crate) mod suppliers;
pub(crate) mod tender_key;
pub(crate) mod tender_value;
pub(crate) mod value_cache;
pub(crate) mod value_pace;

pub use suppliers::carried_numbers;
