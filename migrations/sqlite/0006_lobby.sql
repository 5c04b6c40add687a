-- Players that are connected, challenges, and tickets of players who wait to be paired.

-- Control connections that are open. A row counts while its node lives.
CREATE TABLE presence (
    connection TEXT PRIMARY KEY,
    node TEXT NOT NULL,
    player TEXT NOT NULL,
    since_ms INTEGER NOT NULL,
    policy TEXT -- JSON: what a bot accepts; NULL: it accepts nothing
) STRICT, WITHOUT ROWID;

-- Challenges, and pairings, which are accepted from the beginning.
CREATE TABLE challenges (
    id TEXT PRIMARY KEY,
    challenger TEXT NOT NULL,
    opponent TEXT NOT NULL,
    terms TEXT NOT NULL, -- JSON: game, clock, rated, the challenger's seat
    created_ms INTEGER NOT NULL,
    until_ms INTEGER NOT NULL, -- an open challenge expires then; until then, the match of an accepted one is tried to be created
    stage TEXT NOT NULL CHECK (stage IN ('open', 'accepted', 'declined', 'withdrawn', 'expired', 'failed')),
    settled_ms INTEGER, -- when it was over; NULL: it is open, or accepted and its match does not exist yet
    reason TEXT,
    match_id TEXT,
    tickets TEXT -- of a pairing: the ids of the tickets, with a space between
) STRICT, WITHOUT ROWID;

CREATE INDEX challenges_settled ON challenges (settled_ms);
CREATE INDEX challenges_open ON challenges (challenger) WHERE settled_ms IS NULL;

-- A ticket counts while its node lives.
CREATE TABLE tickets (
    id TEXT PRIMARY KEY,
    node TEXT NOT NULL,
    player TEXT NOT NULL,
    terms TEXT NOT NULL, -- JSON
    created_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The unfinished matches of a player, without a look at the finished ones.
CREATE INDEX match_players_unfinished ON match_players (player, match_id) WHERE stage <> 'over';
