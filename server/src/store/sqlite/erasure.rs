//! The removal of a deleted player's name from logs.

use sqlx::{SqliteConnection, SqlitePool};

use crate::store::erasure_sql::erasure_access;

erasure_access!(SqliteConnection, SqlitePool);
