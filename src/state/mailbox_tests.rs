//! Tests of addresses that differ only in their tags: their mail arrives in one mailbox.

use chrono::{DateTime, TimeDelta, Utc};

use super::{
    address_hash::AddressHash,
    confirmation_mails::MailSender,
    confirmations::ConfirmationState,
    consent::ConsentRecord,
    database::StateDb,
    sample_subscription,
    subscription::{MAX_UNCONFIRMED_OF_KEY, SubscribeOutcome, SubscriptionLimit},
};

const KEY: i64 = 101;

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_772_366_400, 0).unwrap()
}

fn consent(key_id: i64) -> ConsentRecord<'static> {
    ConsentRecord {
        at: now(),
        key_id: Some(key_id),
        request_id: "trace-7",
        peer: None,
        forwarded_for: None,
        words: "{}",
    }
}

fn subscribe(state: &mut StateDb, key_id: i64, email: &str) -> Result<SubscribeOutcome, SubscriptionLimit> {
    let request = sample_subscription::request(email, &["snow"]);
    state.subscribe(&request, &consent(key_id)).unwrap()
}

fn database() -> (tempfile::TempDir, StateDb) {
    let folder = tempfile::tempdir().unwrap();
    let state = StateDb::open(&folder.path().join("state.db")).unwrap();
    (folder, state)
}

fn due(state: &StateDb, at: DateTime<Utc>) -> Vec<String> {
    let due = state.due_confirmations(None, at).unwrap();
    due.into_iter().map(|due| due.email).collect()
}

/// Begins the mail that is due, and returns its address.
fn mail_one(state: &StateDb, at: DateTime<Utc>) -> String {
    let sender = MailSender {
        name: "Service <service@example.org>".into(),
        postal: "1 Street".into(),
    };
    let due = due(state, at);
    assert_eq!(due.len(), 1, "{due:?}");
    state
        .begin_confirmation(AddressHash::new(&due[0]), &sender, at)
        .unwrap();
    due[0].clone()
}

#[test]
fn a_mailbox_is_asked_once_a_day_whatever_the_tags() {
    let (_folder, mut state) = database();
    let emails = ["ann+2@example.org", "ann@example.org", "Ann+1@Example.org"];
    for email in emails {
        assert_eq!(subscribe(&mut state, KEY, email), Ok(SubscribeOutcome::Pending));
    }
    subscribe(&mut state, KEY, "anna@example.org").unwrap();
    // The address stays as it was given.
    let pending = state.pending_counts().unwrap();
    assert!(pending.contains(&("ann+1@example.org".to_owned(), 1)), "{pending:?}");
    let at_once = due(&state, now());
    assert_eq!(at_once, ["ann+1@example.org", "anna@example.org"]);
    let other = state.pending_confirmation("anna@example.org").unwrap().unwrap();
    state.decline(&other.token, &consent(KEY)).unwrap();
    let first = mail_one(&state, now());
    assert!(due(&state, now()).is_empty());
    assert!(
        state
            .due_confirmations(Some("ann@example.org"), now())
            .unwrap()
            .is_empty()
    );
    // The second mail comes a day later, the third two days after it.
    let day = |number| now() + TimeDelta::days(number);
    let second = mail_one(&state, day(1));
    assert!(first != second && due(&state, day(2)).is_empty());
    mail_one(&state, day(3));
    assert!(due(&state, day(6)).is_empty());
}

#[test]
fn declining_holds_for_the_whole_mailbox_until_its_owner_confirms() {
    let (_folder, mut state) = database();
    state.trust_made_up_keys();
    for email in ["ann+1@example.org", "ann+2@example.org", "ann@example.com"] {
        subscribe(&mut state, KEY, email).unwrap();
    }
    // A trusted key needs no confirmation, so these addresses have none.
    for email in ["ann+trusted@example.org", "ann@example.org", "anna@example.org"] {
        assert_eq!(subscribe(&mut state, 7, email), Ok(SubscribeOutcome::Created));
    }
    let link = state.pending_confirmation("ann+1@example.org").unwrap().unwrap().token;
    assert!(state.decline(&link, &consent(KEY)).unwrap());
    let left: Vec<String> = state
        .subscriptions()
        .unwrap()
        .into_iter()
        .map(|one| one.email)
        .collect();
    assert_eq!(left, ["anna@example.org"]);
    assert_eq!(due(&state, now()), ["ann@example.com"]);
    // New tags make no difference, nor what the request is answered.
    let new = subscribe(&mut state, KEY, "ann+3@example.org");
    assert_eq!(new, Ok(SubscribeOutcome::Pending));
    assert_eq!(due(&state, now()), ["ann@example.com"]);
    assert!(state.pending_confirmation("ann+3@example.org").unwrap().is_none());
    // The operator lifts it for the mailbox, whatever the spelling.
    assert!(state.allow_confirmations(AddressHash::new("ann@example.org")).unwrap());
    assert!(due(&state, now()).contains(&"ann+3@example.org".to_owned()));
    // So does the owner, who confirms by the link of another mail.
    let third = state.pending_confirmation("ann+3@example.org").unwrap().unwrap().token;
    assert!(state.decline(&link, &consent(KEY)).unwrap());
    subscribe(&mut state, KEY, "ann+3@example.org").unwrap();
    let confirmed = state.confirm(&third, &consent(KEY)).unwrap();
    assert_eq!(confirmed, ConfirmationState::Confirmed);
    subscribe(&mut state, KEY, "ann+4@example.org").unwrap();
    assert!(due(&state, now()).contains(&"ann+4@example.org".to_owned()));
}

#[test]
fn the_addresses_that_a_key_asks_count_by_mailbox() {
    let (_folder, mut state) = database();
    for number in 1..MAX_UNCONFIRMED_OF_KEY {
        subscribe(&mut state, KEY, &format!("address{number}@example.org")).unwrap();
    }
    for tag in 0..5 {
        let email = format!("ann+{tag}@example.org");
        assert_eq!(subscribe(&mut state, KEY, &email), Ok(SubscribeOutcome::Pending));
    }
    let refused = Err(SubscriptionLimit::UnconfirmedOfKey);
    assert_eq!(subscribe(&mut state, KEY, "bob+1@example.org"), refused);
}

#[test]
fn a_row_of_the_version_before_is_a_mailbox_of_its_own() {
    let (_folder, state) = database();
    let insert =
        "INSERT INTO confirmations (address, address_id, key_id, salt, token_sha256, requested_at, awaits_mail)
         VALUES (x'01', 1, 1, x'02', x'03', 0, 1)";
    state.connection.execute(insert, []).unwrap();
    let select = "SELECT mailbox FROM confirmations WHERE address = x'01'";
    let mailbox: Vec<u8> = state.connection.query_row(select, [], |row| row.get(0)).unwrap();
    assert_eq!(mailbox, [1]);
}
