//! Compares the stored ratings with the fold of the results.

use crate::store::StoreError;
use crate::store::data::ratings::{CHUNK, NumberedResult, RatingCheck, Recomputed, Widening};
use crate::store::data::row::broken;
use crate::store::database::{Connection, Readers, Row, Statement, query};
use crate::store::queries::ratings::{programs_of, read_stored};

const RESULTS_AFTER: Statement = Statement::new(
    "SELECT nr, game, at_ms, seats, programs FROM rated_results
    WHERE nr > $1 AND annulled_ms IS NULL ORDER BY nr LIMIT $2",
);
const ALL_WIDENINGS: Statement = Statement::new("SELECT nr, player, game, times FROM rating_widenings");
const ALL_RATINGS: Statement = Statement::new("SELECT player, game, mu, sigma, played, last_ms FROM ratings");
const ALL_VERSUS: Statement = Statement::new("SELECT player, game, opponent, played, won, drawn FROM versus");
const ALL_HISTORY: Statement =
    Statement::new("SELECT player, game, nr, mu, sigma, played, at_ms, program FROM rating_history");

/// All of them, for the test that prepares each of them.
#[cfg(test)]
pub(in crate::store) const STATEMENTS: &[Statement] =
    &[RESULTS_AFTER, ALL_WIDENINGS, ALL_RATINGS, ALL_VERSUS, ALL_HISTORY];

/// Compares the stored ratings with the fold of the results, in one state of the database.
pub(in crate::store) async fn check(db: &Readers) -> Result<RatingCheck, StoreError> {
    let mut snapshot = db.snapshot().await?;
    let mut db = snapshot.connection();
    let mut recomputed = Recomputed::default();
    fold_results(&mut db, &mut recomputed).await?;
    let ratings = |row: &Row| {
        let stored = read_stored(row, 2)?;
        recomputed.stored_rating(row.get(0)?, row.get(1)?, stored);
        Ok(())
    };
    db.for_each(query(ALL_RATINGS), ratings).await?;
    let versus = |row: &Row| {
        let counts = [row.get(3)?, row.get(4)?, row.get(5)?];
        recomputed.stored_versus(row.get(0)?, row.get(1)?, row.get(2)?, counts);
        Ok(())
    };
    db.for_each(query(ALL_VERSUS), versus).await?;
    let history = |row: &Row| {
        let stored = read_stored(row, 3)?;
        // A number that no program can have is a difference.
        let program = row.get::<Option<i64>>(7)?.map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        recomputed.stored_history(row.get(0)?, row.get(1)?, (row.get(2)?, program), stored);
        Ok(())
    };
    db.for_each(query(ALL_HISTORY), history).await?;
    Ok(recomputed.finish())
}

async fn fold_results(db: &mut Connection<'_>, recomputed: &mut Recomputed) -> Result<(), StoreError> {
    let widening = |row: &Row| {
        let widening = Widening { player: row.get(1)?, game: row.get(2)?, times: row.get(3)? };
        recomputed.widenings.add(row.get(0)?, widening);
        Ok(())
    };
    db.for_each(query(ALL_WIDENINGS), widening).await?;
    let mut last: i64 = 0;
    loop {
        let results = db.fetch_all(query(RESULTS_AFTER).bind(last).bind(CHUNK)).await?;
        let Some(row) = results.last() else {
            recomputed.fold_rest();
            return Ok(());
        };
        last = row.get(0)?;
        for row in results {
            let seats = serde_json::from_str(row.get(3)?).map_err(|_| broken())?;
            let programs = programs_of(row.get(4)?)?;
            let result = NumberedResult { nr: row.get(0)?, at_ms: row.get(2)?, seats, programs };
            recomputed.fold(row.get(1)?, &result);
        }
    }
}
