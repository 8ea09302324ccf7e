//! One file an endpoint family: from a request to the work that answers it.

pub mod alerts;
pub mod catalog;
pub mod docs;
pub mod documents;
pub mod feed;
pub mod health;
pub mod market;
pub mod names;
pub mod procurement;
pub mod profile;
pub mod record;
pub mod search;
pub mod stats;
