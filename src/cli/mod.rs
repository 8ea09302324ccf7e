//! The command line, which is all there is to configure: each field's text is its help, and names the variable that sets it too.
//!
//! A flag wins over its environment variable, which wins over the default. [`run`] does what was asked.

mod alerts;
mod backtest;
pub mod demo;
mod keys;
mod print;

use std::{
    fmt,
    io::{self, Write},
    net::{SocketAddr, TcpListener},
    path::PathBuf,
    str::FromStr,
    sync::Arc,
    time::Duration,
};

use anyhow::{Context, ensure};
use chrono::Utc;
use clap::{
    Args, Parser, Subcommand,
    builder::{NonEmptyStringValueParser, PossibleValuesParser},
};

use crate::{
    catalog::{generation, indexing},
    cli::{
        alerts::{Alerts, Mail},
        backtest::Backtest,
        keys::Keys,
        print::Print,
    },
    fetch::{self, table::SOURCES},
    logging::Format,
    model::{entity_type::EntityType, plans::Plan},
    normalize, sample, server,
};

/// Canadian public procurement data as one searchable service.
#[derive(Debug, Parser)]
#[command(
    version,
    arg_required_else_help = true,
    after_help = "PROCURE_LOG sets what is logged to stderr: error, warn, info (the default), debug."
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Download the publishers' public files, or bring them up to date
    Fetch(Fetch),
    /// Turn publishers' files into normalized dumps
    Normalize(Normalize),
    /// Build the index from dumps, and publish it
    Index(Index),
    /// Serve the published index over HTTP
    Serve(Box<Serve>),
    /// Make, list and revoke API keys; a running server minds within seconds
    #[command(subcommand)]
    Keys(Keys),
    /// Mail what is new to those who asked for it; a running server with a mail server does so by itself
    #[command(subcommand)]
    Alerts(Box<Alerts>),
    /// Index the sample, serve it, and show three requests that work
    Demo(Demo),
    /// Write generated records that look like the real thing
    Sample(Sample),
    /// Hide known contracts, estimate them, and tell how well that went
    Backtest(Backtest),
    /// List the builds on disk, or go back to one
    #[command(subcommand)]
    Generations(Generations),
    /// Ask a running server whether it is well
    Health(Bind),
    /// Print a systemd unit, shell completions or manual pages
    #[command(subcommand)]
    Print(Print),
}

#[derive(Debug, Args)]
struct Fetch {
    /// Folder the files are kept in, one folder a source [env: PROCURE_RAW]
    #[arg(
        long,
        value_name = "DIR",
        env = "PROCURE_RAW",
        hide_env = true,
        default_value = "data/raw"
    )]
    out: PathBuf,
    /// What the program calls itself to servers [env: PROCURE_USER_AGENT]
    #[arg(long, value_name = "TEXT", env = "PROCURE_USER_AGENT", hide_env = true)]
    user_agent: Option<String>,
    /// List the sources with their licences and pages, and download nothing
    #[arg(long)]
    list: bool,
    /// Sources to download; all of them where none is named, which is some ten gigabytes
    #[arg(value_name = "SOURCE", value_parser = PossibleValuesParser::new(SOURCES.iter().map(|source| source.id)))]
    sources: Vec<String>,
}

#[derive(Debug, Args)]
struct Normalize {
    /// Folder the dumps are written to [env: PROCURE_DUMPS]
    #[arg(
        long,
        value_name = "DIR",
        env = "PROCURE_DUMPS",
        hide_env = true,
        default_value = "data/dumps"
    )]
    out: PathBuf,
    /// File the report is also written to [env: PROCURE_REPORT]
    #[arg(long, value_name = "FILE", env = "PROCURE_REPORT", hide_env = true)]
    report: Option<PathBuf>,
    /// Make a file that no source recognizes an error [env: PROCURE_STRICT]
    #[arg(long, env = "PROCURE_STRICT", hide_env = true)]
    strict: bool,
    /// Files and folders, plain, .zip or .gz; each is recognized by its content
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
}

