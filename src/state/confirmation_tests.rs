//! Tests of confirmed opt-in and of the bounds of what subscribing stores.

use std::path::PathBuf;

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::Connection;

use super::{
    confirmations::{CONFIRM_WITHIN, ConfirmationState},
    consent::{ConsentRecord, MAX_PER_DAY},
    database::{StateDb, file_bytes},
    migrations::MIGRATIONS,
    sample_subscription,
    subscription::{
        Frequency, MAX_OF_ADDRESS, MAX_OF_KEY_AND_DAY, MAX_UNCONFIRMED_OF_KEY, SubscribeOutcome, SubscriptionLimit,
        SubscriptionRequest,
    },
};
use crate::{model::Plan, query::keyword::Keyword};

/// Two keys that are not trusted.
const KEY: i64 = 101;
const OTHER_KEY: i64 = 102;

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_772_366_400, 0).unwrap()
}

fn consent(key_id: i64, at: DateTime<Utc>) -> ConsentRecord<'static> {
    ConsentRecord {
        at,
        key_id: Some(key_id),
        request_id: "trace-7",
        peer: Some([192, 0, 2, 1].into()),
        forwarded_for: Some("198.51.100.9"),
        words: "{}",
    }
}

fn request(email: &str, keyword: &str) -> SubscriptionRequest {
    sample_subscription::request(email, &[keyword])
}

fn database() -> (tempfile::TempDir, PathBuf, StateDb) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    let state = StateDb::open(&path).unwrap();
    state.connection.pragma_update(None, "synchronous", "OFF").unwrap();
    (folder, path, state)
}

type Subscribed = Result<SubscribeOutcome, SubscriptionLimit>;

fn subscribe(state: &mut StateDb, key_id: i64, email: &str, keyword: &str) -> Subscribed {
    let consent = consent(key_id, now());
    state.subscribe(&request(email, keyword), &consent).unwrap()
}

fn token(state: &StateDb, email: &str) -> String {
    state.pending_confirmation(email).unwrap().unwrap().token
}

fn count(state: &StateDb, from: &str) -> i64 {
    let select = format!("SELECT count(*) FROM {from}");
    state.connection.query_row(&select, [], |row| row.get(0)).unwrap()
}

#[test]
fn subscriptions_of_an_older_database_stay_active() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    let old = Connection::open(&path).unwrap();
    for step in &MIGRATIONS[..5] {
        old.execute_batch(step).unwrap();
    }
    let identity = request("ann@example.org", "snow").identity(7).unwrap();
    let identity = identity.strip_prefix("7 ").unwrap();
    old.execute_batch(&format!(
        "INSERT INTO keys VALUES (7, zeroblob(32), 'PRO', 'app', 0, NULL, NULL);
         INSERT INTO addresses VALUES (1, 'ann@example.org', zeroblob(16), x'01');
         INSERT INTO addresses VALUES (2, 'forgotten 2 ab', zeroblob(16), x'02');
         INSERT INTO subscriptions VALUES (1, 1, '{identity}', '[\"snow\"]', NULL, NULL, NULL, 'en,fr', 'daily', 'en', zeroblob(16), x'03', 7, 1000, NULL);
         INSERT INTO subscriptions VALUES (2, 2, 'forgotten 2', '[]', NULL, NULL, NULL, 'en,fr', 'daily', 'en', zeroblob(16), x'04', 7, 1000, 2000);
         INSERT INTO consents VALUES (1, 1, 'subscribed', 1000, 7, 'r', NULL, NULL, '{{}}');
         PRAGMA user_version = 5"
    ))
    .unwrap();
    drop(old);
    let mut state = StateDb::open(&path).unwrap();
    assert_eq!(state.subscriptions().unwrap().len(), 1);
    assert!(!state.keys().unwrap()[0].has_trusted_consent);
    // It is found by the same request of its key.
    assert_eq!(
        subscribe(&mut state, 7, "ann@example.org", "snow"),
        Ok(SubscribeOutcome::Unchanged)
    );
    assert_eq!(
        subscribe(&mut state, 7, "ann@example.org", "ice"),
        Ok(SubscribeOutcome::Pending)
    );
    assert_eq!(count(&state, "subscriptions WHERE identity = 'forgotten 2'"), 1);
}

