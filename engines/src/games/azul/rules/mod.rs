//! The full state of a match of Azul: the visible position, the seed of the future refills, the round number. Must not
//! know protocols or search.

mod audit;
mod board;
mod moves;
mod position;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use board::{Board, FLOOR_COST, FLOOR_SLOTS, ROWS};
pub(super) use board::{Line, Wall, column};
pub use moves::{COLOURS, Colour, FLOOR, Move};
pub(super) use moves::{Counts, SOURCES};
pub use position::Position;

use super::Azul;
use super::view::{RawPosition, View};
use crate::game::{BadOptions, Outcome, Turn, Viewer};
use crate::rng::{Rng, Seed};

/// Options of a deal: there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Options {}

/// The full state of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "RawState", into = "RawState")]
pub struct State {
    position: Position,
    seed: Seed,
    round: u32,
}

/// A state in its stored form.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawState {
    position: RawPosition,
    seed: Seed,
    /// Number of the current round, from 0.
    round: u32,
}

impl TryFrom<RawState> for State {
    type Error = String;

    fn try_from(raw: RawState) -> Result<Self, String> {
        Ok(Self { position: raw.position.try_into()?, seed: raw.seed, round: raw.round })
    }
}

impl From<State> for RawState {
    fn from(state: State) -> Self {
        Self { position: state.position.into(), seed: state.seed, round: state.round }
    }
}

impl State {
    pub(super) fn deal(_: &Options, seed: &Seed) -> Result<Self, BadOptions> {
        let mut position = Position::empty();
        refill(&mut position, seed, 0);
        Ok(Self { position, seed: *seed, round: 0 })
    }

    /// A match in this position whose future refills come from this seed.
    pub(super) fn at(position: Position, seed: Seed) -> Self {
        Self { position, seed, round: 0 }
    }

    /// The visible position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Number of the current round, from 0. In a state made from a view, rounds count from that view.
    pub fn round(&self) -> u32 {
        self.round
    }
}

/// Fills the displays for a round. The result depends only on the seed, the round and the bag's content: the bag is laid
/// out colour by colour and shuffled, and its first 20 tiles are dealt. If all five displays are single-coloured, they
/// are dealt again.
fn refill(position: &mut Position, seed: &Seed, round: u32) {
    let mut rng = Rng::stream(seed, u64::from(round));
    let counts = position.bag();
    let mut bag: Vec<u8> = (0u8..).zip(counts).flat_map(|(c, n)| (0..n).map(move |_| c)).collect();
    loop {
        rng.shuffle(&mut bag);
        position.fill(&bag);
        if !position.is_dull() {
            return;
        }
    }
}

impl crate::game::State<Azul> for State {
    fn seats(&self) -> u8 {
        2
    }

    fn turn(&self) -> Turn {
        if self.position.is_over() { Turn::Over } else { Turn::Of(self.position.to_move) }
    }

    fn play(&mut self, mv: &Move) {
        self.position.take(mv);
        if self.position.is_bare() {
            self.position.end_round();
            if !self.position.has_row() {
                self.round = self.round.wrapping_add(1);
                refill(&mut self.position, &self.seed, self.round);
            }
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        if !self.position.is_over() {
            return None;
        }
        let standing = self.position.boards.map(|b| (b.score, b.wall.rows()));
        let points = standing.map(|(score, _)| i32::from(score)).to_vec();
        let ranks = match standing[0].cmp(&standing[1]) {
            std::cmp::Ordering::Greater => vec![1, 2],
            std::cmp::Ordering::Equal => vec![1, 1],
            std::cmp::Ordering::Less => vec![2, 1],
        };
        Some(Outcome { points, ranks, reason: "a row of a wall is complete".to_owned() })
    }

    fn view(&self, viewer: Viewer) -> View {
        View::new(self.position, viewer)
    }

    fn audit(&self) -> Result<(), String> {
        self.position.audit()
    }
}
