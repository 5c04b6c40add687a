//! Tournaments and their events. A node that dies disappears from the table `nodes`, or its lease expires, and its
//! tournaments become free.

use crate::domain::{MatchId, TournamentId, TournamentStage};
use crate::store::data::ratings::ResultToWrite;
use crate::store::data::row::{broken, stage_of};
use crate::store::database::{Connection, Query, Readers, Row, Statement, query};
use crate::store::database_error::DatabaseError;
use crate::store::writing::write_plan::WritePlan;
use crate::store::{
    ListedTournament, MatchStatus, NewTournament, RunningTournament, StoreError, StoredEvent, StoredRequest,
    TournamentAppend,
};

/// Adds a tournament, unless its organizer has too many that are not over, or the request was carried out before.
const ADD: Statement = Statement::new(
    "INSERT INTO tournaments (id, game, stage, organizer, created_ms, summary, events)
    SELECT $1, $2, $3, $4, CAST($5 AS BIGINT), $6, CAST($7 AS BIGINT)
    WHERE (SELECT count(*) FROM tournaments WHERE organizer = $4 AND stage NOT IN ('ended', 'aborted'))
            < CAST($8 AS BIGINT)
        AND NOT EXISTS (SELECT 1 FROM requests WHERE key = $9)
        AND NOT EXISTS (SELECT 1 FROM tournaments WHERE id = $1)",
);
const REQUEST: Statement =
    Statement::new("INSERT INTO requests (key, request_hash, answer) VALUES ($1, $2, $3)");
/// A tournament that is over has no holder.
const GROW: Statement = Statement::new(
    "UPDATE tournaments SET stage = $2, summary = $3, events = events + $4,
        holder = CASE WHEN $2 IN ('ended', 'aborted') THEN NULL ELSE holder END
    WHERE id = $1 AND events = $5",
);
const EVENT: Statement =
    Statement::new("INSERT INTO tournament_events (tournament, seq, at_ms, body) VALUES ($1, $2, $3, $4)");
/// The first event contains the title.
const FIRST: Statement =
    Statement::new("UPDATE tournament_events SET body = $2 WHERE tournament = $1 AND seq = 0");
/// Only a tournament whose games are not played.
const DELETABLE: Statement = Statement::new(
    "SELECT count(*) FROM tournaments
    WHERE id = $1 AND stage IN ('registration', 'ended', 'aborted')",
);
const DELETE_EVENTS: Statement = Statement::new("DELETE FROM tournament_events WHERE tournament = $1");
const DELETE: Statement = Statement::new("DELETE FROM tournaments WHERE id = $1");
const SETTLE: Statement = Statement::new("DELETE FROM reports WHERE kind = 'tournament' AND subject = $1");
const ORGANIZED: Statement = Statement::new("SELECT id FROM tournaments WHERE organizer = $1 ORDER BY id");
const LOG: Statement = Statement::new(
    "SELECT at_ms, body FROM tournament_events WHERE tournament = $1 AND seq >= $2 ORDER BY seq",
);
const MATCH_NUMBER: Statement = Statement::new("SELECT nr FROM matches WHERE id = $1");
const LIST: Statement = Statement::new(
    "SELECT id, game, stage, created_ms, summary FROM tournaments WHERE id < $1 ORDER BY id DESC LIMIT $2",
);
const LIST_OF_GAME: Statement = Statement::new(
    "SELECT id, game, stage, created_ms, summary FROM tournaments
    WHERE id < $1 AND game = $3 ORDER BY id DESC LIMIT $2",
);
/// Takes a tournament over.
const RUN: Statement = Statement::of_each(
    "UPDATE tournaments SET holder = $2
    WHERE id = $1 AND stage IN ('running', 'paused')
        AND (holder IS NULL OR holder = $2 OR NOT EXISTS (SELECT 1 FROM nodes WHERE nodes.id = holder))",
    "UPDATE tournaments SET holder = $2
    WHERE id = $1 AND stage IN ('running', 'paused') AND (holder IS NULL OR holder = $2
        OR NOT EXISTS (SELECT 1 FROM nodes s WHERE s.id = holder AND s.expires_at > clock_timestamp()))",
);
/// The tournaments to run, each with its node, and whether that one is dead.
const RUNNING: Statement = Statement::of_each(
    "SELECT id, holder, NOT EXISTS (SELECT 1 FROM nodes WHERE nodes.id = holder)
    FROM tournaments INDEXED BY tournaments_running WHERE stage IN ('running', 'paused') ORDER BY id",
    "SELECT id, holder,
        NOT EXISTS (SELECT 1 FROM nodes s WHERE s.id = holder AND s.expires_at > clock_timestamp())
    FROM tournaments WHERE stage IN ('running', 'paused') ORDER BY id",
);
/// The tournaments that have not begun. The index has the few that are not over.
const NOT_BEGUN: Statement = Statement::of_each(
    "SELECT id, game, stage, created_ms, summary FROM tournaments INDEXED BY tournaments_unfinished
    WHERE stage NOT IN ('ended', 'aborted') AND stage = 'registration' ORDER BY id",
    "SELECT id, game, stage, created_ms, summary FROM tournaments
    WHERE stage NOT IN ('ended', 'aborted') AND stage = 'registration' ORDER BY id",
);
/// The matches of a JSON array.
const MATCH_STATUS: Statement = Statement::of_each(
    "SELECT id, stage, summary FROM matches WHERE id IN (SELECT value FROM json_each($1))",
    "SELECT id, stage, summary FROM matches
    WHERE id = ANY (ARRAY(SELECT value FROM json_array_elements_text($1::json)))",
);

