//! The statements that both databases run, each beside the function that runs it and reads its rows. What only one database
//! needs is in the folder of that database.

pub(super) mod bot_faults;
pub(super) mod bot_output;
pub(super) mod changes;
pub(super) mod counts;
pub(super) mod history;
pub(super) mod leaderboards;
pub(super) mod lobby;
pub(super) mod people;
pub(super) mod programs;
pub(super) mod push;
pub(super) mod puzzles;
pub(super) mod rating_check;
pub(super) mod ratings;
pub(super) mod tournaments;
pub(super) mod vacations;

#[cfg(test)]
use crate::store::database::{Dialect, Statement};

/// All statements except [`reading_statements`], for the test that prepares each of them.
#[cfg(test)]
pub(super) fn statements(dialect: Dialect) -> Vec<&'static str> {
    let all = [
        people::accounts::STATEMENTS,
        history::analyses::STATEMENTS,
        history::decisions::STATEMENTS,
        people::blocks::STATEMENTS,
        bot_faults::STATEMENTS,
        bot_output::STATEMENTS,
        counts::STATEMENTS,
        history::chat::STATEMENTS,
        history::deletions::STATEMENTS,
        people::erasure::STATEMENTS,
        leaderboards::STATEMENTS,
        lobby::STATEMENTS,
        lobby::READ_STATEMENTS,
        history::matches::STATEMENTS,
        people::moderation::STATEMENTS,
        people::passkeys::STATEMENTS,
        people::players::STATEMENTS,
        programs::STATEMENTS,
        push::STATEMENTS,
        puzzles::STATEMENTS,
        rating_check::STATEMENTS,
        ratings::STATEMENTS,
        people::tokens::STATEMENTS,
        tournaments::STATEMENTS,
        vacations::STATEMENTS,
        if dialect == Dialect::Sqlite { history::deletions::SQLITE_STATEMENTS } else { &[] },
    ];
    all.concat().into_iter().map(|statement: Statement| statement.text(dialect)).collect()
}

/// The statements that answer requests, for the tests of their plans.
#[cfg(test)]
pub(super) fn reading_statements(dialect: Dialect) -> Vec<&'static str> {
    let all = [
        &history::match_lists::reads()[..],
        history::matches::READS,
        people::players::READS,
        leaderboards::READS,
        programs::READS,
        tournaments::READS,
    ];
    all.concat().into_iter().map(|statement: Statement| statement.text(dialect)).collect()
}
