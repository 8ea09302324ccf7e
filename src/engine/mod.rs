//! The interface between queries and the index, and the engine on Tantivy that implements it.
//!
//! **Invariant:** nothing outside [`tantivy`] names the `tantivy` crate, and no engine knows of
//! HTTP.

pub mod aggregation;
mod deadline;
pub(crate) mod departments;
mod error;
pub(crate) mod facet_values;
pub mod market_counts;
pub mod names;
pub mod near_words;
pub mod opensearch;
mod page_size;
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
