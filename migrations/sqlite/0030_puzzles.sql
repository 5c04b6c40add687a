-- Puzzles: positions of analysed public matches in which one move is clearly better than all others. They go with their analysis, and
-- so with their match.
CREATE TABLE puzzles (
    id TEXT PRIMARY KEY,
    match_id TEXT NOT NULL,
    ply INTEGER NOT NULL, -- moves of the match made before it
    game TEXT NOT NULL,
    made_ms INTEGER NOT NULL,
    place INTEGER NOT NULL, -- random, from 0 to 2^32 - 1: the puzzle of a day is the first at or after the place of the day
    body TEXT NOT NULL, -- JSON: the position, and the proof
    mu REAL NOT NULL, -- the rating, in the units of Weng and Lin
    sigma REAL NOT NULL,
    tries INTEGER NOT NULL, -- first tries of players, which are counted
    solved INTEGER NOT NULL, -- those of them that were right
    UNIQUE (match_id, ply)
) STRICT, WITHOUT ROWID;

CREATE INDEX puzzles_place ON puzzles (game, place, id);
CREATE INDEX puzzles_made ON puzzles (game, made_ms, id);
CREATE INDEX puzzles_rating ON puzzles (game, mu, id);

CREATE TRIGGER analyses_go_with_puzzles AFTER DELETE ON analyses
BEGIN
    DELETE FROM puzzles WHERE match_id = OLD.match_id;
END;

-- The first try of each player, with the player's rating before and after it.
CREATE TABLE puzzle_tries (
    player TEXT NOT NULL,
    puzzle TEXT NOT NULL,
    solved INTEGER NOT NULL CHECK (solved IN (0, 1)),
    at_ms INTEGER NOT NULL,
    mu_before REAL NOT NULL,
    sigma_before REAL NOT NULL,
    mu REAL NOT NULL,
    sigma REAL NOT NULL,
    PRIMARY KEY (player, puzzle)
) STRICT, WITHOUT ROWID;

CREATE INDEX puzzle_tries_puzzle ON puzzle_tries (puzzle);

CREATE TRIGGER puzzles_go_with_tries AFTER DELETE ON puzzles
BEGIN
    DELETE FROM puzzle_tries WHERE puzzle = OLD.id;
END;

-- How well players solve the puzzles of a game. Kept apart from the ratings of matches.
CREATE TABLE puzzle_ratings (
    player TEXT NOT NULL,
    game TEXT NOT NULL,
    mu REAL NOT NULL,
    sigma REAL NOT NULL,
    tries INTEGER NOT NULL,
    solved INTEGER NOT NULL,
    PRIMARY KEY (player, game)
) STRICT, WITHOUT ROWID;
