//! The proof that lasts: runs the real `procure` binary as an operator does, under everything at once, and checks a
//! model of what must hold. `docs/reliability.md` describes it.
//!
//! ```text
//! cargo test --release --test soak -- run --minutes 3
//! ```

mod builds;
mod campaigns;
mod clients;
mod door;
mod events;
#[path = "../../benches/support/figures.rs"]
mod figures;
mod hostile;
#[path = "../support/http.rs"]
#[allow(dead_code, reason = "other test programs use more of it")]
mod http;
mod indexer;
#[path = "../support/installation.rs"]
mod installation;
mod ledger;
mod mail;
#[path = "../mail/mail_server.rs"]
#[allow(dead_code, reason = "the tests of alerts use more of it")]
mod mail_server;
mod observer;
mod queries;
mod random;
mod readers;
mod report;
mod run;
mod timeline;
mod world;

use std::{fs, path::PathBuf, process::ExitCode, sync::Arc, time::Instant};

use clap::{Args, Parser, Subcommand};

use report::Report;

#[derive(Debug, Parser)]
#[command(name = "soak", about = "Runs the real binary and checks what must hold")]
struct Cli {
    #[command(subcommand)]
    command: Soak,
    #[command(flatten)]
    common: Common,
}

/// Options of every command.
#[derive(Clone, Debug, Args)]
pub struct Common {
    /// The program under test. It may be replaced during a run: each start takes the new file
    #[arg(long, global = true, value_name = "FILE", default_value = env!("CARGO_BIN_EXE_procure"))]
    pub binary: PathBuf,
    /// Number that decides all random choices; by default a new one, which is printed
    #[arg(long, global = true, value_name = "N")]
    pub seed: Option<u64>,
    /// File for the report as JSON
    #[arg(long, global = true, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Soak {
    /// Everything at once, for a chosen time
    Run(run::Run),
    #[command(flatten)]
    Campaign(campaigns::Campaign),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let seed = cli.common.seed.unwrap_or_else(|| u64::from(std::process::id()));
    let (report, started) = (Arc::new(Report::default()), Instant::now());
    report.note(format!("seed {seed}, binary {}", cli.common.binary.display()));
    let outcome: anyhow::Result<()> = match cli.command {
        Soak::Run(run) => run.run(&cli.common.binary, seed, &report),
        Soak::Campaign(campaign) => campaign.run(&cli.common, seed, &report),
    };
    if let Err(error) = outcome {
        report.violation("the run itself failed", format!("{error:#}"));
    }
    println!("{}", report.text());
    let command: Vec<String> = std::env::args().skip(1).collect();
    let day = chrono::Utc::now().date_naive().to_string();
    figures::save(
        None,
        &[report.figures(&command.join(" "), started.elapsed(), &day)],
        true,
    );
    if let Some(path) = &cli.common.json
        && let Err(error) = fs::write(path, report.json().to_string())
    {
        eprintln!("writing {}: {error}", path.display());
        return ExitCode::FAILURE;
    }
    match report.violations() {
        0 => {
            println!("no violation");
            ExitCode::SUCCESS
        }
        count => {
            println!("{count} VIOLATIONS (seed {seed})");
            ExitCode::FAILURE
        }
    }
}
