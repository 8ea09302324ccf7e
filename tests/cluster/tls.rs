//! A cluster that is reached over TLS, with a user and a password: right answers while one address is
//! away, and errors that name the cause and the cure, and no secret.

use std::{fs, thread, time::Duration};

use crate::{
    cluster::Cluster,
    faults::generated,
    load::{self, Known},
    processes::{Engine, Installation, error},
    shared,
    terminator::{Authority, Identity, Terminator, VALID},
};

const USER: &str = "procure";
/// With characters that have a meaning in addresses and in basic authentication.
const PASSWORD: &str = "s3cret:Pa/ss@word";
const WRONG: &str = "wr0ng-Pass";

/// How long a server may take until it answers everything, although one address does not.
const RECOVERY_LIMIT: Duration = Duration::from_secs(40);

#[test]
fn a_cluster_is_used_over_tls_with_a_password() {
    let Some(cluster) = shared::cluster() else { return };
    let folder = tempfile::tempdir().unwrap();
    let dumps = generated(folder.path(), 600);
    let embedded = Installation::new(folder.path().join("embedded"), &dumps, Engine::Embedded);
    embedded.index();
    let server = embedded.serve();
    let known: Vec<Known> = [
        "/contract",
        "/contract?q=services&sort_by=value&facets=vendor,department",
        "/contract?vendor=inc&include_total=true",
        "/tender?sort_by=closing&limit=200",
        "/vendors?q=in",
        "/contract/stats?value_min=20000",
    ]
    .map(|path| (path.to_owned(), server.get(path)))
    .to_vec();

    let authority = Authority::new();
    let ca = folder.path().join("ca.pem");
    fs::write(&ca, authority.pem()).unwrap();
    let start = |number| Terminator::start(&authority, VALID, cluster.url(number), USER, PASSWORD);
    let (first, second) = (start(0), start(1));
    let on_cluster = Engine::Cluster {
        urls: vec![first.url(), second.url()],
        prefix: "tls".to_owned(),
        shards: 2,
        replicas: 1,
    };
    let mut installation = Installation::new(folder.path().join("cluster"), &dumps, on_cluster);
    installation.environment = vec![
        ("PROCURE_ENGINE_CA", ca.display().to_string()),
        ("PROCURE_ENGINE_USER", USER.to_owned()),
        ("PROCURE_ENGINE_PASSWORD", PASSWORD.to_owned()),
    ];
    let built = installation.run(&["index"]);
    assert!(built.status.success(), "{}", error(&built));
    let service = installation.serve();
    load::wait_until_right(&service, &known, RECOVERY_LIMIT);
    for terminator in [&first, &second] {
        let answered = terminator.take_answered();
        assert!(answered.len() > 10, "requests take turns: {}", answered.len());
        assert!(answered.iter().all(|(_, status)| *status != 401), "{answered:?}");
    }

    // Both in turn: one that hangs costs some requests their time, never a wrong answer.
    for terminator in [&first, &second] {
        let seen = load::during(&service, &known, 2, || {
            thread::sleep(Duration::from_secs(1));
            terminator.hang();
            thread::sleep(Duration::from_secs(8));
        });
        println!("one address hangs: {}", seen.line());
        assert!(seen.wrong.is_empty(), "{:?}", seen.wrong);
        load::wait_until_right(&service, &known, RECOVERY_LIMIT);
        terminator.resume();
        let after = load::during(&service, &known, 2, || thread::sleep(Duration::from_secs(12)));
        assert!(after.wrong.is_empty() && after.refusals() == 0, "{}", after.line());
        assert!(!terminator.take_answered().is_empty(), "it is used again");
    }
    for text in [service.log_text(), error(&built)] {
        assert_no_secret(&text);
    }
    explained(cluster, &authority, &installation, &first);
}

/// Each wrong setting is named, with what helps.
fn explained(cluster: &Cluster, authority: &Authority, right: &Installation, terminator: &Terminator) {
    let other_ca = right.folder.join("other-ca.pem");
    fs::write(&other_ca, Authority::new().pem()).unwrap();
    let other_ca = other_ca.display().to_string();
    let start = |identity| Terminator::start(authority, identity, cluster.url(0), USER, PASSWORD);
    let wrong_name = start(Identity {
        host: "search.example",
        ..VALID
    });
    let expired = start(Identity {
        last_year: 2020,
        ..VALID
    });
    let (url, plain) = (terminator.url(), terminator.url().replace("https", "http"));
    for (url, variable, value, expected) in [
        (&url, "PROCURE_ENGINE_CA", other_ca.as_str(), "with --engine-ca"),
        (&url, "PROCURE_ENGINE_PASSWORD", WRONG, "check the credentials"),
        (&wrong_name.url(), "PROCURE_LOG", "info", "is for another host name"),
        (&expired.url(), "PROCURE_LOG", "info", "has expired"),
        (&plain, "PROCURE_LOG", "info", "write https://"),
    ] {
        for arguments in [&["generations", "list"][..], &["index"]] {
            let mut command = right.command(arguments);
            let output = command
                .env("PROCURE_ENGINE_URL", url)
                .env(variable, value)
                .output()
                .unwrap();
            let text = error(&output);
            assert!(!output.status.success(), "{arguments:?} with {url}: {text}");
            let last = text.lines().last().unwrap_or_default();
            assert!(
                last.starts_with("error: ") && last.contains(url.as_str()) && last.contains(expected),
                "{arguments:?} with {url}: {text}"
            );
            assert_no_secret(&text);
        }
    }
}

fn assert_no_secret(text: &str) {
    use base64::{Engine as _, prelude::BASE64_STANDARD};
    for password in [PASSWORD, WRONG] {
        let encoded = BASE64_STANDARD.encode(format!("{USER}:{password}"));
        assert!(!text.contains(password) && !text.contains(&encoded), "{text}");
    }
}
