CREATE TABLE usage (
    day TEXT NOT NULL,
    key_id INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    PRIMARY KEY (day, key_id)
) STRICT, WITHOUT ROWID;