#[test]
fn an_outcome_depends_only_on_what_the_key_itself_did() {
    let (_folder, _, mut state) = database();
    // The address has confirmed what one key asked for.
    for keyword in ["snow", "ice"] {
        subscribe(&mut state, KEY, "ann@example.org", keyword).unwrap();
    }
    let token = token(&state, "ann@example.org");
    let confirmed = state.confirm(&token, &consent(KEY, now())).unwrap();
    assert_eq!(confirmed, ConfirmationState::Confirmed);
    let asked = |state: &mut StateDb, email: &str| -> Vec<Subscribed> {
        let keywords = (0..MAX_OF_ADDRESS).map(|number| format!("word{number}"));
        let keywords = ["snow".to_owned(), "ice".to_owned()].into_iter().chain(keywords);
        keywords
            .map(|keyword| subscribe(state, OTHER_KEY, email, &keyword))
            .collect()
    };
    let (known, unknown) = (
        asked(&mut state, "ann@example.org"),
        asked(&mut state, "bob@example.org"),
    );
    assert_eq!(known, unknown);
    assert_eq!(known.last(), Some(&Err(SubscriptionLimit::OfAddress)));
    // A stranger changes nothing of what was confirmed.
    let mut weekly = request("ann@example.org", "snow");
    weekly.frequency = Frequency::Weekly;
    let outcome = state.subscribe(&weekly, &consent(OTHER_KEY, now())).unwrap();
    assert_eq!(outcome, Ok(SubscribeOutcome::Pending));
    let active = state.subscriptions().unwrap();
    assert!(active.len() == 2 && active.iter().all(|one| one.frequency == Frequency::Daily));
    // A confirmation activates no more than an address may have; the first come first.
    assert_eq!(
        state.confirm(&token, &consent(KEY, now())).unwrap(),
        ConfirmationState::Confirmed
    );
    assert_eq!(state.subscriptions().unwrap().len() as i64, MAX_OF_ADDRESS);
    assert_eq!(
        subscribe(&mut state, KEY, "ann@example.org", "rain"),
        Err(SubscriptionLimit::OfAddress)
    );
}

