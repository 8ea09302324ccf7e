//! The running service: what requests share is put together here, with the threads beside them and the way it all stops.
//!
//! [`run`] is given a bound listener and the moment to stop, so a test runs the real server on a free port. Background steps
//! ([`reload::Reload::once`], [`Watch::step`]) return what they did; their threads are plain loops around them.

pub mod reload;

use std::{
    net::TcpListener,
    path::{Path, PathBuf},
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use actix_web::{App, HttpServer, web};
use anyhow::Context;
use arc_swap::ArcSwap;
use chrono::{DateTime, Utc};

use crate::{
    api::{self, AppState, auth::Gateway, pool::Pool},
    generation::{self, Generation},
    plans::Plans,
    serve::reload::{Outcome, Reload},
    state::watch::Watch,
};

/// What an operator sets.
#[derive(Clone, Debug)]
pub struct Config {
    pub index_dir: PathBuf,
    pub state: PathBuf,
    /// A file that overrides the plans' figures.
    pub plans: Option<PathBuf>,
    pub gateway_prefix: String,
    pub gateway_host: Option<String>,
    pub query_timeout: Duration,
    /// The clock, a field so that a test can set it.
    pub now: fn() -> DateTime<Utc>,
}

/// How often a new generation is looked for: well within the 2 seconds it is promised in.
const RELOAD_EVERY: Duration = Duration::from_millis(500);

/// How often the keys are looked at and the counts written: a new key works, and a revoked one fails, within this time, and a crash
/// forgets the requests of this time at most.
const KEYS_EVERY: Duration = Duration::from_secs(1);

/// How long requests in flight may take to end once the service was told to stop.
const SHUTDOWN_SECONDS: u64 = 30;

/// Spec silent: how long a connection may stay open between two requests.
const KEEP_ALIVE: Duration = Duration::from_secs(75);

/// Serves until `stop` comes to its end and the requests in flight to theirs.
pub fn run(
    config: &Config,
    listener: TcpListener,
    stop: impl Future<Output = ()> + Send + 'static,
) -> anyhow::Result<()> {
    let address = listener.local_addr().context("reading the address served on")?;
    let plans = match &config.plans {
        Some(path) => Plans::from_file(path)?,
        None => Plans::default(),
    };
    let watch = Watch::open(&config.state, plans.clone(), (config.now)())?;
    let state = Arc::new(assemble(config, plans, &watch)?);
    let generation = state.generation.load();
    log::info!("serving generation {} on http://{address}", generation.id);
    drop(generation);
    if state.keys.is_empty() {
        log::warn!("there is no API key yet; make one with `procure keys create`");
    }
    let beside = [
        reload_thread(Arc::clone(&state), config.index_dir.clone())?,
        keys_thread(watch, config.now)?,
    ];
    let served = actix_web::rt::System::new().block_on(async move {
        let shared = web::Data::from(state);
        HttpServer::new(move || {
            App::new()
                .app_data(shared.clone())
                .default_service(web::to(api::answer))
        })
        .listen(listener)?
        .keep_alive(KEEP_ALIVE)
        .tcp_nodelay(true)
        .shutdown_timeout(SHUTDOWN_SECONDS)
        .shutdown_signal(stop)
        .run()
        .await
    });
    beside.into_iter().for_each(Beside::end);
    served.context("serving")
}

/// Ends when the process is told to stop: SIGTERM or SIGINT. A signal that cannot be listened to never comes.
pub async fn signals() {
    use tokio::signal::unix::{SignalKind, signal};
    let wait = async |kind: SignalKind| match signal(kind) {
        Ok(mut signal) => {
            signal.recv().await;
        }
        Err(error) => {
            log::error!("a signal cannot be listened to: {error}");
            std::future::pending().await
        }
    };
    tokio::select! {
        () = wait(SignalKind::terminate()) => log::info!("SIGTERM: stopping"),
        () = wait(SignalKind::interrupt()) => log::info!("SIGINT: stopping"),
    }
}

fn assemble(config: &Config, plans: Plans, watch: &Watch) -> anyhow::Result<AppState> {
    Ok(AppState {
        generation: ArcSwap::from_pointee(open_current(&config.index_dir)?),
        keys: watch.ring(),
        plans,
        gateway: Gateway::new(&config.gateway_prefix, config.gateway_host.clone())?,
        pool: Pool::new()?,
        query_timeout: config.query_timeout,
        started: Instant::now(),
        now: config.now,
    })
}

fn open_current(index_dir: &Path) -> anyhow::Result<Generation> {
    let id = generation::current(index_dir)?.with_context(|| {
        format!(
            "no index in {}; build one with `procure index --index-dir {0}`",
            index_dir.display()
        )
    })?;
    generation::open(index_dir, &id)
}

/// A thread beside the requests, which ends when asked to.
struct Beside {
    stop: mpsc::Sender<()>,
    thread: JoinHandle<()>,
}

impl Beside {
    /// Calls `step` again and again, `every` apart.
    fn start(name: &str, every: Duration, mut step: impl FnMut() + Send + 'static) -> anyhow::Result<Beside> {
        let (stop, stopped) = mpsc::channel();
        let thread = thread::Builder::new().name(name.to_owned()).spawn(move || {
            while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                step();
            }
        });
        let thread = thread.with_context(|| format!("starting the {name} thread"))?;
        Ok(Beside { stop, thread })
    }

    fn end(self) {
        drop(self.stop);
        if self.thread.join().is_err() {
            log::error!("a background thread panicked");
        }
    }
}

fn reload_thread(state: Arc<AppState>, index_dir: PathBuf) -> anyhow::Result<Beside> {
    let mut reload = Reload::default();
    Beside::start("reload", RELOAD_EVERY, move || match reload.once(&state, &index_dir) {
        Outcome::Unchanged => {}
        Outcome::Swapped(id) => log::info!("serving generation {id}"),
        Outcome::Failed(why) => log::error!("the generation served stays; the new one cannot be: {why}"),
    })
}

fn keys_thread(mut watch: Watch, now: fn() -> DateTime<Utc>) -> anyhow::Result<Beside> {
    let mut complaint = String::new();
    Beside::start("keys", KEYS_EVERY, move || match watch.step(now()) {
        Ok(is_changed) => {
            complaint.clear();
            if is_changed {
                log::info!("the API keys were read again");
            }
        }
        Err(error) => {
            let why = format!("{error:#}");
            if why != complaint {
                log::error!("the keys and counts known so far stay in force: {why}");
                complaint = why;
            }
        }
    })
}
