//! One transaction: many appends, new players and changes. Each is decided on its own; all reach the disk together.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde_json::json;
use sqlx::query::Query;
use sqlx::{Executor, SqliteConnection};

use crate::domain::names::NameKey;
use crate::domain::{MatchId, Stage};
use crate::store::commands::{Batch, NewPlayer, WriteCommand};
use crate::store::database_error::{DatabaseError, DatabaseErrorKind};
use crate::store::downtime::Span;
use crate::store::holds::HoldChange;
use crate::store::match_cache::{MAX_EVENTS, MatchCache};
use crate::store::ratings::ResultToWrite;
use crate::store::row::stage_text;
use crate::store::sqlite::accounts;
use crate::store::sqlite::lobby;
use crate::store::sqlite::moderation;
use crate::store::sqlite::nodes;
use crate::store::sqlite::nodes::NodeLock;
use crate::store::sqlite::ratings;
use crate::store::sqlite::tournaments;
use crate::store::write_plan::{AppendContext, WritePlan};
use crate::store::{Append, MatchRow, StoreChange, StoreError};

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

/// In the order of the foreign keys. A result that counts already is not counted again. Values that a match keeps for
/// its whole life are not set again: that would rewrite the indexes that contain them.
const ROWS: &str =
    "INSERT INTO matches (nr, id, game, stage, private, created_ms, ended_ms, rematch_of, summary,
            players, keeper, never_begun)
        SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
            value ->> 7, value ->> 8, value ->> 9, value ->> 10, value ->> 11 FROM json_each($1) WHERE true
        ON CONFLICT (nr) DO UPDATE SET stage = excluded.stage, ended_ms = excluded.ended_ms,
            summary = excluded.summary, players = excluded.players, never_begun = excluded.never_begun,
            keeper = iif(excluded.stage = 'over', NULL, matches.keeper),
            wake_ms = iif(excluded.stage = 'over', NULL, matches.wake_ms);
    INSERT INTO results (player, game, played, won, shared)
        SELECT n.value ->> 1, n.value ->> 3, count(*), sum(n.value ->> 6 >= 1),
            sum(n.value ->> 6 > 0 AND n.value ->> 6 < 1)
        FROM json_each($2) n
        WHERE n.value ->> 6 IS NOT NULL AND NOT n.value ->> 5 AND NOT EXISTS (SELECT 1 FROM match_players p
            WHERE p.match_nr = n.value ->> 0 AND p.player = n.value ->> 1 AND p.worth IS NOT NULL)
        GROUP BY 1, 2
        ON CONFLICT (player, game) DO UPDATE SET played = played + excluded.played,
            won = won + excluded.won, shared = shared + excluded.shared;
    DELETE FROM match_players WHERE match_nr IN (SELECT value ->> 0 FROM json_each($1));
    INSERT INTO match_players (match_nr, player, match_id, game, stage, private, worth)
        SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6
        FROM json_each($2);
    INSERT INTO requests (key, asked, answer)
        SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each($3);";

/// A match that is over has no holder; and a node cannot release a match that another node holds.
const HOLDS: &str = "UPDATE matches SET keeper = w.value ->> 1, wake_ms = w.value ->> 2
    FROM json_each($1) w
    WHERE matches.id = w.value ->> 0 AND stage <> 'over'
        AND (w.value ->> 1 IS NOT NULL OR keeper IS NULL OR keeper = $2)";

const EVENTS: &str = "INSERT INTO events (match_nr, seq, at_ms, body)
        SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each($1);
    COMMIT";

/// How many events each prepared statement has room for; unused places stay empty.
pub(super) const EVENT_SLOTS: [usize; 4] = [4, 16, 64, MAX_EVENTS];

/// The usual transaction in one statement, without [`ROWS`] and with them, because each round trip to the database's
/// thread takes as long as many inserts. Each event is four bound values, which costs half of what a JSON list costs;
/// the lists of the rows follow them. The unique keys find all conflicts: each append writes an event, so the events'
/// key also stops any change to the row of a match to which another node has written.
static SINGLE_STATEMENT: LazyLock<[[String; EVENT_SLOTS.len()]; 2]> = LazyLock::new(|| {
    let sql = |rows: &str, places: usize| {
        let values = vec!["(?, ?, ?, ?)"; places].join(", ");
        let after =
            |sql: String, list| sql.replace(&format!("(${list})"), &format!("(${})", 4 * places + list));
        let rows = (1..=3).rev().fold(rows.to_owned(), after);
        format!(
            "BEGIN IMMEDIATE; {rows}
            INSERT INTO events (match_nr, seq, at_ms, body)
                SELECT * FROM (VALUES {values}) WHERE column1 IS NOT NULL;
            COMMIT"
        )
    };
    [EVENT_SLOTS.map(|places| sql("", places)), EVENT_SLOTS.map(|places| sql(ROWS, places))]
});

