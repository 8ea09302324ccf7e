//! Opens everything that requests share and puts it into one [`Service`].

use std::{
    sync::{Arc, atomic::AtomicBool, mpsc},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, anyhow, ensure};
use arc_swap::ArcSwapOption;

use crate::{
    api::{api_docs, openapi::document::document},
    catalog::generation::{self, Generation, GenerationFault, GenerationStore},
    http::{
        auth::Gateway, byte_budget::ByteBudget, call::AppState, kept_generations::KeptGenerations, metrics::Metrics,
        own_address::OwnAddress, search_pool::SearchPool, state_writer::StateWriter, stream::RunningStreams,
    },
    model::Plans,
    pages::{
        session::{Secret, Sessions},
        settings::PagesState,
    },
    server::{config::Config, service::Service},
    state::{database, sync::StateSync},
    storage::regular_file,
};

/// How long the start waits for a cluster. After that the server answers with 503 until the generation is open.
const CLUSTER_PATIENCE: Duration = Duration::from_secs(5);

type Opened = (Option<Generation>, Option<GenerationFault>);

/// The shared state, and what keeps its keys and counts in step with the database.
pub(crate) fn assemble(config: &Config) -> anyhow::Result<(Service, StateSync)> {
    let plans = match &config.plans {
        Some(path) => {
            // A named pipe would be waited for.
            regular_file::open(path).with_context(|| format!("reading the plans file {}", path.display()))?;
            Plans::from_file(path)?
        }
        None => Plans::default(),
    };
    let (generation, fault) = open_generation(config)?;
    let path = config.state.display();
    ensure!(
        config.state.exists(),
        "no state database {path}; `procure keys create --state {path} --plan PRO --label NAME` creates it, with a first key"
    );
    database::warn_if_exposed(&config.state);
    let sync = StateSync::open(&config.state, plans.clone(), (config.now)())?;
    let gateway = Gateway::new(&config.gateway_prefix, config.gateway_host.clone())?;
    let metrics = Metrics::default();
    let pages = PagesState::new(&config.pages, session_secret(&sync)?)?;
    let app = Arc::new(AppState {
        generation: ArcSwapOption::from_pointee(generation),
        kept_generations: Arc::new(KeptGenerations::new(config.store.clone())),
        generation_fault: ArcSwapOption::from_pointee(fault),
        keys: sync.ring(),
        max_state_age: config.max_state_age,
        api_docs: api_docs::render(&document(&gateway, &plans), &gateway, &plans),
        plans,
        gateway,
        search_pool: Arc::new(SearchPool::start(&metrics, config.store.searches_per_core())?),
        exports: config.exports.clone(),
        own_address: OwnAddress::new(config.pages.public_url.as_deref(), pages.is_some()),
        streams: RunningStreams::default(),
        state_writer: StateWriter::open(&config.state)?,
        query_timeout: config.query_timeout,
        body_time: config.limits.body,
        request_bytes: ByteBudget::new(config.limits.request_bytes),
        response_bytes: ByteBudget::new(config.limits.response_bytes),
        upgrade_url: config.upgrade_url.clone(),
        metrics,
        draining: Arc::new(AtomicBool::new(false)),
        started: Instant::now(),
        now: config.now,
    });
    Ok((Service { app, pages }, sync))
}

/// The secret that sessions are signed with. The server starts nevertheless if the database cannot store one: then its
/// sessions end with it.
fn session_secret(sync: &StateSync) -> anyhow::Result<Secret> {
    sync.session_secret().or_else(|error| {
        log::warn!(
            "visitors have to sign in again after a restart, because the secret of sessions is not stored: {error:#}"
        );
        Sessions::random_secret()
    })
}

/// The generation to serve, and why it is not the one that should be served, if it is not. Without a
/// generation, the server waits for one: a cluster does not answer, or has none yet.
fn open_generation(config: &Config) -> anyhow::Result<Opened> {
    let (store, is_strict) = (config.store.clone(), config.strict_generation);
    if !store.is_awaited() {
        return open_whole(&store, is_strict);
    }
    let (sender, opened) = mpsc::channel();
    // A node that stalls keeps its connections open, so it can be minutes until a search of the cluster fails.
    let open = move || drop(sender.send(open_whole(&store, is_strict)));
    thread::Builder::new().name("opening".to_owned()).spawn(open)?;
    let late = || (None, Some(GenerationFault::late(&config.store)));
    opened.recv_timeout(CLUSTER_PATIENCE).unwrap_or_else(|_| Ok(late()))
}

fn open_whole(store: &GenerationStore, is_strict: bool) -> anyhow::Result<Opened> {
    if is_strict && !store.is_awaited() {
        return Ok((Some(generation::open_current(store)?), None));
    }
    if is_strict {
        return match generation::open_named(store) {
            Ok(generation) => Ok((Some(generation), None)),
            Err(fault) if fault.may_pass() => Ok((None, Some(fault))),
            Err(fault) => Err(anyhow!("{fault}")),
        };
    }
    let (generation, fault) = generation::open_newest_whole(store)?;
    if let (Some(generation), Some(fault)) = (&generation, &fault) {
        log::error!(
            "{} is damaged, so the server serves the generation {}, published {}: {fault}",
            fault.damaged(),
            generation.id,
            generation.manifest.built_at,
        );
    }
    Ok((generation, fault))
}
