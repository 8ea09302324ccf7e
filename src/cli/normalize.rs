//! `procure normalize`: publishers' files to dumps.

use std::path::PathBuf;

use clap::Args;

use crate::{cli::options::print, model::printable::printable_lines, normalize};

#[derive(Debug, Args)]
pub(crate) struct Normalize {
    /// Folder to write the dumps to
    #[arg(long, value_name = "DIR", env = "PROCURE_DUMPS", default_value = "data/dumps")]
    out: PathBuf,
    /// File to write the report to as JSON, in addition to stdout
    #[arg(long, value_name = "FILE", env = "PROCURE_REPORT")]
    report: Option<PathBuf>,
    /// CSV file with words of commodity codes, scheme,code,title_en,title_fr, which precede those that are learned
    #[arg(long, value_name = "FILE", env = "PROCURE_COMMODITIES")]
    commodities: Option<PathBuf>,
    /// Fail if a file is damaged or no source recognizes it
    #[arg(long, env = "PROCURE_STRICT")]
    strict: bool,
    /// Files and folders, plain, .zip or .gz; each file is recognized by its content
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
}

pub(crate) fn run(args: Normalize) -> anyhow::Result<()> {
    let report = normalize::run(&normalize::NormalizeOptions {
        inputs: args.inputs,
        out: args.out,
        commodities: args.commodities,
        report: args.report,
        strict: args.strict,
    })?;
    print(&format!("{report}\n"))?;
    if let Some(warning) = report.warning() {
        eprintln!("warning: {}", printable_lines(&warning));
    }
    Ok(())
}
