//! Opens everything that requests share and puts it into one [`AppState`].

use std::{path::Path, sync::atomic::AtomicBool, time::Instant};

use anyhow::{Context, ensure};
use arc_swap::ArcSwap;

use crate::{
    catalog::generation::{self, Generation},
    http::{
        auth::Gateway, bounded_pool::BoundedPool, call::AppState, metrics::Metrics, openapi::document::document,
        pages::Pages, state_writer::StateWriter,
    },
    model::Plans,
    server::config::Config,
    state::sync::StateSync,
};

/// The shared state, and what keeps its keys and counts in step with the database.
pub(crate) fn assemble(config: &Config) -> anyhow::Result<(AppState, StateSync)> {
    let plans = match &config.plans {
        Some(path) => Plans::from_file(path)?,
        None => Plans::default(),
    };
    let generation = open_current_generation(&config.index_dir)?;
    let path = config.state.display();
    ensure!(
        config.state.exists(),
        "no state database {path}; `procure keys create --state {path} --plan PRO --label NAME` creates it, with a first key"
    );
    let sync = StateSync::open(&config.state, plans.clone(), (config.now)())?;
    let gateway = Gateway::new(&config.gateway_prefix, config.gateway_host.clone())?;
    let state = AppState {
        generation: ArcSwap::from_pointee(generation),
        keys: sync.ring(),
        pages: Pages::new(&document(&gateway, &plans), &gateway, &plans),
        plans,
        gateway,
        search_pool: BoundedPool::for_searches()?,
        state_writer: StateWriter::open(&config.state)?,
        query_timeout: config.query_timeout,
        body_time: config.limits.body,
        upgrade_url: config.upgrade_url.clone(),
        metrics: Metrics::default(),
        draining: AtomicBool::new(false),
        started: Instant::now(),
        now: config.now,
    };
    Ok((state, sync))
}

fn open_current_generation(index_dir: &Path) -> anyhow::Result<Generation> {
    let id = generation::current(index_dir)?.with_context(|| {
        format!(
            "no index in {}; build one with `procure index --index-dir {0}`",
            index_dir.display()
        )
    })?;
    generation::open(index_dir, &id)
}
