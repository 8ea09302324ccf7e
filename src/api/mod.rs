//! The edge: HTTP in, HTTP out. A request is matched with a row of the route table, its key is checked, a handler turns what the
//! client said into [`Work`], and the work's reply, or the error on the way, is written.
//!
//! **Invariants:** every answer leaves through [`answer`], every error as [`error::ApiError`]; a request takes one generation at its start and
//! uses no other; nothing that searches runs on the async workers. `actix_web` is named only here and in `serve`.

pub mod auth;
mod catalog;
mod cors;
pub mod error;
mod health;
mod limits;
pub mod params;
pub mod pool;
mod record;
pub mod routes;
mod search;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        Method,
        header::{HeaderName, HeaderValue},
    },
    web,
};
use arc_swap::ArcSwap;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::{
    api::{
        auth::Gateway,
        error::{ApiError, mime_json},
        limits::Admission,
        pool::Pool,
    },
    engine::Deadline,
    generation::Generation,
    plans::{Plan, Plans, Terms},
    state::watch::KeyRing,
};

/// What requests share.
pub struct AppState {
    pub generation: ArcSwap<Generation>,
    pub keys: KeyRing,
    pub plans: Plans,
    pub gateway: Gateway,
    pub pool: Pool,
    /// How long a search may take, from the request's arrival.
    pub query_timeout: Duration,
    pub started: Instant,
    /// The clock, a field so that a test can set it.
    pub now: fn() -> DateTime<Utc>,
}

/// A request as a handler sees it.
pub struct Call<'a> {
    pub state: &'a AppState,
    pub generation: Arc<Generation>,
    /// Of the key's plan.
    pub terms: Terms,
    /// Raw, as the client wrote them.
    pub path: &'a str,
    pub query: &'a str,
}

/// What a handler found to do: nothing more, or a search for the pool.
pub enum Work {
    Ready(Reply),
    Pooled(Box<dyn FnOnce(Deadline) -> Result<Reply, ApiError> + Send>),
}

/// A JSON body, and what the headers add to it.
#[derive(Debug)]
pub struct Reply {
    pub body: Bytes,
    pub headers: Vec<(HeaderName, HeaderValue)>,
}

impl Work {
    pub fn pooled(job: impl FnOnce(Deadline) -> Result<Reply, ApiError> + Send + 'static) -> Result<Work, ApiError> {
        Ok(Work::Pooled(Box::new(job)))
    }

    /// A computed object, written out at once.
    pub fn json(object: &impl Serialize) -> Result<Work, ApiError> {
        let body = serde_json::to_vec(object).map_err(ApiError::internal)?;
        Ok(Work::Ready(Reply::from(Bytes::from(body))))
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
pub async fn answer(request: HttpRequest, state: web::Data<AppState>) -> HttpResponse {
    let mut admission = None;
    let mut response = if cors::is_preflight(&request) {
        cors::preflight(&state.gateway)
    } else {
        match reply(&request, state.into_inner(), &mut admission).await {
            Ok(reply) => success(reply),
            Err(error) => error.response(),
        }
    };
    if let Some(admission) = admission {
        admission.finish(&mut response);
    }
    cors::open(&mut response);
    response
}

async fn reply(
    request: &HttpRequest,
    state: Arc<AppState>,
    admission: &mut Option<Admission>,
) -> Result<Reply, ApiError> {
    let deadline = Deadline::after(state.query_timeout);
    let path = request.uri().path();
    let found = routes::find(path);
    let terms = match &found {
        Ok(found) if found.is_keyless() => *state.plans.terms(Plan::Basic),
        _ => {
            let account = auth::check(&state, request.headers())?;
            let admitted = admission.insert(limits::admit(account, limits::ONE, (state.now)()));
            admitted.verdict()?
        }
    };
    let target = found?.for_method(request.method(), path)?;
    let call = Call {
        state: &state,
        generation: state.generation.load_full(),
        terms,
        path,
        query: request.uri().query().unwrap_or_default(),
    };
    match target.call(&call)? {
        Work::Ready(reply) => Ok(reply),
        Work::Pooled(job) => state.pool.run(deadline, job).await,
    }
}

fn success(reply: Reply) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    for header in reply.headers {
        response.insert_header(header);
    }
    response.content_type(mime_json()).body(reply.body)
}

/// Wherever GET is, HEAD is: the framework leaves the body out.
fn is_method(asked: &Method, of_route: &Method) -> bool {
    asked == of_route || (asked == Method::HEAD && of_route == Method::GET)
}
