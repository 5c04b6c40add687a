//! What players say to each other in a match.

use sqlx::{SqliteConnection, SqlitePool};

use crate::store::chat_sql::chat_access;

chat_access!(SqliteConnection, SqlitePool);
