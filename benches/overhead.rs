//! Overhead of the HTTP layer per request (key check, limits, entity tag, request id, timing,
//! metrics, log line): `cargo bench --bench overhead [-- --records N --dir DIR]`.
//!
//! Requests alternate between this server, with a key, and a bare server of the same framework that
//! sends the same bytes, so that a change in the machine's load affects both. The difference of the
//! medians is the overhead, including the small work of `/sources` itself.

mod support;

use std::{net::TcpListener, thread, time::Instant};

use actix_web::{App, HttpResponse, HttpServer, rt::System, web};
use support::{
    Arguments,
    http::Client,
    index, row,
    server::{Server, wait_for},
};

/// Number of requests to each of the two servers.
const ROUNDS: usize = 10_000;

fn main() {
    let Arguments { records, dir, .. } = Arguments::parse();
    let mut program = Server::start(&index(&dir, records), &dir, "overhead");
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
