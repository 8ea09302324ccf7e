//! The real server on a free port. Tests reach it over HTTP only.
//!
//! Tests that only read use [`TestServer::shared`]. A test that publishes, revokes a key or changes
//! the configuration starts a server of its own with [`TestServer::own`].

use std::{
    collections::BTreeMap,
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
    sync::LazyLock,
    thread::{self, JoinHandle},
    time::Duration,
};

use chrono::{DateTime, Utc};
use procure::{
    catalog::generation::{self, Generation},
    model::{entity_type::EntityType, plans::Plan},
    normalize::{self, NormalizeOptions},
    server::{self, Config},
    state::database::StateDb,
};
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::oneshot;
use ureq::{Agent, http::Request};

use crate::{folder::folder, free_address::free_address, http::RawConnection, model::write_dumps, stores, waiting};

pub struct TestServer {
    pub address: String,
    /// An API key of the PRO plan.
    pub key: String,
    pub folder: TempDir,
    agent: Agent,
    running: Option<(oneshot::Sender<()>, JoinHandle<anyhow::Result<()>>)>,
}

/// A response whose body was read to its end.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub body: Vec<u8>,
    headers: ureq::http::HeaderMap,
}

impl TestServer {
    /// The server of the scenarios' records. It is never stopped.
    pub fn shared() -> &'static TestServer {
        static SHARED: LazyLock<TestServer> = LazyLock::new(|| TestServer::own(&scenario_records(), |_| {}));
        &SHARED
    }

    /// Starts a server of these records. `change` adjusts its configuration.
    pub fn own(records: &[(EntityType, String)], change: impl FnOnce(&mut Config)) -> TestServer {
        TestServer::after(change, |server| {
            server.publish(records);
        })
    }

    /// Starts a server of these dumps, whose sources stay apart.
    pub fn of_dumps(dumps: &Path) -> TestServer {
        TestServer::after(
            |_| {},
            |server| {
                stores::index(dumps, &server.index_dir(), 64, true);
            },
        )
    }

    fn after(change: impl FnOnce(&mut Config), publish: impl FnOnce(&TestServer)) -> TestServer {
        let folder = folder();
        let mut config = config(folder.path().to_owned());
        // Hundreds of tests share one server and its key, so the plan's limits are out of reach.
        let plans = folder.path().join("unlimited.toml");
        fs::write(
            &plans,
            "[PRO]\nrequests_per_minute = 10_000_000\nrequests_per_day = 1_000_000_000\n",
        )
        .unwrap();
        config.plans = Some(plans);
        change(&mut config);
        let key = StateDb::open(&config.state).unwrap();
        // Trusted, so that its subscriptions need no confirmation by mail.
        let key = key.create_trusted_key(Plan::Pro, "tests", Utc::now(), None);
        let key = key.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut server = TestServer {
            address: format!("http://{}", listener.local_addr().unwrap()),
            key,
            folder,
            agent: Agent::config_builder().http_status_as_error(false).build().into(),
            running: None,
        };
        publish(&server);
        server.run(config, listener);
        server
    }

    /// Stops the server and starts another one on the same folder.
    pub fn restart(mut self, change: impl FnOnce(&mut Config)) -> TestServer {
        self.stop();
        let mut config = config(self.folder.path().to_owned());
        change(&mut config);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        self.address = format!("http://{}", listener.local_addr().unwrap());
        self.run(config, listener);
        self
    }

    fn run(&mut self, config: Config, listener: TcpListener) {
        let (stop, stopped) = oneshot::channel();
        let stopped = async move {
            let _ = stopped.await;
        };
        let thread = thread::spawn(move || server::run(&config, listener, stopped));
        self.running = Some((stop, thread));
    }

    /// Stops the server. Its folder stays.
    pub fn stop(&mut self) {
        if let Some((stop, thread)) = self.running.take() {
            let _ = stop.send(());
            thread.join().unwrap().unwrap();
        }
    }

    /// Indexes these records as the server's next generation. Returns the generation's id.
    pub fn publish(&self, records: &[(EntityType, String)]) -> String {
        let dumps = self.folder.path().join("dumps");
        let _ = fs::remove_dir_all(&dumps);
        write_dumps(&dumps, records);
        stores::index(&dumps, &self.index_dir(), 64, true)
    }

    /// The same with a dump of bids of these lines.
    pub fn publish_with_bids(&self, records: &[(EntityType, String)], bids: &[Value]) -> String {
        let dumps = self.folder.path().join("dumps");
        let _ = fs::remove_dir_all(&dumps);
        write_dumps(&dumps, records);
        let lines: String = bids.iter().map(|notice| format!("{notice}\n")).collect();
        fs::create_dir_all(dumps.join("bids")).unwrap();
        fs::write(dumps.join("bids/model.ndjson"), lines).unwrap();
        stores::index(&dumps, &self.index_dir(), 64, true)
    }

    pub fn index_dir(&self) -> PathBuf {
        self.folder.path().join("index")
    }

    pub fn state(&self) -> StateDb {
        StateDb::open(&self.folder.path().join("state.db")).unwrap()
    }

    /// Sends a GET request with the server's own key.
    pub fn get(&self, path: &str) -> Response {
        self.request("GET", path, &[("x-gateway-key", &self.key)])
    }

    /// The JSON of a GET request that succeeds.
    #[track_caller]
    pub fn json(&self, path: &str) -> Value {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.detail());
        answer.json()
    }

    /// The text of the response to a GET request, which must have this status.
    #[track_caller]
    pub fn html(&self, path: &str, status: u16) -> String {
        let answer = self.get(path);
        assert_eq!(answer.status, status, "{path}: {}", answer.text());
        answer.text()
    }

    /// Checks that a GET request is refused with this status and text.
    #[track_caller]
    pub fn refuses(&self, path: &str, status: u16, detail: &str) {
        let answer = self.get(path);
        assert_eq!((answer.status, answer.detail().as_str()), (status, detail), "{path}");
    }

    /// A new API key without trust, once the server knows it.
    pub fn new_key(&self, plan: Plan, label: &str) -> String {
        let key = self.state().create_key(plan, label, Utc::now(), None).unwrap();
        self.wait_until("the new key", || {
            self.request("HEAD", "/sources", &[("x-gateway-key", &key)]).status == 200
        });
        key
    }

    /// The generation that is served.
    pub fn generation(&self) -> Generation {
        let id = generation::current(&self.index_dir()).unwrap().unwrap();
        generation::open(&self.index_dir(), &id).unwrap()
    }

    /// Sends a request with these headers and no others.
    pub fn request(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Response {
        self.run_request(method, path, headers, ())
    }

    /// Sends a POST request of JSON with the server's own key.
    pub fn post(&self, path: &str, json: &Value) -> Response {
        let headers = [
            ("x-gateway-key", self.key.as_str()),
            ("content-type", "application/json"),
        ];
        self.send("POST", path, &headers, json.to_string())
    }

    /// Sends a request with these headers and a body.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: String) -> Response {
        self.run_request(method, path, headers, body)
    }

    fn run_request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: impl ureq::AsSendBody) -> Response {
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.address));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut response = self.agent.run(request.body(body).unwrap()).unwrap();
        Response {
            status: response.status().as_u16(),
            body: response.body_mut().with_config().limit(1 << 30).read_to_vec().unwrap(),
            headers: response.headers().clone(),
        }
    }

    /// Checks the condition again and again until it holds. Panics if it never does.
    #[track_caller]
    pub fn wait_until(&self, what: &str, condition: impl FnMut() -> bool) {
        waiting::wait_until(what, condition);
    }
}

