//! The command line, which is the only configuration. Each field's doc comment is its help text.
//!
//! A flag overrides its environment variable, which overrides the default. One file per command;
//! [`run`] dispatches.

mod alerts;
mod backtest;
mod demo;
mod engine_options;
mod export;
mod fetch;
mod generations;
mod index;
mod key_address;
mod keys;
mod mail_options;
mod normalize;
mod options;
mod pages_options;
mod print;
mod sample;
mod serve;
mod suppliers;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::{logging::Format, server};

/// Canadian public procurement data as one searchable service.
#[derive(Debug, Parser)]
#[command(
    version,
    arg_required_else_help = true,
    after_help = "PROCURE_LOG sets the level of the log on stderr: error, warn, info (the default), debug, trace or off."
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Download the publishers' public files, or update them
    Fetch(fetch::Fetch),
    /// Convert publishers' files to dumps of normalized records
    Normalize(normalize::Normalize),
    /// Build a generation of the index from dumps, and put it in service
    Index(index::Index),
    /// Write all records of a generation as Parquet and compressed NDJSON, with checksums
    Export(export::Export),
    /// Serve the current generation over HTTP
    Serve(Box<serve::Serve>),
    /// Create, list and revoke API keys; a running server follows within seconds
    #[command(subcommand)]
    Keys(keys::Keys),
    /// Send, preview and manage e-mail alerts; a server with mail settings sends them by itself
    #[command(subcommand)]
    Alerts(Box<alerts::Alerts>),
    /// Index sample records, serve them, and show requests that work
    Demo(demo::Demo),
    /// Write generated records that look like real ones
    Sample(sample::Sample),
    /// Measure how accurate estimates are, on contracts whose value is known
    Backtest(backtest::Backtest),
    /// List suppliers with all their names, explain them, claim otherwise, and match lists of names
    #[command(subcommand)]
    Suppliers(suppliers::Suppliers),
    /// List the generations of the index, or put one in service
    #[command(subcommand)]
    Generations(generations::Generations),
    /// Check that a running server responds; for container health checks
    Health(options::Bind),
    /// Print a systemd unit, shell completions, manual pages, licences or an SBOM
    #[command(subcommand)]
    Print(print::Print),
}

/// The command with its help: an option's help names its environment variable, but not the value,
/// which may be a secret.
pub(crate) fn command() -> clap::Command {
    fn hide_values(command: clap::Command) -> clap::Command {
        command
            .mut_args(|arg| arg.hide_env_values(true))
            .mut_subcommands(hide_values)
    }
    hide_values(Cli::command())
}

impl Cli {
    /// Reads the process's arguments. Prints help or a usage error and exits where clap does.
    pub fn from_process() -> Cli {
        let matches = command().get_matches();
        Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }

    /// The format of the log while this command runs.
    pub fn log_format(&self) -> Format {
        match &self.command {
            Command::Serve(args) => args.log_format,
            _ => Format::default(),
        }
    }
}

/// Runs the command.
pub fn run(cli: Cli) -> anyhow::Result<()> {
    match cli.command {
        Command::Fetch(args) => fetch::run(args),
        Command::Normalize(args) => normalize::run(args),
        Command::Index(args) => index::run(args),
        Command::Export(args) => export::run(args),
        Command::Serve(args) => serve::run(*args),
        Command::Keys(args) => keys::run(args),
        Command::Alerts(args) => alerts::run(*args),
        Command::Demo(args) => demo::run(args),
        Command::Sample(args) => sample::run(args),
        Command::Backtest(args) => backtest::run(args),
        Command::Suppliers(args) => suppliers::run(args),
        Command::Generations(args) => generations::run(args),
        Command::Health(args) => server::health_probe::check(args.bind),
        Command::Print(args) => print::run(args, command()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        command().debug_assert();
    }

    #[test]
    fn every_option_has_a_variable_that_the_help_names_without_its_value() {
        fn check(command: &clap::Command) {
            let without = ["help", "version", "list"];
            for arg in command
                .get_opts()
                .filter(|arg| !without.contains(&arg.get_id().as_str()))
            {
                let variable = arg.get_env().and_then(|name| name.to_str()).unwrap_or_default();
                assert!(variable.starts_with("PROCURE_"), "{arg}");
                assert!(arg.is_hide_env_values_set(), "{arg}");
            }
            command.get_subcommands().for_each(check);
        }
        check(&command());
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
