//! Builds of the index under a running server: complete, killed, and switched back and forth.

use std::{
    fs,
    process::Stdio,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};

use crate::{
    builds::Build,
    random::Random,
    world::{World, lock},
};

/// Generations that stay after a build: the two newest, and the one in service if it is neither.
const MOST_GENERATIONS: usize = 3;

/// How long until a new generation is served, with a server that is being stopped (30 seconds) and started meanwhile.
const SERVED_LIMIT: Duration = Duration::from_secs(90);

/// Builds again and again, and sometimes kills a build or switches to another generation.
pub fn run(world: &World, every: Duration) -> anyhow::Result<()> {
    let mut random = Random::new(world.seed, "indexer");
    let mut duration = Duration::from_secs(3);
    while !world.is_over() {
        world.sleep(every / 2 + every.mul_f64(random.below(100) as f64 / 100.0));
        if world.is_over() {
            break;
        }
        let _index = lock(&world.index);
        match random.below(10) {
            0..=2 => kill_build(world, duration.mul_f64(random.below(120) as f64 / 100.0))?,
            3 | 4 => switch(world, &mut random)?,
            _ => {
                let began = Instant::now();
                build(world)?;
                duration = began.elapsed();
            }
        }
    }
    Ok(())
}

/// Builds and publishes a generation with changed data. The caller holds the lock of the index.
pub fn build(world: &World) -> anyhow::Result<Arc<Build>> {
    let build = world.new_build()?;
    lock(&world.timeline).may_publish(&build);
    let began = Instant::now();
    world.installation.run(&["index", "--strict", "--memory-mb", "64"])?;
    world.report.latency("procure index", began.elapsed());
    let current = world
        .installation
        .current()
        .context("no generation is published after a build")?;
    let is_new = lock(&world.timeline).of_generation(&current).is_none();
    ensure!(
        is_new,
        "a build that succeeded did not publish: CURRENT is still {current}"
    );
    published(world, &build, &current);
    world.report.count("generations built");
    let left = fs::read_dir(world.installation.index_dir())?;
    let left: Vec<String> = left
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .filter(|name| world.installation.index_dir().join(name).is_dir())
        .collect();
    if left.len() > MOST_GENERATIONS {
        world
            .report
            .violation("old generations or leftovers stay", format!("{left:?}"));
    }
    Ok(build)
}

/// Notes a new generation and waits until it is served.
fn published(world: &World, build: &Arc<Build>, generation: &str) {
    lock(&world.timeline).published(build, generation);
    let began = Instant::now();
    let is_served = || {
        let health = world.installation.health();
        health.is_some_and(|health| health["index"]["generation"] == generation)
    };
    while !world.is_over() && began.elapsed() < SERVED_LIMIT {
        if is_served() {
            lock(&world.timeline).served(build);
            world.report.latency("published to served", began.elapsed());
            return;
        }
        thread::sleep(Duration::from_millis(50));
    }
    if !world.is_over() {
        world.report.violation("a new generation is not served", generation);
    }
}

/// Kills a build at this moment. A whole generation must be published afterwards: the one before, or the new one.
fn kill_build(world: &World, after: Duration) -> anyhow::Result<()> {
    let build = world.new_build()?;
    let before = world.installation.current().context("no generation is published")?;
    lock(&world.timeline).may_publish(&build);
    let mut index = world.installation.command(&["index", "--strict", "--memory-mb", "64"]);
    let mut index = index.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    thread::sleep(after);
    let had_ended = index.try_wait()?.is_some();
    index.kill()?;
    index.wait()?;
    world.report.count(if had_ended {
        "builds that ended before their kill"
    } else {
        "builds killed"
    });
    let current = world.installation.current();
    match current.as_deref() {
        Some(current) if current == before => lock(&world.timeline).not_published(&build),
        Some(current) => published(world, &build, current),
        None => {
            world.report.violation(
                "no generation is published after a killed build",
                format!("{before} before"),
            );
        }
    }
    Ok(())
}

/// `generations use` of another generation on the disk.
fn switch(world: &World, random: &mut Random) -> anyhow::Result<()> {
    let list = world.installation.run(&["generations", "list"])?;
    let current = world.installation.current().context("no generation is published")?;
    let others: Vec<&str> = list
        .lines()
        .filter_map(|line| line.split_whitespace().last())
        .filter(|id| *id != current)
        .collect();
    if others.is_empty() {
        return Ok(());
    }
    let id = *random.pick(&others);
    let Some(build) = lock(&world.timeline).of_generation(id) else {
        world
            .report
            .violation("a generation that was never published is listed", id);
        return Ok(());
    };
    lock(&world.timeline).may_publish(&build);
    world.installation.run(&["generations", "use", id])?;
    published(world, &build, id);
    world.report.count("switches to another generation");
    Ok(())
}
