//! Threads that run the jobs of one [`FairQueue`].

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::Context;

use crate::http::{
    metrics::LaneMetrics,
    search_pool::{
        fair_queue::{Client, FairQueue, Refusal, StartedJob, Tickets},
        pace::{Kind, Paces},
    },
};

/// The stack of each thread. Parsing and searching need less than 200 KiB.
const STACK_BYTES: usize = 2 << 20;

/// How long a thread looks for another job before it sleeps. Waking it takes as long, and the next request of a client
/// that waits for its answers arrives within this time.
const LOOKING_TIME: Duration = Duration::from_micros(50);

/// How a lane is set up.
pub(crate) struct LaneOptions {
    /// The first part of the names of its threads.
    pub(crate) name: &'static str,
    pub(crate) threads: usize,
    /// The maximum number of waiting jobs.
    pub(crate) places: usize,
    /// What a job takes before any of its kind was measured.
    pub(crate) unknown_pace: Duration,
    /// By how much the priority of its threads is lower than that of the process, as in `nice(1)`.
    pub(crate) niceness: i32,
}

/// Where a job comes from, and what it does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub(crate) client: Client,
    pub(crate) kind: Kind,
}

/// A lane's queue and its threads, which end when this is dropped.
pub(crate) struct JobLane {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    job_added: Condvar,
    /// The number of waiting jobs, for threads that look for one without the lock.
    waiting: AtomicUsize,
    metrics: LaneMetrics,
}

struct State {
    queue: FairQueue<LaneJob>,
    paces: Paces,
    /// What runs, and since when: at most one entry for each thread.
    running: Vec<(Kind, Instant)>,
    /// Threads that look for a job now and then.
    looking_threads: usize,
    /// Threads that must be woken.
    sleeping_threads: usize,
    is_closed: bool,
}

/// One job of a lane.
pub(super) struct LaneJob {
    pub(super) kind: Kind,
    pub(super) run: Box<dyn FnOnce() -> Ended + Send>,
}

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// It did all of its work or ran into its deadline, so its time counts for the pace.
    Complete,
    /// It stopped early, since its request has ended.
    Cancelled,
}

/// Jobs that were admitted. When this is dropped, those that still wait are cancelled, and those that still run keep no
/// request of their client out: a thread may have sent the result and not yet recorded the end of its job.
pub(super) struct AdmittedJobs {
    shared: Arc<Shared>,
    tickets: Tickets,
    count: usize,
    /// The time from their admission to their deadline, if they have one.
    whole_time: Option<Duration>,
    /// Whether all threads were busy.
    pub(super) had_to_wait: bool,
}

