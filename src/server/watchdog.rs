//! Reports to the service manager that the process is alive, as long as the other background
//! workers are.

use crate::{
    http::metrics::Metrics,
    server::{
        systemd,
        worker::{Heartbeat, PeriodicWorker},
    },
};

/// Starts the watchdog; `None` if no service manager waits for it.
pub(crate) fn start(metrics: &Metrics, watched: Vec<Heartbeat>) -> anyhow::Result<Option<PeriodicWorker>> {
    let step = move || {
        let is_alive = watched.iter().all(Heartbeat::is_alive);
        if is_alive {
            systemd::alive();
        }
        is_alive
    };
    systemd::watchdog_interval()
        .map(|interval| PeriodicWorker::start("watchdog", interval, metrics, step))
        .transpose()
}
