//! `/metrics` in the OpenMetrics text format: the counters of [`crate::http::metrics`], and values
//! that are looked up for each scrape.

use std::{
    fmt, fs,
    sync::{Arc, atomic::Ordering},
};

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric, text},
    metrics::{
        counter::{ConstCounter, Counter},
        family::Family,
        gauge::{ConstGauge, Gauge},
        info::Info,
    },
    registry::{Registry, Unit},
};

use crate::{
    catalog::{generation::Generation, value_cache::CacheSize},
    http::call::AppState,
    logging,
    model::timestamp,
    server::connection_slots::{ConnectionSlots, Counts},
};

/// Renders the page anew for each scrape.
pub(crate) struct MetricsPage(Registry);

/// The first part of all metric names.
const PREFIX: &str = "procure";

impl MetricsPage {
    pub(crate) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    pub(crate) fn new(state: Arc<AppState>, slots: Arc<ConnectionSlots>) -> MetricsPage {
        let mut registry = Registry::with_prefix(PREFIX);
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "The version of the running program", build);
        state.metrics.register(&mut registry);
        registry.register_collector(Box::new(ServiceStatus { state, slots }));
        MetricsPage(registry)
    }

    pub(crate) fn render(&self) -> Result<String, fmt::Error> {
        let mut page = String::new();
        text::encode(&mut page, &self.0)?;
        Ok(page)
    }
}

/// The service at the moment of a scrape.
struct ServiceStatus {
    state: Arc<AppState>,
    /// The slots for connections.
    slots: Arc<ConnectionSlots>,
}

type Labels = Vec<(&'static str, String)>;
type Gauges = Family<Labels, Gauge>;

impl Collector for ServiceStatus {
    fn encode(&self, encoder: DescriptorEncoder) -> fmt::Result {
        let mut page = Page(encoder);
        self.show_generation(&mut page)?;
        self.show_state(&mut page)?;
        self.show_connections(&mut page)?;
        show_process(&mut page)
    }
}

/// Adds metrics, one after the other, to the page.
struct Page<'a>(DescriptorEncoder<'a>);

impl Page<'_> {
    fn show(&mut self, name: &str, help: &str, metric: &dyn EncodeMetric) -> fmt::Result {
        self.show_with(None, name, help, metric)
    }

    /// The unit becomes the last part of the name.
    fn show_in(&mut self, unit: &Unit, name: &str, help: &str, metric: &dyn EncodeMetric) -> fmt::Result {
        self.show_with(Some(unit), name, help, metric)
    }

    fn show_with(&mut self, unit: Option<&Unit>, name: &str, help: &str, metric: &dyn EncodeMetric) -> fmt::Result {
        // As the registry ends the description of the metrics that it holds.
        let help = format!("{help}.");
        let encoder = self.0.encode_descriptor(name, &help, unit, metric.metric_type())?;
        metric.encode(encoder)
    }
}

impl ServiceStatus {
    fn show_generation(&self, page: &mut Page) -> fmt::Result {
        let is_current = self.state.generation_fault.load().is_none();
        let help = "1 if the generation in service is the one that should be served, 0 if that one is damaged or cannot be reached";
        page.show("generation_is_current", help, &gauge(usize::from(is_current)))?;
        let Some(generation) = self.state.generation.load_full() else {
            return Ok(());
        };
        let now = (self.state.now)().timestamp();
        let info = gauges([(vec![("generation", generation.id.clone())], 1)]);
        page.show("generation_info", "The generation in service", &info)?;
        page.show("records", "Records in service, by entity type", &records(&generation))?;
        let help = "Time since a source was last fetched";
        page.show_in(&Unit::Seconds, "source_age", help, &source_ages(&generation, now))?;
        if let Some(built) = timestamp::parse(&generation.manifest.built_at) {
            let age = ConstGauge::new(now - built.timestamp());
            let help = "Time since the generation was published";
            page.show_in(&Unit::Seconds, "generation_age", help, &age)?;
        }
        let entries = caches(&generation, |cache| cache.entries);
        page.show("cache_entries", "Entries of the caches of the generation", &entries)?;
        let bytes = caches(&generation, |cache| cache.bytes);
        page.show_in(&Unit::Bytes, "cache", "Size of the caches of the generation", &bytes)
    }

