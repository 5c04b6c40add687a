-- Players with whom a player wants nothing to do. A person's block covers both persons' bots.
CREATE TABLE blocks (
    player TEXT NOT NULL,
    blocked TEXT NOT NULL,
    at_ms BIGINT NOT NULL,
    PRIMARY KEY (player, blocked)
);
