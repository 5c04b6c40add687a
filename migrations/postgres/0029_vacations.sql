-- Vacations of players, during which their time in matches with days for a move does not run.
CREATE TABLE vacations (
    player TEXT NOT NULL,
    number BIGINT NOT NULL, -- 0, 1, 2, ... of a player; two cannot begin at once
    begun_ms BIGINT NOT NULL,
    until_ms BIGINT NOT NULL, -- its end, planned or real
    PRIMARY KEY (player, number)
);
CREATE INDEX vacations_until ON vacations (until_ms);
