//! `procure demo`: a sample that ends today, indexed and served, with a key and requests to try.
//!
//! The sample, the index and the keys are in a fresh temporary folder, which is deleted at the end:
//! an operator's data is never touched.

use std::{
    env, fmt, fs, io,
    net::{SocketAddr, TcpListener},
    path::PathBuf,
    process,
};

use anyhow::{Context, bail};
use chrono::Utc;
use clap::Args;

use crate::{
    catalog::{
        generation::{self, Generation, GenerationStore},
        indexing,
    },
    cli::options::{note, parse_address, parse_number, print},
    engine::Deadline,
    http::encoding::encode,
    model::{Date, EntityType, Plan, record_id::record_id},
    pages::settings::{OneTimeLink, PagesSettings},
    query::{Page, SearchQuery, Start, text::TextQuery},
    sample::{self, SampleOptions},
    server,
    state::database::StateDb,
    storage::hex::hex,
};

const SEED: u64 = 1;

/// What the demo searches for: snow removal, which every Quebec town buys.
const SEARCH_WORD: &str = "déneigement";

/// What the demo's feed looks for: works, repair and snow removal.
const FEED_KEYWORDS: &str = "travaux,réfection,déneigement";

/// Pages to open in a browser, after the one that signs in.
const PAGES: [(&str, &str); 1] = [("API reference", "/docs")];

/// How many ports are tried.
const PORTS: u16 = 50;

#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Address to listen on; the next free port is used if this one is taken
    #[arg(
        long,
        value_name = "ADDRESS",
        env = "PROCURE_BIND",
        default_value = server::config::BIND,
        value_parser = parse_address
    )]
    bind: SocketAddr,
    /// Number of sample records; 10,000 have some new tenders each day
    #[arg(
        long,
        value_name = "N",
        env = "PROCURE_RECORDS",
        default_value = "10000",
        value_parser = parse_number::<u64>
    )]
    records: u64,
}

/// A request to try.
struct DemoRequest {
    about: &'static str,
    path: String,
}

/// Makes a sample, indexes it and serves it until the process is stopped.
pub(crate) fn run(args: Demo) -> anyhow::Result<()> {
    let folder = DemoFolder::create()?;
    let today = Date::in_toronto(Utc::now());
    let dumps = folder.0.join("dumps");
    note(&format!("Writing {} sample records …", args.records));
    sample::run(&SampleOptions {
        last_day: today,
        bids: true,
        ..SampleOptions::new(args.records, SEED, dumps.clone())
    })?;
    let index_dir = folder.0.join("index");
    let options = indexing::IndexOptions {
        dumps,
        store: GenerationStore::Folder(index_dir.clone()),
        memory_mb: indexing::DEFAULT_MEMORY_MB,
        strict: true,
    };
    note("Building the index of the sample, which takes some seconds …");
    let report = indexing::run(&options)?;
    let state = folder.0.join("state.db");
    let keys = StateDb::open(&state)?;
    let key = keys.create_key(Plan::Pro, "demo", Utc::now(), None)?;
    let key_id = keys.keys()?.first().map(|key| key.id);
    drop(keys);
    let token = link_token()?;
    let listener = listen(args.bind)?;
    let address = listener.local_addr().context("reading the address served on")?;
    let generation = generation::open(&index_dir, &report.generation)?;
    let instructions = Instructions {
        records: report.records(),
        address,
        key: &key,
        token: &token,
        requests: requests(&generation, today)?,
    };
    drop(generation);
    print(&instructions.to_string())?;
    let config = server::Config {
        pages: PagesSettings {
            one_time_link: key_id.map(|key_id| OneTimeLink::new(&token, key_id)),
            ..PagesSettings::default()
        },
        ..server::Config::new(index_dir, state)
    };
    server::run(&config, listener, server::signals::stop_requested())
}

/// The part of the link that cannot be guessed.
fn link_token() -> anyhow::Result<String> {
    let mut random = [0; 20];
    getrandom::fill(&mut random).context("generating the link that signs in")?;
    Ok(hex(&random))
}

