//! The running service: what requests share is put together here, with the threads beside them and the way it all stops.
//!
//! [`run`] is given a bound listener and the moment to stop, so a test runs the real server on a free port. Background steps
//! ([`reload::Reload::once`], [`Watch::refresh`]) return what they did; their threads are plain loops around them.

pub mod chunks;
pub mod framing;
pub mod listen;
pub mod reload;
pub mod wire;

use std::{
    net::TcpListener,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::AtomicBool,
        mpsc::{self, RecvTimeoutError},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::Context;
use arc_swap::ArcSwap;
use chrono::Utc;

use crate::{
    api::{AppState, auth::Gateway, pool::Pool},
    generation::{self, Generation},
    plans::Plans,
    serve::{
        reload::{Outcome, Reload},
        wire::Limits,
    },
    state::keys::Watch,
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
    pub limits: Limits,
}

/// How often a new generation is looked for: well within the 2 seconds it is promised in.
const RELOAD_EVERY: Duration = Duration::from_millis(500);

/// How often the keys are looked at: a new one works, and a revoked one fails, within this time.
const KEYS_EVERY: Duration = Duration::from_secs(1);

/// Serves until `stop` comes to its end and the requests in flight to theirs.
pub fn run(
    config: &Config,
    listener: TcpListener,
    stop: impl Future<Output = ()> + Send + 'static,
) -> anyhow::Result<()> {
    let address = listener.local_addr().context("reading the address served on")?;
    let watch = Watch::open(&config.state)?;
    let state = Arc::new(assemble(config, &watch)?);
    let generation = state.generation.load();
    log::info!("serving generation {} on http://{address}", generation.id);
    drop(generation);
    if state.keys.is_empty() {
        log::warn!("there is no API key yet; make one with `procure keys create`");
    }
    let beside = [
        reload_thread(Arc::clone(&state), config.index_dir.clone())?,
        keys_thread(watch)?,
    ];
    let limits = config.limits;
    let served =
        actix_web::rt::System::new().block_on(async move { listen::server(listener, state, limits, stop)?.await });
    beside.into_iter().for_each(Beside::end);
    served.context("serving")
}

/// Ends when the process is told to stop: SIGTERM or SIGINT. A second one ends the process at once.
pub async fn signals() {
    let name = signal().await;
    log::info!("{name}: stopping; once more stops at once");
    actix_web::rt::spawn(async {
        let name = signal().await;
        log::warn!("{name}: stopped at once");
        std::process::exit(1);
    });
}

/// Waits for a signal to stop, and gives its name. One that cannot be listened to never comes.
async fn signal() -> &'static str {
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
        () = wait(SignalKind::terminate()) => "SIGTERM",
        () = wait(SignalKind::interrupt()) => "SIGINT",
    }
}

fn assemble(config: &Config, watch: &Watch) -> anyhow::Result<AppState> {
    let plans = match &config.plans {
        Some(path) => Plans::from_file(path)?,
        None => Plans::default(),
    };
    Ok(AppState {
        generation: ArcSwap::from_pointee(open_current(&config.index_dir)?),
        keys: watch.ring(),
        plans,
        gateway: Gateway::new(&config.gateway_prefix, config.gateway_host.clone())?,
        pool: Pool::new()?,
        query_timeout: config.query_timeout,
        draining: AtomicBool::new(false),
        started: Instant::now(),
        now: Utc::now,
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

fn keys_thread(mut watch: Watch) -> anyhow::Result<Beside> {
    let mut complained = false;
    Beside::start("keys", KEYS_EVERY, move || match watch.refresh() {
        Ok(true) => log::info!("the API keys were read again"),
        Ok(false) => complained = false,
        Err(error) if !complained => {
            complained = true;
            log::error!("the keys known so far stay in force: {error:#}");
        }
        Err(_) => {}
    })
}
