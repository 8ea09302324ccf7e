//! `procure demo`: the sample, indexed and served, with a key at hand and three requests to try.
//!
//! It builds in a fresh folder under the system's temporary one, so that it never touches an operator's data, and removes it at the end.

use std::{
    env, fs, io,
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process,
};

use anyhow::{Context, bail};
use chrono::Utc;

use crate::{
    catalog::{
        generation::{self, Generation},
        indexing,
    },
    cli,
    engine::Deadline,
    http::params::encode,
    model::{entity_type::EntityType, plans::Plan, record::record_id},
    query::{Page, SearchQuery, Start, text::TextQuery},
    server,
    state::State,
};

const SAMPLE: &str = "data/sample";

/// What the demo looks for: snow removal, which every Quebec town buys.
const WORD: &str = "déneigement";

/// How many ports are tried.
const PORTS: u16 = 50;

/// Indexes the sample and serves it until told to stop.
pub fn run(bind: SocketAddr) -> anyhow::Result<()> {
    let folder = Folder::fresh()?;
    let index_dir = folder.0.join("index");
    let options = indexing::Options {
        dumps: sample()?,
        index_dir: index_dir.clone(),
        memory_mb: indexing::DEFAULT_MEMORY_MB,
        strict: true,
    };
    let report = indexing::run(&options)?;
    let state = folder.0.join("state.db");
    let key = State::open(&state)?.create_key(Plan::Pro, "demo", Utc::now(), None)?;
    let listener = listen(bind)?;
    let address = listener.local_addr().context("reading the address served on")?;
    let generation = generation::open(&index_dir, &report.generation)?;
    let mut text = format!(
        "{} records of the sample, on http://{address}\nkey: {key}\nin a browser: http://{address}/docs\n\n",
        report.records()
    );
    for path in paths(&generation)? {
        text.push_str(&format!(
            "curl -s -H '{}-key: {key}' 'http://{address}{path}'\n",
            server::GATEWAY_PREFIX
        ));
    }
    drop(generation);
    cli::print(&(text + "\nCtrl-C ends it.\n"))?;
    server::run(&server::Config::new(index_dir, state), listener, server::signals())
}

/// A search, a filtered one, and a record: each answers with something of the sample.
fn paths(generation: &Generation) -> anyhow::Result<[String; 3]> {
    let city = generation.kind(EntityType::Tender).coverage.iter();
    let city = city.max_by_key(|row| row.records).context("the sample has no tender")?;
    let query = SearchQuery {
        text: TextQuery::parse(WORD).ok(),
        ..SearchQuery::newest(EntityType::Contract, Vec::new())
    };
    let page = Page {
        limit: 1,
        start: Start::Offset(0),
    };
    let found = generation.engine.search(&query, &page, Deadline::never())?.records;
    let id = found.first().and_then(|record| record_id(record));
    let id = id.with_context(|| format!("the sample has no contract about {WORD}"))?;
    Ok([
        format!("/contract?q={}&limit=3", encode(WORD)),
        format!(
            "/tender?municipality={}&sort_by=closing&limit=3",
            encode(&city.municipality)
        ),
        format!("/contract/{}", encode(&id)),
    ])
}

/// The sample beside the current folder, else beside the sources this program was built from.
fn sample() -> anyhow::Result<PathBuf> {
    let places = [
        Path::new(SAMPLE).to_owned(),
        Path::new(env!("CARGO_MANIFEST_DIR")).join(SAMPLE),
    ];
    let found = places.into_iter().find(|place| place.is_dir());
    found.with_context(|| format!("no folder {SAMPLE} here; run `procure demo` where the project was checked out"))
}

/// The address asked for, or the next whose port is free.
fn listen(bind: SocketAddr) -> anyhow::Result<TcpListener> {
    let last = bind.port().saturating_add(PORTS);
    for port in bind.port()..=last {
        match TcpListener::bind(SocketAddr::new(bind.ip(), port)) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
            listener => return listener.with_context(|| format!("listening on {}:{port}", bind.ip())),
        }
    }
    bail!(
        "the ports {} to {last} are all taken; choose one with --bind",
        bind.port()
    )
}

/// A folder of this process, gone with it.
struct Folder(PathBuf);

impl Folder {
    fn fresh() -> anyhow::Result<Folder> {
        let folder = env::temp_dir().join(format!("procure-demo-{}", process::id()));
        // It will hold a key: made anew, and for nobody else to look into.
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder
            .create(&folder)
            .with_context(|| format!("creating {}", folder.display()))?;
        Ok(Folder(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            log::warn!("{} is left behind: {error}", self.0.display());
        }
    }
}
