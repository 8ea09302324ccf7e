//! End-to-end tests of alerts: `procure alerts` against a real mail server that refuses mails, breaks
//! connections and hangs, and a sender that is killed.

mod confirmation;
mod content;
mod digests;
mod failures;
#[path = "../support/free_address.rs"]
mod free_address;
mod mail_server;
#[path = "../support/waiting.rs"]
mod waiting;

use std::{
    collections::{HashMap, HashSet},
    fs,
    net::{SocketAddr, TcpListener},
    path::PathBuf,
    process::{Command, Output, Stdio},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use chrono::{DateTime, Days, Utc};
use mail_parser::MessageParser;
use mail_server::{Behavior, MailServer, PASSWORD, Received, Security, Stage, USER};
use procure::{
    alerts::{digest_plan::DigestPlan, mail::Sender, mailer::MailSettings, smtp::server::SmtpServer},
    catalog::{
        generation::{self, GenerationStore},
        indexing,
    },
    model::{email::EmailAddress, plans::Plan, stem::Language},
    query::keyword::Keyword,
    server::Config,
    state::{
        consent::ConsentRecord,
        database::StateDb,
        subscription::{Frequency, Locale, SubscriptionRequest},
    },
};
use serde_json::{Value, json};
use tempfile::TempDir;
use waiting::wait_until;

const TIMEOUT: Duration = Duration::from_secs(30);

/// A folder with an index and a state database, and a mail server.
struct Fixture {
    folder: TempDir,
    server: MailServer,
    security: Security,
}

impl Fixture {
    fn new(security: Security) -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let server = MailServer::start(security, &folder.path().join("ca.pem"));
        drop(StateDb::open(&folder.path().join("state.db")).unwrap());
        let fixture = Fixture {
            folder,
            server,
            security,
        };
        // The keys of `subscribe`. They are trusted, so that most tests need no confirmation.
        sqlite(
            &fixture,
            "WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < 60)
             INSERT INTO keys (id, sha256, plan, label, created_at, trusted_consent)
             SELECT id, CAST(id AS BLOB), 'PRO', 'made up', 0, 1 FROM ids",
        );
        fixture
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn state(&self) -> StateDb {
        StateDb::open(&self.path("state.db")).unwrap()
    }

    fn publish(&self, tenders: &[Value]) {
        let dumps = self.path("dumps/tender");
        fs::create_dir_all(&dumps).unwrap();
        let lines: String = tenders.iter().map(|tender| format!("{tender}\n")).collect();
        fs::write(dumps.join("made-up.ndjson"), lines).unwrap();
        let options = indexing::IndexOptions {
            dumps: self.path("dumps"),
            store: GenerationStore::Folder(self.path("index")),
            memory_mb: 64,
            strict: true,
        };
        indexing::run(&options).unwrap();
    }

    fn subscribe(&self, email: &str, keyword: &str) {
        subscribe(&mut self.state(), email, keyword, |_| {});
    }

    fn url(&self) -> String {
        let port = self.server.port;
        let user = USER.replace('@', "%40");
        match self.security {
            Security::Plain => format!("smtp://localhost:{port}?tls=none"),
            Security::StartTls => format!("smtp://{user}@localhost:{port}"),
            Security::Implicit => format!("smtps://{user}@localhost:{port}"),
        }
    }

    /// The settings that `procure alerts` would build from its options.
    fn settings(&self, password: Option<&str>) -> MailSettings {
        let ca = self.path("ca.pem");
        let ca = (self.security != Security::Plain).then_some(ca.as_path());
        let endpoint = self.url().parse().unwrap();
        let sender = Sender::new(
            "Alerts <alerts@example.org>",
            "Ottawa",
            "https://tenders.example.org",
            None,
        );
        MailSettings {
            server: SmtpServer::new(endpoint, password.map(str::to_owned), ca, "example.org").unwrap(),
            sender: sender.unwrap(),
            rate: 6000.try_into().unwrap(),
        }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_procure"));
        command
            .arg("alerts")
            .args(arguments)
            .env("PROCURE_INDEX_DIR", self.path("index"))
            .env("PROCURE_STATE", self.path("state.db"))
            .env("PROCURE_SMTP_URL", self.url())
            .env("PROCURE_MAIL_RATE", "60000")
            .env("PROCURE_MAIL_FROM", "Alertes d’appels <alerts@example.org>")
            .env("PROCURE_MAIL_ADDRESS", "1 Sparks Street, Ottawa ON  K1A 0A1")
            .env("PROCURE_PUBLIC_URL", "https://tenders.example.org/api/")
            .stdin(Stdio::null());
        if self.security != Security::Plain {
            command
                .env("PROCURE_SMTP_PASSWORD", PASSWORD)
                .env("PROCURE_SMTP_CA", self.path("ca.pem"));
        }
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// The standard output of a successful run.
    fn stdout(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}

/// A server that runs in this process.
struct RunningServer {
    address: SocketAddr,
    stop: tokio::sync::oneshot::Sender<()>,
    thread: thread::JoinHandle<anyhow::Result<()>>,
}

impl RunningServer {
    fn start(fixture: &Fixture, settings: MailSettings, admin: Option<SocketAddr>) -> RunningServer {
        let mut config = Config::new(fixture.path("index"), fixture.path("state.db"));
        config.mail = Some(Arc::new(settings));
        config.admin_bind = admin;
        // One process holds many servers.
        config.limits.memory_bytes = i64::MAX;
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let thread = thread::spawn(move || {
            procure::server::run(&config, listener, async move {
                let _ = stopped.await;
            })
        });
        RunningServer { address, stop, thread }
    }

    fn stop(self) {
        self.stop.send(()).unwrap();
        self.thread.join().unwrap().unwrap();
    }
}

fn subscribe(state: &mut StateDb, email: &str, keyword: &str, change: impl FnOnce(&mut SubscriptionRequest)) {
    let mut wanted = wanted(email, keyword);
    change(&mut wanted);
    let evidence = consent(Some(i64::from(email.len() as u32)), Utc::now());
    state.subscribe(&wanted, &evidence).unwrap().unwrap();
}

/// A daily subscription in English without other conditions than a keyword.
fn wanted(email: &str, keyword: &str) -> SubscriptionRequest {
    SubscriptionRequest {
        email: EmailAddress::parse(email).unwrap(),
        keywords: vec![Keyword::parse(keyword).unwrap()],
        department: None,
        municipality: None,
        category: None,
        languages: Language::ALL.into(),
        translate: false,
        frequency: Frequency::Daily,
        locale: Locale::En,
    }
}

fn consent(key_id: Option<i64>, at: DateTime<Utc>) -> ConsentRecord<'static> {
    ConsentRecord {
        at,
        key_id,
        request_id: "test",
        peer: None,
        forwarded_for: None,
        words: "{}",
    }
}

/// A tender that is published today and open for ten days.
fn tender(record_id: &str, title: &str) -> Value {
    let today = Utc::now().date_naive();
    json!({
        "record_id": record_id,
        "reference_number": record_id,
        "municipality": "federal",
        "publication_date": today.to_string(),
        "closing_date": (today + Days::new(10)).to_string(),
        "status": "Open",
        "status_en": "Open",
        "title_en": title,
        "buyer_name": "Ville de Montréal",
        "notice_url": format!("https://notices.example.org/{record_id}"),
        "fetched_at": Utc::now().to_rfc3339(),
    })
}

fn text_of(received: &Received) -> String {
    let message = MessageParser::default().parse(&received.bytes).unwrap();
    message.body_text(0).unwrap().into_owned()
}

/// The tenders a mail lists, by their links.
fn listed(received: &Received) -> Vec<String> {
    let text = text_of(received);
    let links = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("https://notices.example.org/"));
    links.map(str::to_owned).collect()
}

fn message_id(received: &Received) -> String {
    let message = MessageParser::default().parse(&received.bytes).unwrap();
    message.message_id().unwrap().to_owned()
}

#[test]
fn a_digest_arrives_once_over_starttls_and_over_implicit_tls() {
    for security in [Security::StartTls, Security::Implicit] {
        let fixture = Fixture::new(security);
        fixture.publish(&[
            tender("a", "Snow removal"),
            tender("b", "Ice"),
            tender("c", "Snow tyres"),
        ]);
        fixture.subscribe("bob@example.org", "snow");
        fixture.subscribe("cec@example.org", "ice");
        fixture.subscribe("dan@example.org", "gravel");
        assert_eq!(fixture.stdout(&["send", "--dry-run"]).lines().count(), 2);
        assert_eq!(fixture.stdout(&["send"]), "2 mails sent\n");
        let mut accepted = fixture.server.accepted();
        accepted.sort_by(|a, b| a.to.cmp(&b.to));
        assert_eq!(accepted.len(), 2);
        assert_eq!(
            (accepted[0].to.as_str(), listed(&accepted[0])),
            ("bob@example.org", vec!["a".to_owned(), "c".to_owned()])
        );
        assert_eq!(
            (accepted[1].to.as_str(), listed(&accepted[1])),
            ("cec@example.org", vec!["b".to_owned()])
        );
        assert_eq!(fixture.server.connections(), 1, "one connection serves all mails");
        assert_eq!(fixture.stdout(&["send"]), "0 mails sent\n");
        assert_eq!(fixture.server.accepted_count(), 2);

        // An untrusted certificate or a wrong password sends nothing.
        fixture.publish(&[tender("d", "Snow fences")]);
        let_a_day_pass(&fixture);
        for (name, value, why) in [
            ("PROCURE_SMTP_CA", None, "the mail server cannot be used"),
            ("PROCURE_SMTP_PASSWORD", Some("wrong"), "the server replied 535"),
        ] {
            let mut command = fixture.command(&["send"]);
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
            let output = command.output().unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success() && stderr.contains(why), "{stderr}");
            assert!(!stderr.contains(PASSWORD) && !stderr.contains("wrong"), "{stderr}");
        }
        assert_eq!(fixture.server.accepted_count(), 2);
        assert_eq!(fixture.stdout(&["send"]), "1 mail sent\n");
        assert_eq!(listed(&fixture.server.accepted()[2]), ["d"]);
    }
}

