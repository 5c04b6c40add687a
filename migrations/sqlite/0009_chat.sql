-- What the players of a match say to each other. It is no part of the match, and only its players see it.
CREATE TABLE chat (
    match_id TEXT NOT NULL,
    n INTEGER NOT NULL, -- 0, 1, 2, ... in a match
    seat INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    said TEXT NOT NULL, -- JSON: a phrase or a text
    PRIMARY KEY (match_id, n)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER matches_go_with_chat AFTER DELETE ON matches
BEGIN
    DELETE FROM chat WHERE match_id = OLD.id;
END;
