//! Reads of leaderboards, of the ratings of a player and of their history.

use crate::domain::time::Millis;
use crate::domain::{MatchId, PlayerRef};
use crate::ratings::Rating;
use crate::store::data::ratings::{ESTABLISHED, MAX_PLACE};
use crate::store::data::row::{broken, kind_of};
use crate::store::database::{Readers, Row, Statement, query};
use crate::store::{
    LeaderboardFilter, OpponentResults, PlayerRating, PlayerStrength, RatedPlayer, RatingChange, RatingPoint,
    StoreError,
};

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
const BOARD: Statement = Statement::new(board!("", ""));
const BOARD_OF_KIND: Statement = Statement::of_each(
    board!("INDEXED BY ratings_board_kind", " AND r.kind = $6"),
    board!("", " AND r.kind = $6"),
);
/// Counts those before a place, but no more than a limit.
const PLACE: Statement = Statement::new(
    "SELECT count(*) FROM (SELECT 1 FROM ratings
    WHERE game = $1 AND listed IS NOT NULL AND (listed, player) > ($2, $3) LIMIT $4) AS better",
);
/// How many results of the game came after that of a match, but no more than a limit; no row if it does not count.
const SINCE: Statement = Statement::new(
    "SELECT (SELECT count(*) FROM (SELECT 1 FROM rated_results l
        WHERE l.game = r.game AND l.nr > r.nr LIMIT $2) AS later)
    FROM rated_results r WHERE r.match_id = $1 AND r.annulled_ms IS NULL",
);
const RATINGS: Statement = Statement::new(
    "SELECT game, mu, sigma, played, last_ms, listed FROM ratings WHERE player = $1 ORDER BY game",
);
const OPPONENTS: Statement = Statement::new(
    "SELECT v.opponent, p.name, p.kind, p.deleted_ms, v.played, v.won, v.drawn
    FROM versus v JOIN players p ON p.id = v.opponent
    WHERE v.player = $1 AND v.game = $2 AND (v.played, v.opponent) < ($3, $4)
    ORDER BY v.played DESC, v.opponent DESC LIMIT $5",
);
/// Points of a history; $3: a JSON array of their numbers.
const HISTORY: Statement = Statement::of_each(
    "SELECT h.played, r.match_id, h.mu, h.sigma, h.at_ms
    FROM rating_history h JOIN rated_results r ON r.nr = h.nr
    WHERE h.player = $1 AND h.game = $2 AND h.played IN (SELECT value FROM json_each($3)) ORDER BY h.played",
    "SELECT h.played, r.match_id, h.mu, h.sigma, h.at_ms
    FROM rating_history h JOIN rated_results r ON r.nr = h.nr
    WHERE h.player = $1 AND h.game = $2
        AND h.played = ANY (ARRAY(SELECT value::bigint FROM json_array_elements_text($3::json)))
    ORDER BY h.played",
);

/// The ratings of some players in a game; $2: a JSON array of their ids.
const STRENGTHS: Statement = Statement::of_each(
    "SELECT player, mu, sigma, played FROM ratings
    WHERE game = $1 AND player IN (SELECT value FROM json_each($2))",
    "SELECT player, mu, sigma, played FROM ratings
    WHERE game = $1 AND player = ANY (ARRAY(SELECT value FROM json_array_elements_text($2::json)))",
);
/// What a match has changed in the ratings of its players.
const CHANGES: Statement = Statement::new(
    "SELECT h.player, b.mu, b.sigma, h.mu, h.sigma, h.played,
        (SELECT max(x.mu) FROM rating_history x
        WHERE x.player = h.player AND x.game = h.game AND x.played < h.played)
    FROM rated_results r JOIN rating_history h ON h.nr = r.nr
    LEFT JOIN rating_history b ON b.player = h.player AND b.game = h.game AND b.played = h.played - 1
    WHERE r.match_id = $1 AND r.annulled_ms IS NULL",
);

/// For the test that prepares all statements.
#[cfg(test)]
pub(in crate::store) const STATEMENTS: &[Statement] = &[PLACE, SINCE, HISTORY, STRENGTHS, CHANGES];
/// Those that answer requests, for the tests of their plans.
#[cfg(test)]
pub(in crate::store) const READS: &[Statement] = &[BOARD, BOARD_OF_KIND, RATINGS, OPPONENTS];

/// A page of a game's leaderboard.
pub(in crate::store) async fn leaderboard(
    db: &Readers,
    filter: &LeaderboardFilter,
) -> Result<Vec<RatedPlayer>, StoreError> {
    let (listed, player) = filter.after.as_ref().map_or((f64::MAX, ""), |(at, id)| (*at, id.as_str()));
    let least = if filter.provisional { f64::MIN } else { ESTABLISHED };
    let query = query(if filter.kind.is_some() { BOARD_OF_KIND } else { BOARD });
    let query = query.bind(&filter.game).bind(listed).bind(player).bind(least);
    let query = query.bind(i64::from(filter.limit));
    let query = if let Some(kind) = filter.kind { query.bind(kind.name()) } else { query };
    let read = |row: &Row| {
        Ok(RatedPlayer {
            who: PlayerRef::new(row.get::<String>(0)?, row.get::<String>(1)?),
            kind: kind_of(row.get(2)?)?,
            owner: row.get(3)?,
            rating: Rating { mu: row.get(4)?, sigma: row.get(5)? },
            played: row.get::<i64>(6)?.unsigned_abs(),
            last_ms: row.get(7)?,
            listed: row.get(8)?,
        })
    };
    db.fetch_all(query).await?.iter().map(read).collect()
}

