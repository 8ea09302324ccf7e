//! Servers that say nothing, and servers that are set up wrong: what a run makes of them, and how soon it can be stopped.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use chrono::Utc;
use procure::{
    alerts::{
        mailer::{self, Report, Settings},
        send::Patience,
    },
    catalog::generation,
    model::plans::Plan,
};

use crate::{
    PATIENCE, Place, Running,
    server::{Moment, Mood, PASSWORD, Security},
    tender, wait_for,
};

fn place_with(readers: &[&str], security: Security) -> Place {
    let place = Place::new(security);
    place.publish(&[tender("a", "Snow removal")]);
    for reader in readers {
        place.subscribe(&format!("{reader}@example.org"), "snow");
    }
    place
}

fn run(place: &Place, settings: &Settings) -> Report {
    let index = place.path("index");
    let generation = generation::open(&index, &generation::current(&index).unwrap().unwrap()).unwrap();
    mailer::run_once(
        &place.state(),
        &generation,
        settings,
        Utc::now,
        &|| None,
        &mut |_, _| {},
    )
    .unwrap()
}

#[test]
fn the_answer_to_a_message_is_waited_for_longest_and_silence_costs_one_digest() {
    for security in [Security::Plain, Security::Implicit] {
        let place = place_with(&["ann", "bob", "cec"], security);
        let waiting = |message: Duration| {
            let mut settings = place.settings((security != Security::Plain).then_some(PASSWORD));
            settings.server = settings.server.waiting(Patience {
                connection: PATIENCE,
                command: Duration::from_millis(900),
                message,
            });
            settings
        };
        place
            .server
            .behave(|moment, _| if moment == Moment::End { Mood::Mute } else { Mood::Fine });
        let report = run(&place, &waiting(Duration::from_millis(200)));
        assert_eq!((report.sent, report.uncertain, report.waiting), (0, 1, 2), "{report}");
        assert!(report.cut.as_ref().unwrap().contains("said nothing"), "{report}");
        assert_eq!((place.server.count(), place.server.connections()), (1, 1));

        // Slower than a command may be, and heard; the one that was lost is not sent again.
        place.server.behave(|moment, _| {
            if moment == Moment::End {
                thread::sleep(Duration::from_millis(1_200));
            }
            Mood::Fine
        });
        let report = run(&place, &waiting(PATIENCE));
        assert_eq!((report.sent, report.uncertain, &report.cut), (2, 0, &None), "{report}");
        assert_eq!(place.server.count(), 3);
    }
}

#[test]
fn a_message_that_was_refused_is_refused_whatever_the_server_does_next() {
    let place = place_with(&["ann"], Security::Plain);
    place.server.behave(|moment, _| match moment {
        Moment::End => Mood::SayAndMute(550),
        _ => Mood::Fine,
    });
    let began = Instant::now();
    let report = run(&place, &place.settings(None));
    assert_eq!((report.bounced, report.uncertain), (1, 0), "{report}");
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
}

#[test]
fn a_command_that_is_not_answered_holds_up_no_stop() {
    let place = place_with(&["ann"], Security::Plain);
    place.server.behave(|moment, _| {
        if moment == Moment::Receiver {
            Mood::Mute
        } else {
            Mood::Fine
        }
    });
    let mut child = place.command(&["send"]);
    let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for("the connection", || place.server.connections() == 1);
    thread::sleep(Duration::from_millis(300));
    let stopped = Instant::now();
    let killed = Command::new("kill").arg(child.id().to_string()).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        killed.success() && !output.status.success() && said.contains("told to stop"),
        "{said}"
    );
    assert!(stopped.elapsed() < Duration::from_secs(8));
    place.server.behave(|_, _| Mood::Fine);
    assert_eq!(place.says(&["send"]), "1 mails sent\n");
}

