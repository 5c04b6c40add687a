//! What all *games of perfect information* share: games in which every viewer sees the whole state. A game writes its rules;
//! its view and, if it is for two who move in turn, its dialogue are here. Knows no game, no search, no clock.

mod dialogue;
mod view;

pub use dialogue::{Alternating, AlternatingPlayer, AlternatingReferee, can_tell_start};
pub use view::PublicView;

use schemars::JsonSchema;

use crate::game::{Game, Seat, State};

/// The state of a game of perfect information, a struct with named fields. Its JSON with the viewer in it is the view's, so the
/// docstrings of its fields are read by callers of the API. The field of [`Self::to_move`] is called `to_move`.
pub trait PublicState<G: Game>: State<G> + JsonSchema {
    /// The seat to move; after the end of the match, the seat that would move.
    fn to_move(&self) -> Seat;

    /// Appends the moves of the seat to move, each once, promising ones first. Also of a state that [`State::audit`] refuses,
    /// which a dialogue may lead to.
    fn moves(&self, out: &mut Vec<G::Move>);

    /// Whether the seat to move may play this.
    fn allows(&self, mv: &G::Move) -> bool {
        let mut all = Vec::new();
        self.moves(&mut all);
        all.contains(mv)
    }

    /// Appends the moves that `viewer`, who is not to move, may choose in advance; see [`crate::game::View::premoves`]. The match
    /// is not over.
    fn premoves(&self, viewer: Seat, out: &mut Vec<G::Move>) {
        let _ = (viewer, out);
    }

    /// See [`crate::game::View::picture`].
    fn picture(&self) -> Option<String> {
        None
    }
}

/// A game in which every viewer sees the whole state. Each game whose types say so is one.
pub trait PerfectInformationGame: Game<State: PublicState<Self>, View = PublicView<Self>> {}
impl<G: Game<State: PublicState<G>, View = PublicView<G>>> PerfectInformationGame for G {}
