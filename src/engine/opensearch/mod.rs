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
//! | `facet_codes`: one keyword for each facet of a record; tables of entries in the catalog, which the engine keeps in memory | exact counts by value, names by a part or a similar spelling, values of all entity types merged after loading | more values than fit in memory |
//! | `vocabulary`: the words of an entity type, in the memory of the engine | word variants, rarity of a term and near words without a request | phrases, which match as written |
//! | `multi_search`: the searches for candidates of an estimate, round by round, and the counts of an explanation, at once | few requests where dozens of searches are independent | searches that need the answer of another |
//! | `stored_money`: an amount in four parts | exact sums of any filter | sorting, which `value` is for |
//! | `catalog_index`: files in parts, entry of each generation, lock | what is read once when a generation is opened | what a request needs |
//! | `bulk`, `build_totals`: two passes over the records | loading with memory for distinct texts only | single changes: a generation never changes |
//! | `client`, `addresses`: requests in turn, an address that fails left out for seconds | a node that is lost or stalled | choosing the node that has a shard |

mod addresses;
mod aggregate;
mod aggregation_results;
pub(crate) mod build;
mod build_lock;
mod build_totals;
mod bulk;
mod catalog_index;
pub(crate) mod client;
#[cfg(test)]
mod client_tests;
pub(crate) mod cluster_error;
mod cluster_indexes;
mod connect_error;
mod counts;
pub(crate) mod document;
mod engine;
pub(crate) mod facet_codes;
pub(crate) mod generations;
pub(crate) mod mapping;
mod market;
mod multi_search;
mod names_file;
mod number_ranges;
mod old_generations;
mod page;
mod percentiles;
mod query;
mod records_index;
mod recovery_source;
mod relevance;
mod resolved_terms;
pub(crate) mod response;
mod retry;
mod searcher;
pub mod settings;
mod similar;
mod sort_phases;
pub(crate) mod stored_money;
mod vendor_counts;
mod verify;
mod vocabulary;

pub(crate) use client::Client;
pub(crate) use cluster_error::ClusterError;
pub(crate) use engine::OpenSearchEngine;
pub use settings::{ClusterSettings, Credentials};
