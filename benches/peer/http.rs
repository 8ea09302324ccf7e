//! The same requests over HTTP: this server as it is shipped, with a key, and SQLite in a thin server of the same
//! framework, which knows neither keys nor limits and has one connection to its file for each worker.
//!
//! Both servers are processes of their own. One thread asks over all connections and takes bodies without copying them,
//! so it costs both servers equally little.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command},
    time::{Duration, Instant},
};

use actix_web::{App, HttpRequest, HttpResponse, HttpServer, http::KeepAlive, rt::System, web};
use rustix::event::{PollFd, PollFlags, poll};
use socket2::SockRef;

use crate::{
    sqlite::Sqlite,
    support::{
        http, row,
        server::{Server, wait_for},
        usage,
    },
};

/// The argument that makes this program the thin server. The file, the address and the statements follow it.
const SERVE: &str = "--serve-sqlite";

const CONNECTIONS: usize = 16;

/// How often both servers are measured in turn, and for how long each time.
const ROUNDS: usize = 9;
const ROUND: Duration = Duration::from_millis(500);

/// The targets of a request, in its variants.
pub struct Asked {
    pub name: &'static str,
    pub ours: Vec<String>,
    pub sqlite: Vec<String>,
}

/// Both servers. The thin one is killed when this is dropped.
pub struct Servers {
    ours: Server,
    sqlite: Child,
    sqlite_address: String,
}

impl Servers {
    pub fn start(index_dir: &Path, dir: &Path, file: &Path, statements: &[&str]) -> Servers {
        let ours = Server::start(index_dir, dir, "peers");
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let sqlite_address = free.expect("a free port").to_string();
        let mut sqlite = Command::new(std::env::current_exe().expect("this program"));
        sqlite.arg(SERVE).arg(file).arg(&sqlite_address).args(statements);
        let sqlite = sqlite.spawn().expect("the thin server");
        wait_for(&sqlite_address);
        Servers {
            ours,
            sqlite,
            sqlite_address,
        }
    }

    /// Prints a row; returns the median of the ratios of the rounds.
    pub fn compare(&self, asked: &Asked) -> f64 {
        let mut ours = Side::new(&self.ours.address, &self.ours.key, self.ours.process.id(), &asked.ours);
        let mut sqlite = Side::new(&self.sqlite_address, "", self.sqlite.id(), &asked.sqlite);
        let mut ratios: Vec<f64> = (0..ROUNDS).map(|_| ours.measure() / sqlite.measure()).collect();
        ratios.sort_by(f64::total_cmp);
        let ratio = ratios[ROUNDS / 2];
        let figures = [
            ("per_second", ours.per_second()),
            ("cpu_us", ours.cpu_us()),
            ("sqlite_per_second", sqlite.per_second()),
            ("sqlite_cpu_us", sqlite.cpu_us()),
            ("cpu_ratio", sqlite.cpu_us() / ours.cpu_us()),
            ("ratio", ratio),
        ];
        row(&format!("{} over HTTP", asked.name), &figures);
        ratio
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.sqlite.kill();
        let _ = self.sqlite.wait();
    }
}

/// A server, and what was measured of it so far.
struct Side<'a> {
    address: &'a str,
    process: u32,
    requests: Vec<String>,
    /// The number of the next request; they repeat.
    next: usize,
    answers: usize,
    seconds: f64,
    cpu_seconds: f64,
}

