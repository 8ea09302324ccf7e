//! Subscriptions in the database: one for each wish, ended and taken up again, counted exactly, proven.

use std::{path::PathBuf, thread};

use super::*;
use crate::state::{mailings::Addressee, tokens::Unsubscribed};

const NOON: i64 = 1_772_366_400;

fn evidence(seconds: i64) -> Evidence<'static> {
    Evidence {
        at: DateTime::from_timestamp(NOON + seconds, 0).unwrap(),
        key_id: Some(7),
        request_id: "trace-7",
        peer: Some([192, 0, 2, 1].into()),
        forwarded_for: Some("198.51.100.9"),
        words: r#"{"keyword":"Snow"}"#,
    }
}

fn wanted(email: &str, keywords: &[&str]) -> Wanted {
    Wanted {
        email: EmailAddress::parse(email).unwrap(),
        keywords: keywords
            .iter()
            .map(|keyword| Keyword::parse(keyword).unwrap())
            .collect(),
        department: None,
        municipality: None,
        category: None,
        languages: Language::ALL.into(),
        frequency: Frequency::Daily,
        locale: Locale::En,
    }
}

fn database() -> (tempfile::TempDir, PathBuf, State) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    let state = State::open(&path).unwrap();
    (folder, path, state)
}

fn ask(state: &mut State, wanted: &Wanted, seconds: i64) -> Result<Subscribed, Full> {
    state.subscribe(wanted, &evidence(seconds)).unwrap()
}

/// The log: event, seconds since noon.
fn log(state: &State) -> Vec<(String, i64)> {
    let mut select = state
        .connection
        .prepare("SELECT event, at FROM consents ORDER BY id")
        .unwrap();
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? - NOON)));
    rows.unwrap().map(Result::unwrap).collect()
}

#[test]
fn the_same_wish_is_one_subscription() {
    let (_folder, _, mut state) = database();
    let first = wanted("A@Example.com", &["Snow", "snow removal"]);
    assert_eq!(ask(&mut state, &first, 0), Ok(Subscribed::New));
    for same in [
        wanted("a@example.com", &["Snow", "snow removal"]),
        wanted("a@EXAMPLE.com", &["\"snow  removal\"", "SNOW", "snow"]),
    ] {
        assert_eq!(ask(&mut state, &same, 1), Ok(Subscribed::Known), "{same:?}");
    }
    let mut weekly = first.clone();
    weekly.frequency = Frequency::Weekly;
    weekly.locale = Locale::Fr;
    assert_eq!(ask(&mut state, &weekly, 2), Ok(Subscribed::Changed));
    let subscription = Subscription {
        id: 1,
        email: "a@example.com".into(),
        keywords: vec!["Snow".into(), "snow removal".into()],
        department: None,
        municipality: None,
        category: None,
        languages: Language::ALL.into(),
        frequency: Frequency::Weekly,
        locale: Locale::Fr,
        created_at: NOON,
    };
    assert_eq!(state.subscriptions().unwrap(), [subscription]);
    for (number, change) in [
        (|wanted: &mut Wanted| wanted.department = Some("Parcs".into())) as fn(&mut Wanted),
        |wanted| wanted.municipality = Some("laval".into()),
        |wanted| wanted.category = Some("SRV".into()),
        |wanted| wanted.languages = [Language::French].into(),
        |wanted| wanted.keywords.clear(),
        |wanted| wanted.email = EmailAddress::parse("b@example.com").unwrap(),
    ]
    .into_iter()
    .enumerate()
    {
        let mut other = first.clone();
        change(&mut other);
        assert_eq!(ask(&mut state, &other, 3), Ok(Subscribed::New), "{other:?}");
        other.department = other.department.map(|_| "PARCS,".into());
        assert_eq!(ask(&mut state, &other, 3), Ok(Subscribed::Known), "{other:?}");
        assert_eq!(state.subscriptions().unwrap().len(), number + 2);
    }
}

