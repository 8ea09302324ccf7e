//! The interface between queries and the index, and its two implementations: [`tantivy`], the embedded engine, and
//! [`opensearch`], the client of a cluster.
//!
//! **Invariant:** nothing outside [`tantivy`] names the `tantivy` crate, nothing outside [`opensearch`] talks to the
//! cluster, and no engine knows what a client of this service requests.

pub mod aggregation;
mod deadline;
pub(crate) mod departments;
mod error;
pub(crate) mod facet_values;
pub(crate) mod helper_threads;
pub mod market_counts;
pub(crate) mod name_words;
pub mod names;
pub mod near_words;
pub mod opensearch;
pub(crate) mod packed;
mod page_size;
pub(crate) mod purchase_words;
pub mod record_search;
pub mod relevance;
mod similar_names;
pub mod similarity;
pub(crate) mod tantivy;
mod traits;

pub use deadline::{CancelOnDrop, Deadline};
pub use error::Error;
pub use page_size::MAX_PAGE_BYTES;
pub(crate) use page_size::fitting;
pub use traits::{Engine, Hits};
