//! What the pipeline shares among all requests.

use std::sync::Arc;

use crate::{http::call::AppState, pages::settings::PagesState};

/// The state of the API, and that of the pages for people.
pub(crate) struct Service {
    pub(crate) app: Arc<AppState>,
    /// `None` if the pages are off.
    pub(crate) pages: Option<PagesState>,
}
