//! The reads of matches and players that both databases understand, and the functions that run them, written once for
//! both. They never wait for the writer, and see what is committed.

/// The statements.
pub(super) mod sql {
    pub(in crate::store) const LOG: &str = "SELECT at_ms, body FROM events
        WHERE match_nr = (SELECT nr FROM matches WHERE id = $1) AND seq >= $2 ORDER BY seq";
    pub(in crate::store) const SHOWN: &str =
        "SELECT shown_seq, shown_ms FROM matches WHERE id = $1 AND shown_seq IS NOT NULL";
    pub(in crate::store) const REMATCH: &str = "SELECT id FROM matches WHERE rematch_of = $1";
    pub(in crate::store) const REQUEST: &str = "SELECT asked, answer FROM requests WHERE key = $1";
    pub(in crate::store) const PLAYER: &str =
        "SELECT p.id, p.name, p.created_ms, p.kind, p.about, p.owner, o.name
        FROM players p LEFT JOIN players o ON o.id = p.owner WHERE p.folded = $1 AND p.deleted_ms IS NULL";
    pub(in crate::store) const RESULTS: &str =
        "SELECT game, played, won, shared FROM results WHERE player = $1 ORDER BY game";

    /// All of them, for the test that prepares each of them.
    #[cfg(test)]
    pub(in crate::store) const STATEMENTS: [&str; 6] = [LOG, SHOWN, REMATCH, REQUEST, PLAYER, RESULTS];
}

