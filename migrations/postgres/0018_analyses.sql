-- Analyses of finished matches. A match has at most one, which all who may see the match share.
CREATE TABLE analyses (
    match_id TEXT COLLATE "C" PRIMARY KEY,
    stage TEXT COLLATE "C" NOT NULL CHECK (stage IN ('pending', 'done', 'failed')),
    asker TEXT COLLATE "C" NOT NULL, -- the id of a person, or a key of an address; empty once it is not pending
    asked_ms BIGINT NOT NULL,
    moves BIGINT NOT NULL, -- of the match
    judged BIGINT NOT NULL, -- moves that are judged so far
    keeper TEXT COLLATE "C", -- the node that computes it
    body TEXT -- JSON: the analysis; or the reason why it failed
);

CREATE INDEX analyses_pending ON analyses (asked_ms) WHERE stage = 'pending';

CREATE FUNCTION delete_analysis() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM analyses WHERE match_id = OLD.id;
    RETURN NULL;
END $$;

CREATE TRIGGER matches_go_with_analysis AFTER DELETE ON matches
FOR EACH ROW EXECUTE FUNCTION delete_analysis();
