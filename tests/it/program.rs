//! `procure` as a second process, as an operator runs it.

use std::{
    cell::Cell,
    fs::{self, File},
    io::Write,
    net::TcpStream,
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
};

use crate::{
    http::{Next, RawConnection},
    support::{TestServer, free},
    waiting::wait_until,
};

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_procure");

/// `procure serve` as an operator starts it, on free ports, its log in a file.
pub struct Program {
    pub process: Child,
    pub address: String,
    pub admin: String,
    log: PathBuf,
    is_stopping: Cell<bool>,
}

impl Program {
    /// Serves the index and the keys of a test server, with additional options and environment
    /// variables.
    pub fn start(of: &TestServer, options: &[&str], variables: &[(&str, &str)]) -> Program {
        Program::start_with(Command::new(PROGRAM), of, options, variables)
    }

    /// As [`Program::start`], by a command that passes its arguments on to the program.
    pub fn start_with(command: Command, of: &TestServer, options: &[&str], variables: &[(&str, &str)]) -> Program {
        let file = File::create(of.folder.path().join("log")).unwrap();
        Program::spawn(command, file.into(), of, options, variables)
    }

    pub fn logging_to(stderr: Stdio, of: &TestServer, options: &[&str], variables: &[(&str, &str)]) -> Program {
        Program::spawn(Command::new(PROGRAM), stderr, of, options, variables)
    }

    fn spawn(
        mut command: Command,
        stderr: Stdio,
        of: &TestServer,
        options: &[&str],
        variables: &[(&str, &str)],
    ) -> Program {
        let (address, admin) = (free(), free());
        let process = command
            .args(["serve", "--bind", &address, "--admin-bind", &admin, "--index-dir"])
            .arg(of.index_dir())
            .arg("--state")
            .arg(of.folder.path().join("state.db"))
            .args(options)
            .envs(variables.iter().copied())
            .stderr(stderr)
            .spawn()
            .unwrap();
        let program = Program {
            process,
            address,
            admin,
            log: of.folder.path().join("log"),
            is_stopping: Cell::new(false),
        };
        // By then it has read the index and handles signals.
        wait_until("the program to listen", || {
            program.request("GET", "/health", "").starts_with("HTTP/1.1 200")
        });
        program
    }

    /// Serves without limits: its log has no requests.
    pub fn serve(of: &TestServer) -> Program {
        Program::serve_with_plans(of, "unlimited.toml")
    }

    /// The same with a plans file of the test server's folder.
    pub fn serve_with_plans(of: &TestServer, plans: &str) -> Program {
        let plans = of.folder.path().join(plans);
        let plans = ["--plans", plans.to_str().unwrap()];
        let program = Program::start(of, &plans, &[("PROCURE_LOG", "info,request=off")]);
        wait_until("the test server", || {
            let open = RawConnection::connect(&of.address);
            open.is_ok_and(|mut raw| matches!(raw.send("GET /health HTTP/1.0\r\n\r\n").next(false), Next::Response(_)))
        });
        program
    }

    /// The log so far.
    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Requests this path until the process ends, and returns how it ended.
    pub fn request_until_it_ends(&mut self, path: &str, headers: &str) -> ExitStatus {
        let mut status = None;
        let (address, process) = (self.address.clone(), &mut self.process);
        wait_until("the end of the process", || {
            ask(&address, "GET", path, headers);
            status = process.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap()
    }

    /// The response with its head. Empty if nothing listens.
    pub fn request(&self, method: &str, path: &str, headers: &str) -> String {
        ask(&self.address, method, path, headers)
    }

    pub fn request_with_body(&self, method: &str, path: &str, headers: &str, body: &str) -> String {
        send(&self.address, method, path, headers, body)
    }

    pub fn admin(&self, path: &str) -> String {
        ask(&self.admin, "GET", path, "")
    }

    /// Sends SIGTERM, but only once: a second one would stop the process at once.
    pub fn terminate(&self) {
        if self.is_stopping.replace(true) {
            return;
        }
        self.signal("TERM");
    }

    pub fn signal(&self, name: &str) {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }

    /// The memory of the process in KiB, without the mapped files of the index.
    pub fn memory_kib(&self) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("RssAnon:"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    }

    /// Stops the process, checks that it exits with 0, and returns its log.
    pub fn end(self) -> String {
        self.terminate();
        self.ended()
    }

    /// Waits for a process that is stopping, checks that it exits with 0, and returns its log.
    pub fn ended(self) -> String {
        let (code, log) = self.exit();
        assert_eq!(code, Some(0), "{log}");
        log
    }

    /// Waits for the process to exit; returns its exit code and its log.
    pub fn exit(mut self) -> (Option<i32>, String) {
        let code = self.process.wait().unwrap().code();
        (code, self.log())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The response with its head. Empty if nothing listens.
pub fn ask(address: &str, method: &str, path: &str, headers: &str) -> String {
    send(address, method, path, headers, "")
}

fn send(address: &str, method: &str, path: &str, headers: &str, body: &str) -> String {
    use std::io::Read;
    let Ok(mut socket) = TcpStream::connect(address) else {
        return String::new();
    };
    let request = format!("{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{headers}\r\n{body}");
    let mut answer = String::new();
    let asked = socket.write_all(request.as_bytes());
    let _ = asked.and_then(|()| socket.read_to_string(&mut answer).map(drop));
    answer
}

pub fn run(line: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(PROGRAM).args(line).stdin(Stdio::null()).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).unwrap())
}
