//! An API key with its rate limit and its daily quota.
//!
//! The rate limit is a token bucket in memory. The quota of a UTC day is persistent. Nothing here
//! blocks or accesses the database. Only known keys have an account, so wrong keys take no memory.

use std::{
    num::NonZeroU32,
    sync::Arc,
    time::{Duration, Instant},
};

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use governor::{
    Quota, RateLimiter,
    clock::Clock,
    middleware::StateInformationMiddleware,
    state::{InMemoryState, NotKeyed},
};

use crate::{
    model::{Plan, PlanLimits, Plans},
    state::{keys::ApiKey, usage::Usage},
};

#[derive(Debug)]
pub(crate) struct Account {
    pub(crate) key: ApiKey,
    pub(crate) limits: PlanLimits,
    bucket: Arc<TokenBucket>,
    pub(super) usage: Arc<Usage>,
    /// Whether it is the account of a visitor of the pages who has no key. Its key is made up.
    is_visitor: bool,
    /// The account of the network that a visitor comes from. It counts each request as one.
    network: Option<Arc<Account>>,
}

type TokenBucket = RateLimiter<NotKeyed, InMemoryState, Monotonic, StateInformationMiddleware>;

/// A monotonic clock, so that no correction of the system clock locks a key out.
#[derive(Debug)]
struct Monotonic(Instant);

/// The state of one limit of an account.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LimitWindow {
    pub(crate) quota: NonZeroU32,
    pub(crate) remaining: u32,
    /// Seconds until more requests remain than now.
    pub(crate) reset: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    Burst,
    Day,
}

/// The outcome of charging a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Receipt {
    pub(crate) burst: LimitWindow,
    pub(crate) day: LimitWindow,
    /// The limit that refuses the request, and the seconds until it no longer does (at least 1).
    pub(crate) refused: Option<(Limit, u64)>,
    today: NaiveDate,
    /// The requests that were charged to the daily quota and not refunded.
    pub(crate) charged: u32,
}

impl Account {
    pub(super) fn new(key: ApiKey, limits: PlanLimits) -> Account {
        Account {
            key,
            limits,
            bucket: Arc::new(bucket(&limits)),
            usage: Arc::default(),
            is_visitor: false,
            network: None,
        }
    }

    /// The account of a visitor without a key, in a network with an account of its own. It is in memory only.
    pub(crate) fn of_visitor(limits: PlanLimits, network: Option<Arc<Account>>) -> Account {
        let key = ApiKey {
            id: 0,
            plan: Plan::Basic,
            label: String::new(),
            created_at: DateTime::UNIX_EPOCH,
            expires_at: None,
            disabled_at: None,
            has_trusted_consent: false,
        };
        Account {
            is_visitor: true,
            network,
            ..Account::new(key, limits)
        }
    }

