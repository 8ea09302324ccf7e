//! Overhead of the HTTP layer per request (key check, limits, entity tag, request id, timing,
//! metrics, log line): `cargo bench --bench overhead [-- --records N --dir DIR]`.
//!
//! Requests alternate between this server, with a key, and a bare server of the same framework that
//! sends the same bytes, so that a change in the machine's load affects both. The difference of the
//! medians is the overhead, including the small work of `/sources` itself.
//!
//! An export of all records is compared with a bare copy of the record file into a socket. Then 50 clients search, alone
//! and while 20 keys export all records again and again: `p50` and `p99` are their times in milliseconds.

mod support;

use std::{
    fs::File,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use actix_web::{App, HttpResponse, HttpServer, rt::System, web};
use procure::catalog::generation;
use support::{
    Arguments,
    http::{self, Client},
    index, load, row,
    server::{Server, wait_for},
};

/// Number of requests to each of the two servers.
const ROUNDS: usize = 10_000;

/// Number of exports that are sent while others search, and of clients that search.
const EXPORTS: usize = 20;
const SEARCHING: usize = 50;

/// How long they search, alone and during the exports.
const SEARCH_TIME: Duration = Duration::from_secs(10);

fn main() {
    let Arguments { records, dir, .. } = Arguments::parse();
    let index_dir = index(&dir, records);
    let mut program = Server::start(&index_dir, &dir, "overhead");
    requests(&mut program);
    exports(&program, &index_dir, records);
    searches_during_exports(&program);
}

fn requests(program: &mut Server) {
    let address = bare_server(program.get("/sources"));
    wait_for(&address);
    let mut bare = Client::with_key(&address, "");
    let (mut keyed, mut plain) = (Vec::with_capacity(ROUNDS), Vec::with_capacity(ROUNDS));
    for _ in 0..ROUNDS {
        let start = Instant::now();
        drop(program.get("/sources"));
        let middle = Instant::now();
        drop(bare.get("/sources"));
        keyed.push((middle - start).as_secs_f64() * 1e6);
        plain.push(middle.elapsed().as_secs_f64() * 1e6);
    }
    let (keyed, plain) = (median(&mut keyed), median(&mut plain));
    let figures = [("keyed_us", keyed), ("bare_us", plain), ("edge_us", keyed - plain)];
    row("a keyed request without a search", &figures);
}

/// The speed of an export of all records, by its format, and of a copy of the file that the records are in.
fn exports(program: &Server, index_dir: &Path, records: u64) {
    let id = generation::current(index_dir).expect("an index").expect("a generation");
    let copy = copying_server(index_dir.join(id).join("contract/records.ndjson"));
    let show = |name: &str, address: &str, path: &str| {
        let (bytes, seconds) = fastest(|| {
            let bytes = AtomicU64::new(0);
            receive(address, &program.key, path, &bytes);
            bytes.into_inner()
        });
        let figures = [
            ("mb_per_second", bytes as f64 / 1e6 / seconds),
            ("records_per_second", records as f64 / seconds),
        ];
        row(name, &figures);
    };
    show("a copy of the record file into a socket", &copy, "/");
    for format in ["ndjson", "csv", "parquet"] {
        let path = format!("/contract/export?format={format}");
        show(&format!("export as {format}"), &program.address, &path);
    }
}

/// The fastest of three.
fn fastest(mut run: impl FnMut() -> u64) -> (u64, f64) {
    let timed = (0..3).map(|_| {
        let start = Instant::now();
        (run(), start.elapsed().as_secs_f64())
    });
    timed.min_by(|a, b| a.1.total_cmp(&b.1)).expect("three runs")
}

/// Reads a response to its end, which is that of its connection, and counts its bytes.
fn receive(address: &str, key: &str, path: &str, bytes: &AtomicU64) {
    let mut socket = TcpStream::connect(address).expect("a connection");
    let request = http::get(path, key).replacen("\r\n", "\r\nconnection: close\r\n", 1);
    socket.write_all(request.as_bytes()).expect("sending a request");
    let mut buffer = vec![0; 256 << 10];
    loop {
        match socket.read(&mut buffer).expect("reading the response") {
            0 => return,
            read => _ = bytes.fetch_add(read as u64, Ordering::Relaxed),
        }
    }
}

/// Starts a server that sends this file on each connection, and closes it. Returns its address.
fn copying_server(file: PathBuf) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    thread::spawn(move || {
        for socket in listener.incoming() {
            let mut socket = socket.expect("a connection");
            // So that no unread request resets the connection when it is closed.
            let _ = socket.read(&mut [0; 4096]).expect("a request");
            let (mut file, mut buffer) = (File::open(&file).expect("the record file"), vec![0; 128 << 10]);
            loop {
                match file.read(&mut buffer).expect("reading the record file") {
                    0 => break,
                    read => socket.write_all(&buffer[..read]).expect("sending"),
                }
            }
        }
    });
    address
}

/// The times of searches alone, and while other keys export.
fn searches_during_exports(program: &Server) {
    let keys: Vec<String> = (0..EXPORTS).map(|_| program.further_key()).collect();
    let lookups = load::Requests::of(&program.address, &program.key).lookups;
    let (is_over, exported) = (AtomicBool::new(false), AtomicU64::new(0));
    let search = |name: &str| {
        let outcome = load::run(
            &program.address,
            &[],
            &[&program.key],
            &lookups,
            &program.key,
            SEARCHING,
            SEARCH_TIME,
        );
        let figures = [
            ("lookups", outcome.lookups.len() as f64),
            ("failed", outcome.failures as f64),
            ("p50", load::percentile(&outcome.lookups, 50)),
            ("p99", load::percentile(&outcome.lookups, 99)),
            (
                "exported_mb_per_second",
                exported.load(Ordering::Relaxed) as f64 / 1e6 / SEARCH_TIME.as_secs_f64(),
            ),
        ];
        row(name, &figures);
    };
    search("50 clients search");
    thread::scope(|scope| {
        for key in &keys {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    receive(&program.address, key, "/contract/export", &exported);
                }
            });
        }
        search("50 clients search during 20 exports");
        is_over.store(true, Ordering::Relaxed);
    });
}

/// Starts a server that responds to every request with these bytes. Returns its address.
fn bare_server(body: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let body = web::Bytes::from(body);
    thread::spawn(move || {
        let server = HttpServer::new(move || {
            let body = body.clone();
            let respond = move || {
                let body = body.clone();
                async move { HttpResponse::Ok().content_type("application/json").body(body) }
            };
            App::new().default_service(web::to(respond))
        });
        let server = server.listen(listener).expect("listening").tcp_nodelay(true).run();
        System::new().block_on(server).expect("serving");
    });
    address
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
