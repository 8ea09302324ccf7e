//! The schema of the state database, as the migrations that lead to it.

/// Entry *n* migrates the schema from version *n* to *n* + 1. A released entry is never edited: new
/// ones are appended.
pub(super) const MIGRATIONS: [&str; 5] = [
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
];
