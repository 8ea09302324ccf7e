//! Shared by the benches: arguments, generated dumps and their index, the resources a process uses,
//! repeated timing, and output rows.

#![allow(dead_code, reason = "each bench uses only some of the items")]

mod figures;
#[path = "../../tests/support/http.rs"]
pub mod http;
#[path = "../../tests/support/installation.rs"]
pub mod installation;
pub mod load;
pub mod report;
pub mod server;
pub mod sweep;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command},
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use procure::model::{entity_type::EntityType, schema::Schema};
use report::{Plot, Report};
use serde_json::{Value, json};

pub const BINARY: &str = env!("CARGO_BIN_EXE_procure");

/// `--records N`, `--mb N` and `--dir DIR`. The `--bench` that cargo adds is ignored.
pub struct Arguments {
    pub records: u64,
    pub megabytes: u64,
    /// Of the cluster that is measured; `None` for all.
    pub nodes: Option<usize>,
    pub dir: PathBuf,
}

impl Arguments {
    pub fn parse() -> Arguments {
        let value = argument;
        Arguments {
            records: value("--records").map_or(2_000_000, |n| n.parse().expect("--records takes a number")),
            megabytes: value("--mb").map_or(50, |n| n.parse().expect("--mb takes a number")),
            nodes: value("--nodes").map(|n| n.parse().expect("--nodes takes a number")),
            dir: value("--dir").map_or_else(|| PathBuf::from("target/bench"), PathBuf::from),
        }
    }
}

/// The folder of `records` generated contracts. They are generated once and reused by later runs.
pub fn dumps(dir: &Path, records: u64) -> PathBuf {
    generate(
        dir.join(format!("dumps-{records}")),
        records,
        &["--entity-type", "contract"],
    )
}

fn generate(out: PathBuf, records: u64, more: &[&str]) -> PathBuf {
    if !out.join("done").exists() {
        let _ = fs::remove_dir_all(&out);
        run(Command::new(BINARY)
            .args(["sample", "--seed", "1", "--records"])
            .arg(records.to_string())
            .args(more)
            .arg("--out")
            .arg(&out));
        fs::write(out.join("done"), "").expect("writing the file that marks complete dumps");
    }
    out
}

/// The folder of an index of those contracts, reused likewise.
pub fn index(dir: &Path, records: u64) -> PathBuf {
    build(dir, &format!("index-{records}"), || dumps(dir, records))
}

/// The folder of an index of `records` records of all entity types, reused likewise.
pub fn mixed_index(dir: &Path, records: u64) -> PathBuf {
    build(dir, &format!("mixed-index-{records}"), || {
        generate(dir.join(format!("mixed-dumps-{records}")), records, &[])
    })
}

fn build(dir: &Path, name: &str, dumps: impl FnOnce() -> PathBuf) -> PathBuf {
    // An index with another schema does not open, so the folder's name contains the schema's
    // fingerprint.
    let schema = Schema::of(EntityType::Contract).fingerprint();
    let out = dir.join(format!("{name}-{schema}"));
    if !out.join("CURRENT").exists() {
        let dumps = dumps();
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

/// Resources that a process used, as the system reports them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Peak resident memory in MiB, mapped files included.
    pub peak_mb: f64,
    /// Largest sampled anonymous memory in MiB: memory that is not page cache.
    pub anonymous_mb: f64,
    pub cpu_seconds: f64,
}

/// Waits for a process to end. Returns its run time in seconds and the resources that it used.
///
/// Memory is sampled every 10 ms. CPU time is read after the end.
pub fn watch(mut child: Child) -> (f64, Usage) {
    let (started, cpu_before) = (Instant::now(), cpu_seconds(std::process::id(), ENDED_CHILDREN_CPU));
    let (pid, has_ended) = (child.id(), AtomicBool::new(false));
    thread::scope(|scope| {
        let sampler = scope.spawn(|| {
            let mut peak = Usage::default();
            while !has_ended.load(Ordering::Relaxed) {
                let now = usage(pid);
                peak.peak_mb = peak.peak_mb.max(now.peak_mb);
                peak.anonymous_mb = peak.anonymous_mb.max(now.anonymous_mb);
                thread::sleep(Duration::from_millis(10));
            }
            peak
        });
        let status = child.wait().expect("waiting for the process");
        let seconds = started.elapsed().as_secs_f64();
        has_ended.store(true, Ordering::Relaxed);
        assert!(status.success(), "the process failed");
        let mut used = sampler.join().expect("the sampling thread");
        used.cpu_seconds = cpu_seconds(std::process::id(), ENDED_CHILDREN_CPU) - cpu_before;
        (seconds, used)
    })
}

/// Index of `utime` among the fields of `/proc/<pid>/stat` after the command. `stime` follows it.
const OWN_CPU: usize = 11;

/// Index of `cutime`: user time of the process's children that have ended. `cstime` follows it.
const ENDED_CHILDREN_CPU: usize = 13;

/// User plus system time in seconds. The system counts ticks of 10 ms.
fn cpu_seconds(pid: u32, field: usize) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The command is in parentheses and may contain parentheses itself. No later field contains
    // one.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let user_and_system = fields
        .skip(field)
        .take(2)
        .map(|ticks| ticks.parse::<f64>().unwrap_or(0.0));
    user_and_system.sum::<f64>() / 100.0
}

