-- The rows of the lobby that have changed, so that a node reads only those. Triggers add an entry for each; the program
-- removes old entries.
CREATE TABLE lobby_changes (
    nr BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- The transaction that wrote it: entries become visible in another order than that of their numbers.
    tx BIGINT NOT NULL DEFAULT (pg_current_xact_id()::text::bigint),
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('connection', 'ticket', 'challenge', 'seats', 'player')),
    key TEXT COLLATE "C" NOT NULL -- the id of the connection, the ticket, the challenge, the match of the seats, or the player
);

CREATE INDEX lobby_changes_tx ON lobby_changes (tx);

-- Whether a player is online.
CREATE INDEX presence_player ON presence (player);

-- The arguments are pairs: a kind, and the column that holds the key.
CREATE FUNCTION log_lobby_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed JSONB := CASE TG_OP WHEN 'DELETE' THEN to_jsonb(OLD) ELSE to_jsonb(NEW) END;
BEGIN
    FOR n IN 0 .. TG_NARGS - 1 BY 2 LOOP
        INSERT INTO lobby_changes (kind, key) VALUES (TG_ARGV[n], changed ->> TG_ARGV[n + 1]);
    END LOOP;
    RETURN NULL;
END $$;

CREATE TRIGGER presence_came_or_left AFTER INSERT OR DELETE ON presence
FOR EACH ROW EXECUTE FUNCTION log_lobby_change('connection', 'connection', 'player', 'player');
CREATE TRIGGER presence_changed AFTER UPDATE ON presence
FOR EACH ROW EXECUTE FUNCTION log_lobby_change('connection', 'connection');
CREATE TRIGGER tickets_came_or_left AFTER INSERT OR DELETE ON tickets
FOR EACH ROW EXECUTE FUNCTION log_lobby_change('ticket', 'id');
CREATE TRIGGER challenges_changed AFTER INSERT OR UPDATE ON challenges
FOR EACH ROW EXECUTE FUNCTION log_lobby_change('challenge', 'id');
CREATE TRIGGER challenges_left AFTER DELETE ON challenges
FOR EACH ROW WHEN (OLD.settled_ms IS NULL) EXECUTE FUNCTION log_lobby_change('challenge', 'id');
CREATE TRIGGER match_presence_changed AFTER INSERT OR UPDATE OR DELETE ON match_presence
FOR EACH ROW EXECUTE FUNCTION log_lobby_change('seats', 'match_id');

-- The matches and ratings of players who are online. A transaction does not see a player who comes online in another one at
-- the same time: the program therefore reads the matches of a new connection's player twice.
CREATE FUNCTION log_online_player() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    concerned TEXT := CASE TG_OP WHEN 'DELETE' THEN OLD.player ELSE NEW.player END;
BEGIN
    IF EXISTS (SELECT 1 FROM presence WHERE player = concerned) THEN
        INSERT INTO lobby_changes (kind, key) VALUES ('player', concerned);
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER match_players_changed AFTER INSERT OR UPDATE OR DELETE ON match_players
FOR EACH ROW EXECUTE FUNCTION log_online_player();
CREATE TRIGGER ratings_changed AFTER INSERT OR UPDATE ON ratings
FOR EACH ROW EXECUTE FUNCTION log_online_player();

-- Rows that contain the name of a player, or of the owner of a bot.
CREATE FUNCTION log_changed_player() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO lobby_changes (kind, key) SELECT 'connection', connection FROM presence
        WHERE player = NEW.id OR player IN (SELECT id FROM players WHERE owner = NEW.id);
    INSERT INTO lobby_changes (kind, key) SELECT 'ticket', id FROM tickets WHERE player = NEW.id;
    INSERT INTO lobby_changes (kind, key) SELECT 'challenge', id FROM challenges
        WHERE settled_ms IS NULL AND NEW.id IN (challenger, opponent);
    RETURN NULL;
END $$;

CREATE TRIGGER players_changed AFTER UPDATE OF name, kind, owner, about, deleted_ms ON players
FOR EACH ROW EXECUTE FUNCTION log_changed_player();