impl JobLane {
    pub(crate) fn start(options: &LaneOptions, metrics: LaneMetrics) -> anyhow::Result<JobLane> {
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                queue: FairQueue::new(options.threads, options.places),
                paces: Paces::new(options.unknown_pace),
                running: Vec::with_capacity(options.threads),
                looking_threads: 0,
                sleeping_threads: 0,
                is_closed: false,
            }),
            job_added: Condvar::new(),
            waiting: AtomicUsize::new(0),
            metrics,
        });
        let lane = JobLane { shared };
        for number in 0..options.threads {
            let (shared, niceness) = (Arc::clone(&lane.shared), options.niceness);
            thread::Builder::new()
                .name(format!("{}-{number}", options.name))
                .stack_size(STACK_BYTES)
                .spawn(move || {
                    lower_priority(niceness);
                    shared.work();
                })
                .with_context(|| format!("starting the {} threads", options.name))?;
        }
        Ok(lane)
    }

    /// Queues the jobs of one request: all of them or none.
    pub(super) fn admit(
        &self,
        origin: Origin,
        jobs: Vec<LaneJob>,
        deadline: Option<Instant>,
    ) -> Result<AdmittedJobs, Refusal> {
        let time_left = deadline.map(|end| end.saturating_duration_since(Instant::now()));
        let count = jobs.len();
        let mut state = self.shared.lock();
        let expected = state.pace(origin.kind);
        match state.queue.admit(origin.client, jobs, expected, time_left) {
            Ok(tickets) => Ok(self.shared.added(state, count, time_left, tickets)),
            Err(refusal) => {
                drop(state);
                self.shared.metrics.count_refusal();
                Err(refusal)
            }
        }
    }

    /// Queues a job that no bound refuses, for the server's own use.
    pub(super) fn push(&self, origin: Origin, job: LaneJob) -> AdmittedJobs {
        let mut state = self.shared.lock();
        let expected = state.pace(origin.kind);
        let tickets = state.queue.push(origin.client, vec![job], expected);
        self.shared.added(state, 1, None, tickets)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while the lock is held, except for a lack of memory.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes threads for jobs that were queued.
    fn added(
        self: &Arc<Shared>,
        state: MutexGuard<'_, State>,
        count: usize,
        whole_time: Option<Duration>,
        tickets: Tickets,
    ) -> AdmittedJobs {
        self.show(&state);
        // A thread that was woken counts as sleeping until it runs.
        let idle_threads = state.looking_threads + state.sleeping_threads;
        let had_to_wait = state.queue.waiting().saturating_sub(count) >= idle_threads;
        let sleepers = state.queue.waiting().saturating_sub(state.looking_threads);
        let sleepers = sleepers.min(state.sleeping_threads);
        drop(state);
        for _ in 0..sleepers {
            self.job_added.notify_one();
        }
        AdmittedJobs {
            shared: Arc::clone(self),
            tickets,
            count,
            whole_time,
            had_to_wait,
        }
    }

    /// Runs jobs until the lane is closed.
    fn work(&self) {
        let (mut state, mut has_looked) = (self.lock(), false);
        loop {
            if state.is_closed {
                return;
            }
            let Some(started) = state.queue.start_next() else {
                if has_looked {
                    state.sleeping_threads += 1;
                    state = self.job_added.wait(state).unwrap_or_else(PoisonError::into_inner);
                    state.sleeping_threads -= 1;
                } else {
                    state.looking_threads += 1;
                    drop(state);
                    self.look_for_job();
                    state = self.lock();
                    state.looking_threads -= 1;
                    has_looked = true;
                }
                continue;
            };
            has_looked = false;
            self.show(&state);
            let StartedJob { ticket, expected, job } = started;
            let LaneJob { kind, run } = job;
            let begun = Instant::now();
            state.running.push((kind, begun));
            drop(state);
            // A job catches its own panics, to answer its request. This keeps the thread in any case.
            let ended = catch_unwind(AssertUnwindSafe(run)).unwrap_or(Ended::Complete);
            let took = begun.elapsed();
            state = self.lock();
            state.queue.finish(ticket, took);
            if let Some(at) = state.running.iter().position(|job| *job == (kind, begun)) {
                state.running.swap_remove(at);
            }
            if ended == Ended::Complete || took > expected {
                state.paces.measured(kind, took, &self.metrics);
            }
            self.show(&state);
        }
    }

    /// Waits for a job for a moment, and lets other threads run meanwhile.
    fn look_for_job(&self) {
        let end = Instant::now() + LOOKING_TIME;
        while self.waiting.load(Ordering::Relaxed) == 0 && Instant::now() < end {
            thread::yield_now();
        }
    }

    fn show(&self, state: &State) {
        self.waiting.store(state.queue.waiting(), Ordering::Relaxed);
        self.metrics.set_jobs(state.queue.waiting(), state.queue.running());
    }
}

impl State {
    /// How long a job of this kind takes. One that runs for longer than the others did counts as if it ended now.
    fn pace(&self, kind: Kind) -> Duration {
        let running = self.running.iter().filter(|(other, _)| *other == kind);
        let longest = running.map(|(_, begun)| begun.elapsed()).max().unwrap_or_default();
        self.paces.with(kind, longest)
    }
}

impl AdmittedJobs {
    /// By how much the last of the waiting jobs would miss the deadline because of others, as far as is known now. Zero
    /// for jobs that take too long even if nothing else waits: a later attempt would not do better.
    pub(super) fn delay(&self, kind: Kind, deadline: Instant) -> Duration {
        let state = self.shared.lock();
        let pace = state.pace(kind);
        let alone = state.queue.time_alone(self.count, pace);
        let end = state.queue.time_until_end(&self.tickets, pace);
        drop(state);
        if self.whole_time.is_some_and(|whole| alone > whole) {
            return Duration::ZERO;
        }
        end.saturating_sub(deadline.saturating_duration_since(Instant::now()))
    }

    /// Counts a request that gives up because of a [`AdmittedJobs::delay`].
    pub(super) fn count_refusal(&self) {
        self.shared.metrics.count_refusal();
    }
}

impl Drop for AdmittedJobs {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        let cancelled = state.queue.cancel(&self.tickets);
        self.shared.show(&state);
        drop(state);
        // After the lock is released: a job may own much.
        drop(cancelled);
    }
}

impl Drop for JobLane {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.is_closed = true;
        let waiting = state.queue.clear();
        drop(state);
        self.shared.job_added.notify_all();
        drop(waiting);
    }
}

/// Lowers the priority of this thread alone, from that of the process. Linux has a niceness for each thread; elsewhere
/// it would be that of the process, so it stays as it is. A failure only means that the thread keeps its priority.
pub(crate) fn lower_priority(niceness: i32) {
    #[cfg(target_os = "linux")]
    if niceness > 0 {
        let thread = Some(rustix::thread::gettid());
        if let Ok(now) = rustix::process::getpriority_process(thread) {
            let _ = rustix::process::setpriority_process(thread, (now + niceness).min(LOWEST_NICENESS));
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = niceness;
}

/// The niceness of the lowest priority.
#[cfg(target_os = "linux")]
const LOWEST_NICENESS: i32 = 19;
