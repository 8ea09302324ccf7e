//! The edge: HTTP in, HTTP out. A request is matched with a row of the route table, its key is checked, a handler turns what the
//! client said into [`Work`], and the work's reply, or the error on the way, is written.
//!
//! **Invariants:** every answer leaves through [`answer`], which names, times, counts and logs it; every error is an [`error::ApiError`]; a request takes one generation at its
//! start and uses no other; nothing that searches or compresses much runs on the async workers. `actix_web` is named only here and in `serve`.

pub mod auth;
pub mod bounded_pool;
pub mod body;
pub mod caller;
pub mod error;
pub mod handlers;
pub mod metrics;
pub mod middleware;
pub mod openapi;
pub mod params;
pub mod refusal;
pub mod routes;
pub mod state_writer;

use std::{
    num::NonZeroU32,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use actix_web::{
    HttpRequest, HttpResponse,
    body::{BodySize, MessageBody},
    http::{
        ConnectionType, Method, StatusCode,
        header::{self, HeaderName, HeaderValue},
    },
    web,
};
use arc_swap::ArcSwap;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::{
    catalog::generation::Generation,
    engine::Deadline,
    http::{
        auth::Gateway,
        body::Object,
        bounded_pool::BoundedPool,
        caller::Caller,
        error::{ApiError, mime_json},
        handlers::docs::Pages,
        metrics::Metrics,
        middleware::{
            compression::{Accepted, MAX_INLINE_BYTES},
            conditional::{Precondition, Tag, Validator, is_read},
            limits::Admission,
            request_id::REQUEST_ID,
            timing::{SERVER_TIMING, Timing},
            trace::Trace,
        },
        refusal::ConnectionRefusal,
        routes::Access,
        state_writer::StateWriter,
    },
    model::plans::{Plan, Plans, PlanLimits},
    state::{State, watch::KeyRing},
};

/// What requests share.
pub struct AppState {
    pub generation: ArcSwap<Generation>,
    pub keys: KeyRing,
    pub plans: Plans,
    pub gateway: Gateway,
    pub search_pool: BoundedPool,
    /// Where a key's plan is changed, if not on the service's own page.
    pub upgrade_url: Option<String>,
    pub state_writer: StateWriter,
    /// What describes the service, written once at its start.
    pub pages: Pages,
    /// How long a search may take, once the request is whole.
    pub query_timeout: Duration,
    /// How long a body may take to arrive.
    pub body_time: Duration,
    pub metrics: Metrics,
    /// Set once the service was told to stop: requests in flight end, new ones are sent away.
    pub draining: AtomicBool,
    pub started: Instant,
    /// The clock, a field so that a test can set it.
    pub now: fn() -> DateTime<Utc>,
}

/// A request as a handler sees it.
pub struct Call<'a> {
    pub state: &'a AppState,
    pub generation: Arc<Generation>,
    /// Of the key's plan.
    pub terms: PlanLimits,
    /// Raw, as the client wrote them.
    pub path: &'a str,
    pub query: &'a str,
    pub caller: Caller,
    /// What the body held, where the endpoint takes one and one came.
    pub body: Option<Object>,
    /// Whether only the headers of the answer are wanted.
    pub is_head: bool,
}

/// What a handler found to do, and what decides how it ends.
pub struct Work {
    pub job: Job,
    pub validator: Validator,
    /// As how many requests it counts.
    pub cost: NonZeroU32,
}

/// Nothing more, a search for the pool, or something to write down.
pub enum Job {
    Ready(Reply),
    Pooled(Search),
    Written(WriteJob),
}

/// A search, ready to run on another thread.
pub type Search = Box<dyn FnOnce(Deadline) -> Result<Reply, ApiError> + Send>;

/// A write to the state database, ready to run on its thread. It must be idempotent: a client may send it again after a 503.
pub type WriteJob = Box<dyn FnOnce(&mut State) -> Result<Reply, ApiError> + Send>;

/// A body, JSON unless a header says otherwise, and what the headers add to it.
#[derive(Debug)]
pub struct Reply {
    pub body: Bytes,
    pub headers: Vec<(HeaderName, HeaderValue)>,
}

impl Work {
    pub fn pooled(job: impl FnOnce(Deadline) -> Result<Reply, ApiError> + Send + 'static) -> Result<Work, ApiError> {
        Ok(Work::from(Job::Pooled(Box::new(job))))
    }

