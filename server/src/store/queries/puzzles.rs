//! Puzzles, the tries of players, and the ratings of both. They change inside the writer's transaction; where there are other nodes,
//! the caller holds the lock on ratings.

use crate::domain::time::Millis;
use crate::domain::{MatchId, PuzzleId};
use crate::ratings::{Rating, after_match};
use crate::store::StoreError;
use crate::store::data::puzzles::{
    NewPuzzle, NextPuzzle, PuzzleRating, PuzzleTry, StoredPuzzle, StoredPuzzleTry, WantedPuzzle,
};
use crate::store::data::row::broken;
use crate::store::database::{Connection, Query, Readers, Row, Statement, query};
use crate::store::database_error::DatabaseError;

/// Adds a puzzle of a public match that is over and whose result was not annulled.
const ADD: Statement = Statement::new(
    "INSERT INTO puzzles (id, match_id, ply, game, made_ms, place, body, mu, sigma, tries, solved)
    SELECT $1, $2, CAST($3 AS BIGINT), $4, CAST($5 AS BIGINT), CAST($6 AS BIGINT), $7, CAST($8 AS DOUBLE PRECISION),
        CAST($9 AS DOUBLE PRECISION), 0, 0
    WHERE EXISTS (SELECT 1 FROM matches m WHERE m.id = $2 AND NOT m.private AND m.stage = 'over')
        AND NOT EXISTS (SELECT 1 FROM rated_results r WHERE r.match_id = $2 AND r.annulled_ms IS NOT NULL)",
);
const FORGET_OF_MATCH: Statement = Statement::new("DELETE FROM puzzles WHERE match_id = $1");
const FORGET_TRIES: Statement = Statement::new("DELETE FROM puzzle_tries WHERE player = $1");
const FORGET_RATINGS: Statement = Statement::new("DELETE FROM puzzle_ratings WHERE player = $1");
const RATED: Statement = Statement::new("SELECT game, mu, sigma FROM puzzles WHERE id = $1");
const TRY: Statement = Statement::new(
    "INSERT INTO puzzle_tries (player, puzzle, solved, at_ms, mu_before, sigma_before, mu, sigma)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (player, puzzle) DO NOTHING",
);
const COUNT: Statement = Statement::new(
    "UPDATE puzzles SET mu = $2, sigma = $3, tries = tries + 1, solved = solved + $4 WHERE id = $1",
);
const RATE: Statement = Statement::new(
    "INSERT INTO puzzle_ratings (player, game, mu, sigma, tries, solved) VALUES ($1, $2, $3, $4, 1, $5)
    ON CONFLICT (player, game) DO UPDATE SET mu = excluded.mu, sigma = excluded.sigma,
        tries = puzzle_ratings.tries + 1, solved = puzzle_ratings.solved + excluded.solved",
);
const RATING: Statement =
    Statement::new("SELECT mu, sigma, tries, solved FROM puzzle_ratings WHERE player = $1 AND game = $2");
const TRIED: Statement = Statement::new(
    "SELECT solved, mu_before, sigma_before, mu, sigma FROM puzzle_tries WHERE player = $1 AND puzzle = $2",
);

/// Selects puzzles; [`read_puzzle`] reads them.
macro_rules! select {
    ($where:literal) => {
        Statement::new(concat!(
            "SELECT id, match_id, ply, game, body, mu, sigma, tries, solved FROM puzzles WHERE ",
            $where
        ))
    };
}
const READ: Statement = select!("id = $1");
/// $2: the place from which on; $3: the time before which it was made. After the last place follows the first; without such a puzzle, the
/// first one that was made.
const DAILY: Statement = select!(
    "id = coalesce(
        (SELECT p.id FROM puzzles p WHERE p.game = $1 AND p.place >= $2 AND p.made_ms < $3 ORDER BY p.place, p.id LIMIT 1),
        (SELECT p.id FROM puzzles p WHERE p.game = $1 AND p.made_ms < $3 ORDER BY p.place, p.id LIMIT 1),
        (SELECT p.id FROM puzzles p WHERE p.game = $1 ORDER BY p.made_ms, p.id LIMIT 1))"
);
/// $3: not this one.
const AT: Statement = select!("game = $1 AND place >= $2 AND id <> $3 ORDER BY place, id LIMIT 1");
/// $2: the rating; $3: not this one; $4: the player who has not tried it.
const ABOVE: Statement = select!(
    "game = $1 AND mu >= $2 AND id <> $3
        AND NOT EXISTS (SELECT 1 FROM puzzle_tries t WHERE t.player = $4 AND t.puzzle = puzzles.id)
    ORDER BY mu, id LIMIT 1"
);
const BELOW: Statement = select!(
    "game = $1 AND mu < $2 AND id <> $3
        AND NOT EXISTS (SELECT 1 FROM puzzle_tries t WHERE t.player = $4 AND t.puzzle = puzzles.id)
    ORDER BY mu DESC, id DESC LIMIT 1"
);

