//! Reads of ratings, leaderboards and bots, for either database.

/// Reads of one database. `$Pool`: its pools; `$Connection`: its connections; `$snapshot`: begins a transaction that sees
/// one state; `$of_kind`: the statement for a leaderboard of one kind; `$history`: for points of a player's history.
macro_rules! rating_reads {
    ($Pool:ty, $Connection:ty, $snapshot:literal, $of_kind:ident, $history:ident) => {
        use futures_util::TryStreamExt;

        use crate::domain::time::Millis;
        use crate::domain::{MatchId, PlayerRef};
        use crate::ratings::Rating;
        use crate::store::rating_sql::read as sql;
        use crate::store::ratings::{
            CHUNK, ESTABLISHED, MAX_PLACE, NumberedResult, RatingCheck, Recomputed, Standing,
        };
        use crate::store::row::{broken, kind_of};
        use crate::store::{
            BotEntry, LeaderboardFilter, OpponentResults, PlayerRating, RatedPlayer, RatingPoint, StoreError,
        };

        /// A page of a game's leaderboard.
        pub(super) async fn leaderboard(
            db: &$Pool,
            filter: &LeaderboardFilter,
        ) -> Result<Vec<RatedPlayer>, StoreError> {
            type Row = (String, String, String, Option<String>, f64, f64, i64, Millis, f64);
            let (listed, player) =
                filter.after.as_ref().map_or((f64::MAX, ""), |(at, id)| (*at, id.as_str()));
            let least = if filter.provisional { f64::MIN } else { ESTABLISHED };
            let sql = if filter.kind.is_some() { $of_kind } else { sql::BOARD };
            let query = sqlx::query_as(sql).bind(&filter.game).bind(listed).bind(player).bind(least);
            let query = query.bind(i64::from(filter.limit));
            let rows: Vec<Row> = match filter.kind {
                Some(kind) => query.bind(kind.name()).fetch_all(db).await?,
                None => query.fetch_all(db).await?,
            };
            let entry = |(id, name, of_kind, owner, mu, sigma, played, last_ms, listed): Row| {
                Ok(RatedPlayer {
                    who: PlayerRef::new(id, name),
                    kind: kind_of(&of_kind)?,
                    owner,
                    rating: Rating { mu, sigma },
                    played: played.unsigned_abs(),
                    last_ms,
                    listed,
                })
            };
            rows.into_iter().map(entry).collect()
        }

        /// The ratings of a player.
        pub(super) async fn ratings(db: &$Pool, player: &str) -> Result<Vec<PlayerRating>, StoreError> {
            let rows: Vec<(String, f64, f64, i64, Millis, Option<f64>)> =
                sqlx::query_as(sql::RATINGS).bind(player).fetch_all(db).await?;
            let mut ratings = Vec::with_capacity(rows.len());
            for (game, mu, sigma, played, last_ms, listed) in rows {
                let mut rank = None;
                if let Some(listed) = listed.filter(|listed| *listed > ESTABLISHED) {
                    let query = sqlx::query_scalar::<_, i64>(sql::PLACE).bind(&game).bind(listed);
                    let better = query.bind(player).bind(MAX_PLACE).fetch_one(db).await?;
                    rank = (better < MAX_PLACE).then_some(better.unsigned_abs() + 1);
                }
                let (rating, played) = (Rating { mu, sigma }, played.unsigned_abs());
                ratings.push(PlayerRating { game, rating, played, last_ms, rank });
            }
            Ok(ratings)
        }

        /// Points of the history of a player's rating: after these of their matches, which count from 1.
        pub(super) async fn history(
            db: &$Pool,
            player: &str,
            game: &str,
            wanted: &[u64],
        ) -> Result<Vec<RatingPoint>, StoreError> {
            let wanted = serde_json::to_string(wanted).expect("numbers are JSON");
            let query = sqlx::query_as($history).bind(player).bind(game).bind(wanted);
            let rows: Vec<(i64, String, f64, f64, Millis)> = query.fetch_all(db).await?;
            let point = |(played, id, mu, sigma, at_ms): (i64, String, f64, f64, Millis)| {
                let match_id = MatchId::parse(&id).ok_or_else(broken)?;
                Ok(RatingPoint {
                    played: played.unsigned_abs(),
                    match_id,
                    rating: Rating { mu, sigma },
                    at_ms,
                })
            };
            rows.into_iter().map(point).collect()
        }

        /// Results of a player against opponents: those met most often first.
        pub(super) async fn opponents(
            db: &$Pool,
            player: &str,
            game: &str,
            after: Option<&(u64, String)>,
            limit: u32,
        ) -> Result<Vec<OpponentResults>, StoreError> {
            type Row = (String, String, String, Option<Millis>, i64, i64, i64);
            let (played, id) =
                after.map_or((i64::MAX, ""), |(played, id)| (played.cast_signed(), id.as_str()));
            let query = sqlx::query_as(sql::OPPONENTS).bind(player).bind(game).bind(played).bind(id);
            let rows: Vec<Row> = query.bind(i64::from(limit)).fetch_all(db).await?;
            let entry = |(id, name, of_kind, deleted_ms, played, won, drawn): Row| {
                Ok(OpponentResults {
                    opponent: PlayerRef::new(id, name),
                    kind: kind_of(&of_kind)?,
                    deleted: deleted_ms.is_some(),
                    played: played.unsigned_abs(),
                    won: won.unsigned_abs(),
                    drawn: drawn.unsigned_abs(),
                })
            };
            rows.into_iter().map(entry).collect()
        }

        /// How many results of the game came after that of this match, but no more than `most`; `None` if it does not count.
        pub(super) async fn rated_since(
            db: &$Pool,
            id: &MatchId,
            most: u32,
        ) -> Result<Option<u64>, StoreError> {
            let query = sqlx::query_scalar::<_, i64>(sql::SINCE).bind(id.as_str()).bind(i64::from(most));
            Ok(query.fetch_optional(db).await?.map(i64::unsigned_abs))
        }

        /// The bots of a player, in the order of their names.
        pub(super) async fn bots(db: &$Pool, owner: &str) -> Result<Vec<BotEntry>, StoreError> {
            let rows: Vec<(String, String, Millis, Option<String>)> =
                sqlx::query_as(sql::BOTS).bind(owner).fetch_all(db).await?;
            let entry = |(id, name, created_ms, about): (String, String, Millis, Option<String>)| {
                let who = PlayerRef { owner: Some(owner.to_owned()), ..PlayerRef::new(id, name) };
                BotEntry { who, created_ms, about }
            };
            Ok(rows.into_iter().map(entry).collect())
        }

        /// Compares the stored ratings with the fold of the results, in one state of the database.
        pub(super) async fn check(db: &$Pool) -> Result<RatingCheck, StoreError> {
            let mut snapshot = db.begin_with($snapshot).await?;
            check_in_snapshot(&mut snapshot).await
        }

        async fn check_in_snapshot(db: &mut $Connection) -> Result<RatingCheck, StoreError> {
            let mut recomputed = Recomputed::default();
            let mut last = 0;
            loop {
                let query = sqlx::query_as(sql::RESULTS_AFTER).bind(last).bind(CHUNK);
                let results: Vec<(i64, String, Millis, String)> = query.fetch_all(&mut *db).await?;
                let Some((nr, ..)) = results.last() else { break };
                last = *nr;
                for (nr, game, at_ms, seats) in results {
                    let seats = serde_json::from_str(&seats).map_err(|_| broken())?;
                    recomputed.fold(&game, &NumberedResult { nr, at_ms, seats });
                }
            }
            let standing =
                |mu, sigma, played, last_ms| Standing { rating: Rating { mu, sigma }, played, last_ms };
            let mut rows = sqlx::query_as::<_, (String, String, f64, f64, i64, Millis)>(sql::ALL_RATINGS)
                .fetch(&mut *db);
            while let Some((player, game, mu, sigma, played, last_ms)) = rows.try_next().await? {
                recomputed.stored_rating(player, game, standing(mu, sigma, played, last_ms));
            }
            drop(rows);
            let mut rows =
                sqlx::query_as::<_, (String, String, String, i64, i64, i64)>(sql::ALL_VERSUS).fetch(&mut *db);
            while let Some((player, game, opponent, played, won, drawn)) = rows.try_next().await? {
                recomputed.stored_versus(player, game, opponent, [played, won, drawn]);
            }
            drop(rows);
            let mut rows =
                sqlx::query_as::<_, (String, String, i64, f64, f64, i64, Millis)>(sql::ALL_HISTORY)
                    .fetch(&mut *db);
            while let Some((player, game, nr, mu, sigma, played, at_ms)) = rows.try_next().await? {
                recomputed.stored_history(&player, &game, nr, standing(mu, sigma, played, at_ms));
            }
            drop(rows);
            Ok(recomputed.finish())
        }
    };
}
pub(in crate::store) use rating_reads;
