//! The chat of a match: the statements, which both databases understand, and the functions that run them, written once
//! for both.

use crate::domain::MatchId;
use crate::domain::time::Millis;

/// The statements.
pub(super) mod sql {
    /// Adds a message, unless the match has too many, or the seat said too much lately.
    pub(in crate::store) const SAY: &str = "INSERT INTO chat (match_id, n, seat, at_ms, said)
        SELECT $1, (SELECT count(*) FROM chat WHERE match_id = $1), CAST($2 AS BIGINT), CAST($3 AS BIGINT), $4
        WHERE (SELECT count(*) FROM chat WHERE match_id = $1) < CAST($5 AS BIGINT)
            AND (SELECT count(*) FROM chat WHERE match_id = $1 AND seat = $2 AND at_ms > $6) < CAST($7 AS BIGINT)
        ON CONFLICT DO NOTHING";
    pub(in crate::store) const HEARD: &str =
        "SELECT n, seat, at_ms, said FROM chat WHERE match_id = $1 AND n >= $2 ORDER BY n";

    /// For the test that prepares all statements.
    #[cfg(test)]
    pub(in crate::store) const STATEMENTS: [&str; 2] = [SAY, HEARD];
}

/// Something that a seat says in a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatLine {
    /// The match.
    pub id: MatchId,
    /// The number of the seat.
    pub seat: u8,
    /// The time of the message.
    pub at_ms: Millis,
    /// The content of the message, as JSON.
    pub said: String,
    /// The most messages of the match.
    pub most: u32,
    /// The most messages that the seat may have said since `since_ms`, this one included.
    pub most_lately: u32,
    /// The beginning of the time in which the seat's messages count.
    pub since_ms: Millis,
}

/// A message of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredMessage {
    /// Its number in the match: 0, 1, 2, ...
    pub n: u32,
    /// The number of the seat.
    pub seat: u8,
    /// The time of the message.
    pub at_ms: Millis,
    /// The content of the message, as JSON.
    pub said: String,
}

/// The functions of one database. `$Connection`, `$Pool`: its connections and pools.
macro_rules! chat_access {
    ($Connection:ty, $Pool:ty) => {
        use crate::domain::MatchId;
        use crate::domain::time::Millis;
        use crate::store::chat_sql::sql;
        use crate::store::row::broken;
        use crate::store::{ChatLine, StoreError, StoredMessage};

        /// Adds a message; returns 0 if the match or the seat has too many.
        pub(super) async fn say(db: &mut $Connection, line: &ChatLine) -> Result<u64, sqlx::Error> {
            let query = sqlx::query(sql::SAY).bind(line.id.as_str()).bind(i64::from(line.seat));
            let query = query.bind(line.at_ms).bind(&line.said).bind(i64::from(line.most));
            let query = query.bind(line.since_ms).bind(i64::from(line.most_lately));
            Ok(query.execute(db).await?.rows_affected())
        }

        /// The messages of a match from number `from` on.
        pub(super) async fn heard(
            db: &$Pool,
            id: &MatchId,
            from: u32,
        ) -> Result<Vec<StoredMessage>, StoreError> {
            let query = sqlx::query_as(sql::HEARD).bind(id.as_str()).bind(i64::from(from));
            let rows: Vec<(i64, i64, Millis, String)> = query.fetch_all(db).await?;
            let message = |(n, seat, at_ms, said): (i64, i64, Millis, String)| {
                let (n, seat) = (u32::try_from(n).ok()?, u8::try_from(seat).ok()?);
                Some(StoredMessage { n, seat, at_ms, said })
            };
            rows.into_iter().map(|row| message(row).ok_or_else(broken)).collect()
        }
    };
}
pub(super) use chat_access;