/// All of them, for the test that prepares each of them.
#[cfg(test)]
pub(in crate::store) const STATEMENTS: &[Statement] = &[
    ADD,
    FORGET_OF_MATCH,
    FORGET_TRIES,
    FORGET_RATINGS,
    RATED,
    TRY,
    COUNT,
    RATE,
    RATING,
    TRIED,
    READ,
    DAILY,
    AT,
    ABOVE,
    BELOW,
];

/// Adds the puzzles of a match that had none. A match that is private or annulled gets none.
pub(in crate::store) async fn add(
    db: &mut Connection<'_>,
    match_id: &MatchId,
    puzzles: &[NewPuzzle],
) -> Result<(), DatabaseError> {
    for NewPuzzle { id, ply, game, made_ms, body } in puzzles {
        let query = query(ADD).bind(id.as_str()).bind(match_id.as_str()).bind(i64::from(*ply)).bind(game);
        let query = query.bind(*made_ms).bind(id.place()).bind(body);
        db.execute(query.bind(Rating::NEW.mu).bind(Rating::NEW.sigma)).await?;
    }
    Ok(())
}

/// Deletes the puzzles of a match, with their tries.
pub(in crate::store) async fn forget_of_match(
    db: &mut Connection<'_>,
    match_id: &MatchId,
) -> Result<(), DatabaseError> {
    db.execute(query(FORGET_OF_MATCH).bind(match_id.as_str())).await.map(drop)
}

/// Deletes the tries and ratings of a player. The ratings of puzzles stay.
pub(in crate::store) async fn forget_player(
    db: &mut Connection<'_>,
    player: &str,
) -> Result<(), DatabaseError> {
    db.execute(query(FORGET_TRIES).bind(player)).await?;
    db.execute(query(FORGET_RATINGS).bind(player)).await.map(drop)
}

/// Counts the first try of a player, and rates player and puzzle against each other. Returns 0 if the player has tried the puzzle before,
/// or if there is no such puzzle.
pub(in crate::store) async fn count_try(
    db: &mut Connection<'_>,
    tried: &PuzzleTry,
) -> Result<u64, DatabaseError> {
    let PuzzleTry { puzzle, player, solved, at_ms } = tried;
    let Some(row) = db.fetch_optional(query(RATED).bind(puzzle.as_str())).await? else { return Ok(0) };
    let (game, rated): (String, Rating) = (row.get(0)?, rating(&row, 1)?);
    let row = db.fetch_optional(query(RATING).bind(player).bind(&game)).await?;
    let before = row.as_ref().map_or(Ok(Rating::NEW), |row| rating(row, 0))?;
    let places = if *solved { [1, 2] } else { [2, 1] };
    let [after, rated] = <[Rating; 2]>::try_from(after_match(&[before, rated], &places))
        .expect("two ratings go in, and two come out");
    let first = query(TRY).bind(player).bind(puzzle.as_str()).bind(*solved).bind(*at_ms);
    let first = first.bind(before.mu).bind(before.sigma).bind(after.mu).bind(after.sigma);
    if db.execute(first).await? == 0 {
        return Ok(0);
    }
    let count = query(COUNT).bind(puzzle.as_str()).bind(rated.mu).bind(rated.sigma);
    db.execute(count.bind(i64::from(*solved))).await?;
    let rate = query(RATE).bind(player).bind(game).bind(after.mu).bind(after.sigma);
    db.execute(rate.bind(i64::from(*solved))).await
}

