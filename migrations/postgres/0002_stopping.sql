-- Downtime: clocks of matches do not run while no node serves.

-- `beat_ms` is 0 until the node serves. A node that has begun to stop accepts no more moves, although it still lives: its
-- `beat_ms` is then the moment at which it began to stop.
ALTER TABLE servers ADD COLUMN stopping BOOLEAN NOT NULL DEFAULT false;

-- When the turn that event `shown_seq` gave became visible, if the commit of that event was slow.
ALTER TABLE matches ADD COLUMN shown_seq INTEGER;
ALTER TABLE matches ADD COLUMN shown_ms BIGINT;
