//! What all threads of a run share: the installation, the model, and the one way to send a request.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use chrono::Utc;

use crate::{
    builds::{Build, Sample},
    http::{Client, RawResponse, Request},
    installation::{Installation, Service},
    ledger::Ledger,
    mail::Mail,
    report::Report,
    timeline::Timeline,
};

/// How long a change of keys may take to reach a running server. Documented are two seconds; a machine that is also
/// building and starting servers needs more now and then. The report has the times.
pub const KEYS_LIMIT: Duration = Duration::from_secs(20);

/// Answers 503 and 504 outside of stops and full disks. The load is light, so they are few: see [`World::check_busy`].
pub const BUSY: &str = "answers 503 and 504 of a server that neither stops nor has a full disk";

pub struct World {
    pub seed: u64,
    pub started: Instant,
    pub installation: Installation,
    pub report: Arc<Report>,
    pub sample: Sample,
    pub mail: Mail,
    pub timeline: Mutex<Timeline>,
    pub ledger: Mutex<Ledger>,
    /// All keys that were created, by label. No label has a blank.
    pub keys: Mutex<BTreeMap<String, String>>,
    pub service: Mutex<Option<Service>>,
    /// Held while a generation is built, published or damaged.
    pub index: Mutex<()>,
    /// Requests hold it to read. To write means: no request is under way, and none begins.
    pub gate: RwLock<()>,
    /// The server is being killed or stopped, so requests may stay without an answer.
    pub is_down: AtomicBool,
    /// The disk is full, so writes fail.
    pub is_disk_full: AtomicBool,
    /// The server's clock jumps, so that it is not known to which day a request counts.
    pub is_clock_unsteady: AtomicBool,
    pub stop: AtomicBool,
    last_build: AtomicU64,
    /// Numbers the server's log files.
    pub lives: AtomicU64,
}

/// An answer, and the builds that may have given it.
pub struct Answered {
    pub answer: RawResponse,
    pub allowed: Vec<Arc<Build>>,
}

impl World {
    pub fn new(seed: u64, installation: Installation, report: Arc<Report>, sample: Sample, mail: Mail) -> World {
        World {
            seed,
            started: Instant::now(),
            installation,
            report,
            sample,
            mail,
            timeline: Mutex::default(),
            ledger: Mutex::default(),
            keys: Mutex::default(),
            service: Mutex::default(),
            index: Mutex::default(),
            gate: RwLock::default(),
            is_down: AtomicBool::new(false),
            is_disk_full: AtomicBool::new(false),
            is_clock_unsteady: AtomicBool::new(false),
            stop: AtomicBool::new(false),
            last_build: AtomicU64::new(0),
            lives: AtomicU64::new(0),
        }
    }

    pub fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Sleeps, but not beyond the end of the run.
    pub fn sleep(&self, time: Duration) {
        let began = Instant::now();
        while !self.is_over() && began.elapsed() < time {
            thread::sleep(time.saturating_sub(began.elapsed()).min(Duration::from_millis(100)));
        }
    }

    pub fn client(&self) -> Client {
        Client::new(self.installation.address)
    }

    pub fn new_build(&self) -> anyhow::Result<Arc<Build>> {
        let number = self.last_build.fetch_add(1, Ordering::Relaxed) + 1;
        let build = self
            .sample
            .write_build(number, Utc::now().date_naive(), &self.installation.path("dumps"));
        Ok(Arc::new(build?))
    }

    /// Runs a command that writes to the state database: again if the disk was full.
    pub fn command(&self, arguments: &[&str]) -> anyhow::Result<String> {
        loop {
            let was_full = self.is_disk_full.load(Ordering::SeqCst);
            match self.installation.run(arguments) {
                Err(_) if was_full || self.is_disk_full.load(Ordering::SeqCst) => thread::sleep(Duration::from_secs(1)),
                outcome => return outcome,
            }
        }
    }

    /// Creates a key and waits until the server accepts it, which costs one request.
    pub fn new_key(&self, plan: &str, label: &str, more: &[&str]) -> anyhow::Result<String> {
        let create = ["keys", "create", "--plan", plan, "--label", label];
        let key = self.command(&[&create, more].concat())?.trim().to_owned();
        lock(&self.keys).insert(label.to_owned(), key.clone());
        let (created, mut client) = (Instant::now(), self.client());
        while !self.is_over() {
            match self.send(&mut client, "key", &Request::get("/sources", &key)) {
                Some(answered) if answered.answer.status == 403 => {
                    ensure!(
                        created.elapsed() < KEYS_LIMIT,
                        "a new key is not accepted after {KEYS_LIMIT:?}"
                    );
                }
                Some(answered) if answered.answer.status == 200 => break,
                // Refused for load, which is free, or not answered.
                _ => {}
            }
            thread::sleep(Duration::from_millis(200));
        }
        Ok(key)
    }

