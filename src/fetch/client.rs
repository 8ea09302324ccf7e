//! The HTTP client: timeouts, retries and the headers of every request.

use std::{cell::Cell, thread, time::Duration};

use ureq::{
    Agent, Body, RequestBuilder,
    http::Response,
    tls::{Certificate, RootCerts, TlsConfig},
    typestate::WithoutBody,
};

use super::failure::Failure;

/// How the client treats servers. Tests use shorter times.
#[derive(Clone, Debug)]
pub struct ClientConfig {
    pub user_agent: String,
    pub connect_timeout: Duration,
    /// Maximum time until a response begins.
    pub response_timeout: Duration,
    /// Maximum time without a byte. Also the span over which the speed of a download is measured.
    pub idle_timeout: Duration,
    /// Pause between two requests.
    pub pause: Duration,
    /// Attempts without progress after which a file has failed.
    pub max_attempts: u32,
    /// Wait before the second attempt. It doubles with each further attempt.
    pub initial_backoff: Duration,
    /// A file fails if the server asks to retry later than this.
    pub max_retry_after: Duration,
    pub max_redirects: u32,
    /// Root certificates (DER) that are trusted instead of Mozilla's. For tests.
    pub root_certificates: Option<Vec<Vec<u8>>>,
}

impl Default for ClientConfig {
    fn default() -> ClientConfig {
        ClientConfig {
            user_agent: concat!("procure/", env!("CARGO_PKG_VERSION"), " (public procurement data)").to_owned(),
            connect_timeout: Duration::from_secs(30),
            response_timeout: Duration::from_secs(120),
            idle_timeout: Duration::from_secs(60),
            pause: Duration::from_millis(250),
            max_attempts: 6,
            initial_backoff: Duration::from_secs(1),
            max_retry_after: Duration::from_secs(300),
            max_redirects: 5,
            root_certificates: None,
        }
    }
}

impl ClientConfig {
    /// The wait after this attempt. Up to half of it is added at random, so that clients that were
    /// interrupted at the same time do not retry at the same time.
    pub(crate) fn backoff(&self, attempt: u32) -> Duration {
        let doubled = 1_u32 << attempt.saturating_sub(1).min(6);
        // Without random numbers there is no jitter.
        let jitter = f64::from(getrandom::u32().unwrap_or(0)) / f64::from(u32::MAX);
        (self.initial_backoff * doubled).mul_f64(1.0 + jitter / 2.0)
    }
}

/// Makes one request at a time.
pub(crate) struct Client {
    pub(crate) config: ClientConfig,
    agent: Agent,
    has_made_request: Cell<bool>,
}

impl Client {
    pub(crate) fn new(config: &ClientConfig) -> Client {
        let roots = match &config.root_certificates {
            Some(roots) => roots.iter().map(|der| Certificate::from_der(der).to_owned()).into(),
            None => RootCerts::WebPki,
        };
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .user_agent(config.user_agent.as_str())
            // A partial download of a compressed response could not be resumed.
            .accept_encoding("identity")
            .tls_config(TlsConfig::builder().root_certs(roots).build())
            .timeout_connect(Some(config.connect_timeout))
            .timeout_recv_response(Some(config.response_timeout))
            .timeout_per_read(Some(config.idle_timeout))
            .max_redirects(config.max_redirects)
            .max_idle_connections_per_host(1);
        Client {
            config: config.clone(),
            agent: agent.build().new_agent(),
            has_made_request: Cell::new(false),
        }
    }

    /// Makes a GET request. `headers` adds the headers of this request. An `https` address is never
    /// redirected to `http`, however many redirects lead there.
    pub(crate) fn get(
        &self,
        url: &str,
        headers: impl FnOnce(RequestBuilder<WithoutBody>) -> RequestBuilder<WithoutBody>,
    ) -> Result<Response<Body>, Failure> {
        if self.has_made_request.replace(true) {
            thread::sleep(self.config.pause);
        }
        let request = self.agent.get(url).config().https_only(is_encrypted(url)).build();
        headers(request).call().map_err(Failure::no_response)
    }
}

pub(crate) fn header(response: &Response<Body>, name: &str) -> Option<String> {
    Some(response.headers().get(name)?.to_str().ok()?.trim().to_owned())
}

pub(crate) fn is_encrypted(url: &str) -> bool {
    url.starts_with("https://")
}

/// The host and port of an address.
pub(crate) fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}
