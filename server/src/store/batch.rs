//! One transaction: many appends and new players, each decided for itself, all on disk together.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::json;
#[cfg(test)]
use sqlx::Executor;
use sqlx::SqliteConnection;

use super::faults::Fault;
use super::keeping::Wish;
use super::servers::{self, Presence};
use super::{Append, MatchId, MatchRow, RequestKey, StoreError};
use crate::host::event::{Millis, PlayerRef};
use crate::host::ledger::Stage;
use crate::host::token::KeyHash;

/// What a request wants written.
pub enum Deed {
    /// Events.
    Append(Append),
    /// A player.
    Player(NewPlayer),
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
    /// This server lives, at this time.
    pub beat: Option<Millis>,
}

/// What has become of it.
pub struct Committed {
    /// Per deed.
    pub verdicts: Vec<Result<(), StoreError>>,
    /// The last event's position before.
    pub before: i64,
    /// How many events it wrote, all behind that one.
    pub events: usize,
    /// Servers that were found dead.
    pub dead: Vec<String>,
}

/// What must be known to decide, per append: is there the match, up to where, is the request done, is there a rematch.
const FACTS: &str = "BEGIN IMMEDIATE;
    SELECT (SELECT max(position) FROM events), (SELECT max(nr) FROM matches),
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
        SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each($3)";

/// A match that is over is held by nobody, and what another server holds is not ours to release.
const WISHES: &str = "UPDATE matches SET keeper = w.value ->> 1, wake_ms = w.value ->> 2
    FROM json_each($1) w
    WHERE matches.id = w.value ->> 0 AND stage <> 'over'
        AND (w.value ->> 1 IS NOT NULL OR keeper IS NULL OR keeper = $2)";

const EVENTS: &str = "INSERT INTO events (match_nr, seq, at_ms, body)
        SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each($1);
    COMMIT";

const PLAYER: &str = "INSERT INTO players (id, name, folded, key, created_ms)
    SELECT $1, $2, $3, $4, $5 WHERE NOT EXISTS (SELECT 1 FROM requests WHERE key = $6)
    ON CONFLICT DO NOTHING";

/// The statements, for the test that prepares them all.
#[cfg(test)]
pub const STATEMENTS: [&str; 5] = [FACTS, ROWS, WISHES, EVENTS, PLAYER];

/// What `FACTS` says of an append: number of the match, its last seq, whether the request is there, number of the
/// rematch.
type Fact = (Option<i64>, Option<u32>, i64, Option<i64>);

/// Does it all. An error: nothing of it was done, and the connection may still be inside the transaction.
pub async fn transact(
    db: &mut SqliteConnection,
    me: &Presence,
    batch: &Batch<'_>,
) -> Result<Committed, Fault> {
    let (before, last_nr, facts) = facts(db, batch.deeds).await?;
    let mut plan = Plan { last_nr, ..Plan::default() };
    let mut facts = facts.into_iter();
    let mut verdicts = Vec::with_capacity(batch.deeds.len());
    for deed in batch.deeds {
        verdicts.push(match deed {
            Deed::Append(append) => plan.append(append, facts.next().unwrap_or_default()),
            Deed::Player(player) => plan.player(db, player).await?,
            #[cfg(test)]
            Deed::Raw(sql) => db.execute(*sql).await.map(drop).map_err(Into::into),
        });
    }
    plan.write_rows(db, me).await?;
    let mut dead = Vec::new();
    if let Some(now) = batch.beat {
        servers::beat(db, me, now).await?;
        dead = servers::free_dead(db, me).await?;
    }
    write_wishes(db, me, batch.wishes).await?;
    let events = json!(plan.events).to_string();
    sqlx::query(EVENTS).bind(events).execute(db).await?;
    Ok(Committed { verdicts, before, events: plan.events.len(), dead })
}

/// Begins, and reads: the last position, the last number of a match, a fact per append.
async fn facts(db: &mut SqliteConnection, deeds: &[&Deed]) -> Result<(i64, i64, Vec<Fact>), Fault> {
    let asked: Vec<_> = deeds
        .iter()
        .filter_map(|deed| match deed {
            Deed::Append(append) => Some((
                append.id.as_str(),
                append.request.as_ref().map(|r| r.key.to_string()),
                append.row.as_ref().and_then(|r| r.rematch_of.as_ref()).map(MatchId::as_str),
            )),
            _ => None,
        })
        .collect();
    let row: (Option<i64>, Option<i64>, String) =
        sqlx::query_as(FACTS).bind(json!(asked).to_string()).fetch_one(db).await?;
    let facts = serde_json::from_str(&row.2).expect("the database writes the JSON it was asked for");
    Ok((row.0.unwrap_or(0), row.1.unwrap_or(0), facts))
}

