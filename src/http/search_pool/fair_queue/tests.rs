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