const PLAYER: &str = "INSERT INTO players (id, name, folded, key, created_ms, skeleton)
    SELECT $1, $2, $3, $4, $5, $7 WHERE NOT EXISTS (SELECT 1 FROM requests WHERE key = $6)
        AND NOT EXISTS (SELECT 1 FROM players WHERE skeleton = $7)
        AND NOT EXISTS (SELECT 1 FROM held_names WHERE (folded = $8 OR skeleton = $9) AND until_ms > $5)
    ON CONFLICT DO NOTHING";

/// All statements, for the test that prepares each of them.
#[cfg(test)]
pub(super) fn statements() -> impl Iterator<Item = &'static str> {
    let single = SINGLE_STATEMENT.iter().flatten().map(String::as_str);
    [FACTS, ROWS, HOLDS, EVENTS, PLAYER].into_iter().chain(single)
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
    let (contexts, position_before, last_nr) = contexts(db, cache, batch.commands).await?;
    let mut plan = WritePlan::new(last_nr);
    let mut contexts = contexts.into_iter();
    let mut results = Vec::with_capacity(batch.commands.len());
    let (mut dead, mut downtimes, mut rated) = (Vec::new(), Vec::new(), Vec::new());
    for command in batch.commands {
        results.push(match command {
            WriteCommand::Append(append) => {
                let context = contexts.next().unwrap_or_default();
                plan_append(db, &mut plan, &mut rated, append, context).await?.map(|()| 0)
            }
            WriteCommand::Player(player) => add_player(db, &mut plan, player).await?.map(u64::from),
            WriteCommand::Serve(now) => {
                (dead, downtimes) = nodes::serve(db, node, *now).await?;
                Ok(0)
            }
            WriteCommand::Change(StoreChange::Lobby(change)) => {
                Ok(lobby::carry_out(db, &node.id, change).await?)
            }
            WriteCommand::Change(change) => {
                let done = accounts::carry_out(db, change).await?;
                if let StoreChange::AppendTournament(append) = change
                    && done > 0
                {
                    tournaments::open_matches(db, &mut plan, &mut rated, append).await?;
                }
                Ok(done)
            }
            #[cfg(test)]
            WriteCommand::Raw(sql) => db.execute(*sql).await.map(|_| 0).map_err(Into::into),
        });
    }
    write_rows(db, node, &plan).await?;
    ratings::write_results(db, &rated).await?;
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

/// The context of each append, the position of the last event, the number of the last match. The cache is right unless
/// another node has written.
async fn contexts(
    db: &mut SqliteConnection,
    cache: &mut MatchCache,
    commands: &[&WriteCommand],
) -> Result<(Vec<AppendContext>, i64, i64), DatabaseError> {
    let appends = || {
        commands.iter().filter_map(|command| match command {
            WriteCommand::Append(append) => Some(append),
            _ => None,
        })
    };
    let cached: Vec<Option<AppendContext>> = appends().map(|append| cache.context(append)).collect();
    let unknown = appends().zip(&cached).filter(|(_, context)| context.is_none());
    let (found, position, last_nr) = query_contexts(db, unknown.map(|(append, _)| append)).await?;
    if position != cache.last_position {
        cache.clear();
        return query_contexts(db, appends()).await;
    }
    let mut found = found.into_iter();
    let all = cached.into_iter().map(|context| context.or_else(|| found.next()).unwrap_or_default());
    Ok((all.collect(), position, last_nr))
}

async fn query_contexts(
    db: &mut SqliteConnection,
    appends: impl Iterator<Item = &Append>,
) -> Result<(Vec<AppendContext>, i64, i64), DatabaseError> {
    let keys: Vec<_> = appends
        .map(|append| {
            let request = append.request.as_ref().map(|r| r.key.to_string());
            let of = append.row.as_ref().and_then(|r| r.rematch_of.as_ref());
            (append.id.as_str(), request, of.map(MatchId::as_str))
        })
        .collect();
    let row: (Option<i64>, Option<i64>, String) =
        sqlx::query_as(FACTS).bind(text(&keys)).fetch_one(db).await?;
    let contexts = serde_json::from_str(&row.2).expect("FACTS returns a JSON list of contexts");
    Ok((contexts, row.0.unwrap_or(0), row.1.unwrap_or(0)))
}

