//! Restrictions of players, invitations and reports.

use sqlx::{PgConnection, PgPool};

use crate::store::moderation_sql::moderation_access;

moderation_access!(PgConnection, PgPool);
