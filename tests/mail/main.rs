//! Alerts as they arrive: `procure alerts` against a real mail server that refuses, hangs up, and watches the sender being killed.

mod content;
mod rounds;
mod server;
mod trouble;

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

use chrono::{Days, Utc};
use mail_parser::MessageParser;
use procure::{
    alerts::{mail::Sender, mailer::Settings, round},
    catalog::{generation, indexing},
    model::{email::EmailAddress, plans::Plan, stem::Language},
    query::keyword::Keyword,
    server::Config,
    state::{
        database::StateDb,
        consent::ConsentRecord,
        subscription::{Frequency, Locale, SubscriptionRequest},
    },
};
use serde_json::{Value, json};
use server::{Moment, Mood, PASSWORD, Received, Security, Server, USER};
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(30);

/// A folder with an index and a state file, and a mail server.
struct Place {
    folder: TempDir,
    server: Server,
    security: Security,
}

impl Place {
    fn new(security: Security) -> Place {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::start(security, &folder.path().join("ca.pem"));
        drop(StateDb::open(&folder.path().join("state.db")).unwrap());
        Place {
            folder,
            server,
            security,
        }
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
            index_dir: self.path("index"),
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

    /// What `procure alerts` would make of the settings.
    fn settings(&self, password: Option<&str>) -> Settings {
        let ca = self.path("ca.pem");
        let ca = (self.security != Security::Plain).then_some(ca.as_path());
        let place = self.url().parse().unwrap();
        let sender = Sender::new(
            "Alerts <alerts@example.org>",
            "Ottawa",
            "https://tenders.example.org",
            None,
        );
        Settings {
            server: procure::alerts::send::Server::new(place, password.map(str::to_owned), ca, "example.org").unwrap(),
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

    /// What a run that goes well says on stdout.
    fn says(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}

/// A service that runs in this process.
struct Running {
    stop: tokio::sync::oneshot::Sender<()>,
    thread: thread::JoinHandle<anyhow::Result<()>>,
}

impl Running {
    fn start(place: &Place, settings: Settings, admin: Option<SocketAddr>) -> Running {
        let mut config = Config::new(place.path("index"), place.path("state.db"));
        config.mail = Some(Arc::new(settings));
        config.admin_bind = admin;
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let thread = thread::spawn(move || {
            procure::server::run(&config, listener, async move {
                let _ = stopped.await;
            })
        });
        Running { stop, thread }
    }

    fn stop(self) {
        self.stop.send(()).unwrap();
        self.thread.join().unwrap().unwrap();
    }
}

fn subscribe(state: &mut StateDb, email: &str, keyword: &str, change: impl FnOnce(&mut SubscriptionRequest)) {
    let mut wanted = SubscriptionRequest {
        email: EmailAddress::parse(email).unwrap(),
        keywords: vec![Keyword::parse(keyword).unwrap()],
        department: None,
        municipality: None,
        category: None,
        languages: Language::ALL.into(),
        frequency: Frequency::Daily,
        locale: Locale::En,
    };
    change(&mut wanted);
    let evidence = ConsentRecord {
        at: Utc::now(),
        key_id: Some(i64::from(email.len() as u32)),
        request_id: "test",
        peer: None,
        forwarded_for: None,
        words: "{}",
    };
    state.subscribe(&wanted, &evidence).unwrap().unwrap();
}

/// A tender of today that is open for ten days.
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

fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "waited too long for {what}");
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_digest_arrives_once_over_starttls_and_over_tls() {
    for security in [Security::StartTls, Security::Implicit] {
        let place = Place::new(security);
        place.publish(&[
            tender("a", "Snow removal"),
            tender("b", "Ice"),
            tender("c", "Snow tyres"),
        ]);
        place.subscribe("bob@example.org", "snow");
        place.subscribe("cec@example.org", "ice");
        place.subscribe("dan@example.org", "gravel");
        assert_eq!(place.says(&["send", "--dry-run"]).lines().count(), 2);
        assert_eq!(place.says(&["send"]), "2 mails sent\n");
        let mut taken = place.server.taken();
        taken.sort_by(|a, b| a.to.cmp(&b.to));
        assert_eq!(taken.len(), 2);
        assert_eq!(
            (taken[0].to.as_str(), listed(&taken[0])),
            ("bob@example.org", vec!["a".to_owned(), "c".to_owned()])
        );
        assert_eq!(
            (taken[1].to.as_str(), listed(&taken[1])),
            ("cec@example.org", vec!["b".to_owned()])
        );
        assert_eq!(place.server.connections(), 1, "one connection serves all mails");
        assert_eq!(place.says(&["send"]), "0 mails sent\n");
        assert_eq!(place.server.count(), 2);

        // Who the certificate is from matters, and so does the password.
        place.publish(&[tender("d", "Snow fences")]);
        a_day_passes(&place);
        for (name, value, why) in [
            ("PROCURE_SMTP_CA", None, "the mail server cannot be used"),
            ("PROCURE_SMTP_PASSWORD", Some("wrong"), "the server said 535"),
        ] {
            let mut command = place.command(&["send"]);
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
            let output = command.output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success() && said.contains(why), "{said}");
            assert!(!said.contains(PASSWORD) && !said.contains("wrong"), "{said}");
        }
        assert_eq!(place.server.count(), 2);
        assert_eq!(place.says(&["send"]), "1 mails sent\n");
        assert_eq!(listed(&place.server.taken()[2]), ["d"]);
    }
}

fn a_day_passes(place: &Place) {
    sqlite(place, "UPDATE mailings SET began_at = began_at - 86400");
}

/// Writes what a test cannot wait for.
fn sqlite(place: &Place, statement: &str) {
    let connection = rusqlite::Connection::open(place.path("state.db")).unwrap();
    connection.execute_batch(statement).unwrap();
}

#[test]
fn what_is_refused_for_now_is_tried_again_and_what_is_refused_for_good_is_not() {
    let place = Place::new(Security::Plain);
    place.publish(&[tender("a", "Snow removal")]);
    for name in ["later", "never", "fine"] {
        place.subscribe(&format!("{name}@example.org"), "snow");
    }
    place.server.behave(|moment, to| match (moment, to) {
        (Moment::End, "later@example.org") => Mood::Say(451),
        (Moment::Receiver, "never@example.org") => Mood::Say(550),
        _ => Mood::Fine,
    });
    let output = place.run(&["send"]);
    let (said, logged) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert_eq!(said, "1 mails sent, 1 put off, 1 refused for good\n");
    assert!(
        logged.contains("the server said 451") && logged.contains("the server said 550"),
        "{logged}"
    );
    assert!(!logged.contains("example.org"), "no address in the log: {logged}");
    assert_eq!(place.server.connections(), 1, "a refusal does not cost the connection");
    let list = place.says(&["list"]);
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

    // Nobody is due: one waits, one is paused, one has it.
    place.server.behave(|_, _| Mood::Fine);
    assert_eq!(place.says(&["send"]), "0 mails sent\n");
    sqlite(&place, "UPDATE setbacks SET due_at = due_at - 1800");
    assert_eq!(place.says(&["send"]), "1 mails sent\n");
    let (refused, taken) = (place.server.refused(), place.server.taken());
    assert_eq!(taken[1].to, "later@example.org");
    assert_eq!(
        message_id(&refused[0]),
        message_id(&taken[1]),
        "the same mail has the same name"
    );
    assert!(!place.says(&["list"]).contains("put off"));
    a_day_passes(&place);
    assert_eq!(place.says(&["send"]), "0 mails sent\n");
    assert_eq!(
        place.says(&["resume", "--email", "NEVER@example.org"]),
        "1 addresses resumed\n"
    );
    assert_eq!(place.says(&["send"]), "1 mails sent\n");
    assert_eq!(place.server.count(), 3);
}

#[test]
fn a_broken_line_loses_nothing_before_the_message_and_doubles_nothing_after() {
    let place = Place::new(Security::Plain);
    place.publish(&[tender("a", "Snow removal")]);
    for name in ["ann", "bob", "cec"] {
        place.subscribe(&format!("{name}@example.org"), "snow");
    }
    // Before the message: nothing can have been taken.
    place.server.behave(|moment, to| match (moment, to) {
        (Moment::Start, "ann@example.org") => Mood::Cut,
        _ => Mood::Fine,
    });
    assert_eq!(place.says(&["send"]), "2 mails sent, 1 put off\n");
    assert_eq!(place.server.connections(), 2);
    place.server.behave(|_, _| Mood::Fine);
    sqlite(&place, "UPDATE setbacks SET due_at = due_at - 1800");
    assert_eq!(place.says(&["send"]), "1 mails sent\n");

    // After it: taken, and not said.
    place.publish(&[tender("a", "Snow removal"), tender("b", "Snow tyres")]);
    a_day_passes(&place);
    place.server.behave(|moment, to| match (moment, to) {
        (Moment::End, "bob@example.org") => Mood::TakeAndCut,
        (Moment::Middle, "cec@example.org") => Mood::Cut,
        _ => Mood::Fine,
    });
    let output = place.run(&["send"]);
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("may have arrived"),
        "{output:?}"
    );
    place.server.behave(|_, _| Mood::Fine);
    sqlite(&place, "UPDATE setbacks SET due_at = due_at - 1800");
    a_day_passes(&place);
    place.run(&["send"]);
    a_day_passes(&place);
    assert_eq!(place.says(&["send"]), "0 mails sent\n");
    let pairs = pairs(&place.server.taken());
    assert!(pairs.values().all(|times| *times == 1), "{pairs:?}");
    assert_eq!(pairs.keys().filter(|(to, _)| to == "bob@example.org").count(), 2);
    assert!(place.says(&["list"]).contains("may not have arrived"));

    // A server that is away, or wants no mail from us, costs no address anything.
    place.publish(&[tender("c", "Snow ploughs")]);
    place.server.behave(|moment, _| {
        if moment == Moment::Sender {
            Mood::Say(550)
        } else {
            Mood::Fine
        }
    });
    let output = place.run(&["send"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && said.contains("3 addresses left for the next run"),
        "{said}"
    );
    place.server.behave(|_, _| Mood::Fine);
    assert_eq!(place.says(&["send"]), "3 mails sent\n");
}

/// How often each tender reached each address.
fn pairs(taken: &[Received]) -> HashMap<(String, String), usize> {
    let mut pairs = HashMap::new();
    for received in taken {
        for record_id in listed(received) {
            *pairs.entry((received.to.clone(), record_id)).or_default() += 1;
        }
    }
    pairs
}

#[test]
fn half_set_or_unlawful_settings_are_refused() {
    let place = Place::new(Security::Plain);
    place.publish(&[tender("a", "Snow removal")]);
    for (name, value, why) in [
        ("PROCURE_MAIL_FROM", "", "--mail-from"),
        ("PROCURE_MAIL_FROM", "alerts@example.org", "must name the sender too"),
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
            "must not hold the password",
        ),
        ("PROCURE_SMTP_PASSWORD", "s3cret", "names no user"),
        ("PROCURE_DKIM_KEY", "/nowhere", "--dkim-selector"),
        ("PROCURE_MAIL_RATE", "0", "--mail-rate"),
    ] {
        let output = place.command(&["send"]).env(name, value).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(why), "{name}={value}: {said}");
        assert!(!said.contains("s3cret") && !said.contains("panicked"), "{said}");
    }
}

