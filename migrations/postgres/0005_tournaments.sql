-- Tournaments, each with its log of events. A tournament is the fold of its events; the other columns follow from them.

CREATE TABLE tournaments (
    id TEXT COLLATE "C" PRIMARY KEY, -- sorts by creation time
    game TEXT COLLATE "C" NOT NULL,
    stage TEXT COLLATE "C" NOT NULL
        CHECK (stage IN ('registration', 'running', 'paused', 'ended', 'aborted')),
    organizer TEXT COLLATE "C" NOT NULL, -- the player's id
    created_ms BIGINT NOT NULL,
    summary TEXT NOT NULL, -- JSON: what lists show
    events BIGINT NOT NULL, -- the number of events
    keeper TEXT COLLATE "C" -- the node that runs it
);

CREATE INDEX tournaments_game ON tournaments (game, id);
CREATE INDEX tournaments_unfinished ON tournaments (organizer) WHERE stage NOT IN ('ended', 'aborted');
CREATE INDEX tournaments_running ON tournaments (id) WHERE stage IN ('running', 'paused');

CREATE TABLE tournament_events (
    tournament TEXT COLLATE "C" NOT NULL REFERENCES tournaments (id),
    seq BIGINT NOT NULL, -- 0, 1, 2, ...
    at_ms BIGINT NOT NULL,
    body TEXT NOT NULL, -- JSON
    PRIMARY KEY (tournament, seq)
);