    /// The name of its plan, for people.
    pub(crate) fn plan_name(&self) -> &'static str {
        if self.is_visitor {
            Plans::VISITOR
        } else {
            self.key.plan.name()
        }
    }

    /// The account of a changed key, with the same usage. A new rate limit starts with a full bucket.
    pub(super) fn with_key(&self, key: ApiKey, limits: PlanLimits) -> Account {
        let bucket = if limits.requests_per_minute == self.limits.requests_per_minute {
            Arc::clone(&self.bucket)
        } else {
            Arc::new(bucket(&limits))
        };
        Account {
            key,
            limits,
            bucket,
            usage: Arc::clone(&self.usage),
            is_visitor: self.is_visitor,
            network: self.network.clone(),
        }
    }

    /// Charges `cost` requests to both limits. A refusal does not count against the daily quota.
    ///
    /// Decision D-15: a request that costs more than a whole limit costs exactly the whole limit.
    pub(crate) fn charge(&self, cost: NonZeroU32, now: DateTime<Utc>) -> Receipt {
        let mut receipt = self.charge_alone(cost, now);
        if let (None, Some(network)) = (receipt.refused, &self.network) {
            receipt.refused = network.charge_alone(NonZeroU32::MIN, now).refused;
            if receipt.refused.is_some() {
                self.refund(&mut receipt);
            }
        }
        receipt
    }

    /// Charges one request to the rate limit, and nothing to the daily quota.
    pub(crate) fn charge_rate(&self, now: DateTime<Utc>) -> Receipt {
        self.charge_both(NonZeroU32::MIN, 0, now)
    }

    /// Charges one request to the daily quota only. Returns whether it was left.
    pub(crate) fn charge_day(&self, now: DateTime<Utc>) -> bool {
        let per_day = self.limits.requests_per_day.get();
        self.usage.charge(now.date_naive(), 1, per_day).is_ok()
    }

    /// The requests that were counted on a day, as far as they are in memory: those of today.
    pub(crate) fn used_on(&self, day: NaiveDate) -> i64 {
        self.usage.on(day)
    }

    /// [`Account::charge`] without the network.
    fn charge_alone(&self, cost: NonZeroU32, now: DateTime<Utc>) -> Receipt {
        self.charge_both(cost, cost.min(self.limits.requests_per_day).get(), now)
    }

    fn charge_both(&self, cost: NonZeroU32, cost_of_day: u32, now: DateTime<Utc>) -> Receipt {
        let (per_minute, per_day) = (self.limits.requests_per_minute, self.limits.requests_per_day);
        let (today, midnight) = (now.date_naive(), seconds_to_midnight(now));
        let burst = self.take(cost.min(per_minute));
        let used = match burst {
            Ok(_) => self.usage.charge(today, cost_of_day, per_day.get()),
            Err(_) => Err(self.usage.on(today)),
        };
        let (Ok(in_day) | Err(in_day)) = used;
        // A count below zero, written into the database by hand, counts as zero.
        let quota = i64::from(per_day.get());
        let left = quota.saturating_sub(in_day).clamp(0, quota);
        let left = u32::try_from(left).expect("at most the quota is left, which is a u32");
        let refused = if used.is_err() && left < cost_of_day {
            Some((Limit::Day, midnight))
        } else {
            burst.err().map(|wait| (Limit::Burst, wait))
        };
        Receipt {
            burst: LimitWindow {
                quota: per_minute,
                remaining: burst.unwrap_or(0),
                reset: burst.err().unwrap_or_else(|| 60_u64.div_ceil(per_minute.get().into())),
            },
            day: LimitWindow {
                quota: per_day,
                remaining: left,
                reset: midnight,
            },
            refused,
            today,
            charged: if used.is_ok() { cost_of_day } else { 0 },
        }
    }

    /// Charges the rest of `cost` for a request that was charged as one. If that exceeds a limit,
    /// the whole request is refused: the daily quota is refunded, and the wait is until the bucket
    /// holds the whole cost, including the one that was already charged.
    pub(crate) fn charge_more(&self, receipt: &mut Receipt, cost: NonZeroU32, now: DateTime<Utc>) {
        let (per_minute, per_day) = (self.limits.requests_per_minute, self.limits.requests_per_day);
        let more_of_burst = NonZeroU32::new(cost.min(per_minute).get() - 1);
        let more_of_day = cost.min(per_day).get().saturating_sub(receipt.charged);
        let for_one = 60_u64.div_ceil(per_minute.get().into());
        let burst = more_of_burst.map_or(Ok(receipt.burst.remaining), |more| self.take(more));
        let burst = burst.map_err(|wait| wait + for_one);
        let refused = match burst {
            Ok(_) => {
                let used = self.usage.charge(receipt.today, more_of_day, per_day.get());
                used.err().map(|_| (Limit::Day, seconds_to_midnight(now)))
            }
            Err(wait) => Some((Limit::Burst, wait)),
        };
        // The bucket keeps the one token of a refused batch.
        receipt.burst.remaining = burst.unwrap_or(receipt.burst.remaining);
        receipt.refused = refused;
        match refused {
            Some(_) => self.refund(receipt),
            None => {
                receipt.charged += more_of_day;
                receipt.day.remaining = receipt.day.remaining.saturating_sub(more_of_day);
            }
        }
    }

    /// Refunds the daily quota. The bucket is not refilled: it protects the server, which did the work
    /// in any case.
    pub(crate) fn refund(&self, receipt: &mut Receipt) {
        self.usage.refund(receipt.today, receipt.charged);
        receipt.day.remaining = receipt.day.remaining.saturating_add(receipt.charged);
        receipt.charged = 0;
    }

    /// The remaining tokens, or the seconds until there are enough.
    fn take(&self, cost: NonZeroU32) -> Result<u32, u64> {
        let checked = self.bucket.check_n(cost);
        match checked.expect("the cost is at most the capacity of the bucket") {
            Ok(state) => Ok(state.remaining_burst_capacity()),
            Err(until) => {
                let wait = until.wait_time_from(self.bucket.clock().now());
                Err((wait.as_nanos().div_ceil(1_000_000_000) as u64).max(1))
            }
        }
    }
}

