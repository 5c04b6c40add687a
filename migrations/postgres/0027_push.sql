-- Browsers that players have asked to be notified in, by the push service of the browser.
CREATE TABLE push_subscriptions (
    id TEXT PRIMARY KEY,
    player TEXT NOT NULL,
    holder TEXT NOT NULL, -- the hash of the token that added it; it ends with that token
    name TEXT NOT NULL,
    endpoint TEXT NOT NULL UNIQUE, -- the address at the push service
    public_key TEXT NOT NULL, -- of the browser, in URL-safe base 64
    secret TEXT NOT NULL, -- shared with the browser alone, in URL-safe base 64
    language TEXT NOT NULL,
    kinds TEXT NOT NULL, -- what the player wants to be notified of, with spaces between
    created_ms BIGINT NOT NULL,
    delivered_ms BIGINT -- when the push service took a notification last
);
CREATE INDEX push_subscriptions_player ON push_subscriptions (player);

-- Notifications to send, and those that were sent a short time ago, so that none is sent twice.
CREATE TABLE push_notifications (
    subscription TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL, -- the match and the number of its moves, the challenge, the tournament
    due_ms BIGINT, -- when to try next; NULL: it is settled
    until_ms BIGINT NOT NULL, -- from then on it is of no use
    tries INTEGER NOT NULL,
    PRIMARY KEY (subscription, kind, subject)
);
CREATE INDEX push_notifications_due ON push_notifications (due_ms) WHERE due_ms IS NOT NULL;
CREATE INDEX push_notifications_until ON push_notifications (until_ms);
