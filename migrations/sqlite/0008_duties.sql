-- Work that one node does for all: the keeper does it while it lives.
CREATE TABLE duties (
    name TEXT PRIMARY KEY,
    keeper TEXT NOT NULL
) STRICT, WITHOUT ROWID;
