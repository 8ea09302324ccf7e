//! A connection that sends arbitrary bytes, as no well-behaved client does, and the real program as
//! a process.

use std::{
    io::{ErrorKind, Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::support::TestServer;

pub struct RawConnection {
    stream: TcpStream,
    /// Input that is not parsed yet.
    buffer: Vec<u8>,
}

/// One complete response.
#[derive(Debug, PartialEq)]
pub struct RawResponse {
    pub status: u16,
    pub head: String,
    pub body: String,
}

/// What a connection yielded next.
#[derive(Debug, PartialEq)]
pub enum Next {
    Response(RawResponse),
    /// The connection was closed between two responses.
    Closed,
    /// The connection was reset, or closed within a response.
    Broken(String),
}

impl RawConnection {
    pub fn connect(address: &str) -> std::io::Result<RawConnection> {
        let stream = TcpStream::connect(address.trim_start_matches("http://"))?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        stream.set_nodelay(true)?;
        Ok(RawConnection {
            stream,
            buffer: Vec::new(),
        })
    }

    pub fn to(server: &TestServer) -> RawConnection {
        RawConnection::connect(&server.address).unwrap()
    }

    pub fn send(&mut self, bytes: impl AsRef<[u8]>) -> &mut RawConnection {
        // Fails if the server has closed the connection, which the next read reports.
        let _ = self.stream.write_all(bytes.as_ref());
        self
    }

    pub fn half_close(&mut self) -> &mut RawConnection {
        let _ = self.stream.shutdown(Shutdown::Write);
        self
    }

    /// Whether the server has closed the connection.
    pub fn is_closed(&self) -> bool {
        self.stream.set_nonblocking(true).unwrap();
        let peeked = self.stream.peek(&mut [0]);
        self.stream.set_nonblocking(false).unwrap();
        !matches!(peeked, Err(error) if error.kind() == ErrorKind::WouldBlock)
    }

    #[track_caller]
    pub fn answer(&mut self) -> RawResponse {
        match self.next(false) {
            Next::Response(answer) => answer,
            other => panic!("{other:?}"),
        }
    }

    /// Reads the next response. A response to HEAD has no body, whatever its `Content-Length`.
    pub fn next(&mut self, is_head: bool) -> Next {
        loop {
            if let Some(answer) = self.parse(is_head) {
                return Next::Response(answer);
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

    fn parse(&mut self, is_head: bool) -> Option<RawResponse> {
        let end = self.buffer.windows(4).position(|bytes| bytes == b"\r\n\r\n")? + 4;
        let head = String::from_utf8(self.buffer[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let has_body = !is_head && status >= 200 && status != 204 && status != 304;
        let length = if has_body {
            header(&head, "content-length").unwrap().parse().unwrap()
        } else {
            0
        };
        let body = self.buffer.get(end..end + length)?.to_vec();
        self.buffer.drain(..end + length);
        let body = String::from_utf8(body).unwrap();
        Some(RawResponse { status, head, body })
    }
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines()
        .filter_map(|line| line.split_once(": "))
        .find(|(found, _)| found.eq_ignore_ascii_case(name))
        .map(|(_, value)| value)
}

impl RawResponse {
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

/// `procure serve` as a process of its own, on the index of a [`TestServer`]. Killed when it is
/// dropped.
pub struct Process {
    pub child: Child,
    pub address: String,
}

impl Process {
    /// Serves with unlimited plans.
    pub fn serve(server: &TestServer) -> Process {
        Process::serve_with_plans(server, "unlimited.toml")
    }

    /// Serves with a plans file of the test server's folder.
    pub fn serve_with_plans(server: &TestServer, plans: &str) -> Process {
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let address = free.to_string();
        let child = Command::new(env!("CARGO_BIN_EXE_procure"))
            .args(["serve", "--bind", &address, "--index-dir"])
            .arg(server.index_dir())
            .arg("--state")
            .arg(server.folder.path().join("state.db"))
            .arg("--plans")
            .arg(server.folder.path().join(plans))
            // Nothing reads the log meanwhile. The program drops lines that the pipe has no room
            // for.
            .env("PROCURE_LOG", "info,request=off")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let process = Process { child, address };
        // By then both have read the index, and the process handles signals.
        server.wait_until("the servers", || {
            let is_up = |address: &str| {
                let raw = RawConnection::connect(address);
                raw.is_ok_and(|mut raw| {
                    matches!(raw.send("GET /health HTTP/1.0\r\n\r\n").next(false), Next::Response(_))
                })
            };
            is_up(&server.address) && is_up(&process.address)
        });
        process
    }

    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }

    /// Waits for the process to exit; returns its exit code and its log.
    pub fn end(mut self) -> (Option<i32>, String) {
        let mut log = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        (self.child.wait().unwrap().code(), log)
    }

    /// The memory of the process in KiB, without the mapped files of the index.
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

/// Waits until the condition holds; panics after the timeout.
pub fn wait_until(what: &str, timeout: Duration, condition: impl Fn() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < timeout, "{what}: not within {timeout:?}");
        thread::sleep(Duration::from_millis(10));
    }
}
