//! A statement with the values of its parameters.

use sqlx::postgres::PgArguments;
use sqlx::sqlite::SqliteArguments;
use sqlx::{Arguments, AssertSqlSafe, Database, Encode, Postgres, SqlSafeStr, SqlStr, Sqlite, Type};

use crate::store::database::{Dialect, Statement, Value};

/// A statement with the values of its parameters.
#[must_use]
#[derive(Debug)]
pub(in crate::store) struct Query<'q> {
    text: Text,
    values: Vec<Value<'q>>,
}

#[derive(Debug)]
enum Text {
    Statement(Statement),
    /// Both databases understand it.
    Built(String),
}

/// A query with this statement, to which values are bound.
pub(in crate::store) fn query<'q>(statement: Statement) -> Query<'q> {
    Query { text: Text::Statement(statement), values: Vec::new() }
}

impl<'q> Query<'q> {
    /// Inserts several rows. `insert`: the statement up to the word `VALUES`.
    pub(in crate::store) fn insert_rows<const COLUMNS: usize>(
        insert: &'static str,
        rows: impl IntoIterator<Item = [Value<'q>; COLUMNS]>,
    ) -> Self {
        let (mut text, mut values) = (format!("{insert} VALUES "), Vec::new());
        for row in rows {
            let places: Vec<String> = (1..=COLUMNS).map(|n| format!("${}", values.len() + n)).collect();
            let comma = if values.is_empty() { "" } else { ", " };
            text.push_str(&format!("{comma}({})", places.join(", ")));
            values.extend(row);
        }
        Self { text: Text::Built(text), values }
    }

    /// Gives the next parameter its value.
    pub(in crate::store) fn bind(mut self, value: impl Into<Value<'q>>) -> Self {
        self.values.push(value.into());
        self
    }

    /// The query for SQLite.
    pub(super) fn for_sqlite(
        self,
    ) -> Result<sqlx::query::Query<'static, Sqlite, SqliteArguments>, sqlx::Error> {
        let arguments = arguments::<Sqlite>(self.values)?;
        Ok(sqlx::query_with(self.text.of(Dialect::Sqlite), arguments))
    }

    /// The query for PostgreSQL.
    pub(super) fn for_postgres(
        self,
    ) -> Result<sqlx::query::Query<'static, Postgres, PgArguments>, sqlx::Error> {
        let arguments = arguments::<Postgres>(self.values)?;
        Ok(sqlx::query_with(self.text.of(Dialect::Postgres), arguments))
    }
}

impl Text {
    fn of(self, dialect: Dialect) -> SqlStr {
        match self {
            Self::Statement(statement) => statement.text(dialect).into_sql_str(),
            // Built from constants; every value is bound.
            Self::Built(text) => AssertSqlSafe(text).into_sql_str(),
        }
    }
}

/// The values as one database takes them.
fn arguments<'q, D: Database>(values: Vec<Value<'q>>) -> Result<D::Arguments, sqlx::Error>
where
    Option<&'q str>: Encode<'q, D> + Type<D>,
    Option<String>: Encode<'q, D> + Type<D>,
    &'q [u8]: Encode<'q, D> + Type<D>,
    Vec<u8>: Encode<'q, D> + Type<D>,
    Option<bool>: Encode<'q, D> + Type<D>,
    Option<i16>: Encode<'q, D> + Type<D>,
    Option<i32>: Encode<'q, D> + Type<D>,
    Option<i64>: Encode<'q, D> + Type<D>,
    Option<f64>: Encode<'q, D> + Type<D>,
{
    use std::borrow::Cow;
    let mut arguments = D::Arguments::default();
    arguments.reserve(values.len(), 0);
    for value in values {
        let added = match value {
            Value::Text(Some(Cow::Owned(text))) => arguments.add(Some(text)),
            Value::Text(Some(Cow::Borrowed(text))) => arguments.add(Some(text)),
            Value::Text(None) => arguments.add(None::<&str>),
            Value::Bytes(Cow::Borrowed(bytes)) => arguments.add(bytes),
            Value::Bytes(Cow::Owned(bytes)) => arguments.add(bytes),
            Value::Bool(value) => arguments.add(value),
            Value::Short(value) => arguments.add(value),
            Value::Integer(value) => arguments.add(value),
            Value::Long(value) => arguments.add(value),
            Value::Real(value) => arguments.add(value),
        };
        added.map_err(sqlx::Error::Encode)?;
    }
    Ok(arguments)
}
