//! What is counted while requests are answered. The numbers that can be looked up at any time are added where they are shown, in `serve::metrics`.

use std::time::Duration;

use actix_web::http::StatusCode;
use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::{Registry, Unit},
};

use crate::alerts::mailer::Event;

/// Counted since the start. A clone counts into the same.
#[derive(Clone)]
pub struct Metrics {
    requests: Family<Answered, Counter>,
    durations: Family<OfRoute, Histogram, fn() -> Histogram>,
    limited: Counter,
    background_failures: Family<Step, Counter>,
    waiting: Gauge,
    running: Gauge,
    mails: Family<Mailed, Counter>,
    mails_waiting: Gauge,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    route: &'static str,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfRoute {
    route: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Mailed {
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Step {
    step: &'static str,
}

/// The route of a request whose path has none.
const NO_ROUTE: &str = "none";

/// Upper bounds in seconds: from what a warm page takes to the default deadline.
const BOUNDS: [f64; 13] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0,
];

impl Default for Metrics {
    fn default() -> Metrics {
        Metrics {
            requests: Family::default(),
            durations: Family::new_with_constructor(|| Histogram::new(BOUNDS)),
            limited: Counter::default(),
            background_failures: Family::default(),
            waiting: Gauge::default(),
            running: Gauge::default(),
            mails: Family::default(),
            mails_waiting: Gauge::default(),
        }
    }
}

impl Metrics {
    /// Counts an answer.
    pub fn count(&self, route: Option<&'static str>, status: StatusCode, took: Duration) {
        let route = route.unwrap_or(NO_ROUTE);
        let status = status.as_u16();
        self.requests.get_or_create(&Answered { route, status }).inc();
        self.durations
            .get_or_create(&OfRoute { route })
            .observe(took.as_secs_f64());
        if status == StatusCode::TOO_MANY_REQUESTS.as_u16() {
            self.limited.inc();
        }
    }

    /// What counts the failures of a step beside the requests.
    pub fn background_failures(&self, step: &'static str) -> Counter {
        self.background_failures.get_or_create(&Step { step }).clone()
    }

    /// A search that was asked for and waits for a thread.
    pub fn waiting(&self) -> Counted {
        Counted::of(&self.waiting)
    }

    /// A search that runs.
    pub fn running(&self) -> Counted {
        Counted::of(&self.running)
    }

    /// Counts a mail, and tells how many addresses still wait.
    pub fn mail(&self, event: Event, waiting: usize) {
        let outcome = event.name();
        self.mails.get_or_create(&Mailed { outcome }).inc();
        self.mails_wait(waiting);
    }

    /// Tells how many addresses wait for a mail.
    pub fn mails_wait(&self, waiting: usize) {
        self.mails_waiting.set(waiting.try_into().unwrap_or(i64::MAX));
    }

    /// Lists what is counted here.
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "requests",
            "Requests answered, by form of path and status",
            self.requests.clone(),
        );
        registry.register_with_unit(
            "request_duration",
            "From a request's arrival to its answer being ready",
            Unit::Seconds,
            self.durations.clone(),
        );
        registry.register(
            "quota_rejections",
            "Requests refused for a rate limit or a quota",
            self.limited.clone(),
        );
        registry.register(
            "background_failures",
            "Steps beside the requests that failed: picking up a generation, keys and counts, mail",
            self.background_failures.clone(),
        );
        registry.register(
            "searches_waiting",
            "Searches that wait for a thread",
            self.waiting.clone(),
        );
        registry.register("searches_running", "Searches that run", self.running.clone());
        registry.register("mails", "Mails with alerts, by what became of them", self.mails.clone());
        registry.register(
            "mails_waiting",
            "Addresses that the last run did not come to",
            self.mails_waiting.clone(),
        );
    }
}

/// One more, until dropped: a search that is given up while it waits is no longer counted either.
pub struct Counted(Gauge);

impl Counted {
    fn of(gauge: &Gauge) -> Counted {
        gauge.inc();
        Counted(gauge.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}
