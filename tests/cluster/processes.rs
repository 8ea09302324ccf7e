//! The program under test, as an operator runs it: `procure index` and `procure serve` as processes,
//! on the embedded engine or on a cluster.

use std::{
    fs::{self, File},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;
use ureq::{Agent, http::Request};

pub const BINARY: &str = env!("CARGO_BIN_EXE_procure");

/// How long a server may take until it answers.
const START_LIMIT: Duration = Duration::from_secs(120);

/// The limits of the key that the tests use are out of their reach.
const PLANS: &str = "[PRO]\nrequests_per_minute = 10_000_000\nrequests_per_day = 1_000_000_000\n";

/// Where an installation keeps its generations.
#[derive(Clone, Debug)]
pub enum Engine {
    /// In a folder, searched by the embedded engine.
    Embedded,
    /// On a cluster with these addresses, in indexes with this prefix.
    Cluster {
        urls: Vec<String>,
        prefix: String,
        shards: u32,
        replicas: u32,
    },
}

/// One installation of the program.
pub struct Installation {
    pub folder: PathBuf,
    pub dumps: PathBuf,
    engine: Engine,
    /// Further settings of every command.
    pub environment: Vec<(&'static str, String)>,
    /// A key of the PRO plan.
    key: String,
}

/// A running server. It is killed when dropped.
pub struct Service {
    pub process: Child,
    pub address: String,
    pub log: PathBuf,
    key: String,
    agent: Agent,
}

/// A response whose body was read to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    pub status: u16,
    pub retry_after: Option<String>,
    pub body: String,
}

impl Installation {
    pub fn new(folder: PathBuf, dumps: &Path, engine: Engine) -> Installation {
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("plans.toml"), PLANS).unwrap();
        let mut installation = Installation {
            folder,
            dumps: dumps.to_owned(),
            engine,
            environment: Vec::new(),
            key: String::new(),
        };
        let created = installation.run(&["keys", "create", "--plan", "PRO", "--label", "tests"]);
        assert!(created.status.success(), "{}", error(&created));
        installation.key = String::from_utf8(created.stdout).unwrap().trim().to_owned();
        installation
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(BINARY);
        command
            .args(arguments)
            .env("PROCURE_STATE", self.folder.join("state.db"))
            .env("PROCURE_INDEX_DIR", self.folder.join("index"))
            .env("PROCURE_DUMPS", &self.dumps)
            .env("PROCURE_PLANS", self.folder.join("plans.toml"))
            .envs(self.environment.iter().cloned())
            .stdin(Stdio::null());
        if let Engine::Cluster {
            urls,
            prefix,
            shards,
            replicas,
        } = &self.engine
        {
            command
                .env("PROCURE_ENGINE", "opensearch")
                .env("PROCURE_ENGINE_URL", urls.join(","))
                .env("PROCURE_ENGINE_PREFIX", prefix)
                .env("PROCURE_ENGINE_SHARDS", shards.to_string())
                // So many shards however few records there are.
                .env("PROCURE_ENGINE_RECORDS_PER_SHARD", "1")
                .env("PROCURE_ENGINE_REPLICAS", replicas.to_string());
        }
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Indexes the dumps as the next generation, which must succeed.
    pub fn index(&self) {
        let output = self.run(&["index"]);
        assert!(output.status.success(), "{}", error(&output));
    }

    /// The generation in service, as `procure generations` marks it.
    pub fn generations(&self) -> String {
        let output = self.run(&["generations", "list"]);
        assert!(output.status.success(), "{}", error(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Starts a server. It may not be ready yet.
    pub fn start(&self) -> Service {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let address = format!("127.0.0.1:{port}");
        let log = self.folder.join("serve.log");
        let process = self
            .command(&["serve", "--bind", &address])
            .env("PROCURE_LOG", "info,request=off")
            .stdout(Stdio::null())
            .stderr(File::create(&log).unwrap())
            .spawn();
        Service {
            process: process.unwrap(),
            address: format!("http://{address}"),
            log,
            key: self.key.clone(),
            agent: Agent::config_builder().http_status_as_error(false).build().into(),
        }
    }

    /// Starts a server and waits until it answers searches.
    pub fn serve(&self) -> Service {
        let mut service = self.start();
        service.wait_until_ready();
        service
    }
}

impl Service {
    pub fn wait_until_ready(&mut self) {
        let started = Instant::now();
        loop {
            let response = self.try_get("/sources");
            if response.as_ref().is_ok_and(|response| response.status == 200) {
                return;
            }
            if let Some(status) = self.process.try_wait().unwrap() {
                panic!("the server ended with {status}: {}", self.log_text());
            }
            let log = self.log_text();
            assert!(
                started.elapsed() < START_LIMIT,
                "waited {START_LIMIT:?}: {response:?}\n{log}"
            );
            thread::sleep(Duration::from_millis(100));
        }
    }

    pub fn get(&self, path: &str) -> Response {
        self.try_get(path).unwrap_or_else(|e| panic!("{path}: {e}"))
    }

    pub fn try_get(&self, path: &str) -> Result<Response, ureq::Error> {
        let request = Request::get(format!("{}{path}", self.address)).header("x-gateway-key", &self.key);
        self.read(self.agent.run(request.body(())?)?)
    }

    pub fn post(&self, path: &str, json: &Value) -> Response {
        let request = Request::post(format!("{}{path}", self.address))
            .header("x-gateway-key", &self.key)
            .header("content-type", "application/json");
        let sent = self.agent.run(request.body(json.to_string()).unwrap());
        sent.and_then(|response| self.read(response))
            .unwrap_or_else(|e| panic!("{path}: {e}"))
    }

    fn read(&self, mut response: ureq::http::Response<ureq::Body>) -> Result<Response, ureq::Error> {
        let body = response.body_mut().with_config().limit(1 << 30).read_to_vec()?;
        let retry_after = response
            .headers()
            .get("retry-after")
            .and_then(|value| value.to_str().ok());
        Ok(Response {
            status: response.status().as_u16(),
            retry_after: retry_after.map(str::to_owned),
            body: String::from_utf8_lossy(&body).into_owned(),
        })
    }

    pub fn log_text(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Response {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.body))
    }
}

/// What a command wrote to stderr.
pub fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
