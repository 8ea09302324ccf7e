//! Tests of subscriptions in the database: one per request, ended and reactivated, limited, with a
//! consent record.

use std::{path::PathBuf, thread};

use chrono::DateTime;

use super::{
    address_hash::AddressHash,
    consent::ConsentRecord,
    database::StateDb,
    sample_subscription::request,
    subscription::{
        Frequency, Locale, MAX_OF_KEY, SubscribeOutcome, Subscription, SubscriptionLimit, SubscriptionRequest,
    },
    unsubscribe::UnsubscribeOutcome,
};
use crate::model::{EmailAddress, Language};

const NOON: i64 = 1_772_366_400;

fn consent(seconds: i64) -> ConsentRecord<'static> {
    ConsentRecord {
        at: DateTime::from_timestamp(NOON + seconds, 0).unwrap(),
        key_id: Some(7),
        request_id: "trace-7",
        peer: Some([192, 0, 2, 1].into()),
        forwarded_for: Some("198.51.100.9"),
        words: r#"{"keyword":"Snow"}"#,
    }
}

fn database() -> (tempfile::TempDir, PathBuf, StateDb) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    let state = StateDb::open(&path).unwrap();
    state.trust_made_up_keys();
    (folder, path, state)
}

fn subscribe(
    state: &mut StateDb,
    request: &SubscriptionRequest,
    seconds: i64,
) -> Result<SubscribeOutcome, SubscriptionLimit> {
    state.subscribe(request, &consent(seconds)).unwrap()
}

/// The consent records: event, and seconds since [`NOON`].
fn log(state: &StateDb) -> Vec<(String, i64)> {
    let mut select = state
        .connection
        .prepare("SELECT event, at FROM consents ORDER BY id")
        .unwrap();
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? - NOON)));
    rows.unwrap().map(Result::unwrap).collect()
}

#[test]
fn equal_requests_are_one_subscription() {
    let (_folder, _, mut state) = database();
    let first = request("A@Example.com", &["Snow", "snow removal"]);
    assert_eq!(subscribe(&mut state, &first, 0), Ok(SubscribeOutcome::Created));
    for same in [
        request("a@example.com", &["Snow", "snow removal"]),
        request("a@EXAMPLE.com", &["\"snow  removal\"", "SNOW", "snow"]),
    ] {
        assert_eq!(
            subscribe(&mut state, &same, 1),
            Ok(SubscribeOutcome::Unchanged),
            "{same:?}"
        );
    }
    let mut weekly = first.clone();
    weekly.frequency = Frequency::Weekly;
    weekly.locale = Locale::Fr;
    assert_eq!(subscribe(&mut state, &weekly, 2), Ok(SubscribeOutcome::Changed));
    let subscription = Subscription {
        id: 1,
        email: "a@example.com".into(),
        keywords: vec!["Snow".into(), "snow removal".into()],
        department: None,
        municipality: None,
        category: None,
        languages: Language::ALL.into(),
        translate: false,
        frequency: Frequency::Weekly,
        locale: Locale::Fr,
        created_at: NOON,
    };
    assert_eq!(state.subscriptions().unwrap(), [subscription]);
    for (number, change) in [
        (|request: &mut SubscriptionRequest| request.department = Some("Parcs".into())) as fn(&mut SubscriptionRequest),
        |request| request.municipality = Some("laval".into()),
        |request| request.category = Some("SRV".into()),
        |request| request.languages = [Language::French].into(),
        |request| request.translate = true,
        |request| request.keywords.clear(),
        |request| request.email = EmailAddress::parse("b@example.com").unwrap(),
    ]
    .into_iter()
    .enumerate()
    {
        let mut other = first.clone();
        change(&mut other);
        assert_eq!(
            subscribe(&mut state, &other, 3),
            Ok(SubscribeOutcome::Created),
            "{other:?}"
        );
        other.department = other.department.map(|_| "PARCS,".into());
        assert_eq!(
            subscribe(&mut state, &other, 3),
            Ok(SubscribeOutcome::Unchanged),
            "{other:?}"
        );
        assert_eq!(state.subscriptions().unwrap().len(), number + 2);
    }
}

