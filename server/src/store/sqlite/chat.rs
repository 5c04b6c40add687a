//! The chat of a match.

use sqlx::{SqliteConnection, SqlitePool};

use crate::store::chat_sql::chat_access;

chat_access!(SqliteConnection, SqlitePool);
