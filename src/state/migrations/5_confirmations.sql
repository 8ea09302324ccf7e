-- Confirmed opt-in. Subscriptions of before count as confirmed. A subscription belongs to the key
-- that made it, so its identity now begins with the key.
-- `states_of_key` has all columns that the limits of a key count, because a row with long keywords is
-- slow to read.
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
