//! A key's limits in HTTP: the 429 response, and the headers that state what is left.
//!
//! [`admit`] counts a request before any work is done for it, and [`Admission::verdict`] refuses it
//! if a limit is reached. [`Admission::finish`] adds the headers when the response is known. It is
//! the last change to the response, and returns to the daily quota what turned out to be free.

use std::{num::NonZeroU32, sync::Arc};

use actix_web::{
    HttpResponse,
    http::{
        StatusCode,
        header::{HeaderName, HeaderValue},
    },
};
use chrono::{DateTime, Days, NaiveTime, Utc};

use crate::{
    http::error::ApiError,
    model::{PlanLimits, timestamp},
    state::account::{Account, Limit, LimitWindow, Receipt},
};

/// The least cost of a request; [`crate::api::cost`] has the others.
pub(crate) const ONE: NonZeroU32 = NonZeroU32::MIN;

/// Decision D-14: responses that do not count against the daily quota: what the client already has, what it gets
/// later, and failures of this server. The rate limit counts every request.
const FREE: [StatusCode; 4] = [
    StatusCode::NOT_MODIFIED,
    StatusCode::TOO_MANY_REQUESTS,
    StatusCode::INTERNAL_SERVER_ERROR,
    StatusCode::SERVICE_UNAVAILABLE,
];

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
const COST: HeaderName = HeaderName::from_static("x-ratelimit-cost");

/// A request that was counted or refused.
pub(crate) struct Admission {
    account: Arc<Account>,
    receipt: Receipt,
    cost: NonZeroU32,
    /// Whether work was done for a response that is free otherwise.
    is_spent: bool,
    now: DateTime<Utc>,
}

/// Counts a request against its key's limits.
pub(crate) fn admit(account: Arc<Account>, cost: NonZeroU32, now: DateTime<Utc>) -> Admission {
    let receipt = account.charge(cost, now);
    Admission {
        account,
        receipt,
        cost,
        is_spent: false,
        now,
    }
}

/// Counts a request against the rate limit of its key only.
pub(crate) fn admit_uncounted(account: Arc<Account>, now: DateTime<Utc>) -> Admission {
    let receipt = account.charge_rate(now);
    Admission {
        account,
        receipt,
        cost: ONE,
        is_spent: false,
        now,
    }
}

impl Admission {
    /// The name of the plan that the request is charged to.
    pub(crate) fn plan_name(&self) -> &'static str {
        self.account.plan_name()
    }

    /// Raises the cost to what the parsed request costs. 429 if that exceeds a limit.
    pub(crate) fn raise(&mut self, cost: NonZeroU32) -> Result<(), ApiError> {
        if cost > self.cost {
            self.account.charge_more(&mut self.receipt, cost, self.now);
            self.cost = cost;
        }
        self.verdict().map(drop)
    }

    /// States that the work was done, so that a 304 or a 503 counts, too.
    pub(crate) fn keep_charge(&mut self) {
        self.is_spent = true;
    }

    /// The limits of the key's plan, or a 429 that names the limit and when it resets.
    pub(crate) fn verdict(&self) -> Result<PlanLimits, ApiError> {
        let limits = self.account.limits;
        let Some((limit, seconds)) = self.receipt.refused else {
            return Ok(limits);
        };
        let plan = self.plan_name();
        let counts = if self.cost == ONE {
            String::new()
        } else {
            format!("; this one counts as {}", self.cost)
        };
        let detail = match limit {
            Limit::Burst => {
                let per_minute = limits.requests_per_minute;
                format!("the plan {plan} allows {per_minute} requests per minute; try again in {seconds} s{counts}")
            }
            Limit::Day => {
                let (per_day, reset) = (limits.requests_per_day, midnight(self.now));
                format!(
                    "the plan {plan} allows {per_day} requests per day (UTC), and today's are used; they reset at {reset}{counts}"
                )
            }
        };
        Err(ApiError::too_many_requests(detail, seconds))
    }

    /// Adds the headers that state the key's limits and what is left of them.
    ///
    /// `X-RateLimit-*` describe the limit with fewer requests left, and with equal
    /// numbers the daily quota, which lasts longer.
    pub(crate) fn finish(mut self, response: &mut HttpResponse) {
        if FREE.contains(&response.status()) && !self.is_spent {
            self.account.refund(&mut self.receipt);
        }
        let Receipt { burst, day, .. } = &self.receipt;
        let tighter = if burst.remaining < day.remaining { burst } else { day };
        let policy = format!(r#""burst";q={};w=60, "day";q={};w=86400"#, burst.quota, day.quota);
        let rate_limit = format!("{}, {}", remaining("burst", burst), remaining("day", day));
        let headers = response.headers_mut();
        for (name, text) in [(POLICY, policy), (RATE_LIMIT, rate_limit)] {
            let value = HeaderValue::try_from(text).expect("digits and quoted names are a valid header value");
            headers.insert(name, value);
        }
        headers.insert(LIMIT, tighter.quota.get().into());
        headers.insert(REMAINING, tighter.remaining.into());
        headers.insert(RESET, tighter.reset.into());
        // Refunds and refusals leave 0.
        headers.insert(COST, self.receipt.charged.into());
    }
}