/// What will be written, as far as it is decided.
#[derive(Default)]
struct Plan<'a> {
    last_nr: i64,
    matches: HashMap<&'a MatchId, Known>,
    rematches: HashMap<&'a MatchId, i64>,
    requests: HashMap<String, &'a RequestKey>,
    rows: BTreeMap<i64, (&'a MatchId, &'a MatchRow)>,
    events: Vec<(i64, u32, Millis, &'a str)>,
}

/// A match, the events of this transaction included.
#[derive(Clone, Copy)]
struct Known {
    nr: Option<i64>,
    next: u32,
}

impl<'a> Plan<'a> {
    fn append(&mut self, append: &'a Append, fact: Fact) -> Result<(), StoreError> {
        let (nr, last, request_there, rematch) = fact;
        let fresh = Known { nr, next: last.map_or(0, |seq| seq + 1) };
        let known = *self.matches.entry(&append.id).or_insert(fresh);
        let done = request_there != 0 || self.is_done(append.request.as_ref());
        let of = append.row.as_ref().and_then(|row| row.rematch_of.as_ref());
        let other = of.and_then(|of| self.rematches.get(of).copied().or(rematch));
        let rematch_taken = other.is_some_and(|nr| Some(nr) != known.nr);
        if append.seq != known.next || done || rematch_taken {
            return Err(StoreError::Conflict);
        }
        if known.nr.is_none() && append.row.is_none() {
            return Err(StoreError::Unavailable("a match begins with its row in lists".to_owned()));
        }
        let nr = known.nr.unwrap_or_else(|| {
            self.last_nr += 1;
            self.last_nr
        });
        let mut next = known.next;
        for event in &append.events {
            self.events.push((nr, next, event.at_ms, &event.body));
            next += 1;
        }
        self.matches.insert(&append.id, Known { nr: Some(nr), next });
        if let Some(row) = &append.row {
            self.rows.insert(nr, (&append.id, row));
        }
        if let Some(of) = of {
            self.rematches.insert(of, nr);
        }
        self.request(append.request.as_ref());
        Ok(())
    }

    /// Players are few: they are written at once, and the database itself finds what is there already.
    async fn player(
        &mut self,
        db: &mut SqliteConnection,
        new: &'a NewPlayer,
    ) -> Result<Result<(), StoreError>, Fault> {
        if self.is_done(new.request.as_ref()) {
            return Ok(Err(StoreError::Conflict));
        }
        let added = sqlx::query(PLAYER)
            .bind(new.who.id.as_str())
            .bind(new.who.name.as_str())
            .bind(new.who.name.to_lowercase())
            .bind(new.key.to_string())
            .bind(new.created_ms)
            .bind(new.request.as_ref().map(|r| r.key.to_string()))
            .execute(db)
            .await?;
        if added.rows_affected() == 0 {
            return Ok(Err(StoreError::Conflict));
        }
        self.request(new.request.as_ref());
        Ok(Ok(()))
    }

    fn is_done(&self, request: Option<&RequestKey>) -> bool {
        request.is_some_and(|r| self.requests.contains_key(&r.key.to_string()))
    }

    fn request(&mut self, request: Option<&'a RequestKey>) {
        self.requests.extend(request.map(|r| (r.key.to_string(), r)));
    }

    async fn write_rows(&self, db: &mut SqliteConnection, me: &Presence) -> Result<(), sqlx::Error> {
        if self.rows.is_empty() && self.requests.is_empty() {
            return Ok(());
        }
        let rows: Vec<_> = self.rows.iter().map(|(nr, (id, row))| row_json(*nr, id, row, me)).collect();
        let players: Vec<_> =
            self.rows.iter().flat_map(|(nr, (id, row))| players_json(*nr, id, row)).collect();
        let requests: Vec<_> =
            self.requests.iter().map(|(key, r)| (key, r.asked.to_string(), &r.answer)).collect();
        sqlx::query(ROWS)
            .bind(json!(rows).to_string())
            .bind(json!(players).to_string())
            .bind(json!(requests).to_string())
            .execute(db)
            .await?;
        Ok(())
    }
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
        json!(players).to_string(),
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
    sqlx::query(WISHES).bind(json!(wishes).to_string()).bind(me.id.as_str()).execute(db).await?;
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
