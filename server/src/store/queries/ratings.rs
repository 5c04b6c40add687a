//! Changes to ratings, inside the writer's transaction. Where there are other nodes, the caller holds the lock on ratings.

use std::collections::HashMap;

use crate::domain::MatchId;
use crate::domain::time::{DAY_MS, Millis};
use crate::ratings::Rating;
use crate::store::data::ratings::{
    CHUNK, HISTORY_ROWS, HistoryRow, NumberedResult, RatingsAfterAnnulment, ResultToWrite, StoredRating,
    Widening, Widenings, after_result, listed, pairs, versus,
};
use crate::store::database::{Connection, Query, Row, Statement, query};
use crate::store::database_error::DatabaseError;
use crate::store::queries::puzzles;
use crate::store::writing::command_error::CommandError;
use crate::store::{Append, ImportedRating, StoreError};

const STORED_RATING: Statement =
    Statement::new("SELECT mu, sigma, played, last_ms FROM ratings WHERE player = $1 AND game = $2");
const PLAYER: Statement = Statement::new("SELECT kind, deleted_ms FROM players WHERE id = $1");
const PUT: Statement = Statement::new(
    "INSERT INTO ratings (player, game, kind, mu, sigma, played, last_ms, listed)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (player, game) DO UPDATE SET mu = excluded.mu, sigma = excluded.sigma,
        played = excluded.played, last_ms = excluded.last_ms, listed = excluded.listed",
);
const DROP: Statement = Statement::new("DELETE FROM ratings WHERE player = $1 AND game = $2");
const UNLIST: Statement = Statement::new("UPDATE ratings SET listed = NULL WHERE player = $1");
const HISTORY: Statement = Statement::new(
    "INSERT INTO rating_history (player, game, played, nr, mu, sigma, at_ms, program)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
);
/// Followed by rows of values.
const HISTORY_OF_MANY: &str =
    "INSERT INTO rating_history (player, game, played, nr, mu, sigma, at_ms, program)";
const FORGET_HISTORY: Statement =
    Statement::new("DELETE FROM rating_history WHERE player = $1 AND game = $2 AND played > $3");
/// With the number of the new programs between that result and the one with the number $3.
const BEFORE: Statement = Statement::new(
    "SELECT mu, sigma, played, at_ms, (SELECT CAST(coalesce(sum(times), 0) AS BIGINT) FROM rating_widenings w
        WHERE w.player = $1 AND w.game = $2 AND w.nr >= h.nr AND w.nr < $3) FROM rating_history h
    WHERE player = $1 AND game = $2 AND nr < $3 ORDER BY played DESC LIMIT 1",
);
const VERSUS: Statement = Statement::new(
    "INSERT INTO versus (player, game, opponent, played, won, drawn) VALUES ($1, $2, $3, 1, $4, $5)
    ON CONFLICT (player, game, opponent) DO UPDATE SET played = versus.played + 1,
        won = versus.won + excluded.won, drawn = versus.drawn + excluded.drawn",
);
const VERSUS_BACK: Statement = Statement::new(
    "UPDATE versus SET played = played - 1, won = won - $4, drawn = drawn - $5
    WHERE player = $1 AND game = $2 AND opponent = $3",
);
const VERSUS_EMPTY: Statement =
    Statement::new("DELETE FROM versus WHERE player = $1 AND game = $2 AND opponent = $3 AND played = 0");
const NEXT: Statement = Statement::new("SELECT coalesce(max(nr), 0) + 1 FROM rated_results");
const RESULT: Statement = Statement::new(
    "INSERT INTO rated_results (nr, match_id, game, at_ms, seats, programs) VALUES ($1, $2, $3, $4, $5, $6)",
);
const ANNUL: Statement = Statement::new(
    "UPDATE rated_results SET annulled_ms = $2
    WHERE match_id = $1 AND annulled_ms IS NULL RETURNING nr, game, seats",
);
const LATER: Statement = Statement::new(
    "SELECT nr, at_ms, seats, programs FROM rated_results
    WHERE game = $1 AND nr > $2 AND annulled_ms IS NULL ORDER BY nr LIMIT $3",
);
const LAST: Statement = Statement::new("SELECT coalesce(max(nr), 0) FROM rated_results");
const WIDEN: Statement = Statement::new(
    "INSERT INTO rating_widenings (player, game, nr, times) VALUES ($1, $2, $3, 1)
    ON CONFLICT (player, game, nr) DO UPDATE SET times = rating_widenings.times + 1",
);
const WIDENINGS: Statement =
    Statement::new("SELECT nr, player, times FROM rating_widenings WHERE game = $1 AND nr >= $2");