fn let_a_day_pass(fixture: &Fixture) {
    sqlite(fixture, "UPDATE mailings SET began_at = began_at - 86400");
}

/// Changes the state database where a test cannot wait.
fn sqlite(fixture: &Fixture, statement: &str) {
    let connection = rusqlite::Connection::open(fixture.path("state.db")).unwrap();
    connection.execute_batch(statement).unwrap();
}

#[test]
fn temporary_refusals_are_retried_and_permanent_ones_are_not() {
    let fixture = Fixture::new(Security::Plain);
    fixture.publish(&[tender("a", "Snow removal")]);
    for name in ["later", "never", "fine"] {
        fixture.subscribe(&format!("{name}@example.org"), "snow");
    }
    fixture.server.set_behavior(|stage, to| match (stage, to) {
        (Stage::MessageEnd, "later@example.org") => Behavior::Reply(451),
        (Stage::RcptTo, "never@example.org") => Behavior::Reply(550),
        _ => Behavior::Normal,
    });
    let output = fixture.run(&["send"]);
    let (printed, logged) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert_eq!(printed, "1 mail sent, 1 deferred, 1 refused permanently\n");
    assert!(
        logged.contains("the server replied 451") && logged.contains("the server replied 550"),
        "{logged}"
    );
    assert!(!logged.contains("example.org"), "no address in the log: {logged}");
    assert_eq!(fixture.server.connections(), 1, "a refusal keeps the connection");
    let list = fixture.stdout(&["list"]);
    let line = |name: &str| list.lines().find(|line| line.contains(name)).unwrap().to_owned();
    assert!(
        line("later@").contains("deferred until") && line("later@").contains("451"),
        "{list}"
    );
    assert!(
        line("never@").contains("paused since") && line("never@").contains("550"),
        "{list}"
    );
    assert!(line("fine@").contains("last mail 20"), "{list}");

    // No address is due: one is deferred, one is paused, one was mailed.
    fixture.server.set_behavior(|_, _| Behavior::Normal);
    assert_eq!(fixture.stdout(&["send"]), "0 mails sent\n");
    sqlite(&fixture, "UPDATE setbacks SET due_at = due_at - 1800");
    assert_eq!(fixture.stdout(&["send"]), "1 mail sent\n");
    let (refused, accepted) = (fixture.server.refused(), fixture.server.accepted());
    assert_eq!(accepted[1].to, "later@example.org");
    assert_eq!(
        message_id(&refused[0]),
        message_id(&accepted[1]),
        "the same content has the same Message-ID"
    );
    assert!(!fixture.stdout(&["list"]).contains("deferred"));
    let_a_day_pass(&fixture);
    assert_eq!(fixture.stdout(&["send"]), "0 mails sent\n");
    assert_eq!(
        fixture.stdout(&["resume", "--email", "NEVER@example.org"]),
        "1 address resumed\n"
    );
    assert_eq!(fixture.stdout(&["send"]), "1 mail sent\n");
    assert_eq!(fixture.server.accepted_count(), 3);
}