#[test]
fn a_key_cannot_have_many_strangers_asked_to_confirm() {
    let (_folder, _, mut state) = database();
    let email = |number: i64| format!("address{number}@example.org");
    for number in 0..MAX_UNCONFIRMED_OF_KEY {
        assert_eq!(
            subscribe(&mut state, KEY, &email(number), "snow"),
            Ok(SubscribeOutcome::Pending)
        );
    }
    let refused = Err(SubscriptionLimit::UnconfirmedOfKey);
    let confirmations = count(&state, "confirmations");
    assert_eq!(subscribe(&mut state, KEY, "ann@example.org", "snow"), refused);
    assert_eq!(
        (count(&state, "confirmations"), count(&state, "addresses")),
        (confirmations, MAX_UNCONFIRMED_OF_KEY),
        "a refused request stores nothing"
    );
    // An address that is asked already may be asked for more.
    for keyword in ["snow", "ice"] {
        assert_eq!(
            subscribe(&mut state, KEY, &email(0), keyword),
            Ok(SubscribeOutcome::Pending)
        );
    }
    // Other keys are not concerned: neither what they may do, nor what they are answered.
    assert_eq!(
        subscribe(&mut state, OTHER_KEY, "ann@example.org", "snow"),
        Ok(SubscribeOutcome::Pending)
    );
    let confirmed = token(&state, "ann@example.org");
    state.confirm(&confirmed, &consent(OTHER_KEY, now())).unwrap();
    assert_eq!(subscribe(&mut state, KEY, "ann@example.org", "snow"), refused);
    state.trust_made_up_keys();
    for number in 0..=MAX_UNCONFIRMED_OF_KEY {
        assert_eq!(
            subscribe(&mut state, 7, &email(number), "snow"),
            Ok(SubscribeOutcome::Created)
        );
    }
    // An address that confirms makes room for one, and needs none for what else it is asked.
    let confirmed = token(&state, &email(0));
    state.confirm(&confirmed, &consent(KEY, now())).unwrap();
    assert_eq!(
        subscribe(&mut state, KEY, &email(0), "rain"),
        Ok(SubscribeOutcome::Created)
    );
    assert_eq!(
        subscribe(&mut state, KEY, "ann@example.org", "snow"),
        Ok(SubscribeOutcome::Pending)
    );
    assert_eq!(subscribe(&mut state, KEY, "bob@example.org", "snow"), refused);
    // Requests that have expired make room for others.
    let next_week = consent(KEY, now() + CONFIRM_WITHIN);
    let outcome = state
        .subscribe(&request("bob@example.org", "snow"), &next_week)
        .unwrap();
    assert_eq!(outcome, Ok(SubscribeOutcome::Pending));
    let sentence = SubscriptionLimit::UnconfirmedOfKey.to_string();
    assert!(
        sentence.starts_with("100 e-mail addresses have not confirmed"),
        "{sentence}"
    );
}

#[test]
fn every_accepted_request_writes() {
    let (_folder, path, mut state) = database();
    let other = StateDb::open(&path).unwrap();
    for _ in 0..3 {
        for (key, email) in [
            (KEY, "ann@example.org"),
            (OTHER_KEY, "ann@example.org"),
            (KEY, "new@example.org"),
        ] {
            let before = other.data_version().unwrap();
            subscribe(&mut state, key, email, "snow").unwrap();
            assert_ne!(other.data_version().unwrap(), before, "{key} {email}");
        }
        let token = state.pending_confirmation("ann@example.org").unwrap();
        token.map(|due| state.confirm(&due.token, &consent(KEY, now())).unwrap());
    }
}

/// The largest request: 20 keywords of 80 characters of two bytes.
fn largest(number: usize) -> SubscriptionRequest {
    let mut largest = request(&format!("address{}@example.org", number / 40), "snow");
    largest.keywords = (0..20)
        .map(|keyword| {
            let text = format!("{number} {keyword} {}", "é".repeat(80));
            Keyword::parse(&text.chars().take(80).collect::<String>()).unwrap()
        })
        .collect();
    largest.department = Some("é".repeat(80));
    largest
}