/// The ratings of a player.
pub(in crate::store) async fn ratings(db: &Readers, player: &str) -> Result<Vec<PlayerRating>, StoreError> {
    let rows = db.fetch_all(query(RATINGS).bind(player)).await?;
    let mut ratings = Vec::with_capacity(rows.len());
    for row in rows {
        let (game, listed): (String, Option<f64>) = (row.get(0)?, row.get(5)?);
        let rank = match listed.filter(|listed| *listed > ESTABLISHED) {
            Some(listed) => rank(db, &game, listed, player).await?,
            None => None,
        };
        ratings.push(PlayerRating {
            game,
            rating: Rating { mu: row.get(1)?, sigma: row.get(2)? },
            played: row.get::<i64>(3)?.unsigned_abs(),
            last_ms: row.get(4)?,
            rank,
        });
    }
    Ok(ratings)
}

/// The place on the leaderboard; `None`: too many players are better.
async fn rank(db: &Readers, game: &str, listed: f64, player: &str) -> Result<Option<u64>, StoreError> {
    let query = query(PLACE).bind(game).bind(listed).bind(player).bind(MAX_PLACE);
    let better: i64 = db.fetch_one(query).await?.get(0)?;
    Ok((better < MAX_PLACE).then_some(better.unsigned_abs() + 1))
}

/// Points of the history of a player's rating: after these of their matches, which count from 1.
pub(in crate::store) async fn history(
    db: &Readers,
    player: &str,
    game: &str,
    wanted: &[u64],
) -> Result<Vec<RatingPoint>, StoreError> {
    let wanted = serde_json::to_string(wanted).expect("numbers are JSON");
    let read = |row: &Row| {
        Ok(RatingPoint {
            played: row.get::<i64>(0)?.unsigned_abs(),
            match_id: MatchId::parse(row.get(1)?).ok_or_else(broken)?,
            rating: Rating { mu: row.get(2)?, sigma: row.get(3)? },
            at_ms: row.get(4)?,
        })
    };
    db.fetch_all(query(HISTORY).bind(player).bind(game).bind(wanted)).await?.iter().map(read).collect()
}

/// Results of a player against opponents: those met most often first.
pub(in crate::store) async fn opponents(
    db: &Readers,
    player: &str,
    game: &str,
    after: Option<&(u64, String)>,
    limit: u32,
) -> Result<Vec<OpponentResults>, StoreError> {
    let (played, id) = after.map_or((i64::MAX, ""), |(played, id)| (played.cast_signed(), id.as_str()));
    let query = query(OPPONENTS).bind(player).bind(game).bind(played).bind(id).bind(i64::from(limit));
    let read = |row: &Row| {
        Ok(OpponentResults {
            opponent: PlayerRef::new(row.get::<String>(0)?, row.get::<String>(1)?),
            kind: kind_of(row.get(2)?)?,
            deleted: row.get::<Option<Millis>>(3)?.is_some(),
            played: row.get::<i64>(4)?.unsigned_abs(),
            won: row.get::<i64>(5)?.unsigned_abs(),
            drawn: row.get::<i64>(6)?.unsigned_abs(),
        })
    };
    db.fetch_all(query).await?.iter().map(read).collect()
}

/// How many results of the game came after that of this match, but no more than `most`; `None` if it does not count.
pub(in crate::store) async fn rated_since(
    db: &Readers,
    id: &MatchId,
    most: u32,
) -> Result<Option<u64>, StoreError> {
    let found = db.fetch_optional(query(SINCE).bind(id.as_str()).bind(i64::from(most))).await?;
    Ok(found.map(|row| row.get::<i64>(0)).transpose()?.map(i64::unsigned_abs))
}

/// The ratings of these players in a game; a player without a rating is missing.
pub(in crate::store) async fn strengths(
    db: &Readers,
    game: &str,
    players: &[String],
) -> Result<Vec<PlayerStrength>, StoreError> {
    let players = serde_json::to_string(players).expect("texts are JSON");
    let read = |row: &Row| {
        Ok(PlayerStrength {
            player: row.get(0)?,
            rating: Rating { mu: row.get(1)?, sigma: row.get(2)? },
            played: row.get::<i64>(3)?.unsigned_abs(),
        })
    };
    db.fetch_all(query(STRENGTHS).bind(game).bind(players)).await?.iter().map(read).collect()
}

/// What a match has changed in the ratings of its players; nothing if it does not count.
pub(in crate::store) async fn changes(db: &Readers, id: &MatchId) -> Result<Vec<RatingChange>, StoreError> {
    let read = |row: &Row| {
        let before: (Option<f64>, Option<f64>) = (row.get(1)?, row.get(2)?);
        Ok(RatingChange {
            player: row.get(0)?,
            before: before.0.zip(before.1).map(|(mu, sigma)| Rating { mu, sigma }),
            after: Rating { mu: row.get(3)?, sigma: row.get(4)? },
            played: row.get::<i64>(5)?.unsigned_abs(),
            best_before: row.get(6)?,
        })
    };
    db.fetch_all(query(CHANGES).bind(id.as_str())).await?.iter().map(read).collect()
}
