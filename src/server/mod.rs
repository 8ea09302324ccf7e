//! The running service: what requests share is put together here, with the threads beside them and the way it all stops.
//!
//! [`run`] is given a bound listener and the moment to stop, so a test runs the real server on a free port. Background steps
//! ([`reload::Reload::once`], [`Watch::step`]) return what they did; their threads are plain loops around them.

mod admin;
pub mod connection;
pub mod health_probe;
pub mod http1;
pub mod listener;
pub mod mail_worker;
mod metrics;
pub mod reload;
pub mod systemd;
pub mod worker;

use std::{
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use arc_swap::ArcSwap;
use chrono::{DateTime, Utc};

use crate::{
    alerts::mailer::Settings,
    catalog::generation::{self, Generation},
    http::{AppState, auth::Gateway, handlers::docs::Pages, metrics::Metrics, search_pool::Pool, state_writer::Desk},
    logging,
    model::plans::Plans,
    server::{
        connection::Limits,
        reload::{Outcome, Reload},
        worker::{Beside, Pulse},
    },
    state::{State, watch::Watch},
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
    /// Where a key's plan is changed, if not on the service's own page.
    pub upgrade_url: Option<String>,
    /// Where metrics and readiness are told; nowhere without it.
    pub admin_bind: Option<SocketAddr>,
    /// How alerts are mailed; they are not without it.
    pub mail: Option<Arc<Settings>>,
    pub limits: Limits,
    /// The clock, a field so that a test can set it.
    pub now: fn() -> DateTime<Utc>,
}

/// The address listened on unless another is given.
pub const BIND: &str = "127.0.0.1:8080";

/// What the names of the gateway's headers start with unless the operator says otherwise.
pub const GATEWAY_PREFIX: &str = "x-gateway";

/// How long a search may take unless the operator says otherwise.
pub const QUERY_TIMEOUT: Duration = Duration::from_secs(5);

/// How often a new generation is looked for: well within the 2 seconds it is promised in.
const RELOAD_EVERY: Duration = Duration::from_millis(500);

/// How often the keys are looked at and the counts written: a new key works, and a revoked one fails, within this time, and a crash
/// forgets the requests of this time at most.
const KEYS_EVERY: Duration = Duration::from_secs(1);

impl Config {
    /// The defaults, for this index and this state.
    pub fn new(index_dir: PathBuf, state: PathBuf) -> Config {
        Config {
            index_dir,
            state,
            plans: None,
            gateway_prefix: GATEWAY_PREFIX.to_owned(),
            gateway_host: None,
            query_timeout: QUERY_TIMEOUT,
            upgrade_url: None,
            admin_bind: None,
            mail: None,
            limits: Limits::default(),
            now: Utc::now,
        }
    }
}

/// Serves until `stop` comes to its end and the requests in flight to theirs.
pub fn run(
    config: &Config,
    listener: TcpListener,
    stop: impl Future<Output = ()> + Send + 'static,
) -> anyhow::Result<()> {
    let address = listener.local_addr().context("reading the address served on")?;
    let admin = config
        .admin_bind
        .map(|admin| admin::listen(admin, address))
        .transpose()?;
    let plans = match &config.plans {
        Some(path) => Plans::from_file(path)?,
        None => Plans::default(),
    };
    let generation = open_current(&config.index_dir)?;
    let place = config.state.display();
    ensure!(
        config.state.exists(),
        "there is no state file {place}; `procure keys create --state {place} --plan PRO --label NAME` makes it, with a first key"
    );
    let watch = Watch::open(&config.state, plans.clone(), (config.now)())?;
    let state = Arc::new(assemble(config, generation, plans, &watch)?);
    let generation = state.generation.load();
    log::info!("serving generation {} on http://{address}", generation.id);
    drop(generation);
    if state.keys.is_empty() {
        log::warn!("there is no API key yet; make one with `procure keys create`");
    }
    let mut beside = vec![
        reload_thread(Arc::clone(&state), config.index_dir.clone())?,
        state_thread(watch, &state.metrics, config.now)?,
    ];
    beside.extend(watchdog_thread(&state, beside.iter().map(Beside::pulse).collect())?);
    if let Some(mail) = &config.mail {
        // Not watched: a run takes as long as the mail server does, and its failures are none of the service's.
        let own = State::open(&config.state)?;
        beside.push(mail_worker::start(
            Arc::clone(&state),
            own,
            Arc::clone(mail),
            config.now,
        )?);
    }
    let (limits, open) = (config.limits, Arc::new(AtomicUsize::new(0)));
    let served = actix_web::rt::System::new().block_on(async move {
        let admin = admin
            .map(|listener| admin::start(listener, &state, &open))
            .transpose()?;
        let stop = async move {
            stop.await;
            systemd::stopping();
        };
        let server = listener::server(listener, state, limits, open, stop)?;
        systemd::ready();
        let served = server.await;
        // The admin address answers to the end, so that it can tell that this is the end.
        if let Some(admin) = admin {
            // At once: a monitor keeps its connection open, and nothing it asks is worth waiting for.
            admin.stop(false).await;
        }
        served
    });
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
        logging::flush();
        std::process::exit(1);
    });
}

