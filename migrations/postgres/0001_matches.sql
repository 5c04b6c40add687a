-- Hosted matches: their events, their players, and the nodes that run them (tables and columns call a node a server).
-- The numbers of the migrations, and what they mean, are those of SQLite's.
-- Times are milliseconds since the beginning of 1970, UTC. Hashes are SHA-256, hexadecimal. Texts that are compared have
-- the collation "C": they sort by their bytes, whatever the language of the database.

-- The number of migrations that this database has. The table also shows that the database belongs to this program.
CREATE TABLE kibitz_schema (version INTEGER NOT NULL);

-- Values for the database as a whole, such as its secret.
CREATE TABLE settings (
    name TEXT COLLATE "C" PRIMARY KEY,
    value TEXT NOT NULL
);

-- Nodes that live, or have died without another node noticing yet. A node lives until its lease expires; each of its
-- transactions renews the lease.
CREATE TABLE servers (
    id TEXT COLLATE "C" PRIMARY KEY,
    lock BIGINT NOT NULL, -- the advisory lock that its connection for writing holds
    beat_ms BIGINT NOT NULL, -- its last heartbeat
    since_ms BIGINT NOT NULL DEFAULT 0, -- when it began to serve
    last_ms BIGINT NOT NULL DEFAULT 0, -- the time of its latest event
    batch BIGINT NOT NULL DEFAULT 0, -- the number of its last transaction: shows whether an interrupted one was written
    expires_at TIMESTAMPTZ NOT NULL -- the end of its lease, by the clock of the database
) WITH (fillfactor = 50);

-- Times in which no node served (`whole`), or in which one node could not write.
CREATE TABLE downtimes (
    from_ms BIGINT NOT NULL,
    to_ms BIGINT NOT NULL,
    whole BOOLEAN NOT NULL
);

CREATE INDEX downtimes_end ON downtimes (to_ms);

-- Each node takes 4096 numbers of matches at a time.
CREATE SEQUENCE match_numbers INCREMENT BY 4096;

-- Matches as lists show them.
CREATE TABLE matches (
    nr BIGINT PRIMARY KEY, -- shorter than the id, because many events refer to it
    id TEXT COLLATE "C" NOT NULL UNIQUE, -- UUID, version 7: sorts by creation time
    game TEXT COLLATE "C" NOT NULL,
    stage TEXT COLLATE "C" NOT NULL CHECK (stage IN ('open', 'running', 'over')),
    private BOOLEAN NOT NULL,
    created_ms BIGINT NOT NULL,
    ended_ms BIGINT,
    rematch_of TEXT COLLATE "C" UNIQUE, -- the id of another match, which has no other rematch
    summary TEXT NOT NULL, -- JSON: what lists show
    players TEXT NOT NULL, -- JSON: [[id, name, worth or null], ...]
    keeper TEXT COLLATE "C", -- the node that holds it
    wake_ms BIGINT, -- if no node holds it: when it needs attention
    unheld_ms BIGINT -- the last heartbeat of the dead node that held it, until another node holds it
);

-- One for each combination of filters, so that every page of a list is read from one index.
CREATE INDEX matches_all ON matches (id) WHERE NOT private;
CREATE INDEX matches_game ON matches (game, id) WHERE NOT private;
CREATE INDEX matches_stage ON matches (stage, id) WHERE NOT private;
CREATE INDEX matches_game_stage ON matches (game, stage, id) WHERE NOT private;
CREATE INDEX matches_kept ON matches (keeper) WHERE keeper IS NOT NULL;
CREATE INDEX matches_due ON matches (wake_ms) WHERE wake_ms IS NOT NULL;

-- The events. A match is its events and nothing else. There is no foreign key: it would lock and rewrite the match's row
-- for each event. The program writes the row first, and a match goes as a whole.
CREATE TABLE events (
    match_nr BIGINT NOT NULL,
    seq INTEGER NOT NULL, -- without gaps in a match, from 0
    at_ms BIGINT NOT NULL,
    body TEXT NOT NULL, -- the event, JSON
    PRIMARY KEY (match_nr, seq) -- of two nodes that append the same one, the first succeeds
);

CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE TRIGGER events_stay BEFORE UPDATE OR TRUNCATE ON events
FOR EACH STATEMENT EXECUTE FUNCTION refuse('events are only ever added');

CREATE TRIGGER events_stay_there BEFORE DELETE ON events
FOR EACH ROW EXECUTE FUNCTION refuse('events are only ever added');

-- Registered people and bots.
CREATE TABLE players (
    id TEXT COLLATE "C" PRIMARY KEY,
    name TEXT NOT NULL,
    folded TEXT COLLATE "C" NOT NULL UNIQUE, -- the name in lower case: no two differ in case alone
    key TEXT COLLATE "C" NOT NULL UNIQUE, -- hash of the token
    created_ms BIGINT NOT NULL
);

-- The players of each match; game, stage and id are copies from `matches`, for the lists of a player.
CREATE TABLE match_players (
    match_nr BIGINT NOT NULL REFERENCES matches (nr) ON DELETE CASCADE,
    player TEXT COLLATE "C" NOT NULL REFERENCES players (id),
    match_id TEXT COLLATE "C" NOT NULL,
    game TEXT COLLATE "C" NOT NULL,
    stage TEXT COLLATE "C" NOT NULL,
    private BOOLEAN NOT NULL,
    worth DOUBLE PRECISION, -- the value of the result for the player, 0 to 1; NULL without a result
    PRIMARY KEY (match_nr, player)
);

CREATE INDEX match_players_all ON match_players (player, match_id) WHERE NOT private;
CREATE INDEX match_players_game ON match_players (player, game, match_id) WHERE NOT private;
CREATE INDEX match_players_stage ON match_players (player, stage, match_id) WHERE NOT private;
CREATE INDEX match_players_game_stage ON match_players (player, game, stage, match_id) WHERE NOT private;

-- The results of players in public matches: sums over `match_players`, stored because counting would take long after
-- years.
CREATE TABLE results (
    player TEXT COLLATE "C" NOT NULL REFERENCES players (id),
    game TEXT COLLATE "C" NOT NULL,
    played BIGINT NOT NULL,
    won BIGINT NOT NULL, -- won alone
    shared BIGINT NOT NULL, -- shared the first place
    PRIMARY KEY (player, game)
);

-- Requests that a client may repeat, with their results.
CREATE TABLE requests (
    key TEXT COLLATE "C" PRIMARY KEY, -- hash of the caller and of the idempotency key
    asked TEXT NOT NULL, -- hash of the request's content
    answer TEXT NOT NULL -- JSON
);
