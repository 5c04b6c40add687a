-- Names that say what they hold. A process of an earlier version cannot go on with them: stop all before this upgrade.
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
DROP INDEX matches_kept;
CREATE INDEX matches_held ON matches (holder) WHERE holder IS NOT NULL;
