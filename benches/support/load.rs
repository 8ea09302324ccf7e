//! Load over HTTP: bursts of expensive requests from some keys, and look-ups of another key meanwhile.
//!
//! It uses the standard library only.

use std::{
    collections::BTreeMap,
    sync::{
        Barrier,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use super::http::{Client, Request};

/// What a burst took, and the look-ups during it.
pub struct Outcome {
    /// How often each status was answered to the burst, and the longest time until then.
    pub burst: BTreeMap<u16, (usize, Duration)>,
    /// The times of the look-ups while the burst lasted, sorted.
    pub lookups: Vec<Duration>,
    /// How many look-ups were not answered 200.
    pub failures: usize,
}

/// All values of a text member of a JSON text, as they are written there. The generated records have no escapes in the
/// members that the bench uses.
pub fn values<'a>(json: &'a str, member: &str) -> Vec<&'a str> {
    let start = format!("\"{member}\":\"");
    let parts = json.split(start.as_str()).skip(1);
    parts.filter_map(|rest| rest.split('"').next()).collect()
}

/// Sends each request of `burst` on a connection of its own, all at once, keys in turn, while `lookers` connections of
/// `key` send `lookups` in turn. Ends when all of the burst is answered, and after `least` at the soonest.
pub fn run(
    address: &str,
    burst: &[Request],
    keys: &[&str],
    lookups: &[Request],
    key: &str,
    lookers: usize,
    least: Duration,
) -> Outcome {
    let is_over = AtomicBool::new(false);
    let ready = Barrier::new(burst.len() + lookers + 1);
    let look = |number: usize| {
        let mut client = Client::with_key(address, key);
        let (mut times, mut failures) = (Vec::new(), 0);
        let mut requests = lookups.iter().cycle().skip(number * lookups.len() / lookers.max(1));
        ready.wait();
        while !is_over.load(Ordering::Relaxed) {
            let request = requests.next().expect("the requests repeat");
            let (answer, took) = client.timed(request).expect("an answer");
            failures += usize::from(answer.status != 200);
            times.push(took);
        }
        (times, failures)
    };
    let ask = |(number, request): (usize, &Request)| {
        let mut client = Client::with_key(address, keys[number % keys.len()]);
        ready.wait();
        let (answer, took) = client.timed(request).expect("an answer");
        if !matches!(answer.status, 200 | 503 | 504) {
            eprintln!("{}: {} {}", request.target, answer.status, answer.text());
        }
        (answer.status, took)
    };
    thread::scope(|scope| {
        let (look, ask) = (&look, &ask);
        let lookers: Vec<_> = (0..lookers).map(|number| scope.spawn(move || look(number))).collect();
        let asked: Vec<_> = burst
            .iter()
            .enumerate()
            .map(|one| scope.spawn(move || ask(one)))
            .collect();
        ready.wait();
        let begun = Instant::now();
        let mut outcome = Outcome {
            burst: BTreeMap::new(),
            lookups: Vec::new(),
            failures: 0,
        };
        for (status, took) in asked.into_iter().map(|one| one.join().expect("an answer")) {
            let (count, longest) = outcome.burst.entry(status).or_default();
            *count += 1;
            *longest = took.max(*longest);
        }
        thread::sleep(least.saturating_sub(begun.elapsed()));
        is_over.store(true, Ordering::Relaxed);
        for looker in lookers {
            let (times, failures) = looker.join().expect("the look-ups");
            outcome.lookups.extend(times);
            outcome.failures += failures;
        }
        outcome.lookups.sort_unstable();
        outcome
    })
}

/// A percentile of sorted times, in milliseconds.
pub fn percentile(sorted: &[Duration], percent: usize) -> f64 {
    let at = sorted.len().saturating_sub(1) * percent / 100;
    sorted.get(at).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
}

/// The requests of the bench, made of records that the server has.
pub struct Requests {
    pub lookups: Vec<Request>,
    pub batches: Vec<Request>,
    pub unions: Vec<Request>,
    pub feeds: Vec<Request>,
}

impl Requests {
    pub fn of(address: &str, key: &str) -> Requests {
        let mut client = Client::with_key(address, key);
        let get = |target: String| Request::keyless("GET", target);
        let text = |body: Vec<u8>| String::from_utf8(body).expect("a text");
        let page = text(client.get("/contract?limit=100&offset=5000"));
        let mut lookups = Vec::new();
        for (number, id) in values(&page, "record_id").into_iter().enumerate() {
            let id: String = id.bytes().map(|byte| format!("%{byte:02X}")).collect();
            lookups.push(get(format!("/contract/{id}")));
            lookups.push(get(format!("/contract?limit=10&offset={number}")));
            let name = ["inc", "construction", "services", "ltd"][number % 4];
            lookups.push(get(format!("/vendors?q={name}")));
        }
        let mut batches = Vec::new();
        for offset in (0..6_000).step_by(50) {
            let tenders = text(client.get(&format!("/tender?limit=50&offset={offset}")));
            let ids: Vec<String> = values(&tenders, "record_id")
                .iter()
                .map(|id| format!("\"{id}\""))
                .collect();
            batches.push(Request::json(
                "/tender/estimate",
                format!(r#"{{"record_ids":[{}]}}"#, ids.join(",")),
            ));
        }
        let union = "/contract?q=%22snow+removal%22+OR+%22road+salt%22&facets=vendor,department";
        Requests {
            lookups,
            batches,
            unions: (0..200).map(|number| get(format!("{union}&offset={number}"))).collect(),
            feeds: (0..300)
                .map(|_| get("/tender/feed?days_back=90&limit=500".to_owned()))
                .collect(),
        }
    }
}

/// The rows of the table: each burst, with the look-ups of another key during it.
pub fn table(address: &str, keys: [&str; 3], mut row: impl FnMut(&str, &[(&str, f64)])) {
    let [one, two, looker] = keys;
    let requests = Requests::of(address, looker);
    let second = Duration::from_secs(1);
    let bursts: [(&str, &[Request], Duration); 4] = [
        ("look-ups alone", &[], 3 * second),
        ("120 batches of 50 estimates", &requests.batches, second),
        ("200 unions of phrases with facets", &requests.unions, second),
        ("300 feeds of 90 days", &requests.feeds, second),
    ];
    for (name, burst, least) in bursts {
        let outcome = run(address, burst, &[one, two], &requests.lookups, looker, 2, least);
        let mut figures = vec![
            ("lookups", outcome.lookups.len() as f64),
            ("failed", outcome.failures as f64),
            ("p50", percentile(&outcome.lookups, 50)),
            ("p99", percentile(&outcome.lookups, 99)),
            ("max", percentile(&outcome.lookups, 100)),
        ];
        for (status, (count, longest)) in &outcome.burst {
            let names = match status {
                200 => ("200", "200_max"),
                503 => ("503", "503_max"),
                504 => ("504", "504_max"),
                _ => ("other", "other_max"),
            };
            figures.push((names.0, *count as f64));
            figures.push((names.1, longest.as_secs_f64() * 1000.0));
        }
        row(name, &figures);
    }
}