impl RawConnection {
    pub fn to(server: &TestServer) -> RawConnection {
        RawConnection::connect(&server.address).unwrap()
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Response {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&self.body)))
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub fn detail(&self) -> String {
        self.json()["detail"].as_str().unwrap_or_default().to_owned()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The `record_id`s of a page, in order.
    pub fn ids(&self) -> Vec<String> {
        let json = self.json();
        let results = json["results"].as_array().unwrap_or_else(|| panic!("{json}"));
        let id = |record: &Value| record["record_id"].as_str().unwrap().to_owned();
        results.iter().map(id).collect()
    }
}

/// An address that nothing listens on.
pub fn free() -> String {
    free_address().to_string()
}

pub fn config(folder: PathBuf) -> Config {
    let mut config = Config {
        store: stores::store(&folder.join("index")),
        // Tests run next to each other, and some machines are slow.
        query_timeout: Duration::from_secs(60),
        ..Config::new(folder.join("index"), folder.join("state.db"))
    };
    // One process holds many servers.
    config.limits.memory_bytes = i64::MAX;
    config
}

/// The records that the scenarios in `tests/scenarios` search.
pub fn scenario_records() -> Vec<(EntityType, String)> {
    let by_type: BTreeMap<String, Vec<Value>> =
        serde_json::from_str(include_str!("../scenarios/records.json")).unwrap();
    let mut records = Vec::new();
    for (name, of_type) in by_type {
        let entity_type = EntityType::parse(&name).unwrap();
        records.extend(of_type.iter().map(|record| (entity_type, record.to_string())));
    }
    records
}

