//! A real OpenSearch cluster on this machine: one process a node, so that a node can be killed, or
//! stopped as if its machine had stalled.

use std::{
    fs,
    io::{self, Write},
    net::TcpListener,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{self, Child, Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use ureq::Agent;

use crate::runner::{self, Runner};

/// How long a cluster may take until all its nodes have joined. Three JVMs start on two cores, next
/// to other work.
const START_LIMIT: Duration = Duration::from_secs(400);

/// Runs a node until this process ends, however it ends: then the system closes the shell's standard
/// input. A stopped node is killed too. The first argument receives the node's process id.
const KEEPER: &str = r#"
pid_file=$1; shift
"$@" </dev/null &
node=$!
echo $node >"$pid_file"
cat >/dev/null
kill -KILL $node 2>/dev/null
"#;

/// Removes the folder of a cluster when this process has ended.
const CLEANER: &str = r#"cat >/dev/null; sleep 1; rm -rf "$1""#;

pub struct Cluster {
    runner: Runner,
    name: String,
    folder: PathBuf,
    options: Options,
    nodes: Vec<Node>,
    agent: Agent,
    cleaner: Child,
}

/// What distinguishes one test cluster from another.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub nodes: usize,
    pub heap_mb: usize,
    /// Whether the JVMs compile for a short life: a cluster of tests starts sooner and searches slower.
    pub is_short_lived: bool,
}

struct Node {
    http_port: u16,
    transport_port: u16,
    /// The shell that runs the node, while it runs.
    keeper: Option<Child>,
}

impl Cluster {
    /// Starts a cluster and waits until all nodes have joined. `None`, and a line that says why, if
    /// this machine lacks what it needs.
    pub fn start(options: Options) -> Option<Cluster> {
        let runner = match Runner::prepare() {
            Ok(runner) => runner,
            Err(missing) => {
                // Not by a macro: the output of a test that passes is not shown.
                let _ = writeln!(
                    io::stderr(),
                    "SKIPPED: no OpenSearch cluster can be started here: {missing}"
                );
                return None;
            }
        };
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let name = format!("procure-{}-{number}", process::id());
        let folder = runner::folder().join(&name);
        fs::create_dir_all(&folder).unwrap();
        let cleaner = keep(Command::new("sh").args(["-c", CLEANER, "sh"]).arg(&folder));
        let mut cluster = Cluster {
            runner,
            name,
            folder,
            options,
            nodes: free_ports(options.nodes),
            agent: Agent::config_builder()
                .http_status_as_error(false)
                .timeout_global(Some(Duration::from_secs(60)))
                .build()
                .into(),
            cleaner,
        };
        for number in 0..options.nodes {
            cluster.run_node(number);
        }
        cluster.wait_for_nodes(options.nodes);
        Some(cluster)
    }

    /// The addresses of all nodes.
    pub fn urls(&self) -> Vec<String> {
        (0..self.nodes.len()).map(|number| self.url(number)).collect()
    }

    pub fn url(&self, number: usize) -> String {
        format!("http://127.0.0.1:{}", self.nodes[number].http_port)
    }

    /// The answer of one node, and its status.
    pub fn call(&self, number: usize, method: &str, path: &str, body: &Value) -> Result<(u16, Value), ureq::Error> {
        let request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.url(number)))
            .header("content-type", "application/json");
        let mut response = if body.is_null() {
            self.agent.run(request.body(())?)?
        } else {
            self.agent.run(request.body(body.to_string())?)?
        };
        let text = response.body_mut().with_config().limit(1 << 28).read_to_vec()?;
        let json = serde_json::from_slice(&text).unwrap_or(Value::Null);
        Ok((response.status().as_u16(), json))
    }

    /// The answer of the first node to a call that must succeed.
    pub fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let (status, answer) = self.call(0, method, path, body).unwrap();
        assert!(status < 300, "{method} {path}: {status} {answer}");
        answer
    }

    /// The names of the indexes whose name begins like this, in order.
    pub fn indexes(&self, prefix: &str) -> Vec<String> {
        let path = format!("/_cat/indices/{prefix}*?format=json&h=index&s=index&expand_wildcards=all");
        let answer = self.ask("GET", &path, &Value::Null);
        let name = |row: &Value| row["index"].as_str().unwrap().to_owned();
        answer.as_array().unwrap().iter().map(name).collect()
    }

    /// Kills a node. It does not come back before [`Cluster::run_node`].
    pub fn kill(&mut self, number: usize) {
        if let Some(mut keeper) = self.nodes[number].keeper.take() {
            drop(keeper.stdin.take());
            let status = keeper.wait().unwrap();
            // Another program has killed the shell, so the node is killed here.
            if status.code().is_none() {
                let _ = kill_process(self.pid(number), Signal::KILL);
            }
        }
    }

    /// Starts a node: for the first time, or again with the data that it had.
    pub fn run_node(&mut self, number: usize) {
        let mut settings = self.settings(number);
        let log = fs::File::options()
            .create(true)
            .append(true)
            .open(self.log(number))
            .unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", KEEPER, "sh"]).arg(self.pid_file(number));
        command.arg(&self.runner.java);
        let heap = self.options.heap_mb;
        command.args([format!("-Xms{heap}m"), format!("-Xmx{heap}m")]);
        if self.options.is_short_lived {
            command.args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]);
            // This collector waits until the heap is full, which would count as overload.
            settings.push("indices.breaker.total.use_real_memory=false".to_owned());
        }
        command.args(["-Xshare:auto", "-cp", &self.runner.class_path, "ClusterNode"]);
        command.arg(self.folder.join(format!("node-{number}"))).args(settings);
        command.stdout(log.try_clone().unwrap()).stderr(log);
        self.nodes[number].keeper = Some(keep(&mut command));
    }

    fn settings(&self, number: usize) -> Vec<String> {
        let names: Vec<String> = (0..self.nodes.len()).map(|number| format!("n{number}")).collect();
        let seeds: Vec<String> = self
            .nodes
            .iter()
            .map(|node| format!("127.0.0.1:{}", node.transport_port))
            .collect();
        let node = &self.nodes[number];
        let mut settings = vec![
            format!("cluster.name={}", self.name),
            format!("node.name=n{number}"),
            "network.host=127.0.0.1".to_owned(),
            format!("http.port={}", node.http_port),
            format!("transport.port={}", node.transport_port),
            "discovery.type=zen".to_owned(),
            format!("discovery.seed_hosts={}", seeds.join(",")),
            format!("cluster.initial_cluster_manager_nodes={}", names.join(",")),
            // A stalled node is noticed within seconds instead of half a minute, so that tests end.
            "cluster.info.update.interval=10s".to_owned(),
            // Percentages of a shared disk would depend on other programs.
            "cluster.routing.allocation.disk.watermark.low=3gb".to_owned(),
            "cluster.routing.allocation.disk.watermark.high=2gb".to_owned(),
            "cluster.routing.allocation.disk.watermark.flood_stage=1gb".to_owned(),
        ];
        for check in ["follower_check", "leader_check"] {
            settings.push(format!("cluster.fault_detection.{check}.timeout=3s"));
            settings.push(format!("cluster.fault_detection.{check}.retry_count=2"));
        }
        settings
    }

    /// Stops the process of a node as if its machine had stalled: connections stay open, nothing
    /// answers.
    pub fn stall(&self, number: usize) {
        self.signal(number, Signal::STOP);
    }

    /// Ends the stall.
    pub fn resume(&self, number: usize) {
        self.signal(number, Signal::CONT);
    }

    fn signal(&self, number: usize, signal: Signal) {
        kill_process(self.pid(number), signal).unwrap();
    }

    /// The process of a node.
    pub fn pid(&self, number: usize) -> Pid {
        let text = fs::read_to_string(self.pid_file(number)).unwrap();
        Pid::from_raw(text.trim().parse().unwrap()).unwrap()
    }

    /// The bytes that a node has on disk.
    pub fn data_folder(&self, number: usize) -> PathBuf {
        self.folder.join(format!("node-{number}")).join("node_1/data")
    }

    /// Waits until this many nodes are in the cluster and no shard of any index is missing.
    pub fn wait_until_green(&self, through: usize, limit: Duration) {
        self.wait_until(through, limit, "all shards", |health| health["status"] == "green");
    }

    fn wait_for_nodes(&self, count: usize) {
        self.wait_until(0, START_LIMIT, "all nodes", |health| health["number_of_nodes"] == count);
    }

    fn wait_until(&self, through: usize, limit: Duration, what: &str, holds: impl Fn(&Value) -> bool) {
        let started = Instant::now();
        loop {
            let health = self.call(through, "GET", "/_cluster/health", &Value::Null);
            if matches!(&health, Ok((200, health)) if holds(health)) {
                return;
            }
            let log = log_tail(&self.log(through));
            assert!(
                started.elapsed() < limit,
                "waited {limit:?} for {what}: {health:?}\n{log}"
            );
            thread::sleep(Duration::from_millis(200));
        }
    }

    fn pid_file(&self, number: usize) -> PathBuf {
        self.folder.join(format!("node-{number}.pid"))
    }

    fn log(&self, number: usize) -> PathBuf {
        self.folder.join(format!("node-{number}.log"))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for number in 0..self.nodes.len() {
            self.kill(number);
        }
        drop(self.cleaner.stdin.take());
        let _ = self.cleaner.wait();
    }
}

/// Starts a shell that waits for the end of its standard input, in a process group of its own: an
/// interrupt from the keyboard must not end it before it has done its work.
fn keep(command: &mut Command) -> Child {
    command.stdin(Stdio::piped()).process_group(0).spawn().unwrap()
}

/// Ports that are free now. All are bound at the same time, so that they differ.
fn free_ports(nodes: usize) -> Vec<Node> {
    let bind = |_| TcpListener::bind("127.0.0.1:0").unwrap();
    let listeners: Vec<TcpListener> = (0..2 * nodes).map(bind).collect();
    let port = |listener: &TcpListener| listener.local_addr().unwrap().port();
    let node = |pair: &[TcpListener]| Node {
        http_port: port(&pair[0]),
        transport_port: port(&pair[1]),
        keeper: None,
    };
    listeners.chunks(2).map(node).collect()
}

fn log_tail(path: &Path) -> String {
    let text = fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(15)..].join("\n")
}
