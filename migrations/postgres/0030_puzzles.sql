-- Puzzles: positions of analysed public matches in which one move is clearly better than all others. They go with their analysis, and
-- so with their match.
CREATE TABLE puzzles (
    id TEXT COLLATE "C" PRIMARY KEY,
    match_id TEXT COLLATE "C" NOT NULL,
    ply BIGINT NOT NULL, -- moves of the match made before it
    game TEXT COLLATE "C" NOT NULL,
    made_ms BIGINT NOT NULL,
    place BIGINT NOT NULL, -- random, from 0 to 2^32 - 1: the puzzle of a day is the first at or after the place of the day
    body TEXT NOT NULL, -- JSON: the position, and the proof
    mu DOUBLE PRECISION NOT NULL, -- the rating, in the units of Weng and Lin
    sigma DOUBLE PRECISION NOT NULL,
    tries BIGINT NOT NULL, -- first tries of players, which are counted
    solved BIGINT NOT NULL, -- those of them that were right
    UNIQUE (match_id, ply)
);

CREATE INDEX puzzles_place ON puzzles (game, place, id);
CREATE INDEX puzzles_made ON puzzles (game, made_ms, id);
CREATE INDEX puzzles_rating ON puzzles (game, mu, id);

CREATE FUNCTION delete_puzzles() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM puzzles WHERE match_id = OLD.match_id;
    RETURN NULL;
END $$;

CREATE TRIGGER analyses_go_with_puzzles AFTER DELETE ON analyses
FOR EACH ROW EXECUTE FUNCTION delete_puzzles();

-- The first try of each player, with the player's rating before and after it.
CREATE TABLE puzzle_tries (
    player TEXT COLLATE "C" NOT NULL,
    puzzle TEXT COLLATE "C" NOT NULL,
    solved BOOLEAN NOT NULL,
    at_ms BIGINT NOT NULL,
    mu_before DOUBLE PRECISION NOT NULL,
    sigma_before DOUBLE PRECISION NOT NULL,
    mu DOUBLE PRECISION NOT NULL,
    sigma DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (player, puzzle)
);

CREATE INDEX puzzle_tries_puzzle ON puzzle_tries (puzzle);

CREATE FUNCTION delete_puzzle_tries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM puzzle_tries WHERE puzzle = OLD.id;
    RETURN NULL;
END $$;

CREATE TRIGGER puzzles_go_with_tries AFTER DELETE ON puzzles
FOR EACH ROW EXECUTE FUNCTION delete_puzzle_tries();

-- How well players solve the puzzles of a game. Kept apart from the ratings of matches.
CREATE TABLE puzzle_ratings (
    player TEXT COLLATE "C" NOT NULL,
    game TEXT COLLATE "C" NOT NULL,
    mu DOUBLE PRECISION NOT NULL,
    sigma DOUBLE PRECISION NOT NULL,
    tries BIGINT NOT NULL,
    solved BIGINT NOT NULL,
    PRIMARY KEY (player, game)
);
