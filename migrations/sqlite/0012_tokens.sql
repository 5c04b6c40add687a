-- Further tokens of players, beside the one in players.key. A token of the scope 'bot' acts as the player's bot.
CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    player TEXT NOT NULL,
    bot TEXT,
    name TEXT NOT NULL,
    scope TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    expires_ms INTEGER,
    used_ms INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_player ON tokens (player);
CREATE INDEX tokens_bot ON tokens (bot) WHERE bot IS NOT NULL;
