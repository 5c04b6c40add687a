-- An index of the analyses that are done: their decisions with a choice, of seats that players held, without penalties. It follows
-- from analyses and logs; game and privacy are copies from `matches`.
CREATE TABLE decisions (
    match_id TEXT COLLATE "C" NOT NULL,
    ply BIGINT NOT NULL,
    player TEXT COLLATE "C" NOT NULL,
    game TEXT COLLATE "C" NOT NULL,
    private BOOLEAN NOT NULL,
    phase TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    loss BIGINT NOT NULL, -- of the expected score, in ten-thousandths
    PRIMARY KEY (match_id, ply)
);

CREATE INDEX decisions_costly ON decisions (player, game, loss, match_id, ply);
CREATE INDEX decisions_counted ON decisions (player, game, phase, kind, private, loss);

CREATE FUNCTION delete_decisions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM decisions WHERE match_id = OLD.match_id;
    RETURN NULL;
END $$;

CREATE TRIGGER analyses_go_with_decisions AFTER DELETE ON analyses
FOR EACH ROW EXECUTE FUNCTION delete_decisions();

-- Analyses so far name neither phases nor kinds. They are computed anew when they are asked for.
DELETE FROM analyses WHERE stage = 'done';
