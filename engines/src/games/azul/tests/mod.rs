//! Tests of Azul: rules by hand-worked cases, the dialogue byte for byte, time shares, engines. This file has the helpers.

use std::time::Duration;

use super::protocol::{PlayerDialogue, RefereeDialogue};
use super::rules::{Board, Line, Position, Wall};
use super::{Azul, Colour, Move, Options, State, View};
use crate::game::{Foul, Game, Seat, State as _, Table, Turn, View as _, Viewer};
use crate::protocol::{Lines, Player, Referee, Settings};
use crate::rng::{Rng, Seed};

mod baselines;
mod broken_rules;
mod dialogue;
mod exact;
mod files;
mod hard;
mod mid_round_net;
mod play;
mod positions;
mod rounds;
mod scores;

fn mv(text: &str) -> Move {
    text.parse().unwrap()
}

fn deal(seed: u64) -> State {
    Azul::deal(&Options::default(), &Seed::from(seed)).unwrap()
}

/// A wall from its rows of `.` and `x`. The place of a tile determines its colour.
fn wall(rows: [&str; 5]) -> Wall {
    let bits = rows.iter().flat_map(|r| r.chars()).enumerate();
    Wall(bits.filter(|(_, c)| *c == 'x').map(|(i, _)| 1 << i).sum())
}

fn line(count: u8, colour: Colour) -> Line {
    Line { count, colour: colour as u8 }
}
