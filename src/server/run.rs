//! Runs the service: starts the background workers and both servers, and stops them in order.

use std::{
    net::{SocketAddr, TcpListener},
    sync::Arc,
};

use anyhow::Context;

use crate::{
    http::call::AppState,
    server::{
        admin, assembly,
        config::Config,
        connection_slots::ConnectionSlots,
        freed_memory, listener, mail_worker, reload, sync_worker, systemd, value_worker,
        watchdog::{self, AsyncWorkers},
        worker::PeriodicWorker,
    },
    state::database::StateDb,
};

/// Serves on a bound listener until `stop` resolves and the requests in flight are answered. A test
/// runs the real server with it, on a free port.
pub fn run(
    config: &Config,
    listener: TcpListener,
    stop: impl Future<Output = ()> + Send + 'static,
) -> anyhow::Result<()> {
    let address = listener.local_addr().context("reading the address of the listener")?;
    let admin = config
        .admin_bind
        .map(|admin| admin::listen(admin, address))
        .transpose()?;
    let (service, sync) = assembly::assemble(config)?;
    let state = Arc::clone(&service.app);
    log_start(&state, address);
    let reload = reload::start(Arc::clone(&state), config)?;
    let sync = sync_worker::start(sync, &state.metrics, config.now)?;
    let heartbeats = vec![
        reload.heartbeat(reload::STUCK_AFTER),
        sync.heartbeat(sync_worker::STUCK_AFTER),
    ];
    let async_workers = AsyncWorkers::default();
    let watchdog = watchdog::start(Arc::clone(&state), heartbeats, async_workers.clone())?;
    let mut workers = vec![sync, watchdog];
    // Not watched: a request computes what this worker does not.
    workers.push(value_worker::start(Arc::clone(&state))?);
    workers.extend(start_mailing(config, &state)?);
    let limits = config.limits;
    let slots = Arc::new(ConnectionSlots::new(listener::connections_permitted(
        limits.connections,
    )));
    workers.push(freed_memory::start(Arc::clone(&state), Arc::clone(&slots), limits)?);
    let served = actix_web::rt::System::new().block_on(async move {
        let admin = admin
            .map(|listener| admin::start(listener, &state, &slots))
            .transpose()?;
        let stop = async move {
            stop.await;
            systemd::stopping();
        };
        let server = listener::start(listener, service, limits, slots, async_workers, stop)?;
        systemd::ready();
        let served = server.await;
        // The admin server stops last, so that `/ready` reports the drain.
        if let Some(admin) = admin {
            // Without waiting for connections to end: a monitor keeps its connection open.
            admin.stop(false).await;
        }
        served
    });
    // Not waited for: it only reads, and a cluster that stalls could keep it for a minute.
    drop(reload);
    workers.into_iter().for_each(PeriodicWorker::stop);
    served.context("serving")
}

fn log_start(state: &AppState, address: SocketAddr) {
    match (state.generation.load_full(), state.generation_fault.load_full()) {
        (Some(generation), _) => log::info!("serving generation {} on http://{address}", generation.id),
        (None, fault) => log::warn!(
            "waiting for a generation, and answering with 503 on http://{address}: {}",
            fault.map(|fault| fault.to_string()).unwrap_or_default()
        ),
    }
    if state.keys.is_empty() {
        log::warn!("there is no API key yet; create one with `procure keys create`");
    }
}

/// The worker that sends mails, if the service sends any. The watchdog does not watch it: a run takes as long as the
/// mail server does, and its failures do not affect requests.
fn start_mailing(config: &Config, state: &Arc<AppState>) -> anyhow::Result<Option<PeriodicWorker>> {
    let Some(mail) = &config.mail else { return Ok(None) };
    let connection = StateDb::open(&config.state)?;
    let worker = mail_worker::start(Arc::clone(state), connection, Arc::clone(mail), config.now)?;
    Ok(Some(worker))
}
