-- What bots wrote to standard error, and used, for their moves. It is no part of the match.
CREATE TABLE bot_output (
    match_id TEXT COLLATE "C" NOT NULL,
    seat BIGINT NOT NULL,
    ply BIGINT NOT NULL, -- moves made before the turn during which it was written
    lines TEXT COLLATE "C" NOT NULL, -- JSON: a list of pairs, milliseconds since the turn began and the text
    cut BOOLEAN NOT NULL, -- whether more was written than is kept
    cpu_ms BIGINT, -- the processor time of the bot's processes in this turn, where it is known
    memory_kib BIGINT, -- the most memory that they had so far
    PRIMARY KEY (match_id, seat, ply)
);

CREATE FUNCTION delete_bot_output() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM bot_output WHERE match_id = OLD.id;
    RETURN NULL;
END $$;

CREATE TRIGGER matches_go_with_bot_output AFTER DELETE ON matches
FOR EACH ROW EXECUTE FUNCTION delete_bot_output();
