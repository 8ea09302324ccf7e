//! The digests of whole runs: a tender from two sources, an estimated value, a server that refuses every
//! address, an erased address.

use std::process::Stdio;

use chrono::{Days, Utc};
use serde_json::{Value, json};

use crate::{
    Fixture, consent, let_a_day_pass, listed,
    mail_server::{Behavior, Security, Stage},
    tender, text_of, wait_until,
};

/// A notice of a tender that another source may publish too.
fn notice(record_id: &str, title: &str, days_old: u64) -> Value {
    let mut notice = tender(record_id, title);
    let day = Utc::now().date_naive() - Days::new(days_old);
    notice["publication_date"] = json!(day.to_string());
    notice["solicitation_number"] = json!("2026-117");
    notice
}

#[test]
fn a_tender_of_two_sources_is_mailed_once_by_its_newest_notice() {
    let fixture = Fixture::new(Security::Plain);
    let (english, french) = (
        notice("one|a", "Snow removal", 3),
        notice("two|b", "Déneigement, snow", 1),
    );
    fixture.publish(&[english.clone(), french, tender("c", "Snow tyres")]);
    fixture.subscribe("ann@example.org", "snow");
    fixture.subscribe("ann@example.org", "removal");
    assert_eq!(fixture.stdout(&["send", "--dry-run"]), "   2  ann@example.org\n");
    assert_eq!(fixture.stdout(&["send"]), "1 mail sent\n");
    let mut arrived = listed(&fixture.server.accepted()[0]);
    arrived.sort();
    assert_eq!(arrived, ["c", "two|b"]);
    // It is not new again when one notice disappears or an amendment is published.
    fixture.publish(&[english, notice("two|b-amended", "Snow removal, amended", 0)]);
    let_a_day_pass(&fixture);
    assert_eq!(fixture.stdout(&["send"]), "0 mails sent\n");
}

#[test]
fn a_missing_value_is_estimated_and_labelled_as_an_estimate() {
    let fixture = Fixture::new(Security::Plain);
    let contract = |number: u64| {
        let day = Utc::now().date_naive() - Days::new(30 + 20 * number);
        json!({
            "record_id": format!("contract{number}"), "municipality": "federal", "award_date": day.to_string(), "vendor_name": "Ace",
            "buyer_name": "Ville de Montréal", "department_en": "Ville de Montréal", "title_en": "Snow removal, sector north",
            "contract_value": 123_400.0 + number as f64, "currency": "CAD", "fetched_at": Utc::now().to_rfc3339(),
            "solicitation_number": format!("old-{number}"),
        })
    };
    let contracts: String = (0..20).map(|number| format!("{}\n", contract(number))).collect();
    let folder = fixture.path("dumps/contract");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("made-up.ndjson"), contracts).unwrap();
    let mut stated = tender("stated", "Snow removal, sector south");
    stated["contract_value"] = json!(5_000.0);
    let mut unstated = tender("unstated", "Snow removal, sector north");
    unstated["department_en"] = json!("Ville de Montréal");
    fixture.publish(&[unstated, stated]);
    fixture.subscribe("ann@example.org", "snow");
    let text = fixture.stdout(&["preview", "--email", "ann@example.org"]);
    assert!(text.contains("Estimated value: $120,000\n"), "{text}");
    assert!(text.contains("Value: $5,000\n"), "{text}");
}

#[test]
fn a_server_that_refuses_every_address_pauses_only_ten() {
    let fixture = Fixture::new(Security::Plain);
    fixture.publish(&[tender("a", "Snow removal")]);
    for number in 0..30 {
        fixture.subscribe(&format!("reader{number}@example.org"), "snow");
    }
    fixture.server.set_behavior(|stage, _| match stage {
        Stage::RcptTo => Behavior::Reply(550),
        _ => Behavior::Normal,
    });
    let output = fixture.run(&["send"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success()
            && stderr.contains("refused 10 addresses in a row")
            && stderr.contains("alerts resume"),
        "{stderr}"
    );
    fixture.server.set_behavior(|_, _| Behavior::Normal);
    assert_eq!(fixture.stdout(&["send"]), "20 mails sent\n");
    assert_eq!(fixture.stdout(&["resume"]), "10 addresses resumed\n");
    assert_eq!(fixture.stdout(&["send"]), "10 mails sent\n");
}

#[test]
fn an_erased_address_is_no_longer_listed_or_mailed() {
    let fixture = Fixture::new(Security::Plain);
    fixture.publish(&[tender("a", "Snow removal")]);
    fixture.subscribe("ann@example.org", "snow");
    fixture.subscribe("bob@example.org", "snow");
    assert_eq!(
        fixture.stdout(&["forget", "--email", "Ann@Example.org"]),
        "erased; 1 alert ended\n"
    );
    assert!(!fixture.run(&["forget", "--email", "ann@example.org"]).status.success());
    let list = fixture.stdout(&["list"]);
    assert!(!list.contains("ann@") && list.contains("bob@"), "{list}");
    assert_eq!(fixture.stdout(&["send"]), "1 mail sent\n");
    let output = fixture.run(&["preview", "--email", "ann@example.org"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("is not subscribed"), "{stderr}");
    assert!(text_of(&fixture.server.accepted()[0]).contains("(alerts@example.org)"));
}

#[test]
fn unsubscribing_during_the_rate_limit_wait_prevents_the_mail() {
    let fixture = Fixture::new(Security::Plain);
    fixture.publish(&[tender("a", "Snow removal")]);
    let readers = ["ann@example.org", "bob@example.org"];
    readers.iter().for_each(|reader| fixture.subscribe(reader, "snow"));
    let mut child = fixture.command(&["send"]);
    // 20 mails per minute: three seconds between two.
    let mut child = child
        .env("PROCURE_MAIL_RATE", "20")
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_until("the first mail", || fixture.server.accepted_count() == 1);
    let first = fixture.server.accepted()[0].to.clone();
    let other = readers.iter().find(|reader| **reader != first).unwrap();
    let mut state = fixture.state();
    let token = state.unsubscribe_all_token(other).unwrap();
    state.unsubscribe(&token, &consent(None, Utc::now())).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(fixture.server.accepted_count(), 1);
}
