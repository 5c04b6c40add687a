-- Whether the player follows the match on that node; otherwise only requests came.
ALTER TABLE match_presence ADD COLUMN follows BOOLEAN NOT NULL DEFAULT FALSE;

-- Nodes that were found dead a short time ago: they had not reached the database from `from_ms` to `to_ms`.
CREATE TABLE dead_nodes (
    id TEXT COLLATE "C" NOT NULL,
    from_ms BIGINT NOT NULL,
    to_ms BIGINT NOT NULL
);
