//! Tests of the network that values positions inside rounds.

use std::collections::HashMap;

use super::*;
use crate::games::azul::engine::mid_round_net::{INPUTS, OUTPUTS, each_input, mid_round_net, rating_of};
use crate::games::azul::engine::policy::for_seat;
use crate::search::{Limits, Patient, Search};

/// Positions of matches in which short searches play against `greedy`, each with the score of seat 0 in the end.
fn positions() -> Vec<(Position, f64)> {
    let mut found = Vec::new();
    for seed in 0..8 {
        let mut state = deal(seed);
        let mut seen = Vec::new();
        while let Turn::Of(seat) = state.turn() {
            seen.push(*state.position());
            let limits = Limits { nodes: Some(30), seed: Seed::from(seed), ..Limits::default() };
            let mut search = Search::new(limits, &Patient);
            let engine = usize::from(u64::from(seat.0) != seed % 2);
            let decision =
                (Azul::engines()[engine].make)().choose(&state.view(Viewer::Seat(seat)), &mut search);
            state.play(&decision.mv);
        }
        let score = state.outcome().unwrap().score(Seat(0));
        found.extend(seen.into_iter().map(|position| (position, score)));
    }
    found
}

fn inputs(position: &Position) -> Vec<usize> {
    let mut all = Vec::new();
    each_input(position, |input| all.push(input));
    all.sort_unstable();
    all
}

/// The same position for players who changed seats.
fn exchanged(position: &Position) -> Position {
    let Position { sources, marker, boards: [a, b], to_move } = *position;
    Position { sources, marker: marker.map(Seat::other), boards: [b, a], to_move: to_move.other() }
}

#[test]
fn inputs_depend_on_what_decides_alone() {
    let mut used = vec![false; INPUTS];
    for (position, _) in positions() {
        let all = inputs(&position);
        assert!(all.iter().all(|input| *input < INPUTS));
        all.iter().for_each(|input| used[*input] = true);
        assert_eq!(all, inputs(&exchanged(&position)), "the seat's number");
        let mut turned = position;
        turned.sources[1..].rotate_left(2);
        assert_eq!(all, inputs(&turned), "the order of the displays");
        let mut moves = Vec::new();
        position.legal(&mut moves);
        let mut behind = HashMap::new();
        for mv in moves {
            let mut next = position;
            next.take(&mv);
            let other = *behind.entry(inputs(&next)).or_insert(next);
            let value = |p: &Position| {
                (p.boards, p.marker, p.sources[0], {
                    let mut d = p.sources;
                    d[1..].sort_unstable();
                    d
                })
            };
            assert_eq!(value(&other), value(&next), "two moves lead to equal inputs");
        }
    }
    let share = used.iter().filter(|used| **used).count() as f64 / INPUTS as f64;
    assert!(share > 0.4, "{share} of the inputs are used");
}

#[test]
fn moves_of_one_kind_share_a_rating() {
    let mut kinds: HashMap<usize, (Move, u8, usize)> = HashMap::new();
    for (position, _) in positions() {
        let mut moves = Vec::new();
        position.legal(&mut moves);
        for mv in moves {
            let tiles = position.sources[usize::from(mv.display)][mv.colour.index()].min(6);
            let from =
                usize::from(mv.display == 0) + usize::from(mv.display == 0 && position.marker.is_none());
            let rating = rating_of(&position, &mv);
            assert!((1..OUTPUTS).contains(&rating));
            let (other, n, source) = *kinds.entry(rating).or_insert((mv, tiles, from));
            assert_eq!((other.colour, other.line, n, source), (mv.colour, mv.line, tiles, from));
        }
    }
}

/// The squared error of the network's values is well below that of a constant value of one half.
#[test]
fn values_tell_the_winner() {
    let positions = positions();
    let network = mid_round_net();
    let error = |(position, score): &(Position, f64)| {
        let value = for_seat(network.value(&network.activations(position)), position.to_move);
        (f64::from(value) - score).powi(2)
    };
    let mean = positions.iter().map(error).sum::<f64>() / positions.len() as f64;
    assert!(mean < 0.15, "{mean} of {} positions", positions.len());
}
