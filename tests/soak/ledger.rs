//! What each key was charged, as the client knows it: the model of the quotas.

use std::{
    collections::{HashMap, VecDeque},
    time::{Duration, Instant},
};

use crate::{
    clients::SUBSCRIBE,
    http::{RawResponse, Request},
};

/// The counts reach the state database within about a second. The rest is for a machine that is busy.
const UNWRITTEN: Duration = Duration::from_secs(3);

/// By key.
#[derive(Default)]
pub struct Ledger(HashMap<String, Account>);

/// The requests of one key that counted.
#[derive(Default)]
struct Account {
    /// Answered with a status that counts.
    certain: u64,
    /// Without an answer, or with a status that counts only in some cases.
    possible: u64,
    /// The certain ones of the last seconds, which a kill may undo.
    recent: VecDeque<(Instant, u64)>,
}

/// The bounds that a stored count must be within.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds {
    pub least: u64,
    pub certain: u64,
    pub most: u64,
}

impl Ledger {
    /// Notes a request and its answer, if there was one. `is_clock_steady`: the server's day is known.
    pub fn note(&mut self, request: &Request, answer: Option<&RawResponse>, is_clock_steady: bool) {
        let Some(key) = &request.key else { return };
        let account = self.0.entry(key.clone()).or_default();
        let cost = answer.map_or_else(|| greatest_cost(request), stated_cost);
        match answer.map(|answer| answer.status) {
            // Free, by the documentation.
            Some(304 | 403 | 500 | 503) => {}
            // A limit of the plan. That of the number of subscriptions is checked later, and counts.
            Some(429) if request.target != SUBSCRIBE => {}
            // Free if it only waited.
            None | Some(504) => account.possible += cost,
            Some(_) if !is_clock_steady => account.possible += cost,
            Some(_) => {
                account.certain += cost;
                account.recent.push_back((Instant::now(), cost));
            }
        }
        while account
            .recent
            .front()
            .is_some_and(|(at, _)| at.elapsed() > 3 * UNWRITTEN)
        {
            account.recent.pop_front();
        }
    }

    /// What the state database must hold for a key. `killed`: when the server was killed, if it was not stopped.
    pub fn bounds(&self, key: &str, killed: Option<Instant>) -> Bounds {
        let Some(account) = self.0.get(key) else {
            return Bounds::default();
        };
        let is_unwritten = |at: &Instant| killed.is_some_and(|killed| *at + UNWRITTEN >= killed);
        let unwritten: u64 = account
            .recent
            .iter()
            .filter(|(at, _)| is_unwritten(at))
            .map(|(_, cost)| cost)
            .sum();
        Bounds {
            least: account.certain - unwritten.min(account.certain),
            certain: account.certain,
            most: account.certain + account.possible,
        }
    }

    /// Goes on from what the state database holds.
    pub fn settle(&mut self, key: &str, stored: u64) {
        let settled = Account {
            certain: stored,
            ..Account::default()
        };
        self.0.insert(key.to_owned(), settled);
    }
}

/// The cost that the answer states. The soak sends only requests that cost one where an answer does not state it.
fn stated_cost(answer: &RawResponse) -> u64 {
    answer
        .header("x-ratelimit-cost")
        .and_then(|value| value.parse().ok())
        .unwrap_or(1)
}

/// What a request without an answer may have cost: a batch of the soak has at most ten items.
fn greatest_cost(request: &Request) -> u64 {
    if request.body.is_some() { 10 } else { 1 }
}