#[test]
fn the_requests_of_one_key_grow_the_file_by_a_bounded_amount() {
    let (_folder, path, mut state) = database();
    let words = |request: &SubscriptionRequest| {
        let keywords: Vec<&str> = request.keywords.iter().map(Keyword::text).collect();
        serde_json::json!({"keywords": keywords, "department": request.department}).to_string()
    };
    let before = file_bytes(&path);
    let mut refused = Vec::new();
    for number in 0..2_400 {
        let request = largest(number);
        let words = words(&request);
        let consent = ConsentRecord {
            words: &words,
            ..consent(KEY, now() + TimeDelta::seconds(number as i64))
        };
        refused.extend(state.subscribe(&request, &consent).unwrap().err());
    }
    // As many as have the permitted bytes, and no others, however many there may be.
    assert!((2_400 - 600..2_400 - 300).contains(&refused.len()), "{}", refused.len());
    assert!(
        refused
            .iter()
            .all(|limit| *limit == SubscriptionLimit::BytesOfKeyAndDay)
    );
    let sentence = SubscriptionLimit::BytesOfKeyAndDay.to_string();
    assert!(
        sentence.contains("2048 KiB") && sentence.contains("shorter keywords"),
        "{sentence}"
    );
    let tomorrow = consent(KEY, now() + TimeDelta::days(1));
    assert!(state.subscribe(&largest(5_000), &tomorrow).unwrap().is_ok());
    let grown = file_bytes(&path) - before;
    println!("2,400 of the largest requests: {grown} bytes");
    assert!(grown < 10_000_000, "{grown}");

    // The same subscription again and again, each time changed.
    let (_folder, path, mut state) = database();
    let before = file_bytes(&path);
    state.trust_made_up_keys();
    let mut request = largest(0);
    let words = words(&request);
    for number in 0..2_400 {
        request.frequency = Frequency::ALL[number % 2];
        let consent = ConsentRecord {
            words: &words,
            ..consent(7, now() + TimeDelta::seconds(number as i64))
        };
        state.subscribe(&request, &consent).unwrap().unwrap();
    }
    assert_eq!(count(&state, "consents"), 2);
    assert_eq!(count(&state, "consents WHERE event = 'changed' AND times = 2399"), 1);
    state
        .connection
        .execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")
        .unwrap();
    let grown = file_bytes(&path) - before;
    println!("2,400 changes: {grown} bytes");
    assert!(grown < 300_000, "{grown}");
    // On the next day it is recorded anew.
    let tomorrow = consent(7, now() + TimeDelta::days(1));
    request.frequency = Frequency::Daily;
    state.subscribe(&request, &tomorrow).unwrap().unwrap();
    assert_eq!(count(&state, "consents"), 3);
}

#[test]
fn subscribing_and_ending_in_turn_is_bounded() {
    let (_folder, _, mut state) = database();
    state.trust_made_up_keys();
    let at = |number: i64| consent(7, now() + TimeDelta::seconds(number));
    // One subscription again and again.
    for number in 0..100 {
        let created = state
            .subscribe(&request("ann@example.org", "snow"), &at(number))
            .unwrap();
        assert_eq!(created, Ok(SubscribeOutcome::Created));
        let token = state.unsubscribe_all_token("ann@example.org").unwrap();
        state.unsubscribe(&token, &at(number)).unwrap();
    }
    assert!(
        count(&state, "consents") <= MAX_PER_DAY,
        "{}",
        count(&state, "consents")
    );
    // A new one each time. Ended ones stay, as proof, so their number a day is limited.
    let token = state.unsubscribe_all_token("ann@example.org").unwrap();
    let subscribe = |state: &mut StateDb, number: i64, seconds: i64| {
        let request = request("ann@example.org", &format!("word{number}"));
        let outcome = state.subscribe(&request, &at(seconds)).unwrap();
        state.unsubscribe(&token, &at(seconds)).unwrap();
        outcome
    };
    for number in 1..MAX_OF_KEY_AND_DAY {
        assert_eq!(subscribe(&mut state, number, 0), Ok(SubscribeOutcome::Created));
    }
    assert_eq!(subscribe(&mut state, 5_000, 0), Err(SubscriptionLimit::OfKeyAndDay));
    assert_eq!(subscribe(&mut state, 5_000, 86_400), Ok(SubscribeOutcome::Created));
    // Those that were never confirmed leave no row.
    let stored = count(&state, "subscriptions");
    for number in 0..60 {
        let request = request("ann@example.org", &format!("other{number}"));
        let outcome = state.subscribe(&request, &consent(KEY, now())).unwrap();
        assert_eq!(outcome, Ok(SubscribeOutcome::Pending));
        state.unsubscribe(&token, &at(0)).unwrap();
    }
    assert_eq!(count(&state, "subscriptions"), stored);
}

