-- What bots wrote to standard error, and used, for their moves. It is no part of the match.
CREATE TABLE bot_output (
    match_id TEXT NOT NULL,
    seat INTEGER NOT NULL,
    ply INTEGER NOT NULL, -- moves made before the turn during which it was written
    lines TEXT NOT NULL, -- JSON: a list of pairs, milliseconds since the turn began and the text
    cut INTEGER NOT NULL CHECK (cut IN (0, 1)), -- whether more was written than is kept
    cpu_ms INTEGER, -- the processor time of the bot's processes in this turn, where it is known
    memory_kib INTEGER, -- the most memory that they had so far
    PRIMARY KEY (match_id, seat, ply)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER matches_go_with_bot_output AFTER DELETE ON matches
BEGIN
    DELETE FROM bot_output WHERE match_id = OLD.id;
END;
