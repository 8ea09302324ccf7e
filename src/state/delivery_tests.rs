//! Tests of the delivery log and the suppressions: each tender once, through crashes, refusals and
//! replaced files.

use chrono::{DateTime, TimeDelta, Utc};

use super::{
    address_hash::AddressHash,
    database::StateDb,
    deliveries::{DeliveryStatus, FIRST_RECENT, MARK_INTERRUPTED, MAX_PRUNED, PRUNE},
    suppressions::{FIRST_WAIT, MAX_ATTEMPTS, MAX_WAIT},
};

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(seconds, 0).unwrap()
}

fn state() -> (tempfile::TempDir, StateDb) {
    let folder = tempfile::tempdir().unwrap();
    let state = StateDb::open(&folder.path().join("state.db")).unwrap();
    (folder, state)
}

#[test]
fn a_pair_is_delivered_once_unless_the_intent_is_withdrawn() {
    let (_folder, state) = state();
    let ann = AddressHash::new("Ann@example.org");
    assert_eq!(ann, AddressHash::new("ann@example.org"));
    let pairs = [ann.with_tender("a"), ann.with_tender("b")];
    let intent = state.begin_delivery(ann, &pairs, &[7], at(10)).unwrap();
    assert!(state.delivered_pairs().unwrap().contains(pairs[0]).unwrap());
    assert!(
        !state
            .delivered_pairs()
            .unwrap()
            .contains(AddressHash::new("bob@example.org").with_tender("a"))
            .unwrap()
    );
    // A second intent for the pair is an error.
    assert!(state.begin_delivery(ann, &pairs[1..], &[7], at(11)).is_err());
    state.withdraw_delivery(intent).unwrap();
    assert!(!state.delivered_pairs().unwrap().contains(pairs[0]).unwrap());
    assert!(state.delivery_history(at(11)).unwrap().last_of_subscription.is_empty());

    let intent = state.begin_delivery(ann, &pairs, &[7], at(12)).unwrap();
    state.complete_delivery(intent, DeliveryStatus::Sent).unwrap();
    assert_eq!(state.mark_interrupted_deliveries().unwrap(), 0);
    let history = state.delivery_history(at(13)).unwrap();
    assert_eq!(history.last_to_address[&ann], at(12));
    assert_eq!(history.last_of_subscription[&7], at(12));
}

#[test]
fn an_intent_left_by_a_crash_becomes_uncertain_and_is_not_sent_again() {
    let (_folder, state) = state();
    let ann = AddressHash::new("ann@example.org");
    let pair = ann.with_tender("a");
    drop(state.begin_delivery(ann, &[pair], &[1], at(10)).unwrap());
    assert_eq!(state.mark_interrupted_deliveries().unwrap(), 1);
    assert_eq!(state.mark_interrupted_deliveries().unwrap(), 0);
    assert_eq!(state.count_uncertain_deliveries().unwrap(), 1);
    assert!(state.delivered_pairs().unwrap().contains(pair).unwrap());
}

#[test]
fn no_delivery_begins_on_a_replaced_state_file() {
    let (folder, state) = state();
    let ann = AddressHash::new("ann@example.org");
    let path = folder.path().join("state.db");
    std::fs::rename(&path, folder.path().join("before.db")).unwrap();
    StateDb::open(&path).unwrap();
    let error = state
        .begin_delivery(ann, &[ann.with_tender("a")], &[], at(1))
        .unwrap_err();
    assert!(format!("{error:#}").contains("was replaced"), "{error:#}");
}

#[test]
fn a_refused_address_waits_longer_each_time_and_is_finally_paused() {
    let (_folder, state) = state();
    let ann = AddressHash::new("ann@example.org");
    let mut now = at(1_000_000);
    let mut total = TimeDelta::zero();
    for attempt in 1..=MAX_ATTEMPTS {
        let is_paused = state.defer_address(ann, "451 later\r\n", now).unwrap();
        assert_eq!(is_paused, attempt == MAX_ATTEMPTS);
        let suppression = state.delivery_history(now).unwrap().suppressions.remove(&ann).unwrap();
        assert_eq!(
            (suppression.attempts, suppression.why.as_str()),
            (attempt, "451 later  ")
        );
        assert_eq!(suppression.paused_at.is_some(), is_paused);
        let wait = suppression.due_at - now;
        assert!(wait >= FIRST_WAIT && wait <= MAX_WAIT * 3 / 2, "{wait}");
        total += wait;
        now = suppression.due_at;
    }
    assert!((3..=7).contains(&total.num_days()), "{total}");
    assert_eq!(
        state
            .resume_addresses(Some(AddressHash::new("bob@example.org")))
            .unwrap(),
        0
    );
    assert_eq!(state.resume_addresses(None).unwrap(), 1);
    state.pause_address(ann, "550 no", now).unwrap();
    assert_eq!(
        state.delivery_history(now).unwrap().suppressions[&ann].paused_at,
        Some(now)
    );
    let intent = state.begin_delivery(ann, &[ann.with_tender("a")], &[], now).unwrap();
    state.complete_delivery(intent, DeliveryStatus::Sent).unwrap();
    assert!(state.delivery_history(now).unwrap().suppressions.is_empty());
}

