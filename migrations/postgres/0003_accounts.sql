-- Changes and deletion of accounts, banned addresses, deletion of matches, and rate limits.

-- A match is deleted as a whole: its events are deleted together with its row, never alone.
CREATE FUNCTION refuse_single_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM matches WHERE nr = OLD.match_nr) THEN
        RAISE EXCEPTION 'events are deleted only together with their match'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN OLD;
END $$;

DROP TRIGGER events_stay_there ON events;
CREATE TRIGGER events_stay_there BEFORE DELETE ON events
FOR EACH ROW EXECUTE FUNCTION refuse_single_events();

CREATE TRIGGER matches_end_first BEFORE DELETE ON matches
FOR EACH ROW WHEN (OLD.stage <> 'over') EXECUTE FUNCTION refuse('only a match that is over can be deleted');

-- The match or the player that a request created.
ALTER TABLE requests ADD COLUMN made TEXT COLLATE "C";
UPDATE requests SET made = answer::json ->> 'id';
CREATE INDEX requests_of ON requests (made);

CREATE FUNCTION delete_whole_match() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM events WHERE match_nr = OLD.nr;
    DELETE FROM requests WHERE made = OLD.id;
    RETURN NULL;
END $$;

CREATE TRIGGER matches_go_whole AFTER DELETE ON matches
FOR EACH ROW EXECUTE FUNCTION delete_whole_match();

CREATE INDEX matches_ended ON matches (ended_ms) WHERE ended_ms IS NOT NULL;

-- A player's own list, private matches included.
CREATE INDEX match_players_own ON match_players (player, match_id);

-- Names that look alike have the same skeleton, which the program computes. Not unique, because players of older
-- databases keep their names.
ALTER TABLE players ADD COLUMN skeleton TEXT COLLATE "C";
-- When the player was renamed or deleted, so that the name in older events is out of date.
ALTER TABLE players ADD COLUMN renamed_ms BIGINT;
-- When the account was deleted. The row stays, without a name, because matches refer to it.
ALTER TABLE players ADD COLUMN deleted_ms BIGINT;

CREATE INDEX players_skeleton ON players (skeleton);
CREATE INDEX players_renamed ON players (id) WHERE renamed_ms IS NOT NULL;

-- Names that were given up recently and cannot be taken yet.
CREATE TABLE held_names (
    folded TEXT COLLATE "C" PRIMARY KEY,
    skeleton TEXT COLLATE "C" NOT NULL,
    until_ms BIGINT NOT NULL
);

-- Networks whose requests are refused.
CREATE TABLE bans (
    network TEXT COLLATE "C" PRIMARY KEY, -- in CIDR notation
    reason TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    until_ms BIGINT -- NULL: never
);

-- Rate limits that hold for all nodes together: when each bucket is full again. Not logged, because after a crash of the
-- database they may begin anew.
CREATE UNLOGGED TABLE buckets (
    key TEXT COLLATE "C" PRIMARY KEY,
    full_at TIMESTAMPTZ NOT NULL
) WITH (fillfactor = 50);

CREATE INDEX buckets_full ON buckets (full_at);
