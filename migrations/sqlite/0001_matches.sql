-- Hosted matches: their events, their players, and the nodes that run them (tables and columns call a node a server).
-- Times are milliseconds since the beginning of 1970, UTC. Hashes are SHA-256, hexadecimal.

-- Values for the database as a whole, such as its secret.
CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Nodes that live, or have died without another node noticing yet. A node lives as long as it holds the lock on its own
-- file beside the database.
CREATE TABLE servers (
    id TEXT PRIMARY KEY,
    beat_ms INTEGER NOT NULL -- its last heartbeat
) STRICT, WITHOUT ROWID;

-- Times in which no node served or nothing could be written.
CREATE TABLE downtimes (
    from_ms INTEGER NOT NULL,
    to_ms INTEGER NOT NULL
) STRICT;

-- Matches as lists show them.
CREATE TABLE matches (
    nr INTEGER PRIMARY KEY, -- shorter than the id, because many events refer to it
    id TEXT NOT NULL UNIQUE, -- UUID, version 7: sorts by creation time
    game TEXT NOT NULL,
    stage TEXT NOT NULL CHECK (stage IN ('open', 'running', 'over')),
    private INTEGER NOT NULL CHECK (private IN (0, 1)),
    created_ms INTEGER NOT NULL,
    ended_ms INTEGER,
    rematch_of TEXT UNIQUE, -- the id of another match, which has no other rematch
    summary TEXT NOT NULL, -- JSON: what lists show
    players TEXT NOT NULL, -- JSON: [[id, name, worth or null], ...]
    keeper TEXT, -- the node that holds it
    wake_ms INTEGER -- if no node holds it: when it needs attention
) STRICT;

-- One for each combination of filters, so that every page of a list is read from one index.
CREATE INDEX matches_all ON matches (id) WHERE private = 0;
CREATE INDEX matches_game ON matches (game, id) WHERE private = 0;
CREATE INDEX matches_stage ON matches (stage, id) WHERE private = 0;
CREATE INDEX matches_game_stage ON matches (game, stage, id) WHERE private = 0;
CREATE INDEX matches_kept ON matches (keeper) WHERE keeper IS NOT NULL;
CREATE INDEX matches_due ON matches (wake_ms) WHERE wake_ms IS NOT NULL;

-- The events, in the order in which they were written. A match is its events and nothing else.
CREATE TABLE events (
    position INTEGER PRIMARY KEY, -- without gaps over all matches, so that a node notices the events of others
    match_nr INTEGER NOT NULL REFERENCES matches (nr),
    seq INTEGER NOT NULL, -- without gaps in a match, from 0
    at_ms INTEGER NOT NULL,
    body TEXT NOT NULL, -- the event, JSON
    UNIQUE (match_nr, seq) -- of two nodes that append the same one, the first succeeds
) STRICT;

CREATE TRIGGER events_stay BEFORE UPDATE ON events
BEGIN
    SELECT raise(ABORT, 'events are only ever added');
END;

CREATE TRIGGER events_stay_there BEFORE DELETE ON events
BEGIN
    SELECT raise(ABORT, 'events are only ever added');
END;

-- Registered people and bots.
CREATE TABLE players (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    folded TEXT NOT NULL UNIQUE, -- the name in lower case: no two differ in case alone
    key TEXT NOT NULL UNIQUE, -- hash of the token
    created_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The players of each match; game, stage and id are copies from `matches`, for the lists of a player.
CREATE TABLE match_players (
    match_nr INTEGER NOT NULL REFERENCES matches (nr),
    player TEXT NOT NULL REFERENCES players (id),
    match_id TEXT NOT NULL,
    game TEXT NOT NULL,
    stage TEXT NOT NULL,
    private INTEGER NOT NULL,
    worth REAL, -- the value of the result for the player, 0 to 1; NULL without a result
    PRIMARY KEY (match_nr, player)
) STRICT, WITHOUT ROWID;

CREATE INDEX match_players_all ON match_players (player, match_id) WHERE private = 0;
CREATE INDEX match_players_game ON match_players (player, game, match_id) WHERE private = 0;
CREATE INDEX match_players_stage ON match_players (player, stage, match_id) WHERE private = 0;
CREATE INDEX match_players_game_stage ON match_players (player, game, stage, match_id) WHERE private = 0;

-- The results of players in public matches: sums over `match_players`, stored because counting would take long after
-- years.
CREATE TABLE results (
    player TEXT NOT NULL REFERENCES players (id),
    game TEXT NOT NULL,
    played INTEGER NOT NULL,
    won INTEGER NOT NULL, -- won alone
    shared INTEGER NOT NULL, -- shared the first place
    PRIMARY KEY (player, game)
) STRICT, WITHOUT ROWID;

-- Requests that a client may repeat, with their results.
CREATE TABLE requests (
    key TEXT PRIMARY KEY, -- hash of the caller and of the idempotency key
    asked TEXT NOT NULL, -- hash of the request's content
    answer TEXT NOT NULL -- JSON
) STRICT, WITHOUT ROWID;
