//! From a request to its response: every response leaves through [`answer`], which adds the common headers, counts and
//! logs it. A request for a page goes through [`reply_page`], one of the API through [`reply`].

use std::{
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
    catalog::generation::Generation,
    engine::Deadline,
    http::{
        auth, body,
        call::{AppState, Call},
        caller::Caller,
        connection::ConnectionState,
        declared_parameters::declared,
        error::{ApiError, mime_json},
        explorer::{
            self,
            access::{self, Entry},
            csrf, error_page,
            messages::Texts,
            page::{self, PageCall},
            routes::{self, FoundPage, Place},
            settings::Explorer,
        },
        middleware::{
            compression::Accepted,
            conditional::{self, Precondition, Tag, is_read},
            cors,
            limits::{self, Admission},
            request_id::REQUEST_ID,
            timing::{SERVER_TIMING, Timing},
            trace::Trace,
        },
        pages,
        route::{Access, Route},
        router,
        search_pool::{Client, Origin, guarded},
        sending,
        work::{Job, Reply, Search, Work},
    },
    model::{Date, Plan, PlanLimits},
};

/// Answers any request.
pub(crate) async fn answer(request: HttpRequest, payload: web::Payload, state: web::Data<AppState>) -> HttpResponse {
    let state = state.into_inner();
    let mut trace = Trace::begin(&request);
    let mut admission = None;
    let pages = state.explorer.as_ref().zip(place(&request));
    let mut response = if pages.is_none() && cors::is_preflight(&request) {
        cors::preflight(&state.gateway)
    } else {
        let replied = match &pages {
            Some((explorer, place)) => {
                reply_page(&request, payload, &state, (explorer, place), &mut trace, &mut admission).await
            }
            None => reply(&request, payload, &state, &mut trace, &mut admission).await,
        };
        match replied.and_then(|response| sending::prepare(response, &request, &state.response_bytes, trace.key)) {
            Ok(response) => response,
            Err(error) => {
                if let Some(cause) = &error.cause {
                    log::error!(id = trace.id.as_str(); "request failed: {cause}");
                }
                match &pages {
                    Some((_, place)) if error_page::is_for(&request) => {
                        error_page::response(&error, place.language(), &request, &trace.id)
                    }
                    _ => error.response(&trace.id),
                }
            }
        }
    };
    if let Some(admission) = admission {
        admission.finish(&mut response);
    }
    match &pages {
        Some((explorer, place)) => explorer::headers::add(&mut response, place, explorer, &state.gateway.key),
        None => cors::open(&mut response),
    }
    // The rest of a body that is too long is not read, so the connection cannot be used again.
    let is_cut = response.status() == StatusCode::PAYLOAD_TOO_LARGE;
    let is_for_health = ConnectionState::of(&request).is_some_and(ConnectionState::is_for_health);
    if is_cut || is_for_health || state.draining.load(Ordering::Relaxed) {
        response.head_mut().set_connection_type(ConnectionType::Close);
    }
    let took = trace.elapsed();
    let headers = response.headers_mut();
    if trace.key.is_some() && pages.is_none() {
        // A shared cache must not serve one key's response to another key.
        headers.append(header::VARY, HeaderValue::from(state.gateway.key.clone()));
    }
    headers.insert(REQUEST_ID, trace.id.value());
    headers.insert(SERVER_TIMING, trace.timing.value(took));
    state.metrics.count_response(trace.route, response.status(), took);
    let bytes = body_size(&request, &response);
    trace.log(&request, declared, response.status(), bytes, took);
    response
}

/// What of the pages is at the path of a request. A substitute for a request that is refused has no path of its own.
fn place(request: &HttpRequest) -> Option<Place> {
    let path = request.uri().path();
    let refusal = ConnectionState::of(request).and_then(|connection| connection.refusal(path));
    Place::of(path).filter(|_| refusal.is_none())
}

