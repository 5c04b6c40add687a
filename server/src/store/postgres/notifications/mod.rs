//! What nodes tell each other by PostgreSQL's notifications.

pub(in crate::store::postgres) mod announce;
pub(in crate::store::postgres) mod lobby_news;
pub(in crate::store::postgres) mod news;
pub(in crate::store::postgres) mod program_news;
pub(in crate::store::postgres) mod seats;
pub(in crate::store::postgres) mod spectators;
