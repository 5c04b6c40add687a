//! A short check of strength: fixed deals and node budgets, so the outcome is the same everywhere.

use super::super::{Buraco, Options};
use crate::game::{Game, State as _, Table, Turn, Viewer};
use crate::rng::Seed;
use crate::search::{Level, Limits, Patient, Search};

/// A player: an engine's name, its nodes, its level.
type Player = (&'static str, u64, Level);

/// The matches that A wins against B on these deals, seats swapped.
fn won(a: Player, b: Player, deals: u64) -> u32 {
    let mut won = 0;
    for deal in 0..deals {
        for seats in [[a, b], [b, a]] {
            let dealt = Buraco::deal(&Options::default(), &Seed::from(deal)).unwrap();
            let mut table = Table::<Buraco>::new(dealt);
            while let Turn::Of(seat) = table.turn() {
                let (name, nodes, level) = seats[seat.index()];
                let seed = Seed::from(1_000 * deal + table.ply() as u64);
                let limits = Limits { nodes: Some(nodes), seed, level, ..Limits::default() };
                let mut engine = (Buraco::engines().iter().find(|e| e.name == name).unwrap().make)();
                let view = table.state().view(Viewer::Seat(seat));
                let decision = engine.choose(&view, &mut Search::new(limits, &Patient));
                table.play(seat, &decision.mv).unwrap();
            }
            let points = table.state().outcome().unwrap().points;
            let seat = usize::from(seats[0] != a);
            won += u32::from(points[seat] > points[1 - seat]);
        }
    }
    won
}

const MAX: Player = ("buraco", 4_000, Level::Max);

#[test]
fn the_engine_is_stronger_than_those_it_is_measured_against() {
    for (name, deals, least) in
        [("greedy", 30, 40), ("simple3", 15, 24), ("simple2", 5, 9), ("drawer", 5, 10)]
    {
        let won = won(MAX, (name, 0, Level::Max), deals);
        assert!(won >= least, "{won} of {} against {name}", 2 * deals);
    }
}

#[test]
fn levels_are_steps() {
    let level = |level| ("buraco", 4_000, level);
    for (above, below) in [(Level::Max, Level::Medium), (Level::Hard, Level::Easy)] {
        let won = won(level(above), level(below), 15);
        assert!(won >= 21, "{won} of 30: {above} against {below}");
    }
}
