//! Latency of searches, inside the engine and over HTTP, and its growth with page depth and index
//! size: `cargo bench --bench latency [-- --records N --dir DIR]`.
//!
//! The requests are those of `benches/workload.json`; add one there to measure it. Those with `sweep` are drawn against the
//! number of records, the depth of a page, connections, and a fixed rate of requests, in `target/bench/latency.html`.
//!
//! Compare ratios rather than milliseconds. `ratio` divides a row's median by the cost of a request
//! that does no search: a keyed request to `/sources` in the same run, plus the time that the
//! response's bytes take over a bare socket. `growth` divides that ratio by the ratio of the same
//! request on an index with a tenth of the records.

mod support;

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    thread,
};

use procure::{
    catalog::generation,
    engine::{Deadline, Engine},
    model::{date::Date, entity_type::EntityType, record::query_key, schema::Role},
    query::{Filter, Order, Page, SearchQuery, Sort, SortKey, Start, text::TextQuery},
};
use serde_json::Value;
use support::{Arguments, Times, index, row, server::Server, sweep, usage};

fn main() {
    let Arguments { records, dir, .. } = Arguments::parse();
    let (whole, tenth) = (index(&dir, records), index(&dir, records / 10));
    eprintln!("\ninside the engine, {records} contracts (ms)");
    engine_rows(&whole);
    eprintln!("\nover HTTP (ms; `ratio` to a request without a search, plus the transfer of the bytes)");
    http_rows(&whole, &tenth, &dir);
    eprintln!("\nhow latency grows (ms)");
    sweeps(&[index(&dir, records / 100), tenth, whole], &dir);
}

/// Of the requests of the workload that are marked for it.
fn sweeps(indexes: &[PathBuf], dir: &Path) {
    let workload = workload();
    let all = workload.as_array().expect("a list of requests").iter();
    let swept: Vec<sweep::Swept> = all
        .filter(|request| request["sweep"] == true)
        .filter_map(|request| Some((request["name"].as_str()?, request["path"].as_str()?)))
        .collect();
    let start = |(number, index): (usize, &PathBuf)| Server::start(index, dir, &format!("sweep-{number}"));
    let mut servers: Vec<Server> = indexes.iter().enumerate().map(start).collect();
    sweep::sizes(&mut servers, &swept);
    let mut largest = servers.pop().expect("a server");
    drop(servers);
    sweep::depth(&mut largest, &swept);
    sweep::connections(&largest, &swept);
}

fn workload() -> Value {
    serde_json::from_str(include_str!("workload.json")).expect("the workload")
}

fn engine_rows(index_dir: &Path) {
    let id = generation::current(index_dir).expect("an index").expect("a generation");
    let generation = generation::open(index_dir, &id).expect("a generation that opens");
    let engine = &*generation.engine;
    let records = generation.manifest_of(EntityType::Contract).records as usize;
    let text = |q: &str| Some(TextQuery::parse(q).expect("a query"));
    let contains = |part: &str| {
        vec![Filter::Contains {
            role: Role::Vendor,
            key: query_key(Role::Vendor, part),
        }]
    };
    let day = |text: &str| Date::parse(text).ok();
    let year = vec![Filter::Dates {
        role: Role::Date,
        from: day("2019-01-01"),
        to: day("2019-12-31"),
    }];
    let newest = |text, filters| query_of(text, filters, SortKey::Date, Order::Desc);
    let oldest = |text| query_of(text, vec![], SortKey::Date, Order::Asc);
    let by_value = |text| query_of(text, vec![], SortKey::Value, Order::Desc);

    // Each row's name, query, offset and limit.
    let no_filter = newest(None, vec![]);
    let rows: [(&str, SearchQuery, usize, usize); 12] = [
        ("newest 50, no filter", no_filter.clone(), 0, 50),
        ("oldest 50", oldest(None), 0, 50),
        ("word + newest 50", newest(text("services"), vec![]), 0, 50),
        ("word + oldest 50", oldest(text("services")), 0, 50),
        ("word + year, newest 50", newest(text("services"), year.clone()), 0, 50),
        ("date range, newest 50", newest(None, year), 0, 50),
        (
            "two words + newest 50",
            newest(text("services entretien"), vec![]),
            0,
            50,
        ),
        ("phrase + newest 50", newest(text("\"snow removal\""), vec![]), 0, 50),
        ("vendor contains inc, newest 50", newest(None, contains("inc")), 0, 50),
        (
            "vendor contains construction, newest 50",
            newest(None, contains("construction")),
            0,
            50,
        ),
        ("by value, 9,500 + 500", by_value(None), 9500, 500),
        ("word, by value, 9,500 + 500", by_value(text("services")), 9500, 500),
    ];
    for (name, query, offset, limit) in &rows {
        show_times(
            name,
            &Times::of(|| drop(search(engine, query, *limit, Start::Offset(*offset)))),
        );
    }
    // A cursor in the middle of the collection.
    let middle = Page {
        limit: 1,
        start: Start::Offset(records / 2),
    };
    let position = engine
        .search(&no_filter, &middle, Deadline::never())
        .expect("hits")
        .next
        .expect("a position in the middle");
    show_times(
        "500 after a cursor in the middle",
        &Times::of(|| drop(search(engine, &no_filter, 500, Start::After(position.clone())))),
    );
    let record = search(engine, &no_filter, 1, Start::Offset(records / 3))
        .pop()
        .expect("a record");
    let id = procure::model::record_id::record_id(&record)
        .expect("an id")
        .into_owned();
    show_times(
        "a record by id",
        &Times::of(|| drop(engine.record(EntityType::Contract, &id, Deadline::never()))),
    );
}

