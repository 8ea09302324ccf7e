//! What an operator does with a running server: keys, plans, gateway, new generations, and a stop.

use std::{
    fs,
    net::TcpListener,
    process::{Child, Command, Stdio},
    time::Duration,
};

use procure::{model::plans::Plan, server};

use crate::{
    api::generation_of,
    support::{TestServer, config, contracts, scenario_records},
};

fn procure(line: &[&str]) -> (bool, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_procure")).args(line).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

/// Stops a process with SIGTERM and checks that it exits with 0.
fn terminate(process: &mut Child) {
    let kill = Command::new("kill").arg(process.id().to_string()).status().unwrap();
    assert!(kill.success());
    assert_eq!(process.wait().unwrap().code(), Some(0));
}

/// A process that does not outlive its test, even if that fails.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_key_is_created_used_and_revoked_while_the_server_runs() {
    let server = TestServer::own(&scenario_records(), |_| {});
    let state = server.folder.path().join("state.db");
    let state = state.to_str().unwrap();
    let (is_created, text) = procure(&["keys", "create", "--plan", "BASIC", "--label", "Léo", "--state", state]);
    let key = text.trim();
    assert!(is_created && key.starts_with("pk_") && key.len() == 43, "{text}");
    let status = || server.request("GET", "/contract", &[("x-gateway-key", key)]).status;
    server.wait_until("the new key", || status() == 200);

    let (_, list) = procure(&["keys", "list", "--state", state]);
    assert!(list.contains("   2  BASIC") && list.contains("Léo"), "{list}");
    assert!(!list.contains(key), "the key is shown only once");
    assert!(procure(&["keys", "revoke", "2", "--state", state]).0);
    server.wait_until("the revocation", || status() == 403);
    let answer = server.request("GET", "/contract", &[("x-gateway-key", key)]);
    assert_eq!(
        answer.detail(),
        "this API key was revoked; ask the operator for a new one"
    );
    assert_eq!(server.get("/contract").status, 200);
    let (is_revoked, text) = procure(&["keys", "revoke", "9", "--state", state]);
    assert!(!is_revoked && text.contains("no key has the id 9"), "{text}");
}

#[test]
fn a_plans_file_that_is_a_pipe_is_an_error_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("plans.toml");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let (is_ok, text) = procure(&["serve", "--bind", "127.0.0.1:0", "--plans", pipe.to_str().unwrap()]);
    let sentence = format!(
        "reading the plans file {}: it is a named pipe, not a regular file",
        pipe.display()
    );
    assert!(!is_ok && text.contains(&sentence), "{text}");
}

#[test]
fn an_expired_key_gets_an_error_with_its_end() {
    let server = TestServer::own(&scenario_records(), |_| {});
    let end = chrono::DateTime::from_timestamp(1_600_000_000, 0);
    let key = server
        .state()
        .create_key(Plan::Mega, "old", chrono::Utc::now(), end)
        .unwrap();
    let ask = || server.request("GET", "/contract", &[("x-gateway-key", &key)]);
    server.wait_until("the key", || ask().detail().contains("expired"));
    assert_eq!(
        ask().detail(),
        "this API key expired at 2020-09-13T12:26:40Z; ask the operator for a new one"
    );
}

#[test]
fn the_gateways_header_prefix_and_host_are_configurable() {
    let server = TestServer::own(&scenario_records(), |config| {
        config.gateway_prefix = "X-RapidAPI".to_owned();
        config.gateway_host = Some("procure.example".to_owned());
    });
    let key = ("x-rapidapi-key", server.key.as_str());
    for (headers, status) in [
        (vec![key, ("x-rapidapi-host", "procure.example")], 200),
        (vec![key, ("x-rapidapi-host", "other.example")], 403),
        (vec![key], 403),
        (
            vec![
                ("x-gateway-key", server.key.as_str()),
                ("x-rapidapi-host", "procure.example"),
            ],
            403,
        ),
    ] {
        assert_eq!(
            server.request("GET", "/contract", &headers).status,
            status,
            "{headers:?}"
        );
    }
    assert_eq!(
        server.request("GET", "/contract", &[key]).detail(),
        "header 'x-rapidapi-host' is missing or wrong; it must be 'procure.example'"
    );
}

