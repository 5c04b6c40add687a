//! Players and what belongs to their accounts.

mod account_changes;
pub(in crate::store::tests) mod moderation;
pub(in crate::store::tests) mod passkeys;
pub(in crate::store::tests) mod push;
pub(in crate::store::tests) mod tokens;
mod vacations;