#[derive(Debug, Args)]
struct Index {
    /// Folder with the dumps, <entity_type>/<source_id>.ndjson, plain, .gz or .zst [env: PROCURE_DUMPS]
    #[arg(
        long,
        value_name = "DIR",
        env = "PROCURE_DUMPS",
        hide_env = true,
        default_value = "data/dumps"
    )]
    dumps: PathBuf,
    #[command(flatten)]
    index: IndexDir,
    /// About how much memory the build may take, in MiB [env: PROCURE_MEMORY_MB]
    #[arg(long, value_name = "N", env = "PROCURE_MEMORY_MB", hide_env = true, default_value_t = indexing::DEFAULT_MEMORY_MB)]
    memory_mb: usize,
    /// Make a line that is no record an error [env: PROCURE_STRICT]
    #[arg(long, env = "PROCURE_STRICT", hide_env = true)]
    strict: bool,
}

#[derive(Debug, Args)]
struct Serve {
    #[command(flatten)]
    index: IndexDir,
    #[command(flatten)]
    state: StateFile,
    #[command(flatten)]
    bind: Bind,
    /// Address for metrics and readiness, which is not for the public; none unless given [env: PROCURE_ADMIN_BIND]
    #[arg(long, value_name = "ADDRESS", env = "PROCURE_ADMIN_BIND", hide_env = true)]
    admin_bind: Option<SocketAddr>,
    /// How log lines look: text or json [env: PROCURE_LOG_FORMAT]
    #[arg(
        long,
        value_name = "FORMAT",
        env = "PROCURE_LOG_FORMAT",
        hide_env = true,
        default_value = "text",
        value_parser = log_format
    )]
    log_format: Format,
    /// TOML file that overrides the plans' figures [env: PROCURE_PLANS]
    #[arg(long, value_name = "FILE", env = "PROCURE_PLANS", hide_env = true)]
    plans: Option<PathBuf>,
    /// What the names of the key's and the host's headers start with [env: PROCURE_GATEWAY_PREFIX]
    #[arg(
        long,
        value_name = "PREFIX",
        env = "PROCURE_GATEWAY_PREFIX",
        hide_env = true,
        default_value = server::GATEWAY_PREFIX,
        value_parser = NonEmptyStringValueParser::new()
    )]
    gateway_prefix: String,
    /// Value the host header must have; it is not looked at unless this is set [env: PROCURE_GATEWAY_HOST]
    #[arg(long, value_name = "HOST", env = "PROCURE_GATEWAY_HOST", hide_env = true, value_parser = NonEmptyStringValueParser::new())]
    gateway_host: Option<String>,
    /// How long a search may take [env: PROCURE_QUERY_TIMEOUT]
    #[arg(long, value_name = "SECONDS", env = "PROCURE_QUERY_TIMEOUT", hide_env = true, default_value_t = Seconds(server::QUERY_TIMEOUT))]
    query_timeout: Seconds,
    /// Where a key's plan is changed, as a refusal of a Pro endpoint tells it; the service's own /docs#plans unless this is set [env: PROCURE_UPGRADE_URL]
    #[arg(long, value_name = "URL", env = "PROCURE_UPGRADE_URL", hide_env = true, value_parser = web_address)]
    upgrade_url: Option<String>,
    #[command(flatten)]
    mail: Mail,
}

#[derive(Debug, Args)]
struct Demo {
    /// Address to listen on; the next free port is taken where this one is not [env: PROCURE_BIND]
    #[arg(
        long,
        value_name = "ADDRESS",
        env = "PROCURE_BIND",
        hide_env = true,
        default_value = server::BIND
    )]
    bind: SocketAddr,
}

#[derive(Debug, Args)]
struct Bind {
    /// Address the server listens on [env: PROCURE_BIND]
    #[arg(
        long,
        value_name = "ADDRESS",
        env = "PROCURE_BIND",
        hide_env = true,
        default_value = server::BIND
    )]
    bind: SocketAddr,
}

#[derive(Debug, Args)]
struct Sample {
    /// How many records to write in all [env: PROCURE_RECORDS]
    #[arg(long, value_name = "N", env = "PROCURE_RECORDS", hide_env = true)]
    records: u64,
    /// Equal seeds write equal records [env: PROCURE_SEED]
    #[arg(long, value_name = "S", env = "PROCURE_SEED", hide_env = true)]
    seed: u64,
    /// Folder the dumps are written to [env: PROCURE_OUT]
    #[arg(long, value_name = "DIR", env = "PROCURE_OUT", hide_env = true)]
    out: PathBuf,
    /// Write this kind only; may be repeated [env: PROCURE_ENTITY_TYPE]
    #[arg(long, value_name = "KIND", env = "PROCURE_ENTITY_TYPE", hide_env = true, value_parser = kind)]
    entity_type: Vec<EntityType>,
}