#[test]
fn a_broken_connection_loses_no_mail_before_the_message_and_repeats_none_after_it() {
    let fixture = Fixture::new(Security::Plain);
    fixture.publish(&[tender("a", "Snow removal")]);
    for name in ["ann", "bob", "cec"] {
        fixture.subscribe(&format!("{name}@example.org"), "snow");
    }
    // Before the message nothing can have been accepted.
    fixture.server.set_behavior(|stage, to| match (stage, to) {
        (Stage::Data, "ann@example.org") => Behavior::Disconnect,
        _ => Behavior::Normal,
    });
    assert_eq!(fixture.stdout(&["send"]), "2 mails sent, 1 deferred\n");
    assert_eq!(fixture.server.connections(), 2);
    fixture.server.set_behavior(|_, _| Behavior::Normal);
    sqlite(&fixture, "UPDATE setbacks SET due_at = due_at - 1800");
    assert_eq!(fixture.stdout(&["send"]), "1 mail sent\n");

    // After it the mail may have been accepted without a confirmation.
    fixture.publish(&[tender("a", "Snow removal"), tender("b", "Snow tyres")]);
    let_a_day_pass(&fixture);
    fixture.server.set_behavior(|stage, to| match (stage, to) {
        (Stage::MessageEnd, "bob@example.org") => Behavior::AcceptThenDisconnect,
        (Stage::MessageChunk, "cec@example.org") => Behavior::Disconnect,
        _ => Behavior::Normal,
    });
    let output = fixture.run(&["send"]);
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("may have arrived"),
        "{output:?}"
    );
    fixture.server.set_behavior(|_, _| Behavior::Normal);
    sqlite(&fixture, "UPDATE setbacks SET due_at = due_at - 1800");
    let_a_day_pass(&fixture);
    fixture.run(&["send"]);
    let_a_day_pass(&fixture);
    assert_eq!(fixture.stdout(&["send"]), "0 mails sent\n");
    let pairs = pairs(&fixture.server.accepted());
    assert!(pairs.values().all(|times| *times == 1), "{pairs:?}");
    assert_eq!(pairs.keys().filter(|(to, _)| to == "bob@example.org").count(), 2);
    assert!(fixture.stdout(&["list"]).contains("may not have arrived"));

    // An unreachable server, or one that refuses the sender, affects no address.
    fixture.publish(&[tender("c", "Snow ploughs")]);
    fixture.server.set_behavior(|stage, _| {
        if stage == Stage::MailFrom {
            Behavior::Reply(550)
        } else {
            Behavior::Normal
        }
    });
    let output = fixture.run(&["send"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && stderr.contains("3 addresses left for the next run"),
        "{stderr}"
    );
    fixture.server.set_behavior(|_, _| Behavior::Normal);
    assert_eq!(fixture.stdout(&["send"]), "3 mails sent\n");
}

