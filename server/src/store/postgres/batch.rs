//! One transaction: many appends, new players and changes. Each is decided on its own; all reach the disk together. The
//! usual batch is one statement; unique keys detect whether another node was first.

use sqlx::postgres::PgRow;
use sqlx::{Executor, PgConnection, Row};

use crate::domain::time::Millis;
use crate::domain::{MatchId, Stage};
use crate::store::database::Connection;
use crate::store::database_error::DatabaseError;
use crate::store::downtime::Span;
use crate::store::postgres::nodes::{self, Node};
use crate::store::postgres::notifications::lobby_news;
use crate::store::postgres::notifications::program_news;
use crate::store::postgres::write;
use crate::store::queries::ratings;
use crate::store::writing::commands::{Batch, MAX_REQUESTS, WriteCommand};
use crate::store::writing::decisions::Decisions;
use crate::store::writing::holds::HoldChange;
use crate::store::writing::match_cache::MatchCache;
use crate::store::writing::write_plan::AppendContext;
use crate::store::{Append, StoreChange, StoreError};

/// How many numbers of matches a node takes at a time.
const NUMBERS: i64 = 4096;

/// The outcome of a transaction.
#[derive(Default)]
pub(super) struct Committed {
    /// Per command: the number of players, bans or matches that it has added or changed; of an append 0.
    pub results: Vec<Result<u64, StoreError>>,
    /// The matches to hold that this node holds now, each with the last heartbeat of the dead node that held it before.
    pub held: Vec<(MatchId, Option<Millis>)>,
    /// The number of nodes that were found dead.
    pub dead: usize,
    /// Downtimes, some of them perhaps known.
    pub downtimes: Vec<Span>,
}

/// The reason why a transaction failed.
pub(super) enum Failure {
    /// The node's lease had expired; nothing is written.
    LeaseLost,
    /// The error of the database. `outcome`: the outcome if all of it was written nevertheless; the connection was lost
    /// before it could report that.
    Database(DatabaseError, Committed),
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error.into(), Committed::default())
    }
}

impl From<DatabaseError> for Failure {
    fn from(error: DatabaseError) -> Self {
        Self::Database(error, Committed::default())
    }
}

/// The numbers of matches that this node may give.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    last: i64,
    end: i64,
}

impl Numbers {
    /// The number before the next one. Takes more numbers if too few for a batch are left.
    async fn last(&mut self, db: &mut PgConnection) -> Result<i64, sqlx::Error> {
        if self.end - self.last < i64::try_from(MAX_REQUESTS).unwrap_or(NUMBERS) {
            let first: i64 = sqlx::query_scalar(TAKE_NUMBERS).fetch_one(db).await?;
            (self.last, self.end) = (first - 1, first - 1 + NUMBERS);
        }
        Ok(self.last)
    }
}

const TAKE_NUMBERS: &str = "SELECT nextval('match_numbers')";

/// The facts that decide each append: the match, its last sequence number, whether the request is stored, the rematch.
const FACTS: &str = "SELECT m.nr, (SELECT max(seq) FROM events WHERE match_nr = m.nr),
        EXISTS (SELECT 1 FROM requests WHERE key = a.request),
        (SELECT nr FROM matches WHERE rematch_of = a.rematch)
    FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS a (id, request, rematch, place)
    LEFT JOIN matches m ON m.id = a.id ORDER BY a.place";

/// A match that is over has no holder. A node holds a match that no living node holds, and it cannot release a match that
/// another node holds. A row that another transaction has locked is left alone: who wants to hold the match tries again soon.
const HOLD: &str = "WITH wanted AS (SELECT m.nr, coalesce(m.unheld_ms,
            (SELECT s.beat_ms FROM nodes s WHERE s.id = m.holder AND s.id <> $2)) AS unheld_ms FROM matches m
        WHERE m.id = ANY ($1) AND m.stage <> 'over' AND (m.holder IS NULL OR m.holder = $2
            OR NOT EXISTS (SELECT 1 FROM nodes s WHERE s.id = m.holder AND s.expires_at > clock_timestamp()))
        ORDER BY m.nr FOR UPDATE OF m SKIP LOCKED)
    UPDATE matches SET holder = $2, wake_ms = NULL, unheld_ms = NULL FROM wanted
    WHERE matches.nr = wanted.nr RETURNING matches.id, wanted.unheld_ms";