/// The resources that a running process has used so far. All zero if it has ended.
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
        cpu_seconds: cpu_seconds(pid, OWN_CPU),
    }
}

/// Total size in bytes of a file, or of all files in a folder.
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

/// Times of repeated runs in milliseconds, sorted.
pub struct Times(Vec<f64>);

impl Times {
    /// Times at least 100 runs, and up to 1000 within a second: enough for a p99. Five untimed runs
    /// come first.
    pub fn of(mut run: impl FnMut()) -> Times {
        for _ in 0..5 {
            run();
        }
        let (started, mut times) = (Instant::now(), Vec::new());
        while times.len() < 100 || (times.len() < 1000 && started.elapsed() < Duration::from_secs(1)) {
            times.push(milliseconds(&mut run));
        }
        times.sort_by(f64::total_cmp);
        Times(times)
    }

    /// Times `count` runs of something slow.
    pub fn of_some(count: usize, mut run: impl FnMut()) -> Times {
        let mut times: Vec<f64> = (0..count).map(|_| milliseconds(&mut run)).collect();
        times.sort_by(f64::total_cmp);
        Times(times)
    }

    /// Times one run for each item; a single item is run as [`Times::of`] does.
    pub fn of_each<T>(items: &[T], mut run: impl FnMut(&T)) -> Times {
        if let [item] = items {
            return Times::of(|| run(item));
        }
        let mut times: Vec<f64> = items.iter().map(|item| milliseconds(&mut || run(item))).collect();
        times.sort_by(f64::total_cmp);
        Times(times)
    }

    pub fn percentile(&self, percent: usize) -> f64 {
        self.0[(self.0.len() - 1) * percent / 100]
    }
}

fn milliseconds(run: &mut impl FnMut()) -> f64 {
    let begin = Instant::now();
    run();
    begin.elapsed().as_secs_f64() * 1000.0
}

/// The rows and plots so far.
static ROWS: Mutex<Vec<Value>> = Mutex::new(Vec::new());
static PLOTS: Mutex<Vec<Plot>> = Mutex::new(Vec::new());

/// Prints a row of results: as a line of a table to stderr, and as a JSON line to stdout. Saves all rows so far to the
/// file of figures, if one is wanted, and draws them.
pub fn row(name: &str, figures: &[(&str, f64)]) {
    let columns: Vec<String> = figures
        .iter()
        .map(|(what, figure)| format!("{what} {figure:.4}"))
        .collect();
    eprintln!("{name:44} {}", columns.join("  "));
    let mut line = json!({ "name": name });
    for (what, figure) in figures {
        line[*what] = Value::from(*figure);
    }
    println!("{line}");
    let mut rows = ROWS.lock().expect("no thread panics while it adds a row");
    rows.push(line);
    figures::save(Some(&command()), &rows, false);
    if let Some(last) = rows.last_mut() {
        last[figures::CALIBRATION] = Value::from(report::calibrate());
    }
    draw(&rows);
}

/// Adds a plot to the report.
pub fn plot(plot: Plot) {
    PLOTS.lock().expect("no thread panics while it adds a plot").push(plot);
    draw(&ROWS.lock().expect("no thread panics while it adds a row"));
}

fn draw(rows: &[Value]) {
    let report = Report {
        bench: &bench(),
        command: &command(),
        machine: &figures::machine(),
        rows,
        plots: &PLOTS.lock().expect("no thread panics while it adds a plot"),
    };
    report.write(argument("--save").as_deref(), argument("--against").as_deref());
}

/// The argument after this one.
fn argument(name: &str) -> Option<String> {
    let mut given = std::env::args().skip_while(|argument| argument != name);
    given.nth(1)
}

/// The name of this bench.
fn bench() -> String {
    let program = std::env::current_exe().unwrap_or_default();
    let name = program.file_stem().unwrap_or_default().to_string_lossy();
    name.rsplit_once('-').map_or(&*name, |(bench, _)| bench).to_owned()
}

/// The command that started this bench.
fn command() -> String {
    let bench = bench();
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    if arguments.is_empty() {
        format!("cargo bench --bench {bench}")
    } else {
        format!("cargo bench --bench {bench} -- {}", arguments.join(" "))
    }
}
