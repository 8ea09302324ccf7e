//! What requests share ([`AppState`]), and one request as a handler sees it ([`Call`]).

use std::{
    path::PathBuf,
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

use arc_swap::ArcSwapOption;
use bytes::Bytes;
use chrono::{DateTime, Utc};

use crate::{
    catalog::generation::{Generation, GenerationFault},
    http::{
        auth::Gateway, byte_budget::ByteBudget, caller::Caller, error::ApiError, kept_generations::KeptGenerations,
        metrics::Metrics, own_address::OwnAddress, search_pool::SearchPool, state_writer::StateWriter,
        static_body::ApiDocs, stream::RunningStreams,
    },
    model::{PlanLimits, Plans},
    state::sync::KeyRing,
};

/// What all requests share.
pub(crate) struct AppState {
    /// The generation in service; empty until the cluster has one that can be opened.
    pub(crate) generation: ArcSwapOption<Generation>,
    /// The older ones that requests may ask for.
    pub(crate) kept_generations: Arc<KeptGenerations>,
    /// Why the generation in service is not the one that should be served; empty while it is.
    pub(crate) generation_fault: ArcSwapOption<GenerationFault>,
    pub(crate) keys: KeyRing,
    /// How old the keys may be before the service is no longer ready.
    pub(crate) max_state_age: Duration,
    pub(crate) plans: Plans,
    pub(crate) gateway: Gateway,
    pub(crate) search_pool: Arc<SearchPool>,
    /// The folder with a dump whose files are offered; `None` if none are.
    pub(crate) exports: Option<PathBuf>,
    /// The exports that are being sent.
    pub(crate) streams: RunningStreams,
    pub(crate) own_address: OwnAddress,
    /// Where a client changes its key's plan. If `None`, the service's own page shows the plans.
    pub(crate) upgrade_url: Option<String>,
    pub(crate) state_writer: StateWriter,
    /// The OpenAPI document and the documentation page, rendered once at startup.
    pub(crate) api_docs: ApiDocs,
    /// Time limit of a search, counted from when the request has arrived completely.
    pub(crate) query_timeout: Duration,
    /// Time limit for a request body to arrive.
    pub(crate) body_time: Duration,
    /// The memory for request bodies that are being read or used.
    pub(crate) request_bytes: ByteBudget,
    /// The memory for responses that clients have not read yet.
    pub(crate) response_bytes: ByteBudget,
    pub(crate) metrics: Metrics,
    /// Set when the service shuts down: requests in flight finish, new ones get a 503. The connections share it.
    pub(crate) draining: Arc<AtomicBool>,
    pub(crate) started: Instant,
    /// The clock. A field so that tests can set it.
    pub(crate) now: fn() -> DateTime<Utc>,
}

impl AppState {
    /// The generation in service, of which a request takes one and uses no other. 503 while there is
    /// none.
    pub(crate) fn generation(&self) -> Result<Arc<Generation>, ApiError> {
        self.generation.load_full().ok_or_else(|| {
            let fault = self.generation_fault.load();
            ApiError::no_generation(fault.as_deref().map(GenerationFault::sentence))
        })
    }

    /// Whether the generation with this id is in service.
    pub(crate) fn serves(&self, id: &str) -> bool {
        self.generation
            .load()
            .as_ref()
            .is_some_and(|generation| generation.id == id)
    }
}

/// A request as a handler sees it.
pub struct Call<'a> {
    pub(crate) state: &'a AppState,
    /// The generation that was current when the request arrived, or the one that it asks for. The request uses no
    /// other.
    pub(crate) generation: Arc<Generation>,
    /// The limits of the key's plan.
    pub(crate) plan_limits: PlanLimits,
    /// The raw query string, still percent-encoded, without the parameter that asks for a generation.
    pub(crate) query: &'a str,
    /// The same with it, for links to further pages.
    pub(crate) whole_query: &'a str,
    /// Where the client reaches this service, such as `https://example.org`.
    pub(crate) origin: String,
    pub(crate) caller: Caller,
    /// The JSON body, not yet parsed, if the endpoint takes one and the client sent one.
    pub(crate) body: Option<Bytes>,
    /// Whether the method is HEAD.
    pub(crate) is_head: bool,
}
