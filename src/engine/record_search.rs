//! Searches whose records are needed together: an engine on another machine answers them in one
//! request.

use crate::query::{Page, SearchQuery};

/// A search of [`Engine::records_of`](crate::engine::Engine::records_of).
#[derive(Clone, Debug)]
pub enum RecordSearch {
    /// As [`Engine::search`](crate::engine::Engine::search).
    Page { query: SearchQuery, page: Page },
    /// As [`Engine::similar`](crate::engine::Engine::similar).
    Similar {
        query: SearchQuery,
        terms: Vec<String>,
        limit: usize,
    },
}