/// How often each address received each tender.
fn pairs(accepted: &[Received]) -> HashMap<(String, String), usize> {
    let mut pairs = HashMap::new();
    for received in accepted {
        for record_id in listed(received) {
            *pairs.entry((received.to.clone(), record_id)).or_default() += 1;
        }
    }
    pairs
}

#[test]
fn incomplete_or_unlawful_settings_are_refused() {
    let fixture = Fixture::new(Security::Plain);
    fixture.publish(&[tender("a", "Snow removal")]);
    for (name, value, why) in [
        ("PROCURE_MAIL_FROM", "", "--mail-from"),
        ("PROCURE_MAIL_FROM", "alerts@example.org", "must also name the sender"),
        (
            "PROCURE_MAIL_FROM",
            "A\r\nBcc: b@example.org <a@example.org>",
            "--mail-from",
        ),
        ("PROCURE_MAIL_ADDRESS", " ", "CASL"),
        ("PROCURE_PUBLIC_URL", "tenders.example.org", "--public-url must be"),
        ("PROCURE_SMTP_URL", "", "--smtp-url"),
        (
            "PROCURE_SMTP_URL",
            "smtps://ann:s3cret@mail.example.org",
            "must not contain the password",
        ),
        ("PROCURE_SMTP_PASSWORD", "s3cret", "names no user"),
        ("PROCURE_DKIM_KEY", "/nowhere", "--dkim-selector"),
        ("PROCURE_MAIL_RATE", "0", "--mail-rate"),
    ] {
        let output = fixture.command(&["send"]).env(name, value).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && stderr.contains(why),
            "{name}={value}: {stderr}"
        );
        assert!(!stderr.contains("s3cret") && !stderr.contains("panicked"), "{stderr}");
    }
}

