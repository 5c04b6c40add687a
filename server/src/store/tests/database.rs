//! Values and rows that go through the executor, on both databases.

use sqlx::{Connection as _, PgConnection, SqliteConnection};

use crate::store::database::{Connection, Query, Readers, Row, Statement, Value, query};
use crate::store::database_error::DatabaseError;
use crate::store::tests::*;

on_both_databases! {
    values_come_back_as_they_were_bound,
    errors_of_statements_and_columns_are_reported,
}

const CREATE: Statement = Statement::of_each(
    "CREATE TEMPORARY TABLE samples (n BIGINT, t TEXT, b BOOLEAN, s SMALLINT, i INTEGER, r DOUBLE PRECISION)",
    "CREATE TEMPORARY TABLE samples (n BIGINT UNIQUE, t TEXT, b BOOL, s SMALLINT, i INT, r FLOAT8)",
);
const INSERT: &str = "INSERT INTO samples (n, t, b, s, i, r)";
const ALL: Statement = Statement::new("SELECT n, t, b, s, i, r FROM samples ORDER BY n NULLS LAST");
const ONE: Statement = Statement::new("SELECT t FROM samples WHERE n = $1");
const DELETE: Statement = Statement::new("DELETE FROM samples WHERE n > $1 OR t = $2");

/// A connection of its own, outside of the store.
enum OwnConnection {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl OwnConnection {
    async fn open(database: &TestDatabase) -> Self {
        match database {
            TestDatabase::Sqlite(_) => {
                Self::Sqlite(SqliteConnection::connect("sqlite::memory:").await.unwrap())
            }
            TestDatabase::Postgres(_) => {
                Self::Postgres(PgConnection::connect(&database.text()).await.unwrap())
            }
        }
    }

    fn connection(&mut self) -> Connection<'_> {
        match self {
            Self::Sqlite(db) => db.into(),
            Self::Postgres(db) => db.into(),
        }
    }
}

type Sample = (Option<i64>, Option<String>, Option<bool>, Option<i16>, Option<i32>, Option<f64>);

fn sample(row: &Row) -> Result<Sample, DatabaseError> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?))
}

async fn values_come_back_as_they_were_bound(database: TestDatabase) {
    let mut own = OwnConnection::open(&database).await;
    let mut db = own.connection();
    db.execute(query(CREATE)).await.unwrap();
    let rows: [[Value<'_>; 6]; 3] = [
        [1i64.into(), "a 'quoted' text".into(), true.into(), 7i16.into(), (-8i32).into(), 0.1f64.into()],
        [
            i64::MAX.into(),
            String::new().into(),
            false.into(),
            i16::MIN.into(),
            i32::MAX.into(),
            f64::MAX.into(),
        ],
        [
            Value::Long(None),
            Value::Text(None),
            Value::Bool(None),
            Value::Short(None),
            Value::Integer(None),
            Value::Real(None),
        ],
    ];
    assert_eq!(db.execute(Query::insert_rows(INSERT, rows)).await, Ok(3));
    let expected = [
        (Some(1), Some("a 'quoted' text".to_owned()), Some(true), Some(7), Some(-8), Some(0.1)),
        (Some(i64::MAX), Some(String::new()), Some(false), Some(i16::MIN), Some(i32::MAX), Some(f64::MAX)),
        (None, None, None, None, None, None),
    ];
    let found = db.fetch_all(query(ALL)).await.unwrap();
    assert_eq!(found.iter().map(sample).collect::<Result<Vec<_>, _>>().unwrap(), expected);
    let mut streamed = Vec::new();
    let each = |row: &Row| {
        streamed.push(sample(row)?);
        Ok(())
    };
    db.for_each(query(ALL), each).await.unwrap();
    assert_eq!(streamed, expected);
    let one = db.fetch_one(query(ONE).bind(1i64)).await.unwrap();
    assert_eq!(one.get::<&str>(0).unwrap(), "a 'quoted' text");
    assert!(db.fetch_optional(query(ONE).bind(2i64)).await.unwrap().is_none());
    assert_eq!(db.execute(query(DELETE).bind(5i64).bind("a 'quoted' text")).await, Ok(2));
}

async fn errors_of_statements_and_columns_are_reported(database: TestDatabase) {
    let mut own = OwnConnection::open(&database).await;
    let mut db = own.connection();
    db.execute(query(CREATE)).await.unwrap();
    db.execute(Query::insert_rows(
        INSERT,
        [[1i64.into(), "x".into(), true.into(), 1i16.into(), 1i32.into(), 1.0f64.into()]],
    ))
    .await
    .unwrap();
    assert!(db.fetch_one(query(ONE).bind(2i64)).await.is_err(), "there is no row");
    let row = db.fetch_one(query(ONE).bind(1i64)).await.unwrap();
    assert!(row.get::<i64>(0).is_err(), "a text is no number");
    assert!(row.get::<&str>(1).is_err(), "there is no second column");
    assert!(db.execute(query(Statement::new("DELETE FROM missing"))).await.unwrap_err().is_of_request());
}

/// A snapshot does not see what is written after it began.
#[tokio::test]
async fn snapshot_sees_one_state_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}?mode=rwc", folder.path().join("own.db").to_str().unwrap());
    snapshot_sees_one_state(Readers::Sqlite(sqlx::SqlitePool::connect(&url).await.unwrap())).await;
}

#[tokio::test]
async fn snapshot_sees_one_state_on_postgres() {
    let database = TestDatabase::postgres().await;
    let pool = sqlx::PgPool::connect(&database.text()).await.unwrap();
    snapshot_sees_one_state(Readers::Postgres(pool)).await;
}

async fn snapshot_sees_one_state(readers: Readers) {
    let count = Statement::new("SELECT count(*) FROM numbers");
    let write = async |sql: &'static str| match &readers {
        Readers::Sqlite(pool) => sqlx::query(sql).execute(pool).await.map(drop).unwrap(),
        Readers::Postgres(pool) => sqlx::query(sql).execute(pool).await.map(drop).unwrap(),
    };
    if let Readers::Sqlite(pool) = &readers {
        // As the store opens its file: reads do not keep the writer from writing.
        sqlx::query("PRAGMA journal_mode = WAL").execute(pool).await.unwrap();
    }
    write("CREATE TABLE numbers (n BIGINT)").await;
    let mut snapshot = readers.snapshot().await.unwrap();
    let before: i64 = snapshot.connection().fetch_one(query(count)).await.unwrap().get(0).unwrap();
    write("INSERT INTO numbers VALUES (1)").await;
    let meanwhile: i64 = snapshot.connection().fetch_one(query(count)).await.unwrap().get(0).unwrap();
    drop(snapshot);
    let after: i64 = readers.fetch_one(query(count)).await.unwrap().get(0).unwrap();
    assert_eq!([before, meanwhile, after], [0, 0, 1]);
}
