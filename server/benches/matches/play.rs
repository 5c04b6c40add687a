//! Matches to be played: their moves are drawn beforehand, so that a client need not know the rules while it is timed.

use engines::erased::AnyGame;
use engines::game::{Seat, Turn, Viewer};
use engines::rng::Seed;

/// Two seats, cheap rules, and at most 18 moves.
pub(crate) const GAME: &str = "ioiwari";

/// A match between random movers.
pub(crate) struct Script {
    /// The seed of its deal.
    pub seed: u64,
    /// The moves, each with its seat.
    pub moves: Vec<(Seat, String)>,
}

/// This many different scripts.
pub(crate) fn scripts(count: u64) -> Vec<Script> {
    let game = engines::games::GAMES.iter().find(|game| game.info().slug == GAME).expect("the game is there");
    (0..count).map(|seed| script(*game, seed)).collect()
}

fn script(game: &dyn AnyGame, seed: u64) -> Script {
    let options = game.options_for(2).expect("the game is for two");
    let mut table = game.deal(&options, &Seed::from(seed)).expect("the options are right");
    let (mut moves, mut chance) = (Vec::new(), seed);
    while let Turn::Of(seat) = table.turn() {
        let mut legal = table.view(Viewer::Seat(seat)).legal_moves();
        // Knuth's linear congruential generator: any would do.
        chance = chance.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let chosen = legal.swap_remove((chance >> 33) as usize % legal.len());
        table.play(seat, &chosen.notation).expect("the move is legal");
        moves.push((seat, chosen.notation));
    }
    Script { seed, moves }
}
