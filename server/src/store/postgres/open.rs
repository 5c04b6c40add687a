//! Opens a database: creates the tables, agrees on the time, and registers this node.

use std::time::Instant;

use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection, PgConnection};

use crate::domain::time::{Millis, ServerClock};
use crate::domain::token;
use crate::store::address::PostgresUrl;
use crate::store::database_error::{DatabaseError, DatabaseErrorKind};
use crate::store::open_error::{OpenError, OpenErrorKind};
use crate::store::postgres::clock::{self, Measured};
use crate::store::postgres::connect;
use crate::store::postgres::nodes::{self, Node};
use crate::store::postgres::schema;

/// The oldest PostgreSQL version with all features that this program uses.
const OLDEST: i32 = 140_000;

const VERSION: &str = "SELECT current_setting('server_version_num')::int";
const SETTING: &str = "SELECT value FROM settings WHERE name = $1";
const SET: &str = "INSERT INTO settings (name, value) VALUES ($1, $2)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value";

/// All statements, for the test that prepares each of them.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 4] = [VERSION, SETTING, SET, clock::NOW];

/// A database that can be used, in which this node is registered.
pub(super) struct OpenedDatabase {
    /// The options for connecting.
    pub options: PgConnectOptions,
    /// The first connection for writing.
    pub db: PgConnection,
    pub node: Node,
    /// The database's own secret.
    pub pepper: [u8; 32],
    /// The clock that all nodes on this database share.
    pub clock: ServerClock,
    /// How far the time of matches is ahead of the database's, in microseconds.
    pub ahead_us: i64,
}

/// Opens a database, and creates its tables if there are none. `offset_ms`: a value that tests add to the database's
/// time.
pub(super) async fn open(url: &PostgresUrl, offset_ms: Millis) -> Result<OpenedDatabase, OpenError> {
    let options = connect::options(url)
        .map_err(|wrong| OpenError::new(&"postgres://...", OpenErrorKind::WrongUrl(wrong)))?;
    let failed = |what: OpenErrorKind| OpenError::new(&connect::name(&options), what);
    let mut db = connect::connect(&options).await.map_err(|e| failed(unreachable(e)))?;
    let node = Node::fresh();
    let (pepper, ahead_ms) = set_up(&mut db, &node, offset_ms).await.map_err(failed)?;
    let measured = clock::measure(&mut db).await.map_err(|e| failed(e.into()))?;
    let ahead_us = ahead_ms.saturating_mul(1000);
    let clock = ServerClock::corrected(measured.moment, measured.us.saturating_add(ahead_us));
    Ok(OpenedDatabase { options, db, node, pepper, clock, ahead_us })
}

fn unreachable(error: DatabaseError) -> OpenErrorKind {
    match error.kind {
        DatabaseErrorKind::Away | DatabaseErrorKind::Access => OpenErrorKind::Unreachable(error),
        _ => error.into(),
    }
}

/// Connects to a database, and creates its tables if there are none. Returns its name, too.
///
/// # Errors
/// If it cannot be used; the text says what to do.
pub(in crate::store) async fn open_for_import(url: &PostgresUrl) -> Result<(PgConnection, String), String> {
    let options = connect::options(url)?;
    let name = connect::name(&options);
    let failed = |what: OpenErrorKind| OpenError::new(&name, what).to_string();
    let mut db = connect::connect(&options).await.map_err(|e| failed(unreachable(e)))?;
    let prepared = async {
        let mut tx = db.begin().await?;
        schema::lock(&mut tx).await?;
        schema::migrate(&mut tx).await?;
        tx.commit().await?;
        Ok(())
    };
    prepared.await.map_err(failed)?;
    Ok((db, name))
}

/// Updates the tables and registers this node, in one transaction. Returns the database's secret, and how far the time of
/// matches is ahead of the database's, in milliseconds.
async fn set_up(
    db: &mut PgConnection,
    node: &Node,
    offset_ms: Millis,
) -> Result<([u8; 32], Millis), OpenErrorKind> {
    let version: i32 = sqlx::query_scalar(VERSION).fetch_one(&mut *db).await?;
    if version < OLDEST {
        return Err(OpenErrorKind::OldServer);
    }
    nodes::lock(db, node).await?;
    let mut tx = db.begin().await?;
    schema::lock(&mut tx).await?;
    schema::migrate(&mut tx).await?;
    let importing: Option<String> =
        sqlx::query_scalar(SETTING).bind("importing").fetch_optional(&mut *tx).await?;
    if importing.is_some() {
        return Err(OpenErrorKind::Importing);
    }
    let pepper = pepper(&mut tx).await?;
    let ahead_ms = agree_on_time(&mut tx, node, offset_ms).await?;
    nodes::register(&mut tx, node, 0).await?;
    tx.commit().await?;
    Ok((pepper, ahead_ms))
}

/// How far the time of matches is ahead of the database's. Time in matches never goes back: if the clock of the
/// database's machine was set back, or the database was moved to a machine whose clock is behind, it goes on from the
/// last time in the database. A node that begins while others live takes over the value that they use.
async fn agree_on_time(
    db: &mut PgConnection,
    node: &Node,
    offset_ms: Millis,
) -> Result<Millis, OpenErrorKind> {
    let stored: Option<String> =
        sqlx::query_scalar(SETTING).bind("ahead_ms").fetch_optional(&mut *db).await?;
    let stored: Millis = stored.and_then(|text| text.parse().ok()).unwrap_or(0);
    if nodes::others_live(db, node).await? {
        return Ok(stored);
    }
    let Measured { us, moment, .. } = clock::measure(db).await?;
    let now = us.saturating_div(1000).saturating_add(elapsed_ms(moment)).saturating_add(offset_ms);
    let last: Millis = sqlx::query_scalar(nodes::LAST_TIME).fetch_one(&mut *db).await?;
    let behind_ms = last.saturating_sub(now).max(0);
    if behind_ms > 0 {
        tracing::warn!(
            last,
            now,
            "the database's clock was set back; time in matches continues from the last time in the database"
        );
    }
    let ahead_ms = behind_ms.saturating_add(offset_ms);
    if ahead_ms != stored {
        sqlx::query(SET).bind("ahead_ms").bind(ahead_ms.to_string()).execute(db).await?;
    }
    Ok(ahead_ms)
}

fn elapsed_ms(moment: Instant) -> Millis {
    Millis::try_from(moment.elapsed().as_millis()).unwrap_or(0)
}

/// The database's own secret; created on the first start.
async fn pepper(db: &mut PgConnection) -> Result<[u8; 32], OpenErrorKind> {
    let found: Option<String> = sqlx::query_scalar(SETTING).bind("pepper").fetch_optional(&mut *db).await?;
    if let Some(text) = found {
        return token::unhex(&text).ok_or(OpenErrorKind::Corrupt);
    }
    let fresh = token::random().map_err(|_| OpenErrorKind::Other(std::io::ErrorKind::Other.into()))?;
    sqlx::query(SET).bind("pepper").bind(token::hex(&fresh)).execute(db).await?;
    Ok(fresh)
}
