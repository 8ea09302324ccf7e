//! Confirmed opt-in: an address gets nothing but one confirmation mail until its owner presses the
//! button of the page that the mail's link opens.

use chrono::Utc;
use mail_parser::MessageParser;
use procure::{
    model::{email::EmailAddress, plans::Plan},
    state::{
        confirmations::ConfirmationState,
        subscription::{Locale, SubscribeOutcome, SubscriptionRequest},
    },
};
use serde_json::json;
use ureq::{Agent, http::Request};

use crate::{
    Fixture, RunningServer, consent, listed,
    mail_server::{Behavior, Received, Security, Stage},
    message_id, sqlite, tender, text_of, wait_until, wanted,
};

/// The ids of two keys that are not trusted.
const KEY: i64 = 101;
const OTHER_KEY: i64 = 102;

fn fixture() -> Fixture {
    let fixture = Fixture::new(Security::Plain);
    fixture.publish(&[tender("a", "Snow removal"), tender("b", "Ice control")]);
    fixture
}

fn request(keyword: &str, locale: Locale) -> SubscriptionRequest {
    SubscriptionRequest {
        locale,
        ..wanted("ann@example.org", keyword)
    }
}

fn subscribe(fixture: &Fixture, key_id: i64, keyword: &str) -> SubscribeOutcome {
    subscribe_in(fixture, key_id, keyword, Locale::En)
}

fn subscribe_in(fixture: &Fixture, key_id: i64, keyword: &str, locale: Locale) -> SubscribeOutcome {
    let request = request(keyword, locale);
    let consent = consent(Some(key_id), Utc::now());
    fixture.state().subscribe(&request, &consent).unwrap().unwrap()
}

fn last(fixture: &Fixture) -> Received {
    fixture.server.accepted().pop().unwrap()
}

/// The links of a confirmation mail: to confirm, and to decline.
fn links(received: &Received) -> [String; 2] {
    let text = text_of(received);
    ["confirm", "decline"].map(|name| {
        let start = format!("https://tenders.example.org/api/tender/alerts/{name}?token=");
        let other = start.replace("/api", "");
        let link = text
            .lines()
            .find(|line| line.starts_with(&start) || line.starts_with(&other));
        link.unwrap_or_else(|| panic!("no {name} in {text}")).to_owned()
    })
}

fn token(link: &str) -> &str {
    link.split_once("token=").unwrap().1
}

/// Confirms by the link of a mail, as its page does.
fn confirm(fixture: &Fixture, received: &Received) -> ConfirmationState {
    let [link, _] = links(received);
    fixture
        .state()
        .confirm(token(&link), &consent(None, Utc::now()))
        .unwrap()
}

/// Makes the database older by days.
fn let_days_pass(fixture: &Fixture, days: i64) {
    let seconds = days * 86_400;
    for statement in [
        "UPDATE mailings SET began_at = began_at - {}",
        "UPDATE subscriptions SET requested_at = requested_at - {0}, created_at = created_at - {0}, confirmed_at = confirmed_at - {0}",
        "UPDATE confirmations SET requested_at = requested_at - {0}, confirmed_at = confirmed_at - {0}",
    ] {
        let statement = statement.replace("{0}", &seconds.to_string());
        sqlite(fixture, &statement.replace("{}", &seconds.to_string()));
    }
}

/// The number of rows of a query.
fn count(fixture: &Fixture, from: &str) -> i64 {
    let connection = rusqlite::Connection::open(fixture.path("state.db")).unwrap();
    let select = format!("SELECT count(*) FROM {from}");
    connection.query_row(&select, [], |row| row.get(0)).unwrap()
}

/// A response: status, content type, all headers as text, body.
struct Answer {
    status: u16,
    content_type: String,
    headers: String,
    body: String,
}

fn send(running: &RunningServer, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let agent: Agent = Agent::config_builder().http_status_as_error(false).build().into();
    let mut request = Request::builder()
        .method(method)
        .uri(format!("http://{}{path}", running.address));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let mut response = agent.run(request.body(body.to_owned()).unwrap()).unwrap();
    let content_type = response.headers().get("content-type");
    Answer {
        status: response.status().as_u16(),
        content_type: content_type.map_or("", |kind| kind.to_str().unwrap()).to_owned(),
        headers: format!("{:?}", response.headers()),
        body: response.body_mut().read_to_string().unwrap(),
    }
}

