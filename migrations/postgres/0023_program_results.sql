-- What became of the matches that a program has played, and how many mistakes it made. Counted from this migration on.
ALTER TABLE programs ADD COLUMN won BIGINT NOT NULL DEFAULT 0;
ALTER TABLE programs ADD COLUMN drawn BIGINT NOT NULL DEFAULT 0;
ALTER TABLE programs ADD COLUMN lost BIGINT NOT NULL DEFAULT 0;
ALTER TABLE programs ADD COLUMN mistakes BIGINT NOT NULL DEFAULT 0;
