//! The lobby.

use sqlx::sqlite::SqliteRow;
use sqlx::{SqliteConnection, SqlitePool};

use crate::store::lobby_sql::lobby_sql;

lobby_sql!(SqlitePool, SqliteConnection, SqliteRow, "SELECT id FROM servers WHERE NOT stopping");
