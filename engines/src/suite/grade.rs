//! Grades the answers of players in the positions of a suite, and compares two players.

use std::time::Duration;

use crate::arena::stats::{self, Estimate};
use crate::arena::{BotFault, PlayerAnswer, PositionAnswer};
use crate::judge::{JudgeError, LocalJudgeHost, MoveToJudge, loss_of};
use crate::rng::Seed;
use crate::suite::entry::SuiteCase;

/// A position is solved by a move that loses less than this of the expected score: the best or a good one.
pub const SOLVED: f64 = 0.05;
/// What a fault loses: a whole win.
const FAULT: f64 = 1.0;

/// The answer of a player in one position.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseResult {
    /// The name of the position.
    pub name: String,
    /// What the player did.
    pub outcome: CaseOutcome,
    /// How long that took.
    pub taken: Duration,
    /// The end of what it wrote to its standard error.
    pub stderr: String,
}

/// What a player did in a position, graded.
#[derive(Clone, Debug, PartialEq)]
pub enum CaseOutcome {
    /// A legal move.
    Answered {
        /// The move.
        notation: String,
        /// What it loses of the expected score, 0 to 1.
        loss: f64,
        /// Whether it solves the position.
        is_solved: bool,
    },
    /// A mistake.
    Fault(BotFault),
    /// It never had to decide there; one sentence. Such a position does not count.
    NotAsked(String),
}

impl CaseResult {
    /// The loss of the expected score, 0 to 1; `None`: the position does not count.
    pub fn loss(&self) -> Option<f64> {
        match &self.outcome {
            CaseOutcome::Answered { loss, .. } => Some(*loss),
            CaseOutcome::Fault(_) => Some(FAULT),
            CaseOutcome::NotAsked(_) => None,
        }
    }

    /// Whether the position is solved; a position that does not count is not.
    pub fn is_solved(&self) -> bool {
        matches!(self.outcome, CaseOutcome::Answered { is_solved: true, .. })
    }
}

/// Grades an answer. The judge values a move that the suite does not list, with a budget of `nodes` a move.
///
/// # Errors
/// When the judge fails.
pub fn grade(case: &SuiteCase, answer: PlayerAnswer, nodes: u64) -> Result<CaseResult, JudgeError> {
    let PlayerAnswer { answer, taken, stderr } = answer;
    let outcome = match answer {
        PositionAnswer::Move(notation) => {
            let loss = loss(case, &notation, nodes)?;
            let is_solved = loss < SOLVED && !case.entry.bad.contains(&notation);
            CaseOutcome::Answered { notation, loss, is_solved }
        }
        PositionAnswer::Fault(fault) => CaseOutcome::Fault(fault),
        PositionAnswer::NotReached { ply, recorded, answer } => CaseOutcome::NotAsked(format!(
            "not reached: at ply {ply} the match went on with {recorded}, and the bot answers {answer}"
        )),
        PositionAnswer::Untold(why) => CaseOutcome::NotAsked(why),
    };
    Ok(CaseResult { name: case.entry.name.clone(), outcome, taken, stderr })
}

fn loss(case: &SuiteCase, notation: &str, nodes: u64) -> Result<f64, JudgeError> {
    if let Some(loss) = case.entry.losses.get(notation) {
        return Ok(*loss);
    }
    if case.entry.good.iter().any(|good| good == notation) {
        return Ok(0.0);
    }
    let asked = MoveToJudge { played: notation, best: case.best(), nodes, seed: &Seed::default() };
    loss_of(case.game, case.view(), asked, &mut LocalJudgeHost(|_| {}))
}

/// The score of a player in a suite.
#[derive(Clone, Debug, PartialEq)]
pub struct SuiteScore {
    /// Positions that count.
    pub positions: usize,
    /// How many of them are solved.
    pub solved: usize,
    /// Positions at which the player made a fault instead of a move.
    pub faults: usize,
    /// Positions that do not count.
    pub not_asked: usize,
    /// The share of the solved positions. `None` if no position counts.
    pub share: Option<Estimate>,
    /// The mean loss of expected score. Its interval is infinite if all losses are the same.
    pub loss: Option<Estimate>,
    /// The longest time of an answer.
    pub longest: Duration,
}

impl SuiteScore {
    /// The score of these answers.
    pub fn of(results: &[CaseResult]) -> Self {
        let losses: Vec<Vec<f64>> =
            results.iter().filter_map(CaseResult::loss).map(|loss| vec![loss]).collect();
        let counted = results.iter().filter(|one| one.loss().is_some());
        let shares: Vec<Vec<f64>> = counted.map(|one| vec![f64::from(u8::from(one.is_solved()))]).collect();
        let is_fault = |one: &&CaseResult| matches!(one.outcome, CaseOutcome::Fault(_));
        Self {
            positions: losses.len(),
            solved: results.iter().filter(|one| one.is_solved()).count(),
            faults: results.iter().filter(is_fault).count(),
            not_asked: results.len() - losses.len(),
            share: stats::score(&shares),
            loss: stats::estimate(&losses).map(within),
            longest: results.iter().map(|one| one.taken).max().unwrap_or_default(),
        }
    }
}

/// The mean of losses, which are 0 to 1.
fn within(loss: Estimate) -> Estimate {
    match loss.high.is_finite() {
        true => Estimate { low: loss.low.max(0.0), high: loss.high.min(1.0), ..loss },
        false => loss,
    }
}

/// Two players compared over the positions that count for both.
#[derive(Clone, Debug, PartialEq)]
pub struct SuiteComparison {
    /// How many positions these are.
    pub positions: usize,
    /// Where the first player loses less.
    pub better: Vec<String>,
    /// Where it loses more.
    pub worse: Vec<String>,
    /// The mean of the first player's loss minus the second's, over the same positions. `None` if there are none. Its interval is
    /// infinite if all differences are the same.
    pub difference: Option<Estimate>,
}

impl SuiteComparison {
    /// Compares the answers of two players to the same positions, in the same order.
    pub fn of(first: &[CaseResult], second: &[CaseResult]) -> Self {
        let pairs: Vec<(&str, f64)> = first
            .iter()
            .zip(second)
            .filter_map(|(one, other)| Some((one.name.as_str(), one.loss()? - other.loss()?)))
            .collect();
        let names = |chosen: fn(f64) -> bool| {
            pairs.iter().filter(|(_, change)| chosen(*change)).map(|(name, _)| (*name).to_owned()).collect()
        };
        let groups: Vec<Vec<f64>> = pairs.iter().map(|(_, change)| vec![*change]).collect();
        Self {
            positions: pairs.len(),
            better: names(|change| change < 0.0),
            worse: names(|change| change > 0.0),
            difference: stats::estimate(&groups),
        }
    }

    /// Whether the first player is worse: the whole interval of the difference is above 0.
    pub fn is_worse(&self) -> bool {
        self.difference.is_some_and(|difference| difference.low > 0.0)
    }
}