const COUNTED: Statement = Statement::new("SELECT 1 FROM rated_results WHERE match_id = $1");
const LAST_OF: Statement =
    Statement::new("SELECT max(nr) FROM rating_history WHERE player = $1 AND game = $2");
const PAIR: Statement =
    Statement::new("SELECT begun FROM rated_pairs WHERE day = $1 AND first = $2 AND second = $3");
const COUNT_PAIR: Statement = Statement::new(
    "INSERT INTO rated_pairs (day, first, second, begun) VALUES ($1, $2, $3, 1)
    ON CONFLICT (day, first, second) DO UPDATE SET begun = rated_pairs.begun + 1",
);
const OLD_PAIRS: Statement = Statement::new("DELETE FROM rated_pairs WHERE day < $1");

/// All of them, for the test that prepares each of them.
#[cfg(test)]
pub(in crate::store) const STATEMENTS: &[Statement] = &[
    STORED_RATING,
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
    LAST,
    WIDEN,
    WIDENINGS,
    COUNTED,
    LAST_OF,
    PAIR,
    COUNT_PAIR,
    OLD_PAIRS,
];

/// The rating in four columns from this one on.
pub(super) fn read_stored(row: &Row, column: usize) -> Result<StoredRating, DatabaseError> {
    let rating = Rating { mu: row.get(column)?, sigma: row.get(column + 1)? };
    Ok(StoredRating { rating, played: row.get(column + 2)?, last_ms: row.get(column + 3)? })
}

/// The rating that a query finds; otherwise that of a new player.
async fn stored(db: &mut Connection<'_>, query: Query<'_>) -> Result<StoredRating, DatabaseError> {
    let row = db.fetch_optional(query).await?;
    row.as_ref().map_or(Ok(StoredRating::default()), |row| read_stored(row, 0))
}

/// The seats of a stored result.
fn seats_of(text: &str) -> Result<Vec<(String, u8)>, DatabaseError> {
    serde_json::from_str(text).map_err(|e| sqlx::Error::Decode(e.into()).into())
}

/// The programs of a stored result.
pub(super) fn programs_of(text: Option<&str>) -> Result<Vec<Option<u32>>, DatabaseError> {
    let read = |text| serde_json::from_str(text).map_err(|e| sqlx::Error::Decode(e.into()).into());
    text.map_or(Ok(Vec::new()), read)
}

