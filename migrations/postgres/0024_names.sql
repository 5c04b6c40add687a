-- Names that say what they hold. Nodes of an earlier version cannot go on with them.
DO $$ BEGIN
    IF EXISTS (SELECT 1 FROM servers WHERE expires_at > clock_timestamp()) THEN
        RAISE EXCEPTION 'nodes of an earlier version are running, and this upgrade renames tables: stop them, wait five seconds, and start again';
    END IF;
END $$;
ALTER TABLE servers RENAME TO nodes;
ALTER TABLE matches RENAME COLUMN keeper TO holder;
ALTER TABLE tournaments RENAME COLUMN keeper TO holder;
ALTER TABLE analyses RENAME COLUMN keeper TO holder;
ALTER TABLE analyses RENAME COLUMN asker TO requester;
ALTER TABLE analyses RENAME COLUMN asked_ms TO requested_ms;
ALTER TABLE programs RENAME COLUMN keeper TO holder;
ALTER TABLE duties RENAME COLUMN keeper TO holder;
ALTER TABLE requests RENAME COLUMN asked TO request_hash;
ALTER TABLE players RENAME COLUMN folded TO folded_name;
ALTER TABLE held_names RENAME COLUMN folded TO folded_name;
ALTER TABLE match_players RENAME COLUMN worth TO score;
ALTER INDEX matches_kept RENAME TO matches_held;
