//! Who is told of what: one tender by two sources, what a value is worth that nobody states, and a server that refuses everyone.

use std::process::Stdio;

use chrono::{Days, Utc};
use procure::state::consent::ConsentRecord;
use serde_json::{Value, json};

use crate::{
    Place, a_day_passes, listed,
    server::{Moment, Mood, Security},
    tender, text_of, wait_for,
};

/// A notice of a call for bids that another source may tell of too.
fn notice(record_id: &str, title: &str, days_old: u64) -> Value {
    let mut notice = tender(record_id, title);
    let day = Utc::now().date_naive() - Days::new(days_old);
    notice["publication_date"] = json!(day.to_string());
    notice["solicitation_number"] = json!("2026-117");
    notice
}

#[test]
fn a_tender_that_two_sources_tell_of_is_mailed_once_by_its_newest_notice() {
    let place = Place::new(Security::Plain);
    let (english, french) = (
        notice("one|a", "Snow removal", 3),
        notice("two|b", "Déneigement, snow", 1),
    );
    place.publish(&[english.clone(), french.clone(), tender("c", "Snow tyres")]);
    place.subscribe("ann@example.org", "snow");
    place.subscribe("ann@example.org", "removal");
    assert_eq!(place.says(&["send", "--dry-run"]), "   2  ann@example.org\n");
    assert_eq!(place.says(&["send"]), "1 mails sent\n");
    let mut arrived = listed(&place.server.taken()[0]);
    arrived.sort();
    assert_eq!(arrived, ["c", "two|b"]);
    // Nor is it news when the one is gone, or an amendment comes.
    place.publish(&[english, notice("two|b-amended", "Snow removal, amended", 0)]);
    a_day_passes(&place);
    assert_eq!(place.says(&["send"]), "0 mails sent\n");
}

#[test]
fn a_value_that_nobody_states_is_estimated_and_said_to_be() {
    let place = Place::new(Security::Plain);
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
    let folder = place.path("dumps/contract");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("made-up.ndjson"), contracts).unwrap();
    let mut stated = tender("stated", "Snow removal, sector south");
    stated["contract_value"] = json!(5_000.0);
    let mut unstated = tender("unstated", "Snow removal, sector north");
    unstated["department_en"] = json!("Ville de Montréal");
    place.publish(&[unstated, stated]);
    place.subscribe("ann@example.org", "snow");
    let text = place.says(&["preview", "--email", "ann@example.org"]);
    assert!(text.contains("Estimated value: $120,000\n"), "{text}");
    assert!(text.contains("Value: $5,000\n"), "{text}");
}

#[test]
fn a_server_that_refuses_everyone_costs_few_their_mail() {
    let place = Place::new(Security::Plain);
    place.publish(&[tender("a", "Snow removal")]);
    for number in 0..30 {
        place.subscribe(&format!("reader{number}@example.org"), "snow");
    }
    place.server.behave(|moment, _| match moment {
        Moment::Receiver => Mood::Say(550),
        _ => Mood::Fine,
    });
    let output = place.run(&["send"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && said.contains("refused 10 addresses in a row") && said.contains("alerts resume"),
        "{said}"
    );
    place.server.behave(|_, _| Mood::Fine);
    assert_eq!(place.says(&["send"]), "20 mails sent\n");
    assert_eq!(place.says(&["resume"]), "10 addresses resumed\n");
    assert_eq!(place.says(&["send"]), "10 mails sent\n");
}

#[test]
fn an_address_is_forgotten_when_its_owner_asks() {
    let place = Place::new(Security::Plain);
    place.publish(&[tender("a", "Snow removal")]);
    place.subscribe("ann@example.org", "snow");
    place.subscribe("bob@example.org", "snow");
    assert_eq!(
        place.says(&["forget", "--email", "Ann@Example.org"]),
        "erased; 1 alerts ended\n"
    );
    assert!(!place.run(&["forget", "--email", "ann@example.org"]).status.success());
    let list = place.says(&["list"]);
    assert!(!list.contains("ann@") && list.contains("bob@"), "{list}");
    assert_eq!(place.says(&["send"]), "1 mails sent\n");
    let output = place.run(&["preview", "--email", "ann@example.org"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("is not subscribed"), "{said}");
    assert!(text_of(&place.server.taken()[0]).contains("(alerts@example.org)"));
}

#[test]
fn who_unsubscribes_while_the_rate_is_waited_for_gets_nothing() {
    let place = Place::new(Security::Plain);
    place.publish(&[tender("a", "Snow removal")]);
    let readers = ["ann@example.org", "bob@example.org"];
    readers.iter().for_each(|reader| place.subscribe(reader, "snow"));
    let mut child = place.command(&["send"]);
    // Three seconds between two mails.
    let mut child = child
        .env("PROCURE_MAIL_RATE", "20")
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_for("the first mail", || place.server.count() == 1);
    let first = place.server.taken()[0].to.clone();
    let other = readers.iter().find(|reader| **reader != first).unwrap();
    let mut state = place.state();
    let token = state.unsubscribe_all_token(other).unwrap();
    let evidence = ConsentRecord {
        at: Utc::now(),
        key_id: None,
        request_id: "test",
        peer: None,
        forwarded_for: None,
        words: "",
    };
    state.unsubscribe(&token, &evidence).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(place.server.count(), 1);
}
