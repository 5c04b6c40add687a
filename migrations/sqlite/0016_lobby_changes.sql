-- The rows of the lobby that have changed, so that a node reads only those. Triggers add an entry for each; the program
-- removes old entries.
CREATE TABLE lobby_changes (
    nr INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('connection', 'ticket', 'challenge', 'seats', 'player')),
    key TEXT NOT NULL -- the id of the connection, the ticket, the challenge, the match of the seats, or the player
) STRICT;

-- Whether a player is online.
CREATE INDEX presence_player ON presence (player);

CREATE TRIGGER presence_came AFTER INSERT ON presence
BEGIN
    INSERT INTO lobby_changes (kind, key) VALUES ('connection', NEW.connection), ('player', NEW.player);
END;

CREATE TRIGGER presence_changed AFTER UPDATE ON presence
BEGIN
    INSERT INTO lobby_changes (kind, key) VALUES ('connection', NEW.connection);
END;

CREATE TRIGGER presence_left AFTER DELETE ON presence
BEGIN
    INSERT INTO lobby_changes (kind, key) VALUES ('connection', OLD.connection), ('player', OLD.player);
END;

CREATE TRIGGER tickets_came AFTER INSERT ON tickets
BEGIN
    INSERT INTO lobby_changes (kind, key) VALUES ('ticket', NEW.id);
END;

CREATE TRIGGER tickets_left AFTER DELETE ON tickets
BEGIN
    INSERT INTO lobby_changes (kind, key) VALUES ('ticket', OLD.id);
END;

CREATE TRIGGER challenges_came AFTER INSERT ON challenges
BEGIN
    INSERT INTO lobby_changes (kind, key) VALUES ('challenge', NEW.id);
END;

CREATE TRIGGER challenges_changed AFTER UPDATE ON challenges
BEGIN
    INSERT INTO lobby_changes (kind, key) VALUES ('challenge', NEW.id);
END;

CREATE TRIGGER challenges_left AFTER DELETE ON challenges
WHEN OLD.settled_ms IS NULL
BEGIN
    INSERT INTO lobby_changes (kind, key) VALUES ('challenge', OLD.id);
END;

CREATE TRIGGER match_presence_came AFTER INSERT ON match_presence
BEGIN
    INSERT INTO lobby_changes (kind, key) VALUES ('seats', NEW.match_id);
END;

CREATE TRIGGER match_presence_changed AFTER UPDATE ON match_presence
BEGIN
    INSERT INTO lobby_changes (kind, key) VALUES ('seats', NEW.match_id);
END;

CREATE TRIGGER match_presence_left AFTER DELETE ON match_presence
BEGIN
    INSERT INTO lobby_changes (kind, key) VALUES ('seats', OLD.match_id);
END;

-- The matches and ratings of players who are online.
CREATE TRIGGER match_players_came AFTER INSERT ON match_players
WHEN EXISTS (SELECT 1 FROM presence WHERE player = NEW.player)
BEGIN
    INSERT INTO lobby_changes (kind, key) VALUES ('player', NEW.player);
END;

CREATE TRIGGER match_players_left AFTER DELETE ON match_players
WHEN EXISTS (SELECT 1 FROM presence WHERE player = OLD.player)
BEGIN
    INSERT INTO lobby_changes (kind, key) VALUES ('player', OLD.player);
END;

CREATE TRIGGER match_players_changed AFTER UPDATE ON match_players
WHEN EXISTS (SELECT 1 FROM presence WHERE player = NEW.player)
BEGIN
    INSERT INTO lobby_changes (kind, key) VALUES ('player', NEW.player);
END;

CREATE TRIGGER ratings_came AFTER INSERT ON ratings
WHEN EXISTS (SELECT 1 FROM presence WHERE player = NEW.player)
BEGIN
    INSERT INTO lobby_changes (kind, key) VALUES ('player', NEW.player);
END;

CREATE TRIGGER ratings_changed AFTER UPDATE ON ratings
WHEN EXISTS (SELECT 1 FROM presence WHERE player = NEW.player)
BEGIN
    INSERT INTO lobby_changes (kind, key) VALUES ('player', NEW.player);
END;

-- Rows that contain the name of a player, or of the owner of a bot.
CREATE TRIGGER players_changed AFTER UPDATE OF name, kind, owner, about, deleted_ms ON players
BEGIN
    INSERT INTO lobby_changes (kind, key) SELECT 'connection', connection FROM presence
        WHERE player = NEW.id OR player IN (SELECT id FROM players WHERE owner = NEW.id);
    INSERT INTO lobby_changes (kind, key) SELECT 'ticket', id FROM tickets WHERE player = NEW.id;
    INSERT INTO lobby_changes (kind, key) SELECT 'challenge', id FROM challenges
        WHERE settled_ms IS NULL AND NEW.id IN (challenger, opponent);
END;
