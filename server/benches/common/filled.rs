//! A database as large as after years of use.

use std::path::Path;

/// A million finished matches of 5 games, one percent of them private; then ten thousand unfinished ones of a dead node,
/// half of them open. One player is in all of them, another in every thousandth.
const MANY: &str = "BEGIN;
    INSERT INTO nodes (id, beat_ms) VALUES ('gone', 1);
    INSERT INTO players (id, name, folded_name, key, created_ms) SELECT value ->> 0, value ->> 1, value ->> 1, 'key of ' || (value ->> 1), 0
        FROM json_each('[[\"0\",\"busy\"],[\"1\",\"rare\"]]');
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1010000),
        games AS (SELECT key, value FROM json_each('[\"ioiwari\",\"azul\",\"septica\",\"splendor\",\"buraco\"]'))
    INSERT INTO matches (nr, id, game, stage, private, created_ms, ended_ms, summary, players, holder)
        SELECT i, printf('019a0000-%04x-7%03x-8000-000000000000', i >> 12, i & 4095), games.value,
            iif(i <= 1000000, 'over', iif(i % 2, 'open', 'running')), i % 100 = 0, i, i,
            '{\"seats\":[{\"kind\":\"player\",\"name\":\"busy\",\"rank\":1,\"points\":12},
                {\"kind\":\"guest\",\"name\":null,\"rank\":2,\"points\":8}],
                \"result\":{\"ranks\":[1,2],\"points\":[12,8],\"reason\":\"more beads\"}}',
            '[[\"0\",\"busy\",1.0]]', iif(i <= 1000000, NULL, 'gone')
        FROM n JOIN games ON games.key = i % 5;
    INSERT INTO match_players
        SELECT nr, '0', id, game, stage, private, iif(stage = 'over', 1, NULL) FROM matches;
    INSERT INTO match_players
        SELECT nr, '1', id, game, stage, private, iif(stage = 'over', 0, NULL) FROM matches WHERE nr % 1000 = 1;
    INSERT INTO events (match_nr, seq, at_ms, body) SELECT nr, 0, nr, '{}' FROM matches WHERE stage <> 'over';
    COMMIT";

/// Fills a database that a server has created.
pub(crate) fn fill(database: &Path) {
    let db = rusqlite::Connection::open(database).expect("the database opens");
    db.execute_batch(MANY).expect("it is written");
}
