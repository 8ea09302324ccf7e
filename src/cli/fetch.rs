//! `procure fetch`: downloads the publishers' public files.

use std::path::PathBuf;

use anyhow::ensure;
use chrono::Utc;
use clap::{Args, builder::PossibleValuesParser};

use crate::{
    cli::options::print,
    fetch::{
        self,
        client::ClientConfig,
        published_sources::{self, PUBLISHED_SOURCES},
    },
};

#[derive(Debug, Args)]
pub(crate) struct Fetch {
    /// Folder for the downloaded files, with one subfolder per source
    #[arg(long, value_name = "DIR", env = "PROCURE_RAW", default_value = "data/raw")]
    out: PathBuf,
    /// `User-Agent` header to send
    #[arg(long, value_name = "TEXT", env = "PROCURE_USER_AGENT")]
    user_agent: Option<String>,
    /// List the sources with their licences and pages, without downloading
    #[arg(long)]
    list: bool,
    /// Sources to download; all sources (about ten gigabytes) if none is given
    #[arg(value_name = "SOURCE", value_parser = PossibleValuesParser::new(PUBLISHED_SOURCES.iter().map(|source| source.id)))]
    sources: Vec<String>,
}

pub(crate) fn run(args: Fetch) -> anyhow::Result<()> {
    if args.list {
        return print(&published_sources::listing());
    }
    let is_requested = |id: &str| args.sources.is_empty() || args.sources.iter().any(|name| name == id);
    let sources: Vec<_> = PUBLISHED_SOURCES
        .iter()
        .copied()
        .filter(|source| is_requested(source.id))
        .collect();
    let mut client = ClientConfig::default();
    if let Some(user_agent) = args.user_agent {
        client.user_agent = user_agent;
    }
    let report = fetch::run(&fetch::FetchOptions {
        sources: &sources,
        out: args.out,
        today: Utc::now().date_naive(),
        client,
    })?;
    print(&report.to_string())?;
    let failed = report.failed();
    let names: Vec<String> = failed.iter().map(|path| path.display().to_string()).collect();
    ensure!(
        failed.is_empty(),
        "{} of {} files could not be downloaded; their previous versions are kept: {}",
        failed.len(),
        report.files.len(),
        names.join(", ")
    );
    Ok(())
}
