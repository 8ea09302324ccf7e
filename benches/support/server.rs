//! The server as a process of its own, and one client of it.

use std::{
    fs,
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use serde_json::Value;

use super::{BINARY, client::Client};

/// A running server process. It is killed when dropped.
pub struct Server {
    pub process: Child,
    /// Host and port.
    pub address: String,
    /// A key without limits.
    pub key: String,
    client: Client,
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
        wait_for(&address);
        let mut server = Server {
            process,
            client: Client::connect(&address, &key),
            key,
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
        self.client.get(path)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Waits until a server listens, at most a minute.
pub fn wait_for(address: &str) {
    let listens = (0..600).any(|_| {
        thread::sleep(Duration::from_millis(100));
        TcpStream::connect(address).is_ok()
    });
    assert!(listens, "the server does not listen within a minute");
}
