//! One transaction: many appends and new players, each decided for itself, all on disk together.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde_json::json;
use sqlx::query::Query;
use sqlx::{Executor, SqliteConnection};

use crate::domain::MatchId;
use crate::domain::PlayerRef;
use crate::domain::Stage;
use crate::domain::names::NameKey;
use crate::domain::time::Millis;
use crate::domain::token::KeyHash;
use crate::store::accounts;
use crate::store::accounts::Change;
use crate::store::downtime::Span;
use crate::store::faults::{Fault, Kind};
use crate::store::keeping::Wish;
use crate::store::plan::{Fact, Memory, Plan};
use crate::store::servers;
use crate::store::servers::{Heartbeat, Presence};
use crate::store::{Append, MatchRow, RequestKey, StoreError};

/// What a request wants written.
pub enum Deed {
    /// Events.
    Append(Append),
    /// A player.
    Player(NewPlayer),
    /// That this server serves from this time on.
    Serve(Millis),
    /// A change to accounts, bans or old matches.
    Change(Change),
    /// Whatever a test needs.
    #[cfg(test)]
    Raw(&'static str),
}

/// A player to be added.
pub struct NewPlayer {
    /// Who.
    pub who: PlayerRef,
    /// The hash of the token.
    pub key: KeyHash,
    /// When.
    pub created_ms: Millis,
    /// The request this is the result of.
    pub request: Option<RequestKey>,
}

/// All that goes into one transaction.
pub struct Batch<'a> {
    /// What is asked for; each is done as if those before it were done already.
    pub deeds: &'a [&'a Deed],
    /// Who holds what.
    pub wishes: &'a [(MatchId, Wish)],
    /// What this server says of itself.
    pub beat: Option<Heartbeat>,
}

/// What has become of it.
pub struct Committed {
    /// Per deed: how many players, bans or matches a change has changed; else 0.
    pub verdicts: Vec<Result<u64, StoreError>>,
    /// The last event's position before.
    pub before: i64,
    /// How many events it wrote, all behind that one.
    pub events: usize,
    /// Servers that were found dead.
    pub dead: Vec<String>,
    /// All downtimes, where this server serves from now on.
    pub downtimes: Vec<Span>,
}

/// What must be known to decide, per append: is there the match, up to where, is the request done, is there a rematch.
const FACTS: &str = "SELECT (SELECT max(position) FROM events), (SELECT max(nr) FROM matches),
        (SELECT json_group_array(json_array(
            (SELECT nr FROM matches WHERE id = value ->> 0),
            (SELECT max(seq) FROM events WHERE match_nr = (SELECT nr FROM matches WHERE id = value ->> 0)),
            EXISTS (SELECT 1 FROM requests WHERE key = value ->> 1),
            (SELECT nr FROM matches WHERE rematch_of = value ->> 2)))
        FROM json_each($1))";

/// The order is that of the references. What was worth something once is not counted twice.
const ROWS: &str =
    "INSERT INTO matches (nr, id, game, stage, private, created_ms, ended_ms, rematch_of, summary,
            players, keeper)
        SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
            value ->> 7, value ->> 8, value ->> 9, value ->> 10 FROM json_each($1) WHERE true
        ON CONFLICT (nr) DO UPDATE SET game = excluded.game, stage = excluded.stage,
            private = excluded.private, created_ms = excluded.created_ms, ended_ms = excluded.ended_ms,
            rematch_of = excluded.rematch_of, summary = excluded.summary, players = excluded.players,
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

/// A match that is over is held by nobody, and what another server holds is not ours to release.
const WISHES: &str = "UPDATE matches SET keeper = w.value ->> 1, wake_ms = w.value ->> 2
    FROM json_each($1) w
    WHERE matches.id = w.value ->> 0 AND stage <> 'over'
        AND (w.value ->> 1 IS NOT NULL OR keeper IS NULL OR keeper = $2)";

const EVENTS: &str = "INSERT INTO events (match_nr, seq, at_ms, body)
        SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each($1);
    COMMIT";

/// How many events a statement has places for; those that stay empty are left out.
pub const PLACES: [usize; 4] = [4, 16, 64, 256];

/// What there is nearly always, without [`ROWS`] and with them: all in one statement, since each way to the database's
/// thread and back takes as long as many inserts. Each event is four values of its own, which costs half of what a list
/// in JSON does; after them come the lists of the rows. The keys of the table find all conflicts: who writes to a match
/// writes an event of it, so that whatever the rows would do to another server's match, its events forbid.
static AT_ONCE: LazyLock<[[String; PLACES.len()]; 2]> = LazyLock::new(|| {
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
    [PLACES.map(|places| sql("", places)), PLACES.map(|places| sql(ROWS, places))]
});

