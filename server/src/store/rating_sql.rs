//! The statements about ratings and players' kinds, which both databases understand, and the functions that run them,
//! written once for both.

/// Writes while a transaction is open. The caller holds the lock on ratings, where there are other nodes.
pub(super) mod write {
    pub(in crate::store) const STANDING: &str =
        "SELECT mu, sigma, played, last_ms FROM ratings WHERE player = $1 AND game = $2";
    pub(in crate::store) const PLAYER: &str = "SELECT kind, deleted_ms FROM players WHERE id = $1";
    pub(in crate::store) const PUT: &str =
        "INSERT INTO ratings (player, game, kind, mu, sigma, played, last_ms, listed)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT (player, game) DO UPDATE SET mu = excluded.mu, sigma = excluded.sigma,
            played = excluded.played, last_ms = excluded.last_ms, listed = excluded.listed";
    pub(in crate::store) const DROP: &str = "DELETE FROM ratings WHERE player = $1 AND game = $2";
    pub(in crate::store) const UNLIST: &str = "UPDATE ratings SET listed = NULL WHERE player = $1";
    pub(in crate::store) const HISTORY: &str = "INSERT INTO rating_history (player, game, played, nr, mu, sigma, at_ms) VALUES ($1, $2, $3, $4, $5, $6, $7)";
    pub(in crate::store) const FORGET_HISTORY: &str =
        "DELETE FROM rating_history WHERE player = $1 AND game = $2 AND played > $3";
    pub(in crate::store) const BEFORE: &str = "SELECT mu, sigma, played, at_ms FROM rating_history
        WHERE player = $1 AND game = $2 AND nr < $3 ORDER BY played DESC LIMIT 1";
    pub(in crate::store) const VERSUS: &str =
        "INSERT INTO versus (player, game, opponent, played, won, drawn) VALUES ($1, $2, $3, 1, $4, $5)
        ON CONFLICT (player, game, opponent) DO UPDATE SET played = versus.played + 1,
            won = versus.won + excluded.won, drawn = versus.drawn + excluded.drawn";
    pub(in crate::store) const VERSUS_BACK: &str =
        "UPDATE versus SET played = played - 1, won = won - $4, drawn = drawn - $5
        WHERE player = $1 AND game = $2 AND opponent = $3";
    pub(in crate::store) const VERSUS_EMPTY: &str =
        "DELETE FROM versus WHERE player = $1 AND game = $2 AND opponent = $3 AND played = 0";
    pub(in crate::store) const NEXT: &str = "SELECT coalesce(max(nr), 0) + 1 FROM rated_results";
    pub(in crate::store) const RESULT: &str =
        "INSERT INTO rated_results (nr, match_id, game, at_ms, seats) VALUES ($1, $2, $3, $4, $5)";
    pub(in crate::store) const ANNUL: &str = "UPDATE rated_results SET annulled_ms = $2
        WHERE match_id = $1 AND annulled_ms IS NULL RETURNING nr, game, seats";
    pub(in crate::store) const LATER: &str = "SELECT nr, at_ms, seats FROM rated_results
        WHERE game = $1 AND nr > $2 AND annulled_ms IS NULL ORDER BY nr LIMIT $3";
    pub(in crate::store) const PAIR: &str =
        "SELECT begun FROM rated_pairs WHERE day = $1 AND first = $2 AND second = $3";
    pub(in crate::store) const COUNT_PAIR: &str =
        "INSERT INTO rated_pairs (day, first, second, begun) VALUES ($1, $2, $3, 1)
        ON CONFLICT (day, first, second) DO UPDATE SET begun = rated_pairs.begun + 1";
    pub(in crate::store) const OLD_PAIRS: &str = "DELETE FROM rated_pairs WHERE day < $1";
    pub(in crate::store) const ENGINE: &str =
        "INSERT INTO players (id, name, folded, key, created_ms, skeleton, kind)
        VALUES ($1, $2, $3, $4, $5, $6, 'engine') ON CONFLICT DO NOTHING";
    pub(in crate::store) const ABOUT: &str =
        "UPDATE players SET about = $2 WHERE id = $1 AND deleted_ms IS NULL";
    pub(in crate::store) const REVOKE: &str =
        "UPDATE players SET key = 'revoked:' || id WHERE id = $1 AND deleted_ms IS NULL";
    pub(in crate::store) const BOTS_OF: &str =
        "SELECT id FROM players WHERE owner = $1 AND deleted_ms IS NULL ORDER BY id";
    pub(in crate::store) const BOT: &str =
        "UPDATE players SET kind = 'bot', owner = $2, about = $3 WHERE id = $1";
    pub(in crate::store) const MAY_OWN: &str =
        "SELECT count(*) FROM players WHERE owner = $1 AND deleted_ms IS NULL
        UNION ALL SELECT count(*) FROM players WHERE id = $1 AND deleted_ms IS NULL";

