//! From a request to its response: every response leaves through [`answer`], which adds the common headers, counts and
//! logs it.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, atomic::Ordering},
    time::Instant,
};

use actix_web::{
    HttpRequest, HttpResponse,
    body::{BodySize, MessageBody},
    http::{
        ConnectionType, Method, StatusCode,
        header::{self, HeaderValue},
    },
    web,
};

use crate::{
    engine::Deadline,
    http::{
        auth, body,
        call::{AppState, Call},
        caller::Caller,
        error::{ApiError, mime_json},
        middleware::{
            compression::{Accepted, MAX_INLINE_BYTES},
            conditional::{self, Precondition, Tag, is_read},
            cors,
            limits::{self, Admission},
            request_id::REQUEST_ID,
            timing::{SERVER_TIMING, Timing},
            trace::Trace,
        },
        pages,
        refusal::ConnectionRefusal,
        route::{Access, Route},
        router,
        work::{Job, Reply, Work},
    },
    model::{Plan, PlanLimits},
};

/// Answers any request.
pub(crate) async fn answer(request: HttpRequest, payload: web::Payload, state: web::Data<AppState>) -> HttpResponse {
    let state = state.into_inner();
    let mut trace = Trace::begin(&request);
    let mut admission = None;
    let mut response = if cors::is_preflight(&request) {
        cors::preflight(&state.gateway)
    } else {
        match reply(&request, payload, &state, &mut trace, &mut admission).await {
            Ok(response) => response,
            Err(error) => {
                if let Some(cause) = &error.cause {
                    log::error!(id = trace.id.as_str(); "request failed: {cause}");
                }
                error.response(&trace.id)
            }
        }
    };
    if let Some(admission) = admission {
        admission.finish(&mut response);
    }
    cors::open(&mut response);
    // The rest of a body that is too long is not read, so the connection cannot be used again.
    let is_cut = response.status() == StatusCode::PAYLOAD_TOO_LARGE;
    if is_cut || state.draining.load(Ordering::Relaxed) {
        response.head_mut().set_connection_type(ConnectionType::Close);
    }
    let took = trace.elapsed();
    let headers = response.headers_mut();
    if trace.key.is_some() {
        // A shared cache must not serve one key's response to another key.
        headers.append(header::VARY, HeaderValue::from(state.gateway.key.clone()));
    }
    headers.insert(REQUEST_ID, trace.id.value());
    headers.insert(SERVER_TIMING, trace.timing.value(took));
    state.metrics.count_response(trace.route, response.status(), took);
    trace.log(&request, response.status(), body_size(&request, &response), took);
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
    if path == pages::SLASHED {
        return Ok(pages::redirect());
    }
    let found = router::find(path);
    trace.route = found.as_ref().ok().and_then(router::Found::template);
    if state.draining.load(Ordering::Relaxed) {
        return Err(ApiError::draining());
    }
    let is_keyless = found.as_ref().is_ok_and(router::Found::is_keyless);
    let plan_limits = if is_keyless {
        *state.plans.limits(Plan::Basic)
    } else {
        admit(request, state, trace, admission)?
    };
    let (route, target) = found?.for_method(request.method(), path)?;
    check_plan(request, state, route, admission.as_ref(), &plan_limits)?;
    let body = body::read(&route.body, request, payload, state.body_time).await?;
    let deadline = Deadline::after(state.query_timeout);
    let call = Call {
        state,
        generation: state.generation.load_full(),
        plan_limits,
        path,
        query: request.uri().query().unwrap_or_default(),
        caller: Caller::of(request, trace),
        body,
        is_head: request.method() == Method::HEAD,
    };
    trace.generation = Some(Arc::clone(&call.generation));
    // Unwind-safe: a handler only reads shared state, so a panic leaves nothing half-written.
    let work = catch_unwind(AssertUnwindSafe(|| target.call(&call))).unwrap_or_else(|_| {
        Err(ApiError::internal(
            "a handler panicked; its message is in the log above",
        ))
    })?;
    if let Some(admission) = admission {
        admission.raise(work.cost)?;
    }
    trace.is_accepted = true;
    respond(request, work, &call, deadline, trace).await
}

