-- Illegal moves are a kind of their own among the faults of bots. Those of earlier versions stay what their events call them.
ALTER TABLE bot_faults DROP CONSTRAINT bot_faults_kind_check;

ALTER TABLE bot_faults ADD CONSTRAINT bot_faults_kind_check CHECK (kind IN ('time', 'illegal_move', 'bad_line', 'crash'));
