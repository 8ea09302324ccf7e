//! The engine on an OpenSearch cluster: we analyze, the cluster stores.
//!
//! Keys, words, stems and codes are computed by this program, as for the embedded engine, and the
//! cluster finds them exactly. It never analyzes a text, never rounds an amount and never changes
//! the bytes of a record.
//!
//! | structure | useful for | not useful for |
//! |---|---|---|
//! | `mapping`: the index of an entity type, sorted by (date desc, record_id asc) | newest-first pages that end early, cursors by `search_after` | updates |
//! | `relevance`: one keyword for each word and each pair of neighbours of a tier | scores that are whole numbers, so the cluster may sort by them | cursors |
//! | `record_number`: the number in the default order | a page at any depth of all records | pages of a filter |
//! | `facet_codes`: one keyword for each facet of a record; tables of entries in the catalog | exact counts by value, values of all entity types merged after loading | finding a value by a part of its name |
//! | names index: vendors and long keys, with ranks and sums | names by a part or a similar spelling, with counts over the whole collection | names within a filter |
//! | vocabulary index: words and document frequencies by stem, and words by spelling | word variants and rarity of a term by id, one request for a query; near words | phrases, which match as written |
//! | `together`: the searches for candidates of an estimate, round by round, and the counts of an explanation, at once | few requests where dozens of searches are independent | searches that need the answer of another |
//! | `stored_money`: an amount in four parts | exact sums of any filter | sorting, which `value` is for |
//! | `catalog_index`: files in parts, entry of each generation, lock | what is read once when a generation is opened | what a request needs |
//! | `bulk`, `build_totals`: two passes over the records | loading with memory for distinct texts only | single changes: a generation never changes |
//! | `client`, `addresses`: requests in turn, an address that fails left out for seconds | a node that is lost or stalled | choosing the node that has a shard |

mod addresses;
mod aggregate;
pub(crate) mod build;
mod build_lock;
mod build_totals;
mod bulk;
mod cache;
mod catalog_index;
pub(crate) mod client;
#[cfg(test)]
mod client_tests;
pub(crate) mod cluster_error;
mod cluster_indexes;
mod counts;
pub(crate) mod document;
mod engine;
pub(crate) mod facet_codes;
pub(crate) mod generations;
mod look_ups;
pub(crate) mod mapping;
mod market;
mod metrics;
mod names;
mod near_words;
mod no_answer;
mod old_generations;
mod page;
mod percentiles;
mod phases;
mod query;
mod records_index;
mod recovery_source;
mod relevance;
pub(crate) mod response;
mod retry;
mod searcher;
pub mod settings;
mod similar;
mod stems;
pub(crate) mod stored_money;
mod suggestions;
mod together;
mod vendor_counts;
mod verify;
mod windows;

pub(crate) use client::Client;
pub(crate) use cluster_error::ClusterError;
pub(crate) use engine::OpenSearchEngine;
pub use settings::{ClusterSettings, Credentials};