#[test]
fn a_message_that_is_not_answered_holds_up_no_stop_for_long() {
    let place = place_with(&["ann", "bob"], Security::Plain);
    place.state().create_key(Plan::Pro, "test", Utc::now(), None).unwrap();
    place
        .server
        .behave(|moment, _| if moment == Moment::End { Mood::Mute } else { Mood::Fine });
    let running = Running::start(&place, place.settings(None), None);
    wait_for("the message", || place.server.count() == 1);
    let stopped = Instant::now();
    running.stop();
    assert!(stopped.elapsed() < PATIENCE, "{:?}", stopped.elapsed());
    assert_eq!(place.state().count_uncertain_deliveries().unwrap(), 1);
    place.server.behave(|_, _| Mood::Fine);
    assert_eq!(place.says(&["send"]), "1 mails sent\n", "the other one");
}

#[test]
fn what_no_retry_cures_is_said_once_with_the_cure_and_costs_no_address_anything() {
    for (security, name, value, cure) in [
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
            "name its issuer's with --smtp-ca",
        ),
        (
            Security::StartTls,
            "PROCURE_SMTP_CA",
            "",
            "name its issuer's with --smtp-ca",
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
        let place = place_with(&["ann", "bob"], security);
        let value = value.replace("PORT", &place.server.port.to_string());
        let mut command = place.command(&["send"]);
        match value.is_empty() {
            true => command.env_remove(name),
            false => command.env(name, value),
        };
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{said}");
        assert_eq!(said.matches(cure).count(), 1, "{name}: {said}");
        assert!(said.contains("2 addresses left for the next run"), "{said}");
        assert_eq!(place.server.connections(), 1, "{name}: asked once");
        assert!(!place.says(&["list"]).contains("paused"));
        assert_eq!(place.says(&["send"]), "2 mails sent\n");
    }
    // The same of a sender whom the server does not want.
    let place = place_with(&["ann"], Security::Plain);
    place.server.behave(|moment, _| {
        if moment == Moment::Sender {
            Mood::Say(530)
        } else {
            Mood::Fine
        }
    });
    let said = place.run(&["send"]).stderr;
    let said = String::from_utf8_lossy(&said);
    assert!(said.contains("530; the sender is refused"), "{said}");
}

#[test]
fn a_service_that_cannot_log_in_counts_a_failure_and_waits_for_the_next_run() {
    let place = place_with(&["ann"], Security::Implicit);
    place.state().create_key(Plan::Pro, "test", Utc::now(), None).unwrap();
    let admin = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let running = Running::start(&place, place.settings(Some("wrong")), Some(admin));
    let failures = || metrics(admin).contains("procure_background_failures_total{step=\"mailer\"} 1");
    wait_for("the failure to be counted", failures);
    // It looks for a new generation every second.
    thread::sleep(Duration::from_millis(2_500));
    assert!(failures(), "{}", metrics(admin));
    assert!(metrics(admin).contains("procure_mails_waiting 1"), "{}", metrics(admin));
    assert_eq!(place.server.connections(), 1);
    running.stop();
    assert!(place.state().delivery_history(Utc::now()).unwrap().suppressions.is_empty());
    assert_eq!(place.server.count(), 0);
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
fn who_subscribes_again_after_a_bounce_is_mailed_again() {
    let place = place_with(&["ann"], Security::Plain);
    place.server.behave(|moment, _| {
        if moment == Moment::Receiver {
            Mood::Say(550)
        } else {
            Mood::Fine
        }
    });
    assert_eq!(place.says(&["send"]), "0 mails sent, 1 refused for good\n");
    place.server.behave(|_, _| Mood::Fine);
    place.subscribe("ann@example.org", "snow");
    let list = place.says(&["list"]);
    assert!(
        list.contains("deferred until") && list.contains("subscribed again"),
        "{list}"
    );
    assert_eq!(place.says(&["send"]), "0 mails sent\n", "not before a day has passed");
    crate::sqlite(&place, "UPDATE setbacks SET due_at = due_at - 86400");
    assert_eq!(place.says(&["send"]), "1 mails sent\n");
    assert!(!place.says(&["list"]).contains("subscribed again"));
}