const BROWSER: [(&str, &str); 1] = [("accept", "text/html,application/xhtml+xml,*/*;q=0.8")];

#[test]
fn an_address_confirms_by_a_button_and_then_gets_digests() {
    let fixture = fixture();
    let key = fixture
        .state()
        .create_key(Plan::Basic, "app", Utc::now(), None)
        .unwrap();
    let running = RunningServer::start(&fixture, fixture.settings(None), None);
    let headers = [("x-gateway-key", key.as_str()), ("content-type", "application/json")];
    let body = json!({"email": "Ann@Example.org", "keyword": "snow removal", "department": "Ville de Montréal"});
    let answer = send(
        &running,
        "POST",
        "/tender/alerts/subscribe",
        &headers,
        &body.to_string(),
    );
    assert_eq!(
        (answer.status, answer.body.as_str()),
        (200, r#"{"status":"subscribed"}"#)
    );
    // The server sends the mail within seconds.
    wait_until("the confirmation mail", || fixture.server.accepted_count() == 1);
    let received = last(&fixture);
    let message = MessageParser::default().parse(&received.bytes).unwrap();
    let html = message.body_html(0).unwrap();
    for text in [
        text_of(&received),
        html.into_owned(),
        message.subject().unwrap().to_owned(),
    ] {
        for word in ["snow", "removal", "Montréal", "Ville"] {
            assert!(!text.to_lowercase().contains(&word.to_lowercase()), "{word}: {text}");
        }
    }
    let text = text_of(&received);
    for part in [
        "tenders.example.org",
        "Alerts (alerts@example.org), Ottawa",
        "ignore this mail",
        "7 days",
    ] {
        assert!(text.replace('\n', " ").contains(part), "{part}: {text}");
    }
    let [link, decline] = links(&received);
    let unsubscribe = message.header_raw("List-Unsubscribe").unwrap().trim();
    assert_eq!(unsubscribe, format!("<{decline}>"));
    assert_eq!(
        message.header_raw("List-Unsubscribe-Post").unwrap().trim(),
        "List-Unsubscribe=One-Click"
    );

    // A program that opens every link, and one that only asks for headers, change nothing.
    let path = link.strip_prefix("https://tenders.example.org").unwrap();
    let decline = decline.strip_prefix("https://tenders.example.org").unwrap();
    for method in ["HEAD", "GET"] {
        for path in [path, decline] {
            let page = send(&running, method, path, &BROWSER, "");
            assert_eq!(
                (page.status, page.content_type.as_str()),
                (200, "text/html; charset=utf-8")
            );
            for header in [
                "content-security-policy",
                "default-src 'none'",
                "no-store",
                "no-referrer",
                "nosniff",
            ] {
                assert!(page.headers.contains(header), "{header}: {}", page.headers);
            }
            let shown = page.body.to_lowercase();
            assert!(!shown.contains("snow") && !shown.contains("montréal") && !shown.contains("<script"));
            if method == "GET" {
                assert!(
                    page.body.contains("Alerts (alerts@example.org), Ottawa"),
                    "{}",
                    page.body
                );
                assert_eq!(page.body.matches("<button>").count(), 2, "English and French");
            }
        }
    }
    assert!(fixture.stdout(&["list"]).contains("  0 alerts") && fixture.stdout(&["list"]).contains("1 not confirmed"));
    assert_eq!(fixture.stdout(&["send"]), "0 mails sent\n", "no digest yet");

    // The button's form is sent to the link itself. Pressing it again does no harm.
    let form = [("content-type", "application/x-www-form-urlencoded"), BROWSER[0]];
    for _ in 0..2 {
        let page = send(&running, "POST", path, &form, "");
        assert_eq!(
            (page.status, page.content_type.as_str()),
            (200, "text/html; charset=utf-8")
        );
        assert!(
            page.body.contains("You receive alerts") && page.body.contains("Vous recevez"),
            "{}",
            page.body
        );
    }
    let answer = send(&running, "POST", path, &[], "");
    assert_eq!(
        (answer.status, answer.body.as_str()),
        (200, r#"{"status":"confirmed"}"#)
    );
    assert!(
        send(&running, "GET", path, &BROWSER, "")
            .body
            .contains("You receive alerts")
    );
    let proof =
        "consents WHERE event = 'confirmed' AND key_id IS NULL AND peer = '127.0.0.1' AND length(request_id) = 32";
    assert_eq!(count(&fixture, proof), 1);
    assert_eq!(fixture.stdout(&["send"]), "1 mail sent\n");
    assert_eq!(listed(&last(&fixture)), ["a"]);

    // A link that is unknown or incomplete: a page for a browser, JSON for others.
    for method in ["GET", "POST"] {
        for name in ["confirm", "decline"] {
            for token in ["x", &"0".repeat(40), "%3Cscript%3E", &path[path.len() - 39..]] {
                let path = format!("/tender/alerts/{name}?token={token}");
                let answer = send(&running, method, &path, &[], "");
                assert_eq!(
                    (answer.status, answer.content_type.as_str()),
                    (404, "application/json"),
                    "{path}"
                );
                assert!(
                    answer.body.contains("use the whole link from the mail"),
                    "{}",
                    answer.body
                );
                let page = send(&running, method, &path, &BROWSER, "");
                assert_eq!(
                    (page.status, page.content_type.as_str()),
                    (404, "text/html; charset=utf-8")
                );
                assert!(page.body.contains("This link does not work") && !page.body.contains("<script"));
            }
            let answer = send(&running, method, &format!("/tender/alerts/{name}"), &[], "");
            assert_eq!(answer.status, 422, "{}", answer.body);
        }
    }
    running.stop();
}

#[test]
fn without_a_confirmation_nothing_else_is_sent_and_the_request_expires() {
    let fixture = fixture();
    assert_eq!(subscribe(&fixture, KEY, "snow"), SubscribeOutcome::Pending);
    assert!(
        fixture
            .stdout(&["send", "--dry-run"])
            .contains("ann@example.org  (confirmation)")
    );
    assert_eq!(fixture.stdout(&["send"]), "1 mail sent\n");
    let mail = last(&fixture);
    let preview = fixture.stdout(&["preview", "--email", "Ann@example.org"]);
    assert!(
        preview.contains("ignore this mail") && !preview.contains("snow"),
        "{preview}"
    );
    for _ in 0..6 {
        let_days_pass(&fixture, 1);
        assert_eq!(fixture.stdout(&["send"]), "0 mails sent\n");
    }
    assert!(fixture.stdout(&["list"]).contains("1 not confirmed"));
    let_days_pass(&fixture, 1);
    assert_eq!(confirm(&fixture, &mail), ConfirmationState::Expired);
    assert_eq!(fixture.stdout(&["send"]), "0 mails sent\n");
    assert_eq!(fixture.stdout(&["list"]), "");
    assert_eq!(confirm(&fixture, &mail), ConfirmationState::Expired);
    // Nothing readable is left. The link to decline goes on working.
    for table in ["addresses", "subscriptions", "consents"] {
        assert_eq!(count(&fixture, table), 0, "{table}");
    }
    let [_, decline] = links(&mail);
    let declined = fixture.state().decline(token(&decline), &consent(None, Utc::now()));
    assert!(declined.unwrap());
    // Without any mail, subscribing itself removes what has expired.
    let other = Fixture::new(Security::Plain);
    subscribe(&other, KEY, "snow");
    let_days_pass(&other, 7);
    subscribe(&other, OTHER_KEY, "ice");
    assert_eq!(count(&other, "subscriptions"), 1);
}

#[test]
fn an_address_gets_one_confirmation_mail_a_day_however_many_keys_ask() {
    let fixture = fixture();
    subscribe(&fixture, KEY, "snow");
    subscribe(&fixture, KEY, "ice");
    subscribe_in(&fixture, OTHER_KEY, "snow", Locale::Fr);
    assert_eq!(fixture.stdout(&["send"]), "1 mail sent\n");
    let text = text_of(&last(&fixture));
    assert!(
        text.contains("ignore this mail") && text.contains("ignorez ce courriel"),
        "{text}"
    );
    subscribe(&fixture, OTHER_KEY, "rain");
    subscribe(&fixture, KEY, "snow");
    assert_eq!(fixture.stdout(&["send"]), "0 mails sent\n");
    // The second one after a day, the third two days later, and only after another request.
    let mut sent_after = Vec::new();
    for day in 1..12 {
        let_days_pass(&fixture, 1);
        if fixture.stdout(&["send"]) == "1 mail sent\n" {
            sent_after.push(day);
        }
        subscribe(&fixture, OTHER_KEY, "snow");
        assert_eq!(fixture.stdout(&["send"]), "0 mails sent\n");
    }
    assert_eq!(sent_after, [1, 3, 7, 11]);
    // One confirmation is for all that waits; the link of the first mail is still the same.
    let first = fixture.server.accepted().remove(0);
    assert_eq!(links(&first), links(&last(&fixture)));
    assert_eq!(confirm(&fixture, &first), ConfirmationState::Confirmed);
    assert!(!fixture.stdout(&["list"]).contains("not confirmed"));
    assert_eq!(fixture.stdout(&["send"]), "1 mail sent\n", "a digest");
}

#[test]
fn a_confirmation_holds_for_the_key_until_the_address_unsubscribes() {
    let fixture = fixture();
    subscribe(&fixture, KEY, "snow");
    assert_eq!(fixture.stdout(&["send"]), "1 mail sent\n");
    assert_eq!(confirm(&fixture, &last(&fixture)), ConfirmationState::Confirmed);
    assert_eq!(subscribe(&fixture, KEY, "ice"), SubscribeOutcome::Created);
    // Equal requests of another key are its own, and wait.
    assert_eq!(subscribe(&fixture, OTHER_KEY, "snow"), SubscribeOutcome::Pending);
    assert_eq!(fixture.state().subscriptions().unwrap().len(), 2);
    assert_eq!(
        fixture.stdout(&["send"]),
        "1 mail sent\n",
        "the digest, and no mail to confirm today"
    );
    let_days_pass(&fixture, 1);
    assert_eq!(fixture.stdout(&["send"]), "1 mail sent\n");
    assert_eq!(confirm(&fixture, &last(&fixture)), ConfirmationState::Confirmed);
    assert_eq!(subscribe(&fixture, OTHER_KEY, "rain"), SubscribeOutcome::Created);

    // Ending one of them withdraws what was confirmed for all keys.
    let mut state = fixture.state();
    let snow = &state.subscriptions().unwrap()[0];
    let unsubscribe = state.unsubscribe_token(snow).unwrap();
    state.unsubscribe(&unsubscribe, &consent(None, Utc::now())).unwrap();
    for key in [KEY, OTHER_KEY] {
        assert_eq!(subscribe(&fixture, key, "hail"), SubscribeOutcome::Pending);
    }
    assert_eq!(subscribe(&fixture, KEY, "snow"), SubscribeOutcome::Pending);
    // The others go on. An alert that was active before is ended again if it is not confirmed.
    assert_eq!(fixture.state().subscriptions().unwrap().len(), 3);
    let_days_pass(&fixture, 8);
    fixture.stdout(&["send"]);
    assert_eq!(count(&fixture, "subscriptions WHERE unsubscribed_at IS NULL"), 3);
    assert_eq!(count(&fixture, "subscriptions"), 4);
}

#[test]
fn who_declines_gets_no_further_mail() {
    let fixture = fixture();
    subscribe(&fixture, KEY, "snow");
    fixture.stdout(&["send"]);
    let mail = last(&fixture);
    assert_eq!(confirm(&fixture, &mail), ConfirmationState::Confirmed);
    subscribe(&fixture, OTHER_KEY, "ice");
    let [_, decline] = links(&mail);
    for _ in 0..2 {
        let declined = fixture.state().decline(token(&decline), &consent(None, Utc::now()));
        assert!(declined.unwrap());
        assert_eq!(fixture.stdout(&["list"]), "");
    }
    assert_eq!(confirm(&fixture, &mail), ConfirmationState::Expired);
    for day in 0..9 {
        assert_eq!(
            subscribe(&fixture, KEY, &format!("word{day}")),
            SubscribeOutcome::Pending
        );
        assert_eq!(fixture.stdout(&["send"]), "0 mails sent\n");
        let_days_pass(&fixture, 1);
    }
    // Erasing the address keeps its wish.
    fixture.stdout(&["forget", "--email", "ann@example.org"]);
    subscribe(&fixture, KEY, "snow");
    assert_eq!(fixture.stdout(&["send"]), "0 mails sent\n");
    // Its owner changes their mind.
    let resumed = fixture.stdout(&["resume", "--email", "Ann@example.org"]);
    assert_eq!(resumed, "1 address resumed\n");
    subscribe(&fixture, KEY, "snow");
    assert_eq!(fixture.stdout(&["send"]), "1 mail sent\n");
    assert_eq!(confirm(&fixture, &last(&fixture)), ConfirmationState::Confirmed);
}

#[test]
fn a_refused_confirmation_mail_is_tried_again_and_an_uncertain_one_is_not() {
    let fixture = fixture();
    subscribe(&fixture, KEY, "snow");
    fixture.server.set_behavior(|stage, _| match stage {
        Stage::MessageEnd => Behavior::Reply(451),
        _ => Behavior::Normal,
    });
    assert_eq!(fixture.stdout(&["send"]), "0 mails sent, 1 deferred\n");
    fixture.server.set_behavior(|_, _| Behavior::Normal);
    assert_eq!(fixture.stdout(&["send"]), "0 mails sent\n", "it is deferred");
    sqlite(&fixture, "UPDATE setbacks SET due_at = due_at - 1800");
    assert_eq!(fixture.stdout(&["send"]), "1 mail sent\n");
    let (refused, accepted) = (fixture.server.refused(), fixture.server.accepted());
    assert_eq!(message_id(&refused[0]), message_id(&accepted[0]));

    // The server may have the second one.
    subscribe(&fixture, KEY, "ice");
    let_days_pass(&fixture, 1);
    fixture.server.set_behavior(|stage, _| match stage {
        Stage::MessageEnd => Behavior::AcceptThenDisconnect,
        _ => Behavior::Normal,
    });
    let output = fixture.run(&["send"]);
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("may have arrived"),
        "{output:?}"
    );
    fixture.server.set_behavior(|_, _| Behavior::Normal);
    for _ in 0..5 {
        let_days_pass(&fixture, 1);
        sqlite(&fixture, "UPDATE setbacks SET due_at = due_at - 86400");
        assert_eq!(fixture.stdout(&["send"]), "0 mails sent\n");
    }
    // Refused for good: paused, and not asked again at once.
    let other = self::fixture();
    subscribe(&other, KEY, "snow");
    other.server.set_behavior(|stage, _| match stage {
        Stage::RcptTo => Behavior::Reply(550),
        _ => Behavior::Normal,
    });
    assert_eq!(other.stdout(&["send"]), "0 mails sent, 1 refused permanently\n");
    assert!(other.stdout(&["list"]).contains("paused since"));
    other.server.set_behavior(|_, _| Behavior::Normal);
    assert_eq!(other.stdout(&["send"]), "0 mails sent\n");
}

#[test]
fn refused_confirmation_mails_do_not_stop_digests() {
    let fixture = fixture();
    for number in 0..15 {
        let request = SubscriptionRequest {
            email: EmailAddress::parse(&format!("nobody{number}@example{number}.org")).unwrap(),
            ..request("snow", Locale::En)
        };
        let consent = consent(Some(KEY), Utc::now());
        fixture.state().subscribe(&request, &consent).unwrap().unwrap();
    }
    fixture.subscribe("ann@example.org", "snow");
    fixture.server.set_behavior(|stage, to| match stage {
        Stage::RcptTo if to.starts_with("nobody") => Behavior::Reply(550),
        _ => Behavior::Normal,
    });
    let output = fixture.run(&["send"]);
    let (printed, stderr) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(
        printed.starts_with("1 mail sent, 10 refused permanently, 5 not attempted"),
        "{printed}"
    );
    assert!(stderr.contains("refused 10 addresses in a row"), "{stderr}");
    assert_eq!(listed(&last(&fixture)), ["a"]);
    let output = fixture.run(&["send"]);
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.starts_with("0 mails sent, 5 refused permanently"), "{printed}");
}

