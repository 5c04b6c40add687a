-- The faults of bots: a copy of events, for the lists of a bot's owner. It is no part of the match.
CREATE TABLE bot_faults (
    match_id TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL, -- of the event
    player TEXT COLLATE "C" NOT NULL, -- the bot
    game TEXT COLLATE "C" NOT NULL,
    seat BIGINT NOT NULL,
    ply BIGINT NOT NULL, -- moves made before it
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('time', 'bad_line', 'crash')),
    detail TEXT COLLATE "C" NOT NULL, -- what was wrong, with what the bot printed
    instead TEXT COLLATE "C", -- the move that was played instead, if the match went on
    think_us BIGINT NOT NULL, -- the bot's time for the decision
    at_ms BIGINT NOT NULL,
    version TEXT COLLATE "C", -- of the bot, as its description named it then
    PRIMARY KEY (match_id, seq)
);

CREATE INDEX bot_faults_player ON bot_faults (player, match_id, seq);

CREATE FUNCTION delete_bot_faults() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM bot_faults WHERE match_id = OLD.id;
    RETURN NULL;
END $$;

CREATE TRIGGER matches_go_with_bot_faults AFTER DELETE ON matches
FOR EACH ROW EXECUTE FUNCTION delete_bot_faults();
