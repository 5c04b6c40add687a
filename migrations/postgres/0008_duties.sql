-- Work that one node does for all: the keeper does it while it lives.
CREATE TABLE duties (
    name TEXT COLLATE "C" PRIMARY KEY,
    keeper TEXT COLLATE "C" NOT NULL
);
