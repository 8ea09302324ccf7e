//! One request on a lane: its parts, and the task that waits for its result.
//!
//! The parts run as jobs of their own. The last one to end joins their results, so no thread of the pool ever waits for
//! another job.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use actix_web::http::StatusCode;
use tokio::sync::oneshot;

use crate::{
    engine::Deadline,
    http::{
        error::ApiError,
        search_pool::{
            fair_queue::Refusal,
            lane::{Ended, JobLane, LaneJob, Origin},
        },
    },
};

/// An independent part of a request. It keeps its result for the function that joins the parts.
pub(crate) type Part = Box<dyn FnOnce(Deadline) -> Result<(), ApiError> + Send>;

/// Decision D-145: how often a waiting request looks whether it can still end before its deadline.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// What the jobs of a request share.
struct Request<T, F> {
    deadline: Deadline,
    /// When the first job started.
    begun: OnceLock<Instant>,
    unfinished: AtomicUsize,
    /// Taken by the job that ends the request: the last one, or the first one that fails.
    end: Mutex<Option<End<T, F>>>,
}

struct End<T, F> {
    join: F,
    sender: oneshot::Sender<Result<T, ApiError>>,
}

impl JobLane {
    /// Runs one job and returns its result, at the deadline at the latest. The job gets the time at which it started.
    ///
    /// # Errors
    /// 503 if others leave it no time, 504 if it runs when the deadline passes, 500 if it panics.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        origin: Origin,
        deadline: Deadline,
        job: impl FnOnce(Deadline, Instant) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        self.run_parts(origin, deadline, Vec::new(), job).await
    }

    /// Runs the parts, then `join` on the thread of the part that ended last.
    ///
    /// # Errors
    /// As those of [`JobLane::run`], for all parts together.
    pub(crate) async fn run_parts<T: Send + 'static>(
        &self,
        origin: Origin,
        deadline: Deadline,
        mut parts: Vec<Part>,
        join: impl FnOnce(Deadline, Instant) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let is_batch = parts.len() > 1;
        let too_long = |error: ApiError| match error.status {
            StatusCode::GATEWAY_TIMEOUT if is_batch => ApiError::batch_timeout(),
            _ => error,
        };
        if parts.is_empty() {
            // One job at least, to run `join`.
            parts.push(Box::new(|_| Ok(())));
        }
        let end = deadline.end();
        let (deadline, _cancel) = deadline.cancellable();
        let (sender, mut result) = oneshot::channel();
        let request = Arc::new(Request {
            deadline,
            begun: OnceLock::new(),
            unfinished: AtomicUsize::new(parts.len()),
            end: Mutex::new(Some(End { join, sender })),
        });
        let jobs = parts.into_iter().map(|part| LaneJob {
            kind: origin.kind,
            run: {
                let request = Arc::clone(&request);
                Box::new(move || request.run(part))
            },
        });
        let admitted = self.admit(origin, jobs.collect(), end).map_err(refused)?;
        let result = match end {
            Some(end) => loop {
                let look = end.min(Instant::now() + LOOK_AGAIN);
                let waited = tokio::time::timeout_at(look.into(), &mut result).await;
                if waited.is_ok() || Instant::now() >= end {
                    break waited;
                }
                // What was admitted may turn out to be hopeless: others came, or the jobs ahead take longer.
                if request.begun.get().is_none() {
                    let delay = admitted.delay(origin.kind, end);
                    if !delay.is_zero() {
                        admitted.count_refusal();
                        return Err(ApiError::busy_for(rounded_up(delay)));
                    }
                }
            },
            None => Ok(result.await),
        };
        match result {
            Ok(Ok(result)) => result.map_err(too_long),
            // The deadline has passed, which a job may notice first.
            Ok(Err(_)) | Err(_) if request.deadline.is_over() => Err(too_long(request.late(admitted.had_to_wait))),
            _ => Err(ApiError::internal("a job was dropped")),
        }
    }
}

impl<T, F: FnOnce(Deadline, Instant) -> Result<T, ApiError>> Request<T, F> {
    fn run(&self, part: Part) -> Ended {
        if self.deadline.is_over() {
            // Without a sender, the task that waits learns that no result will come.
            drop(self.take_end());
            return Ended::Cancelled;
        }
        let begun = *self.begun.get_or_init(Instant::now);
        let done = guarded(|| part(self.deadline.clone()));
        // Asked before the result is sent: the task that gets it cancels the request.
        let is_cancelled = self.deadline.is_cancelled();
        match done {
            Err(error) => self.end_with(|_| Err(error)),
            Ok(()) if self.unfinished.fetch_sub(1, Ordering::AcqRel) == 1 => {
                self.end_with(|join| guarded(|| join(self.deadline.clone(), begun)));
            }
            Ok(()) => {}
        }
        if is_cancelled {
            Ended::Cancelled
        } else {
            Ended::Complete
        }
    }

