//! Take-away's state and moves. Must not know protocols or search.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{TakeAway, View};
use crate::game::{BadOptions, Outcome, Seat, Turn, Viewer};
use crate::rng::{Rng, Seed};

/// The most counters of a heap.
pub(super) const MOST: u8 = 24;
/// The fewest counters of a heap at the start.
pub(super) const LEAST: u8 = 15;
/// The most counters that a move takes.
pub(super) const TAKES: u8 = 3;

/// Options of a deal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Counters at the start, 15 to 24; drawn from the seed if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counters: Option<u8>,
}

/// A move: takes counters from the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// How many, 1 to 3.
    #[schemars(range(min = 1, max = 3))]
    pub take: u8,
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.take)
    }
}

impl FromStr for Move {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        match s.trim().parse() {
            Ok(take @ 1..=TAKES) => Ok(Self { take }),
            _ => Err(format!("a move is a number of counters, 1 to {TAKES}")),
        }
    }
}

/// The full state of a match. Both seats see all of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct State {
    /// Counters in the heap, at most 24.
    pub(super) counters: u8,
    /// The seat to move.
    pub(super) to_move: Seat,
}

impl State {
    pub(super) fn deal(options: &Options, seed: &Seed) -> Result<Self, BadOptions> {
        let counters = match options.counters {
            None => LEAST + Rng::new(seed).below(usize::from(MOST - LEAST + 1)) as u8,
            Some(counters @ LEAST..=MOST) => counters,
            Some(_) => return Err(BadOptions(format!("counters: {LEAST} to {MOST} at the start"))),
        };
        Ok(Self { counters, to_move: Seat(0) })
    }
}

/// The points of both seats if this one wins.
pub(super) fn points_of(winner: Seat) -> Vec<i32> {
    (0..2).map(|seat| i32::from(winner == Seat(seat))).collect()
}

impl crate::game::State<TakeAway> for State {
    fn seats(&self) -> u8 {
        2
    }

    fn turn(&self) -> Turn {
        if self.counters == 0 { Turn::Over } else { Turn::Of(self.to_move) }
    }

    fn play(&mut self, mv: &Move) {
        self.counters -= mv.take;
        self.to_move = self.to_move.other();
    }

    fn outcome(&self) -> Option<Outcome> {
        let last = self.to_move.other();
        (self.counters == 0).then(|| Outcome::by_points(points_of(last), "the last counter is taken"))
    }

    fn view(&self, viewer: Viewer) -> View {
        View::new(self.clone(), viewer)
    }

    fn audit(&self) -> Result<(), String> {
        match self.counters {
            0..=MOST => Ok(()),
            more => Err(format!("counters: a heap has at most {MOST}, not {more}")),
        }
    }
}
