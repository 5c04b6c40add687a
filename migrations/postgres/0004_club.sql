-- Kinds of players, and ratings. Ratings are the fold of `rated_results` in the order of `nr`.

ALTER TABLE players ADD COLUMN kind TEXT COLLATE "C" NOT NULL DEFAULT 'person'
    CHECK (kind IN ('person', 'bot', 'engine'));
-- Of a bot: the id of the person who owns it.
ALTER TABLE players ADD COLUMN owner TEXT COLLATE "C";
-- JSON: what the player says of itself.
ALTER TABLE players ADD COLUMN about TEXT;

CREATE INDEX players_owner ON players (owner, folded) WHERE owner IS NOT NULL;

-- The results of rated matches, in the order in which they were committed. They stay when their match is deleted. Nodes
-- that change ratings take an advisory lock, so that one transaction after the other does.
CREATE TABLE rated_results (
    nr BIGINT PRIMARY KEY, -- from 1
    match_id TEXT COLLATE "C" NOT NULL UNIQUE,
    game TEXT COLLATE "C" NOT NULL,
    at_ms BIGINT NOT NULL, -- when the match ended
    seats TEXT NOT NULL, -- JSON: [[player's id, place], ...]; equal places are shared
    annulled_ms BIGINT -- when the operator annulled it; it does not count since then
);

CREATE INDEX rated_results_game ON rated_results (game, nr);

-- The current ratings, in the units of Weng and Lin. No foreign keys here and below: the end of a match must not fail.
CREATE TABLE ratings (
    player TEXT COLLATE "C" NOT NULL,
    game TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL, -- copy from `players`, for the leaderboard
    mu DOUBLE PRECISION NOT NULL,
    sigma DOUBLE PRECISION NOT NULL,
    played BIGINT NOT NULL,
    last_ms BIGINT NOT NULL, -- the end of the last match that counted
    listed DOUBLE PRECISION, -- sorts the leaderboard, the largest first: provisional players are last; NULL: the account was deleted
    PRIMARY KEY (player, game)
);

CREATE INDEX ratings_board ON ratings (game, listed, player) WHERE listed IS NOT NULL;
CREATE INDEX ratings_board_kind ON ratings (game, kind, listed, player) WHERE listed IS NOT NULL;

-- The rating of a player after each of their matches.
CREATE TABLE rating_history (
    player TEXT COLLATE "C" NOT NULL,
    game TEXT COLLATE "C" NOT NULL,
    played BIGINT NOT NULL, -- the number of the match among the player's: 1, 2, ...
    nr BIGINT NOT NULL, -- the result: `rated_results`
    mu DOUBLE PRECISION NOT NULL,
    sigma DOUBLE PRECISION NOT NULL,
    at_ms BIGINT NOT NULL,
    PRIMARY KEY (player, game, played)
);

-- The results of a player against each opponent, in rated matches.
CREATE TABLE versus (
    player TEXT COLLATE "C" NOT NULL,
    game TEXT COLLATE "C" NOT NULL,
    opponent TEXT COLLATE "C" NOT NULL,
    played BIGINT NOT NULL,
    won BIGINT NOT NULL, -- the player had the better place
    drawn BIGINT NOT NULL, -- both had the same place
    PRIMARY KEY (player, game, opponent)
);

CREATE INDEX versus_most ON versus (player, game, played, opponent);

-- How many rated matches two players have begun on a day.
CREATE TABLE rated_pairs (
    day BIGINT NOT NULL, -- days since the beginning of 1970, UTC
    first TEXT COLLATE "C" NOT NULL, -- the players' ids, in order
    second TEXT COLLATE "C" NOT NULL,
    begun BIGINT NOT NULL,
    PRIMARY KEY (day, first, second)
);
