//! Azul's rules by hand-worked cases, its dialogue byte for byte, its clock.

use std::time::Duration;

use super::protocol::{Bot, Judge};
use super::rules::{Board, Line, Position, Wall};
use super::{Azul, Colour, Move, Options, State, View};
use crate::game::{Foul, Game, Seat, State as _, Table, Turn, View as _, Viewer};
use crate::protocol::{Lines, Player, Referee, Settings};
use crate::rng::{Rng, Seed};

mod dialogue;
mod play;
mod rounds;
mod scores;
mod yardsticks;

fn mv(text: &str) -> Move {
    text.parse().unwrap()
}

fn deal(seed: u64) -> State {
    Azul::deal(&Options::default(), &Seed::from(seed)).unwrap()
}

/// A wall from its rows, `.` and `x`; the colours follow from the places.
fn wall(rows: [&str; 5]) -> Wall {
    let bits = rows.iter().flat_map(|r| r.chars()).enumerate();
    Wall(bits.filter(|(_, c)| *c == 'x').map(|(i, _)| 1 << i).sum())
}

fn line(count: u8, colour: Colour) -> Line {
    Line { count, colour: colour as u8 }
}
