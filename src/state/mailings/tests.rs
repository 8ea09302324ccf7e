//! Mails written down before they go: once each, through crashes, bounces and replaced files.

use super::*;

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(seconds, 0).unwrap()
}

fn state() -> (tempfile::TempDir, State) {
    let folder = tempfile::tempdir().unwrap();
    let state = State::open(&folder.path().join("state.db")).unwrap();
    (folder, state)
}

#[test]
fn a_pair_is_mailed_once_unless_it_surely_was_not() {
    let (_folder, state) = state();
    let ann = Addressee::new("Ann@example.org");
    assert_eq!(ann, Addressee::new("ann@example.org"));
    let pairs = [ann.pair("a"), ann.pair("b")];
    let mailing = state.begin_mailing(ann, &pairs, &[7], at(10)).unwrap();
    assert!(state.mailed().unwrap().has(pairs[0]).unwrap());
    assert!(
        !state
            .mailed()
            .unwrap()
            .has(Addressee::new("bob@example.org").pair("a"))
            .unwrap()
    );
    // Not even a mistaken caller mails it again.
    assert!(state.begin_mailing(ann, &pairs[1..], &[7], at(11)).is_err());
    state.withdraw_mailing(mailing).unwrap();
    assert!(!state.mailed().unwrap().has(pairs[0]).unwrap());
    assert!(state.standings(at(11)).unwrap().subscriptions.is_empty());

    let mailing = state.begin_mailing(ann, &pairs, &[7], at(12)).unwrap();
    state.settle_mailing(mailing, Outcome::Sent).unwrap();
    assert_eq!(state.settle_interrupted().unwrap(), 0);
    let standings = state.standings(at(13)).unwrap();
    assert_eq!(standings.addresses[&ann], at(12));
    assert_eq!(standings.subscriptions[&7], at(12));
}

#[test]
fn what_a_crash_left_is_uncertain_and_stays_mailed() {
    let (_folder, state) = state();
    let ann = Addressee::new("ann@example.org");
    let pair = ann.pair("a");
    drop(state.begin_mailing(ann, &[pair], &[1], at(10)).unwrap());
    assert_eq!(state.settle_interrupted().unwrap(), 1);
    assert_eq!(state.settle_interrupted().unwrap(), 0);
    assert_eq!(state.uncertain_mailings().unwrap(), 1);
    assert!(state.mailed().unwrap().has(pair).unwrap());
}

#[test]
fn nothing_goes_out_from_a_file_that_was_replaced() {
    let (folder, state) = state();
    let ann = Addressee::new("ann@example.org");
    let path = folder.path().join("state.db");
    std::fs::rename(&path, folder.path().join("before.db")).unwrap();
    State::open(&path).unwrap();
    let error = state.begin_mailing(ann, &[ann.pair("a")], &[], at(1)).unwrap_err();
    assert!(format!("{error:#}").contains("was replaced"), "{error:#}");
}

#[test]
fn an_address_waits_longer_each_time_and_is_paused_at_last() {
    let (_folder, state) = state();
    let ann = Addressee::new("ann@example.org");
    let mut now = at(1_000_000);
    let mut total = TimeDelta::zero();
    for attempt in 1..=MOST_ATTEMPTS {
        let is_paused = state.defer_address(ann, "451 later\r\n", now).unwrap();
        assert_eq!(is_paused, attempt == MOST_ATTEMPTS);
        let setback = state.standings(now).unwrap().setbacks.remove(&ann).unwrap();
        assert_eq!((setback.attempts, setback.why.as_str()), (attempt, "451 later  "));
        assert_eq!(setback.paused_at.is_some(), is_paused);
        let wait = setback.due_at - now;
        assert!(wait >= FIRST_WAIT && wait <= LONGEST_WAIT * 3 / 2, "{wait}");
        total += wait;
        now = setback.due_at;
    }
    assert!((3..=7).contains(&total.num_days()), "{total}");
    assert_eq!(
        state.resume_addresses(Some(Addressee::new("bob@example.org"))).unwrap(),
        0
    );
    assert_eq!(state.resume_addresses(None).unwrap(), 1);
    state.pause_address(ann, "550 no", now).unwrap();
    assert_eq!(state.standings(now).unwrap().setbacks[&ann].paused_at, Some(now));
    let mailing = state.begin_mailing(ann, &[ann.pair("a")], &[], now).unwrap();
    state.settle_mailing(mailing, Outcome::Sent).unwrap();
    assert!(state.standings(now).unwrap().setbacks.is_empty());
}

