//! Counters and gauges that requests and background workers update. `crate::server::metrics` adds
//! the values that can be looked up at any time.

use std::{sync::atomic::AtomicU64, time::Duration};

use actix_web::http::StatusCode;
use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::{Registry, Unit},
};

use crate::alerts::mailer::MailEvent;

/// Values since the start of the process. Clones share them.
#[derive(Clone)]
pub(crate) struct Metrics {
    requests: Family<RequestLabels, Counter>,
    durations: Family<RouteLabels, Histogram, fn() -> Histogram>,
    quota_rejections: Counter,
    background_failures: Family<StepLabels, Counter>,
    searches_waiting: Family<LaneLabels, Gauge>,
    searches_running: Family<LaneLabels, Gauge>,
    searches_refused: Family<LaneLabels, Counter>,
    search_pace: Family<PaceLabels, PaceGauge>,
    mails: Family<MailLabels, Counter>,
    mails_waiting: Gauge,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    route: &'static str,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    route: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct LaneLabels {
    lane: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PaceLabels {
    lane: &'static str,
    route: &'static str,
}

/// How long a kind of job takes, in seconds.
pub(crate) type PaceGauge = Gauge<f64, AtomicU64>;

/// The metrics of one lane of the search pool.
#[derive(Default)]
pub(crate) struct LaneMetrics {
    lane: &'static str,
    waiting: Gauge,
    running: Gauge,
    refused: Counter,
    paces: Family<PaceLabels, PaceGauge>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct MailLabels {
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StepLabels {
    step: &'static str,
}

/// The label of a request whose path matches no route.
const NO_ROUTE: &str = "none";

/// Upper bounds of the histogram, in seconds: from a page in warm caches to the default deadline.
const DURATION_BOUNDS: [f64; 13] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0,
];

impl Default for Metrics {
    fn default() -> Metrics {
        let mails = Family::<MailLabels, Counter>::default();
        // An alarm on the increase of a counter misses the first event if the counter does not exist before it.
        for event in MailEvent::ALL {
            drop(mails.get_or_create(&MailLabels { outcome: event.name() }));
        }
        Metrics {
            requests: Family::default(),
            durations: Family::new_with_constructor(|| Histogram::new(DURATION_BOUNDS)),
            quota_rejections: Counter::default(),
            background_failures: Family::default(),
            searches_waiting: Family::default(),
            searches_running: Family::default(),
            searches_refused: Family::default(),
            search_pace: Family::default(),
            mails,
            mails_waiting: Gauge::default(),
        }
    }
}

impl Metrics {
    /// Counts a response and the time until it was ready.
    pub(crate) fn count_response(&self, route: Option<&'static str>, status: StatusCode, duration: Duration) {
        let route = route.unwrap_or(NO_ROUTE);
        let status = status.as_u16();
        self.requests.get_or_create(&RequestLabels { route, status }).inc();
        self.durations
            .get_or_create(&RouteLabels { route })
            .observe(duration.as_secs_f64());
        if status == StatusCode::TOO_MANY_REQUESTS.as_u16() {
            self.quota_rejections.inc();
        }
    }

    /// The counter of failed steps of a background worker.
    pub(crate) fn background_failures(&self, step: &'static str) -> Counter {
        self.background_failures.get_or_create(&StepLabels { step }).clone()
    }

    /// The metrics of a lane of the search pool, registered under its name.
    pub(crate) fn lane(&self, lane: &'static str) -> LaneMetrics {
        let labels = LaneLabels { lane };
        LaneMetrics {
            lane,
            waiting: self.searches_waiting.get_or_create(&labels).clone(),
            running: self.searches_running.get_or_create(&labels).clone(),
            refused: self.searches_refused.get_or_create(&labels).clone(),
            paces: self.search_pace.clone(),
        }
    }

    /// Counts a mail, and sets how many recipients still wait for theirs.
    pub(crate) fn count_mail(&self, event: MailEvent, waiting: usize) {
        let outcome = event.name();
        self.mails.get_or_create(&MailLabels { outcome }).inc();
        self.set_waiting_recipients(waiting);
    }

    /// Sets how many recipients wait for a mail.
    pub(crate) fn set_waiting_recipients(&self, waiting: usize) {
        self.mails_waiting.set(waiting.try_into().unwrap_or(i64::MAX));
    }

    /// Adds all values to a registry, with their names and descriptions.
    pub(crate) fn register(&self, registry: &mut Registry) {
        registry.register(
            "requests",
            "Responses, by path template and status",
            self.requests.clone(),
        );
        registry.register_with_unit(
            "request_duration",
            "Time from the arrival of a request until its response was ready",
            Unit::Seconds,
            self.durations.clone(),
        );
        registry.register(
            "quota_rejections",
            "Requests refused because of a rate limit or a quota",
            self.quota_rejections.clone(),
        );
        registry.register(
            "background_failures",
            "Failed steps of background workers, by worker",
            self.background_failures.clone(),
        );
        registry.register(
            "searches_waiting",
            "Searches and parts of batches that wait for a thread, by lane",
            self.searches_waiting.clone(),
        );
        registry.register(
            "searches_running",
            "Searches and parts of batches that run now, by lane",
            self.searches_running.clone(),
        );
        registry.register(
            "searches_refused",
            "Requests refused, since they could not end before their deadline or too many searches wait",
            self.searches_refused.clone(),
        );
        registry.register_with_unit(
            "search_pace",
            "How long a search or a part of a batch takes, by lane and path template: a mean of the last ones",
            Unit::Seconds,
            self.search_pace.clone(),
        );
        registry.register("mails", "Alert mails, by outcome", self.mails.clone());
        registry.register(
            "mails_waiting",
            "Recipients that the last run did not reach",
            self.mails_waiting.clone(),
        );
    }
}

impl LaneMetrics {
    /// Sets the numbers of jobs that wait and run.
    pub(crate) fn set_jobs(&self, waiting: usize, running: usize) {
        self.waiting.set(waiting.try_into().unwrap_or(i64::MAX));
        self.running.set(running.try_into().unwrap_or(i64::MAX));
    }

    /// Counts a request that was refused on arrival.
    pub(crate) fn count_refusal(&self) {
        self.refused.inc();
    }

    /// The gauge of a kind of job.
    pub(crate) fn pace(&self, route: &'static str) -> PaceGauge {
        let labels = PaceLabels { lane: self.lane, route };
        self.paces.get_or_create(&labels).clone()
    }
}
