//! `/metrics`: what was counted while serving, and what can be looked up when asked, as text that Prometheus reads.

use std::{
    fmt, fs,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use chrono::DateTime;
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

use crate::{catalog::generation::Generation, http::AppState, logging};

/// The page, put together anew whenever it is asked for.
pub struct Page(Registry);

/// What every name starts with.
const PREFIX: &str = "procure";

impl Page {
    pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    pub fn new(state: Arc<AppState>, open: Arc<AtomicUsize>) -> Page {
        let mut registry = Registry::with_prefix(PREFIX);
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "The program that answers", build);
        state.metrics.register(&mut registry);
        registry.register_collector(Box::new(Served(state, open)));
        Page(registry)
    }

    pub fn text(&self) -> Result<String, fmt::Error> {
        let mut page = String::new();
        text::encode(&mut page, &self.0)?;
        Ok(page)
    }
}

/// What is served, and over how many connections, as it is when asked.
struct Served(Arc<AppState>, Arc<AtomicUsize>);

type Labels = Vec<(&'static str, String)>;
type Gauges = Family<Labels, Gauge>;

impl Collector for Served {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let generation = self.0.generation.load_full();
        let now = (self.0.now)().timestamp();
        let served = gauges([(vec![("generation", generation.id.clone())], 1)]);
        show(
            &mut encoder,
            "generation_info",
            "The generation that is served",
            None,
            &served,
        )?;
        let records = records(&generation);
        show(&mut encoder, "records", "Records served, by kind", None, &records)?;
        let ages = ages(&generation, now);
        let help = "Since a source was last fetched";
        show(&mut encoder, "source_age", help, Some(&Unit::Seconds), &ages)?;
        if let Some(built) = seconds(&generation.manifest.built_at) {
            let (help, age) = ("Since the generation was published", ConstGauge::new(now - built));
            show(&mut encoder, "generation_age", help, Some(&Unit::Seconds), &age)?;
        }
        let open = ConstGauge::new(i64::try_from(self.1.load(Ordering::Relaxed)).unwrap_or(i64::MAX));
        show(
            &mut encoder,
            "connections_open",
            "Connections to the public address",
            None,
            &open,
        )?;
        let lost = ConstCounter::new(logging::lost());
        show(
            &mut encoder,
            "log_lines_lost",
            "Log lines that came faster than they could be written",
            None,
            &lost,
        )?;
        if let Some(bytes) = anonymous_bytes() {
            let (help, bytes) = ("Memory of the process beyond the page cache", ConstGauge::new(bytes));
            show(&mut encoder, "memory_anonymous", help, Some(&Unit::Bytes), &bytes)?;
        }
        Ok(())
    }
}

fn show(
    encoder: &mut DescriptorEncoder,
    name: &str,
    help: &str,
    unit: Option<&Unit>,
    metric: &impl EncodeMetric,
) -> fmt::Result {
    metric.encode(encoder.encode_descriptor(name, help, unit, metric.metric_type())?)
}

fn records(generation: &Generation) -> Gauges {
    gauges(generation.manifest.kinds.iter().map(|kind| {
        let labels = vec![("entity_type", kind.entity_type.name().to_owned())];
        (labels, kind.records.try_into().unwrap_or(i64::MAX))
    }))
}

/// A source that does not say when it was fetched has no age.
fn ages(generation: &Generation, now: i64) -> Gauges {
    let sources = generation.manifest.kinds.iter().flat_map(|kind| &kind.sources);
    gauges(sources.filter_map(|source| {
        let fetched = seconds(source.last_updated.as_deref()?)?;
        let labels = vec![
            ("source_id", source.source_id.clone()),
            ("entity_type", source.entity_type.name().to_owned()),
        ];
        Some((labels, now - fetched))
    }))
}

fn gauges(values: impl IntoIterator<Item = (Labels, i64)>) -> Gauges {
    let gauges = Gauges::default();
    for (labels, value) in values {
        gauges.get_or_create(&labels).set(value);
    }
    gauges
}

fn seconds(moment: &str) -> Option<i64> {
    DateTime::parse_from_rfc3339(moment)
        .ok()
        .map(|moment| moment.timestamp())
}

/// As Linux tells it; elsewhere nothing is told.
fn anonymous_bytes() -> Option<i64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    let kilobytes: i64 = line.split_whitespace().next()?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

impl fmt::Debug for Served {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Served")
    }
}
