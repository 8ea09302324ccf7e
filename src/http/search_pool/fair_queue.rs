//! The waiting jobs of a lane, and whose turn it is. The rule for taking turns is that of [`Shares`].
//!
//! Each client has a queue of its own. Decision D-143: a key is a client of its own. All visitors without a key
//! together take the turns of one client, and share them by the same rule. So a key waits for at most one visitor
//! between two of its jobs, however many visitors there are.
//!
//! This is plain data without threads. Every operation takes a time that grows with the number of *clients* with jobs,
//! not with the number of jobs.

mod shares;

use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};

use shares::Shares;

use crate::http::byte_budget::Owner;

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

impl Client {
    /// Who holds the memory of its responses.
    pub(crate) fn owner(self) -> Owner {
        match self {
            Client::Key(key) => Some(key),
            Client::Probe | Client::Keyless | Client::Visitor(_) => None,
        }
    }
}

/// Clients that take turns as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Group {
    /// All visitors without an API key.
    Visitors,
    /// Any other client.
    Alone(Client),
}

impl Client {
    fn group(self) -> Group {
        match self {
            Client::Visitor(_) => Group::Visitors,
            client => Group::Alone(client),
        }
    }
}

/// The waiting jobs of a lane.
pub(super) struct FairQueue<J> {
    threads: usize,
    /// The maximum number of waiting jobs.
    places: usize,
    /// The waiting jobs of each client by ticket, in the order of arrival.
    jobs: HashMap<Client, BTreeMap<u64, WaitingJob<J>>>,
    /// By ticket.
    running: BTreeMap<u64, RunningJob>,
    groups: Shares<Group>,
    /// The shares of single visitors in the turns of their group, by number.
    visitors: Shares<u64>,
    next_ticket: u64,
    waiting: usize,
}

struct WaitingJob<J> {
    expected: Duration,
    job: J,
}

struct RunningJob {
    client: Client,
    expected: Duration,
    /// Zero if the job is abandoned.
    work: Duration,
}