#[test]
fn a_trusted_key_needs_no_confirmation() {
    let fixture = fixture();
    let keys = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_procure"));
        command
            .arg("keys")
            .args(arguments)
            .env("PROCURE_STATE", fixture.path("state.db"));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    keys(&["create", "--plan", "PRO", "--label", "gateway", "--trusted-consent"]);
    keys(&["create", "--plan", "PRO", "--label", "stranger"]);
    let list = keys(&["list"]);
    let line = |label: &str| list.lines().find(|line| line.contains(label)).unwrap().to_owned();
    let id = |label: &str| line(label).split_whitespace().next().unwrap().to_owned();
    assert!(
        line("gateway").contains("trusted consent") && !line("stranger").contains("trusted"),
        "{list}"
    );
    let (gateway, stranger) = (id("gateway"), id("stranger"));
    assert_eq!(
        subscribe(&fixture, gateway.parse().unwrap(), "snow"),
        SubscribeOutcome::Created
    );
    assert_eq!(fixture.stdout(&["send"]), "1 mail sent\n");
    assert_eq!(listed(&last(&fixture)), ["a"]);
    assert_eq!(
        subscribe(&fixture, stranger.parse().unwrap(), "ice"),
        SubscribeOutcome::Pending
    );
    keys(&["trust", &stranger]);
    assert_eq!(
        subscribe(&fixture, stranger.parse().unwrap(), "ice"),
        SubscribeOutcome::Created
    );
    keys(&["untrust", &gateway]);
    assert_eq!(
        subscribe(&fixture, gateway.parse().unwrap(), "hail"),
        SubscribeOutcome::Pending
    );
}

