-- Analyses of finished matches. A match has at most one, which all who may see the match share.
CREATE TABLE analyses (
    match_id TEXT PRIMARY KEY,
    stage TEXT NOT NULL CHECK (stage IN ('pending', 'done', 'failed')),
    asker TEXT NOT NULL, -- the id of a person, or a key of an address; empty once it is not pending
    asked_ms INTEGER NOT NULL,
    moves INTEGER NOT NULL, -- of the match
    judged INTEGER NOT NULL, -- moves that are judged so far
    keeper TEXT, -- the node that computes it
    body TEXT -- JSON: the analysis; or the reason why it failed
) STRICT, WITHOUT ROWID;

CREATE INDEX analyses_pending ON analyses (asked_ms) WHERE stage = 'pending';

CREATE TRIGGER matches_go_with_analysis AFTER DELETE ON matches
BEGIN
    DELETE FROM analyses WHERE match_id = OLD.id;
END;
