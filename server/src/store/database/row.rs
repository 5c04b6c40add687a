//! Rows of results.

use futures_util::{Stream, TryStreamExt};
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{Decode, Postgres, Row as _, Sqlite, Type};

use crate::store::database_error::DatabaseError;

/// A row of a result.
pub(in crate::store) enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

impl Row {
    /// The value of the column with this number; the first is 0.
    pub(in crate::store) fn get<'r, T: Column<'r>>(&'r self, column: usize) -> Result<T, DatabaseError> {
        Ok(match self {
            Self::Sqlite(row) => row.try_get(column)?,
            Self::Postgres(row) => row.try_get(column)?,
        })
    }
}

/// A type that both databases read.
pub(in crate::store) trait Column<'r>:
    Decode<'r, Sqlite> + Type<Sqlite> + Decode<'r, Postgres> + Type<Postgres>
{
}

impl<'r, T: Decode<'r, Sqlite> + Type<Sqlite> + Decode<'r, Postgres> + Type<Postgres>> Column<'r> for T {}

/// The rows of an SQLite database.
pub(super) fn of_sqlite(rows: Vec<SqliteRow>) -> Vec<Row> {
    rows.into_iter().map(Row::Sqlite).collect()
}

/// The rows of a PostgreSQL database.
pub(super) fn of_postgres(rows: Vec<PgRow>) -> Vec<Row> {
    rows.into_iter().map(Row::Postgres).collect()
}

/// Hands on each row of a stream.
pub(super) async fn for_each<R>(
    mut rows: impl Stream<Item = Result<R, sqlx::Error>> + Unpin,
    wrap: impl Fn(R) -> Row,
    mut each: impl FnMut(&Row) -> Result<(), DatabaseError>,
) -> Result<(), DatabaseError> {
    while let Some(row) = rows.try_next().await? {
        each(&wrap(row))?;
    }
    Ok(())
}
