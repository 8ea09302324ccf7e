//! What the commands print, and how they refuse a wrong setting.

use std::{
    fs,
    process::{Command, Output, Stdio},
};

use crate::{
    program::{PROGRAM, Program, run},
    support::{TestServer, contracts, free},
};

fn output(line: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(PROGRAM);
    command
        .args(line)
        .env_remove("PROCURE_LOG")
        .envs(variables.iter().copied());
    command.stdin(Stdio::null()).output().unwrap()
}

/// What a successful command writes to stdout and to stderr.
fn printed(line: &[&str]) -> (String, String) {
    let output = output(line, &[]);
    assert!(output.status.success(), "{line:?}: {output:?}");
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

#[test]
fn an_unknown_log_level_is_refused_before_anything_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("sample");
    let line = [
        "sample",
        "--records",
        "6",
        "--seed",
        "1",
        "--out",
        out.to_str().unwrap(),
    ];
    for level in ["inf", "foo", "info,request=of"] {
        let output = output(&line, &[("PROCURE_LOG", level)]);
        let why = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{level}: {why}");
        let last = level.rsplit('=').next().unwrap();
        for part in [
            "error: PROCURE_LOG has the unknown level",
            &format!("'{last}'"),
            "error, warn, info, debug, trace, off",
        ] {
            assert!(why.contains(part), "{part}: {why}");
        }
        assert!(!out.exists());
    }
    assert!(output(&line, &[("PROCURE_LOG", "warn")]).status.success());
}

#[test]
fn a_stated_level_info_logs_what_the_default_logs() {
    let server = TestServer::own(&contracts(3), |_| {});
    let messages = |variables: &[(&str, &str)]| -> Vec<String> {
        let log = Program::start(&server, &[], variables).end();
        let lines = log
            .lines()
            .map(|line| line.splitn(3, ' ').skip(1).collect::<Vec<_>>().join(" "));
        // The number of requests until the program listens varies, and the addresses do.
        lines
            .filter(|line| !line.contains("request: "))
            .map(|line| line.split(" on http").next().unwrap_or_default().to_owned())
            .collect()
    };
    let default = messages(&[]);
    assert!(
        default.iter().any(|line| line.contains("serving generation")),
        "{default:?}"
    );
    for level in ["info", ""] {
        assert_eq!(messages(&[("PROCURE_LOG", level)]), default, "{level:?}");
    }
    let with_framework = messages(&[("PROCURE_LOG", "info,actix_server=info")]);
    assert!(with_framework.len() > default.len(), "{with_framework:?}");
}

