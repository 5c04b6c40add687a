//! Changes to ratings and to the kinds of players, inside the writer's transaction.

use sqlx::SqliteConnection;

use crate::store::rating_sql::rating_writes;

rating_writes!(SqliteConnection);
