//! Tests of the limits of confirmation mails to one site.

use chrono::{DateTime, TimeDelta, Utc};

use super::{
    address_hash::AddressHash,
    confirmation_mails::MailSender,
    consent::ConsentRecord,
    database::StateDb,
    sample_subscription,
    site_limits::{MAX_OF_KEY_AND_SITE, MAX_OF_SITE},
    subscription::SubscribeOutcome,
};

const KEY: i64 = 101;

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_772_366_400, 0).unwrap()
}

fn database() -> (tempfile::TempDir, StateDb) {
    let folder = tempfile::tempdir().unwrap();
    let state = StateDb::open(&folder.path().join("state.db")).unwrap();
    state.connection.pragma_update(None, "synchronous", "OFF").unwrap();
    (folder, state)
}

fn subscribe(state: &mut StateDb, key_id: i64, email: &str, at: DateTime<Utc>) {
    let request = sample_subscription::request(email, &["snow"]);
    let consent = ConsentRecord {
        at,
        key_id: Some(key_id),
        request_id: "trace-7",
        peer: None,
        forwarded_for: None,
        words: "{}",
    };
    let outcome = state.subscribe(&request, &consent).unwrap();
    // Whatever the limits of the mails are.
    assert_eq!(outcome, Ok(SubscribeOutcome::Pending), "{email}");
}

fn due(state: &StateDb, at: DateTime<Utc>) -> Vec<String> {
    let due = state.due_confirmations(None, at).unwrap();
    due.into_iter().map(|due| due.email).collect()
}

/// Begins all mails that are due, and returns their addresses.
fn mail_all(state: &StateDb, at: DateTime<Utc>) -> Vec<String> {
    let sender = MailSender {
        name: "Service <service@example.org>".into(),
        postal: "1 Street".into(),
    };
    let due = due(state, at);
    for email in &due {
        state.begin_confirmation(AddressHash::new(email), &sender, at).unwrap();
    }
    due
}

#[test]
fn a_key_has_few_mails_sent_to_one_site_in_a_day() {
    let (_folder, mut state) = database();
    for number in 0..60 {
        // Subdomains are of the same site.
        subscribe(&mut state, KEY, &format!("x{number}@a{number}.example.org"), now());
    }
    for number in 0..25 {
        subscribe(&mut state, KEY, &format!("x{number}@gmail.com"), now());
    }
    subscribe(&mut state, KEY, "bob@example.com", now());
    let first = mail_all(&state, now());
    let to_site = first.iter().filter(|email| email.ends_with(".example.org")).count();
    assert_eq!(to_site as i64, MAX_OF_KEY_AND_SITE);
    assert_eq!(
        first.len(),
        to_site + 26,
        "a provider and another site have no such limit"
    );
    assert!(due(&state, now() + TimeDelta::hours(1)).is_empty());
    // The others are asked on the next day, before they expire.
    assert_eq!(mail_all(&state, now() + TimeDelta::days(1)).len(), 10);
    assert!(due(&state, now() + TimeDelta::days(2)).is_empty());
}

#[test]
fn many_keys_share_the_mails_to_a_site_and_keep_no_other_key_out() {
    let (_folder, mut state) = database();
    for key_id in KEY..KEY + 9 {
        for number in 0..30 {
            subscribe(&mut state, key_id, &format!("x{key_id}-{number}@example.org"), now());
        }
    }
    // The first mail of a key is sent in any case.
    assert_eq!(mail_all(&state, now()).len() as i64, MAX_OF_SITE + 2);
    subscribe(&mut state, 900, "ann@example.org", now());
    subscribe(&mut state, 900, "bob@example.org", now());
    assert_eq!(mail_all(&state, now()).len(), 1);
    let later = now() + TimeDelta::days(1);
    assert_eq!(mail_all(&state, later).len(), 69);
    assert!(due(&state, later + TimeDelta::days(1)).is_empty());
}

#[test]
fn a_key_that_has_used_its_mails_holds_up_no_address_of_another_key() {
    let (_folder, mut state) = database();
    for number in 0..MAX_OF_KEY_AND_SITE {
        subscribe(&mut state, KEY, &format!("x{number}@example.org"), now());
    }
    mail_all(&state, now());
    subscribe(&mut state, 900, "ann@example.org", now());
    // It asks last, and for another address of the mailbox too.
    subscribe(&mut state, KEY, "ann@example.org", now());
    subscribe(&mut state, KEY, "ann+1@example.org", now() - TimeDelta::seconds(1));
    assert_eq!(mail_all(&state, now()), ["ann@example.org"]);
}

#[test]
fn opening_a_database_of_an_older_version_writes_the_mailboxes() {
    let (folder, mut state) = database();
    subscribe(&mut state, KEY, "a.nn@gmail.com", now());
    let old = "DROP TABLE service_addresses;
         UPDATE confirmations SET mailbox = address;
         DROP INDEX mailings_to_site;
         ALTER TABLE mailings DROP COLUMN site;
         ALTER TABLE mailings DROP COLUMN key_id;
         PRAGMA user_version = 8";
    state.connection.execute_batch(old).unwrap();
    drop(state);
    let state = StateDb::open(&folder.path().join("state.db")).unwrap();
    let select = "SELECT mailbox FROM confirmations";
    let mailbox: [u8; 32] = state.connection.query_row(select, [], |row| row.get(0)).unwrap();
    assert_eq!(mailbox, AddressHash::new("ann@gmail.com").0);
    assert_eq!(due(&state, now()), ["a.nn@gmail.com"]);
}