/// More than ten runs can send until they are killed.
const SUBSCRIBERS: usize = 1000;
const TENDERS: usize = 500;
const KILLS: usize = 10;

#[test]
fn no_tender_is_mailed_twice_however_often_the_sender_is_killed() {
    let place = Place::new(Security::Plain);
    // Each tender has two of twenty subjects, each address wants one: 50 tenders for each, 50,000 pairs.
    let subject = |number: usize| format!("topic{}", number % 20);
    let title = |number: usize| format!("{} and {}", subject(number), subject(number / 20 + number + 1));
    let tenders: Vec<Value> = (0..TENDERS)
        .map(|number| tender(&format!("t{number}"), &title(number)))
        .collect();
    place.publish(&tenders);
    let mut state = place.state();
    let mut expected = HashSet::new();
    for number in 0..SUBSCRIBERS {
        let email = format!("reader{number}@example.org");
        subscribe(&mut state, &email, &subject(number), |_| {});
        let wanted = (0..TENDERS).filter(|tender| title(*tender).split(' ').any(|word| word == subject(number)));
        expected.extend(wanted.map(|tender| (email.clone(), format!("t{tender}"))));
    }
    drop(state);
    let random = |below: u32| getrandom::u32().unwrap() % below;
    for kill in 0..KILLS {
        let (start, before) = (Instant::now(), place.server.count());
        let mut child = place
            .command(&["send"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Some while it gets ready, most in the middle of a mail.
        let (mails, time) = match kill % 3 {
            0 => (0, Duration::from_millis(random(100).into())),
            _ => (1 + random(60) as usize, Duration::ZERO),
        };
        wait_for("the moment to kill", || {
            (place.server.count() >= before + mails && start.elapsed() >= time) || child.try_wait().unwrap().is_some()
        });
        thread::sleep(Duration::from_micros(random(10_000).into()));
        let is_over = child.try_wait().unwrap().is_some();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(
            !is_over,
            "the run ended before kill {kill}, at {} mails",
            place.server.count()
        );
    }
    let last = place.run(&["send"]);
    assert!(last.status.success(), "{last:?}");
    assert_eq!(place.says(&["send"]), "0 mails sent\n");
    let taken = place.server.taken();
    let arrived = pairs(&taken);
    let twice: Vec<_> = arrived.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "{twice:?}");
    let arrived: HashSet<(String, String)> = arrived.into_keys().collect();
    assert!(arrived.is_subset(&expected));
    let missing: HashSet<&str> = expected.difference(&arrived).map(|(email, _)| email.as_str()).collect();
    println!(
        "{} mails, {} pairs; {} addresses without theirs after {KILLS} kills",
        taken.len(),
        arrived.len(),
        missing.len()
    );
    assert!(missing.len() <= KILLS, "{missing:?}");
    let ids: HashSet<String> = taken.iter().map(message_id).collect();
    assert_eq!(ids.len(), taken.len());
}

#[test]
fn two_senders_do_not_send_at_once() {
    let place = Place::new(Security::Plain);
    place.publish(&[tender("a", "Snow removal")]);
    for number in 0..20 {
        place.subscribe(&format!("reader{number}@example.org"), "snow");
    }
    // The first is held up in its first mail.
    place.server.behave(|moment, _| {
        if moment == Moment::Receiver {
            thread::sleep(Duration::from_millis(100));
        }
        Mood::Fine
    });
    let mut first = place.command(&["send"]);
    let mut first = first.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for("the first mail", || place.server.count() > 0);
    let second = place.run(&["send"]);
    assert!(
        String::from_utf8_lossy(&second.stderr).contains("another `procure alerts send`"),
        "{second:?}"
    );
    // Told to stop, it ends between two mails.
    let killed = Command::new("kill").arg(first.id().to_string()).status().unwrap();
    assert!(killed.success() && !first.wait().unwrap().success());
    let before = place.server.count();
    assert!(before < 20);
    place.server.behave(|_, _| Mood::Fine);
    assert_eq!(place.says(&["send"]), format!("{} mails sent\n", 20 - before));
    assert_eq!(place.state().count_uncertain_deliveries().unwrap(), 0);
}

#[test]
fn a_running_server_mails_what_a_new_generation_brings() {
    let place = Place::new(Security::Plain);
    place.publish(&[tender("a", "Snow removal")]);
    place.subscribe("ann@example.org", "snow");
    place.state().create_key(Plan::Pro, "test", Utc::now(), None).unwrap();
    let running = Running::start(&place, place.settings(None), None);
    wait_for("the first digest", || place.server.count() == 1);
    place.subscribe("bob@example.org", "ice");
    place.publish(&[tender("a", "Snow removal"), tender("b", "Ice")]);
    wait_for("the second", || place.server.count() == 2);
    assert_eq!(listed(&place.server.taken()[1]), ["b"]);
    running.stop();
}

#[test]
fn who_unsubscribes_is_not_mailed_and_what_waits_is_in_the_next_digest() {
    let place = Place::new(Security::Plain);
    let tenders: Vec<Value> = (0..60)
        .map(|number| tender(&format!("t{number}"), "Snow removal"))
        .collect();
    place.publish(&tenders);
    place.subscribe("ann@example.org", "snow");
    subscribe(&mut place.state(), "bob@example.org", "snow", |wanted| {
        wanted.frequency = Frequency::Weekly
    });
    assert_eq!(place.says(&["send"]), "2 mails sent\n");
    let first = place.server.taken();
    assert!(first.iter().all(|received| listed(received).len() == 50));
    assert!(text_of(&first[0]).contains("And 10 more"));
    a_day_passes(&place);
    assert_eq!(
        place.says(&["send"]),
        "1 mails sent\n",
        "a weekly subscription waits a week"
    );
    for _ in 0..6 {
        a_day_passes(&place);
    }
    assert_eq!(place.says(&["send"]), "1 mails sent\n");
    let pairs = pairs(&place.server.taken());
    assert_eq!((pairs.len(), pairs.values().max()), (120, Some(&1)));

    // A round that was planned before someone left.
    place.publish(&[tender("new", "Snow ploughs")]);
    a_day_passes(&place);
    let mut state = place.state();
    let index = place.path("index");
    let generation = generation::open(&index, &generation::current(&index).unwrap().unwrap()).unwrap();
    let sender = Sender::new(
        "Alerts <alerts@example.org>",
        "Ottawa",
        "https://tenders.example.org",
        None,
    )
    .unwrap();
    let round = round::plan(&state, &generation, None, Utc::now()).unwrap();
    let letter = |state: &StateDb| round.letter(&round.due[0], &sender, state, Utc::now()).unwrap();
    assert!(letter(&state).is_some());
    let token = state.unsubscribe_all_token(&round.due[0].email).unwrap();
    let evidence = ConsentRecord {
        at: Utc::now(),
        key_id: None,
        request_id: "test",
        peer: None,
        forwarded_for: None,
        words: "",
    };
    state.unsubscribe(&token, &evidence).unwrap();
    assert!(letter(&state).is_none());
}
