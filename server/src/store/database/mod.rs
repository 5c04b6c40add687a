//! Runs statements on either database, so that a statement and the function that runs it are written once. It does not know
//! what the statements mean.

mod query;
mod row;
mod value;

use sqlx::{PgConnection, PgPool, Postgres, Sqlite, SqliteConnection, SqlitePool, Transaction};

use crate::store::database_error::DatabaseError;

pub(super) use query::{Query, query};
pub(super) use row::Row;
pub(super) use value::Value;

/// A statement with parameters `$1`, `$2`, ...; each connection prepares it once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Statement {
    sqlite: &'static str,
    postgres: &'static str,
}

impl Statement {
    /// A statement that both databases understand.
    pub(super) const fn new(sql: &'static str) -> Self {
        Self { sqlite: sql, postgres: sql }
    }

    /// A statement that the two databases write differently.
    pub(super) const fn of_each(sqlite: &'static str, postgres: &'static str) -> Self {
        Self { sqlite, postgres }
    }

    /// Its text for this database.
    pub(super) const fn text(self, dialect: Dialect) -> &'static str {
        match dialect {
            Dialect::Sqlite => self.sqlite,
            Dialect::Postgres => self.postgres,
        }
    }
}

/// The language of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Sqlite,
    Postgres,
}

/// The writer's connection, inside its transaction.
#[derive(Debug)]
pub(super) enum Connection<'c> {
    Sqlite(&'c mut SqliteConnection),
    Postgres(&'c mut PgConnection),
}

impl<'c> From<&'c mut SqliteConnection> for Connection<'c> {
    fn from(db: &'c mut SqliteConnection) -> Self {
        Self::Sqlite(db)
    }
}

impl<'c> From<&'c mut PgConnection> for Connection<'c> {
    fn from(db: &'c mut PgConnection) -> Self {
        Self::Postgres(db)
    }
}

impl Connection<'_> {
    /// The language of the database.
    pub(super) const fn dialect(&self) -> Dialect {
        match self {
            Self::Sqlite(_) => Dialect::Sqlite,
            Self::Postgres(_) => Dialect::Postgres,
        }
    }

    /// Runs a statement that returns no rows. Returns the number of rows that it changed.
    pub(super) async fn execute(&mut self, query: Query<'_>) -> Result<u64, DatabaseError> {
        Ok(match self {
            Self::Sqlite(db) => query.for_sqlite()?.execute(&mut **db).await?.rows_affected(),
            Self::Postgres(db) => query.for_postgres()?.execute(&mut **db).await?.rows_affected(),
        })
    }

    /// All rows of the result.
    pub(super) async fn fetch_all(&mut self, query: Query<'_>) -> Result<Vec<Row>, DatabaseError> {
        Ok(match self {
            Self::Sqlite(db) => row::of_sqlite(query.for_sqlite()?.fetch_all(&mut **db).await?),
            Self::Postgres(db) => row::of_postgres(query.for_postgres()?.fetch_all(&mut **db).await?),
        })
    }

    /// The first row of the result; `None`: there is none.
    pub(super) async fn fetch_optional(&mut self, query: Query<'_>) -> Result<Option<Row>, DatabaseError> {
        Ok(match self {
            Self::Sqlite(db) => query.for_sqlite()?.fetch_optional(&mut **db).await?.map(Row::Sqlite),
            Self::Postgres(db) => query.for_postgres()?.fetch_optional(&mut **db).await?.map(Row::Postgres),
        })
    }

    /// The first row of a result that is never empty.
    pub(super) async fn fetch_one(&mut self, query: Query<'_>) -> Result<Row, DatabaseError> {
        Ok(self.fetch_optional(query).await?.ok_or(sqlx::Error::RowNotFound)?)
    }

    /// Hands each row of the result on while the database still sends the others.
    pub(super) async fn for_each(
        &mut self,
        query: Query<'_>,
        each: impl FnMut(&Row) -> Result<(), DatabaseError>,
    ) -> Result<(), DatabaseError> {
        match self {
            Self::Sqlite(db) => row::for_each(query.for_sqlite()?.fetch(&mut **db), Row::Sqlite, each).await,
            Self::Postgres(db) => {
                row::for_each(query.for_postgres()?.fetch(&mut **db), Row::Postgres, each).await
            }
        }
    }
}

/// The connections for reading. They see what is committed, and never wait for the writer.
#[derive(Clone, Debug)]
pub(super) enum Readers {
    Sqlite(SqlitePool),
    Postgres(PgPool),
}

impl Readers {
    /// All rows of the result.
    pub(super) async fn fetch_all(&self, query: Query<'_>) -> Result<Vec<Row>, DatabaseError> {
        Ok(match self {
            Self::Sqlite(pool) => row::of_sqlite(query.for_sqlite()?.fetch_all(pool).await?),
            Self::Postgres(pool) => row::of_postgres(query.for_postgres()?.fetch_all(pool).await?),
        })
    }

    /// The first row of the result; `None`: there is none.
    pub(super) async fn fetch_optional(&self, query: Query<'_>) -> Result<Option<Row>, DatabaseError> {
        Ok(match self {
            Self::Sqlite(pool) => query.for_sqlite()?.fetch_optional(pool).await?.map(Row::Sqlite),
            Self::Postgres(pool) => query.for_postgres()?.fetch_optional(pool).await?.map(Row::Postgres),
        })
    }

    /// The first row of a result that is never empty.
    pub(super) async fn fetch_one(&self, query: Query<'_>) -> Result<Row, DatabaseError> {
        Ok(self.fetch_optional(query).await?.ok_or(sqlx::Error::RowNotFound)?)
    }

    /// A transaction that sees one state of the database.
    pub(super) async fn snapshot(&self) -> Result<Snapshot, DatabaseError> {
        Ok(match self {
            Self::Sqlite(pool) => Snapshot::Sqlite(pool.begin().await?),
            Self::Postgres(pool) => {
                let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
                Snapshot::Postgres(pool.begin_with(begin).await?)
            }
        })
    }
}

/// A transaction that only reads. It ends when it is dropped.
pub(super) enum Snapshot {
    Sqlite(Transaction<'static, Sqlite>),
    Postgres(Transaction<'static, Postgres>),
}

impl Snapshot {
    /// The connection of the transaction.
    pub(super) fn connection(&mut self) -> Connection<'_> {
        match self {
            Self::Sqlite(db) => Connection::Sqlite(db),
            Self::Postgres(db) => Connection::Postgres(db),
        }
    }
}
