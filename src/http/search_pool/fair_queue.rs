//! The waiting jobs of a lane, and whose turn it is: start-time fair queueing (Goyal, Vin and Cheng, 1996).
//!
//! Each client has a queue of its own. The next job is the first one of the client whose jobs have used the least time
//! so far, so clients with waiting jobs get equal shares of the threads, whatever their jobs cost. A client that was
//! idle starts where the others are: it can neither save up time nor be late for ever.
//!
//! This is plain data without threads. Every operation takes a time that grows with the number of *clients* with jobs,
//! not with the number of jobs.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    time::Duration,
};

/// The client of a job. Clients take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Client {
    /// The server itself, which checks that the lane works.
    Probe,
    /// All requests without an API key together, except those of visitors of the pages.
    Keyless,
    /// A visitor of the pages who has no API key, by number.
    Visitor(u64),
    /// The database id of an API key.
    Key(i64),
}

/// The waiting jobs of a lane.
pub(super) struct FairQueue<J> {
    threads: usize,
    /// The maximum number of waiting jobs.
    places: usize,
    /// Clients with jobs that wait or run, and those that recently used more than their share.
    clients: HashMap<Client, ClientQueue<J>>,
    /// The clients with waiting jobs, by the time that they have used: the next one first.
    turns: BTreeSet<(Duration, Client)>,
    /// The used time at which the client of the last started job stood. A client that comes starts here.
    virtual_time: Duration,
    next_ticket: u64,
    waiting: usize,
    running: usize,
}

struct ClientQueue<J> {
    /// By ticket, in the order of arrival.
    jobs: BTreeMap<u64, WaitingJob<J>>,
    running: usize,
    /// The time that this client's jobs have used; running ones count as expected.
    used: Duration,
    waiting_work: Duration,
    running_work: Duration,
}

struct WaitingJob<J> {
    expected: Duration,
    job: J,
}

/// A job to run now. [`FairQueue::finish`] must follow.
#[derive(Debug)]
pub(super) struct StartedJob<J> {
    pub(super) client: Client,
    pub(super) expected: Duration,
    pub(super) job: J,
}

/// The places of jobs that were admitted together.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tickets {
    client: Client,
    first: u64,
    end: u64,
}

/// Why jobs are not admitted: they could start only after their deadline, or the queue is full.
#[derive(Debug, PartialEq)]
pub(super) struct Refusal {
    /// When the same request would be admitted, if no others arrive.
    pub(super) retry_after: Duration,
}

