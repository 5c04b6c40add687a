-- Everything that a person wrote can be deleted. Mutes and bans of players, invitations, and reports.

-- The author of a message: the id of a player, or the hash of a guest's token. A message that was deleted stays as a row
-- without its text.
ALTER TABLE chat ADD COLUMN author TEXT;
UPDATE chat SET author = (
    SELECT coalesce(h.holder ->> '$.player.id', h.holder ->> '$.key') FROM (
        SELECT iif(e.seq = 0, e.body -> ('$.seats[' || chat.seat || '].holder'), e.body -> '$.holder') AS holder
        FROM events e JOIN matches m ON m.nr = e.match_nr
        WHERE m.id = chat.match_id AND e.at_ms <= chat.at_ms
            AND (e.seq = 0 OR (e.body ->> '$.type' = 'joined' AND e.body ->> '$.seat' = chat.seat))
        ORDER BY e.seq DESC LIMIT 1) h);
CREATE INDEX chat_author ON chat (author);

-- Deleted players whose names are still to be removed from logs.
CREATE TABLE erasures (
    player TEXT PRIMARY KEY,
    at_ms INTEGER NOT NULL, -- when the account was deleted
    match_nr INTEGER NOT NULL -- matches up to this one are done
) STRICT, WITHOUT ROWID;

DROP TRIGGER events_stay;
CREATE TRIGGER events_stay BEFORE UPDATE ON events
WHEN NEW.position <> OLD.position OR NEW.match_nr <> OLD.match_nr OR NEW.seq <> OLD.seq OR NEW.at_ms <> OLD.at_ms
    OR NOT EXISTS (SELECT 1 FROM erasures WHERE instr(OLD.body, player) > 0)
        AND EXISTS (SELECT 1 FROM matches WHERE nr = OLD.match_nr AND game <> '')
BEGIN
    SELECT raise(ABORT, 'events are only ever added');
END;

-- The operator can delete the newest match, too: its number and the positions of its first and last event stay, in rows
-- without content and without a game, until there is a newer match.
DROP TRIGGER events_stay_there;
CREATE TRIGGER events_stay_there BEFORE DELETE ON events
WHEN EXISTS (SELECT 1 FROM matches WHERE nr = OLD.match_nr AND game <> '')
BEGIN
    SELECT raise(ABORT, 'events are deleted only together with their match');
END;

CREATE INDEX tournaments_organizer ON tournaments (organizer, id);

-- Matches that the operator deleted lately, for nodes on which they are live.
CREATE TABLE deleted_matches (
    id TEXT PRIMARY KEY,
    at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What the operator forbids a player: to write (`mute`), or everything (`ban`).
CREATE TABLE restrictions (
    player TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('mute', 'ban')),
    reason TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    until_ms INTEGER, -- NULL: until it is lifted
    PRIMARY KEY (player, kind)
) STRICT, WITHOUT ROWID;

-- Codes with which players can be created while registration is closed to others.
CREATE TABLE invitations (
    key TEXT PRIMARY KEY, -- hash of the code
    note TEXT NOT NULL, -- for the operator
    uses INTEGER NOT NULL, -- how many players it is for
    used INTEGER NOT NULL, -- how many it has created
    created_ms INTEGER NOT NULL,
    until_ms INTEGER -- NULL: until it is revoked
) STRICT, WITHOUT ROWID;

-- What users report to the operator. They hold no copy of what they are about.
CREATE TABLE reports (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('match', 'player', 'chat', 'tournament')),
    subject TEXT NOT NULL, -- the id of the match, the player or the tournament
    n INTEGER NOT NULL, -- of a chat: the message; else 0
    reporter TEXT NOT NULL, -- the id of a person, or a key of an address
    reason TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    UNIQUE (kind, subject, n, reporter)
) STRICT, WITHOUT ROWID;

CREATE INDEX reports_subject ON reports (subject);
CREATE INDEX reports_reporter ON reports (reporter);

CREATE TRIGGER matches_go_with_reports AFTER DELETE ON matches
BEGIN
    DELETE FROM reports WHERE subject = OLD.id;
END;
