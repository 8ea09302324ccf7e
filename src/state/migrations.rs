//! The schema of the state database, as the migrations that lead to it.

use rusqlite::{Transaction, params};

use crate::state::address_hash::AddressHash;

/// Entry *n* migrates the schema from version *n* to *n* + 1. A released one is never edited: new ones
/// are appended.
pub(super) const MIGRATIONS: [&str; 10] = [
    include_str!("migrations/0_keys.sql"),
    include_str!("migrations/1_usage.sql"),
    include_str!("migrations/2_subscriptions.sql"),
    include_str!("migrations/3_deliveries.sql"),
    include_str!("migrations/4_delivery_indexes.sql"),
    include_str!("migrations/5_confirmations.sql"),
    include_str!("migrations/6_translation.sql"),
    include_str!("migrations/7_mailboxes.sql"),
    include_str!("migrations/8_mail_sites.sql"),
    include_str!("migrations/9_service_addresses.sql"),
];

/// Writes the mailbox of each address that was asked and is still readable, after the migrations: an older program may
/// have known fewer spellings of a mailbox.
pub(super) fn write_mailboxes(transaction: &Transaction) -> rusqlite::Result<()> {
    let select = "SELECT confirmations.address, email FROM confirmations JOIN addresses ON addresses.id = address_id
         WHERE email LIKE '%@%'";
    let mut select = transaction.prepare(select)?;
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let rows: Vec<(Vec<u8>, String)> = rows.collect::<rusqlite::Result<_>>()?;
    let mut update = transaction.prepare("UPDATE confirmations SET mailbox = ?2 WHERE address = ?1")?;
    for (address, email) in rows {
        update.execute(params![address, AddressHash::of_mailbox(&email).0])?;
    }
    Ok(())
}
