-- Changes and deletion of accounts, banned addresses, and deletion of matches.

-- A match is deleted as a whole: its events are deleted together with its row, never alone.
DROP TRIGGER events_stay_there;

CREATE TRIGGER events_stay_there BEFORE DELETE ON events
WHEN EXISTS (SELECT 1 FROM matches WHERE nr = OLD.match_nr)
BEGIN
    SELECT raise(ABORT, 'events are deleted only together with their match');
END;

CREATE TRIGGER matches_end_first BEFORE DELETE ON matches
WHEN OLD.stage <> 'over'
BEGIN
    SELECT raise(ABORT, 'only a match that is over can be deleted');
END;

CREATE TRIGGER matches_go_whole AFTER DELETE ON matches
BEGIN
    DELETE FROM events WHERE match_nr = OLD.nr;
    DELETE FROM match_players WHERE match_nr = OLD.nr;
    DELETE FROM requests WHERE answer ->> '$.id' = OLD.id;
END;

CREATE INDEX matches_ended ON matches (ended_ms) WHERE ended_ms IS NOT NULL;

-- The match or the player that a request created.
CREATE INDEX requests_of ON requests (answer ->> '$.id');

-- A player's own list, private matches included.
CREATE INDEX match_players_own ON match_players (player, match_id);

-- Names that look alike have the same skeleton. The program computes it; NULL: not computed yet. Not unique, because
-- players older than this column keep their names.
ALTER TABLE players ADD COLUMN skeleton TEXT;
-- When the player was renamed or deleted, so that the name in older events is out of date.
ALTER TABLE players ADD COLUMN renamed_ms INTEGER;
-- When the account was deleted. The row stays, without a name, because matches refer to it.
ALTER TABLE players ADD COLUMN deleted_ms INTEGER;

CREATE INDEX players_skeleton ON players (skeleton);
CREATE INDEX players_renamed ON players (id) WHERE renamed_ms IS NOT NULL;

-- Names that were given up recently and cannot be taken yet.
CREATE TABLE held_names (
    folded TEXT PRIMARY KEY,
    skeleton TEXT NOT NULL,
    until_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Networks whose requests are refused.
CREATE TABLE bans (
    network TEXT PRIMARY KEY, -- in CIDR notation
    reason TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    until_ms INTEGER -- NULL: never
) STRICT, WITHOUT ROWID;
