//! The HTTP client of the cluster: several addresses, failover, timeouts from the deadline, bounded
//! responses.
//!
//! A request that got no answer goes to the next address. A request that the cluster may have
//! executed is repeated only if executing it twice does no harm.

use std::{
    borrow::Cow,
    io,
    time::{Duration, Instant},
};

use anyhow::ensure;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use ureq::{
    Agent,
    http::{HeaderValue, Request, header},
    tls::TlsConfig,
};

use super::{
    addresses::Addresses,
    cluster_error::ClusterError,
    connect_error,
    response::{FoundDocument, MultiGetResponse, MultiSearchResponse, SearchResponse, UncheckedResponse},
    retry::retry,
    settings::{ClusterSettings, Credentials, parse_url},
};
use crate::engine::deadline::Deadline;

pub(crate) use ureq::http::Method;

/// The client. Threads share it; it keeps connections open between requests.
pub(crate) struct Client {
    agent: Agent,
    addresses: Addresses,
    authorization: Option<HeaderValue>,
    request_timeout: Duration,
    /// How long searches and look-ups are repeated while the cluster does not answer them.
    patience: Duration,
    /// The start of the name of every index and alias.
    pub(crate) prefix: String,
}

/// A request to the cluster.
pub(crate) struct ClusterRequest<'a> {
    method: Method,
    /// What follows the address, from the slash on.
    path: String,
    body: Body<'a>,
    /// Whether executing it twice has the effect of executing it once.
    is_repeatable: bool,
}

impl Body<'_> {
    fn bytes(&self) -> Cow<'_, [u8]> {
        match self {
            Body::Empty => Cow::Borrowed(&[]),
            Body::Json(value) => Cow::Owned(value.to_string().into_bytes()),
            Body::Lines(lines) | Body::GzipLines(lines) => Cow::Borrowed(lines),
        }
    }
}

