-- Whether the match ended before it began. Lists leave it out, because nobody played.
ALTER TABLE matches ADD COLUMN never_begun INTEGER NOT NULL DEFAULT 0 CHECK (never_begun IN (0, 1));
UPDATE matches SET never_begun = 1
WHERE stage = 'over' AND game <> '' AND summary NOT LIKE '%"result":%'
    AND NOT EXISTS (SELECT 1 FROM events e WHERE e.match_nr = matches.nr AND e.body ->> '$.type' = 'started');

-- The ratings after a result.
CREATE INDEX rating_history_result ON rating_history (nr, mu);