#[test]
fn pruning_deletes_old_deliveries_only() {
    let (_folder, state) = state();
    let ann = AddressHash::new("ann@example.org");
    for (record_id, when) in [("old", at(0)), ("new", at(100 * 86_400))] {
        let intent = state
            .begin_delivery(ann, &[ann.with_tender(record_id)], &[1], when)
            .unwrap();
        state.complete_delivery(intent, DeliveryStatus::Sent).unwrap();
    }
    // The clock is far ahead for a while.
    state.prune_deliveries(at(10_000 * 86_400)).unwrap();
    assert!(
        state
            .delivered_pairs()
            .unwrap()
            .contains(ann.with_tender("old"))
            .unwrap()
    );
    state.prune_deliveries(at(121 * 86_400)).unwrap();
    assert!(
        !state
            .delivered_pairs()
            .unwrap()
            .contains(ann.with_tender("old"))
            .unwrap()
    );
    assert!(
        state
            .delivered_pairs()
            .unwrap()
            .contains(ann.with_tender("new"))
            .unwrap()
    );
}

#[test]
fn a_wrong_clock_makes_pruning_delete_nothing_too_early() {
    let (_folder, state) = state();
    let ann = AddressHash::new("ann@example.org");
    // The clock showed 1970 for the second mail, and a time far ahead for the third.
    for (tender, when) in [("a", 200), ("b", 0), ("c", 10_000), ("d", 201)] {
        let intent = state.begin_delivery(ann, &[ann.with_tender(tender)], &[1], at(when * 86_400));
        state.complete_delivery(intent.unwrap(), DeliveryStatus::Sent).unwrap();
    }
    state.prune_deliveries(at(202 * 86_400)).unwrap();
    for tender in ["a", "b", "c", "d"] {
        assert!(
            state
                .delivered_pairs()
                .unwrap()
                .contains(ann.with_tender(tender))
                .unwrap(),
            "{tender}"
        );
    }
    state.prune_deliveries(at(321 * 86_400)).unwrap();
    let is_delivered = |tender: &str| {
        state
            .delivered_pairs()
            .unwrap()
            .contains(ann.with_tender(tender))
            .unwrap()
    };
    assert!(!is_delivered("a") && !is_delivered("b") && !is_delivered("c") && is_delivered("d"));
}

#[test]
fn a_clock_that_went_back_makes_pruning_delete_nothing_too_early() {
    let (_folder, state) = state();
    let ann = AddressHash::new("ann@example.org");
    // The clock is right for the first mail, and two days slow for the second.
    for (tender, when) in [("a", 200), ("b", 198)] {
        let intent = state.begin_delivery(ann, &[ann.with_tender(tender)], &[1], at(when * 86_400));
        state.complete_delivery(intent.unwrap(), DeliveryStatus::Sent).unwrap();
    }
    state.prune_deliveries(at(198 * 86_400)).unwrap();
    assert!(state.delivered_pairs().unwrap().contains(ann.with_tender("a")).unwrap());
}

#[test]
fn statements_on_the_delivery_log_use_their_indexes() {
    let (_folder, state) = state();
    let plan = |statement: &str| -> Vec<String> {
        let explained = format!("EXPLAIN QUERY PLAN {statement}");
        let mut select = state.connection.prepare(&explained).unwrap();
        let zeros = vec![0; select.parameter_count()];
        let rows = select.query_map(rusqlite::params_from_iter(zeros), |row| row.get(3));
        rows.unwrap().map(Result::unwrap).collect()
    };
    for (statement, expected) in [
        (
            MARK_INTERRUPTED,
            "SEARCH mailings USING INDEX mailings_unproven (outcome=?)",
        ),
        (
            PRUNE[0],
            "SEARCH mailed USING COVERING INDEX mailed_by_mailing (mailing>? AND mailing<?)",
        ),
        (
            PRUNE[1],
            "SEARCH mailed_subscriptions USING COVERING INDEX mailed_subscriptions_by_mailing (mailing>? AND mailing<?)",
        ),
        (
            PRUNE[2],
            "SEARCH mailings USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)",
        ),
        // In the order of the primary key: it stops at the first recent row and needs no sort.
        (FIRST_RECENT, "SCAN mailings"),
    ] {
        assert_eq!(plan(statement), [expected], "{statement}");
    }
}

#[test]
fn pruning_deletes_more_than_one_batch() {
    let (_folder, state) = state();
    state.connection.pragma_update(None, "synchronous", "OFF").unwrap();
    let ann = AddressHash::new("ann@example.org");
    let many = MAX_PRUNED + 2;
    let mail = |number: i64, day: i64| {
        let pairs = [ann.with_tender(&number.to_string())];
        let intent = state.begin_delivery(ann, &pairs, &[number], at(day * 86_400)).unwrap();
        state.complete_delivery(intent, DeliveryStatus::Sent).unwrap();
    };
    (0..many).for_each(|number| mail(number, 0));
    mail(many, 100);
    state.prune_deliveries(at(130 * 86_400)).unwrap();
    for table in ["mailed", "mailed_subscriptions", "mailings"] {
        let count = format!("SELECT count(*) FROM {table}");
        let left: i64 = state.connection.query_row(&count, [], |row| row.get(0)).unwrap();
        assert_eq!(left, 1, "{table}");
    }
    assert!(
        state
            .delivered_pairs()
            .unwrap()
            .contains(ann.with_tender(&many.to_string()))
            .unwrap()
    );
}
