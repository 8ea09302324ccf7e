//! `/metrics` in the OpenMetrics text format: the counters of [`crate::http::metrics`], and values
//! that are looked up for each scrape.

use std::{
    fmt, fs,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric, text},
    metrics::{
        counter::ConstCounter,
        family::Family,
        gauge::{ConstGauge, Gauge},
        info::Info,
    },
    registry::{Registry, Unit},
};

use crate::{catalog::generation::Generation, http::call::AppState, logging, model::timestamp};

/// Renders the page anew for each scrape.
pub(crate) struct MetricsPage(Registry);

/// The first part of all metric names.
const PREFIX: &str = "procure";

impl MetricsPage {
    pub(crate) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    pub(crate) fn new(state: Arc<AppState>, open: Arc<AtomicUsize>) -> MetricsPage {
        let mut registry = Registry::with_prefix(PREFIX);
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "The version of the running program", build);
        state.metrics.register(&mut registry);
        registry.register_collector(Box::new(ServiceStatus { state, open }));
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
    /// The number of open connections.
    open: Arc<AtomicUsize>,
}

type Labels = Vec<(&'static str, String)>;
type Gauges = Family<Labels, Gauge>;

impl Collector for ServiceStatus {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let generation = self.state.generation.load_full();
        let now = (self.state.now)().timestamp();
        let mut show = |name: &str, help: &str, unit: Option<&Unit>, metric: &dyn EncodeMetric| {
            metric.encode(encoder.encode_descriptor(name, help, unit, metric.metric_type())?)
        };
        let info = gauges([(vec![("generation", generation.id.clone())], 1)]);
        show("generation_info", "The generation in service", None, &info)?;
        show(
            "records",
            "Records in service, by entity type",
            None,
            &records(&generation),
        )?;
        let help = "Time since a source was last fetched";
        show("source_age", help, Some(&Unit::Seconds), &source_ages(&generation, now))?;
        if let Some(built) = timestamp::parse(&generation.manifest.built_at) {
            let age = ConstGauge::new(now - built.timestamp());
            let help = "Time since the generation was published";
            show("generation_age", help, Some(&Unit::Seconds), &age)?;
        }
        let open = i64::try_from(self.open.load(Ordering::Relaxed)).unwrap_or(i64::MAX);
        let help = "Open connections to the public address";
        show("connections_open", help, None, &ConstGauge::new(open))?;
        let help = "Log lines dropped because they were produced faster than they could be written";
        show("log_lines_lost", help, None, &ConstCounter::new(logging::lost()))?;
        if let Some(bytes) = anonymous_memory_bytes() {
            let help = "Memory of the process without the page cache";
            show("memory_anonymous", help, Some(&Unit::Bytes), &ConstGauge::new(bytes))?;
        }
        Ok(())
    }
}

fn records(generation: &Generation) -> Gauges {
    gauges(generation.manifest.entity_types.iter().map(|part| {
        let labels = vec![("entity_type", part.entity_type.name().to_owned())];
        (labels, part.records.try_into().unwrap_or(i64::MAX))
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
fn anonymous_memory_bytes() -> Option<i64> {
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
