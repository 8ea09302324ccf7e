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
