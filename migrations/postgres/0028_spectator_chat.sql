-- Spectators talk, too: a message without a seat is theirs, and only they read it. Its author is a player.
ALTER TABLE chat ALTER COLUMN seat DROP NOT NULL;
