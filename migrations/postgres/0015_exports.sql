-- Whether the match ended before it began. Lists leave it out, because nobody played.
ALTER TABLE matches ADD COLUMN never_begun BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE matches SET never_begun = TRUE
WHERE stage = 'over' AND game <> '' AND summary NOT LIKE '%"result":%'
    AND NOT EXISTS (SELECT 1 FROM events e WHERE e.match_nr = matches.nr AND e.body::json ->> 'type' = 'started');

-- The ratings after a result.
CREATE INDEX rating_history_result ON rating_history (nr, mu);
