//! From a request to its response: every response leaves through [`answer`], which adds the common headers, counts and
//! logs it. A request for a page goes through [`Exchange::reply_page`], one of the API through [`Exchange::reply`].

use std::{
    borrow::Cow,
    sync::{Arc, atomic::Ordering},
};

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        ConnectionType, Method, StatusCode,
        header::{self, HeaderName, HeaderValue},
    },
    web,
};
use bytes::Bytes;
use chrono::{DateTime, Utc};

use crate::{
    api::{api_docs, body, cost, router},
    catalog::generation::Generation,
    engine::Deadline,
    http::{
        auth,
        byte_budget::Reservation,
        call::{AppState, Call},
        caller::Caller,
        connection::ConnectionState,
        error::ApiError,
        middleware::{
            compression::Accepted,
            conditional::{self, Precondition, is_read},
            cors,
            limits::{self, Admission},
            request_id::REQUEST_ID,
            timing::SERVER_TIMING,
            trace::Trace,
        },
        search_pool::{Client, Origin, guarded},
        sending,
        work::{Reply, Work},
    },
    model::{Date, Language, Plan, PlanLimits},
    pages::{
        self,
        access::{self, Entry},
        address, csrf, error_page,
        messages::Texts,
        page::{self, PageCall},
        pinned::Pin,
        route::PageAccess,
        routes::{self, FoundPage, Place},
        settings::PagesState,
        visitor::Visitor,
    },
    server::{
        declared_parameters::declared,
        job, pinned, plan_check,
        response::{body_size, success},
        service::Service,
    },
};

/// Answers any request.
pub(crate) async fn answer(request: HttpRequest, payload: web::Payload, service: web::Data<Service>) -> HttpResponse {
    let state = &service.app;
    let mut exchange = Exchange {
        request: &request,
        state,
        trace: Trace::begin(&request),
        admission: None,
        memory: None,
    };
    let pages = service.pages.as_ref().zip(place(&request, &state.gateway.key));
    let mut response = if pages.is_none() && cors::is_preflight(&request) {
        cors::preflight(&state.gateway)
    } else {
        let replied = match &pages {
            Some((shared, place)) => exchange.reply_page(payload, shared, place).await,
            None => exchange.reply(payload).await,
        };
        let trace = &exchange.trace;
        match replied {
            Ok(response) => sending::prepare(response, &request, exchange.memory.take()),
            Err(error) => failure(&error, &request, trace, pages.as_ref().map(|(_, place)| place)),
        }
    };
    let Exchange { trace, admission, .. } = exchange;
    if let Some(admission) = admission {
        admission.finish(&mut response);
    }
    match &pages {
        Some((shared, place)) => pages::headers::add(&mut response, place, shared, &state.gateway.key),
        None => cors::open(&mut response, trace.has_token),
    }
    // The rest of a body that is too long is not read, so the connection cannot be used again.
    let is_cut = response.status() == StatusCode::PAYLOAD_TOO_LARGE;
    let is_for_health = ConnectionState::of(&request).is_some_and(ConnectionState::is_for_health);
    if is_cut || is_for_health || state.draining.load(Ordering::Relaxed) {
        response.head_mut().set_connection_type(ConnectionType::Close);
    }
    pinned::add_header(&mut response, &trace, state);
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

/// The response to a request that failed. `place` is what of the pages is at its path.
fn failure(error: &ApiError, request: &HttpRequest, trace: &Trace, place: Option<&Place>) -> HttpResponse {
    if let Some(cause) = &error.cause {
        log::error!(id = trace.id.as_str(); "request failed: {cause}");
    }
    match place {
        Some(place) if error_page::is_for(request) => error_page::response(error, place.language(), request, &trace.id),
        _ => error.response(&trace.id),
    }
}

/// What of the pages is at the path of a request. A substitute for a request that is refused has no path of its own.
///
/// A browser at an address of no endpoint gets a page that says so, because the API's error would speak of keys.
fn place(request: &HttpRequest, key_header: &HeaderName) -> Option<Place> {
    let path = request.uri().path();
    if ConnectionState::of(request).is_some_and(|connection| connection.refusal(path).is_some()) {
        return None;
    }
    let is_lost = || {
        let is_of_browser = error_page::is_browser(request) && !request.headers().contains_key(key_header);
        is_of_browser && !router::has_endpoint(path)
    };
    Place::of(path).or_else(|| is_lost().then(|| Place::unknown(request.headers())))
}

/// A request while it is answered, with what is known of it for the log, the metrics and the limits of its key.
struct Exchange<'a> {
    request: &'a HttpRequest,
    state: &'a AppState,
    trace: Trace,
    /// Once the request is counted.
    admission: Option<Admission>,
    /// The memory of the response, if it is large.
    memory: Option<Reservation>,
}

