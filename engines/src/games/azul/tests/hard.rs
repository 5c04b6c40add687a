//! The engine in hard positions: late in a round, where a search without exact play chooses a worse move.

use crate::erased::adapter::ErasedGame;
use crate::games::azul::Azul;
use crate::rng::Seed;
use crate::search::{Limits, Patient};
use crate::suite::{SOLVED, read_suite};

static GAME: ErasedGame<Azul> = ErasedGame::new();

/// Without exact play 19 of 33.
#[test]
fn engine_solves_most_hard_positions() {
    use crate::erased::AnyGame;
    let cases = read_suite(include_str!("../suite-hard.jsonl")).unwrap();
    let solved = cases.iter().filter(|case| {
        let limits = Limits { nodes: Some(20_000), seed: Seed::from(3), ..Limits::default() };
        let chosen = GAME.position(&case.entry.position).unwrap().think(None, limits, &Patient).unwrap();
        let loss = case.entry.losses.get(&chosen.mv.notation);
        loss.is_some_and(|loss| *loss < SOLVED) && !case.entry.bad.contains(&chosen.mv.notation)
    });
    let solved = solved.count();
    assert!(cases.len() == 33 && solved >= 22, "{solved} of {}", cases.len());
}
