//! `GET /usage`: the plan of a key, what is left of it, and what it used each day.

use chrono::{DateTime, NaiveDate, Utc};
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;

use crate::{
    api::{
        params::read,
        route::{Access, Answer, Endpoint, Route},
    },
    http::{
        call::Call,
        error::ApiError,
        middleware::limits::midnight,
        state_writer::failed,
        work::{Reply, Work},
    },
    model::{PlanLimits, timestamp},
    state::account::Account,
};

pub(crate) const USAGE: Route = Route {
    id: "getUsage",
    endpoint: Endpoint::Fixed("/usage", get),
    access: Access::Uncounted,
    about: "The key's plan, what is left of it today, and its requests of each day; counts as no request",
    answer: Answer::Json(SchemaGenerator::subschema_for::<Usage>),
    is_cacheable: false,
    ..Route::DEFAULT
};

/// What a key may use, and what it used.
#[derive(Serialize, JsonSchema)]
#[schemars(description = "The plan of the key, what is left of it, and its history")]
struct Usage {
    plan: &'static str,
    /// Whether the Pro endpoints and exports are included.
    paid: bool,
    /// The maximum number of records of a page.
    page_cap: u32,
    requests_per_minute: u32,
    requests_per_day: u32,
    /// The day in UTC that the quota is counted for.
    #[schemars(extend("format" = "date"))]
    today: String,
    used_today: i64,
    left_today: i64,
    /// When the daily quota is full again.
    #[schemars(extend("format" = "date-time"))]
    resets_at: String,
    /// When the key ends; null if it does not.
    #[schemars(extend("format" = "date-time"))]
    expires_at: Option<String>,
    /// The days with requests, the newest first, up to 90 days back.
    history: Vec<DayOfUsage>,
}

/// The requests of a day.
#[derive(Serialize, JsonSchema)]
struct DayOfUsage {
    /// The day in UTC.
    #[schemars(extend("format" = "date"))]
    day: String,
    requests: i64,
}

fn get(call: &Call) -> Result<Work, ApiError> {
    read::no_parameters(call.query)?;
    let now = (call.state.now)();
    let key_id = call.caller.key_id.ok_or_else(|| ApiError::internal("no key"))?;
    let account = call
        .state
        .keys
        .by_id(key_id, now)
        .map_err(|error| ApiError::internal(format!("{error:?}")))?;
    let limits = call.plan_limits;
    Ok(Work::write(Box::new(move |state| {
        let days = state.usage_of(key_id, now.date_naive()).map_err(failed)?;
        Reply::json(&Usage::of(&account, &limits, days, now))
    })))
}

impl Usage {
    /// `days` are those that the database has, the newest first. Today's count in memory is newer.
    fn of(account: &Account, limits: &PlanLimits, days: Vec<(NaiveDate, i64)>, now: DateTime<Utc>) -> Usage {
        let (today, per_day) = (now.date_naive(), limits.requests_per_day.get());
        let used_today = account.used_on(today);
        let mut history: Vec<_> = days.into_iter().filter(|(day, _)| *day < today).collect();
        if used_today > 0 {
            history.insert(0, (today, used_today));
        }
        let day = |(day, requests): (NaiveDate, i64)| DayOfUsage {
            day: day.to_string(),
            requests,
        };
        Usage {
            plan: account.plan_name(),
            paid: limits.paid,
            page_cap: limits.page_cap,
            requests_per_minute: limits.requests_per_minute.get(),
            requests_per_day: per_day,
            today: today.to_string(),
            used_today,
            left_today: i64::from(per_day).saturating_sub(used_today).max(0),
            resets_at: midnight(now),
            expires_at: account.key.expires_at.map(timestamp::format_seconds),
            history: history.into_iter().map(day).collect(),
        }
    }
}