    /// Something to write down; what the answer says is of the moment.
    pub fn written(job: WriteJob) -> Work {
        Work::from(Job::Written(job)).validated_by(Validator::None)
    }

    /// A computed object, written out at once.
    pub fn json(object: &impl Serialize) -> Result<Work, ApiError> {
        Reply::json(object).map(|reply| Work::from(Job::Ready(reply)))
    }

    /// The same work, of which something else than the address tells whether its answer is the same.
    pub fn validated_by(self, validator: Validator) -> Work {
        Work { validator, ..self }
    }

    /// The same work, counted as so many requests.
    pub fn costing(self, cost: NonZeroU32) -> Work {
        Work { cost, ..self }
    }

    /// The same work, its answer decided by this, however the address was written.
    pub fn of_request(self, asked: &impl Serialize) -> Result<Work, ApiError> {
        let asked = serde_json::to_vec(asked).map_err(ApiError::internal)?;
        Ok(self.validated_by(Validator::Request(asked)))
    }
}

impl Reply {
    /// A computed object.
    pub fn json(object: &impl Serialize) -> Result<Reply, ApiError> {
        serde_json::to_vec(object)
            .map(|body| Reply::from(Bytes::from(body)))
            .map_err(ApiError::internal)
    }
}

impl From<Job> for Work {
    fn from(job: Job) -> Work {
        Work {
            job,
            validator: Validator::Address,
            cost: middleware::limits::ONE,
        }
    }
}

impl From<Bytes> for Reply {
    fn from(body: Bytes) -> Reply {
        Reply {
            body,
            headers: Vec::new(),
        }
    }
}

/// Answers any request.
pub async fn answer(request: HttpRequest, payload: web::Payload, state: web::Data<AppState>) -> HttpResponse {
    let state = state.into_inner();
    let mut trace = Trace::begin(&request);
    let mut admission = None;
    let mut response = if middleware::cors::is_preflight(&request) {
        middleware::cors::preflight(&state.gateway)
    } else {
        match reply(&request, payload, &state, &mut trace, &mut admission).await {
            Ok(response) => response,
            Err(error) => {
                if let Some(cause) = &error.cause {
                    log::error!(id = trace.id.as_str(); "a request failed: {cause}");
                }
                error.response(&trace.id)
            }
        }
    };
    if let Some(admission) = admission {
        admission.finish(&mut response);
    }
    middleware::cors::open(&mut response);
    // What is left of a body that is too long is not read.
    let is_cut = response.status() == StatusCode::PAYLOAD_TOO_LARGE;
    if is_cut || state.draining.load(Ordering::Relaxed) {
        response.head_mut().set_connection_type(ConnectionType::Close);
    }
    let took = trace.elapsed();
    let headers = response.headers_mut();
    if trace.key.is_some() {
        // What one key was told is not for another that uses the same cache.
        headers.append(header::VARY, HeaderValue::from(state.gateway.key.clone()));
    }
    headers.insert(REQUEST_ID, trace.id.value());
    headers.insert(SERVER_TIMING, trace.timing.value(took));
    state.metrics.count_response(trace.route, response.status(), took);
    trace.log(&request, response.status(), bytes(&request, &response), took);
    response
}