#[test]
fn a_token_ends_what_it_was_mailed_for_whenever_it_is_used() {
    let (_folder, path, mut state) = database();
    let (snow, ice) = (wanted("a@example.com", &["snow"]), wanted("a@example.com", &["ice"]));
    for wanted in [&snow, &ice, &wanted("b@example.com", &["snow"])] {
        ask(&mut state, wanted, 0).unwrap();
    }
    let subscriptions = state.subscriptions().unwrap();
    let of_snow = state.unsubscribe_token(&subscriptions[0]).unwrap();
    let of_all = state.unsubscribe_all_token("a@example.com").unwrap();
    assert!(of_snow.len() == 40 && of_snow != of_all);
    let mut state = State::open(&path).unwrap();
    assert_eq!(
        state.unsubscribe_token(&subscriptions[0]).unwrap(),
        of_snow,
        "it outlives the process"
    );
    let mut end = |token: &str, seconds| {
        let evidence = Evidence {
            key_id: None,
            words: "",
            ..evidence(seconds)
        };
        state.unsubscribe(token, &evidence).unwrap()
    };
    for unknown in [
        "",
        "x",
        &"0".repeat(40),
        &"é".repeat(20),
        &of_snow[1..],
        &format!("{of_snow} "),
    ] {
        assert_eq!(end(unknown, 1), Unsubscribed::Unknown, "{unknown}");
    }
    assert_eq!(end(&of_snow, 2), Unsubscribed::Done);
    assert_eq!(end(&of_snow.to_uppercase(), 3), Unsubscribed::Already);
    assert_eq!(end(&of_all, 4), Unsubscribed::Done);
    assert_eq!(end(&of_all, 5), Unsubscribed::Already);
    let live = state.subscriptions().unwrap();
    assert_eq!(live.len(), 1);
    assert_eq!(live[0].email, "b@example.com");

    // Taken up again, it is the same row, and the old mails' links still end it.
    assert_eq!(ask(&mut state, &snow, 6), Ok(Subscribed::New));
    let live = state.subscriptions().unwrap();
    assert_eq!((live[0].id, live[0].created_at), (1, NOON + 6));
    assert_eq!(state.unsubscribe(&of_snow, &evidence(7)).unwrap(), Unsubscribed::Done);
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
fn the_proof_is_all_that_is_known_of_a_wish() {
    let (_folder, path, mut state) = database();
    ask(&mut state, &wanted("a@example.com", &["snow"]), 0).unwrap();
    let select =
        "SELECT key_id || ' ' || request_id || ' ' || peer || ' ' || forwarded_for || ' ' || words FROM consents";
    let proof: String = state.connection.query_row(select, [], |row| row.get(0)).unwrap();
    assert_eq!(proof, r#"7 trace-7 192.0.2.1 198.51.100.9 {"keyword":"Snow"}"#);
    // A token is nowhere in the file.
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
fn an_address_has_fifty() {
    let (_folder, _, mut state) = database();
    let numbered = |number: usize| wanted("a@example.com", &[format!("word{number}").as_str()]);
    for number in 0..50 {
        assert_eq!(ask(&mut state, &numbered(number), 0), Ok(Subscribed::New));
    }
    assert_eq!(ask(&mut state, &numbered(50), 0), Err(Full::Address));
    assert_eq!(
        ask(&mut state, &numbered(7), 0),
        Ok(Subscribed::Known),
        "the known one is no further one"
    );
    assert_eq!(ask(&mut state, &wanted("b@example.com", &[]), 0), Ok(Subscribed::New));
    let token = state.unsubscribe_token(&state.subscriptions().unwrap()[3]).unwrap();
    state.unsubscribe(&token, &evidence(1)).unwrap();
    assert_eq!(ask(&mut state, &numbered(50), 2), Ok(Subscribed::New));
    assert_eq!(
        ask(&mut state, &numbered(3), 2),
        Err(Full::Address),
        "nor is one taken up again past the limit"
    );
}

#[test]
fn a_key_has_exactly_a_thousand_whoever_writes() {
    let (_folder, path, state) = database();
    state.connection.pragma_update(None, "synchronous", "OFF").unwrap();
    let ask_all = |from: usize| {
        let mut state = State::open(&path).unwrap();
        state.connection.pragma_update(None, "synchronous", "OFF").unwrap();
        let numbered = |number: usize| wanted(&format!("a{}@example.com", number / 40), &[&format!("w{number}")]);
        (from..from + 520)
            .map(|number| ask(&mut state, &numbered(number), 0))
            .filter(|outcome| *outcome == Ok(Subscribed::New))
            .count()
    };
    let made: usize = thread::scope(|scope| {
        let threads: Vec<_> = [0, 1000].map(|from| scope.spawn(move || ask_all(from))).into();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(made as i64, MOST_OF_KEY);
    assert_eq!(state.subscriptions().unwrap().len() as i64, MOST_OF_KEY);
    let mut state = state;
    assert_eq!(ask(&mut state, &wanted("new@example.com", &[]), 0), Err(Full::Key));
    let other = Evidence {
        key_id: Some(8),
        ..evidence(0)
    };
    assert_eq!(
        state.subscribe(&wanted("new@example.com", &[]), &other).unwrap(),
        Ok(Subscribed::New)
    );
}

#[test]
fn a_row_that_cannot_be_understood_harms_no_other() {
    let (_folder, _, mut state) = database();
    for keyword in ["snow", "ice", "rain", "hail", "sleet"] {
        ask(&mut state, &wanted("a@example.com", &[keyword]), 0).unwrap();
    }
    let by_hand =
        "UPDATE subscriptions SET keywords = 'x' WHERE id = 1; UPDATE subscriptions SET languages = 'de' WHERE id = 2;
         UPDATE subscriptions SET frequency = 'hourly' WHERE id = 3; UPDATE subscriptions SET locale = '' WHERE id = 4";
    state.connection.execute_batch(by_hand).unwrap();
    let ids: Vec<i64> = state.subscriptions().unwrap().iter().map(|one| one.id).collect();
    assert_eq!(ids, [5]);
}

#[test]
fn who_subscribes_again_is_mailed_again_a_day_after_the_pause() {
    let (_folder, _, mut state) = database();
    let snow = wanted("A@example.com", &["snow"]);
    let (address, other) = (Addressee::new("a@example.com"), Addressee::new("b@example.com"));
    let moment = |seconds: i64| DateTime::from_timestamp(NOON + seconds, 0).unwrap();
    let (hour, day) = (3_600, 86_400);
    ask(&mut state, &snow, 0).unwrap();
    state.pause_address(other, "550 no", moment(0)).unwrap();
    // Known, changed, new, and a pause by a clock that was ahead; when it was paused, asked again, and is mailed.
    let mut weekly = snow.clone();
    weekly.frequency = Frequency::Weekly;
    for (paused, wanted, asked, due) in [
        (0, &snow, hour, day),
        (day, &weekly, day + hour, 3 * day),
        (2 * day, &wanted("a@example.com", &["ice"]), 9 * day, 9 * day),
        (90 * day, &snow, 10 * day, 18 * day),
    ] {
        state.pause_address(address, "550 no", moment(paused)).unwrap();
        for again in 0..2 {
            ask(&mut state, wanted, asked + again).unwrap();
            let setback = state
                .standings(moment(asked))
                .unwrap()
                .setbacks
                .remove(&address)
                .unwrap();
            assert_eq!((setback.paused_at, setback.attempts), (None, 0), "{wanted:?}");
            assert_eq!(
                setback.due_at,
                moment(due),
                "asking twice does not hasten it: {wanted:?}"
            );
            assert_eq!(setback.why, "subscribed again; before that: 550 no");
        }
    }
    // What only waits goes on waiting, and counting.
    state.resume_addresses(Some(address)).unwrap();
    state.defer_address(address, "451 later", moment(0)).unwrap();
    let before = state.standings(moment(0)).unwrap().setbacks.remove(&address).unwrap();
    ask(&mut state, &snow, 1).unwrap();
    let mut setbacks = state.standings(moment(1)).unwrap().setbacks;
    assert_eq!(setbacks.remove(&address), Some(before));
    assert_eq!(setbacks[&other].paused_at, Some(moment(0)), "another's pause stays");
    // A wish that is refused lifts nothing.
    (0..48).for_each(|number| {
        ask(&mut state, &wanted("a@example.com", &[&format!("word{number}")]), 2)
            .map(drop)
            .unwrap()
    });
    state.pause_address(address, "550 no", moment(3)).unwrap();
    assert_eq!(
        ask(&mut state, &wanted("a@example.com", &["rain"]), 4),
        Err(Full::Address)
    );
    assert!(
        state.standings(moment(4)).unwrap().setbacks[&address]
            .paused_at
            .is_some()
    );
}
