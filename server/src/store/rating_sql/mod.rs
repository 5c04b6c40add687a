//! The statements about ratings and players' kinds, which both databases understand. The functions that run them are
//! written once for both, in `writes` and `reads`.

mod reads;
mod writes;

pub(super) use reads::rating_reads;
pub(super) use writes::rating_writes;

/// Writes while a transaction is open. The caller holds the lock on ratings, where there are other nodes.
pub(super) mod write {
    pub(in crate::store) const STANDING: &str =
        "SELECT mu, sigma, played, last_ms FROM ratings WHERE player = $1 AND game = $2";
    pub(in crate::store) const PLAYER: &str = "SELECT kind, deleted_ms FROM players WHERE id = $1";
    pub(in crate::store) const PUT: &str =
        "INSERT INTO ratings (player, game, kind, mu, sigma, played, last_ms, listed)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT (player, game) DO UPDATE SET mu = excluded.mu, sigma = excluded.sigma,
            played = excluded.played, last_ms = excluded.last_ms, listed = excluded.listed";
    pub(in crate::store) const DROP: &str = "DELETE FROM ratings WHERE player = $1 AND game = $2";
    pub(in crate::store) const UNLIST: &str = "UPDATE ratings SET listed = NULL WHERE player = $1";
    pub(in crate::store) const HISTORY: &str = "INSERT INTO rating_history (player, game, played, nr, mu, sigma, at_ms) VALUES ($1, $2, $3, $4, $5, $6, $7)";
    /// Followed by rows of values.
    pub(in crate::store) const HISTORY_OF_MANY: &str =
        "INSERT INTO rating_history (player, game, played, nr, mu, sigma, at_ms) ";
    pub(in crate::store) const FORGET_HISTORY: &str =
        "DELETE FROM rating_history WHERE player = $1 AND game = $2 AND played > $3";
    pub(in crate::store) const BEFORE: &str = "SELECT mu, sigma, played, at_ms FROM rating_history
        WHERE player = $1 AND game = $2 AND nr < $3 ORDER BY played DESC LIMIT 1";
    pub(in crate::store) const VERSUS: &str =
        "INSERT INTO versus (player, game, opponent, played, won, drawn) VALUES ($1, $2, $3, 1, $4, $5)
        ON CONFLICT (player, game, opponent) DO UPDATE SET played = versus.played + 1,
            won = versus.won + excluded.won, drawn = versus.drawn + excluded.drawn";
    pub(in crate::store) const VERSUS_BACK: &str =
        "UPDATE versus SET played = played - 1, won = won - $4, drawn = drawn - $5
        WHERE player = $1 AND game = $2 AND opponent = $3";
    pub(in crate::store) const VERSUS_EMPTY: &str =
        "DELETE FROM versus WHERE player = $1 AND game = $2 AND opponent = $3 AND played = 0";
    pub(in crate::store) const NEXT: &str = "SELECT coalesce(max(nr), 0) + 1 FROM rated_results";
    pub(in crate::store) const RESULT: &str =
        "INSERT INTO rated_results (nr, match_id, game, at_ms, seats) VALUES ($1, $2, $3, $4, $5)";
    pub(in crate::store) const ANNUL: &str = "UPDATE rated_results SET annulled_ms = $2
        WHERE match_id = $1 AND annulled_ms IS NULL RETURNING nr, game, seats";
    pub(in crate::store) const LATER: &str = "SELECT nr, at_ms, seats FROM rated_results
        WHERE game = $1 AND nr > $2 AND annulled_ms IS NULL ORDER BY nr LIMIT $3";
    pub(in crate::store) const PAIR: &str =
        "SELECT begun FROM rated_pairs WHERE day = $1 AND first = $2 AND second = $3";
    pub(in crate::store) const COUNT_PAIR: &str =
        "INSERT INTO rated_pairs (day, first, second, begun) VALUES ($1, $2, $3, 1)
        ON CONFLICT (day, first, second) DO UPDATE SET begun = rated_pairs.begun + 1";
    pub(in crate::store) const OLD_PAIRS: &str = "DELETE FROM rated_pairs WHERE day < $1";
    pub(in crate::store) const ENGINE: &str =
        "INSERT INTO players (id, name, folded, key, created_ms, skeleton, kind)
        VALUES ($1, $2, $3, $4, $5, $6, 'engine') ON CONFLICT DO NOTHING";
    pub(in crate::store) const ABOUT: &str =
        "UPDATE players SET about = $2 WHERE id = $1 AND deleted_ms IS NULL";
    pub(in crate::store) const REVOKE: &str =
        "UPDATE players SET key = 'revoked:' || id WHERE id = $1 AND deleted_ms IS NULL";
    pub(in crate::store) const BOTS_OF: &str =
        "SELECT id FROM players WHERE owner = $1 AND deleted_ms IS NULL ORDER BY id";
    pub(in crate::store) const BOT: &str =
        "UPDATE players SET kind = 'bot', owner = $2, about = $3 WHERE id = $1";
    pub(in crate::store) const MAY_OWN: &str =
        "SELECT count(*) FROM players WHERE owner = $1 AND deleted_ms IS NULL
        UNION ALL SELECT count(*) FROM players WHERE id = $1 AND deleted_ms IS NULL";

