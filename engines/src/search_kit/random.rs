//! The weakest engine there is: every legal move equally likely. A baseline, and a bot for tests.

use crate::game::{Game, View};
use crate::search::{Candidate, Decision, Engine, EngineSpec, Search};

/// Plays any listed legal move.
pub struct Random;

impl<G: Game> Engine<G> for Random {
    fn choose(&mut self, view: &G::View, search: &mut Search<'_>) -> Decision<G> {
        let mut moves = Vec::new();
        view.legal(&mut moves);
        search.tick();
        let mv = search.rng().pick(&moves).expect("an engine is asked only where there is a move").clone();
        let value = 0.5;
        let candidates = vec![Candidate { mv: mv.clone(), value, visits: 1 }];
        Decision { mv, value, candidates, line: Vec::new(), depth: 0 }
    }
}

/// The entry of [`Random`] in a game's list of engines.
pub const fn spec<G: Game>() -> EngineSpec<G> {
    EngineSpec {
        name: "random",
        version: 1,
        instant: true,
        summary: "Any legal move, each equally likely.",
        make: || Box::new(Random),
    }
}