#[test]
fn a_plans_file_overrides_the_plans_or_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let plans = folder.path().join("plans.toml");
    fs::write(&plans, "[PRO]\npage_cap = 2\n").unwrap();
    let server = TestServer::own(&scenario_records(), |config| config.plans = Some(plans.clone()));
    let answer = server.get("/contract");
    assert_eq!(
        (answer.json()["count"].as_u64(), answer.header("x-limit-applied")),
        (Some(2), Some("2"))
    );

    fs::write(&plans, "[PRO]\npage_size = 2\n").unwrap();
    let mut config = config(server.folder.path().to_owned());
    config.plans = Some(plans);
    let error = server::run(&config, TcpListener::bind("127.0.0.1:0").unwrap(), async {}).unwrap_err();
    assert!(
        format!("{error:#}").contains("[PRO] page_size: is unknown"),
        "{error:#}"
    );
}

#[test]
fn without_an_index_the_server_does_not_start() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path().to_owned());
    let error = server::run(&config, TcpListener::bind("127.0.0.1:0").unwrap(), async {}).unwrap_err();
    let error = format!("{error:#}");
    assert!(
        error.contains("no index in") && error.contains("procure index"),
        "{error}"
    );
}

#[test]
fn a_new_generation_is_served_without_a_failed_request() {
    let server = TestServer::own(&contracts(10), |_| {});
    for count in [20, 30] {
        let generation = server.publish(&contracts(count));
        server.wait_until("the new generation", || {
            let answer = server.get("/contract?limit=500");
            assert_eq!(answer.status, 200);
            answer.ids().len() == count && generation_of(&server.get("/health")) == generation
        });
    }
}

#[test]
fn a_generation_that_cannot_be_opened_leaves_the_current_one_in_service() {
    let server = TestServer::own(&contracts(10), |_| {});
    let served = generation_of(&server.get("/health"));
    fs::write(server.index_dir().join("CURRENT"), "20990101T000000000Z\n").unwrap();
    std::thread::sleep(Duration::from_millis(1200));
    assert_eq!(generation_of(&server.get("/health")), served);
    assert_eq!(server.get("/contract").ids().len(), 10);
    let generation = server.publish(&contracts(11));
    server.wait_until("the next valid generation", || {
        generation_of(&server.get("/health")) == generation
    });
}

#[test]
fn a_query_beyond_its_deadline_gets_504() {
    let server = TestServer::own(&contracts(10), |config| config.query_timeout = Duration::from_nanos(1));
    let answer = server.get("/contract");
    assert_eq!(
        (answer.status, answer.detail().as_str()),
        (
            504,
            "The query took too long; narrow it with a municipality or a date range"
        )
    );
    assert_eq!(server.get("/health").status, 200);
}

#[test]
fn the_commands_that_the_demo_prints_work() {
    use std::io::{BufRead, BufReader};
    let demo = Command::new(env!("CARGO_BIN_EXE_procure"))
        .args(["demo", "--records", "2000", "--bind", "127.0.0.1:18080"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut demo = Ended(demo);
    let lines = BufReader::new(demo.0.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap);
    let lines: Vec<String> = lines.take_while(|line| !line.starts_with("Press Ctrl-C")).collect();
    let link = lines.iter().find(|line| line.starts_with("http://")).unwrap();
    let browser = ureq::Agent::config_builder()
        .max_redirects(0)
        .max_redirects_will_error(false);
    let browser = ureq::Agent::from(browser.build());
    let welcome = browser.get(link).call().unwrap();
    assert_eq!(
        (welcome.status().as_u16(), &welcome.headers()["location"]),
        (303, &"/en".parse().unwrap())
    );
    assert!(welcome.headers().contains_key("set-cookie"), "the link signs in");
    let curls: Vec<String> = lines.into_iter().filter(|line| line.starts_with("curl ")).collect();
    assert_eq!(curls.len(), 5);
    for curl in curls {
        let part = |number: usize| curl.split('\'').nth(number).unwrap().to_owned();
        let (header, url) = (part(1), part(3));
        let (name, key) = header.split_once(": ").unwrap();
        let mut answer = ureq::get(&url).header(name, key).call().unwrap();
        let json: serde_json::Value = serde_json::from_slice(&answer.body_mut().read_to_vec().unwrap()).unwrap();
        assert!(
            json["count"].as_u64() > Some(0)
                || json["total_contracts"].as_u64() > Some(0)
                || json["record_id"].is_string(),
            "{curl}: {json}"
        );
    }
    terminate(&mut demo.0);
}

#[test]
fn sigterm_ends_the_process_with_exit_code_0() {
    let server = TestServer::own(&contracts(10), |_| {});
    let free = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .to_string();
    let mut process = Command::new(env!("CARGO_BIN_EXE_procure"))
        .args(["serve", "--bind", &free, "--index-dir"])
        .arg(server.index_dir())
        .arg("--state")
        .arg(server.folder.path().join("state.db"))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    server.wait_until("the second server", || {
        ureq::get(format!("http://{free}/health")).call().is_ok()
    });
    terminate(&mut process);
}
