//! `kill -9` of `procure index` at random moments under a serving server.
//!
//! After each kill: `CURRENT` names a generation that is whole, the server that was running answers from the records
//! of exactly that build, and so does a server that is started on it. The next build removes what the killed one left,
//! and the documented two generations stay.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use procure::http::encoding::encode;

use super::{
    contracts::Contracts,
    setup::{Setup, check_log, index_below, unit},
};
use crate::{
    Common,
    http::{Next, PATIENCE, RawConnection},
    random::Random,
    report::Report,
};

/// Records of each build, in all entity types together. A build takes less than a second.
const RECORDS: u64 = 200;

/// Generations that stay on disk. See docs/operating.md.
const KEPT: usize = 2;

/// One of so many builds is not killed.
const FINISH_EVERY: u64 = 10;

/// A running server has the new generation after this time. Documented as two seconds; a busy machine is slower.
const RELOAD_TIME: Duration = Duration::from_secs(15);

#[derive(Debug, clap::Args)]
pub struct Options {
    /// Number of rounds. One of ten lets the build end, and checks what it leaves
    #[arg(long, default_value_t = 1000)]
    times: u64,
}

pub fn run(options: &Options, common: &Common, seed: u64, report: &Report) -> anyhow::Result<()> {
    let mut random = Random::new(seed, "moments of kills");
    let mut setup = Setup::new(common, 1_000)?;
    let key = setup.installation.create_key("MEGA", "kill-index", &[])?;
    let dumps = [setup.sample(RECORDS, 1)?, setup.sample(RECORDS, 2)?];
    let models = [Contracts::of(&dumps[0])?, Contracts::of(&dumps[1])?];

    setup.index(&dumps[0])?;
    let mut durations = Vec::new();
    for build in [1, 0, 1, 0] {
        let started = Instant::now();
        setup.index(&dumps[build])?;
        durations.push(started.elapsed());
    }
    durations.sort_unstable();
    let mut duration = durations[2];
    report.note(format!("a build takes {} ms", duration.as_millis()));

    let mut served = 0;
    let mut current = setup.installation.current();
    let (mut service, _) = setup.start()?;
    for round in 1..=options.times {
        let build = usize::from(round % 2 == 1);
        let mut child = setup.start_index(&dumps[build])?;
        if round % FINISH_EVERY == 0 {
            let started = Instant::now();
            let status = child.wait()?;
            // The machine may be busier, or less busy, than at the start.
            duration = (duration * 3 + started.elapsed()) / 4;
            if !status.success() {
                report.violation("a build after kills failed", format!("round {round}: {status}"));
            }
            report.count("builds that were left alone");
            check_folder(&setup, KEPT, report, round)?;
        } else {
            // Half of the kills are aimed at the end, where the build is synced, verified and published.
            let share = if random.chance(50) {
                0.8 + 0.3 * unit(&mut random)
            } else {
                1.1 * unit(&mut random)
            };
            thread::sleep(duration.mul_f64(share));
            match child.try_wait()? {
                Some(_) => report.count("builds that ended before their kill"),
                None => report.count("builds killed"),
            }
            child.kill()?;
            child.wait()?;
            // The build that was killed may have published, and not removed the oldest yet.
            check_folder(&setup, KEPT + 1, report, round)?;
        }
        let now = setup.installation.current();
        if now != current {
            report.count("builds published");
            served = build;
            current = now;
        }
        let exists = current
            .as_ref()
            .is_some_and(|id| setup.installation.index_dir().join(id).is_dir());
        if !exists {
            report.violation("CURRENT names no generation", format!("round {round}: {current:?}"));
        }
        await_answer(&setup, &models[served], &key, &mut random, report, round);
        service.kill();
        let (started, took) = setup.start()?;
        service = started;
        report.latency("start of the server", took);
        report.count("rounds");
        if !is_right(&setup, &models[served], &key, &mut random) {
            report.violation(
                "the first answers of a new server are wrong",
                format!("round {round}: they are not those of the build {current:?}"),
            );
        }
    }
    check_log(&service, report);
    Ok(())
}

/// Waits until the running server answers from this model.
fn await_answer(setup: &Setup, model: &Contracts, key: &str, random: &mut Random, report: &Report, round: u64) {
    let started = Instant::now();
    while !is_right(setup, model, key, random) {
        if started.elapsed() > RELOAD_TIME {
            report.violation(
                "the running server does not answer from CURRENT",
                format!("round {round}"),
            );
            return;
        }
        thread::sleep(Duration::from_millis(50));
    }
    report.latency("reload after a build or a kill", started.elapsed());
}

/// Whether a page with its total and one record are those of the model.
fn is_right(setup: &Setup, model: &Contracts, key: &str, random: &mut Random) -> bool {
    let Ok(mut connection) = RawConnection::open(setup.installation.address, PATIENCE) else {
        return false;
    };
    let Next::Response(page) = connection.get("/contract?limit=25&include_total=true", key) else {
        return false;
    };
    let row = &model.0[index_below(random, model.0.len())];
    let Next::Response(record) = connection.get(&format!("/contract/{}", encode(&row.id)), key) else {
        return false;
    };
    model.is_page(&page, &model.0[..25], model.0.len()) && record.body == row.line.as_bytes()
}

/// Checks what is in the index folder: up to `most` whole generations, `CURRENT` and the lock. If more than [`KEPT`]
/// are allowed, a build was killed, and its unfinished folder may be left.
fn check_folder(setup: &Setup, most: usize, report: &Report, round: u64) -> anyhow::Result<()> {
    let (mut generations, mut left) = (0, Vec::new());
    for entry in fs::read_dir(setup.installation.index_dir())? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().join("manifest.json").exists() {
            generations += 1;
        } else if !["CURRENT", "LOCK"].contains(&name.as_str()) {
            left.push(name);
        }
    }
    if generations > most {
        report.violation(
            "more generations than documented",
            format!("round {round}: {generations}"),
        );
    }
    if most == KEPT && !left.is_empty() {
        report.violation(
            "a whole build leaves something over",
            format!("round {round}: {left:?}"),
        );
    }
    if left.len() > 2 {
        report.violation("killed builds pile up", format!("round {round}: {left:?}"));
    }
    Ok(())
}