async fn reply(
    request: &HttpRequest,
    payload: web::Payload,
    state: &Arc<AppState>,
    trace: &mut Trace,
    admission: &mut Option<Admission>,
) -> Result<HttpResponse, ApiError> {
    let path = request.uri().path();
    if let Some(refusal) = ConnectionState::of(request).and_then(|connection| connection.refusal(path)) {
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
    check_plan(state, route, admission.as_ref(), &plan_limits)?;
    let body = body::read(route, request, payload, state, trace.key).await?;
    let deadline = Deadline::after(state.query_timeout);
    let call = Call {
        state,
        generation: state.generation()?,
        plan_limits,
        query: request.uri().query().unwrap_or_default(),
        caller: Caller::of(request, trace),
        body,
        is_head: request.method() == Method::HEAD,
    };
    trace.generation = Some(Arc::clone(&call.generation));
    let work = guarded(|| target.call(&call))?;
    if let Some(admission) = admission {
        admission.raise(work.cost)?;
    }
    trace.is_accepted = true;
    respond(request, work, &call.generation, state, deadline, trace, admission).await
}

/// The reply to a request for one of the pages for people.
async fn reply_page(
    request: &HttpRequest,
    payload: web::Payload,
    state: &AppState,
    (explorer, place): (&Explorer, &Place),
    trace: &mut Trace,
    admission: &mut Option<Admission>,
) -> Result<HttpResponse, ApiError> {
    // Decision D-158: a body that no handler reads is not kept until the response is there.
    let payload = Some(payload).filter(|_| *request.method() == Method::POST);
    let path = request.uri().path();
    let found = FoundPage::of(path);
    trace.route = place.template(found.as_ref());
    if state.draining.load(Ordering::Relaxed) {
        return Err(ApiError::draining());
    }
    let deadline = Deadline::after(state.query_timeout);
    if let Some(work) = place.work_without_visitor(request, explorer)? {
        trace.is_accepted = true;
        let origin = Origin {
            client: Client::Keyless,
            kind: trace.route.unwrap_or("none"),
        };
        let reply = run(work, Accepted::of(request), origin, deadline, state, &mut trace.timing).await?;
        return Ok(success(reply, None));
    }
    let Some(found) = found else {
        let page = routes::without_slashes(path).map(page::see_other);
        let page = page.ok_or_else(|| ApiError::not_found("there is no page at this address"))??;
        return Ok(success(page, None));
    };
    found.check_method(request.method())?;
    let now = (state.now)();
    let visitor = access::visitor_of(request, explorer, state, now)?;
    (trace.key, trace.visitor) = (visitor.key_id(), visitor.number);
    if let Some(connection) = ConnectionState::of(request).filter(|_| visitor.has_key()) {
        connection.set_keyed();
    }
    let query = request.uri().query().unwrap_or_default();
    let plan_limits = match access::entry(found.access(), &visitor) {
        Entry::SignIn => {
            let reply = page::see_other(&access::sign_in_address(place.language(), path, query))?;
            return Ok(success(reply, None));
        }
        Entry::Free => *state.plans.visitor(),
        Entry::Charged(account) => admission.insert(limits::admit(account, limits::ONE, now)).verdict()?,
    };
    let form = if let Some(payload) = payload {
        let form = body::read_form(request, payload, state, trace.key).await?;
        access::check_form(request, explorer, &visitor, &form)?;
        Some(form)
    } else {
        None
    };
    let call = PageCall {
        state,
        explorer,
        generation: state.generation()?,
        plan_limits,
        lang: place.language(),
        t: Texts::of(place.language()),
        path,
        query,
        visitor,
        today: Date::in_toronto(now),
        now,
        origin: explorer.origin(request),
        caller: Caller::of(request, trace),
        client: explorer.client_address(request),
        form,
        is_from_elsewhere: csrf::is_from_elsewhere(request.headers()),
        is_head: request.method() == Method::HEAD,
    };
    trace.generation = Some(Arc::clone(&call.generation));
    let work = guarded(|| found.call(request.method(), &call))?;
    if let Some(admission) = admission {
        admission.raise(work.cost)?;
    }
    trace.is_accepted = true;
    respond(request, work, &call.generation, state, deadline, trace, admission).await
}

/// Runs the work, unless the client already has the response.
async fn respond(
    request: &HttpRequest,
    work: Work,
    generation: &Generation,
    state: &AppState,
    deadline: Deadline,
    trace: &mut Trace,
    admission: &mut Option<Admission>,
) -> Result<HttpResponse, ApiError> {
    let tag = if is_read(request.method()) {
        let (route, uri) = (trace.route.unwrap_or_default(), request.uri());
        work.validator
            .tag(&generation.id, route, uri.path(), uri.query().unwrap_or_default())?
    } else {
        None
    };
    let condition = Precondition::of(request);
    if let Some(tag) = tag.as_ref().filter(|tag| condition.names(tag)) {
        return Ok(conditional::not_modified(tag));
    }
    let client = match (trace.key, trace.visitor) {
        (Some(key), _) => Client::Key(key),
        (None, Some(visitor)) => Client::Visitor(visitor),
        (None, None) => Client::Keyless,
    };
    let origin = Origin {
        client,
        kind: trace.route.unwrap_or("none"),
    };
    let reply = run(work, Accepted::of(request), origin, deadline, state, &mut trace.timing).await;
    if let (Err(error), Some(admission)) = (&reply, admission.as_mut())
        && error.is_charged
    {
        admission.keep_charge();
    }
    let reply = reply?;
    // A 304 must not stand for a page that says that there is nothing.
    let tag = tag.filter(|_| reply.status.is_success());
    match &tag {
        Some(tag) if condition.is_any() => {
            // Unlike the 304 above, this one had its cost.
            if let Some(admission) = admission {
                admission.keep_charge();
            }
            Ok(conditional::not_modified(tag))
        }
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
    if let Some(connection) = ConnectionState::of(request) {
        connection.set_keyed();
    }
    admission.insert(limits::admit(account, limits::ONE, now)).verdict()
}

/// Refuses a paid endpoint to a key whose plan does not include it.
fn check_plan(
    state: &AppState,
    route: &Route,
    admission: Option<&Admission>,
    limits: &PlanLimits,
) -> Result<(), ApiError> {
    let Some(admission) = admission.filter(|_| route.access == Access::Paid && !limits.paid) else {
        return Ok(());
    };
    // A path, because whatever a request states of its host is under the client's control.
    let upgrade_url = state.upgrade_url.as_deref().unwrap_or(pages::PLANS);
    let (plan, method, endpoint) = (admission.plan_name(), route.verb.as_str(), route.endpoint.template());
    Err(ApiError::forbidden(format!(
        "the plan {plan} does not include {method} {endpoint}; upgrade at {upgrade_url}"
    )))
}

/// Runs the job and compresses the body: small bodies here, all else on the search pool.
async fn run(
    work: Work,
    accepted: Accepted,
    origin: Origin,
    deadline: Deadline,
    state: &AppState,
    timing: &mut Timing,
) -> Result<Reply, ApiError> {
    let queued = Instant::now();
    let (parts, search) = match work.job {
        Job::Ready(reply) if accepted.encodes_inline(reply.body.len()) => return accepted.encode(reply, &deadline),
        Job::Ready(reply) => (Vec::new(), Box::new(move |_| Ok(reply)) as Search),
        Job::Inline(search) if accepted.encodes_pages_inline() => {
            let (reply, measured) = guarded(|| timed(search, accepted, deadline, queued, queued))?;
            *timing = measured;
            return Ok(reply);
        }
        Job::Search(search) | Job::Inline(search) => (Vec::new(), search),
        Job::Parts { parts, join } => (parts, join),
        Job::Write(job) => {
            let reply = state.state_writer.run(origin, deadline.clone(), job).await?;
            return accepted.encode(reply, &deadline);
        }
    };
    let lane = state.search_pool.lane(work.lane);
    let done = lane.run_parts(origin, deadline, parts, move |deadline, begun| {
        timed(search, accepted, deadline, queued, begun)
    });
    let (reply, measured) = done.await?;
    *timing = measured;
    Ok(reply)
}

/// Searches and compresses, on the thread that calls it.
fn timed(
    search: Search,
    accepted: Accepted,
    deadline: Deadline,
    queued: Instant,
    begun: Instant,
) -> Result<(Reply, Timing), ApiError> {
    deadline.check()?;
    let reply = search(deadline.clone())?;
    let found = Instant::now();
    let is_encoded = accepted.coding_for(reply.body.len()).is_some();
    let reply = accepted.encode(reply, &deadline)?;
    let timing = Timing {
        queue: Some(begun.saturating_duration_since(queued)),
        search: Some(found.saturating_duration_since(begun)),
        coding: is_encoded.then(|| found.elapsed()),
    };
    Ok((reply, timing))
}

fn success(reply: Reply, tag: Option<&Tag>) -> HttpResponse {
    let mut response = HttpResponse::build(reply.status);
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
