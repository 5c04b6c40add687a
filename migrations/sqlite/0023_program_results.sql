-- What became of the matches that a program has played, and how many mistakes it made. Counted from this migration on.
ALTER TABLE programs ADD COLUMN won INTEGER NOT NULL DEFAULT 0;
ALTER TABLE programs ADD COLUMN drawn INTEGER NOT NULL DEFAULT 0;
ALTER TABLE programs ADD COLUMN lost INTEGER NOT NULL DEFAULT 0;
ALTER TABLE programs ADD COLUMN mistakes INTEGER NOT NULL DEFAULT 0;
