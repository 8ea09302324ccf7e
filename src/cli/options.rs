//! Options that several commands share, the checks of their values, and output to stdout.

use std::{
    fmt,
    fs::File,
    io::{self, Write},
    net::SocketAddr,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    str::FromStr,
    time::Duration,
};

use anyhow::{Context, ensure};
use chrono::{DateTime, Utc};
use clap::Args;

use crate::{
    model::{EntityType, Plan, timestamp},
    server,
    state::database::{self, StateDb},
};

#[derive(Debug, Args)]
pub(crate) struct StateFile {
    /// State database (SQLite): API keys, their usage and alert subscriptions
    #[arg(long, value_name = "FILE", env = "PROCURE_STATE", default_value = "data/state.db")]
    pub(crate) state: PathBuf,
}

impl StateFile {
    /// Opens the state database, which must exist: a mistyped path must not create an empty one.
    pub(crate) fn open_existing(&self) -> anyhow::Result<StateDb> {
        self.check_exists()?;
        StateDb::open(&self.state)
    }

    /// Opens the state database only to read it, so that its disk may be mounted read-only.
    pub(crate) fn open_to_read(&self) -> anyhow::Result<StateDb> {
        self.check_exists()?;
        StateDb::open_to_read(&self.state)
    }

    fn check_exists(&self) -> anyhow::Result<()> {
        ensure!(
            self.state.exists(),
            "no state database {}; `procure keys create` creates it",
            self.state.display()
        );
        database::warn_if_exposed(&self.state);
        Ok(())
    }
}

#[derive(Debug, Args)]
pub(crate) struct Bind {
    /// Address the server listens on
    #[arg(long, value_name = "ADDRESS", env = "PROCURE_BIND", default_value = server::config::BIND, value_parser = parse_address)]
    pub(crate) bind: SocketAddr,
}

/// Writes to stdout. A reader that closed the pipe is not an error.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error).context("writing to stdout"),
        _ => Ok(()),
    }
}

/// Writes a sentence for a person to stderr. Stdout has only what other programs read.
pub(crate) fn note(sentence: &str) {
    // The command has done its work, so a closed stderr is not an error.
    let _ = writeln!(io::stderr(), "{sentence}");
}

/// States that a key or an address is revoked now, or that it was revoked before.
pub(crate) fn note_revoked(what: &str, id: i64, before: Option<DateTime<Utc>>) {
    note(&match before {
        None => format!("{what} {id} is revoked; a running server refuses it within two seconds"),
        Some(time) => format!(
            "{what} {id} was revoked before, at {}; nothing has changed",
            timestamp::format_seconds(time)
        ),
    });
}

/// A number with its noun: `1 mail`, `2 mails`.
pub(crate) fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Writes a file that only its owner may read. A file that exists keeps its mode.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true).mode(0o600);
    options.open(path)?.write_all(bytes)
}

/// An address to listen on.
pub(crate) fn parse_address(text: &str) -> Result<SocketAddr, String> {
    let advice = "use an IP address and a port, such as 127.0.0.1:8080, 0.0.0.0:8080 or [::1]:8080";
    text.parse().map_err(|_| advice.to_owned())
}

/// A number whose type has no sign.
pub(crate) fn parse_number<N: FromStr>(text: &str) -> Result<N, String> {
    text.parse()
        .map_err(|_| "use a whole number that is not negative".to_owned())
}

/// The number of an API key.
pub(crate) fn parse_key_id(text: &str) -> Result<i64, String> {
    let advice = "use the number of a key, the first column of `procure keys list`";
    text.parse().map_err(|_| advice.to_owned())
}

pub(crate) fn parse_plan(name: &str) -> Result<Plan, String> {
    Plan::parse(name).ok_or_else(|| format!("use one of {}", Plan::names()))
}

pub(crate) fn parse_entity_type(name: &str) -> Result<EntityType, String> {
    let names = EntityType::ALL.map(EntityType::name).join(", ");
    EntityType::parse(name).ok_or_else(|| format!("use one of {names}"))
}

/// A duration above zero, written as a number of seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seconds(pub(crate) Duration);

impl FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Seconds, String> {
        let seconds = text.parse().ok().filter(|seconds| *seconds > 0.0);
        let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        duration
            .map(Seconds)
            .ok_or_else(|| "use a number of seconds above 0".to_owned())
    }
}

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.as_secs_f64())
    }
}
