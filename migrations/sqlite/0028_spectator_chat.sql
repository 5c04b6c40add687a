-- Spectators talk, too: a message without a seat is theirs, and only they read it.
DROP TRIGGER matches_go_with_chat;
DROP INDEX chat_author;
ALTER TABLE chat RENAME TO chat_of_players;
CREATE TABLE chat (
    match_id TEXT NOT NULL,
    n INTEGER NOT NULL, -- 0, 1, 2, ... in a match, of players and spectators together
    seat INTEGER, -- NULL: a spectator, who is the author
    at_ms INTEGER NOT NULL,
    said TEXT NOT NULL, -- JSON: a phrase or a text
    author TEXT, -- the id of a player, or the hash of a guest's token
    PRIMARY KEY (match_id, n)
) STRICT, WITHOUT ROWID;
INSERT INTO chat (match_id, n, seat, at_ms, said, author)
SELECT match_id, n, seat, at_ms, said, author FROM chat_of_players;
DROP TABLE chat_of_players;
CREATE INDEX chat_author ON chat (author);
CREATE TRIGGER matches_go_with_chat AFTER DELETE ON matches
BEGIN
    DELETE FROM chat WHERE match_id = OLD.id;
END;