fn remaining(name: &str, window: &LimitWindow) -> String {
    format!(r#""{name}";r={};t={}"#, window.remaining, window.reset)
}

/// The end of the UTC day, as RFC 3339.
pub(crate) fn midnight(now: DateTime<Utc>) -> String {
    let tomorrow = now
        .date_naive()
        .checked_add_days(Days::new(1))
        .unwrap_or(now.date_naive());
    let midnight = tomorrow.and_time(NaiveTime::MIN).and_utc();
    timestamp::format_seconds(midnight)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{Plan, Plans},
        state::{database::StateDb, sync::StateSync},
    };

    fn now() -> DateTime<Utc> {
        "2026-03-01T12:00:00Z".parse().unwrap()
    }

    /// A state database with one key.
    fn keys() -> (tempfile::TempDir, StateSync, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let state = StateDb::open(&path).unwrap();
        let key = state.create_key(Plan::Basic, "x", now(), None).unwrap();
        let watch = StateSync::open(&path, Plans::default(), now()).unwrap();
        (folder, watch, key)
    }

    #[test]
    fn free_responses_are_returned_to_the_daily_quota() {
        let (_folder, watch, key) = keys();
        let now = now();
        let mut left = 1000;
        for (status, cost, charged) in [
            (200, 1, 1),
            (304, 1, 0),
            (404, 1, 1),
            (200, 5, 5),
            (304, 5, 0),
            (500, 1, 0),
            (503, 1, 0),
            (504, 1, 1),
        ] {
            let account = watch.ring().check(&key, now).unwrap();
            let admission = admit(account, NonZeroU32::new(cost).unwrap(), now);
            assert!(admission.verdict().is_ok());
            let mut response = HttpResponse::new(StatusCode::from_u16(status).unwrap());
            admission.finish(&mut response);
            left -= charged;
            let rate_limit = response.headers().get(RATE_LIMIT).unwrap().to_str().unwrap();
            assert!(
                rate_limit.ends_with(&format!(r#""day";r={left};t=43200"#)),
                "{status}: {rate_limit}"
            );
        }
    }

    #[test]
    fn a_response_that_is_free_otherwise_counts_if_work_was_done() {
        let (_folder, watch, key) = keys();
        let now = now();
        for (is_spent, cost) in [(false, "0"), (true, "4")] {
            let mut admission = admit(watch.ring().check(&key, now).unwrap(), ONE, now);
            admission.raise(NonZeroU32::new(4).unwrap()).unwrap();
            if is_spent {
                admission.keep_charge();
            }
            let mut response = HttpResponse::new(StatusCode::SERVICE_UNAVAILABLE);
            admission.finish(&mut response);
            assert_eq!(response.headers().get(COST).unwrap(), cost);
        }
    }

    #[test]
    fn a_batch_counts_fully_or_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let now = "2026-03-01T12:00:00Z".parse().unwrap();
        let key = StateDb::open(&path)
            .unwrap()
            .create_key(Plan::Pro, "x", now, None)
            .unwrap();
        let file = folder.path().join("plans.toml");
        std::fs::write(&file, "[PRO]\nrequests_per_minute = 100\nrequests_per_day = 12\n").unwrap();
        let watch = StateSync::open(&path, Plans::from_file(&file).unwrap(), now).unwrap();
        let ask = |cost: u32| {
            let mut admission = admit(watch.ring().check(&key, now).unwrap(), ONE, now);
            let raised = admission.raise(NonZeroU32::new(cost).unwrap());
            let day = admission.receipt.day.remaining;
            (raised.map_err(|error| error.detail), day)
        };
        assert_eq!(ask(5), (Ok(()), 7));
        assert_eq!(ask(1), (Ok(()), 6));
        assert_eq!(ask(5), (Ok(()), 1));
        let (refused, left) = ask(2);
        assert!(refused.unwrap_err().ends_with("; this one counts as 2"));
        assert_eq!(left, 1, "a refused request counts nothing");
        assert_eq!(ask(1), (Ok(()), 0));
    }
}
