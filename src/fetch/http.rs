//! The client: how it treats a server, and what it sends with every question.

use std::{cell::Cell, thread, time::Duration};

use ureq::{Agent, Body, RequestBuilder, http::Response, typestate::WithoutBody};

use super::failure::Failure;

/// How a server is treated. Tests are in more of a hurry.
#[derive(Clone, Debug)]
pub struct Manners {
    pub user_agent: String,
    pub connect: Duration,
    /// Until an answer begins.
    pub answer: Duration,
    /// Without a byte; and the span in which some must come for the answer not to be too slow.
    pub idle: Duration,
    /// Between two questions.
    pub pause: Duration,
    /// How often a file is asked for, without getting on, before it has failed.
    pub attempts: u32,
    /// Before the second attempt; it doubles with each.
    pub backoff: Duration,
    /// A server that asks for more patience than this is asked again by the operator.
    pub longest_wait: Duration,
    pub redirects: u32,
}

impl Default for Manners {
    fn default() -> Manners {
        Manners {
            user_agent: concat!("procure/", env!("CARGO_PKG_VERSION"), " (public procurement data)").to_owned(),
            connect: Duration::from_secs(30),
            answer: Duration::from_secs(120),
            idle: Duration::from_secs(60),
            pause: Duration::from_millis(250),
            attempts: 6,
            backoff: Duration::from_secs(1),
            longest_wait: Duration::from_secs(300),
            redirects: 5,
        }
    }
}

impl Manners {
    /// Up to half as much again, so that clients cut together do not come back together.
    pub fn backoff(&self, attempt: u32) -> Duration {
        let doubled = 1_u32 << attempt.saturating_sub(1).min(6);
        let jitter = f64::from(getrandom::u32().unwrap_or(0)) / f64::from(u32::MAX);
        (self.backoff * doubled).mul_f64(1.0 + jitter / 2.0)
    }
}

/// Asks one thing at a time.
pub struct Client {
    pub manners: Manners,
    agent: Agent,
    has_asked: Cell<bool>,
}

impl Client {
    pub fn new(manners: &Manners) -> Client {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .user_agent(manners.user_agent.as_str())
            // A part of a compressed answer could not be gone on with.
            .accept_encoding("identity")
            .timeout_connect(Some(manners.connect))
            .timeout_recv_response(Some(manners.answer))
            .timeout_per_read(Some(manners.idle))
            .max_redirects(manners.redirects)
            .max_idle_connections_per_host(1);
        Client {
            manners: manners.clone(),
            agent: config.build().new_agent(),
            has_asked: Cell::new(false),
        }
    }

    /// `headers` adds what this question has of its own.
    pub fn get(
        &self,
        url: &str,
        headers: impl FnOnce(RequestBuilder<WithoutBody>) -> RequestBuilder<WithoutBody>,
    ) -> Result<Response<Body>, Failure> {
        if self.has_asked.replace(true) {
            thread::sleep(self.manners.pause);
        }
        // What begins encrypted is not led astray.
        let secure = url.starts_with("https://");
        let request = self.agent.get(url).config().https_only(secure).build();
        headers(request).call().map_err(Failure::unanswered)
    }
}

pub fn header(response: &Response<Body>, name: &str) -> Option<String> {
    Some(response.headers().get(name)?.to_str().ok()?.trim().to_owned())
}

/// The host an address names, with its port.
pub fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}
