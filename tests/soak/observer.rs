//! Watches the server every second: memory, readiness, and the mails that arrive.

use std::{
    collections::VecDeque,
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use crate::{
    http::{Client, Request},
    installation::{START_LIMIT, Service, anonymous_mebibytes},
    world::{World, lock},
};

/// How long a process warms up before its memory must stay flat.
const WARM_UP: Duration = Duration::from_secs(60);

/// The windows whose least memory is compared: what stays allocated, without the peaks of requests.
const WINDOW: usize = 60;

/// Seconds between two runs of `procure health`.
const HEALTH_EVERY: u64 = 10;

/// Growth between two windows that is not a leak: fragments, caches that fill slowly.
const GROWTH_MEBIBYTES: u64 = 64;

/// The memory of one process.
#[derive(Default)]
struct Life {
    process: u32,
    began: Option<Instant>,
    /// The least of the first window after the warm-up.
    first: Option<u64>,
    window: VecDeque<u64>,
    is_reported: bool,
}

pub fn run(world: &World, most_mebibytes: u64) {
    let mut life = Life::default();
    let (mut unready_since, mut seconds) = (None, 0_u64);
    while !world.is_over() {
        let process = lock(&world.service).as_ref().map(Service::id);
        if let Some(process) = process
            && let Some(mebibytes) = anonymous_mebibytes(process)
        {
            world.report.memory(world.started.elapsed().as_secs(), mebibytes);
            if mebibytes > most_mebibytes {
                world.report.violation(
                    "too much anonymous memory",
                    format!("{mebibytes} MiB of {most_mebibytes}"),
                );
            }
            life.add(world, process, mebibytes);
            check_ready(world, &mut unready_since);
            seconds += 1;
            if seconds % HEALTH_EVERY == 0 {
                check_health(world);
            }
        }
        world.mail.check(&world.report);
        world.sleep(Duration::from_secs(1));
    }
    world.mail.check(&world.report);
}

impl Life {
    fn add(&mut self, world: &World, process: u32, mebibytes: u64) {
        if process != self.process {
            *self = Life {
                process,
                began: Some(Instant::now()),
                ..Life::default()
            };
        }
        if self.began.is_some_and(|began| began.elapsed() < WARM_UP) {
            return;
        }
        self.window.push_back(mebibytes);
        if self.window.len() < WINDOW {
            return;
        }
        let least = self.window.iter().min().copied().unwrap_or(0);
        self.window.pop_front();
        let first = *self.first.get_or_insert(least);
        world
            .report
            .count("seconds in which memory was compared with that after the warm-up");
        if least > first + GROWTH_MEBIBYTES && !self.is_reported {
            self.is_reported = true;
            world.report.violation(
                "memory grows",
                format!("at least {least} MiB for a minute, {first} MiB after the warm-up"),
            );
        }
    }
}

/// `procure health`, as a container runs it.
fn check_health(world: &World) {
    let lives = world.lives.load(Ordering::Relaxed);
    let bind = world.installation.address.to_string();
    let output = world
        .installation
        .command(&["health"])
        .env("PROCURE_BIND", bind)
        .output();
    let is_healthy = output.as_ref().is_ok_and(|output| output.status.success());
    let is_down = world.is_down.load(Ordering::Relaxed) || world.lives.load(Ordering::Relaxed) != lives;
    if is_healthy {
        world.report.count("health checks that succeeded");
    } else if !is_down {
        world
            .report
            .violation("a running server is not healthy", format!("{output:?}"));
    }
}

/// `/ready` may refuse for a moment after a start, and while the disk is full.
fn check_ready(world: &World, unready_since: &mut Option<Instant>) {
    let answer = Client::new(world.installation.admin).send(&Request::keyless("GET", "/ready"));
    let is_down = world.is_down.load(Ordering::Relaxed) || world.is_disk_full.load(Ordering::Relaxed);
    match answer {
        Ok(answer) if answer.status == 200 => {
            world.report.count("readiness checks that returned 200");
            *unready_since = None;
        }
        _ if is_down => *unready_since = None,
        answer => {
            let since = *unready_since.get_or_insert_with(Instant::now);
            if since.elapsed() > START_LIMIT {
                let evidence = answer.map_or_else(|error| error.to_string(), |answer| answer.excerpt());
                world.report.violation("a running server is not ready", evidence);
                *unready_since = None;
            }
        }
    }
}
