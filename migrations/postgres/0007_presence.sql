-- The seats of matches whose players are connected. A row counts while its node lives.
CREATE TABLE match_presence (
    match_id TEXT COLLATE "C" NOT NULL,
    seat SMALLINT NOT NULL,
    node TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (match_id, seat, node)
);
