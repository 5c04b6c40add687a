//! `/v1/admin`: the operator's routes. They need the admin token, and are off if the server has none.

pub(crate) mod bans;
pub(crate) mod invitations;
pub(crate) mod matches;
pub(crate) mod moderation;
pub(crate) mod players;
pub(crate) mod programs;
pub(crate) mod restrictions;

pub(crate) use crate::request::admin::AdminToken;
