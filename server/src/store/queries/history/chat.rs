//! The chat of a match: of its players, and of its spectators.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::MatchId;
use crate::domain::time::Millis;
use crate::store::StoreError;
use crate::store::data::row::broken;
use crate::store::database::{Connection, Readers, Row, Statement, query};
use crate::store::database_error::DatabaseError;

/// Adds a message, unless its room (the players or the spectators) has too many, or the author said too much lately.
const SAY: Statement = Statement::new(
    "INSERT INTO chat (match_id, n, seat, at_ms, said, author)
    SELECT $1, (SELECT count(*) FROM chat WHERE match_id = $1), CAST($2 AS BIGINT), CAST($3 AS BIGINT), $4, $8
    WHERE (SELECT count(*) FROM chat WHERE match_id = $1 AND (seat IS NULL) = (CAST($2 AS BIGINT) IS NULL)) < CAST($5 AS BIGINT)
        AND (SELECT count(*) FROM chat WHERE match_id = $1 AND author = $8 AND at_ms > $6) < CAST($7 AS BIGINT)
    ON CONFLICT DO NOTHING",
);
/// Messages that were deleted come in any case, so that a reader who has them removes them.
const HEARD: Statement = Statement::new(
    "SELECT c.n, c.seat, c.at_ms, c.said, c.author, p.name FROM chat c
    LEFT JOIN players p ON c.seat IS NULL AND p.id = c.author
    WHERE c.match_id = $1 AND (c.n >= $2 OR c.said LIKE '{\"deleted\":%') ORDER BY c.n",
);
const UNSAY: Statement = Statement::new(
    "UPDATE chat SET said = $3
    WHERE match_id = $1 AND n = $2 AND said NOT LIKE '{\"deleted\":%'",
);
const UNSAY_ALL: Statement =
    Statement::new("UPDATE chat SET said = $2 WHERE author = $1 AND said NOT LIKE '{\"deleted\":%'");
const SETTLE: Statement =
    Statement::new("DELETE FROM reports WHERE kind = 'chat' AND subject = $1 AND n = $2");

/// All of them, for the test that prepares each of them.
#[cfg(test)]
pub(in crate::store) const STATEMENTS: &[Statement] = &[SAY, HEARD, UNSAY, UNSAY_ALL, SETTLE];

/// Something that somebody says in a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatLine {
    /// The match.
    pub id: MatchId,
    /// The number of the author's seat; `None`: a spectator.
    pub seat: Option<u8>,
    /// The time of the message.
    pub at_ms: Millis,
    /// The content of the message, as JSON.
    pub said: String,
    /// The author: the id of a player, or the hash of a guest's token.
    pub author: String,
    /// The most messages of the match's players, or of its spectators.
    pub most: u32,
    /// The most messages that the author may have said since `since_ms`, this one included.
    pub most_lately: u32,
    /// The beginning of the time in which the author's messages count.
    pub since_ms: Millis,
}

/// A message of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredMessage {
    /// Its number in the match: 0, 1, 2, ...
    pub n: u32,
    /// The number of the author's seat; `None`: a spectator.
    pub seat: Option<u8>,
    /// The time of the message.
    pub at_ms: Millis,
    /// The content of the message, as JSON.
    pub said: String,
    /// The author: the id of a player, or the hash of a guest's token; `None`: unknown, in messages of old versions.
    pub author: Option<String>,
    /// The name of the spectator who said it; `None`: a seat said it, or the spectator's account is deleted.
    pub name: Option<String>,
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
    /// The player who wrote it.
    Author,
    /// The operator of the server.
    Operator,
}

impl DeletedBy {
    /// The content that replaces a message's.
    const fn said(self) -> &'static str {
        match self {
            Self::Author => r#"{"deleted":"author"}"#,
            Self::Operator => r#"{"deleted":"operator"}"#,
        }
    }
}

/// Adds a message; returns 0 if the room or the author has too many.
pub(in crate::store) async fn say(db: &mut Connection<'_>, line: &ChatLine) -> Result<u64, DatabaseError> {
    let query = query(SAY).bind(line.id.as_str()).bind(line.seat.map(i64::from));
    let query = query.bind(line.at_ms).bind(&line.said).bind(i64::from(line.most));
    let query = query.bind(line.since_ms).bind(i64::from(line.most_lately)).bind(&line.author);
    db.execute(query).await
}

/// Deletes a message, and the reports about it; returns 0 if it was deleted before.
pub(in crate::store) async fn unsay(
    db: &mut Connection<'_>,
    deletion: &MessageDeletion,
) -> Result<u64, DatabaseError> {
    let MessageDeletion { id, n, by } = deletion;
    let n = i64::from(*n);
    let rows = db.execute(query(UNSAY).bind(id.as_str()).bind(n).bind(by.said())).await?;
    db.execute(query(SETTLE).bind(id.as_str()).bind(n)).await?;
    Ok(rows)
}

/// Deletes all messages of a player.
pub(in crate::store) async fn unsay_all(db: &mut Connection<'_>, player: &str) -> Result<(), DatabaseError> {
    db.execute(query(UNSAY_ALL).bind(player).bind(DeletedBy::Author.said())).await.map(drop)
}

/// The messages of a match from number `from` on, and those before that were deleted.
pub(in crate::store) async fn chat(
    db: &Readers,
    id: &MatchId,
    from: u32,
) -> Result<Vec<StoredMessage>, StoreError> {
    let read = |row: &Row| {
        Ok(StoredMessage {
            n: u32::try_from(row.get::<i64>(0)?).map_err(|_| broken())?,
            seat: row.get::<Option<i64>>(1)?.map(u8::try_from).transpose().map_err(|_| broken())?,
            at_ms: row.get(2)?,
            said: row.get(3)?,
            author: row.get(4)?,
            name: row.get(5)?,
        })
    };
    db.fetch_all(query(HEARD).bind(id.as_str()).bind(i64::from(from))).await?.iter().map(read).collect()
}
