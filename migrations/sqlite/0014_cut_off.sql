-- Whether the player follows the match on that node; otherwise only requests came.
ALTER TABLE match_presence ADD COLUMN follows INTEGER NOT NULL DEFAULT 0;
