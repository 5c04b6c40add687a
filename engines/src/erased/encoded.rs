//! The numeric form of positions without their types.

use crate::encoding::Encoding;
use crate::erased::{MoveText, Refusal};

/// The numeric form of a position, by the game's [`Encoding`]. The methods as they are here are those of a game without one.
pub trait EncodedPosition {
    /// The layout; `None`: the game has none.
    fn encoding(&self) -> Option<&'static Encoding> {
        None
    }

    /// Writes the observation of the viewer.
    ///
    /// # Errors
    /// `no_encoding`.
    ///
    /// # Panics
    /// If `out` has not [`Encoding::observation_len`] values.
    fn observe_into(&self, out: &mut [i16]) -> Result<(), Refusal> {
        let _ = out;
        Err(Refusal::no_encoding())
    }

    /// Writes whether each action is legal; all are `false` when it is not the viewer's turn. The legal actions are those of
    /// [`Position::legal_moves`](crate::erased::Position::legal_moves).
    ///
    /// # Errors
    /// `no_encoding`.
    ///
    /// # Panics
    /// If `out` has not [`Encoding::action_count`] values.
    fn mask_into(&self, out: &mut [bool]) -> Result<(), Refusal> {
        let _ = out;
        Err(Refusal::no_encoding())
    }

    /// The move of an action.
    ///
    /// # Errors
    /// `no_encoding`; `bad_move` if there is no such action; `match_over`, `not_your_turn`, `illegal_move`.
    fn action(&self, index: u32) -> Result<MoveText, Refusal> {
        let _ = index;
        Err(Refusal::no_encoding())
    }

    /// The action of a move.
    ///
    /// # Errors
    /// `bad_move`, `match_over`, `not_your_turn`, `illegal_move`; `no_encoding` also if the move is legal but not listed, so
    /// that it has no index.
    fn action_index(&self, notation: &str) -> Result<u32, Refusal> {
        let _ = notation;
        Err(Refusal::no_encoding())
    }

    /// The observation of the viewer; `None`: the game has none.
    fn observe(&self) -> Option<Vec<i16>> {
        let mut out = vec![0; self.encoding()?.observation_len()];
        self.observe_into(&mut out).ok()?;
        Some(out)
    }

    /// Whether each action is legal, as [`Self::mask_into`]; `None`: the game has no actions.
    fn action_mask(&self) -> Option<Vec<bool>> {
        let mut out = vec![false; self.encoding()?.action_count()];
        self.mask_into(&mut out).ok()?;
        Some(out)
    }
}
