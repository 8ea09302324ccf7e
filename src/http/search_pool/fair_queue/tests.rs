//! The queue against a slow model of its rules.

use proptest::prelude::*;

use super::*;

const MS: Duration = Duration::from_millis(1);
const A: Client = Client::Key(1);
const B: Client = Client::Key(2);

fn queue(threads: usize) -> FairQueue<u32> {
    FairQueue::new(threads, 100)
}

fn start(queue: &mut FairQueue<u32>) -> Option<(Client, u32)> {
    let started = queue.start_next()?;
    Some((queue.running[&started.ticket].client, started.job))
}

/// Ends the first running job of a client.
fn finish<J>(queue: &mut FairQueue<J>, client: Client, took: Duration) {
    let mut running = queue.running.iter();
    let (ticket, _) = running.find(|(_, job)| job.client == client).unwrap();
    queue.finish(*ticket, took);
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
        finish(&mut queue, client, MS);
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
        finish(&mut queue, client, if client == A { 10 * MS } else { MS });
    }
    assert!((9..=10).contains(&of_b), "{of_b} of 11");
}

#[test]
fn an_idle_client_neither_saves_time_nor_escapes_what_it_used() {
    let mut queue = queue(1);
    queue.push(A, vec![1; 50], MS);
    for _ in 0..20 {
        let (client, _) = start(&mut queue).unwrap();
        finish(&mut queue, client, MS);
    }
    // B comes late: it gets its turn, but not twenty in a row.
    queue.push(B, vec![2; 50], MS);
    let mut of_b = 0;
    for _ in 0..10 {
        let (client, _) = start(&mut queue).unwrap();
        of_b += usize::from(client == B);
        finish(&mut queue, client, MS);
    }
    assert!((4..=6).contains(&of_b), "{of_b} of 10");
    // One long job, then the same client again: the other one is served for as long first.
    let mut queue = self::queue(1);
    queue.push(A, vec![1], MS);
    queue.push(B, vec![2; 50], MS);
    assert_eq!(start(&mut queue), Some((A, 1)));
    finish(&mut queue, A, 20 * MS);
    queue.push(A, vec![1], MS);
    for _ in 0..19 {
        assert_eq!(start(&mut queue), Some((B, 2)));
        finish(&mut queue, B, MS);
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
    finish(&mut queue, A, MS);
    finish(&mut queue, B, 50 * MS);
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
    assert_eq!(refused.retry_after, 25_000 * MS);
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

#[test]
fn visitors_together_take_the_turns_of_one_client_and_share_them() {
    let mut queue = queue(1);
    for visitor in 0..10 {
        queue.push(Client::Visitor(visitor), vec![2; 9], MS);
    }
    queue.push(A, vec![1; 20], MS);
    let (mut of_key, mut of_visitors) = (0, HashMap::new());
    for _ in 0..40 {
        let (client, _) = start(&mut queue).unwrap();
        if client == A {
            of_key += 1;
        } else {
            *of_visitors.entry(client).or_insert(0) += 1;
        }
        finish(&mut queue, client, MS);
    }
    assert_eq!(of_key, 20);
    assert!(
        of_visitors.len() == 10 && of_visitors.values().all(|turns| *turns == 2),
        "{of_visitors:?}"
    );
}

#[test]
fn a_key_waits_for_at_most_one_visitor_between_two_of_its_jobs() {
    let mut queue = queue(1);
    for visitor in 0..50 {
        queue.push(Client::Visitor(visitor), vec![2], 20 * MS);
    }
    assert_eq!(start(&mut queue).unwrap().1, 2);
    let tickets = queue.push(A, vec![1; 3], 20 * MS);
    // Its own three, what runs, and one visitor between each two of them.
    assert!(queue.time_until_end(&tickets, 20 * MS) <= 120 * MS);
    let mut between = 0;
    for _ in 0..3 {
        let mut client = None;
        while client != Some(A) {
            let running = queue.running.values().next().map(|job| job.client);
            running
                .into_iter()
                .for_each(|running| finish(&mut queue, running, 20 * MS));
            client = start(&mut queue).map(|(client, _)| client);
            between += usize::from(client != Some(A));
            assert!(between <= 3, "at most one visitor before each job");
        }
    }
}

#[test]
fn visitors_that_wait_neither_refuse_a_key_nor_take_its_places() {
    let crowd = |size: u32, client: fn(u32) -> Client| {
        let mut queue = FairQueue::new(2, 100);
        let admitted = (0..size).filter(|number| queue.admit(client(*number), vec![1], 400 * MS, None).is_ok());
        assert!(admitted.count() >= 50);
        queue
    };
    let mut visitors = crowd(200, |number| Client::Visitor(number.into()));
    assert_eq!(visitors.waiting(), 50, "visitors together fill half of the places");
    let refused = visitors.admit(Client::Visitor(999), vec![1], 400 * MS, Some(4_000 * MS));
    assert!(refused.is_err(), "there is no room for another visitor");
    assert!(visitors.admit(A, vec![1; 5], 400 * MS, Some(4_000 * MS)).is_ok());
    assert!(visitors.admit(B, vec![1; 5], 400 * MS, Some(4_000 * MS)).is_ok());
    assert!(
        visitors.admit(Client::Key(3), vec![1; 40], MS, None).is_ok(),
        "as many places as without visitors"
    );
    // As many keys leave it no time.
    let mut keys = crowd(50, |number| Client::Key(1_000 + i64::from(number)));
    assert!(keys.admit(A, vec![1; 5], 400 * MS, Some(4_000 * MS)).is_err());
}

#[test]
fn what_a_cancelled_request_still_runs_keeps_nothing_out() {
    let mut queue = FairQueue::new(1, 1_000);
    let batch = |queue: &mut FairQueue<u32>| queue.admit(A, vec![1; 50], 400 * MS, Some(4_000 * MS));
    let first = batch(&mut queue).unwrap();
    assert_eq!(start(&mut queue), Some((A, 1)));
    assert!(batch(&mut queue).is_err(), "it waits for the first one");
    assert_eq!(queue.cancel(&first).len(), 49);
    assert!(batch(&mut queue).is_ok());
    finish(&mut queue, A, 400 * MS);
    assert_eq!((queue.waiting(), queue.running()), (50, 0));
    assert_eq!(queue.time_alone(50, 400 * MS), 20_000 * MS);
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

/// A client of the model: two keys and two visitors, which are one group.
fn client_of(number: u8) -> Client {
    match number {
        0 | 1 => Client::Key(number.into()),
        _ => Client::Visitor(number.into()),
    }
}

/// The number of waiting jobs in all groups of the model.
fn waiting_by_group(waiting: &HashMap<u8, Vec<u64>>) -> HashMap<Group, usize> {
    let mut groups = HashMap::new();
    for (number, own) in waiting {
        *groups.entry(client_of(*number).group()).or_default() += own.len();
    }
    groups.retain(|_, waiting| *waiting > 0);
    groups
}

proptest! {
    /// Against a model: a list of waiting tickets per client.
    #[test]
    fn bounds_hold_order_is_kept_and_nothing_is_lost(threads in 1..4usize, steps in prop::collection::vec(step(), 1..200)) {
        let mut queue: FairQueue<(u8, u64)> = FairQueue::new(threads, 24);
        let mut waiting: HashMap<u8, Vec<u64>> = HashMap::new();
        let mut running: Vec<(u64, Group)> = Vec::new();
        let mut groups: Vec<(Tickets, u8, Vec<u64>)> = Vec::new();
        let mut next = 0;
        for step in steps {
            match step {
                Step::Admit { client, count, expected } => {
                    let jobs: Vec<(u8, u64)> = (0..count as u64).map(|n| (client, next + n)).collect();
                    let by_group = waiting_by_group(&waiting);
                    let of_visitors = by_group.get(&Group::Visitors).copied().unwrap_or_default();
                    let of_group = by_group.get(&client_of(client).group()).copied().unwrap_or_default();
                    let taken = if client < 2 { queue.waiting() - of_visitors } else { queue.waiting() };
                    let admitted = queue.admit(client_of(client), jobs, MS * expected.into(), None);
                    prop_assert_eq!(admitted.is_ok(), taken + of_group + 2 * count <= 24);
                    if let Ok(tickets) = admitted {
                        let own = waiting.entry(client).or_default();
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
                    let others_wait = waiting_by_group(&waiting).len() > 1;
                    match queue.start_next() {
                        Some(started) => {
                            let (client, number) = started.job;
                            let own = waiting.get_mut(&client).unwrap();
                            prop_assert_eq!(own.remove(0), number, "first come, first served");
                            let group = client_of(client).group();
                            running.push((started.ticket, group));
                            let of_group = running.iter().filter(|(_, other)| *other == group).count();
                            prop_assert!(!others_wait || of_group <= (threads - 1).max(1));
                        }
                        None => prop_assert!(waiting.values().all(Vec::is_empty), "a free thread takes what waits"),
                    }
                }
                Step::Finish { took } => {
                    if let Some((ticket, _)) = running.pop() {
                        queue.finish(ticket, MS * took.into());
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
            let groups = waiting_by_group(&waiting).len();
            prop_assert_eq!(queue.groups.contenders(), groups, "each group with waiting jobs has one turn");
            if queue.waiting() + queue.running() == 0 {
                prop_assert!(queue.groups.is_empty() && queue.visitors.is_empty() && queue.jobs.is_empty());
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
                queue.finish(started.ticket, MS);
            } else {
                let cost = MS * cost_of_others.into();
                of_others += cost;
                queue.finish(started.ticket, cost);
                queue.push(Client::Key(started.job.into()), vec![started.job], MS);
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