/// The records in `data/sample`.
pub fn sample_records() -> Vec<(EntityType, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/sample");
    let mut records = Vec::new();
    for entity_type in EntityType::ALL {
        for file in fs::read_dir(folder.join(entity_type.name())).unwrap() {
            let text = fs::read_to_string(file.unwrap().path()).unwrap();
            records.extend(text.lines().map(|line| (entity_type, line.to_owned())));
        }
    }
    records
}

/// An object with the members of another one added or replaced.
pub fn merged(mut object: Value, members: &Value) -> Value {
    let members = members.as_object().unwrap().clone();
    object.as_object_mut().unwrap().extend(members);
    object
}

/// A folder with dumps of the real records, which all tests share; `None` without them.
pub fn real_dumps() -> Option<&'static Path> {
    static DUMPS: LazyLock<Option<(TempDir, PathBuf)>> = LazyLock::new(|| {
        let folder = folder();
        let dumps = real_dumps_of(folder.path(), &["raw"])?;
        Some((folder, dumps))
    });
    DUMPS.as_ref().map(|(_, dumps)| dumps.as_path())
}

/// The same of some parts of the real files.
pub fn real_dumps_of(folder: &Path, parts: &[&str]) -> Option<PathBuf> {
    let Ok(real) = std::env::var("PROCURE_REAL_DATA") else {
        eprintln!("skipped: PROCURE_REAL_DATA is not set to a folder of real files");
        return None;
    };
    let dumps = folder.join("dumps");
    let options = NormalizeOptions {
        inputs: parts.iter().map(|part| Path::new(&real).join(part)).collect(),
        out: dumps.clone(),
        commodities: None,
        report: None,
        strict: false,
    };
    normalize::run(&options).unwrap();
    Some(dumps)
}

/// A generation of the normalized real records, which all tests share; `None` without them.
pub fn real_generation() -> Option<&'static Generation> {
    static REAL: LazyLock<Option<(TempDir, Generation)>> = LazyLock::new(|| {
        let folder = folder();
        let (dumps, index_dir) = (real_dumps()?, folder.path().join("index"));
        let id = stores::index(dumps, &index_dir, 64, true);
        Some((folder, stores::store(&index_dir).open(&id).unwrap()))
    });
    REAL.as_ref().map(|(_, generation)| generation)
}

/// Noon in Toronto, on 2026-03-10.
pub fn noon() -> DateTime<Utc> {
    "2026-03-10T16:00:00Z".parse().unwrap()
}

/// Numbers that look random and are the same in every run.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    pub fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// `count` contracts, three a day. Every fiftieth has no date.
pub fn contracts(count: usize) -> Vec<(EntityType, String)> {
    let contract = |number: usize| {
        let day = if number.is_multiple_of(50) {
            "null".to_owned()
        } else {
            format!("\"2024-{:02}-{:02}\"", number / 84 % 12 + 1, number / 3 % 28 + 1)
        };
        let json = format!(
            r#"{{"record_id":"c|{number}","award_date":{day},"vendor_name":"Vendor {}","municipality":"laval","contract_value":{number},"fetched_at":"2024-06-01T00:00:00Z"}}"#,
            number % 7
        );
        (EntityType::Contract, json)
    };
    (0..count).map(contract).collect()
}
