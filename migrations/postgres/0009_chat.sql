-- What the players of a match say to each other. It is no part of the match, and only its players see it.
CREATE TABLE chat (
    match_id TEXT COLLATE "C" NOT NULL,
    n BIGINT NOT NULL, -- 0, 1, 2, ... in a match
    seat BIGINT NOT NULL,
    at_ms BIGINT NOT NULL,
    said TEXT COLLATE "C" NOT NULL, -- JSON: a phrase or a text
    PRIMARY KEY (match_id, n)
);

CREATE FUNCTION delete_chat() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM chat WHERE match_id = OLD.id;
    RETURN NULL;
END $$;

CREATE TRIGGER matches_go_with_chat AFTER DELETE ON matches
FOR EACH ROW EXECUTE FUNCTION delete_chat();