const RELEASE: &str = "WITH released AS (SELECT m.nr, r.wake_ms
        FROM matches m JOIN unnest($1::text[], $2::bigint[]) AS r (id, wake_ms) ON r.id = m.id
        WHERE m.stage <> 'over' AND (m.holder IS NULL OR m.holder = $3) ORDER BY m.nr FOR UPDATE OF m)
    UPDATE matches SET holder = NULL, wake_ms = released.wake_ms FROM released WHERE matches.nr = released.nr";

/// Names of players must differ in their looks, which no unique key can express: one node at a time changes them.
const NAMES: &str = "SELECT pg_advisory_xact_lock(5938497)";
/// One node at a time changes ratings, or counts rated matches that begin. The lock lasts until the end of the transaction, and
/// is its first one, so that no two transactions wait for each other.
const RATINGS: &str = "SELECT pg_advisory_xact_lock(5938498)";

/// All statements, for the test that prepares each of them.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 6] = [TAKE_NUMBERS, FACTS, HOLD, RELEASE, NAMES, RATINGS];

/// The state that a transaction uses.
pub(super) struct Transaction<'a> {
    pub db: &'a mut PgConnection,
    pub node: &'a Node,
    pub cache: &'a mut MatchCache,
    pub numbers: &'a mut Numbers,
    pub number: i64,
}

impl Transaction<'_> {
    /// Carries out the batch. After an error nothing of it is written, unless the failure says otherwise; the connection
    /// may still be in a transaction.
    pub(super) async fn carry_out(&mut self, batch: &Batch<'_>) -> Result<Committed, Failure> {
        let last_nr = self.numbers.last(self.db).await?;
        self.cache.set_last_nr(last_nr);
        let Some(plan) = self.cache.plan(batch) else { return self.with_queries(batch, last_nr).await };
        self.numbers.last = plan.last_nr();
        let outcome = Committed { results: vec![Ok(0); batch.commands.len()], ..Committed::default() };
        match write::write(self.db, self.node, self.number, &plan).await {
            Ok(true) => {
                self.cache.update(&plan);
                Ok(outcome)
            }
            Ok(false) => Err(Failure::LeaseLost),
            Err(error) => Err(Failure::Database(error.into(), outcome)),
        }
    }

    async fn with_queries(&mut self, batch: &Batch<'_>, last_nr: i64) -> Result<Committed, Failure> {
        self.db.execute("BEGIN").await?;
        let mut contexts = self.contexts(batch.commands).await?.into_iter();
        let mut decisions = Decisions::new(last_nr);
        let mut outcome = Committed::default();
        if batch.commands.iter().any(|command| command.changes_ratings()) {
            sqlx::query(RATINGS).execute(&mut *self.db).await?;
        }
        if batch.commands.iter().any(|command| !matches!(command, WriteCommand::Append(_))) {
            sqlx::query(NAMES).execute(&mut *self.db).await?;
        }
        for command in batch.commands {
            if matches!(command, WriteCommand::Change(StoreChange::Lobby(_))) {
                lobby_news::notify(self.db).await?;
            }
            if matches!(command, WriteCommand::Change(change) if change.changes_programs()) {
                program_news::notify(self.db).await?;
            }
            let connection = &mut Connection::from(&mut *self.db);
            match command {
                WriteCommand::Append(append) => {
                    decisions.append(connection, append, contexts.next().unwrap_or_default()).await?;
                }
                WriteCommand::Player(player) => decisions.add_player(connection, player).await?,
                WriteCommand::Change(change) => decisions.change(connection, &self.node.id, change).await?,
                WriteCommand::Serve(now) => {
                    (outcome.dead, outcome.downtimes) = nodes::serve(self.db, self.node, *now, None).await?;
                    decisions.record(Ok(0))?;
                }
                #[cfg(test)]
                WriteCommand::Raw(sql) => {
                    let result = self.db.execute(*sql).await.map(|_| 0);
                    decisions.record(result.map_err(|error| StoreError::from(error).into()))?;
                }
            }
        }
        let Decisions { plan, rated, results } = decisions;
        outcome.results = results;
        self.numbers.last = plan.last_nr();
        if !write::write(self.db, self.node, self.number, &plan).await? {
            return Err(Failure::LeaseLost);
        }
        ratings::write_results(&mut Connection::from(&mut *self.db), &rated).await?;
        if let Some(heartbeat) = &batch.heartbeat {
            let (dead, downtimes) = nodes::write_heartbeat(self.db, self.node, heartbeat).await?;
            outcome.dead += dead;
            outcome.downtimes.extend(downtimes);
        }
        outcome.held = write_holds(self.db, self.node, batch.holds).await?;
        if let Err(error) = self.db.execute("COMMIT").await {
            return Err(Failure::Database(error.into(), outcome));
        }
        self.cache.update(&plan);
        Ok(outcome)
    }

    /// The context of each append. The cached facts are enough for an append that fits: if another node was first, the
    /// unique key reports it. A refusal must be based on the database.
    async fn contexts(&mut self, commands: &[&WriteCommand]) -> Result<Vec<AppendContext>, sqlx::Error> {
        let appends = || {
            commands.iter().filter_map(|command| match command {
                WriteCommand::Append(append) => Some(append),
                _ => None,
            })
        };
        let fits = |append: &Append| {
            let context = self.cache.context(append)?;
            (context.last_seq.map_or(0, |last| last + 1) == append.seq).then_some(context)
        };
        let cached: Vec<Option<AppendContext>> = appends().map(fits).collect();
        let unknown: Vec<&Append> = appends()
            .zip(&cached)
            .filter(|(_, context)| context.is_none())
            .map(|(append, _)| append)
            .collect();
        let mut found = query_contexts(self.db, &unknown).await?.into_iter();
        Ok(cached.into_iter().map(|context| context.or_else(|| found.next()).unwrap_or_default()).collect())
    }
}