/// Whether the process was told to stop, for work that has no runtime of its own; a second signal ends the process at once.
pub fn stop_flag() -> anyhow::Result<Box<dyn Fn() -> bool>> {
    let flag = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&flag);
    let wait = move || {
        actix_web::rt::System::new().block_on(async move {
            let name = signal().await;
            log::info!("{name}: stopping; once more stops at once");
            raised.store(true, Ordering::Relaxed);
            let name = signal().await;
            log::warn!("{name}: stopped at once");
            logging::flush();
            std::process::exit(1);
        });
    };
    let thread = thread::Builder::new().name("signals".to_owned()).spawn(wait);
    thread.context("starting the thread that listens to signals")?;
    Ok(Box::new(move || flag.load(Ordering::Relaxed)))
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

fn assemble(config: &Config, generation: Generation, plans: Plans, watch: &Watch) -> anyhow::Result<AppState> {
    let gateway = Gateway::new(&config.gateway_prefix, config.gateway_host.clone())?;
    Ok(AppState {
        generation: ArcSwap::from_pointee(generation),
        keys: watch.ring(),
        pages: Pages::write(&gateway, &plans)?,
        plans,
        gateway,
        pool: Pool::new()?,
        desk: Desk::open(&config.state)?,
        query_timeout: config.query_timeout,
        body_time: config.limits.body,
        upgrade_url: config.upgrade_url.clone(),
        metrics: Metrics::default(),
        draining: AtomicBool::new(false),
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

fn reload_thread(state: Arc<AppState>, index_dir: PathBuf) -> anyhow::Result<Beside> {
    let (mut reload, metrics) = (Reload::default(), state.metrics.clone());
    let step = move || {
        match reload.once(&state, &index_dir) {
            Outcome::Unchanged => {}
            Outcome::Swapped(id) => {
                log::info!("serving generation {id}");
                systemd::reloaded(&id);
            }
            Outcome::Failed(why) => {
                log::error!("the generation served stays; the new one cannot be: {why}");
                return false;
            }
        }
        true
    };
    Beside::start("reload", RELOAD_EVERY, &metrics, step)
}

fn state_thread(mut watch: Watch, metrics: &Metrics, now: fn() -> DateTime<Utc>) -> anyhow::Result<Beside> {
    let mut complaint = String::new();
    let step = move || match watch.step(now()) {
        Ok(is_changed) => {
            complaint.clear();
            if is_changed {
                log::info!("the API keys were read again");
            }
            true
        }
        Err(error) => {
            let why = format!("{error:#}");
            if why != complaint {
                log::error!("the keys and counts known so far stay in force: {why}");
                complaint = why;
            }
            false
        }
    };
    Beside::start("state", KEYS_EVERY, metrics, step)
}

/// Tells a service manager that asks for it, again and again, that the process is alive: for as long as the other threads step.
fn watchdog_thread(state: &AppState, others: Vec<Pulse>) -> anyhow::Result<Option<Beside>> {
    let step = move || {
        let is_alive = others.iter().all(Pulse::is_felt);
        if is_alive {
            systemd::alive();
        }
        is_alive
    };
    let start = |every| Beside::start("watchdog", every, &state.metrics, step);
    systemd::alive_every().map(start).transpose()
}
