//! Reports to the service manager that the server is alive: that its background workers complete
//! their steps, its async workers take turns, and a search comes through.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use actix_web::rt;

use crate::{
    http::call::AppState,
    server::{
        systemd,
        worker::{Heartbeat, LastStep, PeriodicWorker},
    },
};

/// How often the server checks itself if no service manager waits for it. Failures are counted.
const INTERVAL: Duration = Duration::from_secs(30);

/// How often each async worker must take a turn.
const TURN_INTERVAL: Duration = Duration::from_secs(1);

/// How long after its last turn an async worker counts as stuck. Its longest duty between two turns
/// takes milliseconds.
const TURN_STUCK_AFTER: Duration = Duration::from_secs(20);

/// The heartbeats of the async workers, which answer the requests.
#[derive(Clone)]
pub(crate) struct AsyncWorkers {
    heartbeats: Arc<Mutex<Vec<Heartbeat>>>,
    turn_interval: Duration,
    stuck_after: Duration,
}

impl Default for AsyncWorkers {
    fn default() -> AsyncWorkers {
        AsyncWorkers {
            heartbeats: Arc::default(),
            turn_interval: TURN_INTERVAL,
            stuck_after: TURN_STUCK_AFTER,
        }
    }
}

impl AsyncWorkers {
    /// Watches the async worker on whose thread this is called, until its runtime ends.
    pub(crate) fn watch_this_one(&self) {
        let (turn, interval) = (LastStep::now(), self.turn_interval);
        let heartbeat = turn.heartbeat("async worker", self.stuck_after);
        self.heartbeats
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(heartbeat);
        rt::spawn(async move {
            loop {
                rt::time::sleep(interval).await;
                turn.completed();
            }
        });
    }

    /// The name of one that is stuck, if one is.
    fn stuck(&self) -> Option<&'static str> {
        let mut heartbeats = self.heartbeats.lock().unwrap_or_else(PoisonError::into_inner);
        heartbeats.retain(|heartbeat| !heartbeat.is_abandoned());
        stuck(&heartbeats)
    }
}

/// Starts the watchdog over these background workers, the async workers and the search pool.
///
/// Decision D-177: the server does not restart itself. Without a service manager, the failures are
/// only counted.
pub(crate) fn start(
    state: Arc<AppState>,
    background: Vec<Heartbeat>,
    async_workers: AsyncWorkers,
) -> anyhow::Result<PeriodicWorker> {
    let interval = systemd::watchdog_interval().unwrap_or(INTERVAL);
    let metrics = state.metrics.clone();
    // Well within the service manager's timeout, which is two intervals.
    let search_timeout = interval / 2;
    let step = move || {
        let search = || (!state.search_pool.probe(search_timeout)).then_some("search pool");
        match stuck(&background).or_else(|| async_workers.stuck()).or_else(search) {
            None => {
                systemd::alive();
                true
            }
            Some(name) => {
                log::error!("the {name} is stuck; under systemd, the server is restarted if that lasts");
                false
            }
        }
    };
    PeriodicWorker::start("watchdog", interval, &metrics, step)
}

fn stuck(heartbeats: &[Heartbeat]) -> Option<&'static str> {
    let stuck = heartbeats.iter().find(|heartbeat| !heartbeat.is_alive());
    stuck.map(|heartbeat| heartbeat.name)
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, thread, time::Instant};

    use super::*;

    #[test]
    fn a_blocked_async_worker_is_stuck_until_it_takes_turns_again() {
        let workers = AsyncWorkers {
            turn_interval: Duration::from_millis(1),
            stuck_after: Duration::from_millis(200),
            ..AsyncWorkers::default()
        };
        let watched = workers.clone();
        let (block, blocked) = mpsc::channel::<()>();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let runtime = thread::spawn(move || {
            rt::System::new().block_on(async move {
                watched.watch_this_one();
                // Blocks the thread, as a handler that computes for too long does.
                rt::spawn(async move { blocked.recv() });
                let _ = stopped.await;
            });
        });
        let becomes = |expected: Option<&str>| {
            let started = Instant::now();
            while workers.stuck() != expected {
                assert!(started.elapsed() < Duration::from_secs(20), "{expected:?}");
                thread::sleep(Duration::from_millis(5));
            }
        };
        becomes(Some("async worker"));
        drop(block);
        becomes(None);
        drop(stop);
        runtime.join().unwrap();
        assert_eq!(workers.stuck(), None);
        assert!(workers.heartbeats.lock().unwrap().is_empty(), "its runtime has ended");
    }
}
