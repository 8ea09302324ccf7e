//! The schema of the state database, as the migrations that lead to it.

use rusqlite::{Transaction, params};

use crate::state::address_hash::AddressHash;

/// Entry *n* migrates the schema from version *n* to *n* + 1. A released entry is never edited: new
/// ones are appended.
pub(super) const MIGRATIONS: [&str; 9] = [
    "
    CREATE TABLE keys (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        sha256 BLOB NOT NULL UNIQUE,
        plan TEXT NOT NULL,
        label TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        expires_at INTEGER,
        disabled_at INTEGER
    ) STRICT;
",
    "
    CREATE TABLE usage (
        day TEXT NOT NULL,
        key_id INTEGER NOT NULL,
        requests INTEGER NOT NULL,
        PRIMARY KEY (day, key_id)
    ) STRICT, WITHOUT ROWID;
",
    "
    CREATE TABLE secrets (
        name TEXT PRIMARY KEY,
        secret BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE addresses (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        email TEXT NOT NULL UNIQUE,
        salt BLOB NOT NULL,
        token_sha256 BLOB UNIQUE
    ) STRICT;
    CREATE TABLE subscriptions (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        address_id INTEGER NOT NULL REFERENCES addresses (id),
        identity TEXT NOT NULL,
        keywords TEXT NOT NULL,
        department TEXT,
        municipality TEXT,
        category TEXT,
        languages TEXT NOT NULL,
        frequency TEXT NOT NULL,
        locale TEXT NOT NULL,
        salt BLOB NOT NULL,
        token_sha256 BLOB UNIQUE,
        key_id INTEGER NOT NULL,
        created_at INTEGER NOT NULL,
        unsubscribed_at INTEGER,
        UNIQUE (address_id, identity)
    ) STRICT;
    CREATE INDEX live_subscriptions_of_key ON subscriptions (key_id) WHERE unsubscribed_at IS NULL;
    CREATE TABLE consents (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        subscription_id INTEGER NOT NULL REFERENCES subscriptions (id),
        event TEXT NOT NULL,
        at INTEGER NOT NULL,
        key_id INTEGER,
        request_id TEXT NOT NULL,
        peer TEXT,
        forwarded_for TEXT,
        words TEXT NOT NULL
    ) STRICT;
",
    "
    CREATE TABLE mailings (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        address BLOB NOT NULL,
        began_at INTEGER NOT NULL,
        tenders INTEGER NOT NULL,
        outcome TEXT NOT NULL CHECK (outcome IN ('sending', 'sent', 'uncertain'))
    ) STRICT;
    CREATE INDEX mailings_by_day ON mailings (began_at);
    CREATE TABLE mailed (
        pair BLOB PRIMARY KEY,
        mailing INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE mailed_subscriptions (
        subscription INTEGER NOT NULL,
        mailing INTEGER NOT NULL,
        PRIMARY KEY (subscription, mailing)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE setbacks (
        address BLOB PRIMARY KEY,
        attempts INTEGER NOT NULL,
        due_at INTEGER NOT NULL,
        paused_at INTEGER,
        why TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
",
    // The indexes keep every run from scanning all past deliveries.
    "
    CREATE INDEX mailed_by_mailing ON mailed (mailing);
    CREATE INDEX mailed_subscriptions_by_mailing ON mailed_subscriptions (mailing);
    CREATE INDEX mailings_unproven ON mailings (outcome) WHERE outcome <> 'sent';
    ALTER TABLE setbacks ADD COLUMN pauses INTEGER NOT NULL DEFAULT 0;
",
    // Confirmed opt-in. Subscriptions of before count as confirmed. A subscription belongs to the key
    // that made it, so its identity now begins with the key.
    // `states_of_key` has all columns that the limits of a key count, because a row with long keywords is
    // slow to read.
    "
    ALTER TABLE keys ADD COLUMN trusted_consent INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE subscriptions ADD COLUMN requested_at INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE subscriptions ADD COLUMN confirmed_at INTEGER;
    UPDATE subscriptions SET requested_at = created_at, confirmed_at = created_at,
        identity = iif(identity LIKE 'forgotten %', identity, key_id || ' ' || identity);
    CREATE INDEX pending_subscriptions ON subscriptions (requested_at)
        WHERE confirmed_at IS NULL AND unsubscribed_at IS NULL;
    CREATE INDEX live_subscriptions_of_address ON subscriptions (address_id) WHERE unsubscribed_at IS NULL;
    CREATE INDEX subscriptions_of_key ON subscriptions (key_id, created_at);
    DROP INDEX live_subscriptions_of_key;
    CREATE INDEX states_of_key ON subscriptions (key_id, unsubscribed_at, confirmed_at, address_id, requested_at);
    ALTER TABLE consents ADD COLUMN times INTEGER NOT NULL DEFAULT 1;
    CREATE INDEX consents_of_subscription ON consents (subscription_id);
    CREATE TABLE confirmed_keys (
        address_id INTEGER NOT NULL REFERENCES addresses (id),
        key_id INTEGER NOT NULL,
        PRIMARY KEY (address_id, key_id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE confirmations (
        address BLOB PRIMARY KEY,
        address_id INTEGER NOT NULL,
        key_id INTEGER NOT NULL,
        salt BLOB NOT NULL,
        token_sha256 BLOB NOT NULL UNIQUE,
        requested_at INTEGER NOT NULL,
        awaits_mail INTEGER NOT NULL,
        confirmed_at INTEGER,
        declined_at INTEGER
    ) STRICT;
    CREATE INDEX confirmations_of_address ON confirmations (address_id);
    CREATE INDEX confirmations_by_request ON confirmations (requested_at) WHERE declined_at IS NULL;
    CREATE INDEX confirmations_to_mail ON confirmations (awaits_mail) WHERE awaits_mail = 1;
    ALTER TABLE mailings ADD COLUMN kind TEXT NOT NULL DEFAULT 'digest' CHECK (kind IN ('digest', 'confirmation'));
    CREATE INDEX confirmation_mailings ON mailings (address, began_at) WHERE kind = 'confirmation';
    CREATE TABLE mail_sender (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        name TEXT NOT NULL,
        postal TEXT NOT NULL
    ) STRICT;
",
    "
    ALTER TABLE subscriptions ADD COLUMN translate INTEGER NOT NULL DEFAULT 0 CHECK (translate IN (0, 1));
",
    // Decision D-167: confirmation mails count by mailbox. An earlier address with a tag counts as one of its own until
    // it is asked again.
    "
    ALTER TABLE confirmations ADD COLUMN mailbox BLOB;
    UPDATE confirmations SET mailbox = address;
    CREATE INDEX confirmations_of_mailbox ON confirmations (mailbox);
    CREATE INDEX declined_mailboxes ON confirmations (mailbox) WHERE declined_at IS NOT NULL;
    -- A server of the version before, which runs until it is started again, does not state it.
    CREATE TRIGGER confirmations_have_a_mailbox AFTER INSERT ON confirmations WHEN new.mailbox IS NULL BEGIN
        UPDATE confirmations SET mailbox = address WHERE address = new.address;
    END;
",
    // Decision D-258: confirmation mails count by the site that they go to, and by the key that asked.
    "
    ALTER TABLE mailings ADD COLUMN site BLOB;
    ALTER TABLE mailings ADD COLUMN key_id INTEGER;
    CREATE INDEX mailings_to_site ON mailings (site, began_at) WHERE site IS NOT NULL;
",
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
