//! Mail servers that hang or are misconfigured: the outcome of a run, and how soon it can be stopped.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use chrono::Utc;
use procure::{
    alerts::{
        mailer::{self, MailReport, MailSettings},
        smtp::session::SmtpTimeouts,
    },
    catalog::generation,
    model::plans::Plan,
};

use crate::{
    Fixture, RunningServer, TIMEOUT,
    free_address::free_address,
    mail_server::{Behavior, PASSWORD, Security, Stage},
    tender, wait_until,
};

fn fixture_with(readers: &[&str], security: Security) -> Fixture {
    let fixture = Fixture::new(security);
    fixture.publish(&[tender("a", "Snow removal")]);
    for reader in readers {
        fixture.subscribe(&format!("{reader}@example.org"), "snow");
    }
    fixture
}

fn run(fixture: &Fixture, settings: &MailSettings) -> MailReport {
    let index = fixture.path("index");
    let generation = generation::open(&index, &generation::current(&index).unwrap().unwrap()).unwrap();
    mailer::run_once(
        &fixture.state(),
        &generation,
        settings,
        Utc::now,
        &|| None,
        &mut |_, _| {},
    )
    .unwrap()
}

/// A timeout of a command that a loaded machine does not reach by itself.
const COMMAND: Duration = Duration::from_secs(2);

#[test]
fn the_reply_to_a_message_has_its_own_timeout_and_a_missing_one_costs_one_digest() {
    for security in [Security::Plain, Security::Implicit] {
        let fixture = fixture_with(&["ann", "bob", "cec"], security);
        let waiting = |message: Duration| {
            let mut settings = fixture.settings((security != Security::Plain).then_some(PASSWORD));
            settings.server = settings.server.with_timeouts(SmtpTimeouts {
                connection: TIMEOUT,
                command: COMMAND,
                message,
            });
            settings
        };
        fixture.server.set_behavior(|stage, _| {
            if stage == Stage::MessageEnd {
                Behavior::Hang
            } else {
                Behavior::Normal
            }
        });
        let report = run(&fixture, &waiting(Duration::from_millis(200)));
        assert_eq!((report.sent, report.uncertain, report.waiting), (0, 1, 2), "{report}");
        assert!(
            report.ended_early.as_ref().unwrap().contains("did not reply"),
            "{report}"
        );
        assert_eq!((fixture.server.accepted_count(), fixture.server.connections()), (1, 1));

        // Slower than the command timeout, within the message timeout. The lost mail is not sent again.
        fixture.server.set_behavior(|stage, _| {
            if stage == Stage::MessageEnd {
                thread::sleep(COMMAND * 5 / 4);
            }
            Behavior::Normal
        });
        let report = run(&fixture, &waiting(TIMEOUT));
        assert_eq!(
            (report.sent, report.uncertain, &report.ended_early),
            (2, 0, &None),
            "{report}"
        );
        assert_eq!(fixture.server.accepted_count(), 3);
    }
}

#[test]
fn a_refused_message_is_refused_even_if_the_server_then_hangs() {
    let fixture = fixture_with(&["ann"], Security::Plain);
    fixture.server.set_behavior(|stage, _| match stage {
        Stage::MessageEnd => Behavior::ReplyThenHang(550),
        _ => Behavior::Normal,
    });
    let began = Instant::now();
    let report = run(&fixture, &fixture.settings(None));
    assert_eq!((report.bounced, report.uncertain), (1, 0), "{report}");
    assert!(began.elapsed() < TIMEOUT, "{:?}", began.elapsed());
}

#[test]
fn an_unanswered_command_does_not_delay_stopping() {
    let fixture = fixture_with(&["ann"], Security::Plain);
    fixture.server.set_behavior(|stage, _| {
        if stage == Stage::RcptTo {
            Behavior::Hang
        } else {
            Behavior::Normal
        }
    });
    let mut child = fixture.command(&["send"]);
    let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("the connection", || fixture.server.connections() == 1);
    thread::sleep(Duration::from_millis(300));
    let stopped = Instant::now();
    let killed = Command::new("kill").arg(child.id().to_string()).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        killed.success() && !output.status.success() && stderr.contains("the process is stopping"),
        "{stderr}"
    );
    assert!(stopped.elapsed() < TIMEOUT, "{:?}", stopped.elapsed());
    fixture.server.set_behavior(|_, _| Behavior::Normal);
    assert_eq!(fixture.stdout(&["send"]), "1 mail sent\n");
}

#[test]
fn an_unanswered_message_delays_stopping_only_briefly() {
    let fixture = fixture_with(&["ann", "bob"], Security::Plain);
    fixture.state().create_key(Plan::Pro, "test", Utc::now(), None).unwrap();
    fixture.server.set_behavior(|stage, _| {
        if stage == Stage::MessageEnd {
            Behavior::Hang
        } else {
            Behavior::Normal
        }
    });
    let running = RunningServer::start(&fixture, fixture.settings(None), None);
    wait_until("the message", || fixture.server.accepted_count() == 1);
    let stopped = Instant::now();
    running.stop();
    assert!(stopped.elapsed() < TIMEOUT, "{:?}", stopped.elapsed());
    assert_eq!(fixture.state().count_uncertain_deliveries().unwrap(), 1);
    fixture.server.set_behavior(|_, _| Behavior::Normal);
    assert_eq!(fixture.stdout(&["send"]), "1 mail sent\n", "the other one");
}

