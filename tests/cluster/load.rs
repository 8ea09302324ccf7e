//! Clients that ask a server the same requests again and again, and compare each answer with the one
//! that they know to be right.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crate::{
    compare::comparable,
    processes::{Response, Service},
};

/// A request path and the right answer.
pub type Known = (String, Response);

/// What the clients saw.
#[derive(Debug, Default)]
pub struct Seen {
    /// Right answers.
    pub right: usize,
    /// Refusals by status (503 and 504 are allowed), each with the time since the start of the load.
    pub refused: BTreeMap<u16, Vec<Duration>>,
    /// Anything else: wrong bodies, other statuses, broken connections.
    pub wrong: Vec<String>,
    pub longest: Duration,
}

/// Runs `clients` clients while `events` happen.
pub fn during(service: &Service, known: &[Known], clients: usize, events: impl FnOnce()) -> Seen {
    let (seen, is_over, next) = (Mutex::new(Seen::default()), AtomicBool::new(false), AtomicUsize::new(0));
    let started = Instant::now();
    thread::scope(|scope| {
        for _ in 0..clients {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let (path, expected) = &known[next.fetch_add(1, Ordering::Relaxed) % known.len()];
                    let asked = Instant::now();
                    let answer = service.try_get(path);
                    let took = asked.elapsed();
                    let mut seen = seen.lock().unwrap();
                    seen.longest = seen.longest.max(took);
                    match answer {
                        Ok(answer) if comparable(&answer) == comparable(expected) => seen.right += 1,
                        Ok(answer) if is_allowed(&answer) => {
                            seen.refused.entry(answer.status).or_default().push(started.elapsed());
                        }
                        Ok(answer) => seen
                            .wrong
                            .push(format!("{path}: {} {}", answer.status, start_of(&answer.body))),
                        Err(error) => seen.wrong.push(format!("{path}: {error}")),
                    }
                }
            });
        }
        let _end = End(&is_over);
        events();
    });
    seen.into_inner().unwrap()
}

/// Ends the clients, also if an event panics: otherwise the test would never end.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Waits until every request in turn is answered rightly. No answer may be wrong meanwhile.
pub fn wait_until_right(service: &Service, known: &[Known], limit: Duration) {
    let started = Instant::now();
    loop {
        let answers = known.iter().map(|(path, expected)| (service.try_get(path), expected));
        let refused = answers.into_iter().find_map(|(answer, expected)| {
            let answer = answer.unwrap();
            let is_right = comparable(&answer) == comparable(expected);
            assert!(
                is_right || is_allowed(&answer),
                "{} {}",
                answer.status,
                start_of(&answer.body)
            );
            (!is_right).then_some(answer)
        });
        let Some(refused) = refused else { return };
        assert!(
            started.elapsed() < limit,
            "waited {limit:?} for right answers: {refused:?}"
        );
        thread::sleep(Duration::from_millis(200));
    }
}

/// What a server may answer while a node is gone. A refusal names the time to come again.
fn is_allowed(answer: &Response) -> bool {
    match answer.status {
        503 => answer.retry_after.is_some(),
        504 => true,
        _ => false,
    }
}

pub fn start_of(text: &str) -> String {
    text.chars().take(300).collect()
}

impl Seen {
    /// Refusals, of all statuses.
    pub fn refusals(&self) -> usize {
        self.refused.values().map(Vec::len).sum()
    }

    /// One line for the report of a test.
    pub fn line(&self) -> String {
        let refused: Vec<String> = self
            .refused
            .iter()
            .map(|(status, times)| {
                let (first, last) = (times[0].as_secs_f32(), times[times.len() - 1].as_secs_f32());
                format!("{} answers {status} from {first:.1} s to {last:.1} s", times.len())
            })
            .collect();
        format!(
            "{} right answers; refused: {refused:?}; longest {:?}",
            self.right, self.longest
        )
    }
}
