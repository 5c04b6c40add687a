-- Kinds of players, and ratings. Ratings are the fold of `rated_results` in the order of `nr`.

ALTER TABLE players ADD COLUMN kind TEXT NOT NULL DEFAULT 'person' CHECK (kind IN ('person', 'bot', 'engine'));
-- Of a bot: the id of the person who owns it.
ALTER TABLE players ADD COLUMN owner TEXT;
-- JSON: what the player says of itself.
ALTER TABLE players ADD COLUMN about TEXT;

CREATE INDEX players_owner ON players (owner, folded) WHERE owner IS NOT NULL;

-- The results of rated matches, in the order in which they were committed. They stay when their match is deleted.
CREATE TABLE rated_results (
    nr INTEGER PRIMARY KEY, -- from 1
    match_id TEXT NOT NULL UNIQUE,
    game TEXT NOT NULL,
    at_ms INTEGER NOT NULL, -- when the match ended
    seats TEXT NOT NULL, -- JSON: [[player's id, place], ...]; equal places are shared
    annulled_ms INTEGER -- when the operator annulled it; it does not count since then
) STRICT;

CREATE INDEX rated_results_game ON rated_results (game, nr);

-- The current ratings, in the units of Weng and Lin. No foreign keys here and below: the end of a match must not fail.
CREATE TABLE ratings (
    player TEXT NOT NULL,
    game TEXT NOT NULL,
    kind TEXT NOT NULL, -- copy from `players`, for the leaderboard
    mu REAL NOT NULL,
    sigma REAL NOT NULL,
    played INTEGER NOT NULL,
    last_ms INTEGER NOT NULL, -- the end of the last match that counted
    listed REAL, -- sorts the leaderboard, the largest first: provisional players are last; NULL: the account was deleted
    PRIMARY KEY (player, game)
) STRICT, WITHOUT ROWID;

CREATE INDEX ratings_board ON ratings (game, listed, player) WHERE listed IS NOT NULL;
CREATE INDEX ratings_board_kind ON ratings (game, kind, listed, player) WHERE listed IS NOT NULL;

-- The rating of a player after each of their matches.
CREATE TABLE rating_history (
    player TEXT NOT NULL,
    game TEXT NOT NULL,
    played INTEGER NOT NULL, -- the number of the match among the player's: 1, 2, ...
    nr INTEGER NOT NULL, -- the result: `rated_results`
    mu REAL NOT NULL,
    sigma REAL NOT NULL,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (player, game, played)
) STRICT, WITHOUT ROWID;

-- The results of a player against each opponent, in rated matches.
CREATE TABLE versus (
    player TEXT NOT NULL,
    game TEXT NOT NULL,
    opponent TEXT NOT NULL,
    played INTEGER NOT NULL,
    won INTEGER NOT NULL, -- the player had the better place
    drawn INTEGER NOT NULL, -- both had the same place
    PRIMARY KEY (player, game, opponent)
) STRICT, WITHOUT ROWID;

CREATE INDEX versus_most ON versus (player, game, played, opponent);

-- How many rated matches two players have begun on a day.
CREATE TABLE rated_pairs (
    day INTEGER NOT NULL, -- days since the beginning of 1970, UTC
    first TEXT NOT NULL, -- the players' ids, in order
    second TEXT NOT NULL,
    begun INTEGER NOT NULL,
    PRIMARY KEY (day, first, second)
) STRICT, WITHOUT ROWID;
