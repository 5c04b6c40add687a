//! The removal of a deleted player's name from the logs of matches and tournaments: the statements, which both databases
//! understand, and the functions that run them, written once for both. The database lets events change only for this.

use crate::domain::{MatchId, TournamentId};

/// The statements.
pub(super) mod sql {
    pub(in crate::store) const PENDING: &str =
        "SELECT player, match_nr FROM erasures WHERE at_ms <= $1 ORDER BY at_ms, player LIMIT 1";
    /// The number of the last match of the next ones.
    pub(in crate::store) const UPTO: &str =
        "SELECT max(nr) FROM (SELECT nr FROM matches WHERE nr > $2 ORDER BY nr LIMIT $1) m";
    pub(in crate::store) const ROWS: &str = "SELECT nr, id, summary, players FROM matches
        WHERE nr > $1 AND nr <= $2 AND players LIKE '%' || $3 || '%' ORDER BY nr";
    pub(in crate::store) const EVENTS: &str = "SELECT e.match_nr, m.id, e.seq, e.body
        FROM events e JOIN matches m ON m.nr = e.match_nr
        WHERE e.match_nr > $1 AND e.match_nr <= $2 AND e.body LIKE '%' || $3 || '%' ORDER BY e.match_nr, e.seq";
    pub(in crate::store) const TOURNAMENTS: &str = "SELECT tournament, seq, body FROM tournament_events
        WHERE body LIKE '%' || $1 || '%' ORDER BY tournament, seq";

    pub(in crate::store) const ROW: &str =
        "UPDATE matches SET summary = $2, players = $3 WHERE nr = $1 AND summary = $4 AND players = $5";
    pub(in crate::store) const EVENT: &str = "UPDATE events SET body = $3
        WHERE match_nr = $1 AND seq = $2 AND EXISTS (SELECT 1 FROM erasures WHERE player = $4)";
    pub(in crate::store) const TOURNAMENT: &str =
        "UPDATE tournament_events SET body = $3 WHERE tournament = $1 AND seq = $2 AND body = $4";
    pub(in crate::store) const ADVANCE: &str =
        "UPDATE erasures SET match_nr = $2 WHERE player = $1 AND match_nr < $2";
    pub(in crate::store) const FINISH: &str = "DELETE FROM erasures WHERE player = $1";

    /// All of them, for the test that prepares each of them.
    #[cfg(test)]
    pub(in crate::store) const STATEMENTS: [&str; 10] =
        [PENDING, UPTO, ROWS, EVENTS, TOURNAMENTS, ROW, EVENT, TOURNAMENT, ADVANCE, FINISH];
}

/// A text in which a player is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamingText {
    /// The row of a match in lists.
    Row {
        /// The number of the match.
        nr: i64,
        /// The match.
        id: MatchId,
        /// See [`crate::store::MatchRow::summary`].
        summary: String,
        /// JSON: `[[id, name, worth or null], ...]`.
        players: String,
    },
    /// An event of a match.
    Event {
        /// The number of the match.
        nr: i64,
        /// The match.
        id: MatchId,
        /// The sequence number.
        seq: u32,
        /// The event as JSON.
        body: String,
    },
    /// An event of a tournament.
    Tournament {
        /// The tournament.
        id: TournamentId,
        /// The sequence number.
        seq: u32,
        /// The event as JSON.
        body: String,
    },
}

/// The next texts from which the name of a deleted player must be removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingErasure {
    /// The id of the player.
    pub player: String,
    /// The texts are of the matches up to this number; `None`: no matches are left, and they are of tournaments.
    pub upto: Option<i64>,
    /// The texts.
    pub texts: Vec<NamingText>,
}

/// Texts without the name of a deleted player.
#[derive(Clone, Debug, PartialEq)]
pub struct NameErasure {
    /// The id of the player.
    pub player: String,
    /// As in [`PendingErasure`].
    pub upto: Option<i64>,
    /// Each text as it was found, and as it is to be.
    pub texts: Vec<(NamingText, NamingText)>,
}

