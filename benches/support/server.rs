//! The server as a process of its own, and one client of it.

use std::{
    fs,
    net::TcpStream,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use serde_json::Value;

use super::{
    BINARY,
    http::Client,
    installation::{Installation, Service},
};

/// Out of reach.
const PLANS: &str = "[MEGA]\nrequests_per_minute = 1_000_000_000\nrequests_per_day = 1_000_000_000\n";

/// A running server process. It is killed when dropped.
pub struct Server {
    pub process: Service,
    /// Host and port.
    pub address: String,
    /// A key without limits.
    pub key: String,
    installation: Installation,
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
        let folder = dir.join(format!("server-{name}"));
        let _ = fs::remove_dir_all(&folder);
        let mut installation = Installation::new(Path::new(BINARY), &folder).expect("a folder");
        let plans: PathBuf = installation.path("plans.toml");
        fs::write(&plans, PLANS).expect("writing the plans");
        installation.environment = environment.to_vec();
        let plans = ("PROCURE_PLANS".to_owned(), plans.display().to_string());
        installation.environment.push(plans);
        let key = installation.create_key("MEGA", "bench", &[]).expect("a key");
        // The log has a line for each request, as an operator's has.
        let log = [("PROCURE_LOG".to_owned(), "info".to_owned())];
        let mut process = installation.serve(0, &log).expect("a server");
        process.wait_until_up(&installation).expect("an answer");
        let address = installation.address.to_string();
        let mut server = Server {
            process,
            client: Client::with_key(&address, &key),
            key,
            address,
            installation,
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

    /// A further key without limits, which the server knows.
    pub fn further_key(&self) -> String {
        let key = self.installation.create_key("MEGA", "bench", &[]).expect("a key");
        // The server reads keys once a second.
        thread::sleep(Duration::from_secs(2));
        key
    }

    /// The body of the response to a GET request, which must have status 200.
    pub fn get(&mut self, path: &str) -> Vec<u8> {
        self.client.get(path)
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