fn text<T: serde::Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).expect("numbers and texts are JSON")
}

/// Decides an append; counts a rated match that begins, and notes the result of one that ends.
async fn plan_append<'a>(
    db: &mut SqliteConnection,
    plan: &mut WritePlan<'a>,
    rated: &mut Vec<ResultToWrite<'a>>,
    append: &'a Append,
    context: AppendContext,
) -> Result<Result<(), StoreError>, DatabaseError> {
    if let Err(refused) = ratings::check_pairs(db, append).await? {
        return Ok(Err(refused));
    }
    if let Err(refused) = plan.append(append, context) {
        return Ok(Err(refused));
    }
    ratings::count_pairs(db, append).await?;
    if let (Some(result), Some(event)) = (&append.rated, append.events.last()) {
        rated.push(ResultToWrite { id: &append.id, at_ms: event.at_ms, result });
    }
    Ok(Ok(()))
}

/// Players are few, so they are written one by one, and the database itself finds conflicts. `false`: the invitation is not
/// valid.
async fn add_player<'a>(
    db: &mut SqliteConnection,
    plan: &mut WritePlan<'a>,
    new: &'a NewPlayer,
) -> Result<Result<bool, StoreError>, DatabaseError> {
    if plan.has_request(new.request.as_ref()) {
        return Ok(Err(StoreError::Conflict));
    }
    let bot = new.who.owner.as_ref().zip(new.bot.as_ref());
    if let Some((owner, (_, most))) = bot
        && !ratings::may_own(db, owner, *most).await?
    {
        return Ok(Err(StoreError::Conflict));
    }
    if let Some(invitation) = new.invitation
        && !moderation::use_invitation(db, invitation, new.created_ms).await?
    {
        return Ok(Ok(false));
    }
    let (key, held) = (NameKey::of(&new.who.name), NameKey::of(&new.who.name).held());
    let added = sqlx::query(PLAYER)
        .bind(new.who.id.as_str())
        .bind(new.who.name.as_str())
        .bind(key.folded)
        .bind(new.key.to_string())
        .bind(new.created_ms)
        .bind(new.request.as_ref().map(|r| r.key.to_string()))
        .bind(key.skeleton)
        .bind(held.folded)
        .bind(held.skeleton)
        .execute(&mut *db)
        .await?;
    if added.rows_affected() == 0 {
        if let Some(invitation) = new.invitation {
            moderation::unuse_invitation(db, invitation).await?;
        }
        return Ok(Err(StoreError::Conflict));
    }
    if let Some((owner, (about, _))) = bot {
        ratings::make_bot(db, &new.who.id, owner, about).await?;
    }
    plan.add_request(new.request.as_ref());
    Ok(Ok(true))
}

async fn write_rows(
    db: &mut SqliteConnection,
    node: &NodeLock,
    plan: &WritePlan<'_>,
) -> Result<(), sqlx::Error> {
    if let Some([rows, players, requests]) = rows_of(node, plan) {
        sqlx::query(ROWS).bind(rows).bind(players).bind(requests).execute(db).await?;
    }
    Ok(())
}

/// The three lists that [`ROWS`] takes; `None` if all are empty.
fn rows_of(node: &NodeLock, plan: &WritePlan<'_>) -> Option<[String; 3]> {
    if plan.rows.is_empty() && plan.requests.is_empty() {
        return None;
    }
    let rows: Vec<_> = plan.rows.iter().map(|(nr, (id, row))| row_json(*nr, id, row, node)).collect();
    let players: Vec<_> = plan.rows.iter().flat_map(|(nr, (id, row))| players_json(*nr, id, row)).collect();
    let requests: Vec<_> =
        plan.requests.iter().map(|(key, r)| (key, r.asked.to_string(), &r.answer)).collect();
    Some([text(&rows), text(&players), text(&requests)])
}

fn row_json(nr: i64, id: &MatchId, row: &MatchRow, node: &NodeLock) -> serde_json::Value {
    let players: Vec<_> = row.players.iter().map(|(who, worth)| (&who.id, &who.name, worth)).collect();
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
    once.map(|(who, worth)| {
        json!([nr, who.id, id.as_str(), row.game, stage_text(row.stage), row.private, worth])
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
