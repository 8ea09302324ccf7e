//! The program: reads the command line, does what it asks, and tells how it went by the exit code: 0, 1 for an error, 2 for usage.

use std::process::ExitCode;

use clap::Parser;
use procure::{
    cli::{self, Cli},
    logging,
};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let log = logging::start(cli.log_format());
    let done = log.and_then(|_log| cli::run(cli));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
