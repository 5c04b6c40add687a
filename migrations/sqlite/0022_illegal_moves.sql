-- Illegal moves are a kind of their own among the faults of bots. Those of earlier versions stay what their events call them.
-- The trigger goes first, because a table that a trigger names cannot be replaced.
DROP TRIGGER matches_go_with_bot_faults;

CREATE TABLE bot_faults_with_kinds (
    match_id TEXT NOT NULL,
    seq INTEGER NOT NULL, -- of the event
    player TEXT NOT NULL, -- the bot
    game TEXT NOT NULL,
    seat INTEGER NOT NULL,
    ply INTEGER NOT NULL, -- moves made before it
    kind TEXT NOT NULL CHECK (kind IN ('time', 'illegal_move', 'bad_line', 'crash')),
    detail TEXT NOT NULL, -- what was wrong, with what the bot printed
    instead TEXT, -- the move that was played instead, if the match went on
    think_us INTEGER NOT NULL, -- the bot's time for the decision
    at_ms INTEGER NOT NULL,
    version TEXT, -- of the bot, as its description named it then
    PRIMARY KEY (match_id, seq)
) STRICT, WITHOUT ROWID;

INSERT INTO bot_faults_with_kinds
SELECT match_id, seq, player, game, seat, ply, kind, detail, instead, think_us, at_ms, version FROM bot_faults;

DROP TABLE bot_faults;

ALTER TABLE bot_faults_with_kinds RENAME TO bot_faults;

CREATE INDEX bot_faults_player ON bot_faults (player, match_id, seq);

CREATE TRIGGER matches_go_with_bot_faults AFTER DELETE ON matches
BEGIN
    DELETE FROM bot_faults WHERE match_id = OLD.id;
END;
