//! `procure keys`: who may ask.

use anyhow::ensure;
use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use clap::Subcommand;

use crate::{
    cli::{StateFile, plan, print},
    model::{date::Date, plans::Plan},
    state::{State, keys::Key},
};

fn day(text: &str) -> Result<NaiveDate, String> {
    let day = Date::parse(text).map_err(|why| format!("a day {why}"))?;
    NaiveDate::from_epoch_days(day.days()).ok_or("it is no day".to_owned())
}

#[derive(Debug, Subcommand)]
pub enum Keys {
    /// Make a key and print it, this once
    Create {
        /// BASIC, PRO, ULTRA or MEGA [env: PROCURE_PLAN]
        #[arg(long, env = "PROCURE_PLAN", hide_env = true, value_parser = plan)]
        plan: Plan,
        /// Whose it is, for `keys list` [env: PROCURE_LABEL]
        #[arg(long, value_name = "TEXT", env = "PROCURE_LABEL", hide_env = true)]
        label: String,
        /// First day it no longer works, UTC, YYYY-MM-DD [env: PROCURE_EXPIRES]
        #[arg(long, value_name = "DAY", env = "PROCURE_EXPIRES", hide_env = true, value_parser = day)]
        expires: Option<NaiveDate>,
        #[command(flatten)]
        state: StateFile,
    },
    /// List all keys and their requests of today (UTC), without the keys themselves
    List {
        #[command(flatten)]
        state: StateFile,
    },
    /// Make a key stop working
    Revoke {
        /// Number of the key, as `keys list` shows it
        id: i64,
        #[command(flatten)]
        state: StateFile,
    },
}

/// Does what was asked of the keys.
pub fn run(args: Keys) -> anyhow::Result<()> {
    match args {
        Keys::Create {
            plan,
            label,
            expires,
            state,
        } => {
            let (expires, now) = (expires.map(|day| day.and_time(NaiveTime::MIN).and_utc()), Utc::now());
            ensure!(
                expires.is_none_or(|end| end > now),
                "such a key would never work; --expires is the first day it no longer works, so at least tomorrow"
            );
            let key = State::open(&state.state)?.create_key(plan, &label, now, expires)?;
            print(&format!("{key}\n"))
        }
        Keys::List { state } => {
            let state = existing(&state)?;
            let today = state.usage(Utc::now().date_naive())?;
            let line = |key: &Key| key_line(key, today.get(&key.id).copied().unwrap_or(0));
            print(&state.keys()?.iter().map(line).collect::<String>())
        }
        Keys::Revoke { id, state } => existing(&state)?.revoke_key(id, Utc::now()),
    }
}

/// The state, which must be there: a mistyped path must not become an empty file.
fn existing(state: &StateFile) -> anyhow::Result<State> {
    let path = &state.state;
    ensure!(
        path.exists(),
        "there is no state file {}; `procure keys create` makes one",
        path.display()
    );
    State::open(path)
}

fn key_line(key: &Key, requests_today: i64) -> String {
    let moment = |moment: DateTime<Utc>| moment.format("%Y-%m-%dT%H:%M:%SZ");
    let mut line = format!(
        "{:>4}  {:<5}  made {}  today {requests_today:>7}  {}",
        key.id,
        key.plan.name(),
        moment(key.created_at),
        key.label
    );
    if let Some(end) = key.expires_at {
        line.push_str(&format!("  expires {}", moment(end)));
    }
    if let Some(end) = key.disabled_at {
        line.push_str(&format!("  revoked {}", moment(end)));
    }
    line + "\n"
}
