//! Estimates how long decisions take from earlier ones, so that a task is planned by what it will probably need and not
//! by its limit. Pure except for a lock; it must not read a clock.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use engines::search::{Level, Limits};

use crate::engine_pool::EngineRef;

/// The assumed cost of a node before any was measured.
const NODE_S: f64 = 50e-6;

/// The estimates for all engines.
#[derive(Default)]
pub(super) struct CostTable(Mutex<BTreeMap<(EngineRef, CostMeasure), CostEstimate>>);

/// The quantity that is estimated for an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum CostMeasure {
    /// Seconds per decision.
    TimedDecision(Level),
    /// Seconds per node.
    Node,
}

/// Moving averages of a cost and of its deviation, as TCP keeps for round-trip times (RFC 6298).
#[derive(Clone, Copy, Debug)]
struct CostEstimate {
    mean: f64,
    deviation: f64,
}

impl CostEstimate {
    fn learn(old: Option<Self>, cost: f64) -> Self {
        match old {
            None => Self { mean: cost, deviation: cost / 2.0 },
            Some(Self { mean, deviation }) => Self {
                mean: mean + (cost - mean) / 8.0,
                deviation: deviation + ((cost - mean).abs() - deviation) / 4.0,
            },
        }
    }

    fn careful(self) -> f64 {
        self.mean + 2.0 * self.deviation
    }
}

/// The measure that determines the cost of a decision; `None` if the decision uses all the time that it gets.
fn measure(limits: &Limits) -> Option<CostMeasure> {
    match limits {
        Limits { nodes: Some(_), .. } => Some(CostMeasure::Node),
        Limits { level: Level::Max, .. } => None,
        Limits { level, .. } => Some(CostMeasure::TimedDecision(*level)),
    }
}

impl CostTable {
    fn table(&self) -> MutexGuard<'_, BTreeMap<(EngineRef, CostMeasure), CostEstimate>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long a decision will take, rather overestimated; at most `think`.
    pub(super) fn expect(&self, engine: EngineRef, limits: &Limits, think: Duration) -> Duration {
        let Some(measure) = measure(limits) else { return think };
        let learned = self.table().get(&(engine, measure)).map(|l| l.careful());
        let seconds = match measure {
            CostMeasure::Node => learned.unwrap_or(NODE_S) * limits.nodes.unwrap_or(0) as f64,
            CostMeasure::TimedDecision(_) => learned.unwrap_or(f64::INFINITY),
        };
        if seconds < think.as_secs_f64() { Duration::from_secs_f64(seconds) } else { think }
    }

    /// Records that a decision of `nodes` nodes took this long.
    pub(super) fn learn(&self, engine: EngineRef, limits: &Limits, nodes: u64, took: Duration) {
        let Some(measure) = measure(limits) else { return };
        let cost = match measure {
            CostMeasure::Node if nodes == 0 => return,
            CostMeasure::Node => took.as_secs_f64() / nodes as f64,
            CostMeasure::TimedDecision(_) => took.as_secs_f64(),
        };
        let mut table = self.table();
        let entry = table.get(&(engine, measure)).copied();
        table.insert((engine, measure), CostEstimate::learn(entry, cost));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOW: EngineRef = EngineRef { game: "g", name: "slow", instant: false };
    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn decision_limited_by_time_alone_uses_its_time() {
        let costs = CostTable::default();
        costs.learn(SLOW, &Limits::default(), 10, Duration::from_millis(1));
        assert_eq!(costs.expect(SLOW, &Limits::default(), SECOND), SECOND);
    }

    #[test]
    fn cost_of_nodes_is_learned() {
        let costs = CostTable::default();
        let budget = |nodes| Limits { nodes: Some(nodes), ..Limits::default() };
        assert_eq!(costs.expect(SLOW, &budget(100), SECOND), Duration::from_millis(5));
        for _ in 0..100 {
            costs.learn(SLOW, &budget(100), 100, Duration::from_millis(100));
        }
        let expected = costs.expect(SLOW, &budget(200), SECOND);
        assert!((Duration::from_millis(199)..Duration::from_millis(210)).contains(&expected), "{expected:?}");
        assert_eq!(costs.expect(SLOW, &budget(u64::MAX), SECOND), SECOND, "never more than the time allowed");
    }

    #[test]
    fn level_counts_as_quick_only_after_a_quick_decision() {
        let costs = CostTable::default();
        let easy = Limits { level: Level::Easy, ..Limits::default() };
        assert_eq!(costs.expect(SLOW, &easy, SECOND), SECOND);
        costs.learn(SLOW, &easy, 5, Duration::from_millis(1));
        assert!(costs.expect(SLOW, &easy, SECOND) < Duration::from_millis(5));
    }
}