impl<'a> Side<'a> {
    fn new(address: &'a str, key: &str, process: u32, targets: &[String]) -> Side<'a> {
        let mut side = Side {
            address,
            process,
            requests: targets.iter().map(|target| http::get(target, key)).collect(),
            next: 0,
            answers: 0,
            seconds: 0.0,
            cpu_seconds: 0.0,
        };
        side.measure();
        (side.answers, side.seconds, side.cpu_seconds) = (0, 0.0, 0.0);
        side
    }

    /// Measures one round; returns its answers per second.
    fn measure(&mut self) -> f64 {
        let connect = |_| Connection::open(self.address);
        let mut connections: Vec<Connection> = (0..CONNECTIONS).map(connect).collect();
        let mut requests = self.requests.iter().cycle().skip(self.next);
        let mut ask = |connection: &mut Connection| connection.ask(requests.next().expect("they repeat"));
        let cpu_before = usage(self.process).cpu_seconds;
        let (begun, mut answers, mut open) = (Instant::now(), 0, CONNECTIONS);
        connections.iter_mut().for_each(&mut ask);
        while open > 0 {
            for at in ready(&connections) {
                if !connections[at].receive() {
                    continue;
                }
                answers += 1;
                if begun.elapsed() < ROUND {
                    ask(&mut connections[at]);
                } else {
                    open -= 1;
                }
            }
        }
        let seconds = begun.elapsed().as_secs_f64();
        self.cpu_seconds += usage(self.process).cpu_seconds - cpu_before;
        self.next = (self.next + answers) % self.requests.len();
        self.answers += answers;
        self.seconds += seconds;
        answers as f64 / seconds
    }

    fn per_second(&self) -> f64 {
        self.answers as f64 / self.seconds
    }

    fn cpu_us(&self) -> f64 {
        self.cpu_seconds * 1e6 / self.answers as f64
    }
}

/// The connections whose sockets have input.
fn ready(connections: &[Connection]) -> Vec<usize> {
    let mut sockets: Vec<PollFd> = connections
        .iter()
        .map(|connection| PollFd::new(&connection.stream, PollFlags::IN))
        .collect();
    poll(&mut sockets, None).expect("waiting for answers");
    let is_ready = |at: &usize| !sockets[*at].revents().is_empty();
    (0..connections.len()).filter(is_ready).collect()
}

struct Connection {
    stream: TcpStream,
    /// The bytes of the body that have not arrived.
    left: usize,
    /// What a body is received into; nothing is written to it.
    room: Vec<u8>,
}

impl Connection {
    fn open(address: &str) -> Connection {
        let stream = TcpStream::connect(address).expect("a connection");
        stream.set_nodelay(true).expect("a socket option");
        Connection {
            stream,
            left: 0,
            room: Vec::with_capacity(1 << 20),
        }
    }

    fn ask(&mut self, request: &str) {
        self.stream.write_all(request.as_bytes()).expect("sending");
    }

    /// Receives what has arrived. Returns whether that completes an answer.
    fn receive(&mut self) -> bool {
        if self.left > 0 {
            let room = self.room.spare_capacity_mut();
            let length = room.len().min(self.left);
            let taken = SockRef::from(&self.stream).recv_with_flags(&mut room[..length], libc::MSG_TRUNC);
            self.left -= taken.ok().filter(|taken| *taken > 0).expect("the rest of a body");
            return self.left == 0;
        }
        let mut start = [0; 4096];
        let read = self.stream.read(&mut start).expect("the start of an answer");
        let end = memchr::memmem::find(&start[..read], b"\r\n\r\n").expect("a whole head at once") + 4;
        let head = std::str::from_utf8(&start[..end]).expect("a head that is a text");
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        let length = http::header(head, "content-length").and_then(|length| length.parse::<usize>().ok());
        self.left = length.expect("a length") + end - read;
        self.left == 0
    }
}

/// What a worker of the thin server has.
struct Worker {
    sqlite: Sqlite,
    statements: Vec<String>,
}

/// Runs the thin server, if the arguments say so, until it is killed.
pub fn serve_if_asked() {
    let mut arguments = std::env::args().skip_while(|argument| argument != SERVE).skip(1);
    let Some(file) = arguments.next().map(PathBuf::from) else {
        return;
    };
    let address = arguments.next().expect("an address");
    let statements: Vec<String> = arguments.collect();
    let server = HttpServer::new(move || {
        let worker = Worker {
            sqlite: Sqlite::open(&file),
            statements: statements.clone(),
        };
        App::new()
            .app_data(web::Data::new(worker))
            .default_service(web::to(answer))
    });
    // While a worker computes, its other clients are not slow.
    let server = server.client_request_timeout(Duration::ZERO).keep_alive(KeepAlive::Os);
    let server = server.tcp_nodelay(true).bind(address).expect("a free port").run();
    System::new().block_on(server).expect("serving");
}

/// Answers `/NUMBER?PARAMETERS` with the rows of that statement.
async fn answer(request: HttpRequest, worker: web::Data<Worker>) -> HttpResponse {
    let number: usize = request.path()[1..].parse().expect("the number of a statement");
    let parameters = url::form_urlencoded::parse(request.query_string().as_bytes());
    let parameters: Vec<_> = parameters.map(|(_, value)| value).collect();
    let body = worker.sqlite.json(&worker.statements[number], &parameters);
    HttpResponse::Ok().content_type("application/json").body(body)
}
