-- Downtime: clocks of matches are not charged for the time in which no server serves.

-- `beat_ms` is 0 until the server serves. A server that has begun to stop takes no more moves, although it still lives:
-- its last beat is the moment at which it began to stop.
ALTER TABLE servers ADD COLUMN stopping INTEGER NOT NULL DEFAULT 0 CHECK (stopping IN (0, 1));

-- When the turn that the event `shown_seq` gave was shown, where that event took long to reach the disk.
ALTER TABLE matches ADD COLUMN shown_seq INTEGER;
ALTER TABLE matches ADD COLUMN shown_ms INTEGER;
