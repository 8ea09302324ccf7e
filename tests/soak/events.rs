//! What happens to the server, one event at a time: kills, stops, a mail server that fails, a full disk, a damaged
//! generation, a clock that jumps.

use std::{
    fs::{self, File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
    sync::{PoisonError, atomic::Ordering},
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use chrono::{NaiveDate, Utc};

use crate::{
    clients,
    http::Request,
    indexer,
    installation::{Service, ended_by},
    random::Random,
    world::{World, lock},
};

const SIGBUS: i32 = 7;

/// How the server ends.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Killed,
    Stopped,
}

pub struct Events {
    random: Random,
    /// The preloaded library that shifts the clock, and the file with the shift.
    clock: Option<(PathBuf, PathBuf)>,
    /// Whether the data is on a file system of a limited size.
    is_small_disk: bool,
    survives_damage: bool,
    day: NaiveDate,
    /// How many generations were damaged.
    damaged: u64,
}

impl Events {
    pub fn new(world: &World, is_small_disk: bool) -> Events {
        let survives_damage = world.installation.has_option(&["serve"], "--strict-generation");
        if !survives_damage {
            world
                .report
                .note("SKIPPED: this binary does not serve an older generation, so none was damaged");
        }
        let clock = clock_library().map(|library| (library, world.installation.path("clock")));
        if clock.is_none() {
            world
                .report
                .note("SKIPPED: libfaketime is not installed, so the clock did not jump");
        }
        Events {
            random: Random::new(world.seed, "events"),
            clock,
            is_small_disk,
            survives_damage,
            day: Utc::now().date_naive(),
            damaged: 0,
        }
    }

    /// Runs events until `end`.
    pub fn run(&mut self, world: &World, every: Duration, end: Instant) -> anyhow::Result<()> {
        let mut number = 0;
        loop {
            let pause = every / 2 + every.mul_f64(self.random.below(100) as f64 / 100.0);
            world.sleep(pause.min(end.saturating_duration_since(Instant::now())));
            if world.is_over() || Instant::now() >= end {
                return Ok(());
            }
            // The first events are of each kind once, so that a short run has them all.
            let kind = if number < 6 { number } else { self.random.below(12) };
            number += 1;
            match kind {
                0 | 6..=8 => self.restart(world, End::Killed, &[])?,
                1 | 9 | 10 => self.fail_mail(world),
                2 => self.damage(world)?,
                3 => self.fill_disk(world)?,
                4 => self.shift_clock(world)?,
                _ => self.restart(world, End::Stopped, &[])?,
            }
        }
    }

    /// Ends the server, checks what it left, and starts it again.
    fn restart(&mut self, world: &World, how: End, environment: &[(String, String)]) -> anyhow::Result<()> {
        world.is_down.store(true, Ordering::SeqCst);
        self.end(world, how)?;
        let _closed = world.gate.write().unwrap_or_else(PoisonError::into_inner);
        world.start(environment)?;
        world.is_down.store(false, Ordering::SeqCst);
        Ok(())
    }

    /// Ends the server for good, at the end of the run.
    pub fn stop(&mut self, world: &World) -> anyhow::Result<()> {
        world.is_down.store(true, Ordering::SeqCst);
        self.end(world, End::Stopped)
    }

    /// Ends the server and compares what it left with what it acknowledged. `is_down` is set, so that requests without
    /// an answer are not a violation.
    fn end(&mut self, world: &World, how: End) -> anyhow::Result<()> {
        let mut service = lock(&world.service).take().context("no server is running")?;
        let began = Instant::now();
        match how {
            End::Killed => service.kill(),
            End::Stopped => {
                let status = service.terminate()?;
                world.report.latency("SIGTERM to exit", began.elapsed());
                if !status.success() {
                    let evidence = format!("{status}: {}", service.log_tail());
                    world.report.violation("the server does not stop cleanly", evidence);
                }
            }
        }
        world.report.count(if how == End::Killed {
            "servers killed"
        } else {
            "servers stopped"
        });
        // The requests under way fail, and no new one begins.
        let _closed = world.gate.write().unwrap_or_else(PoisonError::into_inner);
        self.compare(world, &service, (how == End::Killed).then_some(began))
    }

    /// Compares what an ended server left with what it acknowledged. `killed`: when, if it was not stopped.
    fn compare(&mut self, world: &World, service: &Service, killed: Option<Instant>) -> anyhow::Result<()> {
        check_log(world, service);
        let today = Utc::now().date_naive();
        clients::check_counts(world, killed, today != self.day)?;
        self.day = today;
        let list = world.installation.run(&["alerts", "list"])?;
        world.mail.check_list(&list, &world.report);
        Ok(())
    }

    fn fail_mail(&mut self, world: &World) {
        let what = world.mail.fail(&mut self.random);
        world.report.count(what);
        world.sleep(Duration::from_secs(5 + self.random.below(20)));
        world.mail.recover();
        // At the same time as the server, which may be sending: only one of the two may.
        let sent = world.installation.run(&["alerts", "send"]);
        world.report.count(if sent.is_ok() {
            "alerts sent by the command"
        } else {
            "alerts not sent by the command"
        });
    }

    /// Fills the file system of the data. The server must go on answering, and a build must fail in a sentence.
    fn fill_disk(&mut self, world: &World) -> anyhow::Result<()> {
        if !self.is_small_disk {
            return Ok(());
        }
        let _index = lock(&world.index);
        let current = world.installation.current();
        world.is_disk_full.store(true, Ordering::SeqCst);
        let ballast = world.installation.data.join("ballast");
        fill(&ballast)?;
        let built = world
            .new_build()
            .and_then(|_| world.installation.run(&["index", "--memory-mb", "64"]));
        match built {
            Ok(_) => world
                .report
                .violation("a build succeeded on a full disk", String::new()),
            Err(error) if format!("{error:#}").contains("panicked") => {
                world
                    .report
                    .violation("a build panicked on a full disk", format!("{error:#}"));
            }
            Err(_) => world.report.count("builds refused on a full disk"),
        }
        if world.installation.current() != current {
            world
                .report
                .violation("a full disk changed CURRENT", format!("{current:?}"));
        }
        world.sleep(Duration::from_secs(3));
        fs::remove_file(&ballast)?;
        // What could not be written is written within about a second.
        world.sleep(Duration::from_secs(3));
        world.is_disk_full.store(false, Ordering::SeqCst);
        world.report.count("full disks");
        Ok(())
    }

    /// Truncates the records of the published generation, while it is served or before a start: the server ends or goes
    /// on, and a start serves the generation before.
    fn damage(&mut self, world: &World) -> anyhow::Result<()> {
        if !self.survives_damage {
            return Ok(());
        }
        let _index = lock(&world.index);
        // So that there are two whole ones.
        indexer::build(world)?;
        let damaged = world.installation.current().context("no generation is published")?;
        world.is_down.store(true, Ordering::SeqCst);
        self.damaged += 1;
        let is_served = self.damaged % 2 == 1;
        if !is_served {
            self.end(world, End::Killed)?;
        }
        let closed = world.gate.write().unwrap_or_else(PoisonError::into_inner);
        truncate(
            &world
                .installation
                .index_dir()
                .join(&damaged)
                .join("contract/records.ndjson"),
        )?;
        if is_served {
            die_of_damage(world)?;
            let mut service = lock(&world.service).take().context("no server is running")?;
            service.kill();
            self.compare(world, &service, Some(Instant::now()))?;
        }
        world.start(&[])?;
        let health = world.installation.health().context("no answer to /health")?;
        let generation = health["index"]["generation"].as_str().unwrap_or_default();
        let served = lock(&world.timeline).of_generation(generation);
        match served {
            Some(build) if generation != damaged => {
                let mut timeline = lock(&world.timeline);
                timeline.may_publish(&build);
                timeline.published(&build, generation);
                timeline.served(&build);
                timeline.restarted();
            }
            _ => world.report.violation("a damaged generation is served", generation),
        }
        world.is_down.store(false, Ordering::SeqCst);
        drop(closed);
        world.report.count("generations damaged");
        world.sleep(Duration::from_secs(3));
        indexer::build(world)?;
        Ok(())
    }

    /// Lets the clock of the server jump by hours, forward and back.
    fn shift_clock(&mut self, world: &World) -> anyhow::Result<()> {
        let Some((library, file)) = self.clock.clone() else {
            return Ok(());
        };
        fs::write(&file, "+0")?;
        world.is_clock_unsteady.store(true, Ordering::SeqCst);
        let environment = [
            ("LD_PRELOAD", library.display().to_string()),
            ("FAKETIME_TIMESTAMP_FILE", file.display().to_string()),
            ("FAKETIME_NO_CACHE", "1".to_owned()),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
        ];
        let environment = environment.map(|(name, value)| (name.to_owned(), value));
        self.restart(world, End::Killed, &environment)?;
        for _ in 0..3 {
            let shift = *self.random.pick(&["+90", "-7200", "+25h", "+3d", "-1d", "+0"]);
            // A rename, so that the file is never seen half written.
            let new = file.with_extension("new");
            fs::write(&new, shift)?;
            fs::rename(&new, &file)?;
            world.report.count(format!("jumps of the clock to {shift}"));
            world.sleep(Duration::from_secs(4 + self.random.below(8)));
        }
        self.restart(world, End::Stopped, &[])?;
        world.is_clock_unsteady.store(false, Ordering::SeqCst);
        Ok(())
    }
}

/// Where Debian and Fedora install libfaketime.
fn clock_library() -> Option<PathBuf> {
    let folders = [
        "/usr/lib/x86_64-linux-gnu/faketime",
        "/usr/lib/aarch64-linux-gnu/faketime",
        "/usr/lib64/faketime",
    ];
    folders
        .iter()
        .map(|folder| Path::new(folder).join("libfaketimeMT.so.1"))
        .find(|path| path.exists())
}

/// Requests pages of the damaged generation until the server has died or has answered them all.
fn die_of_damage(world: &World) -> anyhow::Result<()> {
    let key = lock(&world.keys).get("chaos").cloned().context("no key")?;
    let mut client = world.client();
    for offset in (0..1000).step_by(50) {
        let request = Request::get(format!("/contract?limit=50&offset={offset}"), &key);
        lock(&world.ledger).note(&request, client.send(&request).as_ref().ok(), false);
    }
    let mut service = lock(&world.service);
    let service = service.as_mut().context("no server is running")?;
    match service.wait(Duration::from_secs(2))? {
        None => world.report.count("servers that survived a damaged generation"),
        Some(status) => {
            ensure!(
                ended_by(status, SIGBUS),
                "a damaged generation ended the server with {status}"
            );
            world.report.count("servers that died of a damaged generation");
            let log = service.log_text();
            if !log
                .lines()
                .any(|line| line.contains("SIGBUS") || line.contains("mapped"))
            {
                let evidence = service.log_tail();
                world
                    .report
                    .violation("a death by SIGBUS without a sentence in the log", evidence);
            }
        }
    }
    Ok(())
}

fn truncate(path: &Path) -> anyhow::Result<()> {
    let truncated = OpenOptions::new()
        .write(true)
        .open(path)
        .and_then(|file| file.set_len(1000));
    truncated.with_context(|| format!("truncating {}", path.display()))
}

/// Writes a file until the disk is full.
fn fill(path: &Path) -> anyhow::Result<()> {
    let mut file = File::create(path)?;
    for size in [1 << 20, 4096, 1] {
        let bytes = vec![0; size];
        while file.write_all(&bytes).is_ok() {}
    }
    Ok(())
}

/// A log must have no panic. Errors are counted, so that a reader of the report sees them.
pub fn check_log(world: &World, service: &Service) {
    for line in service.log_text().lines() {
        if line.contains("panicked") || line.contains("RUST_BACKTRACE") {
            world.report.violation("a panic", line);
        } else if line.contains(" ERROR ") {
            let text: String = line
                .split(" ERROR ")
                .nth(1)
                .unwrap_or_default()
                .chars()
                .take(60)
                .collect();
            world.report.count(format!("log errors: {text}"));
        }
    }
    let _ = fs::remove_file(&service.log);
}
