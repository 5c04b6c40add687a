-- Hosted matches: their events, who plays in them, and the servers that run them.
-- Times are milliseconds since the beginning of 1970, UTC. Hashes are SHA-256, hexadecimal.

-- What belongs to the database as a whole, such as its secret.
CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Servers that live, or have died and were not missed yet. A server lives as long as it holds the lock on its own file
-- beside the database.
CREATE TABLE servers (
    id TEXT PRIMARY KEY,
    beat_ms INTEGER NOT NULL -- when it said last that it lives
) STRICT, WITHOUT ROWID;

-- When no server was alive.
CREATE TABLE downtimes (
    from_ms INTEGER NOT NULL,
    to_ms INTEGER NOT NULL
) STRICT;

-- Matches as lists show them.
CREATE TABLE matches (
    nr INTEGER PRIMARY KEY, -- short, for the many events
    id TEXT NOT NULL UNIQUE, -- UUID, version 7: sorts by the time it was made
    game TEXT NOT NULL,
    stage TEXT NOT NULL CHECK (stage IN ('open', 'running', 'over')),
    private INTEGER NOT NULL CHECK (private IN (0, 1)),
    created_ms INTEGER NOT NULL,
    ended_ms INTEGER,
    rematch_of TEXT UNIQUE, -- the id of another match, which has no other rematch
    summary TEXT NOT NULL, -- JSON, for whoever shows a list
    players TEXT NOT NULL, -- JSON: [[id, name, worth or null], ...]
    keeper TEXT, -- the server that holds it
    wake_ms INTEGER -- held by nobody: when it wants to be looked at
) STRICT;

-- One for each way to filter a list, so that every page is read from one place.
CREATE INDEX matches_all ON matches (id) WHERE private = 0;
CREATE INDEX matches_game ON matches (game, id) WHERE private = 0;
CREATE INDEX matches_stage ON matches (stage, id) WHERE private = 0;
CREATE INDEX matches_game_stage ON matches (game, stage, id) WHERE private = 0;
CREATE INDEX matches_kept ON matches (keeper) WHERE keeper IS NOT NULL;
CREATE INDEX matches_due ON matches (wake_ms) WHERE wake_ms IS NOT NULL;

-- What happened, in the order in which it was written. A match is nothing but its events.
CREATE TABLE events (
    position INTEGER PRIMARY KEY, -- without gaps over all matches: what came after is what another server wrote
    match_nr INTEGER NOT NULL REFERENCES matches (nr),
    seq INTEGER NOT NULL, -- without gaps in a match, from 0
    at_ms INTEGER NOT NULL,
    body TEXT NOT NULL, -- the event, JSON
    UNIQUE (match_nr, seq) -- whoever writes the next one has won
) STRICT;

CREATE TRIGGER events_stay BEFORE UPDATE ON events
BEGIN
    SELECT raise(ABORT, 'events are only ever added');
END;

CREATE TRIGGER events_stay_there BEFORE DELETE ON events
BEGIN
    SELECT raise(ABORT, 'events are only ever added');
END;

-- People and bots with a name of their own.
CREATE TABLE players (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    folded TEXT NOT NULL UNIQUE, -- the name in lower case: no two differ in case alone
    key TEXT NOT NULL UNIQUE, -- hash of the token
    created_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Who plays where; game, stage and id as in `matches`, for the lists of a player.
CREATE TABLE match_players (
    match_nr INTEGER NOT NULL REFERENCES matches (nr),
    player TEXT NOT NULL REFERENCES players (id),
    match_id TEXT NOT NULL,
    game TEXT NOT NULL,
    stage TEXT NOT NULL,
    private INTEGER NOT NULL,
    worth REAL, -- what the match was worth for the player, 0 to 1, where it has a result
    PRIMARY KEY (match_nr, player)
) STRICT, WITHOUT ROWID;

CREATE INDEX match_players_all ON match_players (player, match_id) WHERE private = 0;
CREATE INDEX match_players_game ON match_players (player, game, match_id) WHERE private = 0;
CREATE INDEX match_players_stage ON match_players (player, stage, match_id) WHERE private = 0;
CREATE INDEX match_players_game_stage ON match_players (player, game, stage, match_id) WHERE private = 0;

-- How players have done in public matches: sums over `match_players`, kept since counting takes long after years.
CREATE TABLE results (
    player TEXT NOT NULL REFERENCES players (id),
    game TEXT NOT NULL,
    played INTEGER NOT NULL,
    won INTEGER NOT NULL, -- alone
    shared INTEGER NOT NULL, -- the first place, with others
    PRIMARY KEY (player, game)
) STRICT, WITHOUT ROWID;

-- Requests that may be sent again, with what they did.
CREATE TABLE requests (
    key TEXT PRIMARY KEY, -- hash of who asked and of the key they gave
    asked TEXT NOT NULL, -- hash of what they asked for
    answer TEXT NOT NULL -- JSON
) STRICT, WITHOUT ROWID;