#[test]
fn a_misconfiguration_is_reported_once_with_its_remedy_and_affects_no_address() {
    for (security, name, value, remedy) in [
        (
            Security::Implicit,
            "PROCURE_SMTP_PASSWORD",
            "wrong",
            "check the user in --smtp-url",
        ),
        (
            Security::StartTls,
            "PROCURE_SMTP_PASSWORD",
            "wrong",
            "check the user in --smtp-url",
        ),
        (
            Security::Implicit,
            "PROCURE_SMTP_CA",
            "",
            "name its issuer's certificate with --smtp-ca",
        ),
        (
            Security::StartTls,
            "PROCURE_SMTP_CA",
            "",
            "name its issuer's certificate with --smtp-ca",
        ),
        (
            Security::Plain,
            "PROCURE_SMTP_URL",
            "smtps://localhost:PORT",
            "else smtp://",
        ),
        (
            Security::Plain,
            "PROCURE_SMTP_URL",
            "smtp://localhost:PORT",
            "add ?tls=none",
        ),
    ] {
        let fixture = fixture_with(&["ann", "bob"], security);
        let value = value.replace("PORT", &fixture.server.port.to_string());
        let mut command = fixture.command(&["send"]);
        if value.is_empty() {
            command.env_remove(name);
        } else {
            command.env(name, value);
        }
        let output = command.output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{stderr}");
        assert_eq!(stderr.matches(remedy).count(), 1, "{name}: {stderr}");
        assert!(stderr.contains("2 addresses left for the next run"), "{stderr}");
        assert_eq!(fixture.server.connections(), 1, "{name}: one attempt");
        assert!(!fixture.stdout(&["list"]).contains("paused"));
        assert_eq!(fixture.stdout(&["send"]), "2 mails sent\n");
    }
    // The same for a sender that the server refuses.
    let fixture = fixture_with(&["ann"], Security::Plain);
    fixture.server.set_behavior(|stage, _| {
        if stage == Stage::MailFrom {
            Behavior::Reply(530)
        } else {
            Behavior::Normal
        }
    });
    let stderr = fixture.run(&["send"]).stderr;
    let stderr = String::from_utf8_lossy(&stderr);
    assert!(stderr.contains("530; the sender was refused"), "{stderr}");
}

#[test]
fn a_failed_login_counts_one_failure_until_the_next_run() {
    let fixture = fixture_with(&["ann"], Security::Implicit);
    fixture.state().create_key(Plan::Pro, "test", Utc::now(), None).unwrap();
    let admin = free_address();
    let running = RunningServer::start(&fixture, fixture.settings(Some("wrong")), Some(admin));
    let failures = || metrics(admin).contains("procure_background_failures_total{step=\"mailer\"} 1");
    wait_until("the failure to be counted", failures);
    // The worker checks for a new generation every second.
    thread::sleep(Duration::from_millis(2_500));
    assert!(failures(), "{}", metrics(admin));
    assert!(metrics(admin).contains("procure_mails_waiting 1"), "{}", metrics(admin));
    let size = metrics(admin);
    let size = size.lines().find_map(|line| line.strip_prefix("procure_state_bytes "));
    assert!(size.unwrap().parse::<u64>().unwrap() > 10_000, "{size:?}");
    assert_eq!(fixture.server.connections(), 1);
    running.stop();
    assert!(
        fixture
            .state()
            .delivery_history(Utc::now())
            .unwrap()
            .suppressions
            .is_empty()
    );
    assert_eq!(fixture.server.accepted_count(), 0);
}

fn metrics(admin: SocketAddr) -> String {
    let mut page = String::new();
    let Ok(mut socket) = TcpStream::connect(admin) else {
        return page;
    };
    socket
        .write_all(b"GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        .unwrap();
    let _ = socket.read_to_string(&mut page);
    page
}

#[test]
fn subscribing_again_after_a_bounce_resumes_mail_a_day_later() {
    let fixture = fixture_with(&["ann"], Security::Plain);
    fixture.server.set_behavior(|stage, _| {
        if stage == Stage::RcptTo {
            Behavior::Reply(550)
        } else {
            Behavior::Normal
        }
    });
    assert_eq!(fixture.stdout(&["send"]), "0 mails sent, 1 refused permanently\n");
    fixture.server.set_behavior(|_, _| Behavior::Normal);
    fixture.subscribe("ann@example.org", "snow");
    let list = fixture.stdout(&["list"]);
    assert!(
        list.contains("deferred until") && list.contains("subscribed again"),
        "{list}"
    );
    assert_eq!(
        fixture.stdout(&["send"]),
        "0 mails sent\n",
        "not before a day has passed"
    );
    crate::sqlite(&fixture, "UPDATE setbacks SET due_at = due_at - 86400");
    assert_eq!(fixture.stdout(&["send"]), "1 mail sent\n");
    assert!(!fixture.stdout(&["list"]).contains("subscribed again"));
}
