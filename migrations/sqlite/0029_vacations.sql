-- Vacations of players, during which their time in matches with days for a move does not run.
CREATE TABLE vacations (
    player TEXT NOT NULL,
    number INTEGER NOT NULL, -- 0, 1, 2, ... of a player; two cannot begin at once
    begun_ms INTEGER NOT NULL,
    until_ms INTEGER NOT NULL, -- its end, planned or real
    PRIMARY KEY (player, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX vacations_until ON vacations (until_ms);
