//! Suites: positions with good and bad moves, by which bots and their versions are tested. A suite is a file of JSON lines; the
//! judge makes it from matches, or people write it. Knows games through [`crate::erased`] alone; starts no program itself.

mod collect;
mod entry;
mod grade;
mod report;

pub use collect::costly_positions;
pub use entry::{SuiteCase, SuiteHistory, SuitePosition, read_suite};
pub use grade::{CaseOutcome, CaseResult, SOLVED, SuiteComparison, SuiteScore, grade};
pub use report::{points, points_within, table};

#[cfg(test)]
mod tests;