/// Those that change something, and those that look for matches and nodes, for the test that prepares all statements.
#[cfg(test)]
pub(in crate::store) const STATEMENTS: &[Statement] =
    &[ADD, REQUEST, GROW, EVENT, FIRST, DELETE_EVENTS, DELETE, SETTLE, RUN, RUNNING, NOT_BEGUN, MATCH_STATUS];
/// Those that only read, for the tests of their plans.
#[cfg(test)]
pub(in crate::store) const READS: &[Statement] =
    &[LOG, MATCH_NUMBER, LIST, LIST_OF_GAME, DELETABLE, ORGANIZED];

/// Appends events, without the matches that they open; returns 0 if they do not follow the stored ones, or the tournament must
/// not be added.
pub(in crate::store) async fn append(
    db: &mut Connection<'_>,
    append: &TournamentAppend,
) -> Result<u64, DatabaseError> {
    let TournamentAppend { id, seq, events, stage, summary, new, first, .. } = append;
    let count = i64::try_from(events.len()).unwrap_or(i64::MAX);
    let row = match new {
        Some(new) => add(append, new, count),
        None => {
            let query = query(GROW).bind(id.as_str()).bind(stage.name()).bind(summary);
            query.bind(count).bind(i64::from(*seq))
        }
    };
    if db.execute(row).await? == 0 {
        return Ok(0);
    }
    if let Some(StoredRequest { key, request_hash, answer }) =
        new.as_ref().and_then(|new| new.request.as_ref())
    {
        db.execute(query(REQUEST).bind(key.to_string()).bind(request_hash.to_string()).bind(answer)).await?;
    }
    for (seq, event) in (i64::from(*seq)..).zip(events) {
        db.execute(query(EVENT).bind(id.as_str()).bind(seq).bind(event.at_ms).bind(&event.body)).await?;
    }
    if let Some(first) = first {
        db.execute(query(FIRST).bind(id.as_str()).bind(first)).await?;
        db.execute(query(SETTLE).bind(id.as_str())).await?;
    }
    Ok(1)
}

/// Adds the row of a tournament with this many events.
fn add<'q>(append: &'q TournamentAppend, new: &'q NewTournament, events: i64) -> Query<'q> {
    let key = new.request.as_ref().map(|request| request.key.to_string());
    let query = query(ADD).bind(append.id.as_str()).bind(&new.game).bind(append.stage.name());
    let query = query.bind(&new.organizer).bind(new.created_ms).bind(&append.summary);
    query.bind(events).bind(i64::from(new.most)).bind(key)
}

/// Plans the rows of the matches that a tournament opens, and notes their results for the ratings.
pub(in crate::store) async fn open_matches<'a>(
    db: &mut Connection<'_>,
    plan: &mut WritePlan<'a>,
    rated: &mut Vec<ResultToWrite<'a>>,
    append: &'a TournamentAppend,
) -> Result<(), DatabaseError> {
    let Some(last) = append.events.last() else { return Ok(()) };
    for opened in &append.opened {
        let number = db.fetch_optional(query(MATCH_NUMBER).bind(opened.id.as_str())).await?;
        // It may have been deleted meanwhile.
        let Some(number) = number else { continue };
        plan.rows.insert(number.get(0)?, (&opened.id, &opened.row));
        let write = |result| ResultToWrite { id: &opened.id, at_ms: last.at_ms, result };
        rated.extend(opened.rated.as_ref().map(write));
    }
    Ok(())
}

