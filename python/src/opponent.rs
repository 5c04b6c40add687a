//! The players of the other seats in environments: random moves, or an engine.

use std::time::Duration;

use engines::erased::{AnyTable, decision_seed};
use engines::game::{Seat, Viewer};
use engines::rng::{Rng, Seed};
use engines::search::{Level, Limits, Patient};
use engines::timer::Timer;

use crate::error::CallError;

/// Who plays the seats that the learning program does not.
#[derive(Clone)]
pub(crate) enum Opponent {
    /// The learning program itself, seat by seat.
    Myself,
    /// Each listed legal move with the same probability.
    Random,
    Engine {
        /// Its name; `None`: the game's best.
        name: Option<String>,
        /// How well it plays.
        level: Level,
        /// Most nodes of a decision.
        nodes: Option<u64>,
        /// Thinking time of a decision; only with no node budget.
        time: Duration,
    },
}

impl Opponent {
    /// Plays the next move of `seat`, which is to move.
    ///
    /// # Errors
    /// `unknown_engine`, `engine_failed`.
    pub(crate) fn play(
        &self,
        table: &mut dyn AnyTable,
        seat: Seat,
        rng: &mut Rng,
        deal: &Seed,
    ) -> Result<(), CallError> {
        let Self::Engine { name, level, nodes, time } = self else {
            table.play_random(rng);
            return Ok(());
        };
        let view = table.view(Viewer::Seat(seat));
        let limits =
            Limits { nodes: *nodes, seed: decision_seed(&*view, deal), level: *level, candidates: 1 };
        let decision = match nodes {
            Some(_) => view.think(name.as_deref(), limits, &Patient)?,
            None => view.think(name.as_deref(), limits, &Timer::lasting(*time))?,
        };
        Ok(table.play(seat, &decision.mv.notation)?)
    }
}