    /// All of them, for the test that prepares each of them.
    #[cfg(test)]
    pub(in crate::store) const STATEMENTS: [&str; 30] = [
        STANDING,
        PLAYER,
        PUT,
        DROP,
        UNLIST,
        HISTORY,
        FORGET_HISTORY,
        BEFORE,
        VERSUS,
        VERSUS_BACK,
        VERSUS_EMPTY,
        NEXT,
        RESULT,
        ANNUL,
        LATER,
        PAIR,
        COUNT_PAIR,
        OLD_PAIRS,
        ENGINE,
        ABOUT,
        REVOKE,
        BOTS_OF,
        BOT,
        MAY_OWN,
        super::read::PLACE,
        super::read::SINCE,
        super::read::RESULTS_AFTER,
        super::read::ALL_RATINGS,
        super::read::ALL_VERSUS,
        super::read::ALL_HISTORY,
    ];
}

/// Reads.
pub(super) mod read {
    /// A page of the leaderboard, of all kinds or of one; `$index`: the clause by which SQLite uses the index by kind.
    macro_rules! board {
        ($index:literal, $kind:literal) => {
            concat!(
                "SELECT r.player, p.name, p.kind, o.name, r.mu, r.sigma, r.played, r.last_ms, r.listed
                FROM ratings r ",
                $index,
                " JOIN players p ON p.id = r.player LEFT JOIN players o ON o.id = p.owner
                WHERE r.game = $1 AND r.listed IS NOT NULL AND (r.listed, r.player) < ($2, $3) AND r.listed > $4",
                $kind,
                " ORDER BY r.listed DESC, r.player DESC LIMIT $5"
            )
        };
    }
    pub(in crate::store) use board;
    pub(in crate::store) const BOARD: &str = board!("", "");
    /// Counts those before a place, but no more than a limit.
    pub(in crate::store) const PLACE: &str = "SELECT count(*) FROM (SELECT 1 FROM ratings
        WHERE game = $1 AND listed IS NOT NULL AND (listed, player) > ($2, $3) LIMIT $4) AS better";
    /// How many results of the game came after that of a match, but no more than a limit; no row if it does not count.
    pub(in crate::store) const SINCE: &str = "SELECT (SELECT count(*) FROM (SELECT 1 FROM rated_results l
            WHERE l.game = r.game AND l.nr > r.nr LIMIT $2) AS later)
        FROM rated_results r WHERE r.match_id = $1 AND r.annulled_ms IS NULL";
    pub(in crate::store) const RATINGS: &str =
        "SELECT game, mu, sigma, played, last_ms, listed FROM ratings WHERE player = $1 ORDER BY game";
    pub(in crate::store) const OPPONENTS: &str =
        "SELECT v.opponent, p.name, p.kind, p.deleted_ms, v.played, v.won, v.drawn
        FROM versus v JOIN players p ON p.id = v.opponent
        WHERE v.player = $1 AND v.game = $2 AND (v.played, v.opponent) < ($3, $4)
        ORDER BY v.played DESC, v.opponent DESC LIMIT $5";
    pub(in crate::store) const BOTS: &str = "SELECT id, name, created_ms, about FROM players
        WHERE owner = $1 AND deleted_ms IS NULL ORDER BY folded";
    pub(in crate::store) const RESULTS_AFTER: &str = "SELECT nr, game, at_ms, seats FROM rated_results
        WHERE nr > $1 AND annulled_ms IS NULL ORDER BY nr LIMIT $2";
    pub(in crate::store) const ALL_RATINGS: &str =
        "SELECT player, game, mu, sigma, played, last_ms FROM ratings";
    pub(in crate::store) const ALL_VERSUS: &str =
        "SELECT player, game, opponent, played, won, drawn FROM versus";
    pub(in crate::store) const ALL_HISTORY: &str =
        "SELECT player, game, nr, mu, sigma, played, at_ms FROM rating_history";

    /// Those that answer requests, for the tests of their plans.
    #[cfg(test)]
    pub(in crate::store) const STATEMENTS: [&str; 4] = [BOARD, RATINGS, OPPONENTS, BOTS];
}
