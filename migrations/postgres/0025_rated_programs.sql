-- The programs that played for bots in rated matches, from this migration on.

-- JSON: of each seat the number of the program that played for the bot, or null. NULL: no program played.
ALTER TABLE rated_results ADD COLUMN programs TEXT;
-- The number of the program that played for the bot; NULL: none did.
ALTER TABLE rating_history ADD COLUMN program BIGINT;

CREATE INDEX rating_history_program ON rating_history (player, program, played) WHERE program IS NOT NULL;
