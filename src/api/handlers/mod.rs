//! One file for each family of endpoints: its rows of the route table, and the handlers that turn requests into work.

pub(crate) mod alerts;
pub(crate) mod bids;
pub(crate) mod catalog;
pub(crate) mod commodities;
pub(crate) mod confirmation;
mod confirmation_page;
pub(crate) mod docs;
pub(crate) mod documents;
pub(crate) mod estimates;
pub(crate) mod export;
pub(crate) mod feed;
pub(crate) mod generations;
pub(crate) mod health;
pub(crate) mod names;
pub(crate) mod pairs;
pub(crate) mod procurement;
pub(crate) mod profile;
pub(crate) mod raw_records;
pub(crate) mod reconcile;
pub(crate) mod record;
pub(crate) mod search;
pub(crate) mod stats;
pub(crate) mod suggest;
pub(crate) mod suppliers;
pub(crate) mod usage;
