-- Addresses of the reconciliation service that carry a token in place of a key. The database stores its SHA-256.
CREATE TABLE service_addresses (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    sha256 BLOB NOT NULL UNIQUE,
    key_id INTEGER NOT NULL REFERENCES keys (id),
    label TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT;
