//! What the benches share: their arguments, the generated collection, processes watched from outside, and rows printed as a table and as JSON lines.

#![allow(dead_code, reason = "each bench uses its part")]

pub mod server;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use procure::model::{entity_type::EntityType, schema::Schema};
use serde_json::{Value, json};

pub const BINARY: &str = env!("CARGO_BIN_EXE_procure");

/// `--records N`, `--mb N` and `--dir DIR`; cargo's own `--bench` is passed over.
pub struct Arguments {
    pub records: u64,
    pub megabytes: u64,
    pub dir: PathBuf,
}

impl Arguments {
    pub fn parse() -> Arguments {
        let given: Vec<String> = std::env::args().collect();
        let value = |name: &str| {
            given
                .iter()
                .position(|arg| arg == name)
                .and_then(|at| given.get(at + 1))
        };
        Arguments {
            records: value("--records").map_or(2_000_000, |n| n.parse().expect("--records takes a number")),
            megabytes: value("--mb").map_or(50, |n| n.parse().expect("--mb takes a number")),
            dir: value("--dir").map_or_else(|| PathBuf::from("target/bench"), PathBuf::from),
        }
    }
}

/// Generated contracts, made once a size and kept for the next run.
pub fn dumps(dir: &Path, records: u64) -> PathBuf {
    let out = dir.join(format!("dumps-{records}"));
    if !out.join("done").exists() {
        let _ = fs::remove_dir_all(&out);
        run(Command::new(BINARY)
            .args(["sample", "--entity-type", "contract", "--seed", "1", "--records"])
            .arg(records.to_string())
            .arg("--out")
            .arg(&out));
        fs::write(out.join("done"), "").expect("writing beside the dumps");
    }
    out
}

/// The index of those contracts, likewise.
pub fn index(dir: &Path, records: u64) -> PathBuf {
    // An index of another layout would not open.
    let layout = Schema::of(EntityType::Contract).fingerprint();
    let out = dir.join(format!("index-{records}-{layout}"));
    if !out.join("CURRENT").exists() {
        let dumps = dumps(dir, records);
        run(Command::new(BINARY)
            .arg("index")
            .arg("--dumps")
            .arg(dumps)
            .arg("--index-dir")
            .arg(&out));
    }
    out
}

fn run(command: &mut Command) {
    let status = command.status().expect("starting the binary");
    assert!(status.success(), "{command:?} failed");
}

/// What the system tells of a process, in MiB and seconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Peak resident memory, mapped files included.
    pub peak_mb: f64,
    /// Greatest sampled anonymous memory: what is not page cache.
    pub anonymous_mb: f64,
    pub cpu_seconds: f64,
}

/// Runs a process to its end, watching. Memory is looked at now and then; the processor's time is told when all is over.
pub fn watch(mut child: Child) -> (f64, Usage) {
    let (started, before) = (Instant::now(), ticks(std::process::id(), ENDED));
    let (pid, is_over) = (child.id(), AtomicBool::new(false));
    thread::scope(|scope| {
        let watching = scope.spawn(|| {
            let mut seen = Usage::default();
            while !is_over.load(Ordering::Relaxed) {
                let now = usage(pid);
                seen.peak_mb = seen.peak_mb.max(now.peak_mb);
                seen.anonymous_mb = seen.anonymous_mb.max(now.anonymous_mb);
                thread::sleep(Duration::from_millis(10));
            }
            seen
        });
        let status = child.wait().expect("waiting for the process");
        let seconds = started.elapsed().as_secs_f64();
        is_over.store(true, Ordering::Relaxed);
        assert!(status.success(), "the process failed");
        let mut seen = watching.join().expect("the process watched");
        seen.cpu_seconds = ticks(std::process::id(), ENDED) - before;
        (seconds, seen)
    })
}

/// Where a process's own time stands in its `stat` behind the command, and that of its children that ended; user time, then the system's.
const OWN: usize = 11;
const ENDED: usize = 13;

/// In seconds; the system counts by 10 ms.
fn ticks(pid: u32, at: usize) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The command may hold anything, but for a closing parenthesis behind its own.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let both = fields.skip(at).take(2).map(|ticks| ticks.parse::<f64>().unwrap_or(0.0));
    both.sum::<f64>() / 100.0
}

pub fn usage(pid: u32) -> Usage {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let mb = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok())
            .unwrap_or(0.0)
            / 1024.0
    };
    Usage {
        peak_mb: mb("VmHWM:"),
        anonymous_mb: mb("RssAnon:"),
        cpu_seconds: ticks(pid, OWN),
    }
}

pub fn size(path: &Path) -> u64 {
    let meta = fs::metadata(path).expect("a file to measure");
    if meta.is_file() {
        return meta.len();
    }
    fs::read_dir(path)
        .expect("a folder to measure")
        .map(|entry| size(&entry.expect("an entry").path()))
        .sum()
}

/// Times of repeated runs, in milliseconds.
pub struct Times(Vec<f64>);

impl Times {
    /// Runs `ask` until it has been run often enough or long enough to tell a p99.
    pub fn of(mut ask: impl FnMut()) -> Times {
        for _ in 0..5 {
            ask();
        }
        let (started, mut times) = (Instant::now(), Vec::new());
        while times.len() < 100 || (times.len() < 1000 && started.elapsed() < Duration::from_secs(1)) {
            let begin = Instant::now();
            ask();
            times.push(begin.elapsed().as_secs_f64() * 1000.0);
        }
        times.sort_by(f64::total_cmp);
        Times(times)
    }

    /// For what takes long enough that a few runs tell.
    pub fn of_some(runs: usize, mut ask: impl FnMut()) -> Times {
        let time = |_| {
            let begin = Instant::now();
            ask();
            begin.elapsed().as_secs_f64() * 1000.0
        };
        let mut times: Vec<f64> = (0..runs).map(time).collect();
        times.sort_by(f64::total_cmp);
        Times(times)
    }

    pub fn percentile(&self, percent: usize) -> f64 {
        self.0[(self.0.len() - 1) * percent / 100]
    }
}

/// A row of a bench: the table goes to stderr, the JSON line to stdout.
pub fn row(name: &str, figures: &[(&str, f64)]) {
    let shown: Vec<String> = figures
        .iter()
        .map(|(what, figure)| format!("{what} {figure:.4}"))
        .collect();
    eprintln!("{name:44} {}", shown.join("  "));
    let mut line = json!({ "name": name });
    for (what, figure) in figures {
        line[*what] = Value::from(*figure);
    }
    println!("{line}");
}