    fn show_state(&self, page: &mut Page) -> fmt::Result {
        let help = "Time since the keys and counts were last in step with the state database";
        let age = ConstGauge::new(self.state.keys.age().as_secs_f64());
        page.show_in(&Unit::Seconds, "state_age", help, &age)?;
        let help = "Size of the state database with its write-ahead log";
        let bytes = i64::try_from(self.state.state_writer.file_bytes()).unwrap_or(i64::MAX);
        page.show_in(&Unit::Bytes, "state", help, &ConstGauge::new(bytes))
    }

    fn show_connections(&self, page: &mut Page) -> fmt::Result {
        let help = "Connections to the public address";
        page.show("connections_open", help, &gauge(self.slots.open()))?;
        let help = "Connections to the public address for which there are slots";
        page.show("connections_limit", help, &gauge(self.slots.limit()))?;
        let help = "Connections that the server refused or closed, by reason";
        page.show("connections_rejected", help, &rejected(&self.slots.counts))?;
        let (requests, responses) = (&self.state.request_bytes, &self.state.response_bytes);
        let bytes = &Unit::Bytes;
        let help = "Memory for request bodies that are being read";
        page.show_in(bytes, "request_bodies", help, &gauge(requests.used()))?;
        let help = "Maximum of the memory for request bodies";
        page.show_in(bytes, "request_bodies_limit", help, &gauge(requests.limit()))?;
        let help = "Memory for responses that clients have not read";
        page.show_in(bytes, "response_bodies", help, &gauge(responses.used()))?;
        let help = "Maximum of the memory for responses";
        page.show_in(bytes, "response_bodies_limit", help, &gauge(responses.limit()))?;
        let help = "1 while memory is short, so that clients which keep the server waiting are closed";
        page.show("memory_is_short", help, &gauge(responses.is_short().into()))
    }
}

fn show_process(page: &mut Page) -> fmt::Result {
    let help = "Log lines dropped because they were produced faster than they could be written";
    page.show("log_lines_lost", help, &ConstCounter::new(logging::lost()))?;
    if let Some(bytes) = anonymous_memory_bytes() {
        let help = "Memory of the process without the page cache";
        page.show_in(&Unit::Bytes, "memory_anonymous", help, &ConstGauge::new(bytes))?;
    }
    Ok(())
}

fn gauge(value: usize) -> ConstGauge<i64> {
    ConstGauge::new(value.try_into().unwrap_or(i64::MAX))
}

fn rejected(counts: &Counts) -> Family<Labels, Counter> {
    let reasons = [
        ("no_place", &counts.refused),
        ("evicted", &counts.evicted),
        ("slow_reader", &counts.too_slow),
    ];
    let rejected = Family::<Labels, Counter>::default();
    for (reason, count) in reasons {
        let labels = vec![("reason", reason.to_owned())];
        rejected.get_or_create(&labels).inc_by(count.load(Ordering::Relaxed));
    }
    rejected
}

fn records(generation: &Generation) -> Gauges {
    gauges(generation.manifest.entity_types.iter().map(|part| {
        let labels = vec![("entity_type", part.entity_type.name().to_owned())];
        (labels, part.records.try_into().unwrap_or(i64::MAX))
    }))
}

fn caches(generation: &Generation, size: fn(CacheSize) -> usize) -> Gauges {
    let caches = [
        ("tender_values", generation.values.size()),
        ("statistics", generation.statistics_size()),
        ("commodity_codes", generation.commodity_counts_size()),
        ("suggested_names", generation.meanings_size()),
    ];
    gauges(caches.map(|(name, cache)| {
        let labels = vec![("cache", name.to_owned())];
        (labels, size(cache).try_into().unwrap_or(i64::MAX))
    }))
}

/// Seconds since each source was fetched. Sources without a fetch time are left out.
fn source_ages(generation: &Generation, now: i64) -> Gauges {
    let sources = generation.manifest.entity_types.iter().flat_map(|part| &part.sources);
    gauges(sources.filter_map(|source| {
        let fetched = timestamp::parse(source.last_updated.as_deref()?)?;
        let labels = vec![
            ("source_id", source.source_id.clone()),
            ("entity_type", source.entity_type.name().to_owned()),
        ];
        Some((labels, now - fetched.timestamp()))
    }))
}

fn gauges(values: impl IntoIterator<Item = (Labels, i64)>) -> Gauges {
    let gauges = Gauges::default();
    for (labels, value) in values {
        gauges.get_or_create(&labels).set(value);
    }
    gauges
}

/// Linux only; `None` on other systems.
pub(super) fn anonymous_memory_bytes() -> Option<i64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    let kilobytes: i64 = line.split_whitespace().next()?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

impl fmt::Debug for ServiceStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServiceStatus")
    }
}
