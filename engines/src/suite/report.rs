//! The answers to a suite as text for people: a line for each position, and the score.

use super::entry::SuiteCase;
use super::grade::{CaseOutcome, CaseResult, SuiteComparison, SuiteScore};
use crate::arena::stats::Estimate;
use crate::grid::{Grid, row};

/// Points of winning probability.
pub fn points(value: f64) -> String {
    let text = format!("{:.1}", 100.0 * value);
    if text == "-0.0" { "0.0".to_owned() } else { text }
}

/// Points with their 95% interval, where that is known.
pub fn points_within(estimate: Estimate) -> String {
    let Estimate { mean, low, high } = estimate;
    match high.is_finite() {
        true => format!("{} [{}, {}]", points(mean), points(low), points(high)),
        false => points(mean),
    }
}

impl CaseOutcome {
    /// The move, or the fault, in a few words.
    pub fn shown(&self) -> String {
        match self {
            Self::Answered { notation, .. } => notation.clone(),
            Self::Fault(fault) => format!("{}: {}", fault.kind, fault.detail),
            Self::NotAsked(_) => "-".to_owned(),
        }
    }
}

/// A table with a line for each position. `other`: the answers of another player, in the same order.
pub fn table(cases: &[SuiteCase], results: &[CaseResult], other: Option<&[CaseResult]>) -> String {
    let mut head = row(["position", "phase", "kind", "best", "answer", "loss", "solved", "ms"]);
    if other.is_some() {
        head.extend(row(["other answer", "other loss"]));
    }
    let mut rows = vec![head];
    let loss = |one: &CaseResult| one.loss().map_or_else(|| "-".to_owned(), points);
    for (at, (case, one)) in cases.iter().zip(results).enumerate() {
        let solved = match one.loss() {
            None => "-",
            Some(_) if one.is_solved() => "yes",
            Some(_) => "NO",
        };
        let mut cells = row([&case.entry.name, &case.entry.phase, &case.entry.kind].map(String::as_str));
        cells.extend([case.best().unwrap_or("-").to_owned(), one.outcome.shown(), loss(one)]);
        cells.extend([solved.to_owned(), one.taken.as_millis().to_string()]);
        if let Some(other) = other.and_then(|all| all.get(at)) {
            cells.extend([other.outcome.shown(), loss(other)]);
        }
        rows.push(cells);
    }
    Grid(rows).to_string()
}

impl SuiteScore {
    /// The score in one line.
    pub fn line(&self) -> String {
        let Self { positions, solved, faults, not_asked, longest, .. } = self;
        let mut text = format!("solved {solved} of {positions}");
        if let Some(share) = self.share {
            let percent = |x: f64| format!("{:.1}%", 100.0 * x);
            text += &format!(": {} [{}, {}]", percent(share.mean), percent(share.low), percent(share.high));
        }
        if let Some(loss) = self.loss {
            text += &format!("; mean loss {} points", points_within(loss));
        }
        text += &format!("; longest answer {} ms", longest.as_millis());
        for (count, what) in [(*faults, "faults"), (*not_asked, "not counted")] {
            if count > 0 {
                text += &format!("; {count} {what}");
            }
        }
        text
    }
}

impl SuiteComparison {
    /// The comparison in one line.
    pub fn line(&self) -> String {
        let Some(difference) = self.difference else { return "no position counts for both".to_owned() };
        format!(
            "against the other: {} points of loss, below 0 is better, in the mean of {} positions; better in {}, worse in {}",
            points_within(difference),
            self.positions,
            self.better.len(),
            self.worse.len(),
        )
    }
}
