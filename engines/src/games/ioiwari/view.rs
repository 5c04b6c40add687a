//! The part of an Ioiwari match that a viewer may know: the whole state, since nothing is hidden.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Ioiwari;
use super::rules::{Move, Pits, State};
use crate::game::{Seat, State as _, Turn, Viewer};
use crate::rng::Rng;

/// The most values of a position: pits, banks, seat to move and viewer.
pub(super) const MOST_VALUES: usize = 7 + 2 + 2;

/// A position as one viewer sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Raw", into = "Raw")]
#[schemars(with = "Raw")]
pub struct View {
    state: State,
    viewer: Viewer,
}

/// A position in Ioiwari.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "IoiwariView")]
struct Raw {
    /// Beads in each pit, clockwise, 0 to 5.
    pits: Pits,
    /// Beads in each seat's bank; with the pits 20 in all.
    banks: [u8; 2],
    /// The seat to move.
    to_move: Seat,
    /// The viewer; the seat to move if absent.
    viewer: Option<Viewer>,
}

impl View {
    pub(super) fn new(state: State, viewer: Viewer) -> Self {
        Self { state, viewer }
    }

    /// Beads in each pit, clockwise.
    pub fn pits(&self) -> &Pits {
        &self.state.pits
    }

    /// How many beads the seat to move is ahead; negative if it is behind.
    pub fn lead(&self) -> i8 {
        let own = self.state.to_move;
        self.state.banks[own.index()] as i8 - self.state.banks[own.other().index()] as i8
    }
}

impl TryFrom<Raw> for View {
    type Error = String;

    fn try_from(raw: Raw) -> Result<Self, String> {
        let seat_exists = |seat: Seat| seat.0 < 2;
        if !seat_exists(raw.to_move) {
            return Err("to_move: there are seats 0 and 1".to_owned());
        }
        let viewer = raw.viewer.unwrap_or(Viewer::Seat(raw.to_move));
        if matches!(viewer, Viewer::Seat(seat) if !seat_exists(seat)) {
            return Err("viewer: there are seats 0 and 1".to_owned());
        }
        let state = State { pits: raw.pits, banks: raw.banks, to_move: raw.to_move };
        state.audit()?;
        Ok(Self { state, viewer })
    }
}

impl From<View> for Raw {
    fn from(view: View) -> Self {
        let State { pits, banks, to_move } = view.state;
        Self { pits, banks, to_move, viewer: Some(view.viewer) }
    }
}

impl crate::game::View<Ioiwari> for View {
    fn viewer(&self) -> Viewer {
        self.viewer
    }

    fn turn(&self) -> Turn {
        self.state.turn()
    }

    fn legal(&self, out: &mut Vec<Move>) {
        if self.viewer == Viewer::Seat(self.state.to_move) {
            out.extend((1..=7).map(|pit| Move { pit }).filter(|mv| self.is_legal(mv)));
        }
    }

    fn is_legal(&self, mv: &Move) -> bool {
        self.viewer == Viewer::Seat(self.state.to_move)
            && matches!(mv.pit, 1..=7)
            && self.state.pits[usize::from(mv.pit - 1)] > 0
    }

    fn picture(&self) -> Option<String> {
        Some(super::picture::picture(&self.state.pits, self.state.banks))
    }

    fn guess(&self, _: &mut Rng) -> State {
        self.state.clone()
    }
}