fn query_of(text: Option<TextQuery>, filters: Vec<Filter>, key: SortKey, order: Order) -> SearchQuery {
    SearchQuery {
        entity_type: EntityType::Contract,
        text,
        filters,
        sort: Sort { key, order },
    }
}

fn search(engine: &dyn Engine, query: &SearchQuery, limit: usize, start: Start) -> Vec<bytes::Bytes> {
    engine
        .search(query, &Page { limit, start }, Deadline::never())
        .expect("hits")
        .records
}

fn show_times(name: &str, times: &Times) {
    row(
        name,
        &[
            ("p50", times.percentile(50)),
            ("p95", times.percentile(95)),
            ("p99", times.percentile(99)),
        ],
    );
}

fn http_rows(whole: &Path, tenth: &Path, dir: &Path) {
    let (mut large, mut small) = (Server::start(whole, dir, "large"), Server::start(tenth, dir, "small"));
    let no_search = Times::of(|| drop(large.get("/sources"))).percentile(50);
    row("no search (/sources)", &[("p50", no_search)]);
    let workload = workload();
    for request in workload.as_array().expect("a list of requests") {
        let (name, path) = (
            request["name"].as_str().expect("a name"),
            request["path"].as_str().expect("a path"),
        );
        let times = Times::of(|| drop(large.get(path)));
        let floor = no_search + bare_transfer(large.get(path).len());
        let small_p50 = Times::of(|| drop(small.get(path))).percentile(50);
        let small_floor = no_search + bare_transfer(small.get(path).len());
        let growth = (times.percentile(50) / floor) / (small_p50 / small_floor);
        http_row(name, &times, large.get(path).len(), floor, ("growth", growth));
    }
    // Follows cursors to page 5,000 of 100 records: the time of a page must not depend on its
    // depth.
    let mut path = "/contract?limit=100".to_owned();
    let pages = large.records / 100;
    let (mut first, mut deep) = (None, None);
    for page in 1..=5000.min(pages) {
        if page == 2 {
            first = Some(path.clone());
        }
        deep = Some(path.clone());
        let body = large.get(&path);
        let Some(cursor) = next_cursor(&body) else { break };
        path = format!("/contract?limit=100&cursor={cursor}");
    }
    let (first, deep) = (first.expect("a second page"), deep.expect("a deep page"));
    let bytes = large.get(&deep).len();
    let first_p50 = Times::of(|| drop(large.get(&first))).percentile(50);
    let times = Times::of(|| drop(large.get(&deep)));
    http_row(
        "cursor, page 5,000",
        &times,
        bytes,
        no_search,
        ("depth", times.percentile(50) / first_p50),
    );
    let used = usage(large.process.id());
    row(
        "server memory beyond the page cache",
        &[("anonymous_mb", used.anonymous_mb)],
    );
}

fn http_row(name: &str, times: &Times, bytes: usize, floor: f64, growth: (&str, f64)) {
    let p50 = times.percentile(50);
    row(
        name,
        &[
            ("p50", p50),
            ("p95", times.percentile(95)),
            ("p99", times.percentile(99)),
            ("kb", bytes as f64 / 1000.0),
            ("ratio", p50 / floor),
            growth,
        ],
    );
}

/// The time in milliseconds that a number of bytes takes from one thread to another over a socket.
/// It is the median of nine connections, because it depends on the cores that the two threads
/// happen to run on.
fn bare_transfer(bytes: usize) -> f64 {
    let mut times: Vec<f64> = (0..9).map(|_| one_transfer(bytes)).collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn one_transfer(bytes: usize) -> f64 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let sender = thread::spawn(move || {
        let (mut peer, _) = listener.accept().expect("a peer");
        let (body, mut request) = (vec![b'x'; bytes], [0]);
        while peer.read_exact(&mut request).is_ok() {
            peer.write_all(&body).expect("sending");
        }
    });
    let mut socket = TcpStream::connect(address).expect("connecting");
    socket.set_nodelay(true).expect("a socket option");
    let mut body = vec![0; bytes];
    let time = Times::of(|| {
        socket.write_all(b"?").expect("sending");
        socket.read_exact(&mut body).expect("reading");
    });
    drop(socket);
    sender.join().expect("the sender");
    time.percentile(50)
}

fn next_cursor(body: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&body[..body.len().min(2000)]).into_owned();
    let (_, rest) = head.split_once("\"next_cursor\":\"")?;
    rest.split_once('"').map(|(cursor, _)| cursor.to_owned())
}