#[derive(Debug, Subcommand)]
enum Generations {
    /// List the builds on disk; a star marks the one that is served
    List {
        #[command(flatten)]
        index: IndexDir,
    },
    /// Serve this build
    Use {
        /// The build, as `generations list` shows it
        id: String,
        #[command(flatten)]
        index: IndexDir,
    },
}

#[derive(Debug, Args)]
struct IndexDir {
    /// Folder that holds the index [env: PROCURE_INDEX_DIR]
    #[arg(
        long,
        value_name = "DIR",
        env = "PROCURE_INDEX_DIR",
        hide_env = true,
        default_value = "data/index"
    )]
    index_dir: PathBuf,
}

#[derive(Debug, Args)]
struct StateFile {
    /// SQLite file with the API keys and what they have used [env: PROCURE_STATE]
    #[arg(
        long,
        value_name = "FILE",
        env = "PROCURE_STATE",
        hide_env = true,
        default_value = "data/state.db"
    )]
    state: PathBuf,
}

impl Cli {
    /// How the log of what is asked looks.
    pub fn log_format(&self) -> Format {
        match &self.command {
            Command::Serve(args) => args.log_format,
            _ => Format::default(),
        }
    }
}

/// Does what the command line asks.
pub fn run(cli: Cli) -> anyhow::Result<()> {
    match cli.command {
        Command::Fetch(args) => fetch(args),
        Command::Normalize(args) => normalize(args),
        Command::Index(args) => index(args),
        Command::Serve(args) => serve(*args),
        Command::Keys(args) => keys::run(args),
        Command::Alerts(args) => alerts::run(*args),
        Command::Demo(args) => demo::run(args.bind),
        Command::Sample(args) => sample(args),
        Command::Backtest(args) => backtest::run(args),
        Command::Generations(args) => generations(args),
        Command::Health(args) => server::health_probe::check(args.bind),
        Command::Print(what) => print::run(what),
    }
}

fn fetch(args: Fetch) -> anyhow::Result<()> {
    if args.list {
        return print(&fetch::table::listing());
    }
    let named = |id: &str| args.sources.is_empty() || args.sources.iter().any(|name| name == id);
    let sources: Vec<_> = SOURCES.iter().copied().filter(|source| named(source.id)).collect();
    let mut manners = fetch::Manners::default();
    if let Some(user_agent) = args.user_agent {
        manners.user_agent = user_agent;
    }
    let report = fetch::run(&fetch::Options {
        sources: &sources,
        out: args.out,
        today: Utc::now().date_naive(),
        manners,
    })?;
    print(&report.to_string())?;
    let failed = report.failed();
    let names: Vec<String> = failed.iter().map(|path| path.display().to_string()).collect();
    ensure!(
        failed.is_empty(),
        "{} of {} files could not be fetched; those there were stay: {}",
        failed.len(),
        report.files.len(),
        names.join(", ")
    );
    Ok(())
}

fn normalize(args: Normalize) -> anyhow::Result<()> {
    let report = normalize::run(&normalize::Options {
        inputs: args.inputs,
        out: args.out,
        report: args.report,
        strict: args.strict,
    })?;
    print(&format!("{report}\n"))?;
    if let Some(warning) = report.warning() {
        eprintln!("warning: {warning}");
    }
    Ok(())
}

fn sample(args: Sample) -> anyhow::Result<()> {
    let summary = sample::run(&sample::Options {
        records: args.records,
        seed: args.seed,
        out: args.out,
        entity_types: (!args.entity_type.is_empty()).then_some(args.entity_type),
    })?;
    print(&format!("{summary}\n"))
}

fn index(args: Index) -> anyhow::Result<()> {
    let report = indexing::run(&indexing::Options {
        dumps: args.dumps,
        index_dir: args.index.index_dir,
        memory_mb: args.memory_mb,
        strict: args.strict,
    })?;
    print(&format!("{report}\n"))
}