    /// All of them, for the test that prepares each of them.
    #[cfg(test)]
    pub(in crate::store) const STATEMENTS: [&str; 29] = [
        STANDING,
        PLAYER,
        PUT,
        DROP,
        UNLIST,
        HISTORY,
        FORGET_HISTORY,
        BEFORE,
        VERSUS,
        VERSUS_BACK,
        VERSUS_EMPTY,
        NEXT,
        RESULT,
        ANNUL,
        LATER,
        PAIR,
        COUNT_PAIR,
        OLD_PAIRS,
        ENGINE,
        ABOUT,
        REVOKE,
        BOTS_OF,
        BOT,
        MAY_OWN,
        super::read::PLACE,
        super::read::RESULTS_AFTER,
        super::read::ALL_RATINGS,
        super::read::ALL_VERSUS,
        super::read::ALL_HISTORY,
    ];
}

/// Reads.
pub(super) mod read {
    /// A page of the leaderboard, of all kinds or of one.
    macro_rules! board {
        ($kind:literal) => {
            concat!(
                "SELECT r.player, p.name, p.kind, o.name, r.mu, r.sigma, r.played, r.last_ms, r.listed
                FROM ratings r JOIN players p ON p.id = r.player LEFT JOIN players o ON o.id = p.owner
                WHERE r.game = $1 AND r.listed IS NOT NULL AND (r.listed, r.player) < ($2, $3) AND r.listed > $4",
                $kind,
                " ORDER BY r.listed DESC, r.player DESC LIMIT $5"
            )
        };
    }
    pub(in crate::store) const BOARD: &str = board!("");
    pub(in crate::store) const BOARD_OF_KIND: &str = board!(" AND r.kind = $6");
    /// Counts those before a place, but no more than a limit.
    pub(in crate::store) const PLACE: &str = "SELECT count(*) FROM (SELECT 1 FROM ratings
        WHERE game = $1 AND listed IS NOT NULL AND (listed, player) > ($2, $3) LIMIT $4) AS better";
    pub(in crate::store) const RATINGS: &str =
        "SELECT game, mu, sigma, played, last_ms, listed FROM ratings WHERE player = $1 ORDER BY game";
    pub(in crate::store) const OPPONENTS: &str =
        "SELECT v.opponent, p.name, p.kind, p.deleted_ms, v.played, v.won, v.drawn
        FROM versus v JOIN players p ON p.id = v.opponent
        WHERE v.player = $1 AND v.game = $2 AND (v.played, v.opponent) < ($3, $4)
        ORDER BY v.played DESC, v.opponent DESC LIMIT $5";
    pub(in crate::store) const BOTS: &str = "SELECT id, name, created_ms, about FROM players
        WHERE owner = $1 AND deleted_ms IS NULL ORDER BY folded";
    pub(in crate::store) const RESULTS_AFTER: &str = "SELECT nr, game, at_ms, seats FROM rated_results
        WHERE nr > $1 AND annulled_ms IS NULL ORDER BY nr LIMIT $2";
    pub(in crate::store) const ALL_RATINGS: &str =
        "SELECT player, game, mu, sigma, played, last_ms FROM ratings";
    pub(in crate::store) const ALL_VERSUS: &str =
        "SELECT player, game, opponent, played, won, drawn FROM versus";
    pub(in crate::store) const ALL_HISTORY: &str =
        "SELECT player, game, nr, mu, sigma, played, at_ms FROM rating_history";

    /// Those that answer requests, for the tests of their plans.
    #[cfg(test)]
    pub(in crate::store) const STATEMENTS: [&str; 5] = [BOARD, BOARD_OF_KIND, RATINGS, OPPONENTS, BOTS];
}

