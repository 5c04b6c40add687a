//! Tests of SQLite alone: its statements and their plans.

use sqlx::{Connection, Executor, Row, SqlSafeStr, SqliteConnection};

use crate::store::database::Dialect;
use crate::store::tests::*;

#[tokio::test]
async fn every_statement_can_be_prepared() {
    let database = TestDatabase::sqlite();
    database.open(0).await.close().await;
    let mut db = SqliteConnection::connect(&format!("sqlite:{}", database.text())).await.unwrap();
    let shared = queries::statements(Dialect::Sqlite);
    let reads = queries::reading_statements(Dialect::Sqlite);
    for sql in sqlite::statements().into_iter().chain(shared).chain(reads) {
        for part in sql.split(';') {
            db.prepare(sqlx::AssertSqlSafe(part.to_owned()).into_sql_str())
                .await
                .unwrap_or_else(|e| panic!("{part}: {e}"));
        }
    }
}

/// Every read uses an index and sorts nothing, so its time does not depend on the size of the database.
#[tokio::test]
async fn reads_use_indexes_only() {
    let database = TestDatabase::sqlite();
    database.open(0).await.close().await;
    let mut db =
        SqliteConnection::connect(&format!("sqlite:{}", database.file().to_str().unwrap())).await.unwrap();
    for sql in queries::reading_statements(Dialect::Sqlite) {
        let explain = sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {sql}"));
        let plan: Vec<String> = sqlx::query(explain)
            .fetch_all(&mut db)
            .await
            .unwrap()
            .iter()
            .map(|row| row.get::<String, _>("detail"))
            .collect();
        assert!(!plan.is_empty());
        if sql.contains("r.kind = $6") {
            assert!(plan[0].contains("ratings_board_kind"), "{sql}: {plan:?}");
        }
        if sql.contains("h.program") {
            let counts = plan.iter().filter(|step| step.contains("COVERING INDEX rating_history_program"));
            assert_eq!(counts.count(), 1, "{sql}: {plan:?}");
        }
        for step in plan {
            let good = ["SEARCH ", "SCALAR SUBQUERY", "CORRELATED SCALAR SUBQUERY"]
                .iter()
                .any(|how| step.starts_with(how));
            assert!(good, "{sql}: {step}");
        }
    }
}
