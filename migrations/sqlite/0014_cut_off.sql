-- Whether the player follows the match on that node, or has followed it; otherwise only requests came.
ALTER TABLE match_presence ADD COLUMN follows INTEGER NOT NULL DEFAULT 0;