    /// Sends a request, writes it into the ledger, and checks what holds for every answer. `None` if there was no
    /// answer, because the server was killed.
    pub fn send(&self, client: &mut Client, what: &str, request: &Request) -> Option<Answered> {
        let _open = self.gate.read().unwrap_or_else(PoisonError::into_inner);
        let sent = Instant::now();
        let received = client.timed(request);
        let is_clock_steady = !self.is_clock_unsteady.load(Ordering::Relaxed);
        lock(&self.ledger).note(
            request,
            received.as_ref().ok().map(|(answer, _)| answer),
            is_clock_steady,
        );
        match received {
            Ok((answer, took)) => {
                self.report.count(format!("answers {} {what}", answer.status));
                self.report.latency(what, took);
                self.check_answer(what, request, &answer);
                let allowed = lock(&self.timeline).allowed(sent, Instant::now());
                Some(Answered { answer, allowed })
            }
            Err(error) => {
                self.report.count("requests without an answer");
                if !self.is_down.load(Ordering::Relaxed) {
                    let target = &request.target;
                    self.report
                        .violation("no answer from a running server", format!("{what} {target}: {error}"));
                }
                thread::sleep(Duration::from_millis(50));
                None
            }
        }
    }

    /// At the end: a server that refuses most requests breaks no other rule, because a refusal needs no comparison.
    pub fn check_busy(&self) {
        let (busy, answered) = (self.report.counted(BUSY), self.report.counted("answers 200"));
        if busy > answered / 10 {
            self.report.violation(
                "too many requests are refused",
                format!("{busy} of {answered} that were answered"),
            );
        }
    }

    /// What holds for every answer.
    fn check_answer(&self, what: &str, request: &Request, answer: &RawResponse) {
        let show = || {
            format!(
                "{} {}: {} {}",
                request.method,
                request.target,
                answer.status,
                answer.excerpt()
            )
        };
        if answer.header("x-request-id").is_none() {
            self.report.violation("an answer without X-Request-Id", show());
        }
        match answer.status {
            200..=399 => return,
            503 if answer.header("retry-after").is_none() => {
                self.report.violation("503 without Retry-After", show());
            }
            503 | 504 if !self.is_down.load(Ordering::Relaxed) && !self.is_disk_full.load(Ordering::Relaxed) => {
                self.report.count(BUSY);
            }
            500 => self.report.violation("500", show()),
            _ => {}
        }
        let has_detail = answer.json().is_some_and(|body| body["detail"].is_string());
        if request.method != "HEAD" && !has_detail {
            self.report
                .violation("an error without a detail", format!("{what} {}", show()));
        }
    }

    /// Starts the server with these variables in addition, and waits for its first answer.
    pub fn start(&self, environment: &[(String, String)]) -> anyhow::Result<()> {
        let life = self.lives.fetch_add(1, Ordering::Relaxed) + 1;
        let began = Instant::now();
        let mut service = self.installation.serve(life, environment)?;
        let health = service.wait_until_up(&self.installation)?;
        self.report.latency("start to first answer", began.elapsed());
        let generation = health["index"]["generation"]
            .as_str()
            .context("/health without a generation")?;
        let mut timeline = lock(&self.timeline);
        let build = timeline.of_generation(generation);
        // Without a command that publishes, the server must serve what CURRENT names.
        if let (Ok(_idle), Some(current)) = (self.index.try_lock(), self.installation.current()) {
            if current != generation {
                let what = format!(
                    "{generation} instead of {current} (build {:?})",
                    build.map(|build| build.number)
                );
                self.report
                    .violation("a restarted server serves another generation", what);
            } else if let Some(build) = build {
                timeline.restarted();
                let records = &health["index"]["records"];
                if *records != build.count() as u64 {
                    let what = format!("{records} instead of {} in build {}", build.count(), build.number);
                    self.report.violation("/health counts wrong records", what);
                }
            }
        }
        drop(timeline);
        *lock(&self.service) = Some(service);
        Ok(())
    }
}

/// Locks, also after a thread has panicked: the run reports that thread anyway.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