impl Exchange<'_> {
    async fn reply(&mut self, payload: web::Payload) -> Result<HttpResponse, ApiError> {
        let (request, state) = (self.request, self.state);
        let path = request.uri().path();
        if let Some(refusal) = ConnectionState::of(request).and_then(|connection| connection.refusal(path)) {
            return Err(ApiError::from(refusal));
        }
        if path == api_docs::SLASHED {
            return Ok(api_docs::redirect());
        }
        let found = router::find(path);
        self.trace.route = found.as_ref().ok().and_then(router::Found::template);
        self.trace.has_token = found.as_ref().is_ok_and(|found| found.token().is_some());
        self.check_draining()?;
        let is_keyless = found.as_ref().is_ok_and(router::Found::is_keyless);
        let plan_limits = if is_keyless {
            *state.plans.limits(Plan::Basic)
        } else {
            let is_uncounted = found.as_ref().is_ok_and(router::Found::is_uncounted);
            self.admit(found.as_ref().ok().and_then(router::Found::token), is_uncounted)?
        };
        let (route, target) = found?.for_method(request.method(), path)?;
        plan_check::check(state, route, self.admission.as_ref(), &plan_limits)?;
        let body = body::read(route, request, payload, state, self.trace.key).await?;
        let deadline = Deadline::after(state.query_timeout);
        let whole_query = request.uri().query().unwrap_or_default();
        let (query, id) = pinned::split(whole_query, route.takes_generation())?;
        let generation = pinned::generation(state, id, self.origin(), &deadline).await?;
        let call = Call {
            state,
            generation,
            plan_limits,
            query: &query,
            whole_query,
            origin: state.own_address.of(request),
            caller: Caller::of(request, &self.trace),
            body,
            is_head: request.method() == Method::HEAD,
        };
        let work = self.accept(&call.generation, || target.call(&call))?;
        self.respond(work, &call.generation, deadline).await
    }

    /// The reply to a request for one of the pages for people.
    async fn reply_page(
        &mut self,
        payload: web::Payload,
        pages: &PagesState,
        place: &Place,
    ) -> Result<HttpResponse, ApiError> {
        let (request, state) = (self.request, self.state);
        // Decision D-158: a body that no handler reads is not kept until the response is there.
        let payload = Some(payload).filter(|_| *request.method() == Method::POST);
        let path = request.uri().path();
        let query = &*address::without_tracking(request.uri().query().unwrap_or_default());
        let found = FoundPage::of(path);
        self.trace.route = place.template(found.as_ref());
        self.check_draining()?;
        let deadline = Deadline::after(state.query_timeout);
        if let Some(work) = place.work_without_visitor(request, pages)? {
            self.trace.is_accepted = true;
            return Ok(success(self.run(work, self.origin(), deadline).await?, None));
        }
        let Some(found) = found else {
            let page = routes::meant(path, place.language());
            let page = page.map(|path| page::see_other(&address::with_query(&path, query)));
            let page = page.ok_or_else(|| ApiError::not_found("there is no page at this address"))??;
            return Ok(success(page, None));
        };
        found.check_method(request.method())?;
        let now = (state.now)();
        let visitor = self.visitor(pages, found.access(), now)?;
        let plan_limits = match access::entry(found.access(), &visitor) {
            Entry::SignIn => {
                let reply = page::see_other(&access::sign_in_address(place.language(), path, query))?;
                return Ok(success(reply, None));
            }
            Entry::Free => *state.plans.visitor(),
            Entry::Charged(account) => self.count(limits::admit(account, limits::ONE, now))?,
        };
        let (query, generation, pinned) = self.page_generation(query, place.language(), &deadline).await?;
        let call = PageCall {
            state,
            pages,
            generation,
            pinned,
            plan_limits,
            lang: place.language(),
            t: Texts::of(place.language()),
            path,
            query: &query,
            form: self.form(payload, pages, &visitor).await?,
            visitor,
            today: Date::in_toronto(now),
            now,
            origin: state.own_address.of(request),
            caller: Caller::of(request, &self.trace),
            client: pages.client_address(request),
            is_from_elsewhere: csrf::is_from_elsewhere(request.headers()),
            is_head: request.method() == Method::HEAD,
        };
        let work = self.accept(&call.generation, || Ok(call.keep(found.call(request.method(), &call)?)))?;
        self.respond(work, &call.generation, deadline).await
    }

    /// The query without the parameter that asks for a generation, the generation that a page is of, and what keeps its
    /// links there if it was asked for.
    async fn page_generation<'q>(
        &self,
        query: &'q str,
        language: Language,
        deadline: &Deadline,
    ) -> Result<(Cow<'q, str>, Arc<Generation>, Option<Pin>), ApiError> {
        let (query, id) = pinned::split(query, *self.request.method() != Method::POST)?;
        let is_asked_for = id.is_some();
        let generation = pinned::generation(self.state, id, self.origin(), deadline).await?;
        let pin = is_asked_for.then(|| {
            let is_current = self.state.serves(&generation.id);
            let older = (!is_current).then(|| page::published(&generation, language));
            let address = address::with_query(self.request.uri().path(), &query);
            Pin::new(&generation.id, older, Texts::of(language), &address)
        });
        Ok((query, generation, pin))
    }

    fn check_draining(&self) -> Result<(), ApiError> {
        if self.state.draining.load(Ordering::Relaxed) {
            return Err(ApiError::draining());
        }
        Ok(())
    }

    /// Checks the API key, or the token in the path in its place, and counts the request against the limits of the key;
    /// returns the limits of its plan.
    fn admit(&mut self, token: Option<&str>, is_uncounted: bool) -> Result<PlanLimits, ApiError> {
        let (state, headers) = (self.state, self.request.headers());
        let now = (state.now)();
        let account = match token {
            Some(token) => auth::check_token(&state.keys, token, now)?,
            None => auth::check(&state.gateway, &state.keys, headers, now)?,
        };
        self.trace.key = Some(account.key.id);
        self.set_keyed();
        self.count(if is_uncounted {
            limits::admit_uncounted(account, now)
        } else {
            limits::admit(account, limits::ONE, now)
        })
    }

    fn count(&mut self, admission: Admission) -> Result<PlanLimits, ApiError> {
        self.admission.insert(admission).verdict()
    }

    fn set_keyed(&self) {
        if let Some(connection) = ConnectionState::of(self.request) {
            connection.set_keyed();
        }
    }

    fn visitor(&mut self, pages: &PagesState, access: PageAccess, now: DateTime<Utc>) -> Result<Visitor, ApiError> {
        let visitor = access::visitor_of(self.request, pages, self.state, access, now)?;
        (self.trace.key, self.trace.visitor) = (visitor.key_id(), visitor.number);
        if visitor.has_key() {
            self.set_keyed();
        }
        Ok(visitor)
    }

    /// The fields of a form that is sent with POST.
    async fn form(
        &self,
        payload: Option<web::Payload>,
        pages: &PagesState,
        visitor: &Visitor,
    ) -> Result<Option<Bytes>, ApiError> {
        let Some(payload) = payload else { return Ok(None) };
        let form = body::read_form(self.request, payload, self.state, self.trace.key).await?;
        access::check_form(self.request, pages, visitor, &form)?;
        Ok(Some(form))
    }

    /// Calls the handler, and charges what its work costs.
    fn accept(
        &mut self,
        generation: &Arc<Generation>,
        handler: impl FnOnce() -> Result<Work, ApiError>,
    ) -> Result<Work, ApiError> {
        self.trace.generation = Some(Arc::clone(generation));
        let work = guarded(handler)?;
        if let Some(admission) = &mut self.admission {
            let is_visitor = self.trace.visitor.is_some();
            admission.raise(if is_visitor {
                cost::of_visitor(generation, work.cost)
            } else {
                work.cost
            })?;
        }
        self.trace.is_accepted = true;
        Ok(work)
    }

    /// Runs the work, unless the client already has the response.
    async fn respond(
        &mut self,
        work: Work,
        generation: &Generation,
        deadline: Deadline,
    ) -> Result<HttpResponse, ApiError> {
        let request = self.request;
        let tag = if is_read(request.method()) {
            let (route, uri) = (self.trace.route.unwrap_or_default(), request.uri());
            work.validator
                .tag(&generation.id, route, uri.path(), uri.query().unwrap_or_default())?
        } else {
            None
        };
        let condition = Precondition::of(request);
        if let Some(tag) = tag.as_ref().filter(|tag| condition.names(tag)) {
            return Ok(conditional::not_modified(tag));
        }
        let reply = self.run(work, self.origin(), deadline).await;
        if reply.as_ref().is_err_and(|error| error.is_charged) {
            self.keep_charge();
        }
        let mut reply = reply?;
        if let Some(body) = job::rest_of(self.state, &mut reply, self.origin(), request) {
            return Ok(success(reply, tag.as_ref()).set_body(body));
        }
        // A 304 must not stand for a page that says that there is nothing.
        let tag = tag.filter(|_| reply.status.is_success());
        match &tag {
            Some(tag) if condition.is_any() => {
                // Unlike the 304 above, this one had its cost.
                self.keep_charge();
                Ok(conditional::not_modified(tag))
            }
            _ => Ok(success(reply, tag.as_ref())),
        }
    }

    fn keep_charge(&mut self) {
        if let Some(admission) = &mut self.admission {
            admission.keep_charge();
        }
    }

    /// Whose jobs the request runs, and of which kind.
    fn origin(&self) -> Origin {
        let client = match (self.trace.key, self.trace.visitor) {
            (Some(key), _) => Client::Key(key),
            (None, Some(visitor)) => Client::Visitor(visitor),
            (None, None) => Client::Keyless,
        };
        let kind = self.trace.route.unwrap_or("none");
        Origin { client, kind }
    }

    async fn run(&mut self, work: Work, origin: Origin, deadline: Deadline) -> Result<Reply, ApiError> {
        let accepted = Accepted::of(self.request);
        let is_head = self.request.method() == Method::HEAD;
        let made = job::run(self.state, work, accepted, is_head, origin, deadline).await?;
        (self.trace.timing, self.memory) = (made.timing, made.memory);
        Ok(made.reply)
    }
}
