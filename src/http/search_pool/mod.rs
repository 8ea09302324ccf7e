//! The search pool: two lanes of threads, so that cheap requests never wait for expensive ones, and clients that take
//! turns in each lane.
//!
//! What cannot end before its deadline is refused on arrival, see [`fair_queue`]. A request that is cancelled leaves
//! its queue; a running job notices it by its [`Deadline`](crate::engine::Deadline). A job that panics fails its own
//! request only.

mod fair_queue;
mod lane;
mod pace;
mod request;

use std::{
    num::NonZeroUsize,
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

pub(crate) use crate::http::search_pool::{
    fair_queue::Client,
    lane::{JobLane, LaneOptions, Origin, lower_priority},
    request::{Part, guarded},
};
use crate::http::{
    metrics::Metrics,
    search_pool::lane::{Ended, LaneJob},
};

/// Which threads run a request's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// For work of a few milliseconds: a record, a page, names.
    Quick,
    /// For all that may take longer: batches, feeds, counts, profiles.
    Heavy,
}

/// Both lanes. Each has threads for all cores of the machine, so none idles while the other has work. Those of the
/// heavy lane run at a lower priority.
pub(crate) struct SearchPool {
    quick: JobLane,
    heavy: JobLane,
}

/// Decision D-118: waiting jobs of the quick lane. One client alone may fill half of them.
const QUICK_PLACES: usize = 1_024;

/// Decision D-118: waiting jobs of the heavy lane, where an item of a batch is a job.
const HEAVY_PLACES: usize = 4_096;

/// Decision D-143: the niceness of the heavy lane's threads.
const HEAVY_NICENESS: i32 = 5;

/// The origin of the probe's jobs.
const PROBE: Origin = Origin {
    client: Client::Probe,
    kind: "probe",
};

impl SearchPool {
    /// Each lane gets so many threads for each core of the machine: one if searches compute, more if they wait for
    /// another machine.
    pub(crate) fn start(metrics: &Metrics, threads_per_core: NonZeroUsize) -> anyhow::Result<SearchPool> {
        let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let threads = cores.saturating_mul(threads_per_core).get();
        let quick = LaneOptions {
            name: "quick",
            threads,
            places: QUICK_PLACES,
            unknown_pace: Duration::from_millis(1),
            niceness: 0,
        };
        let heavy = LaneOptions {
            name: "heavy",
            threads,
            places: HEAVY_PLACES,
            unknown_pace: Duration::from_millis(50),
            niceness: HEAVY_NICENESS,
        };
        Ok(SearchPool {
            quick: JobLane::start(&quick, metrics.lane(quick.name))?,
            heavy: JobLane::start(&heavy, metrics.lane(heavy.name))?,
        })
    }

    pub(crate) fn lane(&self, lane: Lane) -> &JobLane {
        match lane {
            Lane::Quick => &self.quick,
            Lane::Heavy => &self.heavy,
        }
    }

    /// Sends an empty job through each lane and waits. Returns whether both came back within this time.
    pub(crate) fn probe(&self, within: Duration) -> bool {
        let (sender, done) = mpsc::channel();
        let end = Instant::now() + within;
        let probes = [&self.quick, &self.heavy].map(|lane| {
            let sender = sender.clone();
            let run = Box::new(move || {
                // Fails if the probe has given up.
                let _ = sender.send(());
                Ended::Complete
            });
            lane.push(PROBE, LaneJob { kind: PROBE.kind, run })
        });
        probes.iter().all(|_| {
            let left = end.saturating_duration_since(Instant::now());
            done.recv_timeout(left).is_ok()
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Barrier};

    use super::*;
    use crate::engine::Deadline;

    #[test]
    fn a_probe_reports_a_blocked_lane() {
        let pool = SearchPool::start(&Metrics::default(), NonZeroUsize::MIN).unwrap();
        assert!(pool.probe(Duration::from_secs(10)));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        let origin = Origin {
            client: Client::Keyless,
            kind: "test",
        };
        let threads = thread::available_parallelism().unwrap().get();
        let barrier = Arc::new(Barrier::new(threads + 1));
        let part = || -> Part {
            let barrier = Arc::clone(&barrier);
            Box::new(move |_| {
                barrier.wait();
                barrier.wait();
                Ok(())
            })
        };
        let parts = (0..threads).map(|_| part()).collect();
        let heavy = pool.lane(Lane::Heavy);
        let blocked = heavy.run_parts(origin, Deadline::never(), parts, |_, _| Ok(()));
        runtime.block_on(async {
            let probing = async {
                barrier.wait();
                assert!(!pool.probe(Duration::from_millis(20)));
                barrier.wait();
            };
            let (blocked, ()) = tokio::join!(biased; blocked, probing);
            assert_eq!(blocked, Ok(()));
        });
        assert!(pool.probe(Duration::from_secs(10)));
    }
}