/// What the demo prints.
struct Instructions<'a> {
    records: u64,
    address: SocketAddr,
    key: &'a str,
    /// Of the link that signs in once.
    token: &'a str,
    requests: [DemoRequest; 5],
}

impl fmt::Display for Instructions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (address, key) = (self.address, self.key);
        writeln!(f, "Serving {} sample records at http://{address}\n", self.records)?;
        let token = self.token;
        writeln!(f, "Open this in a browser. It signs you in, once:")?;
        writeln!(f, "http://{address}/en/welcome?token={token}\n")?;
        writeln!(f, "{:<14} {key}", "API key")?;
        for (name, path) in PAGES {
            writeln!(f, "{name:<14} http://{address}{path}")?;
        }
        for DemoRequest { about, path } in &self.requests {
            let prefix = server::config::GATEWAY_PREFIX;
            writeln!(
                f,
                "\n# {about}\ncurl -s -H '{prefix}-key: {key}' 'http://{address}{path}'"
            )?;
        }
        writeln!(f, "\nPress Ctrl-C to stop the server and delete the sample.")
    }
}

/// Requests that each have an answer in the sample.
fn requests(generation: &Generation, today: Date) -> anyhow::Result<[DemoRequest; 5]> {
    let query = SearchQuery {
        text: TextQuery::parse(SEARCH_WORD).ok(),
        ..SearchQuery::newest(EntityType::Contract, Vec::new())
    };
    let page = Page {
        limit: 1,
        start: Start::Offset(0),
    };
    let found = generation.engine.search(&query, &page, Deadline::never())?.records;
    let contract = found.first();
    let contract = contract.with_context(|| {
        format!("the sample has no contract about {SEARCH_WORD}; choose more records with --records")
    })?;
    let id = record_id(contract).context("the contract has no record_id")?;
    let fields: serde_json::Value = serde_json::from_slice(contract).context("reading the contract")?;
    let vendor = fields["vendor_name"].as_str();
    let vendor = vendor.context("the contract has no vendor_name")?;
    let request = |about, path| DemoRequest { about, path };
    Ok([
        request(
            "Search contracts by a word in French: snow removal",
            format!("/contract?q={}&limit=3", encode(SEARCH_WORD)),
        ),
        request(
            "Open tenders, those that close first",
            format!("/tender?status=open&closing_after={today}&sort_by=closing&sort_order=asc&limit=3"),
        ),
        request(
            "New tenders about works, repair or snow removal",
            format!("/tender/feed?keywords={}&days_back=30&limit=3", encode(FEED_KEYWORDS)),
        ),
        request("One contract", format!("/contract/{}", encode(&id))),
        request(
            "Its vendor: the number, value and buyers of all its contracts",
            format!("/vendor/{}?limit=1", encode(vendor)),
        ),
    ])
}

/// Listens on `bind`, or on the next free port if that one is taken.
fn listen(bind: SocketAddr) -> anyhow::Result<TcpListener> {
    let last = bind.port().saturating_add(PORTS);
    for port in bind.port()..=last {
        match TcpListener::bind(SocketAddr::new(bind.ip(), port)) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
            listener => {
                let what = format!("listening on {}:{port}", bind.ip());
                return listener.map_err(|error| server::bind_error::explain(error, what, "--bind"));
            }
        }
    }
    bail!(
        "the ports {} to {last} are all in use; choose another with --bind",
        bind.port()
    )
}

/// A temporary folder that is deleted when it is dropped.
struct DemoFolder(PathBuf);

impl DemoFolder {
    fn create() -> anyhow::Result<DemoFolder> {
        let folder = env::temp_dir().join(format!("procure-demo-{}", process::id()));
        // It will hold a key: only this user may read it.
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder
            .create(&folder)
            .with_context(|| format!("creating {}", folder.display()))?;
        Ok(DemoFolder(folder))
    }
}

impl Drop for DemoFolder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            log::warn!("cannot delete {}: {error}", self.0.display());
        }
    }
}
