//! Vacations of players.

use crate::domain::time::Millis;
use crate::store::StoreError;
use crate::store::data::vacations::{PlannedVacation, VacationChange};
use crate::store::database::{Connection, Readers, Row, Statement, query};
use crate::store::database_error::DatabaseError;

const BEGIN: Statement = Statement::new(
    "INSERT INTO vacations (player, number, begun_ms, until_ms)
    SELECT $1, CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS BIGINT)
    WHERE EXISTS (SELECT 1 FROM players WHERE id = $1 AND deleted_ms IS NULL)
    ON CONFLICT DO NOTHING",
);
const MOVE_END: Statement = Statement::new(
    "UPDATE vacations SET until_ms = $4 WHERE player = $1 AND number = $2 AND until_ms = $3 AND until_ms > $5",
);
/// Has the running matches of a player that no node holds looked at.
const WAKE: Statement = Statement::of_each(
    "UPDATE matches SET wake_ms = $2 WHERE wake_ms > $2
        AND nr IN (SELECT match_nr FROM match_players WHERE player = $1 AND stage = 'running')",
    "WITH woken AS (SELECT nr FROM matches WHERE wake_ms > $2
            AND nr IN (SELECT match_nr FROM match_players WHERE player = $1 AND stage = 'running')
        ORDER BY nr FOR UPDATE)
    UPDATE matches SET wake_ms = $2 FROM woken WHERE matches.nr = woken.nr",
);
const OF_PLAYER: Statement =
    Statement::new("SELECT begun_ms, until_ms FROM vacations WHERE player = $1 ORDER BY number");
const SINCE: Statement = Statement::new(
    "SELECT begun_ms, until_ms FROM vacations WHERE player = $1 AND until_ms > $2 ORDER BY number",
);
const GOING_ON: Statement =
    Statement::new("SELECT player, begun_ms, until_ms FROM vacations WHERE until_ms > $1 ORDER BY number");
const FORGET: Statement = Statement::new("DELETE FROM vacations WHERE player = $1");

/// All of them, for the test that prepares each of them.
#[cfg(test)]
pub(in crate::store) const STATEMENTS: &[Statement] =
    &[BEGIN, MOVE_END, WAKE, OF_PLAYER, SINCE, GOING_ON, FORGET];

/// All vacations of a player, the oldest first.
pub(in crate::store) async fn of_player(
    db: &Readers,
    player: &str,
) -> Result<Vec<PlannedVacation>, StoreError> {
    db.fetch_all(query(OF_PLAYER).bind(player)).await?.iter().map(|row| read(row, 0)).collect()
}

/// The vacations of a player that end after this time, the oldest first.
pub(in crate::store) async fn since(
    db: &Readers,
    player: &str,
    after: Millis,
) -> Result<Vec<PlannedVacation>, StoreError> {
    db.fetch_all(query(SINCE).bind(player).bind(after)).await?.iter().map(|row| read(row, 0)).collect()
}

/// The vacations that end after this time, each with the id of its player.
pub(in crate::store) async fn going_on(
    db: &Readers,
    now: Millis,
) -> Result<Vec<(String, PlannedVacation)>, StoreError> {
    let read = |row: &Row| Ok((row.get(0)?, read(row, 1)?));
    db.fetch_all(query(GOING_ON).bind(now)).await?.iter().map(read).collect()
}

/// The vacation in the columns from this one on.
fn read(row: &Row, at: usize) -> Result<PlannedVacation, StoreError> {
    Ok(PlannedVacation { begun_ms: row.get(at)?, until_ms: row.get(at + 1)? })
}

/// Carries out a change; returns the number of vacations that it changed.
pub(in crate::store) async fn carry_out(
    db: &mut Connection<'_>,
    change: &VacationChange,
) -> Result<u64, DatabaseError> {
    match change {
        VacationChange::Begin { player, number, vacation: PlannedVacation { begun_ms, until_ms } } => {
            let begin = query(BEGIN).bind(player).bind(i64::from(*number));
            db.execute(begin.bind(*begun_ms).bind(*until_ms)).await
        }
        VacationChange::MoveEnd { player, number, before_ms, until_ms, now } => {
            let moved = query(MOVE_END).bind(player).bind(i64::from(*number)).bind(*before_ms);
            let rows = db.execute(moved.bind(*until_ms).bind(*now)).await?;
            if rows > 0 {
                db.execute(query(WAKE).bind(player).bind(*now)).await?;
            }
            Ok(rows)
        }
    }
}

/// Removes all vacations of a player.
pub(in crate::store) async fn forget(db: &mut Connection<'_>, player: &str) -> Result<(), DatabaseError> {
    db.execute(query(FORGET).bind(player)).await.map(drop)
}
