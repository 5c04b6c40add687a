-- Players that are connected, challenges, and tickets of players who wait to be paired.

-- Control connections that are open. A row counts while its node lives.
CREATE TABLE presence (
    connection TEXT COLLATE "C" PRIMARY KEY,
    node TEXT COLLATE "C" NOT NULL,
    player TEXT COLLATE "C" NOT NULL,
    since_ms BIGINT NOT NULL,
    policy TEXT COLLATE "C" -- JSON: what a bot accepts; NULL: it accepts nothing
);

-- Challenges, and pairings, which are accepted from the beginning.
CREATE TABLE challenges (
    id TEXT COLLATE "C" PRIMARY KEY,
    challenger TEXT COLLATE "C" NOT NULL,
    opponent TEXT COLLATE "C" NOT NULL,
    terms TEXT COLLATE "C" NOT NULL, -- JSON: game, clock, rated, the challenger's seat
    created_ms BIGINT NOT NULL,
    until_ms BIGINT NOT NULL, -- an open challenge expires then; until then, the match of an accepted one is tried to be created
    stage TEXT COLLATE "C" NOT NULL CHECK (stage IN ('open', 'accepted', 'declined', 'withdrawn', 'expired', 'failed')),
    settled_ms BIGINT, -- when it was over; NULL: it is open, or accepted and its match does not exist yet
    reason TEXT COLLATE "C",
    match_id TEXT COLLATE "C",
    tickets TEXT COLLATE "C" -- of a pairing: the ids of the tickets, with a space between
);

CREATE INDEX challenges_settled ON challenges (settled_ms);
CREATE INDEX challenges_open ON challenges (challenger) WHERE settled_ms IS NULL;

-- A ticket counts while its node lives.
CREATE TABLE tickets (
    id TEXT COLLATE "C" PRIMARY KEY,
    node TEXT COLLATE "C" NOT NULL,
    player TEXT COLLATE "C" NOT NULL,
    terms TEXT COLLATE "C" NOT NULL, -- JSON
    created_ms BIGINT NOT NULL
);

-- The unfinished matches of a player, without a look at the finished ones.
CREATE INDEX match_players_unfinished ON match_players (player, match_id) WHERE stage <> 'over';
