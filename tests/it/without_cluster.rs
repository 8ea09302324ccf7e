//! A server whose cluster does not answer: it starts, says what it waits for, and stops when asked.

use std::{
    cell::RefCell,
    fs::{self, File},
    net::TcpListener,
    process::{Child, Command},
    thread,
    time::Duration,
};

use crate::{
    program::{PROGRAM, ask, run},
    support::{TestServer, contracts, free},
    waiting::wait_until,
};

/// A process that is killed when the test fails.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_server_whose_cluster_does_not_answer_waits_for_it() {
    let mut server = TestServer::own(&contracts(1), |_| {});
    server.stop();
    let (address, admin, log) = (free(), free(), server.folder.path().join("log"));
    let process = Command::new(PROGRAM)
        .args(["serve", "--bind", &address, "--admin-bind", &admin, "--state"])
        .arg(server.folder.path().join("state.db"))
        .args(["--engine", "opensearch", "--engine-url", &format!("http://{}", free())])
        .stderr(File::create(&log).unwrap())
        .spawn();
    let mut process = Process(process.unwrap());
    wait_until("the server to listen", || !ask(&admin, "GET", "/live", "").is_empty());
    assert!(ask(&admin, "GET", "/live", "").starts_with("HTTP/1.1 200"));
    let key = format!("x-gateway-key: {}\r\n", server.key);
    for (path, headers) in [("/health", ""), ("/contract", &key), ("/sources", &key)] {
        let answer = ask(&address, "GET", path, headers);
        assert!(answer.starts_with("HTTP/1.1 503"), "{path}: {answer}");
        for part in ["\r\nretry-after: 5\r\n", "the search cluster cannot be reached"] {
            assert!(answer.contains(part), "{path}: {answer}");
        }
    }
    assert!(ask(&address, "GET", "/contract", "").starts_with("HTTP/1.1 403"));
    let ready = ask(&admin, "GET", "/ready", "");
    assert!(
        ready.starts_with("HTTP/1.1 503") && ready.contains("the search cluster cannot be reached"),
        "{ready}"
    );
    let failures = || {
        let page = ask(&admin, "GET", "/metrics", "");
        let name = "procure_background_failures_total{step=\"reload\"} ";
        let line = page.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|count| count.parse().ok()).unwrap_or(0)
    };
    wait_until("two look-ups that fail", || failures() >= 2);
    let text = fs::read_to_string(&log).unwrap();
    assert_eq!(text.matches("waiting for a generation").count(), 1, "{text}");
    assert_eq!(text.matches("ERROR").count(), 0, "once is enough: {text}");
    let kill = Command::new("kill").arg(process.0.id().to_string()).status();
    assert!(kill.unwrap().success());
    assert_eq!(process.0.wait().unwrap().code(), Some(0));
}

/// A node that stalls accepts connections, because its system does, and answers nothing.
#[test]
fn a_server_whose_cluster_stalls_answers_and_stops_while_it_waits() {
    let mut server = TestServer::own(&contracts(1), |_| {});
    server.stop();
    let stalled = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, log) = (free(), server.folder.path().join("log"));
    let process = Command::new(PROGRAM)
        .args(["serve", "--bind", &address, "--state"])
        .arg(server.folder.path().join("state.db"))
        .args(["--engine", "opensearch", "--engine-url"])
        .arg(format!("http://{}", stalled.local_addr().unwrap()))
        .stderr(File::create(&log).unwrap())
        .spawn();
    let mut process = Process(process.unwrap());
    let answer = RefCell::new(String::new());
    // The program itself waits for a minute until a request to the cluster has failed.
    wait_until("an answer", || {
        *answer.borrow_mut() = ask(&address, "GET", "/health", "");
        !answer.borrow().is_empty()
    });
    let answer = answer.into_inner();
    assert!(
        answer.starts_with("HTTP/1.1 503") && answer.contains("the search cluster cannot be reached"),
        "{answer}"
    );
    wait_until("a line on the cluster", || {
        fs::read_to_string(&log).unwrap().contains("takes long to answer")
    });
    // By now, it tries again.
    thread::sleep(Duration::from_secs(3));
    let kill = Command::new("kill").arg(process.0.id().to_string()).status();
    assert!(kill.unwrap().success());
    let process = RefCell::new(&mut process.0);
    wait_until("the server to stop", || {
        process.borrow_mut().try_wait().unwrap().is_some()
    });
    assert_eq!(process.into_inner().wait().unwrap().code(), Some(0));
}

#[test]
fn commands_that_need_the_cluster_say_that_it_does_not_answer() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("http://{}", free());
    let dumps = folder.path().join("dumps");
    fs::create_dir(&dumps).unwrap();
    let index = ["index", "--dumps", dumps.to_str().unwrap()];
    for command in [&index[..], &["generations", "list"], &["backtest"]] {
        let line = [command, &["--engine", "opensearch", "--engine-url", &url]].concat();
        let (status, text) = run(&line);
        assert_eq!(status, Some(1), "{text}");
        assert!(
            text.contains("search cluster is not available") && text.contains(&url),
            "{text}"
        );
    }
}