async fn reply(
    request: &HttpRequest,
    payload: web::Payload,
    state: &Arc<AppState>,
    trace: &mut Trace,
    admission: &mut Option<Admission>,
) -> Result<HttpResponse, ApiError> {
    let path = request.uri().path();
    if let Some(refusal) = ConnectionRefusal::of(request) {
        return Err(ApiError::from(refusal));
    }
    if path == handlers::docs::SLASHED {
        return Ok(handlers::docs::redirect());
    }
    let found = routes::find(path);
    trace.route = found.as_ref().ok().and_then(routes::Found::template);
    if state.draining.load(Ordering::Relaxed) {
        return Err(ApiError::draining());
    }
    let terms = match &found {
        Ok(found) if found.is_keyless() => *state.plans.limits(Plan::Basic),
        _ => {
            let account = auth::check(&state.gateway, &state.keys, request.headers(), (state.now)())?;
            trace.key = Some(account.key.id);
            let admitted = admission.insert(middleware::limits::admit(
                account,
                middleware::limits::ONE,
                (state.now)(),
            ));
            admitted.verdict()?
        }
    };
    let (route, target) = found?.for_method(request.method(), path)?;
    if let Some(admission) = admission
        .as_ref()
        .filter(|_| route.access == Access::Paid && !terms.paid)
    {
        let upgrade_url = state.upgrade_url.clone().unwrap_or_else(|| {
            let connection = request.connection_info();
            format!("{}://{}{}", connection.scheme(), connection.host(), handlers::docs::PLANS)
        });
        return Err(auth::unpaid(admission.plan(), &route.method, &route.endpoint.template(), &upgrade_url));
    }
    let body = body::read(route.takes, request, payload, state.body_time).await?;
    let deadline = Deadline::after(state.query_timeout);
    let call = Call {
        state,
        generation: state.generation.load_full(),
        terms,
        path,
        query: request.uri().query().unwrap_or_default(),
        caller: Caller::of(request, trace),
        body,
        is_head: request.method() == Method::HEAD,
    };
    trace.generation = Some(Arc::clone(&call.generation));
    // A handler only reads what is shared, so that nothing is left half done.
    let work = catch_unwind(AssertUnwindSafe(|| target.call(&call)));
    let work = work.unwrap_or_else(|_| Err(ApiError::internal("a handler panicked; its message stands above")))?;
    if let Some(admission) = admission {
        admission.raise(work.cost)?;
    }
    trace.is_accepted = true;
    let tag = match is_read(request.method()) {
        true => work.validator.tag(&call.generation.id, trace.route.unwrap_or_default(), call.path, call.query)?,
        false => None,
    };
    let condition = Precondition::of(request);
    if let Some(tag) = tag.as_ref().filter(|tag| condition.names(tag)) {
        return Ok(middleware::conditional::not_modified(tag));
    }
    let reply = run(work.job, Accepted::of(request), deadline, state, &mut trace.timing).await?;
    match &tag {
        Some(tag) if condition.is_any() => Ok(middleware::conditional::not_modified(tag)),
        _ => Ok(success(reply, tag.as_ref())),
    }
}

/// Does the work, and codes the body: at once where that is little, else where searches run.
async fn run(
    job: Job,
    accepted: Accepted,
    deadline: Deadline,
    state: &AppState,
    timing: &mut Timing,
) -> Result<Reply, ApiError> {
    let job = match job {
        Job::Ready(reply) => {
            let bytes = reply.body.len();
            if bytes <= MAX_INLINE_BYTES || accepted.coding_for(bytes).is_none() {
                return Ok(accepted.encode(reply));
            }
            Box::new(move |_| Ok(reply))
        }
        Job::Pooled(job) => job,
        Job::Written(job) => return Ok(accepted.encode(state.state_writer.run(deadline, job).await?)),
    };
    let (asked, waiting, metrics) = (Instant::now(), state.metrics.waiting_search(), state.metrics.clone());
    let done = state.search_pool.run(deadline, move |deadline| {
        drop(waiting);
        let _running = metrics.running_search();
        let begun = Instant::now();
        let reply = job(deadline)?;
        let found = Instant::now();
        let is_coded = accepted.coding_for(reply.body.len()).is_some();
        let reply = accepted.encode(reply);
        let timing = Timing {
            queue: Some(begun.saturating_duration_since(asked)),
            search: Some(found.saturating_duration_since(begun)),
            coding: is_coded.then(|| found.elapsed()),
        };
        Ok((reply, timing))
    });
    let (reply, measured) = done.await?;
    *timing = measured;
    Ok(reply)
}

fn success(reply: Reply, tag: Option<&Tag>) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    response.content_type(mime_json());
    // Behind the type, so that a page can say another.
    for header in reply.headers {
        response.insert_header(header);
    }
    let mut response = response.body(reply.body);
    middleware::conditional::describe(&mut response, tag);
    response
}

/// The bytes of the body as it is sent.
fn bytes(request: &HttpRequest, response: &HttpResponse) -> u64 {
    match response.body().size() {
        BodySize::Sized(bytes) if request.method() != Method::HEAD => bytes,
        _ => 0,
    }
}

/// Wherever GET is, HEAD is: the framework leaves the body out.
fn is_method(asked: &Method, of_route: &Method) -> bool {
    asked == of_route || (asked == Method::HEAD && of_route == Method::GET)
}