const PLAYER: &str = "INSERT INTO players (id, name, folded, key, created_ms, skeleton)
    SELECT $1, $2, $3, $4, $5, $7 WHERE NOT EXISTS (SELECT 1 FROM requests WHERE key = $6)
        AND NOT EXISTS (SELECT 1 FROM players WHERE skeleton = $7)
        AND NOT EXISTS (SELECT 1 FROM held_names WHERE (folded = $3 OR skeleton = $7) AND until_ms > $5)
    ON CONFLICT DO NOTHING";

/// The statements, for the test that prepares them all.
#[cfg(test)]
pub fn statements() -> impl Iterator<Item = &'static str> {
    let at_once = AT_ONCE.iter().flatten().map(String::as_str);
    [FACTS, ROWS, WISHES, EVENTS, PLAYER].into_iter().chain(at_once)
}

/// Does it all. An error: nothing of it was done, and the connection may still be inside the transaction.
pub async fn transact(
    db: &mut SqliteConnection,
    me: &Presence,
    memory: &mut Memory,
    batch: &Batch<'_>,
) -> Result<Committed, Fault> {
    if let Some(plan) = memory.recall(batch) {
        match at_once(db, me, &plan).await {
            Ok(before) => {
                memory.learn(&plan);
                let verdicts = vec![Ok(0); batch.deeds.len()];
                let events = plan.events.len();
                return Ok(Committed { verdicts, before, events, dead: Vec::new(), downtimes: Vec::new() });
            }
            // Another server was there first: now all is looked up.
            Err(fault) if fault.kind == Kind::Taken => {
                sqlx::query("ROLLBACK").execute(&mut *db).await?;
            }
            Err(fault) => return Err(fault),
        }
    }
    db.execute("BEGIN IMMEDIATE").await?;
    let (facts, before, last_nr) = facts(db, memory, batch.deeds).await?;
    let mut plan = Plan::new(last_nr);
    let mut facts = facts.into_iter();
    let mut verdicts = Vec::with_capacity(batch.deeds.len());
    let (mut dead, mut downtimes) = (Vec::new(), Vec::new());
    for deed in batch.deeds {
        verdicts.push(match deed {
            Deed::Append(append) => plan.append(append, facts.next().unwrap_or_default()).map(|()| 0),
            Deed::Player(player) => add_player(db, &mut plan, player).await?.map(|()| 0),
            Deed::Serve(now) => {
                (dead, downtimes) = servers::serve(db, me, *now).await?;
                Ok(0)
            }
            Deed::Change(change) => Ok(accounts::carry_out(db, change).await?),
            #[cfg(test)]
            Deed::Raw(sql) => db.execute(*sql).await.map(|_| 0).map_err(Into::into),
        });
    }
    write_rows(db, me, &plan).await?;
    if let Some(beat) = &batch.beat {
        dead.extend(servers::beat(db, me, beat).await?);
    }
    write_wishes(db, me, batch.wishes).await?;
    sqlx::query(EVENTS).bind(text(&plan.events)).execute(db).await?;
    memory.learn(&plan);
    Ok(Committed { verdicts, before, events: plan.events.len(), dead, downtimes })
}

/// Writes what was planned from memory; the last position before it.
async fn at_once(db: &mut SqliteConnection, me: &Presence, plan: &Plan<'_>) -> Result<i64, Fault> {
    let size = PLACES.iter().position(|places| plan.events.len() <= *places).unwrap_or(PLACES.len() - 1);
    let rows = rows_of(me, plan);
    let mut query = sqlx::query(&*AT_ONCE[usize::from(rows.is_some())][size]);
    for (nr, seq, at_ms, body) in &plan.events {
        query = query.bind(nr).bind(seq).bind(at_ms).bind(*body);
    }
    if let Some(lists) = rows {
        for _ in 4 * plan.events.len()..4 * PLACES[size] {
            query = query.bind(None::<i64>);
        }
        query = lists.into_iter().fold(query, Query::bind);
    }
    let done = query.execute(db).await?;
    Ok(done.last_insert_rowid() - i64::try_from(plan.events.len()).unwrap_or(0))
}

/// A fact per append, the last position, the last number of a match. What is remembered is right as long as nobody
/// else has written anything.
async fn facts(
    db: &mut SqliteConnection,
    memory: &mut Memory,
    deeds: &[&Deed],
) -> Result<(Vec<Fact>, i64, i64), Fault> {
    let appends = || {
        deeds.iter().filter_map(|deed| match deed {
            Deed::Append(append) => Some(append),
            _ => None,
        })
    };
    let remembered: Vec<Option<Fact>> = appends().map(|append| memory.fact(append)).collect();
    let unknown = appends().zip(&remembered).filter(|(_, fact)| fact.is_none());
    let (found, before, last_nr) = look_up(db, unknown.map(|(append, _)| append)).await?;
    if before != memory.seen {
        memory.forget_all();
        return look_up(db, appends()).await;
    }
    let mut found = found.into_iter();
    let all = remembered.into_iter().map(|fact| fact.or_else(|| found.next()).unwrap_or_default());
    Ok((all.collect(), before, last_nr))
}