/// Writes of one database. `$Connection`: its connections.
macro_rules! rating_writes {
    ($Connection:ty) => {
        use std::collections::HashMap;

        use crate::domain::names::NameKey;
        use crate::domain::time::{DAY_MS, Millis};
        use crate::domain::{MatchId, PlayerRef};
        use crate::ratings::Rating;
        use crate::store::rating_sql::write as sql;
        use crate::store::ratings::{
            CHUNK, HistoryRow, NumberedResult, Refold, ResultToWrite, Standing, after_result, listed, pairs,
            versus,
        };
        use crate::store::{Append, StoreError};

        type Rated = (f64, f64, i64, Millis);

        fn standing((mu, sigma, played, last_ms): Rated) -> Standing {
            Standing { rating: Rating { mu, sigma }, played, last_ms }
        }

        /// The seats of a stored result.
        pub(super) fn seats_of(text: &str) -> Result<Vec<(String, u8)>, sqlx::Error> {
            serde_json::from_str(text).map_err(|e| sqlx::Error::Decode(e.into()))
        }

        /// Writes the results of rated matches, in order, and what follows from them.
        pub(super) async fn write_results(
            db: &mut $Connection,
            results: &[ResultToWrite<'_>],
        ) -> Result<(), sqlx::Error> {
            for ResultToWrite { id, at_ms, result } in results {
                let game = result.game.as_str();
                let nr: i64 = sqlx::query_scalar(sql::NEXT).fetch_one(&mut *db).await?;
                let seats = serde_json::to_string(&result.seats).expect("texts and numbers are JSON");
                let query =
                    sqlx::query(sql::RESULT).bind(nr).bind(id.as_str()).bind(game).bind(at_ms).bind(seats);
                query.execute(&mut *db).await?;
                let result = NumberedResult { nr, at_ms: *at_ms, seats: result.seats.clone() };
                let mut before = Vec::with_capacity(result.seats.len());
                for (player, _) in &result.seats {
                    let query = sqlx::query_as(sql::STANDING).bind(player).bind(game);
                    before.push(query.fetch_optional(&mut *db).await?.map(standing).unwrap_or_default());
                }
                for ((player, _), after) in result.seats.iter().zip(after_result(&before, &result)) {
                    put(db, player, game, after).await?;
                    write_history(db, game, &HistoryRow { player: player.clone(), nr, standing: after })
                        .await?;
                }
                for change in versus(&result.seats) {
                    let query = sqlx::query(sql::VERSUS).bind(change.player).bind(game).bind(change.opponent);
                    query.bind(change.won).bind(change.drawn).execute(&mut *db).await?;
                }
            }
            Ok(())
        }

        async fn put(
            db: &mut $Connection,
            player: &str,
            game: &str,
            new: Standing,
        ) -> Result<(), sqlx::Error> {
            let query = sqlx::query_as::<_, (String, Option<Millis>)>(sql::PLAYER).bind(player);
            let (kind, deleted_ms) = query.fetch_one(&mut *db).await?;
            let Standing { rating, played, last_ms } = new;
            let query = sqlx::query(sql::PUT).bind(player).bind(game).bind(kind);
            let query = query.bind(rating.mu).bind(rating.sigma).bind(played).bind(last_ms);
            query.bind(deleted_ms.is_none().then(|| listed(rating))).execute(&mut *db).await.map(drop)
        }

        async fn write_history(
            db: &mut $Connection,
            game: &str,
            row: &HistoryRow,
        ) -> Result<(), sqlx::Error> {
            let Standing { rating, played, last_ms } = row.standing;
            let query = sqlx::query(sql::HISTORY).bind(&row.player).bind(game).bind(played).bind(row.nr);
            query.bind(rating.mu).bind(rating.sigma).bind(last_ms).execute(&mut *db).await.map(drop)
        }

        /// Annuls the result of a match: ratings are then as if it had never been. Returns 0 if it does not count.
        pub(super) async fn annul(
            db: &mut $Connection,
            id: &MatchId,
            at_ms: Millis,
        ) -> Result<u64, sqlx::Error> {
            let query = sqlx::query_as(sql::ANNUL).bind(id.as_str()).bind(at_ms);
            let annulled: Option<(i64, String, String)> = query.fetch_optional(&mut *db).await?;
            let Some((nr, game, seats)) = annulled else { return Ok(0) };
            let seats = seats_of(&seats)?;
            for change in versus(&seats) {
                let query =
                    sqlx::query(sql::VERSUS_BACK).bind(change.player).bind(&game).bind(change.opponent);
                query.bind(change.won).bind(change.drawn).execute(&mut *db).await?;
                let query = sqlx::query(sql::VERSUS_EMPTY).bind(change.player).bind(&game);
                query.bind(change.opponent).execute(&mut *db).await?;
            }
            let players = seats.iter().map(|(player, _)| player);
            let mut refold = Refold::new(before(db, &game, nr, players).await?.into_iter());
            let mut last = nr;
            loop {
                let query = sqlx::query_as(sql::LATER).bind(&game).bind(last).bind(CHUNK);
                let later: Vec<(i64, Millis, String)> = query.fetch_all(&mut *db).await?;
                let Some((nr, ..)) = later.last() else { break };
                last = *nr;
                for (nr, at_ms, seats) in later {
                    let result = NumberedResult { nr, at_ms, seats: seats_of(&seats)? };
                    if refold.concerns(&result) {
                        let unknown = result.seats.iter().map(|(player, _)| player);
                        let unknown = unknown.filter(|player| !refold.standings.contains_key(*player));
                        let before = before(db, &game, nr, unknown).await?;
                        refold.fold(&result, before);
                    }
                }
            }
            write_refold(db, &game, &refold).await?;
            Ok(1)
        }

        /// The standings of these players before a result; those without an earlier match have the standing of a new
        /// player.
        async fn before(
            db: &mut $Connection,
            game: &str,
            nr: i64,
            players: impl Iterator<Item = &String>,
        ) -> Result<HashMap<String, Standing>, sqlx::Error> {
            let mut found = HashMap::new();
            for player in players {
                let query = sqlx::query_as(sql::BEFORE).bind(player).bind(game).bind(nr);
                let before = query.fetch_optional(&mut *db).await?.map(standing).unwrap_or_default();
                found.insert(player.clone(), before);
            }
            Ok(found)
        }

        async fn write_refold(db: &mut $Connection, game: &str, refold: &Refold) -> Result<(), sqlx::Error> {
            for (player, (before, now)) in &refold.standings {
                let query = sqlx::query(sql::FORGET_HISTORY).bind(player).bind(game).bind(before.played);
                query.execute(&mut *db).await?;
                if now.played == 0 {
                    sqlx::query(sql::DROP).bind(player).bind(game).execute(&mut *db).await?;
                } else {
                    put(db, player, game, *now).await?;
                }
            }
            for row in &refold.history {
                write_history(db, game, row).await?;
            }
            Ok(())
        }

        /// Whether the owners of a rated match that begins may begin another one with each other today.
        pub(super) async fn check_pairs(
            db: &mut $Connection,
            append: &Append,
        ) -> Result<Result<(), StoreError>, sqlx::Error> {
            let Some(begins) = &append.begins else { return Ok(Ok(())) };
            for (first, second) in pairs(&begins.owners) {
                let query =
                    sqlx::query_scalar::<_, i64>(sql::PAIR).bind(day(append)).bind(first).bind(second);
                let begun = query.fetch_optional(&mut *db).await?.unwrap_or(0);
                if begun >= i64::from(begins.most) {
                    return Ok(Err(StoreError::RatedLimit));
                }
            }
            Ok(Ok(()))
        }

        /// Counts a rated match that begins.
        pub(super) async fn count_pairs(db: &mut $Connection, append: &Append) -> Result<(), sqlx::Error> {
            let Some(begins) = &append.begins else { return Ok(()) };
            sqlx::query(sql::OLD_PAIRS).bind(day(append)).execute(&mut *db).await?;
            for (first, second) in pairs(&begins.owners) {
                let query = sqlx::query(sql::COUNT_PAIR).bind(day(append)).bind(first).bind(second);
                query.execute(&mut *db).await?;
            }
            Ok(())
        }

        fn day(append: &Append) -> i64 {
            append.events.first().map_or(0, |event| event.at_ms.div_euclid(DAY_MS))
        }

        /// Adds engines that are not there yet; returns how many.
        pub(super) async fn add_engines(
            db: &mut $Connection,
            engines: &[PlayerRef],
            at_ms: Millis,
        ) -> Result<u64, sqlx::Error> {
            let mut added = 0;
            for engine in engines {
                let key = NameKey::of(&engine.name);
                // Its id in place of the hash of a token: no token has it.
                let query = sqlx::query(sql::ENGINE).bind(&engine.id).bind(&engine.name).bind(key.folded);
                let query = query.bind(&engine.id).bind(at_ms).bind(key.skeleton);
                added += query.execute(&mut *db).await?.rows_affected();
            }
            Ok(added)
        }

        /// Replaces what a player says of itself.
        pub(super) async fn set_about(
            db: &mut $Connection,
            player: &str,
            about: &str,
        ) -> Result<u64, sqlx::Error> {
            Ok(sqlx::query(sql::ABOUT).bind(player).bind(about).execute(db).await?.rows_affected())
        }

        /// Makes the token of a player invalid.
        pub(super) async fn revoke(db: &mut $Connection, player: &str) -> Result<u64, sqlx::Error> {
            Ok(sqlx::query(sql::REVOKE).bind(player).execute(db).await?.rows_affected())
        }

        /// The ids of a player's bots.
        pub(super) async fn bots_of(db: &mut $Connection, owner: &str) -> Result<Vec<String>, sqlx::Error> {
            sqlx::query_scalar(sql::BOTS_OF).bind(owner).fetch_all(db).await
        }

        /// Takes the player, whose account is deleted, off the leaderboards.
        pub(super) async fn unlist(db: &mut $Connection, player: &str) -> Result<(), sqlx::Error> {
            sqlx::query(sql::UNLIST).bind(player).execute(db).await.map(drop)
        }

        /// Whether this owner exists and has fewer bots than this.
        pub(super) async fn may_own(
            db: &mut $Connection,
            owner: &str,
            most: u32,
        ) -> Result<bool, sqlx::Error> {
            let counts: Vec<i64> = sqlx::query_scalar(sql::MAY_OWN).bind(owner).fetch_all(db).await?;
            Ok(counts[1..] == [1] && counts[0] < i64::from(most))
        }

        /// Makes a player a bot.
        pub(super) async fn make_bot(
            db: &mut $Connection,
            bot: &str,
            owner: &str,
            about: &str,
        ) -> Result<(), sqlx::Error> {
            sqlx::query(sql::BOT).bind(bot).bind(owner).bind(about).execute(db).await.map(drop)
        }
    };
}
pub(super) use rating_writes;

/// Reads of one database. `$Pool`: its pools; `$Connection`: its connections; `$snapshot`: begins a transaction that sees
/// one state; `$history`: the statement for points of a player's history.
macro_rules! rating_reads {
    ($Pool:ty, $Connection:ty, $snapshot:literal, $history:ident) => {
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
            let sql = if filter.kind.is_some() { sql::BOARD_OF_KIND } else { sql::BOARD };
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
pub(super) use rating_reads;
