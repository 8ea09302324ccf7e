//! Damaged, missing and unwritable files under the real program: it serves what is whole, and it
//! says what is wrong.

use std::{
    fs,
    io::Write,
    os::unix::{
        fs::{PermissionsExt, symlink},
        process::ExitStatusExt,
    },
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    api::generation_of,
    program::{PROGRAM, Program, ask, run},
    support::{TestServer, contracts, free},
    waiting::wait_until,
};

const SIGBUS: i32 = 7;

/// An index with two generations, the keys, and no running server. Returns the ids, the older first.
fn two_generations() -> (TestServer, String, String) {
    let mut server = TestServer::own(&contracts(10), |_| {});
    let older = generation_of(&server.get("/health"));
    let newer = server.publish(&contracts(600));
    server.stop();
    (server, older, newer)
}

fn records_file(server: &TestServer, generation: &str) -> std::path::PathBuf {
    server.index_dir().join(generation).join("contract/records.ndjson")
}

fn truncate(path: &Path) {
    fs::File::options()
        .write(true)
        .open(path)
        .unwrap()
        .set_len(100)
        .unwrap();
}

/// The member `index` of `/health`.
fn index_of(program: &Program) -> Value {
    let answer = program.request("GET", "/health", "");
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["status"], "ok");
    body["index"].clone()
}

fn is_current(program: &Program) -> bool {
    let page = program.admin("/metrics");
    let line = page
        .lines()
        .find(|line| line.starts_with("procure_generation_is_current "));
    line.unwrap_or_else(|| panic!("{page}")).ends_with(" 1")
}

#[test]
fn a_file_truncated_while_served_leaves_a_sentence_and_the_next_start_serves_the_older_generation() {
    let (server, older, newer) = two_generations();
    let key = format!("x-gateway-key: {}\r\n", server.key);
    let records = records_file(&server, &newer);
    let whole = fs::read(&records).unwrap();
    // Out of reach, so that the server does not find a whole generation before it reads the file.
    let (folder, aside) = (server.index_dir().join(&older), server.folder.path().join("aside"));
    for format in ["text", "json"] {
        fs::rename(&folder, &aside).unwrap();
        let mut program = Program::start(&server, &["--log-format", format], &[]);
        assert_eq!(index_of(&program)["generation"], newer);
        assert!(index_of(&program).get("damaged").is_none() && is_current(&program));
        truncate(&records);
        let status = program.request_until_it_ends("/contract?limit=100&offset=400", &key);
        assert_eq!(status.signal(), Some(SIGBUS), "{status:?}");
        let log = program.log();
        let line = log
            .lines()
            .find(|line| line.contains("SIGBUS"))
            .unwrap_or_else(|| panic!("{log}"));
        for part in ["index", "the file was truncated, or its disk fails", "procure index"] {
            assert!(line.contains(part), "{part}: {line}");
        }
        if format == "json" {
            let line: Value = serde_json::from_str(line).unwrap();
            assert_eq!(line["level"], "error");
        }

        fs::rename(&aside, &folder).unwrap();
        let program = Program::start(&server, &["--log-format", format], &[]);
        let index = index_of(&program);
        assert_eq!(
            (&index["generation"], &index["damaged"]),
            (&json!(older), &json!(newer))
        );
        assert_eq!(index["records"], 10);
        assert!(!is_current(&program));
        assert!(program.request("GET", "/contract", &key).starts_with("HTTP/1.1 200"));
        assert!(program.admin("/ready").starts_with("HTTP/1.1 200"));
        assert_eq!(
            fs::read_to_string(server.index_dir().join("CURRENT")).unwrap().trim(),
            newer
        );

        fs::write(&records, &whole).unwrap();
        let index_dir = server.index_dir();
        let choose = ["generations", "use", &newer, "--index-dir", index_dir.to_str().unwrap()];
        assert_eq!(run(&choose).0, Some(0));
        wait_until("the repaired generation", || {
            index_of(&program)["generation"] == json!(newer)
        });
        wait_until("its status", || is_current(&program));
        wait_until("a status without damage", || {
            index_of(&program).get("damaged").is_none()
        });
        let log = program.end();
        let error = log.lines().find(|line| line.to_lowercase().contains("error")).unwrap();
        for part in [
            &older,
            &newer,
            "records.ndjson has 100 bytes instead of",
            "procure index",
        ] {
            assert!(error.contains(part), "{part}: {log}");
        }
        assert_eq!(log.matches("has 100 bytes instead of").count(), 1, "{log}");
    }
}