#[test]
fn a_wrong_value_is_refused_with_what_to_write() {
    for (line, part) in [
        ("keys revoke abc", "use the number of a key"),
        ("keys address create abc --label x", "use the number of a key"),
        ("keys address revoke abc", "use the number of an address"),
        ("serve --mail-rate 0", "use a whole number above 0"),
        ("serve --bind localhost:8080", "use an IP address and a port"),
        ("serve --admin-bind localhost:9090", "use an IP address and a port"),
        ("demo --bind 8080", "use an IP address and a port"),
        ("health --bind 127.0.0.1", "use an IP address and a port"),
        ("index --memory-mb much", "use a whole number"),
        ("sample --records=-1 --seed 1 --out x", "use a whole number"),
    ] {
        let (status, text) = run(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(status, Some(2), "{line}: {text}");
        assert!(text.contains(part), "{line}: {text}");
    }
}

#[test]
fn an_address_that_cannot_be_used_is_refused_with_what_to_do() {
    let server = TestServer::own(&contracts(3), |_| {});
    let path = |name: &str| server.folder.path().join(name).to_str().unwrap().to_owned();
    let (index, state) = (path("index"), path("state.db"));
    let taken = server.address.trim_start_matches("http://").to_owned();
    let (bind, unused) = (free(), free());
    for (options, part) in [
        (["--bind", &taken].to_vec(), "choose another address with --bind"),
        (
            ["--bind", &bind, "--admin-bind", &taken].to_vec(),
            "choose another address with --admin-bind",
        ),
        // Of a block of addresses for documentation (RFC 5737).
        (
            ["--bind", "192.0.2.1:8080"].to_vec(),
            "this machine does not have this address",
        ),
    ] {
        let line = [&["serve", "--index-dir", &index, "--state", &state][..], &options].concat();
        let (status, text) = run(&line);
        assert_eq!(status, Some(1), "{options:?}: {text}");
        assert!(text.contains(part), "{options:?}: {text}");
    }
    let (status, text) = run(&["health", "--bind", &unused]);
    assert!(
        status == Some(1) && text.contains("is `procure serve` running"),
        "{text}"
    );
}

#[test]
fn commands_that_change_a_key_say_so_on_stderr() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state.db");
    let state = state.to_str().unwrap();
    let keys = |line: &[&str]| printed(&[&["keys"], line, &["--state", state]].concat());
    keys(&["create", "--plan", "PRO", "--label", "x"]);
    for (line, sentence) in [
        (["trust", "1"], "key 1 is trusted: "),
        (["untrust", "1"], "key 1 is not trusted: "),
        (["revoke", "1"], "key 1 is revoked; "),
        (["revoke", "1"], "key 1 was revoked before, at 2"),
    ] {
        let (out, note) = keys(&line);
        assert_eq!(out, "", "{line:?}");
        assert!(note.contains(sentence), "{line:?}: {note}");
    }
    keys(&["create", "--plan", "PRO", "--label", "y"]);
    let (addresses, _) = keys(&["address", "create", "2", "--label", "OpenRefine"]);
    let token = addresses.split('/').nth(2).unwrap();
    assert_eq!(
        addresses,
        format!("/reconcile/{token}/supplier\n/reconcile/{token}/department\n")
    );
    let (list, _) = keys(&["address", "list"]);
    assert!(
        list.starts_with("   1  of key    2  created 2") && !list.contains(token),
        "{list}"
    );
    for sentence in ["address 1 is revoked; ", "address 1 was revoked before, at 2"] {
        let (out, note) = keys(&["address", "revoke", "1"]);
        assert!(out.is_empty() && note.contains(sentence), "{note}");
    }
    let (list, note) = keys(&["list"]);
    assert!(list.starts_with("   1  PRO") && note.is_empty(), "{list} {note}");
}

#[test]
fn an_empty_list_of_alerts_says_so_on_stderr() {
    let server = TestServer::own(&contracts(3), |_| {});
    let path = |name: &str| server.folder.path().join(name).to_str().unwrap().to_owned();
    let (index, state) = (path("index"), path("state.db"));
    let (list, note) = printed(&["alerts", "list", "--state", &state]);
    assert!(
        list.is_empty() && note.contains("no address is subscribed"),
        "{list} {note}"
    );
    let line = ["alerts", "send", "--dry-run", "--index-dir", &index, "--state", &state];
    let (due, note) = printed(&line);
    assert!(due.is_empty() && note.contains("no mail is due"), "{due} {note}");
}

/// What a build of the image copies has to be sent to it, and nothing that git ignores.
#[test]
fn the_context_of_the_image_has_what_it_needs_and_no_data() {
    let read = |name: &str| fs::read_to_string(format!("{}/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let (ignored, image) = (read(".dockerignore"), read("Containerfile"));
    let ignored: Vec<&str> = ignored.lines().filter(|line| !line.starts_with('#')).collect();
    for line in read(".gitignore").lines() {
        assert!(ignored.contains(&line.trim_start_matches('/')), "{line}");
    }
    let copies = image.lines().filter_map(|line| line.strip_prefix("COPY "));
    let mut count = 0;
    for source in copies.filter(|copy| !copy.starts_with("--from")).flat_map(|copy| {
        let words: Vec<&str> = copy.split(' ').collect();
        words[..words.len() - 1].to_vec()
    }) {
        count += 1;
        assert!(
            fs::exists(format!("{}/{source}", env!("CARGO_MANIFEST_DIR"))).unwrap(),
            "{source}"
        );
        let covers = |pattern: &str| source == pattern || source.starts_with(&format!("{pattern}/"));
        // The last line that matches decides.
        let last = ignored.iter().rfind(|line| covers(line.trim_start_matches('!')));
        assert!(
            last.is_none_or(|line| line.starts_with('!')),
            "{source} is left out by {last:?}"
        );
    }
    assert!(count > 10, "only {count} sources were found");
}
