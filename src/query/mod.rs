//! A search as the engine understands it: typed, serializable, free of HTTP.

pub mod cursor;
pub mod keyword;
mod search_query;
pub mod text;
pub mod translate;

pub use search_query::{Filter, Order, Page, Position, SearchQuery, Sort, SortKey, Start};
