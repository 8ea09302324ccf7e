//! What was done, what was measured and what was wrong, for a person and as JSON.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde_json::{Value, json};

/// Violations of one kind that are shown in full. The others are counted.
const SHOWN: usize = 5;

/// Collects from all threads.
#[derive(Debug, Default)]
pub struct Report(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    counts: BTreeMap<String, u64>,
    latencies: BTreeMap<String, Latency>,
    violations: BTreeMap<String, Violations>,
    notes: Vec<String>,
    /// Seconds since the start, and anonymous memory in MiB.
    memory: Vec<(u64, u64)>,
}

#[derive(Debug, Default)]
struct Violations {
    count: u64,
    evidence: Vec<String>,
}

/// Durations in microseconds, rounded to two digits, with the number of each.
#[derive(Debug, Default)]
struct Latency(BTreeMap<u64, u64>);

impl Report {
    /// Counts something that was done or checked.
    pub fn count(&self, what: impl Into<String>) {
        self.add(what, 1);
    }

    pub fn add(&self, what: impl Into<String>, number: u64) {
        *self.lock().counts.entry(what.into()).or_default() += number;
    }

    pub fn latency(&self, of: &str, took: Duration) {
        let mut inner = self.lock();
        let latency = inner.latencies.entry(of.to_owned()).or_default();
        *latency.0.entry(two_digits(took.as_micros() as u64)).or_default() += 1;
    }

    /// Something that must hold does not. `evidence` lets a reader understand it without a second run.
    pub fn violation(&self, kind: &str, evidence: impl Into<String>) {
        let evidence = evidence.into();
        let mut inner = self.lock();
        let of_kind = inner.violations.entry(kind.to_owned()).or_default();
        of_kind.count += 1;
        if of_kind.evidence.len() < SHOWN {
            eprintln!("VIOLATION {kind}: {evidence}");
            of_kind.evidence.push(evidence);
        }
    }

    /// Something that the reader must know, such as a part that was skipped.
    pub fn note(&self, text: impl Into<String>) {
        let text = text.into();
        eprintln!("{text}");
        self.lock().notes.push(text);
    }

    pub fn memory(&self, second: u64, mebibytes: u64) {
        self.lock().memory.push((second, mebibytes));
    }

    /// The sum of the counts whose name begins so.
    pub fn counted(&self, what: &str) -> u64 {
        let inner = self.lock();
        let counts = inner.counts.iter().filter(|(name, _)| name.starts_with(what));
        counts.map(|(_, count)| count).sum()
    }

    pub fn violations(&self) -> u64 {
        self.lock().violations.values().map(|of_kind| of_kind.count).sum()
    }

    /// The report for a person.
    pub fn text(&self) -> String {
        let inner = self.lock();
        let mut text = String::new();
        for note in &inner.notes {
            text.push_str(&format!("{note}\n"));
        }
        text.push_str("\ndone and checked\n");
        for (what, count) in &inner.counts {
            text.push_str(&format!("  {count:>9}  {what}\n"));
        }
        text.push_str("\nmilliseconds                        p50       p99     worst     count\n");
        for (of, latency) in &inner.latencies {
            let [p50, p99, worst] = [50, 99, 100].map(|percent| latency.percentile(percent) as f64 / 1000.0);
            text.push_str(&format!(
                "  {of:<28} {p50:>9.1} {p99:>9.1} {worst:>9.1} {:>9}\n",
                latency.count()
            ));
        }
        text.push_str("\nanonymous memory in MiB, the maximum of each tenth of the time\n ");
        for most in tenths(&inner.memory) {
            text.push_str(&format!(" {most:>4}"));
        }
        text.push('\n');
        for (kind, of_kind) in &inner.violations {
            text.push_str(&format!("\nVIOLATION {kind} ({} times)\n", of_kind.count));
            for evidence in &of_kind.evidence {
                text.push_str(&format!("  {evidence}\n"));
            }
        }
        text
    }

    /// The row of the table of campaigns and long runs in `docs/figures/campaigns.json`.
    pub fn figures(&self, command: &str, took: Duration, day: &str) -> Value {
        let inner = self.lock();
        let list = |parts: Vec<String>| {
            if parts.is_empty() {
                "none".to_owned()
            } else {
                parts.join("; ")
            }
        };
        let done = inner.counts.iter().map(|(what, count)| format!("{count} {what}"));
        let violations = inner
            .violations
            .iter()
            .map(|(kind, of_kind)| format!("{} of {kind}", of_kind.count));
        let memory = inner.memory.iter().map(|(_, mebibytes)| *mebibytes).max();
        let memory = memory.map(|most| format!("{most} MiB of anonymous memory"));
        let latencies = inner.latencies.iter().map(|(of, latency)| {
            let [p99, worst] = [99, 100].map(|percent| latency.percentile(percent) as f64 / 1000.0);
            format!("{of}: p99 {p99:.1} ms, worst {worst:.1} ms")
        });
        json!({
            "name": format!("`soak {command}`"),
            "date": day,
            "duration": format!("{} min", took.as_secs().div_ceil(60)),
            "done": list(done.collect()),
            "violations": list(violations.collect()),
            "worst": list(memory.into_iter().chain(latencies).collect()),
        })
    }

    pub fn json(&self) -> Value {
        let inner = self.lock();
        let latencies = inner.latencies.iter().map(|(of, latency)| {
            let [p50, p99, worst] = [50, 99, 100].map(|percent| latency.percentile(percent));
            let value = json!({"p50_us": p50, "p99_us": p99, "worst_us": worst, "count": latency.count()});
            (of.clone(), value)
        });
        let violations = inner.violations.iter().map(|(kind, of_kind)| {
            (
                kind.clone(),
                json!({"count": of_kind.count, "evidence": of_kind.evidence}),
            )
        });
        json!({
            "notes": inner.notes,
            "counts": inner.counts,
            "latencies": latencies.collect::<serde_json::Map<_, _>>(),
            "memory_mib": inner.memory,
            "violations": violations.collect::<serde_json::Map<_, _>>(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A thread that panicked left valid counts.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Latency {
    fn count(&self) -> u64 {
        self.0.values().sum()
    }

    fn percentile(&self, percent: u64) -> u64 {
        let rank = (self.count() * percent).div_ceil(100);
        let mut seen = 0;
        let reached = self.0.iter().find(|(_, count)| {
            seen += **count;
            seen >= rank
        });
        reached.map_or(0, |(micros, _)| *micros)
    }
}

/// Rounds up to two significant digits, so that few numbers are kept.
fn two_digits(number: u64) -> u64 {
    let mut unit = 1;
    while number / unit >= 100 {
        unit *= 10;
    }
    number.div_ceil(unit) * unit
}

/// The greatest value of each tenth of a series.
fn tenths(series: &[(u64, u64)]) -> Vec<u64> {
    let size = series.len().div_ceil(10).max(1);
    let most = |part: &[(u64, u64)]| part.iter().map(|(_, value)| *value).max().unwrap_or(0);
    series.chunks(size).map(most).collect()
}