async fn query_contexts(
    db: &mut PgConnection,
    appends: &[&Append],
) -> Result<Vec<AppendContext>, sqlx::Error> {
    if appends.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<&str> = appends.iter().map(|append| append.id.as_str()).collect();
    let requests: Vec<Option<String>> =
        appends.iter().map(|append| append.request.as_ref().map(|r| r.key.to_string())).collect();
    let rematches: Vec<Option<&str>> =
        appends.iter().map(|append| Some(append.row.as_ref()?.rematch_of.as_ref()?.as_str())).collect();
    let query = sqlx::query(FACTS).bind(ids).bind(requests).bind(rematches);
    let context = |row: &PgRow| {
        Ok(AppendContext {
            nr: row.try_get(0)?,
            last_seq: row.try_get::<Option<i32>, _>(1)?.map(i32::cast_unsigned),
            request_stored: row.try_get(2)?,
            rematch: row.try_get(3)?,
        })
    };
    query.fetch_all(db).await?.iter().map(context).collect()
}

/// Writes changes of holders. Returns the matches that this node holds now, of those that it wants to hold.
async fn write_holds(
    db: &mut PgConnection,
    node: &Node,
    changes: &[(MatchId, HoldChange)],
) -> Result<Vec<(MatchId, Option<Millis>)>, sqlx::Error> {
    let (mut holds, mut releases, mut wakes) = (Vec::new(), Vec::new(), Vec::new());
    for (id, change) in changes {
        match change {
            HoldChange::Hold => holds.push(id.as_str()),
            HoldChange::Release(wake_ms) => {
                releases.push(id.as_str());
                wakes.push(*wake_ms);
            }
        }
    }
    if !releases.is_empty() {
        sqlx::query(RELEASE).bind(releases).bind(wakes).bind(&node.id).execute(&mut *db).await?;
    }
    if holds.is_empty() {
        return Ok(Vec::new());
    }
    let held: Vec<(String, Option<Millis>)> =
        sqlx::query_as(HOLD).bind(holds).bind(&node.id).fetch_all(db).await?;
    Ok(held.into_iter().filter_map(|(id, unheld)| Some((MatchId::parse(&id)?, unheld))).collect())
}

/// Whether this append ended its match.
pub(super) fn ends(append: &Append) -> bool {
    append.row.as_ref().is_some_and(|row| row.stage == Stage::Over)
}