/// Writes the results of rated matches, in order, and the changes that follow from them.
pub(in crate::store) async fn write_results(
    db: &mut Connection<'_>,
    results: &[ResultToWrite<'_>],
) -> Result<(), DatabaseError> {
    for ResultToWrite { id, at_ms, result } in results {
        let game = result.game.as_str();
        let nr: i64 = db.fetch_one(query(NEXT)).await?.get(0)?;
        let seats = serde_json::to_string(&result.seats).expect("texts and numbers are JSON");
        let programs = serde_json::to_string(&result.programs).expect("numbers are JSON");
        let programs = (!result.programs.is_empty()).then_some(programs);
        let insert = query(RESULT).bind(nr).bind(id.as_str()).bind(game).bind(*at_ms).bind(seats);
        db.execute(insert.bind(programs)).await?;
        let (seats, programs) = (result.seats.clone(), result.programs.clone());
        let result = NumberedResult { nr, at_ms: *at_ms, seats, programs };
        let mut before = Vec::with_capacity(result.seats.len());
        for (player, _) in &result.seats {
            before.push(stored(db, query(STORED_RATING).bind(player).bind(game)).await?);
        }
        for (seat, stored) in after_result(&before, &result).into_iter().enumerate() {
            let (player, program) = (result.seats[seat].0.clone(), result.program(seat));
            put(db, &player, game, stored).await?;
            write_history(db, game, &HistoryRow { player, nr, program, stored }).await?;
        }
        for change in versus(&result.seats) {
            let query = query(VERSUS).bind(change.player).bind(game).bind(change.opponent);
            db.execute(query.bind(change.won).bind(change.drawn)).await?;
        }
    }
    Ok(())
}

async fn put(
    db: &mut Connection<'_>,
    player: &str,
    game: &str,
    new: StoredRating,
) -> Result<(), DatabaseError> {
    let row = db.fetch_one(query(PLAYER).bind(player)).await?;
    let (kind, deleted_ms): (&str, Option<Millis>) = (row.get(0)?, row.get(1)?);
    let StoredRating { rating, played, last_ms } = new;
    let put = query(PUT).bind(player).bind(game).bind(kind);
    let put = put.bind(rating.mu).bind(rating.sigma).bind(played).bind(last_ms);
    db.execute(put.bind(deleted_ms.is_none().then(|| listed(rating)))).await.map(drop)
}

async fn write_history(db: &mut Connection<'_>, game: &str, row: &HistoryRow) -> Result<(), DatabaseError> {
    let StoredRating { rating, played, last_ms } = row.stored;
    let query = query(HISTORY).bind(&row.player).bind(game).bind(played).bind(row.nr);
    let query = query.bind(rating.mu).bind(rating.sigma).bind(last_ms);
    db.execute(query.bind(row.program.map(i64::from))).await.map(drop)
}

/// Annuls the result of a match: ratings are then as if it had never been, and it has no puzzles. Returns 0 if it does not count.
pub(in crate::store) async fn annul(
    db: &mut Connection<'_>,
    id: &MatchId,
    at_ms: Millis,
) -> Result<u64, DatabaseError> {
    let Some(row) = db.fetch_optional(query(ANNUL).bind(id.as_str()).bind(at_ms)).await? else {
        return Ok(0);
    };
    puzzles::forget_of_match(db, id).await?;
    let (nr, game): (i64, String) = (row.get(0)?, row.get(1)?);
    let seats = seats_of(row.get(2)?)?;
    for change in versus(&seats) {
        let back = query(VERSUS_BACK).bind(change.player).bind(&game).bind(change.opponent);
        db.execute(back.bind(change.won).bind(change.drawn)).await?;
        let empty = query(VERSUS_EMPTY).bind(change.player).bind(&game).bind(change.opponent);
        db.execute(empty).await?;
    }
    let players = seats.iter().map(|(player, _)| player);
    let before_it = before(db, &game, nr, players).await?.into_iter();
    let mut changed = RatingsAfterAnnulment::new(before_it, widenings(db, &game, nr).await?);
    let mut last = nr;
    loop {
        let later = db.fetch_all(query(LATER).bind(&game).bind(last).bind(CHUNK)).await?;
        let Some(row) = later.last() else { break };
        last = row.get(0)?;
        for row in later {
            let (seats, programs) = (seats_of(row.get(2)?)?, programs_of(row.get(3)?)?);
            let result = NumberedResult { nr: row.get(0)?, at_ms: row.get(1)?, seats, programs };
            changed.widen_before(result.nr);
            if changed.concerns(&result) {
                let unknown = result.seats.iter().map(|(player, _)| player);
                let unknown = unknown.filter(|player| !changed.ratings.contains_key(*player));
                let before = before(db, &game, result.nr, unknown).await?;
                changed.fold(&result, before);
            }
        }
    }
    changed.widen_rest();
    write_annulled(db, &game, &changed).await?;
    Ok(1)
}

/// Whether the result of a match was counted, even if it was annulled later.
pub(in crate::store) async fn is_counted(
    db: &mut Connection<'_>,
    id: &MatchId,
) -> Result<bool, DatabaseError> {
    Ok(db.fetch_optional(query(COUNTED).bind(id.as_str())).await?.is_some())
}

/// Sets a rating, and the last point of its history; returns 0 if it is so already, or if the player has a later match.
pub(in crate::store) async fn set(
    db: &mut Connection<'_>,
    imported: &ImportedRating,
) -> Result<u64, DatabaseError> {
    let ImportedRating { player, game, rating, played, last_ms, known_until_ms } = imported;
    let before = stored(db, query(STORED_RATING).bind(player).bind(game)).await?;
    let played = i64::try_from(*played).unwrap_or(i64::MAX);
    let new = StoredRating { rating: *rating, played, last_ms: *last_ms };
    if before == new || before.last_ms > *known_until_ms {
        return Ok(0);
    }
    put(db, player, game, new).await?;
    let last = db.fetch_optional(query(LAST_OF).bind(player).bind(game)).await?;
    let nr: Option<i64> = last.map_or(Ok(None), |row| row.get(0))?;
    if let Some(nr) = nr {
        let kept = played.min(before.played) - 1;
        db.execute(query(FORGET_HISTORY).bind(player).bind(game).bind(kept)).await?;
        let row = HistoryRow { player: player.clone(), nr, program: None, stored: new };
        write_history(db, game, &row).await?;
    }
    Ok(1)
}

/// The widenings of a game after the result with this number.
async fn widenings(db: &mut Connection<'_>, game: &str, nr: i64) -> Result<Widenings, DatabaseError> {
    let mut found = Widenings::default();
    for row in db.fetch_all(query(WIDENINGS).bind(game).bind(nr)).await? {
        let (player, game) = (row.get(1)?, game.to_owned());
        found.add(row.get(0)?, Widening { player, game, times: row.get(2)? });
    }
    Ok(found)
}

/// Makes the rating of a bot less certain, because another program plays for it from now on.
pub(in crate::store) async fn widen(
    db: &mut Connection<'_>,
    bot: &str,
    game: &str,
) -> Result<(), DatabaseError> {
    let Some(row) = db.fetch_optional(query(STORED_RATING).bind(bot).bind(game)).await? else {
        return Ok(());
    };
    let after: i64 = db.fetch_one(query(LAST)).await?.get(0)?;
    db.execute(query(WIDEN).bind(bot).bind(game).bind(after)).await?;
    put(db, bot, game, read_stored(&row, 0)?.widened(1)).await
}

/// The ratings of these players before a result; those without an earlier match have the rating of a new player.
async fn before(
    db: &mut Connection<'_>,
    game: &str,
    nr: i64,
    players: impl Iterator<Item = &String>,
) -> Result<HashMap<String, StoredRating>, DatabaseError> {
    let mut found = HashMap::new();
    for player in players {
        let row = db.fetch_optional(query(BEFORE).bind(player).bind(game).bind(nr)).await?;
        let before = match &row {
            Some(row) => read_stored(row, 0)?.widened(row.get(4)?),
            None => StoredRating::default(),
        };
        found.insert(player.clone(), before);
    }
    Ok(found)
}

async fn write_annulled(
    db: &mut Connection<'_>,
    game: &str,
    changed: &RatingsAfterAnnulment,
) -> Result<(), DatabaseError> {
    for (player, (before, now)) in &changed.ratings {
        db.execute(query(FORGET_HISTORY).bind(player).bind(game).bind(before.played)).await?;
        if now.played == 0 {
            db.execute(query(DROP).bind(player).bind(game)).await?;
        } else {
            put(db, player, game, *now).await?;
        }
    }
    for rows in changed.history.chunks(HISTORY_ROWS) {
        let values = rows.iter().map(|row| {
            let StoredRating { rating, played, last_ms } = row.stored;
            [
                row.player.as_str().into(),
                game.into(),
                played.into(),
                row.nr.into(),
                rating.mu.into(),
                rating.sigma.into(),
                last_ms.into(),
                row.program.map(i64::from).into(),
            ]
        });
        db.execute(Query::insert_rows(HISTORY_OF_MANY, values)).await?;
    }
    Ok(())
}

/// Whether the owners of a rated match that begins may begin another one with each other today.
pub(in crate::store) async fn check_pairs(
    db: &mut Connection<'_>,
    append: &Append,
) -> Result<(), CommandError> {
    let Some(begins) = &append.begins else { return Ok(()) };
    for (first, second) in pairs(&begins.owners) {
        let found = db.fetch_optional(query(PAIR).bind(day(append)).bind(first).bind(second)).await?;
        let begun: i64 = found.map_or(Ok(0), |row| row.get(0))?;
        if begun >= i64::from(begins.most) {
            return Err(StoreError::RatedLimit.into());
        }
    }
    Ok(())
}

/// Counts a rated match that begins.
pub(in crate::store) async fn count_pairs(
    db: &mut Connection<'_>,
    append: &Append,
) -> Result<(), DatabaseError> {
    let Some(begins) = &append.begins else { return Ok(()) };
    db.execute(query(OLD_PAIRS).bind(day(append))).await?;
    for (first, second) in pairs(&begins.owners) {
        db.execute(query(COUNT_PAIR).bind(day(append)).bind(first).bind(second)).await?;
    }
    Ok(())
}

fn day(append: &Append) -> i64 {
    append.events.first().map_or(0, |event| event.at_ms.div_euclid(DAY_MS))
}

/// Takes the player, whose account is deleted, off the leaderboards.
pub(in crate::store) async fn unlist(db: &mut Connection<'_>, player: &str) -> Result<(), DatabaseError> {
    db.execute(query(UNLIST).bind(player)).await.map(drop)
}
