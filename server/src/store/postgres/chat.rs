//! The chat of a match.

use sqlx::{PgConnection, PgPool};

use crate::store::chat_sql::chat_access;

chat_access!(PgConnection, PgPool);
