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
    /// All requests without an API key together.
    Keyless,
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
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MS: Duration = Duration::from_millis(1);
    const A: Client = Client::Key(1);
    const B: Client = Client::Key(2);

    fn queue(threads: usize) -> FairQueue<u32> {
        FairQueue::new(threads, 100)
    }

    fn start(queue: &mut FairQueue<u32>) -> Option<(Client, u32)> {
        queue.start_next().map(|started| (started.client, started.job))
    }

    #[test]
    fn clients_take_turns_and_each_is_first_come_first_served() {
        let mut queue = queue(1);
        queue.push(A, vec![1, 2, 3], MS);
        queue.push(B, vec![10], MS);
        queue.push(B, vec![11], MS);
        let mut order = Vec::new();
        while let Some((client, job)) = start(&mut queue) {
            order.push(job);
            queue.finish(client, MS, MS);
        }
        assert_eq!(order, [1, 10, 2, 11, 3]);
    }

    #[test]
    fn a_turn_is_a_time_and_not_a_number_of_jobs() {
        let mut queue = queue(1);
        queue.push(A, vec![1; 10], MS);
        queue.push(B, vec![2; 40], MS);
        let mut of_b = 0;
        for _ in 0..11 {
            let (client, _) = start(&mut queue).unwrap();
            of_b += usize::from(client == B);
            queue.finish(client, MS, if client == A { 10 * MS } else { MS });
        }
        assert!((9..=10).contains(&of_b), "{of_b} of 11");
    }

    #[test]
    fn an_idle_client_neither_saves_time_nor_escapes_what_it_used() {
        let mut queue = queue(1);
        queue.push(A, vec![1; 50], MS);
        for _ in 0..20 {
            let (client, _) = start(&mut queue).unwrap();
            queue.finish(client, MS, MS);
        }
        // B comes late: it gets its turn, but not twenty in a row.
        queue.push(B, vec![2; 50], MS);
        let mut of_b = 0;
        for _ in 0..10 {
            let (client, _) = start(&mut queue).unwrap();
            of_b += usize::from(client == B);
            queue.finish(client, MS, MS);
        }
        assert!((4..=6).contains(&of_b), "{of_b} of 10");
        // One long job, then the same client again: the other one is served for as long first.
        let mut queue = self::queue(1);
        queue.push(A, vec![1], MS);
        queue.push(B, vec![2; 50], MS);
        assert_eq!(start(&mut queue), Some((A, 1)));
        queue.finish(A, MS, 20 * MS);
        queue.push(A, vec![1], MS);
        for _ in 0..19 {
            assert_eq!(start(&mut queue), Some((B, 2)));
            queue.finish(B, MS, MS);
        }
    }

    #[test]
    fn a_thread_is_left_to_others_while_they_wait() {
        let mut queue = queue(4);
        queue.push(A, vec![1; 10], MS);
        assert_eq!(
            [start(&mut queue), start(&mut queue), start(&mut queue)],
            [Some((A, 1)); 3]
        );
        queue.push(B, vec![2; 10], 50 * MS);
        // B's jobs are expected to be long, but A already runs three.
        assert_eq!(start(&mut queue), Some((B, 2)));
        queue.finish(A, MS, MS);
        queue.finish(B, 50 * MS, 50 * MS);
        assert_eq!(
            [start(&mut queue), start(&mut queue)]
                .map(Option::unwrap)
                .map(|job| job.0),
            [A, B]
        );
    }

    #[test]
    fn a_lone_request_is_admitted_whatever_it_is_expected_to_take() {
        let mut queue = FairQueue::new(2, 1_000);
        assert!(queue.admit(A, vec![1; 50], 1_000 * MS, Some(100 * MS)).is_ok());
        // The next one waits for the first.
        let refused = queue.admit(A, vec![1], 1_000 * MS, Some(100 * MS)).unwrap_err();
        assert!(refused.retry_after > 40_000 * MS, "{refused:?}");
        // Another client gets the next turn.
        assert!(queue.admit(B, vec![1; 50], MS, Some(1_000 * MS)).is_ok());
    }

    #[test]
    fn what_cannot_end_before_its_deadline_is_refused() {
        let mut queue = FairQueue::new(2, 10_000);
        let mut admitted = 0_usize;
        while queue.admit(A, vec![1; 50], 10 * MS, Some(5_000 * MS)).is_ok() {
            admitted += 1;
        }
        // Eight batches of half a second fill two threads for 2 s, and as long is left to another client. A fifth of
        // the time is in reserve.
        assert!((7..=9).contains(&admitted), "{admitted}");
        let mut of_b = 0_usize;
        while queue.admit(B, vec![1; 50], 10 * MS, Some(5_000 * MS)).is_ok() {
            of_b += 1;
        }
        assert!(of_b.abs_diff(admitted) <= 1, "{of_b} and {admitted}");
    }

    #[test]
    fn the_end_of_waiting_jobs_follows_their_pace() {
        let mut queue = FairQueue::new(2, 1_000);
        let first = queue.push(A, vec![1; 50], MS);
        let second = queue.push(A, vec![1; 50], MS);
        assert_eq!(queue.time_until_end(&first, MS), 25 * MS + MS / 2);
        assert_eq!(queue.time_until_end(&second, 2 * MS), 101 * MS);
        queue.push(B, vec![1; 500], MS);
        assert_eq!(queue.time_until_end(&second, 2 * MS), 200 * MS);
    }

    #[test]
    fn clients_that_come_later_do_not_delay_the_next_turn() {
        let mut queue = queue(1);
        let next = queue.push(A, vec![1], MS);
        for other in 2..60 {
            queue.push(Client::Key(other), vec![2], 50 * MS);
        }
        assert_eq!(queue.time_until_end(&next, MS), MS);
        assert_eq!(start(&mut queue), Some((A, 1)));
    }

    #[test]
    fn one_client_fills_at_most_half_of_the_places() {
        let mut queue = queue(1);
        assert!(queue.admit(A, vec![1; 51], MS, None).is_err());
        assert!(queue.admit(A, vec![1; 50], MS, None).is_ok());
        assert!(queue.admit(A, vec![1], MS, None).is_err());
        assert!(queue.admit(B, vec![1; 25], MS, None).is_ok());
        assert!(queue.admit(B, vec![1], MS, None).is_err());
    }

    /// What may happen to a queue.
    #[derive(Clone, Debug)]
    enum Step {
        Admit { client: u8, count: usize, expected: u8 },
        Start,
        Finish { took: u8 },
        Cancel { which: usize },
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            3 => (0..4u8, 0..6usize, 1..20u8).prop_map(|(client, count, expected)| Step::Admit { client, count, expected }),
            4 => Just(Step::Start),
            3 => (0..40u8).prop_map(|took| Step::Finish { took }),
            1 => (0..8usize).prop_map(|which| Step::Cancel { which }),
        ]
    }

    proptest! {
        /// Against a model: a list of waiting tickets per client.
        #[test]
        fn bounds_hold_order_is_kept_and_nothing_is_lost(threads in 1..4usize, steps in prop::collection::vec(step(), 1..200)) {
            let mut queue: FairQueue<(u8, u64)> = FairQueue::new(threads, 24);
            let mut waiting: HashMap<u8, Vec<u64>> = HashMap::new();
            let mut running: Vec<(Client, Duration)> = Vec::new();
            let mut groups: Vec<(Tickets, u8, Vec<u64>)> = Vec::new();
            let mut next = 0;
            for step in steps {
                match step {
                    Step::Admit { client, count, expected } => {
                        let jobs: Vec<(u8, u64)> = (0..count as u64).map(|n| (client, next + n)).collect();
                        let free = 24 - queue.waiting();
                        let own = waiting.entry(client).or_default();
                        let admitted = queue.admit(Client::Key(client.into()), jobs, MS * expected.into(), None);
                        prop_assert_eq!(admitted.is_ok(), own.len() + 2 * count <= free);
                        if let Ok(tickets) = admitted {
                            let numbers: Vec<u64> = (next..next + count as u64).collect();
                            own.extend(&numbers);
                            groups.push((tickets, client, numbers));
                            next += count as u64;
                        }
                    }
                    Step::Start => {
                        if running.len() == threads {
                            continue;
                        }
                        let others_wait = waiting.values().filter(|own| !own.is_empty()).count() > 1;
                        match queue.start_next() {
                            Some(started) => {
                                let (client, number) = started.job;
                                let own = waiting.get_mut(&client).unwrap();
                                prop_assert_eq!(own.remove(0), number, "first come, first served");
                                running.push((started.client, started.expected));
                                let of_client = running.iter().filter(|(other, _)| *other == started.client).count();
                                prop_assert!(!others_wait || of_client <= (threads - 1).max(1));
                            }
                            None => prop_assert!(waiting.values().all(Vec::is_empty), "a free thread takes what waits"),
                        }
                    }
                    Step::Finish { took } => {
                        if let Some((client, expected)) = running.pop() {
                            queue.finish(client, expected, MS * took.into());
                        }
                    }
                    Step::Cancel { which } => {
                        if which < groups.len() {
                            let (tickets, client, numbers) = groups.swap_remove(which);
                            let own = waiting.get_mut(&client).unwrap();
                            let still: Vec<u64> = numbers.into_iter().filter(|number| own.contains(number)).collect();
                            own.retain(|number| !still.contains(number));
                            let cancelled: Vec<u64> = queue.cancel(&tickets).into_iter().map(|(_, number)| number).collect();
                            prop_assert_eq!(cancelled, still);
                        }
                    }
                }
                prop_assert_eq!(queue.waiting(), waiting.values().map(Vec::len).sum::<usize>());
                prop_assert_eq!(queue.running(), running.len());
                let clients = waiting.values().filter(|own| !own.is_empty()).count();
                prop_assert_eq!(queue.turns.len(), clients, "each client with waiting jobs has one turn");
                if queue.waiting() + queue.running() == 0 {
                    prop_assert!(queue.clients.is_empty());
                }
            }
        }

        /// However much others send, a client's job starts after at most their equal share and a job that runs.
        #[test]
        fn no_client_starves(others in 1..6u8, cost_of_others in 1..50u8) {
            let mut queue: FairQueue<u8> = FairQueue::new(1, 10_000);
            for other in 1..=others {
                queue.push(Client::Key(other.into()), vec![other; 3], MS);
            }
            queue.push(Client::Key(0), vec![0; 5], MS);
            let (mut mine, mut of_others) = (0, Duration::ZERO);
            for _ in 0..1_000 {
                let started = queue.start_next().unwrap();
                if started.job == 0 {
                    mine += 1;
                    queue.finish(started.client, started.expected, MS);
                } else {
                    let cost = MS * cost_of_others.into();
                    of_others += cost;
                    queue.finish(started.client, started.expected, cost);
                    queue.push(started.client, vec![started.job], MS);
                }
                let most = MS * u32::from(others) * (mine + 1 + u32::from(cost_of_others));
                prop_assert!(of_others <= most, "{of_others:?} before job {mine}");
                if mine == 5 {
                    break;
                }
            }
            prop_assert_eq!(mine, 5);
        }
    }
}