/// More than ten runs can mail before they are killed.
const SUBSCRIBERS: usize = 1000;
const TENDERS: usize = 500;
const KILLS: usize = 10;

#[test]
fn no_tender_is_mailed_twice_when_the_sender_is_killed_repeatedly() {
    let fixture = Fixture::new(Security::Plain);
    // Each tender has two of twenty topics, and each address subscribes to one: 50 tenders per
    // address, 50,000 pairs.
    let topic = |number: usize| format!("topic{}", number % 20);
    let title = |number: usize| format!("{} and {}", topic(number), topic(number / 20 + number + 1));
    let tenders: Vec<Value> = (0..TENDERS)
        .map(|number| tender(&format!("t{number}"), &title(number)))
        .collect();
    fixture.publish(&tenders);
    let mut state = fixture.state();
    let mut expected = HashSet::new();
    for number in 0..SUBSCRIBERS {
        let email = format!("reader{number}@example.org");
        subscribe(&mut state, &email, &topic(number), |_| {});
        let wanted = (0..TENDERS).filter(|tender| title(*tender).split(' ').any(|word| word == topic(number)));
        expected.extend(wanted.map(|tender| (email.clone(), format!("t{tender}"))));
    }
    drop(state);
    let random = |below: u32| getrandom::u32().unwrap() % below;
    for kill in 0..KILLS {
        let (start, before) = (Instant::now(), fixture.server.accepted_count());
        let mut child = fixture
            .command(&["send"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Some kills come during startup, most in the middle of a mail.
        let (mails, time) = match kill % 3 {
            0 => (0, Duration::from_millis(random(100).into())),
            _ => (1 + random(60) as usize, Duration::ZERO),
        };
        wait_until("the stage to kill", || {
            (fixture.server.accepted_count() >= before + mails && start.elapsed() >= time)
                || child.try_wait().unwrap().is_some()
        });
        thread::sleep(Duration::from_micros(random(10_000).into()));
        let is_over = child.try_wait().unwrap().is_some();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(
            !is_over,
            "the run ended before kill {kill}, at {} mails",
            fixture.server.accepted_count()
        );
    }
    let last = fixture.run(&["send"]);
    assert!(last.status.success(), "{last:?}");
    assert_eq!(fixture.stdout(&["send"]), "0 mails sent\n");
    let accepted = fixture.server.accepted();
    let arrived = pairs(&accepted);
    let twice: Vec<_> = arrived.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "{twice:?}");
    let arrived: HashSet<(String, String)> = arrived.into_keys().collect();
    assert!(arrived.is_subset(&expected));
    let missing: HashSet<&str> = expected.difference(&arrived).map(|(email, _)| email.as_str()).collect();
    println!(
        "{} mails, {} pairs; {} addresses without theirs after {KILLS} kills",
        accepted.len(),
        arrived.len(),
        missing.len()
    );
    assert!(missing.len() <= KILLS, "{missing:?}");
    let ids: HashSet<String> = accepted.iter().map(message_id).collect();
    assert_eq!(ids.len(), accepted.len());
}

#[test]
fn two_senders_do_not_run_at_once() {
    let fixture = Fixture::new(Security::Plain);
    fixture.publish(&[tender("a", "Snow removal")]);
    for number in 0..20 {
        fixture.subscribe(&format!("reader{number}@example.org"), "snow");
    }
    // The first one is slow.
    fixture.server.set_behavior(|stage, _| {
        if stage == Stage::RcptTo {
            thread::sleep(Duration::from_millis(100));
        }
        Behavior::Normal
    });
    let mut first = fixture.command(&["send"]);
    let mut first = first.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_until("the first mail", || fixture.server.accepted_count() > 0);
    let second = fixture.run(&["send"]);
    assert!(
        String::from_utf8_lossy(&second.stderr).contains("another `procure alerts send`"),
        "{second:?}"
    );
    // On SIGTERM it ends between two mails.
    let killed = Command::new("kill").arg(first.id().to_string()).status().unwrap();
    assert!(killed.success() && !first.wait().unwrap().success());
    let before = fixture.server.accepted_count();
    assert!(before < 20);
    fixture.server.set_behavior(|_, _| Behavior::Normal);
    assert_eq!(fixture.stdout(&["send"]), format!("{} mails sent\n", 20 - before));
    assert_eq!(fixture.state().count_uncertain_deliveries().unwrap(), 0);
}

#[test]
fn a_running_server_mails_the_tenders_of_a_new_generation() {
    let fixture = Fixture::new(Security::Plain);
    fixture.publish(&[tender("a", "Snow removal")]);
    fixture.subscribe("ann@example.org", "snow");
    fixture.state().create_key(Plan::Pro, "test", Utc::now(), None).unwrap();
    let running = RunningServer::start(&fixture, fixture.settings(None), None);
    wait_until("the first digest", || fixture.server.accepted_count() == 1);
    fixture.subscribe("bob@example.org", "ice");
    fixture.publish(&[tender("a", "Snow removal"), tender("b", "Ice")]);
    wait_until("the second", || fixture.server.accepted_count() == 2);
    assert_eq!(listed(&fixture.server.accepted()[1]), ["b"]);
    running.stop();
}

#[test]
fn an_unsubscribed_address_is_not_mailed_and_further_tenders_are_in_the_next_digest() {
    let fixture = Fixture::new(Security::Plain);
    let tenders: Vec<Value> = (0..60)
        .map(|number| tender(&format!("t{number}"), "Snow removal"))
        .collect();
    fixture.publish(&tenders);
    fixture.subscribe("ann@example.org", "snow");
    subscribe(&mut fixture.state(), "bob@example.org", "snow", |wanted| {
        wanted.frequency = Frequency::Weekly;
    });
    assert_eq!(fixture.stdout(&["send"]), "2 mails sent\n");
    let first = fixture.server.accepted();
    assert!(first.iter().all(|received| listed(received).len() == 50));
    assert!(text_of(&first[0]).contains("And 10 more"));
    let_a_day_pass(&fixture);
    assert_eq!(
        fixture.stdout(&["send"]),
        "1 mail sent\n",
        "a weekly subscription waits a week"
    );
    for _ in 0..6 {
        let_a_day_pass(&fixture);
    }
    assert_eq!(fixture.stdout(&["send"]), "1 mail sent\n");
    let pairs = pairs(&fixture.server.accepted());
    assert_eq!((pairs.len(), pairs.values().max()), (120, Some(&1)));

    // A plan that was made before the address unsubscribed.
    fixture.publish(&[tender("new", "Snow ploughs")]);
    let_a_day_pass(&fixture);
    let mut state = fixture.state();
    let index = fixture.path("index");
    let generation = generation::open(&index, &generation::current(&index).unwrap().unwrap()).unwrap();
    let sender = Sender::new(
        "Alerts <alerts@example.org>",
        "Ottawa",
        "https://tenders.example.org",
        None,
    )
    .unwrap();
    let plan = DigestPlan::new(&state, &generation, None, Utc::now()).unwrap();
    let compose = |state: &StateDb| plan.compose(&plan.recipients[0], &sender, state, Utc::now()).unwrap();
    assert!(compose(&state).is_some());
    let token = state.unsubscribe_all_token(&plan.recipients[0].email).unwrap();
    state.unsubscribe(&token, &consent(None, Utc::now())).unwrap();
    assert!(compose(&state).is_none());
}
