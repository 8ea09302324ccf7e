//! The binary: parses the command line, runs the command and sets the exit code: 0, 1 for an error,
//! 2 for wrong usage.

use std::process::ExitCode;

use procure::{
    cli::{self, Cli},
    logging,
    model::printable::printable_lines,
};

fn main() -> ExitCode {
    let cli = Cli::from_process();
    let log = logging::start(cli.log_format());
    match log.and_then(|_log| cli::run(cli)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", printable_lines(&format!("{error:#}")));
            ExitCode::FAILURE
        }
    }
}
