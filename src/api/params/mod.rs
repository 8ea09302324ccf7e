//! Query parameters and request bodies: the parameter tables, and how values are parsed and resolved.
//!
//! Each query parameter is one [`param::Param`] row of its endpoint's table. Reading, error texts, the suggestion
//! for a misspelt name and the OpenAPI document use the row. A request's parameters are handled in two steps: [`read`]
//! parses each value by its own type; [`resolve`] checks it against the entity type's schema, the plan and the city
//! slugs. The error of a value does not name the parameter: [`read`] adds the name that the client used, which may be
//! an alias.

pub mod alerts;
pub mod bids;
pub(crate) mod by_entity_type;
pub(crate) mod category;
pub mod commodities;
pub mod estimates;
pub mod feed;
pub mod file;
pub(crate) mod filters;
pub(crate) mod include;
pub mod names;
pub(crate) mod nearest;
pub(crate) mod paging;
pub mod pairs;
pub(crate) mod param;
pub(crate) mod parse;
pub mod procurement;
pub(crate) mod read;
pub mod reconcile;
pub mod record;
pub mod resolve;
#[cfg(test)]
mod resolve_tests;
pub mod search;
pub mod suggest;
pub mod suppliers;
pub(crate) mod value;
