-- Programs of bots: uploaded modules, each in one version.
CREATE TABLE programs (
    bot TEXT NOT NULL, -- the id of the player
    number INTEGER NOT NULL, -- from 1 for each bot; never used again
    game TEXT NOT NULL,
    hash TEXT NOT NULL, -- of the module: SHA-256, hexadecimal
    size INTEGER NOT NULL, -- of the module, in bytes
    note TEXT NOT NULL, -- the owner's
    created_ms INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('checking', 'ready', 'active', 'retired', 'refused')),
    activate INTEGER NOT NULL CHECK (activate IN (0, 1)), -- whether it becomes active when its check has passed
    referee TEXT NOT NULL, -- JSON: the settings of the dialogue that it needs
    report TEXT, -- JSON: of its check
    published INTEGER NOT NULL CHECK (published IN (0, 1)),
    activated_ms INTEGER, -- when it became active for the last time
    keeper TEXT, -- the node that checks it
    PRIMARY KEY (bot, number)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX programs_active ON programs (bot, game) WHERE state = 'active';
CREATE INDEX programs_checking ON programs (created_ms) WHERE state = 'checking';
CREATE INDEX programs_hash ON programs (hash);

-- The modules. One that no program has is deleted.
CREATE TABLE program_files (
    hash TEXT PRIMARY KEY,
    module BLOB NOT NULL
) STRICT;

-- Modules that the operator has disabled.
CREATE TABLE banned_programs (
    hash TEXT PRIMARY KEY,
    reason TEXT NOT NULL,
    created_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What the programs of a bot have used on a day.
CREATE TABLE program_fuel (
    day INTEGER NOT NULL, -- since 1970, in UTC
    bot TEXT NOT NULL,
    fuel INTEGER NOT NULL,
    PRIMARY KEY (day, bot)
) STRICT, WITHOUT ROWID;

-- How many programs the bots of a person got on a day.
CREATE TABLE program_uploads (
    day INTEGER NOT NULL, -- as above
    owner TEXT NOT NULL,
    uploads INTEGER NOT NULL,
    PRIMARY KEY (day, owner)
) STRICT, WITHOUT ROWID;

-- Bots that have had a program, or have a policy for their programs.
CREATE TABLE hosted_bots (
    bot TEXT PRIMARY KEY,
    last_number INTEGER NOT NULL, -- of its programs
    policy TEXT -- JSON; NULL: the usual one
) STRICT, WITHOUT ROWID;

-- A rating becomes less certain when another program plays for a bot. Ratings are the fold of `rated_results` in the order of `nr`, and
-- of these rows, each after the result with its number.
CREATE TABLE rating_widenings (
    player TEXT NOT NULL,
    game TEXT NOT NULL,
    nr INTEGER NOT NULL, -- of the last result before it: `rated_results`
    times INTEGER NOT NULL, -- how many programs came after that result
    PRIMARY KEY (player, game, nr)
) STRICT, WITHOUT ROWID;

CREATE INDEX rating_widenings_game ON rating_widenings (game, nr);
