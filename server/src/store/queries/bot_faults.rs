//! The faults of bots, which are events of their matches, by bot.

use crate::domain::MatchId;
use crate::domain::time::Millis;
use crate::store::StoreError;
use crate::store::data::row::broken;
use crate::store::database::{Connection, Readers, Row, Statement, query};
use crate::store::database_error::DatabaseError;
use crate::store::queries::programs;

/// With the number of the program as the version; without a program, the version that the bot's description names now.
const ADD: Statement = Statement::of_each(
    "INSERT INTO bot_faults (match_id, seq, player, game, seat, ply, kind, detail, instead, think_us, at_ms, version)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
        coalesce(CAST($12 AS TEXT), (SELECT about ->> '$.version' FROM players WHERE id = $3)))",
    "INSERT INTO bot_faults (match_id, seq, player, game, seat, ply, kind, detail, instead, think_us, at_ms, version)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
        coalesce(CAST($12 AS TEXT), (SELECT about::json ->> 'version' FROM players WHERE id = $3)))",
);

/// The columns of a fault; [`read_fault`] reads them.
macro_rules! columns {
    () => {
        "SELECT f.match_id, f.seq, f.game, f.seat, f.ply, f.kind, f.detail, f.instead, f.think_us, f.at_ms, f.version,
            b.lines
        FROM bot_faults f
        LEFT JOIN bot_output b ON b.match_id = f.match_id AND b.seat = f.seat AND b.ply = f.ply"
    };
}

/// Faults that everybody may know: of public matches that are over and whose results are shown.
macro_rules! in_public_matches {
    () => {
        "f.match_id IN (SELECT m.id FROM matches m WHERE m.id = f.match_id AND NOT m.private AND m.stage = 'over'
            AND m.summary NOT LIKE '%\"sealed\":true%')"
    };
}

/// Before the place ($2, $3), at most $4, of the game $5 if there is one.
const ALL: Statement = Statement::new(concat!(
    columns!(),
    " WHERE f.player = $1 AND (f.match_id < $2 OR (f.match_id = $2 AND f.seq < $3)) AND f.game = coalesce($5, f.game)
    ORDER BY f.match_id DESC, f.seq DESC LIMIT $4"
));
const PUBLIC: Statement = Statement::new(concat!(
    columns!(),
    " WHERE f.player = $1 AND (f.match_id < $2 OR (f.match_id = $2 AND f.seq < $3)) AND f.game = coalesce($5, f.game) AND ",
    in_public_matches!(),
    " ORDER BY f.match_id DESC, f.seq DESC LIMIT $4"
));

/// The last $2 faults, by game, kind and version, at most $3 rows.
macro_rules! counts {
    ($where:expr) => {
        Statement::new(concat!(
            "SELECT game, kind, version, count(*), min(at_ms), max(at_ms) FROM (
                SELECT f.game, f.kind, f.version, f.at_ms FROM bot_faults f WHERE f.player = $1",
            $where,
            " ORDER BY f.match_id DESC, f.seq DESC LIMIT $2) latest
            GROUP BY game, kind, version ORDER BY max(at_ms) DESC, game, kind LIMIT $3"
        ))
    };
}
const ALL_COUNTS: Statement = counts!("");
const PUBLIC_COUNTS: Statement = counts!(concat!(" AND ", in_public_matches!()));

const FORGET: Statement = Statement::new("DELETE FROM bot_faults WHERE player = $1");

/// All of them, for the test that prepares each of them.
#[cfg(test)]
pub(in crate::store) const STATEMENTS: &[Statement] = &[ADD, ALL, PUBLIC, ALL_COUNTS, PUBLIC_COUNTS, FORGET];

/// How many of a bot's last faults are counted.
const MOST_COUNTED: u32 = 10_000;

/// A fault of a bot that is an event of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFault {
    /// The number of the event in its match.
    pub seq: u32,
    /// The game's short name.
    pub game: String,
    /// The number of the seat.
    pub seat: u8,
    /// Moves made before it.
    pub ply: u32,
    /// The kind, as events write it.
    pub kind: String,
    /// What was wrong, in one sentence.
    pub detail: String,
    /// The move that was played instead, if the match went on.
    pub instead: Option<String>,
    /// The bot's time for the decision, in microseconds.
    pub think_us: u64,
    /// The time of the event.
    pub at_ms: Millis,
}

/// A fault to add.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "`fault` says all")]
pub struct NewFault {
    /// The id of the bot.
    pub player: String,
    /// The number of its program, if one played.
    pub program: Option<u32>,
    pub fault: StoredFault,
}