impl Clock for Monotonic {
    type Instant = Duration;

    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

fn bucket(limits: &PlanLimits) -> TokenBucket {
    let quota = Quota::per_minute(limits.requests_per_minute);
    RateLimiter::new(quota, InMemoryState::default(), Monotonic(Instant::now()))
}

/// Rounded up, at least 1.
fn seconds_to_midnight(now: DateTime<Utc>) -> u64 {
    let tomorrow = now.date_naive().checked_add_days(Days::new(1));
    let midnight = tomorrow.map(|day| day.and_time(NaiveTime::MIN).and_utc());
    let left = midnight.map_or(0, |midnight| (midnight - now).num_milliseconds());
    u64::try_from(left).unwrap_or(0).div_ceil(1000).max(1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    fn account(per_minute: u32, per_day: u32) -> Account {
        let key = ApiKey {
            id: 1,
            plan: Plan::Basic,
            label: String::new(),
            created_at: DateTime::UNIX_EPOCH,
            expires_at: None,
            disabled_at: None,
            has_trusted_consent: false,
        };
        let limits = PlanLimits {
            requests_per_minute: per_minute.try_into().unwrap(),
            requests_per_day: per_day.try_into().unwrap(),
            ..*Plans::default().limits(Plan::Basic)
        };
        Account::new(key, limits)
    }

    fn cost(cost: u32) -> NonZeroU32 {
        cost.try_into().unwrap()
    }

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn the_daily_quota_resets_at_midnight() {
        let account = account(1000, 2);
        let evening = at("2026-03-01T23:59:58.500Z");
        let windows = |receipt: &Receipt| (receipt.day.remaining, receipt.day.reset);
        assert_eq!(windows(&account.charge(cost(1), evening)), (1, 2));
        let mut last = account.charge(cost(1), evening);
        assert_eq!((windows(&last), last.refused), ((0, 2), None));
        let refused = account.charge(cost(1), evening);
        assert_eq!((windows(&refused), refused.refused), ((0, 2), Some((Limit::Day, 2))));
        assert_eq!(
            windows(&account.charge(cost(1), at("2026-03-02T00:00:00Z"))),
            (1, 86400)
        );
        // The refund goes to the day that was charged, once.
        account.refund(&mut last);
        account.refund(&mut last);
        assert_eq!((last.day.remaining, account.usage.on(evening.date_naive())), (1, 1));
        // A refusal charged nothing that could be refunded.
        let mut refused = refused;
        account.refund(&mut refused);
        assert_eq!(account.usage.on(evening.date_naive()), 1);
    }

    #[test]
    fn an_empty_bucket_reports_when_it_has_a_token() {
        let account = account(2, 1000);
        let now = at("2026-03-01T12:00:00Z");
        let first = account.charge(cost(1), now);
        assert_eq!((first.burst.remaining, first.burst.reset), (1, 30));
        assert_eq!(account.charge(cost(1), now).refused, None);
        let refused = account.charge(cost(1), now);
        let Some((Limit::Burst, wait)) = refused.refused else {
            panic!("{refused:?}")
        };
        assert!((25..=30).contains(&wait) && refused.burst.reset == wait, "{refused:?}");
        assert_eq!(refused.day.remaining, 998, "a refusal is not counted");
    }

    #[test]
    fn a_batch_costs_more_but_at_most_a_whole_limit() {
        let account = account(10, 7);
        let now = at("2026-03-01T12:00:00Z");
        let batch = account.charge(cost(5), now);
        assert_eq!((batch.burst.remaining, batch.day.remaining), (5, 2));
        assert_eq!(account.charge(cost(3), now).refused.unwrap().0, Limit::Day);
        assert_eq!(
            account.charge(cost(50), at("2026-03-02T12:00:00Z")).refused.unwrap().0,
            Limit::Burst
        );
        let fresh = self::account(10, 7);
        let all = fresh.charge(cost(50), now);
        assert_eq!((all.burst.remaining, all.day.remaining, all.refused), (0, 0, None));
    }

    #[test]
    fn a_refused_batch_waits_for_its_whole_cost() {
        let account = account(10, 1000);
        let now = at("2026-03-01T12:00:00Z");
        account.charge(cost(6), now);
        let mut batch = account.charge(cost(1), now);
        account.charge_more(&mut batch, cost(5), now);
        let Some((Limit::Burst, wait)) = batch.refused else {
            panic!("{batch:?}")
        };
        // Three tokens remain and four more are needed. The fourth comes in 6 s, and in 6 s more the
        // one for the new attempt.
        assert_eq!((batch.burst.remaining, batch.day.remaining), (3, 994));
        assert!((11..=12).contains(&wait) && batch.burst.reset == 6, "{batch:?}");
        assert_eq!(
            account.charge(cost(3), now).refused,
            None,
            "the reported tokens are available"
        );
    }

    #[test]
    fn a_change_of_plan_keeps_the_usage() {
        let before = account(2, 10);
        let now = at("2026-03-01T12:00:00Z");
        before.charge(cost(2), now);
        let more = account(5, 100);
        let after = before.with_key(more.key, more.limits);
        let receipt = after.charge(cost(1), now);
        assert_eq!((receipt.day.remaining, receipt.burst.remaining), (97, 4));
        // The same plan keeps the bucket.
        let revoked = after.with_key(after.key.clone(), after.limits);
        assert_eq!(revoked.charge(cost(1), now).burst.remaining, 3);
    }

    proptest! {
        #[test]
        fn no_sequence_of_charges_exceeds_a_limit(
            per_minute in 1..u32::MAX,
            per_day in 1..u32::MAX,
            costs in prop::collection::vec(1..u32::MAX, 1..40),
        ) {
            let account = account(per_minute, per_day);
            let now = at("2026-03-01T12:00:00Z");
            let mut used = 0_u64;
            for asked in costs {
                let mut receipt = account.charge(cost(asked), now);
                prop_assert!(receipt.burst.remaining <= per_minute && receipt.day.remaining <= per_day);
                prop_assert!(receipt.refused.is_none_or(|(_, wait)| wait >= 1));
                prop_assert_eq!(receipt.refused.is_some(), receipt.charged == 0);
                if asked % 3 == 0 {
                    account.refund(&mut receipt);
                }
                used += u64::from(receipt.charged);
                prop_assert!(used <= per_day.into());
                prop_assert_eq!(account.usage.on(now.date_naive()) as u64, used);
            }
        }
    }
}