#[test]
fn a_digest_names_only_what_found_something_and_nothing_that_looks_like_a_link() {
    let fixture = fixture();
    fixture.subscribe("ann@example.org", "snow");
    fixture.subscribe("ann@example.org", "gravel");
    // A subscription of before such texts were refused.
    fixture.subscribe("ann@example.org", "ice");
    let old = r#"UPDATE subscriptions SET keywords = '["ice", "ice.example", "control"]' WHERE keywords = '["ice"]'"#;
    sqlite(&fixture, old);
    assert_eq!(fixture.stdout(&["send"]), "1 mail sent\n");
    let text = text_of(&last(&fixture));
    assert!(
        text.contains("“snow” (daily)") && text.contains("“ice”, “control” (daily)"),
        "{text}"
    );
    assert!(!text.contains("gravel") && !text.contains("ice.example"), "{text}");
    // A department and a keyword that find something are not shown either if they look like a link.
    let old = r#"UPDATE subscriptions SET department = 'laval.example', keywords = '["ice.control"]' WHERE keywords = '["snow"]'"#;
    sqlite(&fixture, old);
    let mut tender = tender("c", "Ice control, again");
    tender["department_en"] = json!("Laval, example");
    fixture.publish(&[tender]);
    let text = fixture.stdout(&["preview", "--email", "ann@example.org"]);
    assert!(text.contains("other words (daily)"), "{text}");
    assert!(
        !text.contains("laval.example") && !text.contains("ice.control"),
        "{text}"
    );
}

#[test]
fn a_confirmation_mail_is_in_the_language_of_the_subscription() {
    let fixture = fixture();
    subscribe_in(&fixture, KEY, "snow", Locale::Fr);
    fixture.stdout(&["send"]);
    let text = text_of(&last(&fixture));
    assert!(
        !text.contains("ignore this mail") && text.contains("ignorez ce courriel"),
        "{text}"
    );
    let message = last(&fixture);
    let message = MessageParser::default().parse(&message.bytes).unwrap();
    assert_eq!(message.header_raw("Content-Language").unwrap().trim(), "fr");
}
