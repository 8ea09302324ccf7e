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
