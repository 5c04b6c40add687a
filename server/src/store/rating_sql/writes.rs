//! Changes to ratings and to the kinds of players, for either database.

/// Writes of one database. `$Connection`: its connections.
macro_rules! rating_writes {
    ($Connection:ty) => {
        use std::collections::HashMap;

        use sqlx::QueryBuilder;

        use crate::domain::names::NameKey;
        use crate::domain::time::{DAY_MS, Millis};
        use crate::domain::{MatchId, PlayerRef};
        use crate::ratings::Rating;
        use crate::store::rating_sql::write as sql;
        use crate::store::ratings::{
            CHUNK, HISTORY_ROWS, HistoryRow, NumberedResult, Refold, ResultToWrite, Standing, after_result,
            listed, pairs, versus,
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

        /// Writes the results of rated matches, in order, and the changes that follow from them.
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
            for rows in refold.history.chunks(HISTORY_ROWS) {
                let mut query = QueryBuilder::new(sql::HISTORY_OF_MANY);
                query.push_values(rows, |mut values, row| {
                    let Standing { rating, played, last_ms } = row.standing;
                    values.push_bind(&row.player).push_bind(game).push_bind(played).push_bind(row.nr);
                    values.push_bind(rating.mu).push_bind(rating.sigma).push_bind(last_ms);
                });
                query.build().execute(&mut *db).await?;
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

        /// Replaces a player's description of itself.
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
pub(in crate::store) use rating_writes;