/// Runs the work, unless the client already has the response.
async fn respond(
    request: &HttpRequest,
    work: Work,
    call: &Call<'_>,
    deadline: Deadline,
    trace: &mut Trace,
) -> Result<HttpResponse, ApiError> {
    let tag = if is_read(request.method()) {
        let route = trace.route.unwrap_or_default();
        work.validator.tag(&call.generation.id, route, call.path, call.query)?
    } else {
        None
    };
    let condition = Precondition::of(request);
    if let Some(tag) = tag.as_ref().filter(|tag| condition.names(tag)) {
        return Ok(conditional::not_modified(tag));
    }
    let reply = run(work.job, Accepted::of(request), deadline, call.state, &mut trace.timing).await?;
    match &tag {
        Some(tag) if condition.is_any() => Ok(conditional::not_modified(tag)),
        _ => Ok(success(reply, tag.as_ref())),
    }
}

/// Checks the API key and counts the request against its limits; returns the limits of its plan.
fn admit(
    request: &HttpRequest,
    state: &AppState,
    trace: &mut Trace,
    admission: &mut Option<Admission>,
) -> Result<PlanLimits, ApiError> {
    let now = (state.now)();
    let account = auth::check(&state.gateway, &state.keys, request.headers(), now)?;
    trace.key = Some(account.key.id);
    admission.insert(limits::admit(account, limits::ONE, now)).verdict()
}

/// Refuses a paid endpoint to a key whose plan does not include it.
fn check_plan(
    request: &HttpRequest,
    state: &AppState,
    route: &Route,
    admission: Option<&Admission>,
    limits: &PlanLimits,
) -> Result<(), ApiError> {
    let Some(admission) = admission.filter(|_| route.access == Access::Paid && !limits.paid) else {
        return Ok(());
    };
    // The service's own page, at the host by which the client knows it.
    let own_page = || {
        let connection = request.connection_info();
        format!("{}://{}{}", connection.scheme(), connection.host(), pages::PLANS)
    };
    let upgrade_url = state.upgrade_url.clone().unwrap_or_else(own_page);
    let (plan, method, endpoint) = (admission.plan().name(), route.verb.as_str(), route.endpoint.template());
    Err(ApiError::forbidden(format!(
        "the plan {plan} does not include {method} {endpoint}; upgrade at {upgrade_url}"
    )))
}

/// Runs the job and compresses the body: small bodies here, all else on the search pool.
async fn run(
    job: Job,
    accepted: Accepted,
    deadline: Deadline,
    state: &AppState,
    timing: &mut Timing,
) -> Result<Reply, ApiError> {
    let search = match job {
        Job::Ready(reply) => {
            let bytes = reply.body.len();
            if bytes <= MAX_INLINE_BYTES || accepted.coding_for(bytes).is_none() {
                return Ok(accepted.encode(reply));
            }
            Box::new(move |_| Ok(reply))
        }
        Job::Search(search) => search,
        Job::Write(job) => return Ok(accepted.encode(state.state_writer.run(deadline, job).await?)),
    };
    let (queued, waiting, metrics) = (Instant::now(), state.metrics.waiting_search(), state.metrics.clone());
    let done = state.search_pool.run(deadline, move |deadline| {
        drop(waiting);
        let _running = metrics.running_search();
        let begun = Instant::now();
        let reply = search(deadline)?;
        let found = Instant::now();
        let is_encoded = accepted.coding_for(reply.body.len()).is_some();
        let reply = accepted.encode(reply);
        let timing = Timing {
            queue: Some(begun.saturating_duration_since(queued)),
            search: Some(found.saturating_duration_since(begun)),
            coding: is_encoded.then(|| found.elapsed()),
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
    // After the default content type, so that a reply can replace it.
    for header in reply.headers {
        response.insert_header(header);
    }
    let mut response = response.body(reply.body);
    conditional::describe(&mut response, tag);
    response
}

/// The number of body bytes that are sent.
fn body_size(request: &HttpRequest, response: &HttpResponse) -> u64 {
    match response.body().size() {
        BodySize::Sized(bytes) if request.method() != Method::HEAD => bytes,
        _ => 0,
    }
}
