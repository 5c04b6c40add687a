-- Programs of bots: uploaded modules, each in one version.
CREATE TABLE programs (
    bot TEXT COLLATE "C" NOT NULL, -- the id of the player
    number BIGINT NOT NULL, -- from 1 for each bot; never used again
    game TEXT COLLATE "C" NOT NULL,
    hash TEXT COLLATE "C" NOT NULL, -- of the module: SHA-256, hexadecimal
    size BIGINT NOT NULL, -- of the module, in bytes
    note TEXT COLLATE "C" NOT NULL, -- the owner's
    created_ms BIGINT NOT NULL,
    state TEXT COLLATE "C" NOT NULL CHECK (state IN ('checking', 'ready', 'active', 'retired', 'refused')),
    activate BOOLEAN NOT NULL, -- whether it becomes active when its check has passed
    referee TEXT COLLATE "C" NOT NULL, -- JSON: the settings of the dialogue that it needs
    report TEXT COLLATE "C", -- JSON: of its check
    published BOOLEAN NOT NULL,
    activated_ms BIGINT, -- when it became active for the last time
    keeper TEXT COLLATE "C", -- the node that checks it
    PRIMARY KEY (bot, number)
);

CREATE UNIQUE INDEX programs_active ON programs (bot, game) WHERE state = 'active';
CREATE INDEX programs_checking ON programs (created_ms) WHERE state = 'checking';
CREATE INDEX programs_hash ON programs (hash);

-- The modules. One that no program has is deleted.
CREATE TABLE program_files (
    hash TEXT COLLATE "C" PRIMARY KEY,
    module BYTEA NOT NULL
);
-- Compressing takes longer than writing.
ALTER TABLE program_files ALTER COLUMN module SET STORAGE EXTERNAL;

-- Modules that the operator has disabled.
CREATE TABLE banned_programs (
    hash TEXT COLLATE "C" PRIMARY KEY,
    reason TEXT COLLATE "C" NOT NULL,
    created_ms BIGINT NOT NULL
);

-- What the programs of a bot have used on a day.
CREATE TABLE program_fuel (
    day BIGINT NOT NULL, -- since 1970, in UTC
    bot TEXT COLLATE "C" NOT NULL,
    fuel BIGINT NOT NULL,
    PRIMARY KEY (day, bot)
);

-- How many programs the bots of a person got on a day.
CREATE TABLE program_uploads (
    day BIGINT NOT NULL, -- as above
    owner TEXT COLLATE "C" NOT NULL,
    uploads BIGINT NOT NULL,
    PRIMARY KEY (day, owner)
);

-- Bots that have had a program, or have a policy for their programs.
CREATE TABLE hosted_bots (
    bot TEXT COLLATE "C" PRIMARY KEY,
    last_number BIGINT NOT NULL, -- of its programs
    policy TEXT COLLATE "C" -- JSON; NULL: the usual one
);

-- A rating becomes less certain when another program plays for a bot. Ratings are the fold of `rated_results` in the order of `nr`, and
-- of these rows, each after the result with its number.
CREATE TABLE rating_widenings (
    player TEXT COLLATE "C" NOT NULL,
    game TEXT COLLATE "C" NOT NULL,
    nr BIGINT NOT NULL, -- of the last result before it: `rated_results`
    times BIGINT NOT NULL, -- how many programs came after that result
    PRIMARY KEY (player, game, nr)
);

CREATE INDEX rating_widenings_game ON rating_widenings (game, nr);
