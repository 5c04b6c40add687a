//! Ioiwari's state and moves. Must not know protocols or search.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Ioiwari, View};
use crate::game::{BadOptions, Outcome, Seat, Turn, Viewer};
use crate::rng::{Rng, Seed};

/// Number of pits on the ring.
pub(super) const PITS: usize = 7;
/// Most beads a pit can hold.
pub(super) const FULL: u8 = 5;
/// Beads in the game.
pub(super) const BEADS: u8 = 20;

/// Beads in each pit, clockwise.
pub(super) type Pits = [u8; PITS];

/// Options of a deal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Beads in each pit at the start, 2 to 4, 20 in all; drawn from the seed if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pits: Option<Pits>,
}

/// A move: sows the beads of one pit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// The pit's number, 1 to 7.
    #[schemars(range(min = 1, max = 7))]
    pub pit: u8,
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.pit)
    }
}

impl FromStr for Move {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        match s.trim().parse() {
            Ok(pit @ 1..=7) => Ok(Self { pit }),
            _ => Err("a move is a pit number, 1 to 7".to_owned()),
        }
    }
}

/// The full state of a match. Both seats see all of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct State {
    /// Beads in each pit, clockwise, 0 to 5.
    pub(super) pits: Pits,
    /// Beads in each seat's bank; with the pits 20 in all.
    pub(super) banks: [u8; 2],
    /// The seat to move.
    pub(super) to_move: Seat,
}

impl State {
    pub(super) fn deal(options: &Options, seed: &Seed) -> Result<Self, BadOptions> {
        let pits = match options.pits {
            None => {
                static STARTS: LazyLock<Vec<Pits>> = LazyLock::new(starts);
                STARTS[Rng::new(seed).below(STARTS.len())]
            }
            Some(pits) if is_start(&pits) => pits,
            Some(_) => {
                return Err(BadOptions("pits: each holds 2 to 4 beads at the start, 20 in all".to_owned()));
            }
        };
        Ok(Self { pits, banks: [0, 0], to_move: Seat(0) })
    }

    /// How many beads the seat to move is ahead; negative if it is behind.
    pub(super) fn lead(&self) -> i8 {
        let own = self.to_move;
        self.banks[own.index()] as i8 - self.banks[own.other().index()] as i8
    }
}

/// All 357 start positions, in ascending order.
pub(super) fn starts() -> Vec<Pits> {
    let all = (0..3usize.pow(PITS as u32)).map(|n| {
        let mut rest = n;
        let mut pits = [0; PITS];
        for pit in pits.iter_mut().rev() {
            *pit = 2 + (rest % 3) as u8;
            rest /= 3;
        }
        pits
    });
    all.filter(is_start).collect()
}

fn is_start(pits: &Pits) -> bool {
    pits.iter().all(|p| (2..=4).contains(p)) && pits.iter().sum::<u8>() == BEADS
}

/// Sows pit `from` (an index, 0 to 6) and returns the beads that the mover's and the opponent's bank gain. With more than
/// one bead in hand, a pit of 5 gives a bead to the mover's bank and any other pit receives one. The last bead captures a
/// pit of 1 to 4 beads together with itself; at any other pit it goes to the opponent's bank.
pub(super) fn sow(pits: &mut Pits, from: usize) -> [u8; 2] {
    let mut hand = std::mem::take(&mut pits[from]);
    let mut at = from;
    let mut own = 0;
    loop {
        at = if at + 1 == PITS { 0 } else { at + 1 };
        if hand == 1 {
            return if (1..FULL).contains(&pits[at]) {
                [own + 1 + std::mem::take(&mut pits[at]), 0]
            } else {
                [own, 1]
            };
        }
        if pits[at] == FULL {
            pits[at] -= 1;
            own += 1;
        } else {
            pits[at] += 1;
            hand -= 1;
        }
    }
}

impl crate::game::State<Ioiwari> for State {
    fn seats(&self) -> u8 {
        2
    }

    fn turn(&self) -> Turn {
        if self.pits == [0; PITS] { Turn::Over } else { Turn::Of(self.to_move) }
    }

    fn play(&mut self, mv: &Move) {
        let [own, other] = sow(&mut self.pits, usize::from(mv.pit - 1));
        self.banks[self.to_move.index()] += own;
        self.to_move = self.to_move.other();
        self.banks[self.to_move.index()] += other;
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.turn() == Turn::Over)
            .then(|| Outcome::by_points(self.banks.map(i32::from).to_vec(), "all pits are empty"))
    }

    fn view(&self, viewer: Viewer) -> View {
        View::new(self.clone(), viewer)
    }

    fn audit(&self) -> Result<(), String> {
        let beads: u8 = self.pits.iter().chain(&self.banks).fold(0, |sum, n| sum.saturating_add(*n));
        if self.pits.iter().any(|p| *p > FULL) {
            return Err(format!("pits: a pit never holds more than 5 beads: {:?}", self.pits));
        }
        if beads != BEADS {
            return Err(format!("pits and banks: there are 20 beads in the game, not {beads}"));
        }
        Ok(())
    }
}
