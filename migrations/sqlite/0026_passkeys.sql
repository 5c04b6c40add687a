-- Passkeys of players: public keys, with which devices prove that they hold the private ones.
CREATE TABLE passkeys (
    id TEXT PRIMARY KEY,
    player TEXT NOT NULL,
    name TEXT NOT NULL,
    credential_id TEXT NOT NULL UNIQUE, -- in URL-safe base 64
    credential TEXT NOT NULL, -- JSON: the public key and the counter of its uses
    created_ms INTEGER NOT NULL,
    used_ms INTEGER,
    challenge_ms INTEGER NOT NULL -- when the newest challenge was made that it has answered
) STRICT, WITHOUT ROWID;
CREATE INDEX passkeys_player ON passkeys (player);

-- Recovery codes that are not used yet. Only their hashes.
CREATE TABLE recovery_codes (
    key TEXT PRIMARY KEY,
    player TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX recovery_codes_player ON recovery_codes (player);