/// Deletes a tournament whose games are not played, and the reports about it; returns 0 if there is none.
pub(in crate::store) async fn delete(
    db: &mut Connection<'_>,
    id: &TournamentId,
) -> Result<u64, DatabaseError> {
    let found: i64 = db.fetch_one(query(DELETABLE).bind(id.as_str())).await?.get(0)?;
    if found == 0 {
        return Ok(0);
    }
    for statement in [DELETE_EVENTS, SETTLE, DELETE] {
        db.execute(query(statement).bind(id.as_str())).await?;
    }
    Ok(1)
}

/// Makes this node run the tournament, unless another living node does; returns 0 if another one does.
pub(in crate::store) async fn run(
    db: &mut Connection<'_>,
    id: &TournamentId,
    node: &str,
) -> Result<u64, DatabaseError> {
    db.execute(query(RUN).bind(id.as_str()).bind(node)).await
}

/// The tournaments that a player organizes or has organized.
pub(in crate::store) async fn organized(db: &Readers, player: &str) -> Result<Vec<TournamentId>, StoreError> {
    db.fetch_all(query(ORGANIZED).bind(player)).await?.iter().map(read_id).collect()
}

/// The events of a tournament from sequence number `from` on.
pub(in crate::store) async fn log(
    db: &Readers,
    id: &TournamentId,
    from: u32,
) -> Result<Vec<StoredEvent>, StoreError> {
    let read = |row: &Row| Ok(StoredEvent { at_ms: row.get(0)?, body: row.get(1)? });
    db.fetch_all(query(LOG).bind(id.as_str()).bind(i64::from(from))).await?.iter().map(read).collect()
}

/// The id in the first column.
fn read_id(row: &Row) -> Result<TournamentId, StoreError> {
    TournamentId::parse(row.get(0)?).ok_or_else(broken)
}

/// Tournaments as lists show them, the newest first.
pub(in crate::store) async fn tournaments(
    db: &Readers,
    game: Option<&str>,
    before: Option<&TournamentId>,
    limit: u32,
) -> Result<Vec<ListedTournament>, StoreError> {
    let statement = if game.is_some() { LIST_OF_GAME } else { LIST };
    // "~" sorts after all ids.
    let before = before.map_or("~", TournamentId::as_str);
    let query = query(statement).bind(before).bind(i64::from(limit));
    let query = if let Some(game) = game { query.bind(game) } else { query };
    db.fetch_all(query).await?.iter().map(listed).collect()
}

/// The tournaments that have not begun, the oldest first.
pub(in crate::store) async fn not_begun(db: &Readers) -> Result<Vec<ListedTournament>, StoreError> {
    db.fetch_all(query(NOT_BEGUN)).await?.iter().map(listed).collect()
}

/// A row of a list.
fn listed(row: &Row) -> Result<ListedTournament, StoreError> {
    Ok(ListedTournament {
        id: read_id(row)?,
        game: row.get(1)?,
        stage: TournamentStage::parse(row.get(2)?).ok_or_else(broken)?,
        created_ms: row.get(3)?,
        summary: row.get(4)?,
    })
}

/// The tournaments that have begun and are not over.
pub(in crate::store) async fn running(db: &Readers) -> Result<Vec<RunningTournament>, StoreError> {
    let read = |row: &Row| {
        let (holder, free): (Option<String>, bool) = (row.get(1)?, row.get(2)?);
        Ok(RunningTournament { id: read_id(row)?, holder: holder.filter(|_| !free) })
    };
    db.fetch_all(query(RUNNING)).await?.iter().map(read).collect()
}

/// The stage and summary of those of these matches that exist.
pub(in crate::store) async fn match_status(
    db: &Readers,
    ids: &[MatchId],
) -> Result<Vec<MatchStatus>, StoreError> {
    let ids = serde_json::to_string(ids).expect("texts are JSON");
    let read = |row: &Row| {
        let id = MatchId::parse(row.get(0)?).ok_or_else(broken)?;
        Ok(MatchStatus { id, stage: stage_of(row.get(1)?)?, summary: row.get(2)? })
    };
    db.fetch_all(query(MATCH_STATUS).bind(ids)).await?.iter().map(read).collect()
}
