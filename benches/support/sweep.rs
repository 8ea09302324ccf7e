//! How latency grows: with the number of records, the depth of a page, the connections and the rate of requests.

use std::{
    thread,
    time::{Duration, Instant},
};

use super::{
    Times,
    http::{Client, Request},
    load::percentile,
    plot,
    report::Plot,
    row,
    server::Server,
};

/// A request that is swept: its name, and its path with parameters.
pub type Swept<'w> = (&'w str, &'w str);

/// The number of connections of each step.
const CONNECTIONS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];

/// The share of the highest rate that each step asks for.
const RATES: [f64; 5] = [0.1, 0.25, 0.5, 0.7, 0.9];

/// How long a step takes.
const STEP: Duration = Duration::from_millis(1500);

/// How many connections send the requests of a fixed rate.
const SENDERS: usize = 32;

/// The records that may be skipped; the API allows 9,500 of a page of 500.
const OFFSETS: [u32; 6] = [10, 100, 500, 1_000, 4_000, 9_500];

/// The median and the 99th percentile of each request, on indexes of growing size.
pub fn sizes(servers: &mut [Server], requests: &[Swept]) {
    let lines = requests.iter().map(|(name, path)| {
        let points = servers.iter_mut().map(|server| {
            let times = Times::of(|| drop(server.get(path)));
            let figures = [("p50", times.percentile(50)), ("p99", times.percentile(99))];
            row(&format!("{name}, {} records", server.records), &figures);
            (server.records as f64, times.percentile(50))
        });
        ((*name).to_owned(), points.collect())
    });
    plot(Plot {
        title: "Median latency against the number of records".to_owned(),
        x: "records",
        y: "ms",
        lines: lines.collect(),
    });
}

/// The median of a page against the records that it skips.
pub fn depth(server: &mut Server, requests: &[Swept]) {
    let lines = requests.iter().map(|(name, path)| {
        let points = OFFSETS.map(|offset| {
            let path = format!("{path}&offset={offset}");
            let times = Times::of(|| drop(server.get(&path)));
            row(&format!("{name}, {offset} skipped"), &[("p50", times.percentile(50))]);
            (f64::from(offset), times.percentile(50))
        });
        ((*name).to_owned(), points.to_vec())
    });
    plot(Plot {
        title: "Median latency against the records that a page skips".to_owned(),
        x: "records skipped",
        y: "ms",
        lines: lines.collect(),
    });
}

/// Requests per second and latency against the number of connections, each of which sends a request as soon as the one
/// before is answered; then latency against a fixed rate of requests.
pub fn connections(server: &Server, requests: &[Swept]) {
    let (mut rates, mut latencies, mut open) = (Vec::new(), Vec::new(), Vec::new());
    for (name, path) in requests {
        let steps: Vec<(usize, f64, Vec<Duration>)> = CONNECTIONS
            .into_iter()
            .map(|count| {
                let times = closed_loop(server, path, count);
                let rate = times.len() as f64 / STEP.as_secs_f64();
                let figures = [
                    ("requests_per_second", rate),
                    ("p50", percentile(&times, 50)),
                    ("p99", percentile(&times, 99)),
                ];
                row(&format!("{name}, {count} connections"), &figures);
                (count, rate, times)
            })
            .collect();
        let highest = steps.iter().map(|(_, rate, _)| *rate).fold(0.0, f64::max);
        rates.push((
            (*name).to_owned(),
            steps.iter().map(|(count, rate, _)| (*count as f64, *rate)).collect(),
        ));
        latencies.push((
            (*name).to_owned(),
            steps
                .iter()
                .map(|(count, _, times)| (*count as f64, percentile(times, 99)))
                .collect(),
        ));
        open.push(((*name).to_owned(), at_rates(server, name, path, highest)));
    }
    let titles = [
        (
            "Requests per second against connections",
            "connections",
            "requests/s",
            rates,
        ),
        ("99th percentile against connections", "connections", "ms", latencies),
        (
            "99th percentile against a fixed rate, from the moment a request was due",
            "requests/s",
            "ms",
            open,
        ),
    ];
    for (title, x, y, lines) in titles {
        plot(Plot {
            title: title.to_owned(),
            x,
            y,
            lines,
        });
    }
}

/// The times of the requests of some connections, sorted.
fn closed_loop(server: &Server, path: &str, connections: usize) -> Vec<Duration> {
    let end = Instant::now() + STEP;
    let ask = || {
        let (mut client, request) = (
            Client::with_key(&server.address, &server.key),
            Request::keyless("GET", path),
        );
        let mut times = Vec::new();
        while Instant::now() < end {
            times.push(timed(&mut client, &request));
        }
        times
    };
    gathered(connections, |_| ask())
}

fn at_rates(server: &Server, name: &str, path: &str, highest: f64) -> Vec<(f64, f64)> {
    let step = |share: f64| {
        let rate = highest * share;
        let times = open_loop(server, path, rate);
        let figures = [("p50", percentile(&times, 50)), ("p99", percentile(&times, 99))];
        row(&format!("{name}, {rate:.0} requests/s"), &figures);
        (rate, percentile(&times, 99))
    };
    RATES.map(step).to_vec()
}

/// Requests at a fixed rate. A time counts from the moment when the request was due, so that a server that stalls
/// cannot hide it by delaying the requests that follow.
fn open_loop(server: &Server, path: &str, rate: f64) -> Vec<Duration> {
    let begun = Instant::now() + Duration::from_millis(50);
    let count = (rate * STEP.as_secs_f64()).ceil() as usize;
    gathered(SENDERS, |sender| {
        let (mut client, request) = (
            Client::with_key(&server.address, &server.key),
            Request::keyless("GET", path),
        );
        let mut times = Vec::new();
        for number in (sender..count).step_by(SENDERS) {
            let due = begun + Duration::from_secs_f64(number as f64 / rate);
            thread::sleep(due.saturating_duration_since(Instant::now()));
            timed(&mut client, &request);
            times.push(due.elapsed());
        }
        times
    })
}

fn timed(client: &mut Client, request: &Request) -> Duration {
    let (answer, took) = client.timed(request).expect("an answer");
    assert_eq!(answer.status, 200, "{}: {}", request.target, answer.text());
    took
}

/// What some threads measured, sorted.
fn gathered(threads: usize, measure: impl Fn(usize) -> Vec<Duration> + Sync) -> Vec<Duration> {
    let measure = &measure;
    let mut times: Vec<Duration> = thread::scope(|scope| {
        let running: Vec<_> = (0..threads)
            .map(|number| scope.spawn(move || measure(number)))
            .collect();
        running
            .into_iter()
            .flat_map(|thread| thread.join().expect("the times"))
            .collect()
    });
    times.sort_unstable();
    times
}
