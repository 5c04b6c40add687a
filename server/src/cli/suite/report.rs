//! What `kibitz suite` found: notes for people, and the checks and the Markdown for continuous integration.

use engines::suite::{
    CaseOutcome, CaseResult, SuiteCase, SuiteComparison, SuiteScore, points, points_within,
};

use crate::cli::ci::{CiCheck, CiReport, CiVerdict, cell};
use crate::matches::record::plain;

/// The most lines of standard error that are shown.
const LINES: usize = 12;

/// A player that was asked in every position.
pub(super) struct TestedPlayer {
    /// Its kind and program.
    pub name: String,
    /// Its answers, in the order of the positions.
    pub results: Vec<CaseResult>,
    pub score: SuiteScore,
}

/// A suite with the answers of one player, or of two.
pub(super) struct CheckedSuite<'s> {
    /// The file.
    pub name: String,
    /// The title of the game.
    pub title: &'static str,
    pub cases: &'s [SuiteCase],
    pub own: TestedPlayer,
    pub other: Option<TestedPlayer>,
    pub comparison: Option<SuiteComparison>,
    /// The least share of solved positions, in percent; `None`: any.
    pub min_score: Option<f64>,
}

impl CheckedSuite<'_> {
    /// Whether the score is as wanted.
    pub(super) fn is_good(&self) -> bool {
        self.reaches_score() != Some(false) && !self.is_worse()
    }

    /// Whether enough positions are solved; `None`: the caller names no number.
    fn reaches_score(&self) -> Option<bool> {
        let share = self.own.score.share.map_or(0.0, |share| 100.0 * share.mean);
        // A share of whole positions is exact but for the last bits.
        self.min_score.map(|least| share >= least - 1e-9)
    }

    fn is_worse(&self) -> bool {
        self.comparison.as_ref().is_some_and(SuiteComparison::is_worse)
    }

    /// Why positions do not count, and what the bot wrote beside its faults.
    pub(super) fn notes(&self) -> String {
        let mut text = String::new();
        for one in &self.own.results {
            match &one.outcome {
                CaseOutcome::NotAsked(why) => text += &format!("{}: {}\n", one.name, plain(why)),
                CaseOutcome::Fault(_) => {
                    let lines: Vec<&str> = one.stderr.lines().collect();
                    if !lines.is_empty() {
                        text += &format!("{}: its standard error:\n", one.name);
                    }
                    for line in &lines[lines.len().saturating_sub(LINES)..] {
                        text += &format!("  | {}\n", plain(line));
                    }
                }
                CaseOutcome::Answered { .. } => {}
            }
        }
        text
    }

    /// The result for continuous integration: a check for each position, and those of the exit code. A position that is not solved
    /// fails if all of them must be solved; otherwise it is skipped, with its answer.
    pub(super) fn ci(&self) -> CiReport {
        let pairs = self.cases.iter().zip(&self.own.results);
        let mut checks: Vec<CiCheck> = pairs.map(|(case, one)| self.position_check(case, one)).collect();
        if let (Some(least), Some(is_reached)) = (self.min_score, self.reaches_score()) {
            let verdict = match is_reached {
                true => CiVerdict::Passed,
                false => CiVerdict::failed("score", format!("{}; wanted: {least}%", self.own.score.line())),
            };
            checks.push(CiCheck::new(format!("at least {least}% solved"), verdict));
        }
        if let (Some(comparison), Some(other)) = (&self.comparison, &self.other) {
            let verdict = match comparison.is_worse() {
                true => CiVerdict::failed("worse", comparison.line()),
                false => CiVerdict::Passed,
            };
            checks.push(CiCheck::new(format!("not worse than {}", other.name), verdict));
        }
        CiReport {
            name: format!("suite {}", self.name),
            checks,
            output: format!("{}: {}", self.own.name, self.own.score.line()),
            markdown: self.markdown(),
        }
    }

    /// The check of one position.
    fn position_check(&self, case: &SuiteCase, one: &CaseResult) -> CiCheck {
        let missed = |kind: &str, what: String| match self.min_score {
            Some(100.0) => CiVerdict::failed(kind, what),
            _ => CiVerdict::Skipped(format!("{kind}: {what}")),
        };
        let verdict = match &one.outcome {
            CaseOutcome::NotAsked(why) => CiVerdict::Skipped(why.clone()),
            CaseOutcome::Fault(fault) => missed(fault.kind.name(), fault.detail.clone()),
            CaseOutcome::Answered { .. } if one.is_solved() => CiVerdict::Passed,
            CaseOutcome::Answered { notation, loss, .. } => {
                let best = case.best().unwrap_or("unknown");
                missed("not solved", format!("{notation} loses {} points; best: {best}", points(*loss)))
            }
        };
        CiCheck { name: one.name.clone(), verdict, taken: one.taken, stderr: one.stderr.clone() }
    }

    fn markdown(&self) -> String {
        let verdict = if self.is_good() { "passed" } else { "FAILED" };
        let mut text = format!("### Suite {} ({}): {verdict}\n\n", cell(&self.name), self.title);
        text += "| player | solved | mean loss, points [95%] | faults | not counted | longest answer |\n";
        text += "|---|---|---|---|---|---|\n";
        for TestedPlayer { name, score, .. } in [Some(&self.own), self.other.as_ref()].into_iter().flatten() {
            let loss = score.loss.map_or_else(|| "-".to_owned(), points_within);
            text += &format!(
                "| {} | {} of {} | {} | {} | {} | {} ms |\n",
                cell(name),
                score.solved,
                score.positions,
                cell(&loss),
                score.faults,
                score.not_asked,
                score.longest.as_millis(),
            );
        }
        if let Some(comparison) = &self.comparison {
            text += &format!("\n{}\n", cell(&comparison.line()));
        }
        let pairs = self.cases.iter().zip(&self.own.results);
        let missed: Vec<_> = pairs.filter(|(_, one)| one.loss().is_some() && !one.is_solved()).collect();
        if !missed.is_empty() {
            text += "\n| position not solved | answer | loss | best |\n|---|---|---|---|\n";
        }
        for (case, one) in missed {
            let loss = one.loss().map_or_else(String::new, points);
            let [name, answer, best] =
                [&one.name, &one.outcome.shown(), case.best().unwrap_or("-")].map(cell);
            text += &format!("| {name} | {answer} | {loss} | {best} |\n");
        }
        text
    }
}
