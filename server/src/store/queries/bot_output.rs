//! What bots wrote to standard error, and used, for their moves.

use crate::domain::MatchId;
use crate::store::StoreError;
use crate::store::data::row::broken;
use crate::store::database::{Connection, Readers, Row, Statement, query};
use crate::store::database_error::DatabaseError;

/// Unless the match was deleted, or its seat would have too much.
const KEEP: Statement = Statement::new(
    "INSERT INTO bot_output (match_id, seat, ply, lines, cut, cpu_ms, memory_kib)
    SELECT $1, CAST($2 AS BIGINT), CAST($3 AS BIGINT), $4, $5, CAST($6 AS BIGINT), CAST($7 AS BIGINT)
    WHERE EXISTS (SELECT 1 FROM matches WHERE id = $1)
        AND (SELECT coalesce(sum(length(lines)), 0) FROM bot_output WHERE match_id = $1 AND seat = $2 AND ply <> $3)
            + length($4) <= CAST($9 AS BIGINT)
    ON CONFLICT (match_id, seat, ply) DO UPDATE SET lines = excluded.lines, cut = excluded.cut,
        cpu_ms = excluded.cpu_ms, memory_kib = excluded.memory_kib WHERE $8",
);
const OF_SEAT: Statement = Statement::new(
    "SELECT seat, ply, lines, cut, cpu_ms, memory_kib FROM bot_output WHERE match_id = $1 AND seat = $2 ORDER BY ply",
);
const OF_MATCH: Statement = Statement::new(
    "SELECT seat, ply, lines, cut, cpu_ms, memory_kib FROM bot_output WHERE match_id = $1 ORDER BY seat, ply",
);

/// All of them, for the test that prepares each of them.
#[cfg(test)]
pub(in crate::store) const STATEMENTS: &[Statement] = &[KEEP, OF_SEAT, OF_MATCH];

/// What a bot wrote to standard error, and used, in one turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredOutput {
    /// The number of the seat.
    pub seat: u8,
    /// Moves made before the turn.
    pub ply: u32,
    /// The lines, as JSON.
    pub lines: String,
    /// Whether more was written than is kept.
    pub cut: bool,
    /// The processor time of the bot's processes in this turn, in milliseconds, where it is known.
    pub cpu_ms: Option<u64>,
    /// The most memory that the bot's processes had so far, in KiB, where it is known.
    pub memory_kib: Option<u64>,
}

/// A turn to keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptTurn {
    /// What the bot wrote and used.
    pub output: StoredOutput,
    /// Whether it replaces what is kept of this turn.
    pub replaces: bool,
    /// The most that is kept of the seat, as JSON, in characters; otherwise this turn is left out.
    pub most_of_seat: u32,
}

/// Keeps what bots wrote and used in some turns. Changes nothing if the match was deleted.
pub(in crate::store) async fn keep(
    db: &mut Connection<'_>,
    id: &MatchId,
    turns: &[KeptTurn],
) -> Result<u64, DatabaseError> {
    let mut rows = 0;
    for KeptTurn { output: turn, replaces, most_of_seat } in turns {
        let query = query(KEEP).bind(id.as_str()).bind(i64::from(turn.seat)).bind(i64::from(turn.ply));
        let query = query.bind(&turn.lines).bind(turn.cut);
        let query = query.bind(turn.cpu_ms.map(u64::cast_signed)).bind(turn.memory_kib.map(u64::cast_signed));
        let query = query.bind(*replaces).bind(i64::from(*most_of_seat));
        rows += db.execute(query).await?;
    }
    Ok(rows)
}

/// What is kept of a match; `seat`: only of this seat. By seat, then in the order of the turns.
pub(in crate::store) async fn output(
    db: &Readers,
    id: &MatchId,
    seat: Option<u8>,
) -> Result<Vec<StoredOutput>, StoreError> {
    let query = match seat {
        Some(seat) => query(OF_SEAT).bind(id.as_str()).bind(i64::from(seat)),
        None => query(OF_MATCH).bind(id.as_str()),
    };
    let amount = |value: Option<i64>| value.map(u64::try_from).transpose().map_err(|_| broken());
    let read = |row: &Row| {
        Ok(StoredOutput {
            seat: u8::try_from(row.get::<i64>(0)?).map_err(|_| broken())?,
            ply: u32::try_from(row.get::<i64>(1)?).map_err(|_| broken())?,
            lines: row.get(2)?,
            cut: row.get(3)?,
            cpu_ms: amount(row.get(4)?)?,
            memory_kib: amount(row.get(5)?)?,
        })
    };
    db.fetch_all(query).await?.iter().map(read).collect()
}
