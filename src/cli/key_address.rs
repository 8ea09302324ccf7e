//! `procure keys address`: creates, lists and revokes addresses of the reconciliation service, for programs that send
//! no header.

use chrono::Utc;
use clap::Subcommand;

use crate::{
    api::reconciliation,
    cli::options::{StateFile, note_revoked, parse_key_id, print},
    model::timestamp,
    state::{database::StateDb, keys::ApiKey, service_addresses::ServiceAddress},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Address {
    /// Create an address of each reconciliation service for a key and print them; they cannot be shown again
    Create {
        /// Number of the key that its requests count against, as `keys list` shows it
        #[arg(value_parser = parse_key_id)]
        key: i64,
        /// Who uses it, for `keys address list`
        #[arg(long, value_name = "TEXT", env = "PROCURE_LABEL")]
        label: String,
        #[command(flatten)]
        state: StateFile,
    },
    /// List all addresses with their keys; their tokens are not stored
    List {
        #[command(flatten)]
        state: StateFile,
    },
    /// Revoke an address; its key stays in force
    Revoke {
        /// Number of the address, as `keys address list` shows it
        #[arg(value_parser = parse_id)]
        id: i64,
        #[command(flatten)]
        state: StateFile,
    },
}

pub(crate) fn run(args: Address) -> anyhow::Result<()> {
    match args {
        Address::Create { key, label, state } => {
            let token = state.open_existing()?.create_service_address(key, &label, Utc::now())?;
            let addresses = reconciliation::addresses(&token);
            print(&addresses.map(|address| address + "\n").concat())
        }
        Address::List { state } => {
            let state = state.open_to_read()?;
            let (addresses, keys) = (state.service_addresses()?, state.keys()?);
            let key_of = |address: &ServiceAddress| keys.iter().find(|key| key.id == address.key_id);
            let lines = addresses.iter().map(|address| line(address, key_of(address)));
            print(&lines.collect::<String>())
        }
        Address::Revoke { id, state } => revoke(&state.open_existing()?, id),
    }
}

fn revoke(state: &StateDb, id: i64) -> anyhow::Result<()> {
    // A list that cannot be read must not keep an address from being revoked.
    let addresses = state.service_addresses().unwrap_or_default();
    let before = addresses.iter().find(|address| address.id == id);
    let before = before.and_then(|address| address.revoked_at);
    state.revoke_service_address(id, Utc::now())?;
    note_revoked("address", id, before);
    Ok(())
}

fn line(address: &ServiceAddress, key: Option<&ApiKey>) -> String {
    let created = timestamp::format_seconds(address.created_at);
    let mut line = format!(
        "{:>4}  of key {:>4}  created {created}  {}",
        address.id, address.key_id, address.label
    );
    let ends = [
        ("revoked", address.revoked_at),
        ("key revoked", key.and_then(|key| key.disabled_at)),
        ("key expires", key.and_then(|key| key.expires_at)),
    ];
    for (what, end) in ends {
        if let Some(end) = end {
            line.push_str(&format!("  {what} {}", timestamp::format_seconds(end)));
        }
    }
    line + "\n"
}

fn parse_id(text: &str) -> Result<i64, String> {
    let advice = "use the number of an address, the first column of `procure keys address list`";
    text.parse().map_err(|_| advice.to_owned())
}
