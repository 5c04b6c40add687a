-- The faults of bots: a copy of events, for the lists of a bot's owner. It is no part of the match.
CREATE TABLE bot_faults (
    match_id TEXT NOT NULL,
    seq INTEGER NOT NULL, -- of the event
    player TEXT NOT NULL, -- the bot
    game TEXT NOT NULL,
    seat INTEGER NOT NULL,
    ply INTEGER NOT NULL, -- moves made before it
    kind TEXT NOT NULL CHECK (kind IN ('time', 'bad_line', 'crash')),
    detail TEXT NOT NULL, -- what was wrong, with what the bot printed
    instead TEXT, -- the move that was played instead, if the match went on
    think_us INTEGER NOT NULL, -- the bot's time for the decision
    at_ms INTEGER NOT NULL,
    version TEXT, -- of the bot, as its description named it then
    PRIMARY KEY (match_id, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX bot_faults_player ON bot_faults (player, match_id, seq);

CREATE TRIGGER matches_go_with_bot_faults AFTER DELETE ON matches
BEGIN
    DELETE FROM bot_faults WHERE match_id = OLD.id;
END;
