//! One transaction: many appends, new players and changes. Each is decided on its own; all reach the disk together.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::json;
use sqlx::query::Query;
use sqlx::{Executor, SqliteConnection};

use crate::domain::{MatchId, Stage};
use crate::store::data::row::stage_text;
use crate::store::database::Connection;
use crate::store::database_error::{DatabaseError, DatabaseErrorKind};
use crate::store::downtime::Span;
use crate::store::queries::ratings;
use crate::store::sqlite::nodes;
use crate::store::sqlite::nodes::NodeLock;
use crate::store::writing::commands::{Batch, WriteCommand};
use crate::store::writing::decisions::Decisions;
use crate::store::writing::holds::HoldChange;
use crate::store::writing::match_cache::{MAX_EVENTS, MatchCache};
use crate::store::writing::write_plan::{AppendContext, WritePlan};
use crate::store::{Append, MatchRow, StoreError};

/// The outcome of a transaction.
pub(super) struct Committed {
    /// Per command: the number of players, bans or matches that it has added or changed; of an append 0.
    pub results: Vec<Result<u64, StoreError>>,
    /// The position of the last event before this transaction.
    pub position_before: i64,
    /// The number of events that it wrote, all after that position.
    pub events: usize,
    /// Nodes that were found dead.
    pub dead: Vec<String>,
    /// All downtimes, if this node begins to serve.
    pub downtimes: Vec<Span>,
}

/// The facts that decide each append: the match, its last sequence number, whether the request is stored, the rematch.
const FACTS: &str = "SELECT (SELECT max(position) FROM events), (SELECT max(nr) FROM matches),
        (SELECT json_group_array(json_array(
            (SELECT nr FROM matches WHERE id = value ->> 0),
            (SELECT max(seq) FROM events WHERE match_nr = (SELECT nr FROM matches WHERE id = value ->> 0)),
            EXISTS (SELECT 1 FROM requests WHERE key = value ->> 1),
            (SELECT nr FROM matches WHERE rematch_of = value ->> 2)))
        FROM json_each($1))";

/// Writes three JSON lists, which are bound from this parameter on: the rows of matches, their players, and requests. In the
/// order of the foreign keys. A result that counts already is not counted again. Values that a match keeps for its whole life
/// are not set again: that would rewrite the indexes that contain them.
fn rows_sql(first: usize) -> String {
    let [matches, players, requests] = [first, first + 1, first + 2];
    format!(
        "INSERT INTO matches (nr, id, game, stage, private, created_ms, ended_ms, rematch_of, summary,
            players, holder, never_begun)
        SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
            value ->> 7, value ->> 8, value ->> 9, value ->> 10, value ->> 11 FROM json_each(${matches}) WHERE true
        ON CONFLICT (nr) DO UPDATE SET stage = excluded.stage, ended_ms = excluded.ended_ms,
            summary = excluded.summary, players = excluded.players, never_begun = excluded.never_begun,
            holder = iif(excluded.stage = 'over', NULL, matches.holder),
            wake_ms = iif(excluded.stage = 'over', NULL, matches.wake_ms);
    INSERT INTO results (player, game, played, won, shared)
        SELECT n.value ->> 1, n.value ->> 3, count(*), sum(n.value ->> 6 >= 1),
            sum(n.value ->> 6 > 0 AND n.value ->> 6 < 1)
        FROM json_each(${players}) n
        WHERE n.value ->> 6 IS NOT NULL AND NOT n.value ->> 5 AND NOT EXISTS (SELECT 1 FROM match_players p
            WHERE p.match_nr = n.value ->> 0 AND p.player = n.value ->> 1 AND p.score IS NOT NULL)
        GROUP BY 1, 2
        ON CONFLICT (player, game) DO UPDATE SET played = played + excluded.played,
            won = won + excluded.won, shared = shared + excluded.shared;
    DELETE FROM match_players WHERE match_nr IN (SELECT value ->> 0 FROM json_each(${matches}));
    INSERT INTO match_players (match_nr, player, match_id, game, stage, private, score)
        SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6
        FROM json_each(${players});
    INSERT INTO requests (key, request_hash, answer)
        SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(${requests});"
    )
}

