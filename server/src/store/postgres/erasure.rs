//! The removal of a deleted player's name from logs.

use sqlx::{PgConnection, PgPool};

use crate::store::erasure_sql::erasure_access;

erasure_access!(PgConnection, PgPool);