/// A puzzle.
pub(in crate::store) async fn read(db: &Readers, id: &PuzzleId) -> Result<Option<StoredPuzzle>, StoreError> {
    one(db, query(READ).bind(id.as_str())).await
}

/// The puzzle of a game at or after this place, among those made before this time; if there is none, the first one that was made.
pub(in crate::store) async fn daily(
    db: &Readers,
    game: &str,
    place: i64,
    before_ms: Millis,
) -> Result<Option<StoredPuzzle>, StoreError> {
    one(db, query(DAILY).bind(game).bind(place).bind(before_ms)).await
}

/// The puzzle that comes next.
pub(in crate::store) async fn next(
    db: &Readers,
    next: &NextPuzzle,
) -> Result<Option<StoredPuzzle>, StoreError> {
    let NextPuzzle { game, wanted, except } = next;
    let except = except.as_ref().map_or("", PuzzleId::as_str);
    match wanted {
        WantedPuzzle::At(place) => match one(db, query(AT).bind(game).bind(*place).bind(except)).await? {
            Some(found) => Ok(Some(found)),
            None => one(db, query(AT).bind(game).bind(0_i64).bind(except)).await,
        },
        WantedPuzzle::Near { player, mu } => {
            let near = |statement| query(statement).bind(game).bind(*mu).bind(except).bind(player);
            let found = [one(db, near(ABOVE)).await?, one(db, near(BELOW)).await?];
            let distance = |puzzle: &StoredPuzzle| (puzzle.rating.mu - mu).abs();
            Ok(found.into_iter().flatten().min_by(|a, b| distance(a).total_cmp(&distance(b))))
        }
    }
}

/// How well a player solves the puzzles of a game.
pub(in crate::store) async fn player_rating(
    db: &Readers,
    player: &str,
    game: &str,
) -> Result<PuzzleRating, StoreError> {
    let rows = db.fetch_all(query(RATING).bind(player).bind(game)).await?;
    let Some(row) = rows.first() else { return Ok(PuzzleRating::default()) };
    Ok(PuzzleRating { rating: rating(row, 0)?, tries: number(row.get(2)?)?, solved: number(row.get(3)?)? })
}

/// The first try of a player.
pub(in crate::store) async fn first_try(
    db: &Readers,
    player: &str,
    puzzle: &PuzzleId,
) -> Result<Option<StoredPuzzleTry>, StoreError> {
    let rows = db.fetch_all(query(TRIED).bind(player).bind(puzzle.as_str())).await?;
    let read = |row: &Row| {
        Ok(StoredPuzzleTry { solved: row.get(0)?, before: rating(row, 1)?, after: rating(row, 3)? })
    };
    rows.first().map(read).transpose()
}

async fn one(db: &Readers, query: Query<'_>) -> Result<Option<StoredPuzzle>, StoreError> {
    db.fetch_all(query).await?.first().map(read_puzzle).transpose()
}

fn read_puzzle(row: &Row) -> Result<StoredPuzzle, StoreError> {
    Ok(StoredPuzzle {
        id: PuzzleId::parse(row.get(0)?).ok_or_else(broken)?,
        match_id: MatchId::parse(row.get(1)?).ok_or_else(broken)?,
        ply: number(row.get(2)?)?,
        game: row.get(3)?,
        body: row.get(4)?,
        rating: rating(row, 5)?,
        tries: number(row.get(7)?)?,
        solved: number(row.get(8)?)?,
    })
}

/// The rating in two columns from this one on.
fn rating(row: &Row, column: usize) -> Result<Rating, DatabaseError> {
    Ok(Rating { mu: row.get(column)?, sigma: row.get(column + 1)? })
}

/// A number that is not negative.
fn number<T: TryFrom<i64>>(n: i64) -> Result<T, StoreError> {
    T::try_from(n).map_err(|_| broken())
}