fn serve(args: Serve) -> anyhow::Result<()> {
    let bind = args.bind.bind;
    let listener = TcpListener::bind(bind).with_context(|| format!("listening on {bind}"))?;
    let config = server::Config {
        index_dir: args.index.index_dir,
        state: args.state.state,
        plans: args.plans,
        gateway_prefix: args.gateway_prefix,
        gateway_host: args.gateway_host,
        query_timeout: args.query_timeout.0,
        upgrade_url: args.upgrade_url,
        admin_bind: args.admin_bind,
        mail: args.mail.settings()?.map(Arc::new),
        limits: server::connection::Limits::default(),
        now: Utc::now,
    };
    server::run(&config, listener, server::signals())
}

fn generations(args: Generations) -> anyhow::Result<()> {
    match args {
        Generations::List { index } => {
            anyhow::ensure!(index.index_dir.exists(), "no folder {}", index.index_dir.display());
            let current = generation::current(&index.index_dir)?;
            let mut lines = String::new();
            for id in generation::list(&index.index_dir)? {
                let mark = if current.as_deref() == Some(&id) { '*' } else { ' ' };
                lines.push_str(&format!("{mark} {id}\n"));
            }
            print(&lines)
        }
        Generations::Use { id, index } => generation::switch_to(&index.index_dir, &id),
    }
}

/// Writes to stdout; a reader that went away is no error of ours.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error).context("writing to stdout"),
        _ => Ok(()),
    }
}

fn plan(name: &str) -> Result<Plan, String> {
    Plan::parse(name).ok_or_else(|| format!("the plans are {}", Plan::names()))
}

fn kind(name: &str) -> Result<EntityType, String> {
    let kinds = EntityType::ALL.map(EntityType::name).join(", ");
    EntityType::parse(name).ok_or_else(|| format!("the kinds are {kinds}"))
}

fn web_address(text: &str) -> Result<String, String> {
    let is_one = ["https://", "http://"].iter().any(|scheme| text.starts_with(scheme));
    match is_one && !text.contains(char::is_whitespace) {
        true => Ok(text.to_owned()),
        false => Err("must be an address that begins with https:// or http://".to_owned()),
    }
}

fn log_format(name: &str) -> Result<Format, String> {
    match name {
        "text" => Ok(Format::Text),
        "json" => Ok(Format::Json),
        _ => Err("the formats are text, json".to_owned()),
    }
}

/// A time above zero, written as a number of seconds.
#[derive(Clone, Copy, Debug)]
struct Seconds(Duration);

impl FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Seconds, String> {
        let seconds = text.parse().ok().filter(|seconds| *seconds > 0.0);
        let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        time.map(Seconds)
            .ok_or_else(|| "must be a number of seconds above 0".to_owned())
    }
}

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_option_names_its_variable() {
        fn check(command: &clap::Command) {
            for arg in command
                .get_opts()
                .filter(|arg| !["help", "version", "list"].contains(&arg.get_id().as_str()))
            {
                let variable = arg.get_env().and_then(|name| name.to_str()).unwrap_or_default();
                let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
                assert!(variable.starts_with("PROCURE_"), "{arg}");
                assert!(help.ends_with(&format!("[env: {variable}]")), "{arg}: {help}");
            }
            command.get_subcommands().for_each(check);
        }
        check(&Cli::command());
    }

    #[test]
    fn values_are_checked() {
        for (line, is_taken) in [
            ("procure serve --query-timeout 0.5", true),
            ("procure serve --query-timeout 0", false),
            ("procure serve --query-timeout NaN", false),
            ("procure serve --upgrade-url https://example.org/plans", true),
            ("procure serve --upgrade-url example.org", false),
            ("procure keys create --plan pro --label x", true),
            ("procure keys create --plan gold --label x", false),
            ("procure keys create --plan PRO --label x --expires 2030-02-30", false),
            ("procure sample --records 5 --seed 1 --out x --entity-type tender", true),
            ("procure sample --records 5 --seed 1 --out x --entity-type tendr", false),
            ("procure normalize", false),
            ("procure fetch", true),
            ("procure fetch --list", true),
            ("procure fetch seao-ocds toronto", true),
            ("procure fetch seao-odcs", false),
        ] {
            assert_eq!(Cli::try_parse_from(line.split(' ')).is_ok(), is_taken, "{line}");
        }
    }
}