/// The rows alone.
static ROWS: LazyLock<String> = LazyLock::new(|| rows_sql(1));

/// A match that is over has no holder; and a node cannot release a match that another node holds.
const HOLDS: &str = "UPDATE matches SET holder = w.value ->> 1, wake_ms = w.value ->> 2
    FROM json_each($1) w
    WHERE matches.id = w.value ->> 0 AND stage <> 'over'
        AND (w.value ->> 1 IS NOT NULL OR holder IS NULL OR holder = $2)";

const EVENTS: &str = "INSERT INTO events (match_nr, seq, at_ms, body)
        SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each($1);
    COMMIT";

/// How many events each prepared statement has room for; unused places stay empty.
pub(super) const EVENT_SLOTS: [usize; 4] = [4, 16, 64, MAX_EVENTS];

/// The usual transaction in one statement, without the rows of matches and with them, because each round trip to the database's
/// thread takes as long as many inserts. Each event is four bound values, which costs half of what a JSON list costs;
/// the lists of the rows follow them. The unique keys find all conflicts: each append writes an event, so the events'
/// key also stops any change to the row of a match to which another node has written.
static SINGLE_STATEMENT: LazyLock<[[String; EVENT_SLOTS.len()]; 2]> = LazyLock::new(|| {
    let without_rows = |slots| single_statement("", slots);
    let with_rows = |slots| single_statement(&rows_sql(4 * slots + 1), slots);
    [EVENT_SLOTS.map(without_rows), EVENT_SLOTS.map(with_rows)]
});

/// A transaction that writes these rows and then up to this many events.
fn single_statement(rows: &str, slots: usize) -> String {
    let values = vec!["(?, ?, ?, ?)"; slots].join(", ");
    format!(
        "BEGIN IMMEDIATE; {rows}
        INSERT INTO events (match_nr, seq, at_ms, body)
            SELECT * FROM (VALUES {values}) WHERE column1 IS NOT NULL;
        COMMIT"
    )
}

/// All statements, for the test that prepares each of them.
#[cfg(test)]
pub(super) fn statements() -> impl Iterator<Item = &'static str> {
    let single = SINGLE_STATEMENT.iter().flatten().map(String::as_str);
    [FACTS, ROWS.as_str(), HOLDS, EVENTS].into_iter().chain(single)
}

/// Carries out the batch. After an error nothing of it is written, and the connection may still be in a transaction.
pub(super) async fn transact(
    db: &mut SqliteConnection,
    node: &NodeLock,
    cache: &mut MatchCache,
    batch: &Batch<'_>,
) -> Result<Committed, DatabaseError> {
    if let Some(plan) = cache.plan(batch) {
        match write_planned(db, node, &plan).await {
            Ok(position_before) => {
                cache.update(&plan);
                let results = vec![Ok(0); batch.commands.len()];
                let events = plan.events.len();
                let (dead, downtimes) = (Vec::new(), Vec::new());
                return Ok(Committed { results, position_before, events, dead, downtimes });
            }
            // Another node has written first: query the database now.
            Err(error) if error.kind == DatabaseErrorKind::Taken => {
                sqlx::query("ROLLBACK").execute(&mut *db).await?;
            }
            Err(error) => return Err(error),
        }
    }
    transact_with_queries(db, node, cache, batch).await
}

