-- When the push service said that it does not know the subscription any more. Nothing is sent until the browser renews it.
ALTER TABLE push_subscriptions ADD COLUMN gone_ms BIGINT;

-- Whether it is a sign-in with the account's own token. It ends when that is replaced.
ALTER TABLE tokens ADD COLUMN with_key BOOLEAN NOT NULL DEFAULT FALSE;
