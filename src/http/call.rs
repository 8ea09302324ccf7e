//! What requests share ([`AppState`]), and one request as a handler sees it ([`Call`]).

use std::{
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

use arc_swap::ArcSwap;
use bytes::Bytes;
use chrono::{DateTime, Utc};

use crate::{
    catalog::generation::Generation,
    http::{
        auth::Gateway, bounded_pool::BoundedPool, caller::Caller, metrics::Metrics, pages::Pages,
        state_writer::StateWriter,
    },
    model::{PlanLimits, Plans},
    state::sync::KeyRing,
};

/// What all requests share.
pub struct AppState {
    pub generation: ArcSwap<Generation>,
    pub keys: KeyRing,
    pub plans: Plans,
    pub gateway: Gateway,
    pub search_pool: BoundedPool,
    /// Where a client changes its key's plan. If `None`, the service's own page shows the plans.
    pub upgrade_url: Option<String>,
    pub state_writer: StateWriter,
    /// The OpenAPI document and the documentation page, rendered once at startup.
    pub pages: Pages,
    /// Time limit of a search, counted from when the request has arrived completely.
    pub query_timeout: Duration,
    /// Time limit for a request body to arrive.
    pub body_time: Duration,
    pub metrics: Metrics,
    /// Set when the service shuts down: requests in flight finish, new ones get a 503.
    pub draining: AtomicBool,
    pub started: Instant,
    /// The clock. A field so that tests can set it.
    pub now: fn() -> DateTime<Utc>,
}

/// A request as a handler sees it.
pub struct Call<'a> {
    pub state: &'a AppState,
    /// The generation that was current when the request arrived. The request uses no other.
    pub generation: Arc<Generation>,
    /// The limits of the key's plan.
    pub plan_limits: PlanLimits,
    /// The raw path, still percent-encoded.
    pub path: &'a str,
    /// The raw query string, still percent-encoded.
    pub query: &'a str,
    pub caller: Caller,
    /// The JSON body, not yet parsed, if the endpoint takes one and the client sent one.
    pub body: Option<Bytes>,
    /// Whether the method is HEAD.
    pub is_head: bool,
}
