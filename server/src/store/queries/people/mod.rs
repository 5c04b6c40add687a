//! Statements about players: their accounts, tokens, passkeys, blocks and restrictions.

pub(in crate::store) mod accounts;
pub(in crate::store) mod blocks;
pub(in crate::store) mod erasure;
pub(in crate::store) mod moderation;
pub(in crate::store) mod passkeys;
pub(in crate::store) mod players;
pub(in crate::store) mod tokens;
