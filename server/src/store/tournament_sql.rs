//! The statements about tournaments that both databases understand, and the functions that run them, written once for both.

/// The statements.
pub(super) mod sql {
    /// Adds a tournament, unless its organizer has too many that are not over, or the request was carried out before.
    pub(in crate::store) const ADD: &str =
        "INSERT INTO tournaments (id, game, stage, organizer, created_ms, summary, events)
        SELECT $1, $2, $3, $4, CAST($5 AS BIGINT), $6, CAST($7 AS BIGINT)
        WHERE (SELECT count(*) FROM tournaments WHERE organizer = $4 AND stage NOT IN ('ended', 'aborted'))
                < CAST($8 AS BIGINT)
            AND NOT EXISTS (SELECT 1 FROM requests WHERE key = $9)
            AND NOT EXISTS (SELECT 1 FROM tournaments WHERE id = $1)";
    pub(in crate::store) const REQUEST: &str =
        "INSERT INTO requests (key, asked, answer) VALUES ($1, $2, $3)";
    /// A tournament that is over has no keeper.
    pub(in crate::store) const GROW: &str =
        "UPDATE tournaments SET stage = $2, summary = $3, events = events + $4,
            keeper = CASE WHEN $2 IN ('ended', 'aborted') THEN NULL ELSE keeper END
        WHERE id = $1 AND events = $5";
    pub(in crate::store) const EVENT: &str =
        "INSERT INTO tournament_events (tournament, seq, at_ms, body) VALUES ($1, $2, $3, $4)";
    /// The first event contains the title.
    pub(in crate::store) const FIRST: &str =
        "UPDATE tournament_events SET body = $2 WHERE tournament = $1 AND seq = 0";
    /// Only a tournament whose games are not played.
    pub(in crate::store) const DELETABLE: &str = "SELECT count(*) FROM tournaments
        WHERE id = $1 AND stage IN ('registration', 'ended', 'aborted')";
    pub(in crate::store) const DELETE_EVENTS: &str = "DELETE FROM tournament_events WHERE tournament = $1";
    pub(in crate::store) const DELETE: &str = "DELETE FROM tournaments WHERE id = $1";
    pub(in crate::store) const SETTLE: &str =
        "DELETE FROM reports WHERE kind = 'tournament' AND subject = $1";
    pub(in crate::store) const ORGANIZED: &str =
        "SELECT id FROM tournaments WHERE organizer = $1 ORDER BY id";
    pub(in crate::store) const LOG: &str =
        "SELECT at_ms, body FROM tournament_events WHERE tournament = $1 AND seq >= $2 ORDER BY seq";
    pub(in crate::store) const MATCH_NUMBER: &str = "SELECT nr FROM matches WHERE id = $1";
    pub(in crate::store) const LIST: &str = "SELECT id, game, stage, created_ms, summary FROM tournaments WHERE id < $1 ORDER BY id DESC LIMIT $2";
    pub(in crate::store) const LIST_OF_GAME: &str =
        "SELECT id, game, stage, created_ms, summary FROM tournaments
        WHERE id < $1 AND game = $3 ORDER BY id DESC LIMIT $2";

    /// Those that change something, for the test that prepares all statements.
    #[cfg(test)]
    pub(in crate::store) const WRITES: [&str; 8] =
        [ADD, REQUEST, GROW, EVENT, FIRST, DELETE_EVENTS, DELETE, SETTLE];
    /// Those that only read, for the tests of their plans.
    #[cfg(test)]
    pub(in crate::store) const READS: [&str; 6] =
        [LOG, MATCH_NUMBER, LIST, LIST_OF_GAME, DELETABLE, ORGANIZED];
}