impl<J> FairQueue<J> {
    pub(super) fn new(threads: usize, places: usize) -> FairQueue<J> {
        FairQueue {
            threads: threads.max(1),
            places,
            clients: HashMap::new(),
            turns: BTreeSet::new(),
            virtual_time: Duration::ZERO,
            next_ticket: 0,
            waiting: 0,
            running: 0,
        }
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    pub(super) fn running(&self) -> usize {
        self.running
    }

    /// Adds the jobs of one request, each expected to take `expected`: all of them or none.
    ///
    /// # Errors
    /// If the last job could not end within `time_left`, or if the client may not have that many waiting jobs.
    pub(super) fn admit(
        &mut self,
        client: Client,
        jobs: Vec<J>,
        expected: Duration,
        time_left: Option<Duration>,
    ) -> Result<Tickets, Refusal> {
        self.check_places(client, jobs.len())?;
        if let Some(time_left) = time_left {
            self.check_time(client, jobs.len(), expected, time_left)?;
        }
        Ok(self.push(client, jobs, expected))
    }

    /// Decision D-118: a client may have as many waiting jobs as places are free. So one client alone fills at most half
    /// of the queue, and there is always room for the next one ("dynamic queue length thresholds", Choudhury and Hahne,
    /// 1998).
    fn check_places(&self, client: Client, more: usize) -> Result<(), Refusal> {
        let own = self.clients.get(&client).map_or(0, |queue| queue.jobs.len()) + more;
        let free = self.places.saturating_sub(self.waiting + more);
        if own <= free {
            return Ok(());
        }
        let work: Duration = self.clients.values().map(ClientQueue::work).sum();
        Err(Refusal {
            retry_after: work / self.thread_count() / 2,
        })
    }

    /// Decision D-144: estimates when the last job can end, and compares it with the deadline.
    fn check_time(&self, client: Client, count: usize, expected: Duration, time_left: Duration) -> Result<(), Refusal> {
        // The estimate is one of means.
        let time_left = time_left * 4 / 5;
        let before = self.clients.get(&client).map_or(Duration::ZERO, ClientQueue::work);
        let own_jobs = u32::try_from(count.saturating_sub(1)).unwrap_or(u32::MAX);
        let mut own = before.saturating_add(expected.saturating_mul(own_jobs));
        if before.is_zero() {
            // An estimate that is too long must not shut a client out for ever, so its first request counts at most half
            // of the time.
            own = own.min(time_left * self.thread_count() / 2);
        }
        // Until its last job starts, each other client gets as much time as this one.
        let others = self.clients.iter().filter(|(other, _)| **other != client);
        let mut others: Duration = others.map(|(_, queue)| queue.work().min(own.max(expected))).sum();
        if before.is_zero() && others.is_zero() {
            return Ok(());
        }
        if !before.is_zero() {
            // One more client may come at any moment, and what is admitted shall be kept.
            others = others.max(own);
        }
        let end = (own.saturating_add(others) / self.thread_count()).saturating_add(expected);
        if end <= time_left {
            Ok(())
        } else {
            Err(Refusal {
                retry_after: end.saturating_sub(time_left),
            })
        }
    }

    /// When the last of these waiting jobs will end, if each job of its client takes `pace`.
    pub(super) fn time_until_end(&self, tickets: &Tickets, pace: Duration) -> Duration {
        let queue = self.clients.get(&tickets.client);
        let jobs = queue.map_or(0, |queue| queue.jobs.range(..tickets.end).count());
        let own = pace.saturating_mul(u32::try_from(jobs.saturating_sub(1)).unwrap_or(u32::MAX));
        // Another client is served before the last job only until it has used as much time as this one.
        let used = queue.map_or(self.virtual_time, |queue| queue.used).saturating_add(own);
        let others = self.clients.iter().filter(|(other, _)| **other != tickets.client);
        let others: Duration = others
            .map(|(_, other)| {
                let before = other.waiting_work.min(used.saturating_sub(other.used));
                before.saturating_add(other.running_work / 2).min(own.max(pace))
            })
            .sum();
        (own.saturating_add(others) / self.thread_count()).saturating_add(pace)
    }

    fn thread_count(&self) -> u32 {
        u32::try_from(self.threads).unwrap_or(u32::MAX)
    }

    /// Adds jobs without any check.
    pub(super) fn push(&mut self, client: Client, jobs: Vec<J>, expected: Duration) -> Tickets {
        let first = self.next_ticket;
        if jobs.is_empty() {
            return Tickets {
                client,
                first,
                end: first,
            };
        }
        let virtual_time = self.virtual_time;
        let queue = self.clients.entry(client).or_insert_with(ClientQueue::new);
        if queue.is_idle() {
            queue.used = queue.used.max(virtual_time);
        }
        if queue.jobs.is_empty() {
            self.turns.insert((queue.used, client));
        }
        self.waiting += jobs.len();
        for job in jobs {
            queue.jobs.insert(self.next_ticket, WaitingJob { expected, job });
            queue.waiting_work += expected;
            self.next_ticket += 1;
        }
        Tickets {
            client,
            first,
            end: self.next_ticket,
        }
    }

    /// Takes the next job; `None` if none waits. To be called by a free thread only.
    pub(super) fn start_next(&mut self) -> Option<StartedJob<J>> {
        let max_running = self.max_running();
        let may_run = |(_, client): &&(Duration, Client)| {
            let queue = self.clients.get(client);
            queue.is_some_and(|queue| queue.running < max_running)
        };
        let turn = self.turns.iter().find(may_run).or(self.turns.first()).copied()?;
        self.turns.remove(&turn);
        let (_, client) = turn;
        let queue = self.clients.get_mut(&client)?;
        let (_, WaitingJob { expected, job }) = queue.jobs.pop_first()?;
        self.virtual_time = self.virtual_time.max(queue.used);
        queue.used += expected;
        queue.running += 1;
        queue.waiting_work = queue.waiting_work.saturating_sub(expected);
        queue.running_work += expected;
        if !queue.jobs.is_empty() {
            self.turns.insert((queue.used, client));
        }
        self.waiting -= 1;
        self.running += 1;
        Some(StartedJob { client, expected, job })
    }

    /// The number of jobs of one client that run while others wait: one thread is left to the others.
    fn max_running(&self) -> usize {
        if self.turns.len() > 1 {
            (self.threads - 1).max(1)
        } else {
            self.threads
        }
    }

    /// Ends a started job, which took this long.
    pub(super) fn finish(&mut self, client: Client, expected: Duration, took: Duration) {
        self.running = self.running.saturating_sub(1);
        let Some(queue) = self.clients.get_mut(&client) else {
            return;
        };
        let is_waiting = self.turns.remove(&(queue.used, client));
        queue.running = queue.running.saturating_sub(1);
        queue.running_work = queue.running_work.saturating_sub(expected);
        queue.used = queue.used.saturating_add(took).saturating_sub(expected);
        if is_waiting {
            self.turns.insert((queue.used, client));
        }
        self.forget_if_idle(client);
    }

    /// Takes back the jobs that still wait; their places are free at once. The caller drops them, best after it has
    /// released its lock.
    pub(super) fn cancel(&mut self, tickets: &Tickets) -> Vec<J> {
        let Some(queue) = self.clients.get_mut(&tickets.client) else {
            return Vec::new();
        };
        let mut cancelled = queue.jobs.split_off(&tickets.first);
        let mut later = cancelled.split_off(&tickets.end);
        queue.jobs.append(&mut later);
        if queue.jobs.is_empty() {
            self.turns.remove(&(queue.used, tickets.client));
        }
        self.waiting -= cancelled.len();
        let mut jobs = Vec::with_capacity(cancelled.len());
        for waiting in cancelled.into_values() {
            queue.waiting_work = queue.waiting_work.saturating_sub(waiting.expected);
            jobs.push(waiting.job);
        }
        self.forget_if_idle(tickets.client);
        jobs
    }

    /// Forgets an idle client, unless it has used more than the others: then it must not start anew. All are forgotten
    /// when the lane is empty, so their number is bounded by the keys of one busy time.
    fn forget_if_idle(&mut self, client: Client) {
        if self.waiting == 0 && self.running == 0 {
            self.clients.clear();
            self.virtual_time = Duration::ZERO;
            return;
        }
        let queue = self.clients.get(&client);
        if queue.is_some_and(|queue| queue.is_idle() && queue.used <= self.virtual_time) {
            self.clients.remove(&client);
        }
    }

    /// Takes all jobs that wait.
    pub(super) fn clear(&mut self) -> Vec<J> {
        self.turns.clear();
        self.waiting = 0;
        let queues = self.clients.drain();
        queues
            .flat_map(|(_, queue)| queue.jobs.into_values())
            .map(|waiting| waiting.job)
            .collect()
    }
}

impl<J> ClientQueue<J> {
    fn new() -> ClientQueue<J> {
        ClientQueue {
            jobs: BTreeMap::new(),
            running: 0,
            used: Duration::ZERO,
            waiting_work: Duration::ZERO,
            running_work: Duration::ZERO,
        }
    }

    fn is_idle(&self) -> bool {
        self.jobs.is_empty() && self.running == 0
    }

    /// The expected time of its unfinished jobs; the running ones are half done on average.
    fn work(&self) -> Duration {
        self.waiting_work.saturating_add(self.running_work / 2)
    }
}

#[cfg(test)]
mod tests;
