//! A player that is an engine of the game, run in this process.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::decision::{Attempt, DecisionLimits, NoMove};
use crate::arena::clock::TOLERANCE;
use crate::arena::record::FaultKind;
use crate::erased::{Position, RefusalCode};
use crate::rng::Seed;
use crate::search::{Level, Limits};
use crate::timer::Timer;

/// The part of its limit that an engine leaves unused, for its last nodes and the way back.
pub(super) const RESERVE: Duration = Duration::from_millis(20);

/// The thinking time of a player without a node budget: the time it was given or the game's share, and less than allowed.
pub(super) fn budget(
    told: Option<Duration>,
    usual: Duration,
    position: &dyn Position,
    limits: &DecisionLimits,
) -> Duration {
    let wanted = told.unwrap_or_else(|| limits.left.map_or(usual, |left| position.allot(left)));
    limits.allowed.map_or(wanted, |allowed| {
        wanted.min(allowed.saturating_sub(RESERVE.min(allowed / 5))) //
    })
}

/// The settings of an engine player.
pub(in crate::arena) struct Thinker<'s> {
    /// Its name; `None`: the game's best.
    pub name: Option<&'s str>,
    /// How well it plays.
    pub level: Level,
    /// Longest thinking time.
    pub think: Option<Duration>,
    /// Maximum number of nodes.
    pub nodes: Option<u64>,
}

impl Thinker<'_> {
    /// Lets the engine decide. With only a node budget, the time does not influence the move: the clock stops the search
    /// only when it is too late anyway.
    pub(in crate::arena) fn decide(
        &self,
        position: &dyn Position,
        usual: Duration,
        seed: Seed,
        stop: &Arc<AtomicBool>,
        limits: &DecisionLimits,
    ) -> Attempt {
        let started = Instant::now();
        let time = match (self.think, self.nodes) {
            (None, Some(_)) => limits.allowed.map(|a| a + 2 * TOLERANCE),
            (told, _) => Some(budget(told, usual, position, limits)),
        };
        let timer = Timer::new(time.and_then(|t| started.checked_add(t)), stop.clone());
        let budget = Limits { nodes: self.nodes, seed, level: self.level, candidates: 1 };
        let answer = catch_unwind(AssertUnwindSafe(|| position.think(self.name, budget, &timer)));
        let taken = started.elapsed();
        let failed = |kind, detail: String| Err(NoMove::fault(kind, detail));
        let told = answer.as_ref().ok().and_then(|a| a.as_ref().ok()).map(|a| (a.nodes, a.value));
        let result = match answer {
            Ok(Ok(answer)) => Ok(answer.mv.notation),
            Ok(Err(e)) if e.code == RefusalCode::EngineFailed => failed(FaultKind::IllegalMove, e.detail),
            Ok(Err(e)) => Err(NoMove::Void(e.detail)),
            Err(_) => failed(FaultKind::Crash, "the engine panicked".to_owned()),
        };
        let stopped = stop.load(std::sync::atomic::Ordering::Relaxed);
        let (nodes, value) = told.unzip();
        Attempt {
            taken,
            fuel: None,
            nodes,
            value,
            result: if stopped { Err(NoMove::Stopped) } else { result },
        }
    }
}
