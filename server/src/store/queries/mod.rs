//! The statements that both databases run, each beside the function that runs it and reads its rows. What only one database
//! needs is in the folder of that database.

pub(super) mod accounts;
pub(super) mod analyses;
pub(super) mod blocks;
pub(super) mod bot_faults;
pub(super) mod bot_output;
pub(super) mod changes;
pub(super) mod chat;
pub(super) mod decisions;
pub(super) mod deletions;
pub(super) mod erasure;
pub(super) mod leaderboards;
pub(super) mod lobby;
pub(super) mod match_lists;
pub(super) mod matches;
pub(super) mod moderation;
pub(super) mod players;
pub(super) mod programs;
pub(super) mod rating_check;
pub(super) mod ratings;
pub(super) mod tokens;
pub(super) mod tournaments;

#[cfg(test)]
use crate::store::database::{Dialect, Statement};

/// All statements except [`reading_statements`], for the test that prepares each of them.
#[cfg(test)]
pub(super) fn statements(dialect: Dialect) -> Vec<&'static str> {
    let all = [
        accounts::STATEMENTS,
        analyses::STATEMENTS,
        decisions::STATEMENTS,
        blocks::STATEMENTS,
        bot_faults::STATEMENTS,
        bot_output::STATEMENTS,
        chat::STATEMENTS,
        deletions::STATEMENTS,
        erasure::STATEMENTS,
        leaderboards::STATEMENTS,
        lobby::STATEMENTS,
        lobby::READ_STATEMENTS,
        matches::STATEMENTS,
        moderation::STATEMENTS,
        players::STATEMENTS,
        programs::STATEMENTS,
        rating_check::STATEMENTS,
        ratings::STATEMENTS,
        tokens::STATEMENTS,
        tournaments::STATEMENTS,
        if dialect == Dialect::Sqlite { deletions::SQLITE_STATEMENTS } else { &[] },
    ];
    all.concat().into_iter().map(|statement: Statement| statement.text(dialect)).collect()
}

/// The statements that answer requests, for the tests of their plans.
#[cfg(test)]
pub(super) fn reading_statements(dialect: Dialect) -> Vec<&'static str> {
    let all =
        [&match_lists::reads()[..], matches::READS, players::READS, leaderboards::READS, tournaments::READS];
    all.concat().into_iter().map(|statement: Statement| statement.text(dialect)).collect()
}
