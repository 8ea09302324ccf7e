//! The program under test as an operator runs it: its folder, its commands, and the server as a process of its own.

use std::{
    fs::{self, File},
    net::{SocketAddr, TcpListener},
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};
use serde_json::Value;

use super::http::{Client, Request};

/// How long a server may take from its start to its first answer.
pub const START_LIMIT: Duration = Duration::from_secs(30);

/// One installation: a binary, its files, and two addresses.
#[derive(Clone, Debug)]
pub struct Installation {
    pub binary: PathBuf,
    /// The dumps and the logs.
    pub folder: PathBuf,
    /// The index and the state database, possibly on a file system of their own.
    pub data: PathBuf,
    pub address: SocketAddr,
    pub admin: SocketAddr,
    /// Variables of every command and server, such as the mail settings.
    pub environment: Vec<(String, String)>,
}

/// A running server. It is killed when dropped.
pub struct Service {
    child: Child,
    /// What it writes to stderr.
    pub log: PathBuf,
}

impl Installation {
    /// An installation in this folder, on free ports.
    pub fn new(binary: &Path, folder: &Path) -> anyhow::Result<Installation> {
        fs::create_dir_all(folder.join("data"))?;
        // Both are bound at the same time, so that they differ.
        let listeners = [TcpListener::bind("127.0.0.1:0")?, TcpListener::bind("127.0.0.1:0")?];
        Ok(Installation {
            binary: binary.to_owned(),
            folder: folder.to_owned(),
            data: folder.join("data"),
            address: listeners[0].local_addr()?,
            admin: listeners[1].local_addr()?,
            environment: Vec::new(),
        })
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub fn index_dir(&self) -> PathBuf {
        self.data.join("index")
    }

    /// A command of the program, with this installation's index and state database.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command
            .args(arguments)
            .env("PROCURE_INDEX_DIR", self.index_dir())
            .env("PROCURE_STATE", self.data.join("state.db"))
            .env("PROCURE_DUMPS", self.path("dumps"))
            .envs(self.environment.iter().cloned())
            .stdin(Stdio::null());
        command
    }

    /// The standard output of a command. An error has what it wrote to stderr.
    pub fn run(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let output = self.command(arguments).output();
        let output = output.with_context(|| format!("starting {}", self.binary.display()))?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{arguments:?}: {}: {errors}", output.status);
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Whether a command of the binary has an option.
    pub fn has_option(&self, command: &[&str], option: &str) -> bool {
        let help = self.run(&[command, &["--help"]].concat());
        help.is_ok_and(|help| help.contains(option))
    }

    pub fn create_key(&self, plan: &str, label: &str, more: &[&str]) -> anyhow::Result<String> {
        let create = ["keys", "create", "--plan", plan, "--label", label];
        let key = self.run(&[&create, more].concat())?;
        Ok(key.trim().to_owned())
    }

    /// The generation that is published, if any.
    pub fn current(&self) -> Option<String> {
        let id = fs::read_to_string(self.index_dir().join("CURRENT")).ok()?;
        Some(id.trim().to_owned())
    }

    /// Starts a server. `life` numbers its log file.
    pub fn serve(&self, life: u64, environment: &[(String, String)]) -> anyhow::Result<Service> {
        let log = self.path(&format!("serve-{life}.log"));
        let start = || -> std::io::Result<Child> {
            self.command(&["serve"])
                .env("PROCURE_BIND", self.address.to_string())
                .env("PROCURE_ADMIN_BIND", self.admin.to_string())
                .env("PROCURE_LOG", "info,request=off")
                .envs(environment.iter().cloned())
                .stdout(Stdio::null())
                .stderr(File::create(&log)?)
                .spawn()
        };
        // The file may be replaced by a newer binary at this moment.
        let child = (0..20).find_map(|attempt| {
            thread::sleep(Duration::from_millis(100 * u64::from(attempt > 0)));
            start().ok()
        });
        let child = child.with_context(|| format!("{} cannot be started", self.binary.display()))?;
        Ok(Service { child, log })
    }

    /// The body of a keyless page, such as `/health`, at the public address.
    pub fn health(&self) -> Option<Value> {
        let answer = Client::new(self.address)
            .send(&Request::keyless("GET", "/health"))
            .ok()?;
        (answer.status == 200).then(|| answer.json())?
    }
}

impl Service {
    /// Waits until the server answers `/health`.
    pub fn wait_until_up(&mut self, installation: &Installation) -> anyhow::Result<Value> {
        let started = Instant::now();
        loop {
            if let Some(health) = installation.health() {
                return Ok(health);
            }
            if let Some(status) = self.child.try_wait()? {
                bail!("the server ended with {status} at its start: {}", self.log_tail());
            }
            ensure!(
                started.elapsed() < START_LIMIT,
                "no answer within {START_LIMIT:?} of the start"
            );
            thread::sleep(Duration::from_millis(20));
        }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// `kill -9`.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// SIGTERM, as an operator stops it.
    pub fn terminate(&mut self) -> anyhow::Result<ExitStatus> {
        let sent = Command::new("kill").args(["-TERM", &self.id().to_string()]).status()?;
        ensure!(sent.success(), "sending SIGTERM to the server");
        self.wait(Duration::from_secs(60))?
            .context("the server did not stop within a minute of SIGTERM")
    }

    /// The exit status, if the process ends within this time.
    pub fn wait(&mut self, limit: Duration) -> anyhow::Result<Option<ExitStatus>> {
        let started = Instant::now();
        loop {
            match self.child.try_wait()? {
                None if started.elapsed() < limit => thread::sleep(Duration::from_millis(20)),
                ended => return Ok(ended),
            }
        }
    }

    pub fn log_text(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.log).unwrap_or_default()).into_owned()
    }

    pub fn log_tail(&self) -> String {
        let text = self.log_text();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(5)..].join(" | ")
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Anonymous memory of a process in MiB: what is not page cache. `None` if the process has ended.
pub fn anonymous_mebibytes(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    let kibibytes: u64 = line.trim().split(' ').next()?.parse().ok()?;
    Some(kibibytes / 1024)
}

/// Open files and sockets of a process.
pub fn open_files(process: u32) -> Option<usize> {
    Some(fs::read_dir(format!("/proc/{process}/fd")).ok()?.count())
}

/// Whether a process was ended by this signal.
pub fn ended_by(status: ExitStatus, signal: i32) -> bool {
    status.signal() == Some(signal)
}