async fn transact_with_queries(
    db: &mut SqliteConnection,
    node: &NodeLock,
    cache: &mut MatchCache,
    batch: &Batch<'_>,
) -> Result<Committed, DatabaseError> {
    db.execute("BEGIN IMMEDIATE").await?;
    let Facts { contexts, position: position_before, last_nr } = facts(db, cache, batch.commands).await?;
    let mut contexts = contexts.into_iter();
    let mut decisions = Decisions::new(last_nr);
    let (mut dead, mut downtimes) = (Vec::new(), Vec::new());
    for command in batch.commands {
        let connection = &mut Connection::from(&mut *db);
        match command {
            WriteCommand::Append(append) => {
                decisions.append(connection, append, contexts.next().unwrap_or_default()).await?;
            }
            WriteCommand::Player(player) => decisions.add_player(connection, player).await?,
            WriteCommand::Change(change) => decisions.change(connection, &node.id, change).await?,
            WriteCommand::Serve(now) => {
                (dead, downtimes) = nodes::serve(db, node, *now).await?;
                decisions.record(Ok(0))?;
            }
            #[cfg(test)]
            WriteCommand::Raw(sql) => {
                let result = db.execute(*sql).await.map(|_| 0);
                decisions.record(result.map_err(|error| StoreError::from(error).into()))?;
            }
        }
    }
    let Decisions { plan, rated, results } = decisions;
    write_rows(db, node, &plan).await?;
    ratings::write_results(&mut Connection::from(&mut *db), &rated).await?;
    if let Some(heartbeat) = &batch.heartbeat {
        dead.extend(nodes::write_heartbeat(db, node, heartbeat).await?);
    }
    write_holds(db, node, batch.holds).await?;
    sqlx::query(EVENTS).bind(text(&plan.events)).execute(db).await?;
    cache.update(&plan);
    Ok(Committed { results, position_before, events: plan.events.len(), dead, downtimes })
}

/// Writes a plan that was made from the cache. Returns the position of the last event before it.
async fn write_planned(
    db: &mut SqliteConnection,
    node: &NodeLock,
    plan: &WritePlan<'_>,
) -> Result<i64, DatabaseError> {
    let fits = EVENT_SLOTS.iter().position(|slots| plan.events.len() <= *slots);
    let size = fits.unwrap_or(EVENT_SLOTS.len() - 1);
    let rows = rows_of(node, plan);
    let mut query = sqlx::query(&*SINGLE_STATEMENT[usize::from(rows.is_some())][size]);
    for (nr, seq, at_ms, body) in &plan.events {
        query = query.bind(nr).bind(seq).bind(at_ms).bind(*body);
    }
    if let Some(lists) = rows {
        for _ in 4 * plan.events.len()..4 * EVENT_SLOTS[size] {
            query = query.bind(None::<i64>);
        }
        query = lists.into_iter().fold(query, Query::bind);
    }
    let done = query.execute(db).await?;
    Ok(done.last_insert_rowid() - i64::try_from(plan.events.len()).unwrap_or(0))
}

/// What decides the appends of a batch.
struct Facts {
    /// Per append.
    contexts: Vec<AppendContext>,
    /// The position of the last event.
    position: i64,
    /// The number of the last match.
    last_nr: i64,
}

/// The facts that decide these commands. The cache is right unless another node has written.
async fn facts(
    db: &mut SqliteConnection,
    cache: &mut MatchCache,
    commands: &[&WriteCommand],
) -> Result<Facts, DatabaseError> {
    let appends = || {
        commands.iter().filter_map(|command| match command {
            WriteCommand::Append(append) => Some(append),
            _ => None,
        })
    };
    let cached: Vec<Option<AppendContext>> = appends().map(|append| cache.context(append)).collect();
    let unknown = appends().zip(&cached).filter(|(_, context)| context.is_none());
    let found = query_facts(db, unknown.map(|(append, _)| append)).await?;
    if found.position != cache.last_position {
        cache.clear();
        return query_facts(db, appends()).await;
    }
    let mut queried = found.contexts.into_iter();
    let contexts = cached.into_iter().map(|context| context.or_else(|| queried.next()).unwrap_or_default());
    Ok(Facts { contexts: contexts.collect(), ..found })
}

/// A context as [`FACTS`] returns it: a list of its values.
#[derive(Deserialize)]
struct ContextList {
    nr: Option<i64>,
    last_seq: Option<u32>,
    /// 0 or 1.
    request_stored: u8,
    rematch: Option<i64>,
}