/// The functions of one database. `$Connection`, `$Pool`: its connections and pools.
macro_rules! erasure_access {
    ($Connection:ty, $Pool:ty) => {
        use crate::domain::time::Millis;
        use crate::domain::{MatchId, TournamentId};
        use crate::store::erasure_sql::sql;
        use crate::store::row::broken;
        use crate::store::{NameErasure, NamingText, PendingErasure, StoreError};

        /// The next texts that name a player who was deleted before this time, of at most this many matches.
        pub(super) async fn pending(
            db: &$Pool,
            before_ms: Millis,
            matches: u32,
        ) -> Result<Option<PendingErasure>, StoreError> {
            let found: Option<(String, i64)> =
                sqlx::query_as(sql::PENDING).bind(before_ms).fetch_optional(db).await?;
            let Some((player, after)) = found else { return Ok(None) };
            let upto: Option<i64> =
                sqlx::query_scalar(sql::UPTO).bind(i64::from(matches)).bind(after).fetch_one(db).await?;
            let texts = match upto {
                Some(upto) => texts_of_matches(db, after, upto, &player).await?,
                None => texts_of_tournaments(db, &player).await?,
            };
            Ok(Some(PendingErasure { player, upto, texts }))
        }

        async fn texts_of_matches(
            db: &$Pool,
            after: i64,
            upto: i64,
            player: &str,
        ) -> Result<Vec<NamingText>, StoreError> {
            let rows: Vec<(i64, String, String, String)> =
                sqlx::query_as(sql::ROWS).bind(after).bind(upto).bind(player).fetch_all(db).await?;
            let events: Vec<(i64, String, i32, String)> =
                sqlx::query_as(sql::EVENTS).bind(after).bind(upto).bind(player).fetch_all(db).await?;
            let rows = rows.into_iter().map(|(nr, id, summary, players)| {
                let id = MatchId::parse(&id).ok_or_else(broken)?;
                Ok(NamingText::Row { nr, id, summary, players })
            });
            let events = events.into_iter().map(|(nr, id, seq, body)| {
                let id = MatchId::parse(&id).ok_or_else(broken)?;
                Ok(NamingText::Event { nr, id, seq: seq.cast_unsigned(), body })
            });
            rows.chain(events).collect()
        }

        async fn texts_of_tournaments(db: &$Pool, player: &str) -> Result<Vec<NamingText>, StoreError> {
            let found: Vec<(String, i64, String)> =
                sqlx::query_as(sql::TOURNAMENTS).bind(player).fetch_all(db).await?;
            let text = |(id, seq, body): (String, i64, String)| {
                let id = TournamentId::parse(&id).ok_or_else(broken)?;
                Ok(NamingText::Tournament { id, seq: u32::try_from(seq).map_err(|_| broken())?, body })
            };
            found.into_iter().map(text).collect()
        }

        /// Replaces texts. One that has changed meanwhile stays; the node that changed it knows that the player is deleted.
        /// Nothing changes if another node has finished meanwhile.
        pub(super) async fn erase(db: &mut $Connection, erasure: &NameErasure) -> Result<u64, sqlx::Error> {
            let mut changed = 0;
            for (from, to) in &erasure.texts {
                let query = match (from, to) {
                    (
                        NamingText::Row { summary: summary_before, players: players_before, .. },
                        NamingText::Row { nr, summary, players, .. },
                    ) => sqlx::query(sql::ROW)
                        .bind(nr)
                        .bind(summary)
                        .bind(players)
                        .bind(summary_before)
                        .bind(players_before),
                    (_, NamingText::Event { nr, seq, body, .. }) => sqlx::query(sql::EVENT)
                        .bind(nr)
                        .bind(seq.cast_signed())
                        .bind(body)
                        .bind(&erasure.player),
                    (
                        NamingText::Tournament { body: before, .. },
                        NamingText::Tournament { id, seq, body },
                    ) => {
                        let query = sqlx::query(sql::TOURNAMENT).bind(id.as_str()).bind(i64::from(*seq));
                        query.bind(body).bind(before)
                    }
                    _ => continue,
                };
                changed += query.execute(&mut *db).await?.rows_affected();
            }
            let query = match erasure.upto {
                Some(upto) => sqlx::query(sql::ADVANCE).bind(&erasure.player).bind(upto),
                None => sqlx::query(sql::FINISH).bind(&erasure.player),
            };
            query.execute(db).await?;
            Ok(changed)
        }
    };
}
pub(super) use erasure_access;
