//! Tests of exact play to the end of a round.

use std::cell::Cell;

use super::*;
use crate::games::azul::engine::policy::for_seat;
use crate::games::azul::engine::round_end_net::round_end_net;
use crate::games::azul::engine::search::{Guide, rank_exactly};
use crate::games::azul::engine::solve::{is_solvable, solve};
use crate::search::{Host, Limits, Search};

/// The value to seat 0, by trying every move.
fn minimax(position: &Position) -> f32 {
    if position.is_bare() {
        let mut end = *position;
        end.end_round();
        return round_end_net().value(&end);
    }
    let mut moves = Vec::new();
    position.legal(&mut moves);
    let values = moves.iter().map(|mv| minimax(&after(position, mv)));
    if position.to_move.0 == 0 { values.fold(0.0, f32::max) } else { values.fold(1.0, f32::min) }
}

fn after(position: &Position, mv: &Move) -> Position {
    let mut next = *position;
    next.take(mv);
    next
}

/// Positions of random matches with this many choices.
fn positions(choices: std::ops::RangeInclusive<usize>) -> Vec<Position> {
    let mut found = Vec::new();
    for seed in 0..12 {
        let mut state = deal(seed);
        let mut rng = Rng::new(&Seed::from(seed));
        while let Turn::Of(_) = state.turn() {
            let position = *state.position();
            found.extend(choices.contains(&position.choices()).then_some(position));
            let mut moves = Vec::new();
            position.legal(&mut moves);
            state.play(rng.pick(&moves).unwrap());
        }
    }
    found
}

fn solved(position: &Position, window: f32, most: u64) -> Option<Vec<(Move, f32)>> {
    solve(Guide::in_use().policy, &round_end_net(), position, window, most, &mut || true)
}

#[test]
fn exact_play_agrees_with_minimax() {
    let positions = positions(2..=4);
    assert!(positions.len() > 100, "{}", positions.len());
    for position in positions {
        let all = solved(&position, 1.0, u64::MAX).unwrap();
        assert!(all.windows(2).all(|pair| pair[0].1 >= pair[1].1));
        for (mv, value) in &all {
            let right = for_seat(minimax(&after(&position, mv)), position.to_move);
            assert!((value - right).abs() < 1e-5, "{mv} in {position:?}: {value} for {right}");
        }
        // With a window the best move keeps its value, and the values of bad moves are upper bounds.
        let near = solved(&position, 0.02, u64::MAX).unwrap();
        let best = all[0].1;
        assert_eq!((near.len(), near[0].1), (all.len(), best));
        for (mv, value) in near {
            let exact = all.iter().find(|(other, _)| *other == mv).unwrap().1;
            let is_bound =
                value >= exact - 1e-5 && exact <= best - 0.02 + 1e-5 && value <= best - 0.02 + 1e-5;
            assert!(is_bound || (value - exact).abs() < 1e-5, "{mv} in {position:?}: {value} for {exact}");
        }
    }
}

#[test]
fn every_move_but_those_of_equal_displays_has_a_value() {
    let mut p = Position::empty();
    p.sources[1] = [1, 0, 3, 0, 0];
    p.sources[2] = [0, 4, 0, 0, 0];
    p.sources[4] = [1, 0, 3, 0, 0];
    assert_eq!(p.choices(), 5);
    let moves = solved(&p, 0.1, u64::MAX).unwrap();
    assert!(moves.iter().all(|(mv, _)| mv.display == 1 || mv.display == 2));
    assert_eq!(moves.len(), 3 * 6);
}

#[test]
fn exact_play_ends_at_its_limit_and_when_it_is_stopped() {
    let position = *deal(1).position();
    assert!(!is_solvable(&position, u64::MAX), "a new round has too many choices");
    assert_eq!(solved(&position, 0.1, 5_000), None);
    let mut asked = 0;
    let mut go_on = || {
        asked += 1;
        asked < 3
    };
    assert_eq!(solve(Guide::in_use().policy, &round_end_net(), &position, 0.1, u64::MAX, &mut go_on), None);
    assert_eq!(asked, 3);
}

/// Short searches rank only positions for which exact play takes little time in comparison.
#[test]
fn exact_play_is_tried_where_it_is_short() {
    for position in positions(3..=9) {
        for iterations in [0, 100, 1_000, 10_000] {
            let found = rank_exactly(&Guide::in_use(), &position, iterations, &mut || true);
            let is_long = !is_solvable(&position, Guide::in_use().exact * iterations);
            assert!(!is_long || found.is_empty());
        }
        let none = Guide { exact: 0, ..Guide::in_use() };
        assert!(rank_exactly(&none, &position, 1_000_000, &mut || true).is_empty());
    }
    let short = positions(3..=3);
    let found = short.iter().filter(|p| !rank_exactly(&Guide::in_use(), p, 100, &mut || true).is_empty());
    assert!(found.count() * 10 >= short.len() * 9);
}

/// A clock of one second that advances by 10 ms at every question.
struct Ticking(Cell<u32>);

impl Host for Ticking {
    fn go_on(&self) -> bool {
        self.0.set(self.0.get() + 1);
        self.0.get() < 100
    }

    fn remaining(&self) -> Option<Duration> {
        Some(Duration::from_millis(u64::from(1_000 - 10 * self.0.get().min(100))))
    }
}

#[test]
fn exact_play_leaves_half_of_the_time_to_the_tree() {
    let is_long = |p: &Position| solved(p, 0.1, 200_000).is_none();
    let position = positions(11..=11).into_iter().find(is_long).expect("some position is long");
    let clock = Ticking(Cell::new(0));
    let mut search = Search::new(Limits::default(), &clock);
    let view = View::new(position, Viewer::Seat(position.to_move));
    (Azul::engines()[0].make)().choose(&view, &mut search);
    assert!(search.nodes() > 1_000, "{} nodes", search.nodes());
}
