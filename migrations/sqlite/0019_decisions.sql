-- An index of the analyses that are done: their decisions with a choice, of seats that players held, without penalties. It follows
-- from analyses and logs; game and privacy are copies from `matches`.
CREATE TABLE decisions (
    match_id TEXT NOT NULL,
    ply INTEGER NOT NULL,
    player TEXT NOT NULL,
    game TEXT NOT NULL,
    private INTEGER NOT NULL CHECK (private IN (0, 1)),
    phase TEXT NOT NULL,
    kind TEXT NOT NULL,
    loss INTEGER NOT NULL, -- of the expected score, in ten-thousandths
    PRIMARY KEY (match_id, ply)
) STRICT, WITHOUT ROWID;

CREATE INDEX decisions_costly ON decisions (player, game, loss, match_id, ply);
CREATE INDEX decisions_counted ON decisions (player, game, phase, kind, private, loss);

CREATE TRIGGER analyses_go_with_decisions AFTER DELETE ON analyses
BEGIN
    DELETE FROM decisions WHERE match_id = OLD.match_id;
END;

-- Analyses so far name neither phases nor kinds. They are computed anew when they are asked for.
DELETE FROM analyses WHERE stage = 'done';