    /// Sends the result, unless another part has done so.
    fn end_with(&self, result: impl FnOnce(F) -> Result<T, ApiError>) {
        if let Some(End { join, sender }) = self.take_end() {
            // Fails if the client has disconnected meanwhile.
            let _ = sender.send(result(join));
        }
    }

    fn take_end(&self) -> Option<End<T, F>> {
        self.end.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The error of a request whose deadline has passed. Decision D-145: if all of it waited for other requests, the
    /// server was too busy, which costs the client nothing.
    fn late(&self, had_to_wait: bool) -> ApiError {
        if had_to_wait && self.begun.get().is_none() {
            ApiError::busy()
        } else {
            ApiError::timeout()
        }
    }
}

/// Runs a handler or a job. A panic fails its request only.
pub(crate) fn guarded<T>(run: impl FnOnce() -> Result<T, ApiError>) -> Result<T, ApiError> {
    // Unwind-safe: requests share only read-only data and caches that replace whole entries.
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        Err(ApiError::internal(
            "a handler or a job panicked; its message is in the log above",
        ))
    })
}

fn refused(refusal: Refusal) -> ApiError {
    let Refusal { retry_after } = refusal;
    ApiError::busy_for(rounded_up(retry_after))
}

fn rounded_up(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, thread};

    use super::*;
    use crate::http::{
        metrics::LaneMetrics,
        search_pool::{fair_queue::Client, lane::LaneOptions},
    };

    const ORIGIN: Origin = Origin {
        client: Client::Key(1),
        kind: "test",
    };

    fn lane(threads: usize, places: usize) -> JobLane {
        let options = LaneOptions {
            name: "test",
            threads,
            places,
            unknown_pace: Duration::from_micros(1),
            niceness: 5,
        };
        JobLane::start(&options, LaneMetrics::default()).unwrap()
    }

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
        let lane = lane(1, 4);
        let panicking = lane.run(ORIGIN, Deadline::never(), |_, _| -> Result<(), ApiError> {
            panic!("on purpose")
        });
        assert_eq!(status(block_on(panicking)), 500);
        let parts: Vec<Part> = vec![Box::new(|_| Ok(())), Box::new(|_| panic!("on purpose"))];
        let panicking = lane.run_parts(ORIGIN, Deadline::never(), parts, |_, _| Ok(()));
        assert_eq!(status(block_on(panicking)), 500);
        assert_eq!(block_on(lane.run(ORIGIN, Deadline::never(), |_, _| Ok(7))), Ok(7));
    }

    #[test]
    fn what_only_waited_is_busy_and_what_ran_is_a_timeout() {
        let lane = lane(1, 100);
        let (release, held) = mpsc::channel::<()>();
        let (runs, ran) = mpsc::channel::<()>();
        block_on(async {
            // Long enough for the first job to start on a busy machine.
            let late = Deadline::after(Duration::from_secs(1));
            let first = lane.run(ORIGIN, late.clone(), move |_, _| Ok(held.recv().is_err()));
            let second = lane.run(ORIGIN, late, move |_, _| Ok(runs.send(()).is_ok()));
            let (first, second) = tokio::join!(biased; first, second);
            assert_eq!((status(first), status(second)), (504, 503));
        });
        drop(release);
        assert_eq!(block_on(lane.run(ORIGIN, Deadline::never(), |_, _| Ok(1))), Ok(1));
        assert!(ran.try_recv().is_err(), "it never ran");
    }

    #[test]
    fn a_waiting_request_gives_up_when_it_cannot_end_in_time() {
        let lane = lane(1, 100);
        let (release, held) = mpsc::channel::<()>();
        let deadline = || Deadline::after(Duration::from_secs(60));
        block_on(async {
            let first = lane.run(ORIGIN, deadline(), move |_, _| Ok(held.recv().is_err()));
            let others = async {
                // Each of these jobs is expected to take a microsecond, until the first one does not end.
                let parts: Vec<Part> = (0..9).map(|_| -> Part { Box::new(|_| Ok(())) }).collect();
                let refused = lane.run_parts(ORIGIN, Deadline::after(Duration::from_secs(2)), parts, |_, _| Ok(()));
                let refused = refused.await;
                drop(release);
                refused
            };
            let begun = Instant::now();
            let (first, others) = tokio::join!(biased; first, others);
            assert_eq!((first, status(others)), (Ok(true), 503));
            assert!(begun.elapsed() < Duration::from_secs(2), "before its deadline");
        });
    }

    #[test]
    fn a_batch_that_takes_too_long_even_alone_is_not_busy() {
        let lane = lane(1, 100);
        let slow = |deadline: Deadline| -> Result<(), ApiError> {
            thread::sleep(Duration::from_millis(300));
            Ok(deadline.check()?)
        };
        let batch = |items: usize, seconds: u64| {
            let parts: Vec<Part> = (0..items).map(|_| -> Part { Box::new(slow) }).collect();
            let deadline = Deadline::after(Duration::from_secs(seconds));
            block_on(lane.run_parts(ORIGIN, deadline, parts, move |_, _| Ok(items)))
        };
        // At once after each other: parts of the last one still run.
        for _ in 0..3 {
            let error = batch(20, 1).unwrap_err();
            assert_eq!(error.status, 504, "{error:?}");
            assert!(error.detail.ends_with("send fewer items at once"), "{error:?}");
        }
        assert_eq!(batch(1, 30), Ok(1), "fewer items are answered");
    }

    #[test]
    fn a_full_queue_is_busy_and_a_dropped_request_frees_its_places() {
        let lane = lane(1, 4);
        let (release, held) = mpsc::channel::<()>();
        let (starts, started) = mpsc::channel::<()>();
        block_on(async {
            let first = lane.run(ORIGIN, Deadline::never(), move |_, _| {
                drop(starts);
                Ok(held.recv().is_err())
            });
            let others = async {
                while started.try_recv() == Err(mpsc::TryRecvError::Empty) {
                    tokio::task::yield_now().await;
                }
                let two = || -> Vec<Part> { vec![Box::new(|_| Ok(())), Box::new(|_| Ok(()))] };
                let waiting = lane.run_parts(ORIGIN, Deadline::never(), two(), |_, _| Ok(()));
                let waiting = tokio::time::timeout(Duration::from_millis(20), async {
                    let refused = lane.run_parts(ORIGIN, Deadline::never(), two(), |_, _| Ok(()));
                    let (waiting, refused) = tokio::join!(biased; waiting, async {
                        let refused = refused.await;
                        assert_eq!(status(refused), 503);
                        tokio::time::sleep(Duration::from_secs(60)).await;
                    });
                    (waiting, refused)
                });
                assert!(waiting.await.is_err(), "it waits for the first one");
                // Dropped, so another one fits.
                let third = lane.run_parts(ORIGIN, Deadline::never(), two(), |_, _| Ok(3));
                let (third, ()) = tokio::join!(biased; third, async { drop(release) });
                assert_eq!(third, Ok(3));
            };
            let (first, ()) = tokio::join!(first, others);
            assert_eq!(first, Ok(true));
        });
    }

    #[test]
    fn parts_run_on_all_threads_and_are_joined_once() {
        let lane = lane(2, 100);
        let barrier = Arc::new(std::sync::Barrier::new(2));
        let sum = Arc::new(AtomicUsize::new(0));
        let parts: Vec<Part> = (1..=10)
            .map(|number| -> Part {
                let (barrier, sum) = (Arc::clone(&barrier), Arc::clone(&sum));
                // Two at a time, or this never ends.
                Box::new(move |_| {
                    barrier.wait();
                    sum.fetch_add(number, Ordering::Relaxed);
                    Ok(())
                })
            })
            .collect();
        let joined = lane.run_parts(ORIGIN, Deadline::never(), parts, move |_, _| {
            Ok(sum.load(Ordering::Relaxed))
        });
        assert_eq!(block_on(joined), Ok(55));
    }

    #[test]
    fn a_failed_part_ends_its_request_and_the_rest_does_not_run() {
        let lane = lane(1, 100);
        let (runs, ran) = mpsc::channel::<()>();
        let rest: Part = Box::new(move |_| runs.send(()).map_err(ApiError::internal));
        let parts: Vec<Part> = vec![Box::new(|_| Err(ApiError::not_found("first"))), rest];
        let failed = block_on(lane.run_parts(ORIGIN, Deadline::never(), parts, |_, _| Ok(())));
        assert_eq!(status(failed), 404);
        // At most the part that the thread took before the request's end was noticed.
        block_on(lane.run(ORIGIN, Deadline::never(), |_, _| Ok(()))).unwrap();
        assert!(ran.try_iter().count() <= 1);
    }

    #[test]
    fn a_running_job_is_cancelled_when_its_client_disconnects() {
        let lane = lane(1, 2);
        let (ends, ended) = mpsc::channel();
        let job = lane.run(ORIGIN, Deadline::never(), move |deadline, _| {
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
