//! Where searches run: a few threads of their own, so that CPU work never holds up the async workers that read and write sockets.
//!
//! No more threads than cores, and a bound on the requests that wait: past it a request is told to come back rather than served late.
//! A job whose deadline passed while it waited, or whose client has gone, is not run, and one that runs learns of it. A job that panics costs its
//! own request, no more.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use anyhow::Context;
use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::sync::oneshot;

use crate::{engine::Deadline, http::error::ApiError};

pub struct Pool {
    threads: ThreadPool,
    unfinished: Arc<AtomicUsize>,
    most: usize,
}

/// Spec silent: the searches that may wait for each thread; at a millisecond each, far less than a client's patience.
const WAITING_PER_THREAD: usize = 256;

impl Pool {
    /// As many threads as there are cores.
    pub fn new() -> anyhow::Result<Pool> {
        let threads = thread::available_parallelism().map_or(1, |cores| cores.get());
        Pool::with(threads, threads * (1 + WAITING_PER_THREAD))
    }

    /// So many threads, and so many jobs at most that run or wait.
    pub fn with(threads: usize, most: usize) -> anyhow::Result<Pool> {
        let threads = ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|number| format!("search-{number}"))
            .build()
            .context("starting the search threads")?;
        Ok(Pool {
            threads,
            unfinished: Arc::default(),
            most,
        })
    }

    /// Runs a job, unless too many wait or its time is up before its turn. The answer comes at the deadline at the latest.
    pub async fn run<T: Send + 'static>(
        &self,
        deadline: Deadline,
        job: impl FnOnce(Deadline) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let place = Place::take(&self.unfinished, self.most).ok_or_else(ApiError::busy)?;
        let (sender, result) = oneshot::channel();
        let end = deadline.end();
        let (deadline, _waiter) = deadline.with_waiter();
        let waiting = Waiting(Arc::new(Mutex::new(Some((place, job)))));
        let turn = Arc::clone(&waiting.0);
        self.threads.spawn_fifo(move || {
            // Nothing is left where nobody waits any more.
            let taken = turn.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some((place, job)) = taken {
                let result = run_now(deadline, job);
                drop(place);
                // The client may have gone meanwhile; then nobody is left to tell.
                let _ = sender.send(result);
            }
        });
        let result = match end {
            Some(end) => tokio::time::timeout_at(end.into(), result)
                .await
                .map_err(|_| ApiError::timeout())?,
            None => result.await,
        };
        result.unwrap_or_else(|_| Err(ApiError::internal("a search was dropped")))
    }
}

/// A job that waits for its turn. Dropped before, with the request it is for, it takes the job along: what nobody waits for keeps neither its place
/// nor its memory.
struct Waiting<J>(Arc<Mutex<Option<J>>>);

impl<J> Drop for Waiting<J> {
    fn drop(&mut self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

fn run_now<T>(deadline: Deadline, job: impl FnOnce(Deadline) -> Result<T, ApiError>) -> Result<T, ApiError> {
    deadline.check()?;
    // What a job shares is read-only, or a cache that replaces its entries whole.
    catch_unwind(AssertUnwindSafe(|| job(deadline)))
        .unwrap_or_else(|_| Err(ApiError::internal("a search panicked; its message stands above")))
}

/// One of the places among the unfinished jobs, given back when dropped.
struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(unfinished: &Arc<AtomicUsize>, most: usize) -> Option<Place> {
        let place = Place(Arc::clone(unfinished));
        (unfinished.fetch_add(1, Ordering::Relaxed) < most).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, time::Duration};

    use super::*;

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap()
            .block_on(future)
    }

    fn status<T: std::fmt::Debug>(result: Result<T, ApiError>) -> u16 {
        result.unwrap_err().status.as_u16()
    }

    #[test]
    fn a_panic_costs_its_own_request() {
        let pool = Pool::with(1, 1).unwrap();
        let panicking = block_on(pool.run(Deadline::never(), |_| -> Result<(), ApiError> { panic!("on purpose") }));
        assert_eq!(status(panicking), 500);
        assert_eq!(block_on(pool.run(Deadline::never(), |_| Ok(7))), Ok(7));
    }

    #[test]
    fn a_job_that_is_late_before_its_turn_does_not_run() {
        let pool = Pool::with(1, 1).unwrap();
        let late = block_on(pool.run(Deadline::after(Duration::ZERO), |_| -> Result<(), ApiError> {
            unreachable!("its time was up")
        }));
        assert_eq!(status(late), 504);
    }

    #[test]
    fn past_its_bound_the_pool_is_busy() {
        let pool = Pool::with(1, 1).unwrap();
        let (release, held) = mpsc::channel::<()>();
        block_on(async {
            let first = pool.run(Deadline::never(), move |_| Ok(held.recv().is_err()));
            let second = async {
                let refused = pool.run(Deadline::never(), |_| Ok(())).await;
                drop(release);
                refused
            };
            let (first, second) = tokio::join!(first, second);
            assert_eq!(first, Ok(true));
            assert_eq!(status(second), 503);
        });
        assert_eq!(block_on(pool.run(Deadline::never(), |_| Ok(()))), Ok(()));
    }

    #[test]
    fn a_job_that_waits_is_answered_at_its_deadline_and_never_runs() {
        let pool = Pool::with(1, 2).unwrap();
        let (release, held) = mpsc::channel::<()>();
        let (runs, ran) = mpsc::channel::<()>();
        block_on(async {
            let first = pool.run(Deadline::never(), move |_| Ok(held.recv().is_err()));
            let second = async {
                let late = Deadline::after(Duration::from_millis(20));
                let runs = runs.clone();
                let result = pool.run(late, move |_| Ok(runs.send(()).is_ok())).await;
                assert_eq!(status(result), 504, "while the first still runs");
                // Its place is free again for a third.
                let given_up = tokio::time::timeout(
                    Duration::from_millis(20),
                    pool.run(Deadline::never(), |_| -> Result<(), ApiError> {
                        unreachable!("its client has gone")
                    }),
                );
                assert!(given_up.await.is_err());
                drop(release);
            };
            let (first, ()) = tokio::join!(first, second);
            assert_eq!(first, Ok(true));
        });
        assert_eq!(block_on(pool.run(Deadline::never(), |_| Ok(1))), Ok(1));
        assert!(ran.try_recv().is_err());
    }

    #[test]
    fn a_job_that_runs_learns_that_its_client_has_gone() {
        let pool = Pool::with(1, 1).unwrap();
        let (ends, ended) = mpsc::channel();
        let job = pool.run(Deadline::never(), move |deadline| {
            while !deadline.is_over() {
                thread::yield_now();
            }
            Ok(ends.send(()).is_ok())
        });
        let waited = block_on(async { tokio::time::timeout(Duration::from_millis(20), job).await });
        assert!(waited.is_err());
        assert_eq!(ended.recv_timeout(Duration::from_secs(10)), Ok(()));
    }
}