/// A job to run now. [`FairQueue::finish`] must follow.
#[derive(Debug)]
pub(super) struct StartedJob<J> {
    pub(super) ticket: u64,
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
            jobs: HashMap::new(),
            running: BTreeMap::new(),
            groups: Shares::new(),
            visitors: Shares::new(),
            next_ticket: 0,
            waiting: 0,
        }
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    pub(super) fn running(&self) -> usize {
        self.running.len()
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

    /// Decision D-118: a client may have as many waiting jobs as places are free. So one client alone fills at most
    /// half of the queue, and there is always room for the next one ("dynamic queue length thresholds", Choudhury and
    /// Hahne, 1998). Visitors count as one client, and take no places away from keys.
    fn check_places(&self, client: Client, more: usize) -> Result<(), Refusal> {
        let own = self.groups.of(client.group()).waiting + more;
        let taken = match client {
            Client::Key(_) => self.waiting.saturating_sub(self.groups.of(Group::Visitors).waiting),
            _ => self.waiting,
        };
        if own <= self.places.saturating_sub(taken + more) {
            return Ok(());
        }
        Err(Refusal {
            retry_after: self.groups.work() / self.thread_count() / 2,
        })
    }

    /// Decision D-144: estimates when the last job can end, and compares it with the deadline.
    fn check_time(&self, client: Client, count: usize, expected: Duration, time_left: Duration) -> Result<(), Refusal> {
        // The estimate is one of means.
        let time_left = time_left * 4 / 5;
        let before = self.work_of(client);
        let mut own = before.saturating_add(all_but_last(count, expected));
        if before.is_zero() {
            // An estimate that is too long must not shut a client out for ever, so its first request counts at most
            // half of the time.
            own = own.min(time_left * self.thread_count() / 2);
        }
        // Until its last job starts, each other visitor gets as much time as this one.
        let visitors: Duration = match client {
            Client::Visitor(number) => {
                let others = self.visitors.others(number);
                others.map(|(_, share)| share.work().min(own.max(expected))).sum()
            }
            _ => Duration::ZERO,
        };
        let own = own.saturating_add(visitors);
        // The same holds for each other group. A key is not refused because of visitors: for a further request there is
        // room for one more client, see below, and its first one counts at most half of the time.
        let counts = |other: Group| other != Group::Visitors || !matches!(client, Client::Key(_));
        let others = self.groups.others(client.group()).filter(|(other, _)| counts(*other));
        let mut others: Duration = others.map(|(_, share)| share.work().min(own.max(expected))).sum();
        let is_first = self.groups.of(client.group()).work().is_zero();
        if is_first && others.is_zero() {
            return Ok(());
        }
        if !is_first {
            // One more client may come at any moment, and what is admitted shall be kept.
            others = others.max(own);
        }
        let end = (own.saturating_add(others) / self.thread_count()).saturating_add(expected);
        if end <= time_left {
            return Ok(());
        }
        // When all others are done, the request is the first one.
        let idle = self.groups.work() / self.thread_count();
        Err(Refusal {
            retry_after: end.saturating_sub(time_left).min(idle),
        })
    }

    /// The work of a client that waits or runs.
    fn work_of(&self, client: Client) -> Duration {
        match client {
            Client::Visitor(number) => self.visitors.of(number).work(),
            _ => self.groups.of(client.group()).work(),
        }
    }

    /// When the last of these waiting jobs will end, if each job of its client takes `pace`.
    pub(super) fn time_until_end(&self, tickets: &Tickets, pace: Duration) -> Duration {
        let jobs = self.jobs.get(&tickets.client);
        let own = all_but_last(jobs.map_or(0, |jobs| jobs.range(..tickets.end).count()), pace);
        let visitors = match tickets.client {
            Client::Visitor(number) => self.visitors.before(number, own, pace),
            _ => Duration::ZERO,
        };
        let own = own.saturating_add(visitors);
        let others = self.groups.before(tickets.client.group(), own, pace);
        (own.saturating_add(others) / self.thread_count()).saturating_add(pace)
    }

    /// How long so many jobs take if nothing else waits or runs.
    pub(super) fn time_alone(&self, count: usize, pace: Duration) -> Duration {
        (all_but_last(count, pace) / self.thread_count()).saturating_add(pace)
    }

    fn thread_count(&self) -> u32 {
        u32::try_from(self.threads).unwrap_or(u32::MAX)
    }

    /// Adds jobs without any check.
    pub(super) fn push(&mut self, client: Client, jobs: Vec<J>, expected: Duration) -> Tickets {
        let (first, count) = (self.next_ticket, jobs.len());
        if count > 0 {
            self.groups.add(client.group(), count, expected);
            if let Client::Visitor(number) = client {
                self.visitors.add(number, count, expected);
            }
            let queue = self.jobs.entry(client).or_default();
            for job in jobs {
                queue.insert(self.next_ticket, WaitingJob { expected, job });
                self.next_ticket += 1;
            }
            self.waiting += count;
        }
        Tickets {
            client,
            first,
            end: self.next_ticket,
        }
    }

    /// Takes the next job; `None` if none waits. To be called by a free thread only.
    pub(super) fn start_next(&mut self) -> Option<StartedJob<J>> {
        let group = self.groups.next(self.threads)?;
        let client = match group {
            Group::Visitors => Client::Visitor(self.visitors.next(self.threads)?),
            Group::Alone(client) => client,
        };
        let queue = self.jobs.get_mut(&client)?;
        let (ticket, WaitingJob { expected, job }) = queue.pop_first()?;
        if queue.is_empty() {
            self.jobs.remove(&client);
        }
        self.groups.start(group, expected);
        if let Client::Visitor(number) = client {
            self.visitors.start(number, expected);
        }
        let work = expected;
        self.running.insert(ticket, RunningJob { client, expected, work });
        self.waiting -= 1;
        Some(StartedJob { ticket, expected, job })
    }

    /// Ends a started job, which took this long.
    pub(super) fn finish(&mut self, ticket: u64, took: Duration) {
        let Some(RunningJob { client, expected, work }) = self.running.remove(&ticket) else {
            return;
        };
        self.groups.finish(client.group(), expected, work, took);
        if let Client::Visitor(number) = client {
            self.visitors.finish(number, expected, work, took);
        }
        self.forget_all_if_empty();
    }

    /// Takes back the jobs that still wait; their places are free at once. The caller drops them, best after it has
    /// released its lock. Those that run notice it soon, so their work keeps no request of their client out.
    pub(super) fn cancel(&mut self, tickets: &Tickets) -> Vec<J> {
        let client = tickets.client;
        for (_, job) in self.running.range_mut(tickets.first..tickets.end) {
            let work = std::mem::take(&mut job.work);
            self.groups.abandon(client.group(), work);
            if let Client::Visitor(number) = client {
                self.visitors.abandon(number, work);
            }
        }
        let Some(queue) = self.jobs.get_mut(&client) else {
            return Vec::new();
        };
        let mut cancelled = queue.split_off(&tickets.first);
        let mut later = cancelled.split_off(&tickets.end);
        queue.append(&mut later);
        if queue.is_empty() {
            self.jobs.remove(&client);
        }
        let (count, work) = (
            cancelled.len(),
            cancelled.values().map(|waiting| waiting.expected).sum(),
        );
        self.groups.remove(client.group(), count, work);
        if let Client::Visitor(number) = client {
            self.visitors.remove(number, count, work);
        }
        self.waiting -= count;
        self.forget_all_if_empty();
        cancelled.into_values().map(|waiting| waiting.job).collect()
    }

    /// Forgets who used how much when the lane is empty, so the number of known clients is bounded by those of one busy
    /// time.
    fn forget_all_if_empty(&mut self) {
        if self.waiting == 0 && self.running.is_empty() {
            self.groups.clear();
            self.visitors.clear();
        }
    }

    /// Takes all jobs that wait.
    pub(super) fn clear(&mut self) -> Vec<J> {
        self.groups.clear();
        self.visitors.clear();
        self.waiting = 0;
        let queues = self.jobs.drain();
        queues
            .flat_map(|(_, jobs)| jobs.into_values())
            .map(|waiting| waiting.job)
            .collect()
    }
}

/// The work of so many jobs without the last one.
fn all_but_last(count: usize, pace: Duration) -> Duration {
    pace.saturating_mul(u32::try_from(count.saturating_sub(1)).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests;