#[test]
fn a_running_server_replaces_a_truncated_generation_before_a_request_reads_it() {
    let (server, older, newer) = two_generations();
    let key = format!("x-gateway-key: {}\r\n", server.key);
    let program = Program::start(&server, &[], &[]);
    assert_eq!(index_of(&program)["generation"], newer);
    truncate(&records_file(&server, &newer));
    wait_until("the older generation", || {
        index_of(&program)["generation"] == json!(older)
    });
    wait_until("the status", || !is_current(&program));
    assert_eq!(index_of(&program)["damaged"], newer);
    let answer = program.request("GET", "/contract?limit=100", &key);
    assert!(
        answer.starts_with("HTTP/1.1 200") && answer.contains("\"count\":10"),
        "{answer}"
    );
    let next = server.publish(&contracts(20));
    wait_until("the next generation", || {
        index_of(&program)["generation"] == json!(next)
    });
    wait_until("no damage", || index_of(&program).get("damaged").is_none());
    let log = program.end();
    assert_eq!(log.matches("has 100 bytes instead of").count(), 1, "{log}");
}

#[test]
fn a_strict_server_does_not_start_with_a_damaged_generation() {
    let (server, _, newer) = two_generations();
    truncate(&records_file(&server, &newer));
    let bind = free();
    let (index, state) = (server.index_dir(), server.folder.path().join("state.db"));
    let serve = [
        "serve",
        "--bind",
        &bind,
        "--index-dir",
        index.to_str().unwrap(),
        "--state",
        state.to_str().unwrap(),
    ];
    let (status, text) = run(&[&serve[..], &["--strict-generation"]].concat());
    assert_eq!(status, Some(1));
    assert!(text.contains("records.ndjson has 100 bytes instead of"), "{text}");
    let output = Command::new(PROGRAM)
        .args(serve)
        .env("PROCURE_STRICT_GENERATION", "true")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_server_without_any_whole_generation_does_not_start() {
    let (server, older, newer) = two_generations();
    for id in [&older, &newer] {
        truncate(&records_file(&server, id));
    }
    let (index, state) = (server.index_dir(), server.folder.path().join("state.db"));
    let (status, text) = run(&[
        "serve",
        "--bind",
        &free(),
        "--index-dir",
        index.to_str().unwrap(),
        "--state",
        state.to_str().unwrap(),
    ]);
    assert_eq!(status, Some(1));
    for part in [&older, &newer, "procure index", "no other generation in"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_missing_or_invalid_current_file_is_reported_once_per_cause_and_ends_nothing() {
    let (server, older, newer) = two_generations();
    let current = server.index_dir().join("CURRENT");
    let spoil = |content: Option<&str>| match content {
        Some(content) => fs::write(&current, content).unwrap(),
        None => fs::remove_file(&current).unwrap(),
    };
    let (missing, invalid) = ("its file CURRENT is missing", "does not name a generation");
    for (before, after, cause) in [(None, Some("nonsense"), invalid), (Some("nonsense"), None, missing)] {
        spoil(before);
        let program = Program::start(&server, &[], &[]);
        let index = index_of(&program);
        assert_eq!(
            (&index["generation"], &index["damaged"]),
            (&json!(newer), &json!("CURRENT"))
        );
        spoil(after);
        wait_until("the other cause", || program.log().contains(cause));
        assert!(!is_current(&program));
        let failures = "procure_background_failures_total{step=\"reload\"} ";
        let count = || {
            let page = program.admin("/metrics");
            let line = page.lines().find_map(|line| line.strip_prefix(failures)).unwrap();
            line.parse::<u64>().unwrap()
        };
        let before = count();
        wait_until("the failures to be counted while they last", || count() > before);
        fs::write(&current, format!("{older}\n")).unwrap();
        wait_until("the named generation", || {
            index_of(&program)["generation"] == json!(older)
        });
        wait_until("its status", || is_current(&program));
        let log = program.end();
        for cause in [missing, invalid] {
            assert_eq!(log.matches(cause).count(), 1, "{cause}: {log}");
        }
    }
}

#[test]
fn generations_are_listed_even_if_the_current_file_is_invalid() {
    let (server, older, newer) = two_generations();
    let index = server.index_dir();
    fs::write(index.join("CURRENT"), "nonsense").unwrap();
    let (status, text) = run(&["generations", "list", "--index-dir", index.to_str().unwrap()]);
    assert_eq!(status, Some(1));
    for part in [&older, &newer, "procure generations use ID"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_server_whose_state_database_is_out_of_reach_is_not_ready() {
    let admin = free();
    let server = TestServer::own(&contracts(3), |config| {
        config.admin_bind = Some(admin.parse().unwrap());
        config.max_state_age = Duration::from_millis(1500);
    });
    let ready = || ask(&admin, "GET", "/ready", "");
    wait_until("readiness", || ready().starts_with("HTTP/1.1 200"));
    let (state, aside) = (
        server.folder.path().join("state.db"),
        server.folder.path().join("aside"),
    );
    fs::rename(&state, &aside).unwrap();
    wait_until("readiness to end", || ready().starts_with("HTTP/1.1 503"));
    assert!(
        ready().contains("the state database could not be read or written for"),
        "{}",
        ready()
    );
    let page = ask(&admin, "GET", "/metrics", "");
    let age = page
        .lines()
        .find_map(|line| line.strip_prefix("procure_state_age_seconds "))
        .unwrap();
    assert!(age.parse::<f64>().unwrap() >= 1.5, "{age}");
    assert_eq!(server.get("/contract").status, 200, "the known keys stay in force");
    fs::rename(&aside, &state).unwrap();
    wait_until("readiness again", || ready().starts_with("HTTP/1.1 200"));
}

#[test]
fn a_write_that_the_disk_refuses_gets_503() {
    let mut server = TestServer::own(&contracts(3), |_| {});
    server.stop();
    // Files of this process cannot grow beyond 64 KiB. The shell ignores the signal for that, so a
    // write fails as on a full disk.
    let mut limited = Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 128; exec \"$0\" \"$@\"", PROGRAM]);
    let program = Program::start_with(limited, &server, &["--log-format", "json"], &[("PROCURE_LOG", "off")]);
    let subscribe = |number: usize| {
        let body = json!({"email": format!("a{number}@example.org"), "keywords": ["snow"]}).to_string();
        let headers = format!(
            "x-gateway-key: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n",
            server.key,
            body.len()
        );
        program.request_with_body("POST", "/tender/alerts/subscribe", &headers, &body)
    };
    let refused = (0..200)
        .map(subscribe)
        .find(|answer| !answer.starts_with("HTTP/1.1 200"));
    let refused = refused.expect("64 KiB do not hold 200 subscriptions");
    assert!(refused.starts_with("HTTP/1.1 503"), "{refused}");
    assert!(
        refused.contains("retry-after: 30\r\n") && refused.contains("cannot store anything at the moment"),
        "{refused}"
    );
    // Reading needs no disk space.
    let key = format!("x-gateway-key: {}\r\n", server.key);
    assert!(program.request("GET", "/contract", &key).starts_with("HTTP/1.1 200"));
}

/// A file system in memory of 3 MiB, and a file that takes what is free of it. It is unmounted when
/// dropped.
pub struct SmallDisk {
    pub folder: PathBuf,
    flood: PathBuf,
}

impl SmallDisk {
    pub fn mount(folder: PathBuf) -> Option<SmallDisk> {
        fs::create_dir(&folder).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=3m", "small"]).arg(&folder);
        let is_mounted = mount.output().is_ok_and(|output| output.status.success());
        let flood = folder.join("flood");
        is_mounted.then_some(SmallDisk { folder, flood })
    }

    /// Writes until nothing is free.
    fn fill(&self) {
        let mut file = fs::File::options().append(true).create(true).open(&self.flood).unwrap();
        while file.write_all(&[0x55; 4096]).is_ok() {}
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.folder).status();
    }
}

#[test]
fn a_key_is_revoked_and_a_subscription_ended_on_a_full_disk() {
    let mut server = TestServer::own(&contracts(3), |_| {});
    server.stop();
    let Some(disk) = SmallDisk::mount(server.folder.path().join("small")) else {
        eprintln!("SKIPPED: no small file system can be mounted here (root can), so no disk was full");
        return;
    };
    let state = disk.folder.join("state.db");
    let reserve = || fs::metadata(disk.folder.join("state.db-reserve")).map_or(0, |meta| meta.len());
    let path = state.to_str().unwrap();
    let keys = |line: &[&str]| run(&[&["keys"], line, &["--state", path]].concat());
    // The keys 1 to 40.
    let created: Vec<String> = (1..=40)
        .map(|number| {
            let label = number.to_string();
            let (status, key) = keys(&["create", "--plan", "PRO", "--label", &label, "--trusted-consent"]);
            assert_eq!(status, Some(0), "{key}");
            key.trim().to_owned()
        })
        .collect();
    let in_folder = server.folder.path().join("state.db");
    fs::remove_file(&in_folder).unwrap();
    symlink(&state, in_folder).unwrap();
    let program = Program::start(&server, &[], &[]);
    let get = |program: &Program, number: usize| {
        let key = &created[number - 1];
        program.request("GET", "/contract", &format!("x-gateway-key: {key}\r\n"))
    };
    let subscribe = |program: &Program, email: &str| {
        let body = json!({"email": email, "keywords": ["snow"]}).to_string();
        let length = body.len();
        let headers = format!(
            "x-gateway-key: {}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n",
            created[0]
        );
        program.request_with_body("POST", "/tender/alerts/subscribe", &headers, &body)
    };
    let answer = subscribe(&program, "ann@example.org");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let token = server.state().unsubscribe_all_token("ann@example.org").unwrap();
    wait_until("the reserve", || reserve() == 1 << 20);

    disk.fill();
    let answer = subscribe(&program, "bob@example.org");
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
    assert_eq!(reserve(), 1 << 20, "only what must succeed uses the reserve");
    assert!(get(&program, 2).starts_with("HTTP/1.1 200"));
    let (status, text) = keys(&["revoke", "2"]);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("state.db-reserve was given up for it"), "{text}");
    wait_until("the revoked key to fail", || {
        get(&program, 2).starts_with("HTTP/1.1 403")
    });
    assert!(get(&program, 3).starts_with("HTTP/1.1 200"));
    disk.fill();
    let answer = program.request("GET", &format!("/tender/alerts/unsubscribe?token={token}"), "");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(server.state().subscriptions().unwrap().is_empty());

    // A start needs space too, because the files next to the database were removed at the end.
    program.end();
    disk.fill();
    let (status, list) = keys(&["list"]);
    assert_eq!(status, Some(0), "{list}");
    disk.fill();
    let program = Program::start(&server, &[], &[]);
    assert!(get(&program, 2).starts_with("HTTP/1.1 403"), "still revoked");
    assert!(get(&program, 3).starts_with("HTTP/1.1 200"));

    // Until the reserve is used up.
    let revoked = (3..=40).find_map(|number: usize| {
        disk.fill();
        let (status, text) = keys(&["revoke", &number.to_string()]);
        (status != Some(0)).then_some((number, text))
    });
    let (last, text) = revoked.expect("a reserve that ends");
    assert!(
        last >= 5,
        "the reserve is for several revocations, and not only for {last}"
    );
    for part in [
        format!("key {last} is not revoked").as_str(),
        path,
        "its disk is full; free space there",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(reserve(), 0);
    fs::remove_file(&disk.flood).unwrap();
    assert_eq!(keys(&["revoke", &last.to_string()]).0, Some(0));
    program.end();
    let program = Program::start(&server, &[], &[]);
    assert!(get(&program, last).starts_with("HTTP/1.1 403"));
    wait_until("the reserve to be filled again", || reserve() == 1 << 20);
    program.end();
}

#[test]
fn the_state_database_is_private_and_a_public_one_is_warned_about() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state.db");
    let path = state.to_str().unwrap();
    let keys = |line: &[&str]| run(&[&["keys"], line, &["--state", path]].concat());
    let (status, text) = keys(&["create", "--plan", "PRO", "--label", "x"]);
    assert!(status == Some(0) && !text.contains("WARN"), "{text}");
    let mode = || fs::metadata(&state).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(), 0o600);
    assert!(!keys(&["list"]).1.contains("WARN"));
    fs::set_permissions(&state, fs::Permissions::from_mode(0o644)).unwrap();
    for line in [&["list"][..], &["create", "--plan", "PRO", "--label", "y"]] {
        let (status, text) = keys(line);
        assert_eq!(status, Some(0));
        assert!(
            text.contains("WARN") && text.contains(&format!("run `chmod go= {path}*`")),
            "{text}"
        );
    }
    assert_eq!(mode(), 0o644, "the mode is the operator's");
}

#[test]
fn a_build_removes_a_truncated_generation_before_a_whole_one() {
    let (server, older, newer) = two_generations();
    truncate(&records_file(&server, &newer));
    let next = server.publish(&contracts(20));
    assert_eq!(
        procure::catalog::generation::list(&server.index_dir()).unwrap(),
        [older, next],
        "the generation to roll back to is whole"
    );
}
