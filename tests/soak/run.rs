//! `soak run`: a service under everything at once, for a chosen time.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, atomic::Ordering},
    thread,
    time::{Duration, Instant},
};

use anyhow::Context;
use clap::Args;
use tokio::signal::unix::{SignalKind, signal};

use crate::{
    builds::Sample,
    clients,
    events::Events,
    hostile, indexer,
    installation::Installation,
    mail::{Mail, Wish},
    observer, readers,
    report::Report,
    world::{World, lock},
};

#[derive(Debug, Args)]
pub struct Run {
    /// How long to run
    #[arg(long, value_name = "N", default_value_t = 3)]
    minutes: u64,
    /// Number of records of the sample
    #[arg(long, value_name = "N", default_value_t = 1500)]
    records: u64,
    /// Mean time between two builds of the index
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    index_every: u64,
    /// Mean time between two events: kills, stops, failures of mail, disk and clock
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    event_every: u64,
    /// Anonymous memory that the server may use
    #[arg(long, value_name = "MIB", default_value_t = 512)]
    memory_mb: u64,
    /// Size of the file system of the data, which is filled now and then; made only for root
    #[arg(long, value_name = "MIB", default_value_t = 256)]
    disk_mb: u64,
}

/// A small file system in memory. It is unmounted when dropped.
struct SmallDisk(PathBuf);

impl Run {
    pub fn run(&self, binary: &Path, seed: u64, report: &Arc<Report>) -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let mut installation = Installation::new(binary, folder.path())?;
        let disk = SmallDisk::mount(&installation.data, self.disk_mb);
        if disk.is_none() {
            report.note("SKIPPED: no small file system can be mounted here (root can), so the disk was never full");
        }
        let mail = Mail::start(folder.path())?;
        installation.environment = mail.environment();
        let plans = installation.path("plans.toml");
        fs::write(&plans, clients::PLANS)?;
        installation
            .environment
            .push(("PROCURE_PLANS".to_owned(), plans.display().to_string()));
        let sample = installation.path("sample");
        let (records, sample_seed) = (self.records.to_string(), (seed % 1_000_000).to_string());
        let out = sample.display().to_string();
        installation.run(&["sample", "--records", &records, "--seed", &sample_seed, "--out", &out])?;
        let sample = Sample::read(&sample, seed)?;
        let world = Arc::new(World::new(seed, installation, Arc::clone(report), sample, mail));
        let outcome = self.run_in(&world, disk.is_some());
        world.stop.store(true, Ordering::SeqCst);
        // Ends the server before the disk goes.
        lock(&world.service).take();
        outcome
    }

    fn run_in(&self, world: &Arc<World>, is_small_disk: bool) -> anyhow::Result<()> {
        let _ = world.installation.create_key("BASIC", "first", &[])?;
        first_build(world)?;
        world.start(&[])?;
        stop_on_signal(world)?;
        let began = Instant::now();
        let end = began + Duration::from_secs(60 * self.minutes);
        let parts = self.start_threads(world)?;
        let mut events = Events::new(world, is_small_disk);
        let happened = events.run(world, Duration::from_secs(self.event_every), end);
        let finished = happened.and_then(|()| if world.is_over() { Ok(()) } else { last_check(world) });
        world.stop.store(true, Ordering::SeqCst);
        parts.into_iter().for_each(|part| part.join(&world.report));
        finished?;
        world.mail.check(&world.report);
        world.check_busy();
        events.stop(world)?;
        world.report.note(format!("ran {} s", began.elapsed().as_secs()));
        Ok(())
    }

    fn start_threads(&self, world: &Arc<World>) -> anyhow::Result<Vec<Part>> {
        let key = |plan: &str, label: &str| world.new_key(plan, label, &[]);
        let (mega, ultra, pro) = (key("MEGA", "mega")?, key("ULTRA", "ultra")?, key("PRO", "pro")?);
        let hostile = key("ULTRA", "hostile")?;
        key("ULTRA", "chaos")?;
        let mut parts = Vec::new();
        for (name, key) in [("search 1", &mega), ("search 2", &mega), ("search 3", &ultra)] {
            parts.push(Part::reader(world, name, key, move |world, key| {
                readers::search(world, key, name)
            }));
        }
        parts.push(Part::reader(world, "walk", &ultra, readers::walk));
        parts.push(Part::reader(world, "look up", &ultra, readers::look_up));
        parts.push(Part::reader(world, "sources", &ultra, readers::sources));
        parts.push(Part::reader(world, "market", &ultra, readers::market));
        parts.push(Part::reader(world, "flood", &pro, clients::exceed_rate));
        parts.push(Part::reader(world, "hostile", &hostile, hostile::run));
        parts.push(Part::start(world, "quotas", clients::use_up_quotas));
        parts.push(Part::start(world, "revoke", |world| clients::revoke(world)));
        parts.push(Part::start(world, "subscribe", |world| clients::subscribe(world)));
        let (every, memory) = (Duration::from_secs(self.index_every), self.memory_mb);
        parts.push(Part::start(world, "indexer", move |world| indexer::run(world, every)));
        parts.push(Part::start(world, "observer", move |world| {
            observer::run(world, memory);
            Ok(())
        }));
        Ok(parts)
    }
}