#[test]
fn a_confirmation_link_expires_until_it_is_asked_for_again() {
    let (_folder, _, mut state) = database();
    let at = |time: TimeDelta| consent(KEY, now() + time);
    let snow = request("ann@example.org", "snow");
    let minute = TimeDelta::minutes(1);
    state.subscribe(&snow, &at(TimeDelta::zero())).unwrap().unwrap();
    let first = token(&state, "ann@example.org");
    // Asking again prolongs the time, with the same link.
    state.subscribe(&snow, &at(TimeDelta::days(6))).unwrap().unwrap();
    assert_eq!(token(&state, "ann@example.org"), first);
    let found = |state: &StateDb, token: &str, time: TimeDelta| state.find_confirmation(token, now() + time).unwrap();
    let end = TimeDelta::days(6) + CONFIRM_WITHIN;
    assert_eq!(found(&state, &first, end - minute), ConfirmationState::Pending);
    assert_eq!(found(&state, &first, end), ConfirmationState::Expired);
    assert_eq!(state.confirm(&first, &at(end)).unwrap(), ConfirmationState::Expired);
    assert_eq!(count(&state, "subscriptions"), 1, "not yet removed");
    state.expire_confirmations(now() + end).unwrap();
    assert_eq!(count(&state, "subscriptions"), 0);
    assert_eq!(count(&state, "addresses"), 0);
    state.subscribe(&snow, &at(end)).unwrap().unwrap();
    // The link to decline in the first mail must go on working, so the links stay the same.
    assert_eq!(token(&state, "ann@example.org"), first);
    assert_eq!(state.confirm(&first, &at(end)).unwrap(), ConfirmationState::Confirmed);
    // The token is not in the database.
    let stored = format!("confirmations WHERE hex(token_sha256) LIKE '%{first}%' OR hex(salt) LIKE '%{first}%'");
    assert_eq!(count(&state, &stored), 0);
    // After some months nothing of it is left but the proof.
    state.expire_confirmations(now() + TimeDelta::days(200)).unwrap();
    assert_eq!((count(&state, "confirmations"), count(&state, "consents")), (0, 2));
    assert_eq!(state.subscriptions().unwrap().len(), 1);
}

#[test]
fn the_link_to_decline_ends_also_what_was_subscribed_after_the_request_expired() {
    let (_folder, _, mut state) = database();
    state.trust_made_up_keys();
    subscribe(&mut state, KEY, "ann@example.org", "snow").unwrap();
    let link = token(&state, "ann@example.org");
    let later = now() + CONFIRM_WITHIN;
    state.expire_confirmations(later).unwrap();
    assert_eq!(count(&state, "addresses"), 0);
    let created = state
        .subscribe(&request("ann@example.org", "ice"), &consent(7, later))
        .unwrap();
    assert_eq!(created, Ok(SubscribeOutcome::Created));
    assert!(state.decline(&link, &consent(KEY, later)).unwrap());
    assert!(state.subscriptions().unwrap().is_empty());
}

#[test]
fn asking_again_for_what_is_not_confirmed_stores_one_proof_a_day() {
    let (_folder, _, mut state) = database();
    for _ in 0..50 {
        subscribe(&mut state, KEY, "ann@example.org", "snow").unwrap();
    }
    assert_eq!(count(&state, "consents"), 1);
    assert_eq!(count(&state, "consents WHERE times = 50"), 1);
}

#[test]
fn trust_is_a_property_of_the_key() {
    let (_folder, _, state) = database();
    state.create_trusted_key(Plan::Pro, "gateway", now(), None).unwrap();
    state.create_key(Plan::Pro, "stranger", now(), None).unwrap();
    let trusted = |state: &StateDb| -> Vec<bool> {
        let keys = state.keys().unwrap();
        keys.iter().map(|key| key.has_trusted_consent).collect()
    };
    assert_eq!(trusted(&state), [true, false]);
    state.trust_key(2, true).unwrap();
    state.trust_key(1, false).unwrap();
    assert_eq!(trusted(&state), [false, true]);
    assert!(state.trust_key(3, true).is_err());
}
