//! Players whom a player has blocked, and banned networks.

use crate::domain::time::Millis;
use crate::store::database::{Connection, Readers, Row, Statement, query};
use crate::store::database_error::DatabaseError;
use crate::store::{Ban, StoreError};

const BLOCK: Statement = Statement::new(
    "INSERT INTO blocks (player, blocked, at_ms)
    SELECT $1, $2, CAST($3 AS BIGINT)
    WHERE (SELECT count(*) FROM blocks WHERE player = $1) < CAST($4 AS BIGINT)
    ON CONFLICT DO NOTHING",
);
const UNBLOCK: Statement = Statement::new("DELETE FROM blocks WHERE player = $1 AND blocked = $2");
const BLOCKS: Statement = Statement::new("SELECT player, blocked FROM blocks");
const BLOCKED_BY: Statement = Statement::new(
    "SELECT p.name FROM blocks b JOIN players p ON p.id = b.blocked
    WHERE b.player = $1 ORDER BY p.folded_name",
);
const BAN: Statement = Statement::new(
    "INSERT INTO bans (network, reason, created_ms, until_ms) VALUES ($1, $2, $3, $4)
    ON CONFLICT (network) DO UPDATE SET reason = excluded.reason, until_ms = excluded.until_ms",
);
const UNBAN: Statement = Statement::new("DELETE FROM bans WHERE network = $1");
const BANS: Statement =
    Statement::new("SELECT network, reason, created_ms, until_ms FROM bans ORDER BY network");
const FORGET_BLOCKS: Statement = Statement::new("DELETE FROM blocks WHERE player = $1 OR blocked = $1");

/// All of them, for the test that prepares each of them.
#[cfg(test)]
pub(in crate::store) const STATEMENTS: &[Statement] =
    &[BLOCK, UNBLOCK, BLOCKS, BLOCKED_BY, BAN, UNBAN, BANS, FORGET_BLOCKS];

/// A player blocks another one; returns 0 if that is so already, or if the player has blocked `most` players.
pub(in crate::store) async fn block(
    db: &mut Connection<'_>,
    player: &str,
    blocked: &str,
    at_ms: Millis,
    most: u32,
) -> Result<u64, DatabaseError> {
    db.execute(query(BLOCK).bind(player).bind(blocked).bind(at_ms).bind(i64::from(most))).await
}

/// A player blocks another one no longer.
pub(in crate::store) async fn unblock(
    db: &mut Connection<'_>,
    player: &str,
    blocked: &str,
) -> Result<u64, DatabaseError> {
    db.execute(query(UNBLOCK).bind(player).bind(blocked)).await
}

/// Deletes the blocks by and of a player.
pub(in crate::store) async fn forget_blocks(
    db: &mut Connection<'_>,
    player: &str,
) -> Result<(), DatabaseError> {
    db.execute(query(FORGET_BLOCKS).bind(player)).await.map(drop)
}

/// All blocks: the one who blocks, and the one who is blocked.
pub(in crate::store) async fn blocks(db: &Readers) -> Result<Vec<(String, String)>, StoreError> {
    let read = |row: &Row| Ok((row.get(0)?, row.get(1)?));
    db.fetch_all(query(BLOCKS)).await?.iter().map(read).collect()
}

/// The names of those whom a player has blocked.
pub(in crate::store) async fn blocked_by(db: &Readers, player: &str) -> Result<Vec<String>, StoreError> {
    let read = |row: &Row| Ok(row.get(0)?);
    db.fetch_all(query(BLOCKED_BY).bind(player)).await?.iter().map(read).collect()
}

/// Bans a network, or changes its ban.
pub(in crate::store) async fn ban(db: &mut Connection<'_>, ban: &Ban) -> Result<u64, DatabaseError> {
    let query = query(BAN).bind(&ban.network).bind(&ban.reason);
    db.execute(query.bind(ban.created_ms).bind(ban.until_ms)).await
}

/// Ends the ban of a network.
pub(in crate::store) async fn unban(db: &mut Connection<'_>, network: &str) -> Result<u64, DatabaseError> {
    db.execute(query(UNBAN).bind(network)).await
}

/// All bans, including those that have expired.
pub(in crate::store) async fn bans(db: &Readers) -> Result<Vec<Ban>, StoreError> {
    let read = |row: &Row| {
        Ok(Ban { network: row.get(0)?, reason: row.get(1)?, created_ms: row.get(2)?, until_ms: row.get(3)? })
    };
    db.fetch_all(query(BANS)).await?.iter().map(read).collect()
}