#[test]
fn a_token_works_whenever_it_is_used() {
    let (_folder, path, mut state) = database();
    let (snow, ice) = (request("a@example.com", &["snow"]), request("a@example.com", &["ice"]));
    for request in [&snow, &ice, &request("b@example.com", &["snow"])] {
        subscribe(&mut state, request, 0).unwrap();
    }
    let subscriptions = state.subscriptions().unwrap();
    let of_snow = state.unsubscribe_token(&subscriptions[0]).unwrap();
    let of_all = state.unsubscribe_all_token("a@example.com").unwrap();
    assert!(of_snow.len() == 40 && of_snow != of_all);
    let mut state = StateDb::open(&path).unwrap();
    assert_eq!(
        state.unsubscribe_token(&subscriptions[0]).unwrap(),
        of_snow,
        "it is the same in another process"
    );
    let mut end = |token: &str, seconds| {
        let consent = ConsentRecord {
            key_id: None,
            words: "",
            ..consent(seconds)
        };
        state.unsubscribe(token, &consent).unwrap()
    };
    for unknown in [
        "",
        "x",
        &"0".repeat(40),
        &"é".repeat(20),
        &of_snow[1..],
        &format!("{of_snow} "),
    ] {
        assert_eq!(end(unknown, 1), UnsubscribeOutcome::UnknownToken, "{unknown}");
    }
    assert_eq!(end(&of_snow, 2), UnsubscribeOutcome::Ended);
    assert_eq!(end(&of_snow.to_uppercase(), 3), UnsubscribeOutcome::AlreadyEnded);
    assert_eq!(end(&of_all, 4), UnsubscribeOutcome::Ended);
    assert_eq!(end(&of_all, 5), UnsubscribeOutcome::AlreadyEnded);
    let live = state.subscriptions().unwrap();
    assert_eq!(live.len(), 1);
    assert_eq!(live[0].email, "b@example.com");

    // Subscribing again reactivates the same row, and the links in old mails still end it.
    assert_eq!(subscribe(&mut state, &snow, 6), Ok(SubscribeOutcome::Created));
    let live = state.subscriptions().unwrap();
    assert_eq!((live[0].id, live[0].created_at), (1, NOON + 6));
    assert_eq!(
        state.unsubscribe(&of_snow, &consent(7)).unwrap(),
        UnsubscribeOutcome::Ended
    );
    let log = log(&state);
    let shown: Vec<(&str, i64)> = log.iter().map(|(event, at)| (event.as_str(), *at)).collect();
    let subscribed = [("subscribed", 0); 3];
    let rest = [
        ("unsubscribed", 2),
        ("unsubscribed", 4),
        ("subscribed", 6),
        ("unsubscribed", 7),
    ];
    assert_eq!(shown, [&subscribed[..], &rest[..]].concat());
}

