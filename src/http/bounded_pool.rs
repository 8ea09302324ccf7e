//! A thread pool with a bounded queue, for work that must not block the async workers that serve
//! sockets.
//!
//! When the queue is full, a request gets a 503 at once instead of a late response. A queued job is
//! not run if its deadline has passed or its client has disconnected; a running job can check both.
//! A job that panics fails its own request only.

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

/// Threads, and the number of jobs that run or wait.
pub(crate) struct BoundedPool {
    threads: ThreadPool,
    unfinished: Arc<AtomicUsize>,
    max_unfinished: usize,
}

/// Decision D-118: the maximum number of queued jobs per thread. At a millisecond per search, a
/// full queue takes far less time than clients wait.
const QUEUE_PER_THREAD: usize = 256;

impl BoundedPool {
    /// The pool for searches, with one thread per core.
    pub(crate) fn for_searches() -> anyhow::Result<BoundedPool> {
        let threads = thread::available_parallelism().map_or(1, |cores| cores.get());
        BoundedPool::with("search", threads, threads * (1 + QUEUE_PER_THREAD))
    }

    /// A pool with this number of threads that accepts jobs while fewer than `max_unfinished` run
    /// or wait. The name is the first part of the names of its threads.
    pub(crate) fn with(name: &'static str, threads: usize, max_unfinished: usize) -> anyhow::Result<BoundedPool> {
        let threads = ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(move |number| format!("{name}-{number}"))
            .build()
            .with_context(|| format!("starting the {name} threads"))?;
        Ok(BoundedPool {
            threads,
            unfinished: Arc::default(),
            max_unfinished,
        })
    }

    /// Runs a job and returns its result, at the deadline at the latest.
    ///
    /// # Errors
    /// 503 if the queue is full, 504 if the deadline passes first, 500 if the job panics.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        deadline: Deadline,
        job: impl FnOnce(Deadline) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let slot = JobSlot::take(&self.unfinished, self.max_unfinished).ok_or_else(ApiError::busy)?;
        let (sender, result) = oneshot::channel();
        let end = deadline.end();
        let (deadline, _waiter) = deadline.cancellable();
        let queued = QueuedJob(Arc::new(Mutex::new(Some((slot, job)))));
        let shared = Arc::clone(&queued.0);
        self.threads.spawn_fifo(move || {
            // `None` if the request was dropped.
            let taken = shared.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some((slot, job)) = taken {
                let result = run_now(deadline, job);
                drop(slot);
                // Fails if the client has disconnected meanwhile.
                let _ = sender.send(result);
            }
        });
        let result = match end {
            Some(end) => tokio::time::timeout_at(end.into(), result)
                .await
                .map_err(|_| ApiError::timeout())?,
            None => result.await,
        };
        result.unwrap_or_else(|_| Err(ApiError::internal("a job was dropped")))
    }
}

/// A queued job, shared with the thread that will take it. Dropping it, together with its request,
/// drops the job and frees its slot.
struct QueuedJob<J>(Arc<Mutex<Option<J>>>);

impl<J> Drop for QueuedJob<J> {
    fn drop(&mut self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

fn run_now<T>(deadline: Deadline, job: impl FnOnce(Deadline) -> Result<T, ApiError>) -> Result<T, ApiError> {
    deadline.check()?;
    // Unwind-safe: jobs share only read-only data and caches that replace whole entries.
    catch_unwind(AssertUnwindSafe(|| job(deadline)))
        .unwrap_or_else(|_| Err(ApiError::internal("a job panicked; its message is in the log above")))
}

/// One of the permitted unfinished jobs, freed when it is dropped.
struct JobSlot(Arc<AtomicUsize>);

impl JobSlot {
    fn take(unfinished: &Arc<AtomicUsize>, max: usize) -> Option<JobSlot> {
        // Counted before the check. If there are too many, dropping the slot uncounts it.
        let slot = JobSlot(Arc::clone(unfinished));
        let is_free = unfinished.fetch_add(1, Ordering::Relaxed) < max;
        if is_free { Some(slot) } else { None }
    }
}

impl Drop for JobSlot {
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
    fn a_panic_fails_its_own_request_only() {
        let pool = BoundedPool::with("test", 1, 1).unwrap();
        let panicking = block_on(pool.run(Deadline::never(), |_| -> Result<(), ApiError> { panic!("on purpose") }));
        assert_eq!(status(panicking), 500);
        assert_eq!(block_on(pool.run(Deadline::never(), |_| Ok(7))), Ok(7));
    }

    #[test]
    fn a_queued_job_past_its_deadline_does_not_run() {
        let pool = BoundedPool::with("test", 1, 1).unwrap();
        let late = block_on(pool.run(Deadline::after(Duration::ZERO), |_| -> Result<(), ApiError> {
            unreachable!("its deadline has passed")
        }));
        assert_eq!(status(late), 504);
    }

    #[test]
    fn a_full_queue_is_busy() {
        let pool = BoundedPool::with("test", 1, 1).unwrap();
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
    fn a_queued_job_fails_at_its_deadline_and_never_runs() {
        let pool = BoundedPool::with("test", 1, 2).unwrap();
        let (release, held) = mpsc::channel::<()>();
        let (runs, ran) = mpsc::channel::<()>();
        block_on(async {
            let first = pool.run(Deadline::never(), move |_| Ok(held.recv().is_err()));
            let second = async {
                let late = Deadline::after(Duration::from_millis(20));
                let runs = runs.clone();
                let result = pool.run(late, move |_| Ok(runs.send(()).is_ok())).await;
                assert_eq!(status(result), 504, "while the first job still runs");
                // Its slot is free again for a third job.
                let cancelled = tokio::time::timeout(
                    Duration::from_millis(20),
                    pool.run(Deadline::never(), |_| -> Result<(), ApiError> {
                        unreachable!("its request was dropped")
                    }),
                );
                assert!(cancelled.await.is_err());
                drop(release);
            };
            let (first, ()) = tokio::join!(first, second);
            assert_eq!(first, Ok(true));
        });
        assert_eq!(block_on(pool.run(Deadline::never(), |_| Ok(1))), Ok(1));
        assert!(ran.try_recv().is_err());
    }

    #[test]
    fn a_running_job_is_cancelled_when_its_client_disconnects() {
        let pool = BoundedPool::with("test", 1, 1).unwrap();
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
