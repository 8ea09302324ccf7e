//! The server as a process of its own, and one keep-alive connection to it.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{BINARY, load::MAX_IDLE};

/// A running server process. It is killed when dropped.
pub struct Server {
    pub process: Child,
    /// Host and port.
    pub address: String,
    /// A key without limits.
    pub key: String,
    connection: BufReader<TcpStream>,
    /// When the last response ended.
    idle_since: Instant,
    /// Number of records served.
    pub records: u64,
}

impl Server {
    /// Starts a server of this index and waits until it responds. `name` distinguishes its files in
    /// `dir`.
    pub fn start(index_dir: &Path, dir: &Path, name: &str) -> Server {
        let index_dir = index_dir.display().to_string();
        Server::start_with(&[("PROCURE_INDEX_DIR".to_owned(), index_dir)], dir, name)
    }

    /// Starts a server whose index the environment names.
    pub fn start_with(environment: &[(String, String)], dir: &Path, name: &str) -> Server {
        let state = dir.join(format!("{name}.db"));
        let _ = fs::remove_file(&state);
        let created = Command::new(BINARY)
            .args(["keys", "create", "--plan", "MEGA", "--label", "bench", "--state"])
            .arg(&state)
            .output()
            .expect("creating a key");
        let key = String::from_utf8(created.stdout).expect("a key").trim().to_owned();
        let plans = dir.join(format!("{name}.toml"));
        fs::write(
            &plans,
            "[MEGA]\nrequests_per_minute = 1_000_000_000\nrequests_per_day = 1_000_000_000\n",
        )
        .expect("writing the plans");
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|l| l.local_addr())
            .expect("a free port")
            .port();
        let address = format!("127.0.0.1:{port}");
        let process = Command::new(BINARY)
            .args(["serve", "--bind", &address, "--state"])
            .arg(&state)
            .arg("--plans")
            .arg(&plans)
            .envs(environment.iter().cloned())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("starting the server");
        let mut server = Server {
            process,
            key,
            connection: connect(&address),
            idle_since: Instant::now(),
            address,
            records: 0,
        };
        let sources: Value = serde_json::from_slice(&server.get("/sources")).expect("sources");
        let counts = sources["sources"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|s| s["records"].as_u64());
        server.records = counts.sum();
        server
    }

    /// The body of the response to a GET request, which must have status 200.
    pub fn get(&mut self, path: &str) -> Vec<u8> {
        if self.idle_since.elapsed() > MAX_IDLE {
            self.connection = connect(&self.address);
        }
        let key = format!("x-gateway-key: {}\r\n", self.key);
        let body = get(&mut self.connection, path, &key);
        self.idle_since = Instant::now();
        body
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Connects to a server, which must listen within a minute.
pub fn connect(address: &str) -> BufReader<TcpStream> {
    let connection = (0..600).find_map(|_| {
        thread::sleep(Duration::from_millis(100));
        TcpStream::connect(address).ok()
    });
    let connection = connection.expect("the server listens within a minute");
    connection.set_nodelay(true).expect("a socket option");
    BufReader::with_capacity(1 << 20, connection)
}

/// Sends a GET request and returns the response's body. The status must be 200.
pub fn get(connection: &mut BufReader<TcpStream>, path: &str, headers: &str) -> Vec<u8> {
    let request = format!("GET {path} HTTP/1.1\r\nhost: bench\r\n{headers}\r\n");
    connection
        .get_mut()
        .write_all(request.as_bytes())
        .expect("sending a request");
    let (mut length, mut line, mut status) = (0, String::new(), String::new());
    loop {
        line.clear();
        let bytes = connection.read_line(&mut line).expect("a header");
        assert!(bytes > 0, "the server closed the connection");
        if status.is_empty() {
            status.clone_from(&line);
        }
        if line == "\r\n" {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body).expect("a body");
    assert!(
        status.contains(" 200 "),
        "{path}: {status}{}",
        String::from_utf8_lossy(&body)
    );
    body
}
