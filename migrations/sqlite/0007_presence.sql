-- The seats of matches whose players are connected. A row counts while its node lives.
CREATE TABLE match_presence (
    match_id TEXT NOT NULL,
    seat INTEGER NOT NULL,
    node TEXT NOT NULL,
    PRIMARY KEY (match_id, seat, node)
) STRICT, WITHOUT ROWID;
