-- Tournaments, each with its log of events. A tournament is the fold of its events; the other columns follow from them.

CREATE TABLE tournaments (
    id TEXT PRIMARY KEY, -- sorts by creation time
    game TEXT NOT NULL,
    stage TEXT NOT NULL CHECK (stage IN ('registration', 'running', 'paused', 'ended', 'aborted')),
    organizer TEXT NOT NULL, -- the player's id
    created_ms INTEGER NOT NULL,
    summary TEXT NOT NULL, -- JSON: what lists show
    events INTEGER NOT NULL, -- the number of events
    keeper TEXT -- the node that runs it
) STRICT, WITHOUT ROWID;

CREATE INDEX tournaments_game ON tournaments (game, id);
CREATE INDEX tournaments_unfinished ON tournaments (organizer) WHERE stage NOT IN ('ended', 'aborted');
CREATE INDEX tournaments_running ON tournaments (id) WHERE stage IN ('running', 'paused');

CREATE TABLE tournament_events (
    tournament TEXT NOT NULL REFERENCES tournaments (id),
    seq INTEGER NOT NULL, -- 0, 1, 2, ...
    at_ms INTEGER NOT NULL,
    body TEXT NOT NULL, -- JSON
    PRIMARY KEY (tournament, seq)
) STRICT, WITHOUT ROWID;