impl<'a> ClusterRequest<'a> {
    pub(crate) fn new(method: Method, path: impl Into<String>, body: Body<'a>) -> ClusterRequest<'a> {
        ClusterRequest {
            method,
            path: path.into(),
            body,
            is_repeatable: true,
        }
    }

    /// A change that must not be executed twice.
    pub(crate) fn once(self) -> ClusterRequest<'a> {
        ClusterRequest {
            is_repeatable: false,
            ..self
        }
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Body<'a> {
    Empty,
    Json(&'a Value),
    /// JSON texts, each followed by a line end.
    Lines(&'a [u8]),
    /// [`Body::Lines`], compressed with gzip.
    GzipLines(&'a [u8]),
}

/// Connecting takes milliseconds; a machine that is switched off never answers.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// The maximum time that an address without a healthy record gets while others are left to try.
const TRIAL_TIMEOUT: Duration = Duration::from_secs(1);

/// The maximum length of a response. A page of records has less than a tenth.
const MAX_RESPONSE_BYTES: u64 = 256 << 20;

/// Idle connections that are kept for each address.
const IDLE_CONNECTIONS: usize = 32;

/// Proxies and clusters close a connection that is idle for longer.
const MAX_IDLE_AGE: Duration = Duration::from_secs(30);

/// The cluster ends a search this long before the client stops waiting, so that the client gets the
/// cluster's answer.
const ANSWER_TIME: Duration = Duration::from_millis(50);

impl Client {
    /// Reads the file with the root certificates. Does not connect.
    pub(crate) fn new(settings: &ClusterSettings) -> anyhow::Result<Client> {
        ensure!(
            !settings.urls.is_empty(),
            "the address of the search engine is missing; pass at least one with --engine-url"
        );
        let urls = settings.urls.iter().map(|url| parse_url(url));
        let urls = urls.collect::<Result<Vec<_>, String>>().map_err(anyhow::Error::msg)?;
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .user_agent(concat!("procure/", env!("CARGO_PKG_VERSION")))
            .accept_encoding("identity")
            // A proxy for other hosts must not see the credentials.
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .tls_config(TlsConfig::builder().root_certs(settings.root_certificates()?).build())
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .max_idle_connections(IDLE_CONNECTIONS * urls.len())
            .max_idle_connections_per_host(IDLE_CONNECTIONS)
            .max_idle_age(MAX_IDLE_AGE);
        Ok(Client {
            agent: agent.build().new_agent(),
            addresses: Addresses::new(urls),
            authorization: settings.credentials.as_ref().map(Credentials::header).transpose()?,
            request_timeout: settings.request_timeout,
            patience: Duration::ZERO,
            prefix: settings.prefix.clone(),
        })
    }

    /// A client of a build: a search that the cluster refuses or loses is repeated, because a build
    /// that fails starts again from nothing.
    pub(crate) fn patient(settings: &ClusterSettings) -> anyhow::Result<Client> {
        let client = Client::new(settings)?;
        Ok(Client {
            patience: settings.patience,
            ..client
        })
    }

    /// A search of one index, or of several separated by commas.
    pub(crate) fn search(
        &self,
        index: &str,
        body: &Value,
        deadline: &Deadline,
    ) -> Result<SearchResponse, ClusterError> {
        let timeout = self.search_timeout(deadline)?;
        let path = format!("/{index}/_search?allow_partial_search_results=false&timeout={timeout}");
        let request = ClusterRequest::new(Method::POST, path, Body::Json(body));
        self.repeat(deadline, || {
            self.send_for::<UncheckedResponse>(&request, deadline)?.check()
        })
    }

    /// Several searches in one request: pairs of index and body. The responses are in the order of
    /// the searches.
    pub(crate) fn multi_search(
        &self,
        searches: &[(&str, Value)],
        deadline: &Deadline,
    ) -> Result<Vec<SearchResponse>, ClusterError> {
        let timeout = self.search_timeout(deadline)?;
        let mut lines = String::new();
        for (index, body) in searches {
            let mut body = body.clone();
            body["timeout"] = timeout.as_str().into();
            let header = json!({ "index": index, "allow_partial_search_results": false });
            lines.push_str(&format!("{header}\n{body}\n"));
        }
        // Without the buckets that are only counted.
        let path = "/_msearch?filter_path=-responses.aggregations.all_*";
        let request = ClusterRequest::new(Method::POST, path, Body::Lines(lines.as_bytes()));
        self.repeat(deadline, || {
            let response: MultiSearchResponse = self.send_for(&request, deadline)?;
            if response.responses.len() != searches.len() {
                let why = format!("{} responses to {} searches", response.responses.len(), searches.len());
                return Err(ClusterError::unreadable("a multi-search", why));
            }
            response.responses.into_iter().map(UncheckedResponse::check).collect()
        })
    }

    /// Documents by their ids, in the order of the ids.
    pub(crate) fn documents(
        &self,
        index: &str,
        ids: &[String],
        deadline: &Deadline,
    ) -> Result<Vec<FoundDocument>, ClusterError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let body = json!({ "ids": ids });
        let request = ClusterRequest::new(Method::POST, format!("/{index}/_mget"), Body::Json(&body));
        self.repeat(deadline, || {
            self.send_for::<MultiGetResponse>(&request, deadline)?.check(ids.len())
        })
    }

    /// A GET request.
    pub(crate) fn get<T: DeserializeOwned>(&self, path: &str, deadline: &Deadline) -> Result<T, ClusterError> {
        let request = ClusterRequest::new(Method::GET, path, Body::Empty);
        self.repeat(deadline, || self.send_for(&request, deadline))
    }

    /// Repeats a step of a build. A request with a deadline of its own is sent once.
    fn repeat<T>(&self, deadline: &Deadline, step: impl FnMut() -> Result<T, ClusterError>) -> Result<T, ClusterError> {
        let patience = deadline.end().map_or(self.patience, |_| Duration::ZERO);
        retry(patience, step)
    }

    /// Sends a request and reads the response as JSON.
    pub(crate) fn send_for<T: DeserializeOwned>(
        &self,
        request: &ClusterRequest,
        deadline: &Deadline,
    ) -> Result<T, ClusterError> {
        let body = self.send(request, deadline)?;
        serde_json::from_slice(&body).map_err(|why| ClusterError::unreadable(&request.path, why))
    }

    /// Sends a change, and ignores the content of the response.
    pub(crate) fn change(&self, method: Method, path: impl Into<String>, body: Body) -> Result<(), ClusterError> {
        let request = ClusterRequest::new(method, path, body);
        self.send(&request, &Deadline::never()).map(|_| ())
    }

    /// Sends a request to the addresses in turn, until one of them answers. Returns the body of a
    /// successful response.
    pub(crate) fn send(&self, request: &ClusterRequest, deadline: &Deadline) -> Result<Vec<u8>, ClusterError> {
        let body = request.body.bytes();
        let end = Instant::now() + self.remaining(deadline)?;
        let mut candidates = self.addresses.candidates();
        if let [only] = candidates[..] {
            // A connection that was kept open may be closed by now; the second attempt opens a new one.
            candidates.push(only);
        }
        let mut failure = ClusterError::Timeout;
        // What a node answers says more than that another one does not answer.
        let mut refusal = None;
        for (number, candidate) in candidates.iter().enumerate() {
            deadline.check().map_err(|_| ClusterError::Timeout)?;
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let others = candidates[number + 1..].iter();
            let has_alternative = request.is_repeatable && others.clone().any(|other| other.url != candidate.url);
            let timeout = match (has_alternative, candidate.is_healthy) {
                (false, _) => left,
                // A node that is stopped accepts connections and never answers.
                (true, true) => left - left / 4,
                (true, false) => TRIAL_TIMEOUT.min(left / 2),
            };
            match self.attempt(candidate.url, request, &body, timeout) {
                Ok((status, response)) => {
                    self.addresses.answered(*candidate);
                    if (200..300).contains(&status) {
                        return Ok(response);
                    }
                    let refused = ClusterError::of_response(candidate.url, status, &response);
                    let may_help = matches!(refused, ClusterError::Unavailable(_));
                    if !(request.is_repeatable && may_help) {
                        return Err(refused);
                    }
                    refusal = Some(refused);
                }
                Err(attempt) => {
                    // Another address would send the same.
                    if matches!(attempt.error, ClusterError::Unreadable(_)) {
                        return Err(attempt.error);
                    }
                    // A search that takes long says nothing about the node.
                    let is_slow = attempt.error == ClusterError::Timeout
                        && (!has_alternative || self.is_alive(candidate.url, end));
                    if !is_slow {
                        self.addresses.failed(*candidate, &attempt.reason(candidate.url));
                    }
                    failure = attempt.error;
                    if !(request.is_repeatable || attempt.is_unsent) {
                        return Err(failure);
                    }
                }
            }
        }
        Err(refusal.unwrap_or(failure))
    }

    /// Whether a node answers a request that costs nothing.
    fn is_alive(&self, url: &str, end: Instant) -> bool {
        let request = ClusterRequest::new(Method::GET, "/", Body::Empty);
        let left = end.saturating_duration_since(Instant::now());
        self.attempt(url, &request, &[], TRIAL_TIMEOUT.min(left / 4)).is_ok()
    }

    /// Sends a request to one address. Returns the status and the body of the response.
    fn attempt(
        &self,
        url: &str,
        request: &ClusterRequest,
        body: &[u8],
        timeout: Duration,
    ) -> Result<(u16, Vec<u8>), FailedAttempt> {
        let run = || -> Result<(u16, Vec<u8>), ureq::Error> {
            let mut head = Request::builder()
                .method(&request.method)
                .uri(format!("{url}{}", request.path));
            if let Some(authorization) = &self.authorization {
                head = head.header(header::AUTHORIZATION, authorization);
            }
            head = match request.body {
                Body::Empty => head,
                Body::Json(_) => head.header(header::CONTENT_TYPE, "application/json"),
                Body::Lines(_) => head.header(header::CONTENT_TYPE, "application/x-ndjson"),
                Body::GzipLines(_) => head
                    .header(header::CONTENT_TYPE, "application/x-ndjson")
                    .header(header::CONTENT_ENCODING, "gzip"),
            };
            let timeout = Some(timeout);
            let has_body = !matches!(request.body, Body::Empty) || request.method == Method::POST;
            let mut response = if has_body {
                let request = self.agent.configure_request(head.body(body)?);
                self.agent.run(request.timeout_global(timeout).build())?
            } else {
                let request = self.agent.configure_request(head.body(())?);
                self.agent.run(request.timeout_global(timeout).build())?
            };
            let status = response.status().as_u16();
            let body = response
                .body_mut()
                .with_config()
                .limit(MAX_RESPONSE_BYTES)
                .read_to_vec()?;
            Ok((status, body))
        };
        run().map_err(|error| FailedAttempt::new(url, error))
    }

    /// The time after which the cluster ends a search.
    fn search_timeout(&self, deadline: &Deadline) -> Result<String, ClusterError> {
        let time = self.remaining(deadline)?.saturating_sub(ANSWER_TIME);
        Ok(format!("{}ms", time.as_millis().max(1)))
    }

    /// The time until the deadline, or the maximum time of a request.
    fn remaining(&self, deadline: &Deadline) -> Result<Duration, ClusterError> {
        deadline.check().map_err(|_| ClusterError::Timeout)?;
        Ok(match deadline.end() {
            Some(end) => end.saturating_duration_since(Instant::now()),
            None => self.request_timeout,
        })
    }
}

/// An attempt without a response.
struct FailedAttempt {
    error: ClusterError,
    /// Whether the cluster cannot have received the request.
    is_unsent: bool,
}

impl FailedAttempt {
    /// Why there is no response. Begins with the address.
    fn reason(&self, url: &str) -> String {
        match &self.error {
            ClusterError::Unavailable(why) => why.clone(),
            other => format!("{url}: {other}"),
        }
    }

    fn new(url: &str, error: ureq::Error) -> FailedAttempt {
        let is_unsent = connect_error::is_unsent(&error);
        let is_timeout = match &error {
            ureq::Error::Timeout(_) => !is_unsent,
            ureq::Error::Io(error) => error.kind() == io::ErrorKind::TimedOut,
            _ => false,
        };
        let error = match error {
            _ if is_timeout => ClusterError::Timeout,
            ureq::Error::BodyExceedsLimit(bytes) => {
                ClusterError::unreadable(url, format!("a response of more than {bytes} bytes"))
            }
            error => ClusterError::Unavailable(connect_error::describe(url, &error)),
        };
        FailedAttempt { error, is_unsent }
    }
}
