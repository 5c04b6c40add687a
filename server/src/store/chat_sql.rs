//! The chat of a match: the statements, which both databases understand, and the functions that run them, written once
//! for both.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::MatchId;
use crate::domain::time::Millis;

/// The statements.
pub(super) mod sql {
    /// Adds a message, unless the match has too many, or the seat said too much lately.
    pub(in crate::store) const SAY: &str = "INSERT INTO chat (match_id, n, seat, at_ms, said, author)
        SELECT $1, (SELECT count(*) FROM chat WHERE match_id = $1), CAST($2 AS BIGINT), CAST($3 AS BIGINT), $4, $8
        WHERE (SELECT count(*) FROM chat WHERE match_id = $1) < CAST($5 AS BIGINT)
            AND (SELECT count(*) FROM chat WHERE match_id = $1 AND seat = $2 AND at_ms > $6) < CAST($7 AS BIGINT)
        ON CONFLICT DO NOTHING";
    /// Messages that were deleted come in any case, so that a reader who has them removes them.
    pub(in crate::store) const HEARD: &str = "SELECT n, seat, at_ms, said, author FROM chat
        WHERE match_id = $1 AND (n >= $2 OR said LIKE '{\"deleted\":%') ORDER BY n";
    pub(in crate::store) const UNSAY: &str = "UPDATE chat SET said = $3
        WHERE match_id = $1 AND n = $2 AND said NOT LIKE '{\"deleted\":%'";
    pub(in crate::store) const UNSAY_ALL: &str =
        "UPDATE chat SET said = $2 WHERE author = $1 AND said NOT LIKE '{\"deleted\":%'";
    pub(in crate::store) const SETTLE: &str =
        "DELETE FROM reports WHERE kind = 'chat' AND subject = $1 AND n = $2";

    /// For the test that prepares all statements.
    #[cfg(test)]
    pub(in crate::store) const STATEMENTS: [&str; 5] = [SAY, HEARD, UNSAY, UNSAY_ALL, SETTLE];
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
    /// The author: the id of a player, or the hash of a guest's token.
    pub author: String,
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
    /// The author: the id of a player, or the hash of a guest's token; `None`: unknown, in messages of old versions.
    pub author: Option<String>,
}

/// A message to delete. Its row stays, so that the others keep their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageDeletion {
    /// The match.
    pub id: MatchId,
    /// The number of the message.
    pub n: u32,
    /// Who deletes it.
    pub by: DeletedBy,
}

/// Who deleted a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ChatDeletedBy")]
pub enum DeletedBy {
    /// Its author.
    Author,
    /// The operator of the server.
    Operator,
}

impl DeletedBy {
    /// The content that replaces a message's.
    pub(super) const fn said(self) -> &'static str {
        match self {
            Self::Author => r#"{"deleted":"author"}"#,
            Self::Operator => r#"{"deleted":"operator"}"#,
        }
    }
}

/// The functions of one database. `$Connection`, `$Pool`: its connections and pools.
macro_rules! chat_access {
    ($Connection:ty, $Pool:ty) => {
        use crate::domain::MatchId;
        use crate::domain::time::Millis;
        use crate::store::chat_sql::sql;
        use crate::store::row::broken;
        use crate::store::{ChatLine, DeletedBy, MessageDeletion, StoreError, StoredMessage};

        /// Adds a message; returns 0 if the match or the seat has too many.
        pub(super) async fn say(db: &mut $Connection, line: &ChatLine) -> Result<u64, sqlx::Error> {
            let query = sqlx::query(sql::SAY).bind(line.id.as_str()).bind(i64::from(line.seat));
            let query = query.bind(line.at_ms).bind(&line.said).bind(i64::from(line.most));
            let query = query.bind(line.since_ms).bind(i64::from(line.most_lately)).bind(&line.author);
            Ok(query.execute(db).await?.rows_affected())
        }

        /// Deletes a message, and the reports about it; returns 0 if it was deleted before.
        pub(super) async fn unsay(
            db: &mut $Connection,
            deletion: &MessageDeletion,
        ) -> Result<u64, sqlx::Error> {
            let MessageDeletion { id, n, by } = deletion;
            let query = sqlx::query(sql::UNSAY).bind(id.as_str()).bind(i64::from(*n)).bind(by.said());
            let rows = query.execute(&mut *db).await?.rows_affected();
            sqlx::query(sql::SETTLE).bind(id.as_str()).bind(i64::from(*n)).execute(db).await?;
            Ok(rows)
        }

        /// Deletes all messages of a player.
        pub(super) async fn unsay_all(db: &mut $Connection, player: &str) -> Result<(), sqlx::Error> {
            let query = sqlx::query(sql::UNSAY_ALL).bind(player).bind(DeletedBy::Author.said());
            query.execute(db).await.map(drop)
        }

        /// The messages of a match from number `from` on, and those before that were deleted.
        pub(super) async fn heard(
            db: &$Pool,
            id: &MatchId,
            from: u32,
        ) -> Result<Vec<StoredMessage>, StoreError> {
            let query = sqlx::query_as(sql::HEARD).bind(id.as_str()).bind(i64::from(from));
            let rows: Vec<(i64, i64, Millis, String, Option<String>)> = query.fetch_all(db).await?;
            let message = |(n, seat, at_ms, said, author): (i64, i64, Millis, String, Option<String>)| {
                let (n, seat) = (u32::try_from(n).ok()?, u8::try_from(seat).ok()?);
                Some(StoredMessage { n, seat, at_ms, said, author })
            };
            rows.into_iter().map(|row| message(row).ok_or_else(broken)).collect()
        }
    };
}
pub(super) use chat_access;
