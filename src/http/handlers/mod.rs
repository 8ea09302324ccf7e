//! One file for each family of endpoints: its rows of the route table, and the handlers that turn requests into work.

pub mod alerts;
pub mod catalog;
pub mod counts;
pub mod docs;
pub mod documents;
pub mod feed;
pub mod health;
pub mod market;
pub mod names;
pub mod procurement;
pub mod profile;
pub mod raw_records;
pub mod record;
pub mod search;
pub mod stats;