#[test]
fn a_consent_record_holds_the_whole_request() {
    let (_folder, path, mut state) = database();
    subscribe(&mut state, &request("a@example.com", &["snow"]), 0).unwrap();
    let select =
        "SELECT key_id || ' ' || request_id || ' ' || peer || ' ' || forwarded_for || ' ' || words FROM consents";
    let record: String = state.connection.query_row(select, [], |row| row.get(0)).unwrap();
    assert_eq!(record, r#"7 trace-7 192.0.2.1 198.51.100.9 {"keyword":"Snow"}"#);
    // The file does not contain the token.
    let token = state.unsubscribe_all_token("a@example.com").unwrap();
    state
        .connection
        .execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")
        .unwrap();
    drop(state);
    let file = std::fs::read(&path).unwrap();
    assert!(file.windows(13).any(|window| window == b"a@example.com"));
    assert!(!file.windows(token.len()).any(|window| window == token.as_bytes()));
}

#[test]
fn an_address_has_at_most_fifty_subscriptions() {
    let (_folder, _, mut state) = database();
    let numbered = |number: usize| request("a@example.com", &[format!("word{number}").as_str()]);
    for number in 0..50 {
        assert_eq!(
            subscribe(&mut state, &numbered(number), 0),
            Ok(SubscribeOutcome::Created)
        );
    }
    assert_eq!(
        subscribe(&mut state, &numbered(50), 0),
        Err(SubscriptionLimit::OfAddress)
    );
    assert_eq!(
        subscribe(&mut state, &numbered(7), 0),
        Ok(SubscribeOutcome::Unchanged),
        "an existing one does not count again"
    );
    assert_eq!(
        subscribe(&mut state, &request("b@example.com", &[]), 0),
        Ok(SubscribeOutcome::Created)
    );
    let token = state.unsubscribe_token(&state.subscriptions().unwrap()[3]).unwrap();
    state.unsubscribe(&token, &consent(1)).unwrap();
    assert_eq!(subscribe(&mut state, &numbered(50), 2), Ok(SubscribeOutcome::Created));
    assert_eq!(
        subscribe(&mut state, &numbered(3), 2),
        Err(SubscriptionLimit::OfAddress),
        "reactivating one counts against the limit"
    );
}

#[test]
fn a_key_has_at_most_a_thousand_subscriptions_across_writers() {
    let (_folder, path, state) = database();
    state.connection.pragma_update(None, "synchronous", "OFF").unwrap();
    let subscribe_all = |from: usize| {
        let mut state = StateDb::open(&path).unwrap();
        state.connection.pragma_update(None, "synchronous", "OFF").unwrap();
        let numbered = |number: usize| request(&format!("a{}@example.com", number / 40), &[&format!("w{number}")]);
        (from..from + 520)
            .map(|number| subscribe(&mut state, &numbered(number), 0))
            .filter(|outcome| *outcome == Ok(SubscribeOutcome::Created))
            .count()
    };
    let made: usize = thread::scope(|scope| {
        let threads: Vec<_> = [0, 1000].map(|from| scope.spawn(move || subscribe_all(from))).into();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(made as i64, MAX_OF_KEY);
    assert_eq!(state.subscriptions().unwrap().len() as i64, MAX_OF_KEY);
    let mut state = state;
    assert_eq!(
        subscribe(&mut state, &request("new@example.com", &[]), 0),
        Err(SubscriptionLimit::OfKey)
    );
    let other = ConsentRecord {
        key_id: Some(8),
        ..consent(0)
    };
    assert_eq!(
        state.subscribe(&request("new@example.com", &[]), &other).unwrap(),
        Ok(SubscribeOutcome::Created)
    );
}

#[test]
fn a_malformed_row_does_not_affect_the_others() {
    let (_folder, _, mut state) = database();
    for keyword in ["snow", "ice", "rain", "hail", "sleet"] {
        subscribe(&mut state, &request("a@example.com", &[keyword]), 0).unwrap();
    }
    let by_hand =
        "UPDATE subscriptions SET keywords = 'x' WHERE id = 1; UPDATE subscriptions SET languages = 'de' WHERE id = 2;
         UPDATE subscriptions SET frequency = 'hourly' WHERE id = 3; UPDATE subscriptions SET locale = '' WHERE id = 4";
    state.connection.execute_batch(by_hand).unwrap();
    let ids: Vec<i64> = state.subscriptions().unwrap().iter().map(|one| one.id).collect();
    assert_eq!(ids, [5]);
}

#[test]
fn subscribing_again_lifts_a_pause_one_day_after_it() {
    let (_folder, _, mut state) = database();
    let snow = request("A@example.com", &["snow"]);
    let (address, other) = (AddressHash::new("a@example.com"), AddressHash::new("b@example.com"));
    let moment = |seconds: i64| DateTime::from_timestamp(NOON + seconds, 0).unwrap();
    let (hour, day) = (3_600, 86_400);
    subscribe(&mut state, &snow, 0).unwrap();
    state.pause_address(other, "550 no", moment(0)).unwrap();
    // An unchanged, a changed and a new subscription, and a pause by a clock that was ahead.
    // The times: paused, subscribed again, due.
    let mut weekly = snow.clone();
    weekly.frequency = Frequency::Weekly;
    for (paused, request, asked, due) in [
        (0, &snow, hour, day),
        (day, &weekly, day + hour, 3 * day),
        (2 * day, &request("a@example.com", &["ice"]), 9 * day, 9 * day),
        (90 * day, &snow, 10 * day, 18 * day),
    ] {
        state.pause_address(address, "550 no", moment(paused)).unwrap();
        for again in 0..2 {
            subscribe(&mut state, request, asked + again).unwrap();
            let suppression = state
                .delivery_history(moment(asked))
                .unwrap()
                .suppressions
                .remove(&address)
                .unwrap();
            assert_eq!((suppression.paused_at, suppression.attempts), (None, 0), "{request:?}");
            assert_eq!(
                suppression.due_at,
                moment(due),
                "subscribing twice does not shorten the wait: {request:?}"
            );
            assert_eq!(suppression.why, "subscribed again; before that: 550 no");
        }
    }
    // A deferred address stays deferred and keeps its attempts.
    state.resume_addresses(Some(address)).unwrap();
    state.defer_address(address, "451 later", moment(0)).unwrap();
    let before = state
        .delivery_history(moment(0))
        .unwrap()
        .suppressions
        .remove(&address)
        .unwrap();
    subscribe(&mut state, &snow, 1).unwrap();
    let mut suppressions = state.delivery_history(moment(1)).unwrap().suppressions;
    assert_eq!(suppressions.remove(&address), Some(before));
    assert_eq!(
        suppressions[&other].paused_at,
        Some(moment(0)),
        "the pause of another address stays"
    );
    // A refused request does not lift a pause.
    (0..48).for_each(|number| {
        subscribe(&mut state, &request("a@example.com", &[&format!("word{number}")]), 2)
            .map(drop)
            .unwrap()
    });
    state.pause_address(address, "550 no", moment(3)).unwrap();
    assert_eq!(
        subscribe(&mut state, &request("a@example.com", &["rain"]), 4),
        Err(SubscriptionLimit::OfAddress)
    );
    assert!(
        state.delivery_history(moment(4)).unwrap().suppressions[&address]
            .paused_at
            .is_some()
    );
}
