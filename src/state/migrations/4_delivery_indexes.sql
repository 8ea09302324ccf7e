-- The indexes keep every run from scanning all past deliveries.
CREATE INDEX mailed_by_mailing ON mailed (mailing);
CREATE INDEX mailed_subscriptions_by_mailing ON mailed_subscriptions (mailing);
CREATE INDEX mailings_unproven ON mailings (outcome) WHERE outcome <> 'sent';
ALTER TABLE setbacks ADD COLUMN pauses INTEGER NOT NULL DEFAULT 0;
