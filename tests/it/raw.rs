//! A connection spoken to byte by byte, for what no well-behaved client sends, and the real binary as a process.

use std::{
    io::{ErrorKind, Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::support::TestServer;

pub struct Raw {
    stream: TcpStream,
    /// Read and not yet used.
    buffer: Vec<u8>,
}

/// One answer, read whole.
#[derive(Debug, PartialEq)]
pub struct RawAnswer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

/// How a connection's next answer came out.
#[derive(Debug, PartialEq)]
pub enum Next {
    Answer(RawAnswer),
    /// The connection ended before its first byte.
    Closed,
    /// It was reset, or ended within an answer.
    Broken(String),
}

impl Raw {
    pub fn connect(address: &str) -> std::io::Result<Raw> {
        let stream = TcpStream::connect(address.trim_start_matches("http://"))?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        stream.set_nodelay(true)?;
        Ok(Raw {
            stream,
            buffer: Vec::new(),
        })
    }

    pub fn to(server: &TestServer) -> Raw {
        Raw::connect(&server.address).unwrap()
    }

    pub fn send(&mut self, bytes: impl AsRef<[u8]>) -> &mut Raw {
        // A server that has said its last word need not be listened to.
        let _ = self.stream.write_all(bytes.as_ref());
        self
    }

    pub fn half_close(&mut self) -> &mut Raw {
        let _ = self.stream.shutdown(Shutdown::Write);
        self
    }

    /// Whether the server closed the connection while nothing was asked.
    pub fn is_closed(&self) -> bool {
        self.stream.set_nonblocking(true).unwrap();
        let peeked = self.stream.peek(&mut [0]);
        self.stream.set_nonblocking(false).unwrap();
        !matches!(peeked, Err(error) if error.kind() == ErrorKind::WouldBlock)
    }

    #[track_caller]
    pub fn answer(&mut self) -> RawAnswer {
        match self.next(false) {
            Next::Answer(answer) => answer,
            other => panic!("{other:?}"),
        }
    }

    /// The next answer; one to a HEAD has no body whatever its length says.
    pub fn next(&mut self, is_head: bool) -> Next {
        loop {
            if let Some(answer) = self.parse(is_head) {
                return Next::Answer(answer);
            }
            let mut bytes = [0; 64 << 10];
            match self.stream.read(&mut bytes) {
                Ok(0) if self.buffer.is_empty() => return Next::Closed,
                Ok(0) => return Next::Broken(format!("ended after {} bytes", self.buffer.len())),
                Ok(length) => self.buffer.extend_from_slice(&bytes[..length]),
                Err(error) => return Next::Broken(error.to_string()),
            }
        }
    }

    fn parse(&mut self, is_head: bool) -> Option<RawAnswer> {
        let end = self.buffer.windows(4).position(|bytes| bytes == b"\r\n\r\n")? + 4;
        let head = String::from_utf8(self.buffer[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let length = match is_head || status < 200 || status == 204 || status == 304 {
            true => 0,
            false => header(&head, "content-length").unwrap().parse().unwrap(),
        };
        let body = self.buffer.get(end..end + length)?.to_vec();
        self.buffer.drain(..end + length);
        let body = String::from_utf8(body).unwrap();
        Some(RawAnswer { status, head, body })
    }
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines()
        .filter_map(|line| line.split_once(": "))
        .find(|(found, _)| found.eq_ignore_ascii_case(name))
        .map(|(_, value)| value)
}

impl RawAnswer {
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.head, name)
    }

    #[track_caller]
    pub fn detail(&self) -> String {
        let json: serde_json::Value = serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {self:?}"));
        assert_eq!(self.header("content-type"), Some("application/json"), "{self:?}");
        json["detail"].as_str().unwrap().to_owned()
    }
}

/// `procure serve` as a process of its own, over the index of a [`TestServer`]; killed when dropped.
pub struct Process {
    pub child: Child,
    pub address: String,
}

impl Process {
    pub fn serve(server: &TestServer) -> Process {
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let address = free.to_string();
        let child = Command::new(env!("CARGO_BIN_EXE_procure"))
            .args(["serve", "--bind", &address, "--index-dir"])
            .arg(server.index_dir())
            .arg("--state")
            .arg(server.folder.path().join("state.db"))
            .arg("--plans")
            .arg(server.folder.path().join("unlimited.toml"))
            // Nobody reads the log before the end, so that more than a few lines would be lost.
            .env("PROCURE_LOG", "info,request=off")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let process = Process { child, address };
        // Both have read the index by then, and the process listens to signals.
        server.wait_for("the servers", || {
            let is_up = |address: &str| {
                let raw = Raw::connect(address);
                raw.is_ok_and(|mut raw| matches!(raw.send("GET /health HTTP/1.0\r\n\r\n").next(false), Next::Answer(_)))
            };
            is_up(&server.address) && is_up(&process.address)
        });
        process
    }

    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }

    /// Waits for the end: its exit code and what was logged.
    pub fn end(mut self) -> (Option<i32>, String) {
        let mut log = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        (self.child.wait().unwrap().code(), log)
    }

    /// The memory that is the process's own, in KiB: without the pages of the index's files.
    pub fn memory_kib(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("RssAnon:"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until it is so, for a while.
pub fn wait_until(what: &str, patience: Duration, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < patience, "{what}: not within {patience:?}");
        thread::sleep(Duration::from_millis(10));
    }
}
