-- Everything that a person wrote can be deleted. Mutes and bans of players, invitations, and reports.

-- The author of a message: the id of a player, or the hash of a guest's token. A message that was deleted stays as a row
-- without its text.
ALTER TABLE chat ADD COLUMN author TEXT COLLATE "C";
UPDATE chat SET author = (
    SELECT coalesce(h.holder #>> '{player,id}', h.holder ->> 'key') FROM (
        SELECT CASE WHEN e.seq = 0 THEN e.body::json -> 'seats' -> chat.seat::int -> 'holder'
            ELSE e.body::json -> 'holder' END AS holder
        FROM events e JOIN matches m ON m.nr = e.match_nr
        WHERE m.id = chat.match_id AND e.at_ms <= chat.at_ms
            AND (e.seq = 0 OR (e.body::json ->> 'type' = 'joined' AND e.body::json ->> 'seat' = chat.seat::text))
        ORDER BY e.seq DESC LIMIT 1) h);
CREATE INDEX chat_author ON chat (author);

-- Deleted players whose names are still to be removed from logs.
CREATE TABLE erasures (
    player TEXT COLLATE "C" PRIMARY KEY,
    at_ms BIGINT NOT NULL, -- when the account was deleted
    match_nr BIGINT NOT NULL -- matches up to this one are done
);

CREATE FUNCTION refuse_other_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.match_nr, NEW.seq, NEW.at_ms) <> (OLD.match_nr, OLD.seq, OLD.at_ms)
        OR NOT EXISTS (SELECT 1 FROM erasures WHERE strpos(OLD.body, player) > 0) THEN
        RAISE EXCEPTION 'events are only ever added' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

DROP TRIGGER events_stay ON events;
CREATE TRIGGER events_stay BEFORE UPDATE ON events
FOR EACH ROW EXECUTE FUNCTION refuse_other_events();
CREATE TRIGGER events_stay_all BEFORE TRUNCATE ON events
FOR EACH STATEMENT EXECUTE FUNCTION refuse('events are only ever added');

-- Names that were given up are kept as hashes.
UPDATE held_names SET folded = encode(sha256(convert_to(folded, 'UTF8')), 'hex'),
    skeleton = encode(sha256(convert_to(skeleton, 'UTF8')), 'hex');

CREATE INDEX tournaments_organizer ON tournaments (organizer, id);

-- Matches that the operator deleted lately, for nodes on which they are live.
CREATE TABLE deleted_matches (
    id TEXT COLLATE "C" PRIMARY KEY,
    at_ms BIGINT NOT NULL
);

-- What the operator forbids a player: to write (`mute`), or everything (`ban`).
CREATE TABLE restrictions (
    player TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('mute', 'ban')),
    reason TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    until_ms BIGINT, -- NULL: until it is lifted
    PRIMARY KEY (player, kind)
);

-- Codes with which players can be created while registration is closed to others.
CREATE TABLE invitations (
    key TEXT COLLATE "C" PRIMARY KEY, -- hash of the code
    note TEXT NOT NULL, -- for the operator
    uses BIGINT NOT NULL, -- how many players it is for
    used BIGINT NOT NULL, -- how many it has created
    created_ms BIGINT NOT NULL,
    until_ms BIGINT -- NULL: until it is revoked
);

-- What users report to the operator. They hold no copy of what they are about.
CREATE TABLE reports (
    id TEXT COLLATE "C" PRIMARY KEY,
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('match', 'player', 'chat', 'tournament')),
    subject TEXT COLLATE "C" NOT NULL, -- the id of the match, the player or the tournament
    n BIGINT NOT NULL, -- of a chat: the message; else 0
    reporter TEXT COLLATE "C" NOT NULL, -- the id of a person, or a key of an address
    reason TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    UNIQUE (kind, subject, n, reporter)
);

CREATE INDEX reports_subject ON reports (subject);
CREATE INDEX reports_reporter ON reports (reporter);

CREATE FUNCTION delete_reports() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM reports WHERE subject = OLD.id;
    RETURN NULL;
END $$;

CREATE TRIGGER matches_go_with_reports AFTER DELETE ON matches
FOR EACH ROW EXECUTE FUNCTION delete_reports();
