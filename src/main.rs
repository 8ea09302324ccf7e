//! The program: reads the command line, does what it asks, and tells how it went by the exit code: 0, 1 for an error, 2 for usage.

use std::process::ExitCode;

use clap::Parser;
use procure::cli::{self, Cli};

fn main() -> ExitCode {
    let cli = Cli::parse();
    env_logger::Builder::from_env(env_logger::Env::new().filter_or("PROCURE_LOG", "info,actix_server=warn")).init();
    match cli::run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
