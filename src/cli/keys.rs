//! `procure keys`: creates, lists, trusts and revokes API keys, and their service addresses.

use anyhow::ensure;
use chrono::{NaiveDate, NaiveTime, Utc};
use clap::Subcommand;

use crate::{
    cli::{
        key_address::{self, Address},
        options::{StateFile, note, note_revoked, parse_key_id, parse_plan, print},
    },
    model::{Date, Plan, timestamp},
    state::{
        database::{self, StateDb},
        keys::ApiKey,
    },
};

#[derive(Debug, Subcommand)]
pub(crate) enum Keys {
    /// Create a key and print it; it cannot be shown again
    Create {
        /// BASIC, PRO, ULTRA or MEGA
        #[arg(long, env = "PROCURE_PLAN", value_parser = parse_plan)]
        plan: Plan,
        /// Whose key it is, for `keys list`
        #[arg(long, value_name = "TEXT", env = "PROCURE_LABEL")]
        label: String,
        /// First day on which the key no longer works, UTC, YYYY-MM-DD
        #[arg(long, value_name = "DAY", env = "PROCURE_EXPIRES", value_parser = parse_day)]
        expires: Option<NaiveDate>,
        /// Alerts that the key subscribes need no confirmation by mail: its owner has confirmed them
        #[arg(long, env = "PROCURE_TRUSTED_CONSENT")]
        trusted_consent: bool,
        #[command(flatten)]
        state: StateFile,
    },
    /// List all keys with their requests of today (UTC); the keys themselves are not stored
    List {
        #[command(flatten)]
        state: StateFile,
    },
    /// Trust a key: alerts that it subscribes need no confirmation by mail
    Trust {
        /// Number of the key, as `keys list` shows it
        #[arg(value_parser = parse_key_id)]
        id: i64,
        #[command(flatten)]
        state: StateFile,
    },
    /// Trust a key no longer: new alerts that it subscribes need a confirmation by mail
    Untrust {
        /// Number of the key, as `keys list` shows it
        #[arg(value_parser = parse_key_id)]
        id: i64,
        #[command(flatten)]
        state: StateFile,
    },
    /// Revoke a key
    Revoke {
        /// Number of the key, as `keys list` shows it
        #[arg(value_parser = parse_key_id)]
        id: i64,
        #[command(flatten)]
        state: StateFile,
    },
    /// Addresses of the reconciliation service that need no header: create, list, revoke
    #[command(subcommand)]
    Address(Address),
}

pub(crate) fn run(args: Keys) -> anyhow::Result<()> {
    match args {
        Keys::Create {
            plan,
            label,
            expires,
            trusted_consent,
            state,
        } => {
            let (expires, now) = (expires.map(|day| day.and_time(NaiveTime::MIN).and_utc()), Utc::now());
            ensure!(
                expires.is_none_or(|end| end > now),
                "--expires is not in the future; it is the first day (UTC) on which the key no longer works, so use tomorrow or later"
            );
            database::warn_if_exposed(&state.state);
            let state = StateDb::open(&state.state)?;
            let key = if trusted_consent {
                state.create_trusted_key(plan, &label, now, expires)?
            } else {
                state.create_key(plan, &label, now, expires)?
            };
            print(&format!("{key}\n"))
        }
        Keys::List { state } => {
            let state = state.open_to_read()?;
            let today = state.usage(Utc::now().date_naive())?;
            let line = |key: &ApiKey| key_line(key, today.get(&key.id).copied().unwrap_or(0));
            print(&state.keys()?.iter().map(line).collect::<String>())
        }
        Keys::Trust { id, state } => {
            state.open_existing()?.trust_key(id, true)?;
            note(&format!(
                "key {id} is trusted: alerts that it subscribes need no confirmation by mail"
            ));
            Ok(())
        }
        Keys::Untrust { id, state } => {
            state.open_existing()?.trust_key(id, false)?;
            note(&format!(
                "key {id} is not trusted: new alerts that it subscribes need a confirmation by mail"
            ));
            Ok(())
        }
        Keys::Revoke { id, state } => revoke(&state.open_existing()?, id),
        Keys::Address(command) => key_address::run(command),
    }
}

fn revoke(state: &StateDb, id: i64) -> anyhow::Result<()> {
    // A list that cannot be read must not keep a key from being revoked.
    let keys = state.keys().unwrap_or_default();
    let before = keys.iter().find(|key| key.id == id).and_then(|key| key.disabled_at);
    state.revoke_key(id, Utc::now())?;
    note_revoked("key", id, before);
    Ok(())
}

fn key_line(key: &ApiKey, requests_today: i64) -> String {
    let mut line = format!(
        "{:>4}  {:<5}  created {}  today {requests_today:>7}  {}",
        key.id,
        key.plan.name(),
        timestamp::format_seconds(key.created_at),
        key.label
    );
    if key.has_trusted_consent {
        line.push_str("  trusted consent");
    }
    if let Some(end) = key.expires_at {
        line.push_str(&format!("  expires {}", timestamp::format_seconds(end)));
    }
    if let Some(end) = key.disabled_at {
        line.push_str(&format!("  revoked {}", timestamp::format_seconds(end)));
    }
    line + "\n"
}

fn parse_day(text: &str) -> Result<NaiveDate, String> {
    let day = Date::parse(text).map_err(|why| format!("the day {why}"))?;
    NaiveDate::from_epoch_days(day.days()).ok_or_else(|| "the day is out of range".to_owned())
}