/// The functions of one database. `$Connection`, `$Pool`: its connections and pools; `$RUN`: takes a tournament over;
/// `$RUNNING`: the tournaments to run; `$STATUS`: the stage and summary of matches.
macro_rules! tournament_access {
    ($Connection:ty, $Pool:ty, $RUN:ident, $RUNNING:ident, $STATUS:ident) => {
        use crate::domain::time::Millis;
        use crate::domain::{MatchId, TournamentId, TournamentStage};
        use crate::store::ratings::ResultToWrite;
        use crate::store::row::{broken, stage_of};
        use crate::store::tournament_sql::sql;
        use crate::store::write_plan::WritePlan;
        use crate::store::{
            ListedTournament, MatchStatus, RunningTournament, StoreError, StoredEvent, TournamentAppend,
        };

        /// Appends events, without the matches that they open; returns 0 if they do not follow the stored ones, or the tournament
        /// must not be added.
        pub(super) async fn append(
            db: &mut $Connection,
            append: &TournamentAppend,
        ) -> Result<u64, sqlx::Error> {
            let TournamentAppend { id, seq, events, stage, summary, new, first, .. } = append;
            let count = i64::try_from(events.len()).unwrap_or(i64::MAX);
            let done = match new {
                Some(new) => {
                    let key = new.request.as_ref().map(|request| request.key.to_string());
                    let query = sqlx::query(sql::ADD).bind(id.as_str()).bind(&new.game).bind(stage.name());
                    let query = query.bind(&new.organizer).bind(new.created_ms).bind(summary).bind(count);
                    query.bind(i64::from(new.most)).bind(key).execute(&mut *db).await?
                }
                None => {
                    let query = sqlx::query(sql::GROW).bind(id.as_str()).bind(stage.name()).bind(summary);
                    query.bind(count).bind(i64::from(*seq)).execute(&mut *db).await?
                }
            };
            if done.rows_affected() == 0 {
                return Ok(0);
            }
            if let Some(request) = new.as_ref().and_then(|new| new.request.as_ref()) {
                let query = sqlx::query(sql::REQUEST).bind(request.key.to_string());
                query.bind(request.asked.to_string()).bind(&request.answer).execute(&mut *db).await?;
            }
            for (seq, event) in (i64::from(*seq)..).zip(events) {
                let query = sqlx::query(sql::EVENT).bind(id.as_str()).bind(seq).bind(event.at_ms);
                query.bind(&event.body).execute(&mut *db).await?;
            }
            if let Some(first) = first {
                sqlx::query(sql::FIRST).bind(id.as_str()).bind(first).execute(&mut *db).await?;
                sqlx::query(sql::SETTLE).bind(id.as_str()).execute(&mut *db).await?;
            }
            Ok(1)
        }

        /// Plans the rows of the matches that a tournament opens, and notes their results for the ratings.
        pub(super) async fn open_matches<'a>(
            db: &mut $Connection,
            plan: &mut WritePlan<'a>,
            rated: &mut Vec<ResultToWrite<'a>>,
            append: &'a TournamentAppend,
        ) -> Result<(), sqlx::Error> {
            let Some(last) = append.events.last() else { return Ok(()) };
            for opened in &append.opened {
                let number = sqlx::query_scalar(sql::MATCH_NUMBER).bind(opened.id.as_str());
                // It may have been deleted meanwhile.
                let Some(nr) = number.fetch_optional(&mut *db).await? else { continue };
                plan.rows.insert(nr, (&opened.id, &opened.row));
                let result = opened.rated.as_ref();
                let write = |result| ResultToWrite { id: &opened.id, at_ms: last.at_ms, result };
                rated.extend(result.map(write));
            }
            Ok(())
        }

        /// Deletes a tournament whose games are not played, and the reports about it; returns 0 if there is none.
        pub(super) async fn delete(db: &mut $Connection, id: &TournamentId) -> Result<u64, sqlx::Error> {
            let found: i64 = sqlx::query_scalar(sql::DELETABLE).bind(id.as_str()).fetch_one(&mut *db).await?;
            if found == 0 {
                return Ok(0);
            }
            for statement in [sql::DELETE_EVENTS, sql::SETTLE, sql::DELETE] {
                sqlx::query(statement).bind(id.as_str()).execute(&mut *db).await?;
            }
            Ok(1)
        }

        /// The tournaments that a player organizes or has organized.
        pub(super) async fn organized(db: &$Pool, player: &str) -> Result<Vec<TournamentId>, StoreError> {
            let ids: Vec<String> = sqlx::query_scalar(sql::ORGANIZED).bind(player).fetch_all(db).await?;
            ids.iter().map(|id| tournament(id)).collect()
        }

        /// Makes this node run the tournament, unless another living node does; returns 0 if another one does.
        pub(super) async fn run(
            db: &mut $Connection,
            id: &TournamentId,
            node: &str,
        ) -> Result<u64, sqlx::Error> {
            Ok(sqlx::query($RUN).bind(id.as_str()).bind(node).execute(db).await?.rows_affected())
        }

        /// The events of a tournament from sequence number `from` on.
        pub(super) async fn log(
            db: &$Pool,
            id: &TournamentId,
            from: u32,
        ) -> Result<Vec<StoredEvent>, StoreError> {
            let query = sqlx::query_as(sql::LOG).bind(id.as_str()).bind(i64::from(from));
            let rows: Vec<(Millis, String)> = query.fetch_all(db).await?;
            Ok(rows.into_iter().map(|(at_ms, body)| StoredEvent { at_ms, body }).collect())
        }

        fn stage(text: &str) -> Result<TournamentStage, StoreError> {
            TournamentStage::parse(text).ok_or_else(broken)
        }

        fn tournament(text: &str) -> Result<TournamentId, StoreError> {
            TournamentId::parse(text).ok_or_else(broken)
        }

        /// Tournaments as lists show them, the newest first.
        pub(super) async fn list(
            db: &$Pool,
            game: Option<&str>,
            before: Option<&TournamentId>,
            limit: u32,
        ) -> Result<Vec<ListedTournament>, StoreError> {
            // "~" sorts after all ids.
            let before = before.map_or("~", TournamentId::as_str);
            let sql = if game.is_some() { sql::LIST_OF_GAME } else { sql::LIST };
            let query = sqlx::query_as(sql).bind(before).bind(i64::from(limit));
            let rows: Vec<(String, String, String, Millis, String)> = match game {
                Some(game) => query.bind(game).fetch_all(db).await?,
                None => query.fetch_all(db).await?,
            };
            let entry =
                |(id, game, of_stage, created_ms, summary): (String, String, String, Millis, String)| {
                    let (id, stage) = (tournament(&id)?, stage(&of_stage)?);
                    Ok(ListedTournament { id, game, stage, created_ms, summary })
                };
            rows.into_iter().map(entry).collect()
        }

        /// The tournaments that have begun and are not over.
        pub(super) async fn running(db: &$Pool) -> Result<Vec<RunningTournament>, StoreError> {
            let rows: Vec<(String, Option<String>, bool)> = sqlx::query_as($RUNNING).fetch_all(db).await?;
            let entry = |(id, keeper, free): (String, Option<String>, bool)| {
                Ok(RunningTournament { id: tournament(&id)?, keeper: keeper.filter(|_| !free) })
            };
            rows.into_iter().map(entry).collect()
        }

        /// The stage and summary of those of these matches that exist.
        pub(super) async fn match_status(
            db: &$Pool,
            ids: &[MatchId],
        ) -> Result<Vec<MatchStatus>, StoreError> {
            let ids = serde_json::to_string(ids).expect("texts are JSON");
            let rows: Vec<(String, String, String)> = sqlx::query_as($STATUS).bind(ids).fetch_all(db).await?;
            let entry = |(id, stage, summary): (String, String, String)| {
                let id = MatchId::parse(&id).ok_or_else(broken)?;
                Ok(MatchStatus { id, stage: stage_of(&stage)?, summary })
            };
            rows.into_iter().map(entry).collect()
        }
    };
}
pub(super) use tournament_access;