#[test]
fn what_is_long_gone_is_forgotten_and_no_more() {
    let (_folder, state) = state();
    let ann = Addressee::new("ann@example.org");
    for (record_id, when) in [("old", at(0)), ("new", at(100 * 86_400))] {
        let mailing = state.begin_mailing(ann, &[ann.pair(record_id)], &[1], when).unwrap();
        state.settle_mailing(mailing, Outcome::Sent).unwrap();
    }
    // A clock that is far ahead for a while.
    state.prune_mailings(at(10_000 * 86_400)).unwrap();
    assert!(state.mailed().unwrap().has(ann.pair("old")).unwrap());
    state.prune_mailings(at(121 * 86_400)).unwrap();
    assert!(!state.mailed().unwrap().has(ann.pair("old")).unwrap());
    assert!(state.mailed().unwrap().has(ann.pair("new")).unwrap());
}

#[test]
fn a_clock_that_was_wrong_makes_nothing_forgotten() {
    let (_folder, state) = state();
    let ann = Addressee::new("ann@example.org");
    // The second mail went out from a machine that thought it was 1970, the third from one far ahead.
    for (tender, when) in [("a", 200), ("b", 0), ("c", 10_000), ("d", 201)] {
        let mailing = state.begin_mailing(ann, &[ann.pair(tender)], &[1], at(when * 86_400));
        state.settle_mailing(mailing.unwrap(), Outcome::Sent).unwrap();
    }
    state.prune_mailings(at(202 * 86_400)).unwrap();
    for tender in ["a", "b", "c", "d"] {
        assert!(state.mailed().unwrap().has(ann.pair(tender)).unwrap(), "{tender}");
    }
    state.prune_mailings(at(321 * 86_400)).unwrap();
    let is_mailed = |tender: &str| state.mailed().unwrap().has(ann.pair(tender)).unwrap();
    assert!(!is_mailed("a") && !is_mailed("b") && !is_mailed("c") && is_mailed("d"));
}

#[test]
fn a_run_reads_no_more_of_the_past_than_it_changes() {
    let (_folder, state) = state();
    let plan = |statement: &str| -> Vec<String> {
        let explained = format!("EXPLAIN QUERY PLAN {statement}");
        let mut select = state.connection.prepare(&explained).unwrap();
        let zeros = vec![0; select.parameter_count()];
        let rows = select.query_map(rusqlite::params_from_iter(zeros), |row| row.get(3));
        rows.unwrap().map(Result::unwrap).collect()
    };
    for (statement, expected) in [
        (SETTLE, "SEARCH mailings USING INDEX mailings_unproven (outcome=?)"),
        (
            FORGET[0],
            "SEARCH mailed USING COVERING INDEX mailed_by_mailing (mailing>? AND mailing<?)",
        ),
        (
            FORGET[1],
            "SEARCH mailed_subscriptions USING COVERING INDEX mailed_subscriptions_by_mailing (mailing>? AND mailing<?)",
        ),
        (
            FORGET[2],
            "SEARCH mailings USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)",
        ),
        // In the order of the key, so that it ends at the first of late, and sorts nothing.
        (FIRST_OF_LATE, "SCAN mailings"),
    ] {
        assert_eq!(plan(statement), [expected], "{statement}");
    }
}

#[test]
fn more_is_forgotten_than_goes_at_once() {
    let (_folder, state) = state();
    state.connection.pragma_update(None, "synchronous", "OFF").unwrap();
    let ann = Addressee::new("ann@example.org");
    let many = MOST_FORGOTTEN + 2;
    let mail = |number: i64, day: i64| {
        let pairs = [ann.pair(&number.to_string())];
        let mailing = state.begin_mailing(ann, &pairs, &[number], at(day * 86_400)).unwrap();
        state.settle_mailing(mailing, Outcome::Sent).unwrap();
    };
    (0..many).for_each(|number| mail(number, 0));
    mail(many, 100);
    state.prune_mailings(at(130 * 86_400)).unwrap();
    for table in ["mailed", "mailed_subscriptions", "mailings"] {
        let count = format!("SELECT count(*) FROM {table}");
        let left: i64 = state.connection.query_row(&count, [], |row| row.get(0)).unwrap();
        assert_eq!(left, 1, "{table}");
    }
    assert!(state.mailed().unwrap().has(ann.pair(&many.to_string())).unwrap());
}

#[test]
fn a_mail_is_named_by_what_is_in_it() {
    let (ann, bob) = (Addressee::new("ann@example.org"), Addressee::new("bob@example.org"));
    let name = mail_name(&[ann.pair("a"), ann.pair("b")]);
    assert_eq!(name, mail_name(&[ann.pair("b"), ann.pair("a")]));
    assert_eq!(name.len(), 32);
    assert_ne!(name, mail_name(&[bob.pair("a"), bob.pair("b")]));
}