impl From<ContextList> for AppendContext {
    fn from(ContextList { nr, last_seq, request_stored, rematch }: ContextList) -> Self {
        Self { nr, last_seq, request_stored: request_stored != 0, rematch }
    }
}

async fn query_facts(
    db: &mut SqliteConnection,
    appends: impl Iterator<Item = &Append>,
) -> Result<Facts, DatabaseError> {
    let keys: Vec<_> = appends
        .map(|append| {
            let request = append.request.as_ref().map(|r| r.key.to_string());
            let of = append.row.as_ref().and_then(|r| r.rematch_of.as_ref());
            (append.id.as_str(), request, of.map(MatchId::as_str))
        })
        .collect();
    let (position, last_nr, contexts): (Option<i64>, Option<i64>, String) =
        sqlx::query_as(FACTS).bind(text(&keys)).fetch_one(db).await?;
    let contexts: Vec<ContextList> =
        serde_json::from_str(&contexts).expect("FACTS returns a JSON list of contexts");
    Ok(Facts {
        contexts: contexts.into_iter().map(AppendContext::from).collect(),
        position: position.unwrap_or(0),
        last_nr: last_nr.unwrap_or(0),
    })
}

fn text<T: serde::Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).expect("numbers and texts are JSON")
}

async fn write_rows(
    db: &mut SqliteConnection,
    node: &NodeLock,
    plan: &WritePlan<'_>,
) -> Result<(), sqlx::Error> {
    if let Some([rows, players, requests]) = rows_of(node, plan) {
        sqlx::query(ROWS.as_str()).bind(rows).bind(players).bind(requests).execute(db).await?;
    }
    Ok(())
}

/// The three lists that [`rows_sql`] takes; `None` if all are empty.
fn rows_of(node: &NodeLock, plan: &WritePlan<'_>) -> Option<[String; 3]> {
    if plan.rows.is_empty() && plan.requests.is_empty() {
        return None;
    }
    let rows: Vec<_> = plan.rows.iter().map(|(nr, (id, row))| row_json(*nr, id, row, node)).collect();
    let players: Vec<_> = plan.rows.iter().flat_map(|(nr, (id, row))| players_json(*nr, id, row)).collect();
    let requests: Vec<_> =
        plan.requests.iter().map(|(key, r)| (key, r.request_hash.to_string(), &r.answer)).collect();
    Some([text(&rows), text(&players), text(&requests)])
}

fn row_json(nr: i64, id: &MatchId, row: &MatchRow, node: &NodeLock) -> serde_json::Value {
    let players: Vec<_> = row.players.iter().map(|(who, score)| (&who.id, &who.name, score)).collect();
    json!([
        nr,
        id.as_str(),
        row.game,
        stage_text(row.stage),
        row.private,
        row.created_ms,
        row.ended_ms,
        row.rematch_of.as_ref().map(MatchId::as_str),
        row.summary,
        text(&players),
        (row.stage != Stage::Over).then_some(&node.id),
        row.never_begun,
    ])
}

/// A player with several seats appears once.
fn players_json(nr: i64, id: &MatchId, row: &MatchRow) -> Vec<serde_json::Value> {
    let mut seen = HashSet::new();
    let once = row.players.iter().filter(|(who, _)| seen.insert(&who.id));
    once.map(|(who, score)| {
        json!([nr, who.id, id.as_str(), row.game, stage_text(row.stage), row.private, score])
    })
    .collect()
}

async fn write_holds(
    db: &mut SqliteConnection,
    node: &NodeLock,
    wishes: &[(MatchId, HoldChange)],
) -> Result<(), sqlx::Error> {
    if wishes.is_empty() {
        return Ok(());
    }
    let wishes: Vec<_> = wishes
        .iter()
        .map(|(id, wish)| match wish {
            HoldChange::Hold => (id.as_str(), Some(&node.id), None),
            HoldChange::Release(wake_ms) => (id.as_str(), None, *wake_ms),
        })
        .collect();
    sqlx::query(HOLDS).bind(text(&wishes)).bind(node.id.as_str()).execute(db).await?;
    Ok(())
}