async fn look_up(
    db: &mut SqliteConnection,
    appends: impl Iterator<Item = &Append>,
) -> Result<(Vec<Fact>, i64, i64), Fault> {
    let asked: Vec<_> = appends
        .map(|append| {
            let request = append.request.as_ref().map(|r| r.key.to_string());
            let of = append.row.as_ref().and_then(|r| r.rematch_of.as_ref());
            (append.id.as_str(), request, of.map(MatchId::as_str))
        })
        .collect();
    let row: (Option<i64>, Option<i64>, String) =
        sqlx::query_as(FACTS).bind(text(&asked)).fetch_one(db).await?;
    let facts = serde_json::from_str(&row.2).expect("the database writes the JSON it was asked for");
    Ok((facts, row.0.unwrap_or(0), row.1.unwrap_or(0)))
}

fn text<T: serde::Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).expect("numbers and texts are JSON")
}

/// Players are few: they are written at once, and the database itself finds what is there already.
async fn add_player<'a>(
    db: &mut SqliteConnection,
    plan: &mut Plan<'a>,
    new: &'a NewPlayer,
) -> Result<Result<(), StoreError>, Fault> {
    if plan.is_done(new.request.as_ref()) {
        return Ok(Err(StoreError::Conflict));
    }
    let key = NameKey::of(&new.who.name);
    let added = sqlx::query(PLAYER)
        .bind(new.who.id.as_str())
        .bind(new.who.name.as_str())
        .bind(key.folded)
        .bind(new.key.to_string())
        .bind(new.created_ms)
        .bind(new.request.as_ref().map(|r| r.key.to_string()))
        .bind(key.skeleton)
        .execute(db)
        .await?;
    if added.rows_affected() == 0 {
        return Ok(Err(StoreError::Conflict));
    }
    plan.request(new.request.as_ref());
    Ok(Ok(()))
}

async fn write_rows(db: &mut SqliteConnection, me: &Presence, plan: &Plan<'_>) -> Result<(), sqlx::Error> {
    if let Some([rows, players, requests]) = rows_of(me, plan) {
        sqlx::query(ROWS).bind(rows).bind(players).bind(requests).execute(db).await?;
    }
    Ok(())
}

/// The three lists that [`ROWS`] takes, where there is something in them.
fn rows_of(me: &Presence, plan: &Plan<'_>) -> Option<[String; 3]> {
    if plan.rows.is_empty() && plan.requests.is_empty() {
        return None;
    }
    let rows: Vec<_> = plan.rows.iter().map(|(nr, (id, row))| row_json(*nr, id, row, me)).collect();
    let players: Vec<_> = plan.rows.iter().flat_map(|(nr, (id, row))| players_json(*nr, id, row)).collect();
    let requests: Vec<_> =
        plan.requests.iter().map(|(key, r)| (key, r.asked.to_string(), &r.answer)).collect();
    Some([text(&rows), text(&players), text(&requests)])
}

fn row_json(nr: i64, id: &MatchId, row: &MatchRow, me: &Presence) -> serde_json::Value {
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
        (row.stage != Stage::Over).then_some(&me.id),
    ])
}

/// Whoever sits there twice is there once.
fn players_json(nr: i64, id: &MatchId, row: &MatchRow) -> Vec<serde_json::Value> {
    let mut seen = HashSet::new();
    let once = row.players.iter().filter(|(who, _)| seen.insert(&who.id));
    once.map(|(who, worth)| {
        json!([nr, who.id, id.as_str(), row.game, stage_text(row.stage), row.private, worth])
    })
    .collect()
}

async fn write_wishes(
    db: &mut SqliteConnection,
    me: &Presence,
    wishes: &[(MatchId, Wish)],
) -> Result<(), sqlx::Error> {
    if wishes.is_empty() {
        return Ok(());
    }
    let wishes: Vec<_> = wishes
        .iter()
        .map(|(id, wish)| match wish {
            Wish::Hold => (id.as_str(), Some(&me.id), None),
            Wish::Release(wake_ms) => (id.as_str(), None, *wake_ms),
        })
        .collect();
    sqlx::query(WISHES).bind(text(&wishes)).bind(me.id.as_str()).execute(db).await?;
    Ok(())
}

/// A stage as the tables have it.
pub const fn stage_text(stage: Stage) -> &'static str {
    match stage {
        Stage::Open => "open",
        Stage::Running => "running",
        Stage::Over => "over",
    }
}