/// A fault in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "`fault` says all")]
pub struct ListedFault {
    /// The match.
    pub id: MatchId,
    pub fault: StoredFault,
    /// `program N` if a program played; else the version that the bot's description named at that time.
    pub version: Option<String>,
    /// The lines that the bot wrote to standard error in this turn, as JSON, if there are any.
    pub lines: Option<String>,
}

/// The faults to list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultFilter {
    /// The id of the bot.
    pub player: String,
    /// Whether to list only those in public matches that are over and whose results are shown.
    pub only_public: bool,
    /// Only of this game.
    pub game: Option<String>,
    /// Only those before this event: its match, and its number there.
    pub before: Option<(MatchId, u32)>,
    /// The most faults.
    pub limit: u32,
}

/// Faults of one kind of one version of a bot in one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultGroup {
    /// The game's short name.
    pub game: String,
    /// The kind, as events write it.
    pub kind: String,
    /// The version, as in [`ListedFault`].
    pub version: Option<String>,
    /// How many there are.
    pub count: u64,
    /// The time of the first one.
    pub first_ms: Millis,
    /// The time of the last one.
    pub last_ms: Millis,
}

/// Adds a fault of an event that is written in the same transaction.
pub(in crate::store) async fn add(
    db: &mut Connection<'_>,
    id: &MatchId,
    NewFault { player, program, fault }: &NewFault,
) -> Result<(), DatabaseError> {
    let query = query(ADD).bind(id.as_str()).bind(i64::from(fault.seq)).bind(player).bind(&fault.game);
    let query = query.bind(i64::from(fault.seat)).bind(i64::from(fault.ply)).bind(&fault.kind);
    let query = query.bind(&fault.detail).bind(&fault.instead).bind(fault.think_us.cast_signed());
    let version = program.map(|number| format!("program {number}"));
    db.execute(query.bind(fault.at_ms).bind(&version)).await?;
    match program {
        Some(number) => programs::count_mistake(db, player, *number).await,
        None => Ok(()),
    }
}

/// Deletes the faults of a bot.
pub(in crate::store) async fn forget(db: &mut Connection<'_>, player: &str) -> Result<u64, DatabaseError> {
    db.execute(query(FORGET).bind(player)).await
}

/// The last faults of a bot: those of the newest match first, and the last one of each match first.
pub(in crate::store) async fn list(
    db: &Readers,
    filter: &FaultFilter,
) -> Result<Vec<ListedFault>, StoreError> {
    // "~" sorts after all ids.
    let (id, seq) = filter.before.as_ref().map_or(("~", 0), |(id, seq)| (id.as_str(), *seq));
    let statement = if filter.only_public { PUBLIC } else { ALL };
    let query = query(statement).bind(&filter.player).bind(id).bind(i64::from(seq));
    let query = query.bind(i64::from(filter.limit)).bind(&filter.game);
    db.fetch_all(query).await?.iter().map(read_fault).collect()
}

/// How many faults of each kind a bot has made, the latest kind first.
pub(in crate::store) async fn groups(
    db: &Readers,
    player: &str,
    only_public: bool,
    most: u32,
) -> Result<Vec<FaultGroup>, StoreError> {
    let statement = if only_public { PUBLIC_COUNTS } else { ALL_COUNTS };
    let query = query(statement).bind(player).bind(i64::from(MOST_COUNTED)).bind(i64::from(most));
    let read = |row: &Row| {
        Ok(FaultGroup {
            game: row.get(0)?,
            kind: row.get(1)?,
            version: row.get(2)?,
            count: u64::try_from(row.get::<i64>(3)?).map_err(|_| broken())?,
            first_ms: row.get(4)?,
            last_ms: row.get(5)?,
        })
    };
    db.fetch_all(query).await?.iter().map(read).collect()
}

fn read_fault(row: &Row) -> Result<ListedFault, StoreError> {
    let fault = StoredFault {
        seq: u32::try_from(row.get::<i64>(1)?).map_err(|_| broken())?,
        game: row.get(2)?,
        seat: u8::try_from(row.get::<i64>(3)?).map_err(|_| broken())?,
        ply: u32::try_from(row.get::<i64>(4)?).map_err(|_| broken())?,
        kind: row.get(5)?,
        detail: row.get(6)?,
        instead: row.get(7)?,
        think_us: u64::try_from(row.get::<i64>(8)?).map_err(|_| broken())?,
        at_ms: row.get(9)?,
    };
    let id = MatchId::parse(row.get(0)?).ok_or_else(broken)?;
    Ok(ListedFault { id, fault, version: row.get(10)?, lines: row.get(11)? })
}