/// A thread of the run.
struct Part {
    name: &'static str,
    thread: thread::JoinHandle<anyhow::Result<()>>,
}

impl Part {
    fn start(
        world: &Arc<World>,
        name: &'static str,
        work: impl FnOnce(&Arc<World>) -> anyhow::Result<()> + Send + 'static,
    ) -> Part {
        let world = Arc::clone(world);
        let thread = thread::spawn(move || work(&world));
        Part { name, thread }
    }

    /// A client with one key that cannot fail.
    fn reader(
        world: &Arc<World>,
        name: &'static str,
        key: &str,
        read: impl FnOnce(&World, &str) + Send + 'static,
    ) -> Part {
        let key = key.to_owned();
        Part::start(world, name, move |world| {
            read(world, &key);
            Ok(())
        })
    }

    fn join(self, report: &Report) {
        let name = self.name;
        match self.thread.join() {
            Ok(Ok(())) => {}
            Ok(Err(error)) => report.violation("a part of the soak failed", format!("{name}: {error:#}")),
            Err(_) => report.violation("a part of the soak panicked", name),
        }
    }
}

/// SIGINT and SIGTERM end the run early, with its report.
fn stop_on_signal(world: &Arc<World>) -> anyhow::Result<()> {
    for kind in [SignalKind::interrupt(), SignalKind::terminate()] {
        let world = Arc::clone(world);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        thread::spawn(move || {
            let received = runtime.block_on(async { signal(kind).ok()?.recv().await });
            if received.is_some() {
                // A terminal sends SIGINT to the server too.
                world.is_down.store(true, Ordering::SeqCst);
                world.stop.store(true, Ordering::SeqCst);
            }
        });
    }
    Ok(())
}

/// The first generation, before there is a server.
fn first_build(world: &World) -> anyhow::Result<()> {
    let build = world.new_build()?;
    world.installation.run(&["index", "--strict", "--memory-mb", "64"])?;
    let current = world.installation.current().context("no generation is published")?;
    let mut timeline = lock(&world.timeline);
    timeline.may_publish(&build);
    timeline.published(&build, &current);
    Ok(())
}

/// How long an address may wait for its first digest, with a build of the index in between.
const MAILED_LIMIT: Duration = Duration::from_secs(150);

/// After all events: what is subscribed now, with a mail server that works, gets a digest after the next build.
fn last_check(world: &World) -> anyhow::Result<()> {
    world.mail.recover();
    let key = world.new_key("MEGA", "last", clients::trusted_consent(&world.installation))?;
    let (began, mut client) = (Instant::now(), world.client());
    let emails: Vec<String> = (0..5)
        .map(|_| clients::subscribe_one(world, &mut client, &key, Wish::Subscribed))
        .collect();
    {
        let _index = lock(&world.index);
        indexer::build(world)?;
    }
    let has_all = || emails.iter().all(|email| world.mail.has_digest(email));
    while !has_all() && began.elapsed() < MAILED_LIMIT {
        thread::sleep(Duration::from_millis(200));
    }
    if has_all() {
        world
            .report
            .latency("subscribed to mailed, at the end", began.elapsed());
    } else {
        world
            .report
            .violation("subscribed addresses get no digest", format!("{emails:?}"));
    }
    Ok(())
}

impl SmallDisk {
    fn mount(folder: &Path, mebibytes: u64) -> Option<SmallDisk> {
        let size = format!("size={mebibytes}m");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &size, "soak"])
            .arg(folder)
            .output();
        mounted
            .is_ok_and(|output| output.status.success())
            .then(|| SmallDisk(folder.to_owned()))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}