/// The functions of one database. `$Pool`, `$Row`: its pools and rows; `$list_sql`: the statement that lists public matches,
/// for a filter by game, by stage, by player; `$finished_sql`: the statement that lists matches that are over; `$LIST_ALL`, `$LIST_OWN`: lists that contain private matches, for the operator
/// and for a player; `$DUE`: the matches that are due. The caller's module `boards` reads ratings.
macro_rules! match_reads {
    ($Pool:ty, $Row:ty, $list_sql:ident, $finished_sql:ident, $LIST_ALL:ident, $LIST_OWN:ident, $DUE:ident) => {
        use sqlx::Row;

        use crate::domain::names::folded;
        use crate::domain::time::Millis;
        use crate::domain::token::KeyHash;
        use crate::domain::{MatchId, PlayerRef};
        use crate::store::read_sql::sql;
        use crate::store::row::{broken, kind_of, stage_of, stage_text};
        use crate::store::{
            FinishedFilter, FinishedMatch, FinishedOf, ListedMatch, MatchFilter, MatchRow, PlayerGameResults,
            PlayerProfile, Scope, StoreError, StoredEvent, StoredRequest,
        };

        /// The events of a match from sequence number `from` on.
        pub(super) async fn log(db: &$Pool, id: &MatchId, from: u32) -> Result<Vec<StoredEvent>, StoreError> {
            let rows: Vec<(Millis, String)> =
                sqlx::query_as(sql::LOG).bind(id.as_str()).bind(i64::from(from)).fetch_all(db).await?;
            Ok(rows.into_iter().map(|(at_ms, body)| StoredEvent { at_ms, body }).collect())
        }

        /// The event whose turn became visible late, and the time at which it did.
        pub(super) async fn shown_at(db: &$Pool, id: &MatchId) -> Result<Option<(u32, Millis)>, StoreError> {
            let shown: Option<(i32, Millis)> =
                sqlx::query_as(sql::SHOWN).bind(id.as_str()).fetch_optional(db).await?;
            Ok(shown.map(|(seq, at_ms)| (seq.cast_unsigned(), at_ms)))
        }

        /// Matches as lists show them.
        pub(super) async fn list(db: &$Pool, filter: &MatchFilter) -> Result<Vec<ListedMatch>, StoreError> {
            let sql = match (filter.scope, &filter.player) {
                (Scope::Public, _) => {
                    $list_sql(filter.game.is_some(), filter.stage.is_some(), filter.player.is_some())
                }
                (_, None) => $LIST_ALL,
                (_, Some(_)) => $LIST_OWN,
            };
            // "~" sorts after all ids.
            let rows = sqlx::query(sql)
                .bind(filter.before.as_ref().map_or("~", MatchId::as_str))
                .bind(i64::from(filter.limit))
                .bind(filter.game.as_deref())
                .bind(filter.stage.map(stage_text))
                .bind(filter.player.as_deref())
                .bind((filter.scope == Scope::Private).then_some(true))
                .bind(filter.never_begun)
                .fetch_all(db)
                .await?;
            rows.iter().map(listed).collect()
        }

        fn listed(row: &$Row) -> Result<ListedMatch, StoreError> {
            let parse = |text: &str| MatchId::parse(text).ok_or_else(broken);
            let id = parse(row.try_get(0)?)?;
            let stage = stage_of(row.try_get(2)?)?;
            let players: Vec<(String, String, Option<f64>)> =
                serde_json::from_str(row.try_get(7)?).map_err(|_| broken())?;
            let row = MatchRow {
                game: row.try_get(1)?,
                stage,
                private: row.try_get(8)?,
                never_begun: row.try_get(9)?,
                created_ms: row.try_get(3)?,
                ended_ms: row.try_get(4)?,
                rematch_of: row.try_get::<Option<&str>, _>(5)?.map(parse).transpose()?,
                summary: row.try_get(6)?,
                players: players
                    .into_iter()
                    .map(|(id, name, worth)| (PlayerRef::new(id, name), worth))
                    .collect(),
            };
            Ok(ListedMatch { id, row })
        }

        /// Public matches that are over, the oldest first.
        pub(super) async fn finished(
            db: &$Pool,
            filter: &FinishedFilter,
        ) -> Result<Vec<FinishedMatch>, StoreError> {
            let query = sqlx::query_as::<_, (String, String, Option<f64>)>($finished_sql(&filter.of));
            let query = query.bind(filter.after.as_str()).bind(filter.until.as_str());
            let query = query.bind(i64::from(filter.limit));
            let query = match &filter.of {
                FinishedOf::Game(one) | FinishedOf::Player(one, None) => query.bind(one),
                FinishedOf::Player(player, Some(game)) => query.bind(player).bind(game),
            };
            let finished = |(id, summary, least_mu): (String, String, _)| {
                let id = MatchId::parse(&id).ok_or_else(broken)?;
                Ok(FinishedMatch { id, summary, least_mu })
            };
            query.fetch_all(db).await?.into_iter().map(finished).collect()
        }

        /// The rematch of a match.
        pub(super) async fn rematch(db: &$Pool, of: &MatchId) -> Result<Option<MatchId>, StoreError> {
            let id: Option<String> =
                sqlx::query_scalar(sql::REMATCH).bind(of.as_str()).fetch_optional(db).await?;
            id.map(|id| MatchId::parse(&id).ok_or_else(broken)).transpose()
        }

        /// The request stored under this key.
        pub(super) async fn request(db: &$Pool, key: KeyHash) -> Result<Option<StoredRequest>, StoreError> {
            let found: Option<(String, String)> =
                sqlx::query_as(sql::REQUEST).bind(key.to_string()).fetch_optional(db).await?;
            found
                .map(|(asked, answer)| {
                    let asked = KeyHash::try_from(asked).map_err(|_| broken())?;
                    Ok(StoredRequest { key, asked, answer })
                })
                .transpose()
        }

        /// The player with this name.
        pub(super) async fn player(db: &$Pool, name: &str) -> Result<Option<PlayerProfile>, StoreError> {
            type Found = (String, String, Millis, String, Option<String>, Option<String>, Option<String>);
            let found: Option<Found> =
                sqlx::query_as(sql::PLAYER).bind(folded(name)).fetch_optional(db).await?;
            let Some((id, name, created_ms, kind, about, owner_id, owner)) = found else { return Ok(None) };
            let (kind, ratings) = (kind_of(&kind)?, boards::ratings(db, &id).await?);
            let results: Vec<(String, i64, i64, i64)> =
                sqlx::query_as(sql::RESULTS).bind(id.as_str()).fetch_all(db).await?;
            let results = results
                .into_iter()
                .map(|(game, played, won, shared)| PlayerGameResults {
                    game,
                    played: played.unsigned_abs(),
                    won: won.unsigned_abs(),
                    shared: shared.unsigned_abs(),
                })
                .collect();
            let who = PlayerRef { owner: owner_id, ..PlayerRef::new(id, name) };
            Ok(Some(PlayerProfile { who, kind, owner, about, ratings, created_ms, results }))
        }

        /// Matches that the database lists as due.
        pub(super) async fn due(db: &$Pool, now: Millis, limit: i64) -> Result<Vec<MatchId>, StoreError> {
            let ids: Vec<String> = sqlx::query_scalar($DUE).bind(now).bind(limit).fetch_all(db).await?;
            ids.iter().map(|id| MatchId::parse(id).ok_or_else(broken)).collect()
        }
    };
}
pub(super) use match_reads;
