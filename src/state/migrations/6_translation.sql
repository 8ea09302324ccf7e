ALTER TABLE subscriptions ADD COLUMN translate INTEGER NOT NULL DEFAULT 0 CHECK (translate IN (0, 1));
