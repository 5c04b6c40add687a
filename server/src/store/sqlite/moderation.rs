//! Restrictions of players, invitations and reports.

use sqlx::{SqliteConnection, SqlitePool};

use crate::store::moderation_sql::moderation_access;

moderation_access!(SqliteConnection, SqlitePool);
