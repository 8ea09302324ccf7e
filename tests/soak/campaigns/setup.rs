//! What every campaign starts with: an installation in a temporary folder, with generated dumps and lifted limits.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Stdio},
    time::{Duration, Instant},
};

use anyhow::Context;
use rustix::process::{Resource, Rlimit};
use tempfile::TempDir;

use crate::{
    Common,
    installation::{Installation, Service},
    random::Random,
    report::Report,
};

/// Limits that no campaign reaches, except the daily quota of BASIC, which follows.
const PLANS: &str = "[MEGA]\nrequests_per_minute = 1_000_000_000\nrequests_per_day = 1_000_000_000\n\
                     [BASIC]\nrequests_per_minute = 1_000_000\nrequests_per_day = ";

/// An installation and its folder, which is removed at the end.
pub struct Setup {
    pub installation: Installation,
    folder: TempDir,
    lives: u64,
}

impl Setup {
    pub fn new(common: &Common, basic_quota: u32) -> anyhow::Result<Setup> {
        let folder = tempfile::Builder::new().prefix("procure-soak-").tempdir()?;
        let mut installation = Installation::new(&common.binary, folder.path())?;
        let plans = installation.path("plans.toml");
        fs::write(&plans, format!("{PLANS}{basic_quota}\n"))?;
        let plans = plans.to_str().context("a temporary folder whose name is not UTF-8")?;
        installation
            .environment
            .push(("PROCURE_PLANS".to_owned(), plans.to_owned()));
        Ok(Setup {
            installation,
            folder,
            lives: 0,
        })
    }

    /// A folder of generated dumps.
    pub fn sample(&self, records: u64, seed: u64) -> anyhow::Result<PathBuf> {
        let out = self.folder.path().join(format!("sample-{records}-{seed}"));
        let (records, seed) = (records.to_string(), seed.to_string());
        let path = out.to_str().context("a temporary folder whose name is not UTF-8")?;
        self.installation
            .run(&["sample", "--records", &records, "--seed", &seed, "--out", path])?;
        Ok(out)
    }

    /// Builds a generation of these dumps.
    pub fn index(&self, dumps: &Path) -> anyhow::Result<()> {
        let dumps = dumps.to_str().context("a folder whose name is not UTF-8")?;
        self.installation.run(&["index", "--dumps", dumps])?;
        Ok(())
    }

    /// Starts a build. The caller waits for it or kills it.
    pub fn start_index(&self, dumps: &Path) -> anyhow::Result<Child> {
        let mut command = self.installation.command(&["index", "--dumps"]);
        command.arg(dumps).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().context("starting a build")
    }

    /// Starts the server and returns at once. It logs warnings and errors only: a line for each request slows a
    /// campaign down.
    pub fn spawn(&mut self) -> anyhow::Result<Service> {
        self.lives += 1;
        let level = ("PROCURE_LOG".to_owned(), "warn".to_owned());
        self.installation.serve(self.lives, &[level])
    }

    /// Starts the server and waits until it answers. Returns how long that took, too.
    pub fn start(&mut self) -> anyhow::Result<(Service, Duration)> {
        let started = Instant::now();
        let mut service = self.spawn()?;
        service.wait_until_up(&self.installation)?;
        Ok((service, started.elapsed()))
    }
}

/// Reports a panic in the log of a server.
pub fn check_log(service: &Service, report: &Report) {
    let log = service.log_text();
    if let Some(line) = log.lines().find(|line| line.contains("panic")) {
        report.violation("a panic in the log", line);
    }
}

/// Raises the number of files that this process, and the servers that it starts, may open. Returns the number.
pub fn raise_file_limit() -> u64 {
    let limit = rustix::process::getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    // If that fails, the campaign reports how many sockets it could open.
    let _ = rustix::process::setrlimit(Resource::Nofile, raised);
    rustix::process::getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// Mapped regions of a process.
pub fn mapped_regions(process: u32) -> Option<usize> {
    let maps = File::open(format!("/proc/{process}/maps"))
        .and_then(std::io::read_to_string)
        .ok()?;
    Some(maps.lines().count())
}

/// A number from 0 to 1.
pub fn unit(random: &mut Random) -> f64 {
    random.below(1 << 32) as f64 / (1_u64 << 32) as f64
}

/// An index into something with so many entries.
pub fn index_below(random: &mut Random, entries: usize) -> usize {
    random.below(entries as u64) as usize
}
