//! The numeric form of positions without their types.

use crate::encoding::{Encode, Encoding};
use crate::erased::adapter::position::ErasedPosition;
use crate::erased::{EncodedPosition, MoveText, Refusal, RefusalCode};
use crate::game::{Game, Illegal, Turn, View, Viewer};

fn encoder<G: Game>() -> Result<&'static dyn Encode<G>, Refusal> {
    G::encoder().ok_or_else(Refusal::no_encoding)
}

/// The move of the viewer with this index.
///
/// # Errors
/// As [`EncodedPosition::action`].
pub(super) fn move_of<G: Game>(view: &G::View, index: u32) -> Result<G::Move, Refusal> {
    let encoder = encoder::<G>()?;
    let count = encoder.encoding().action_count();
    let place = index as usize;
    if place >= count {
        let detail = format!("action {index}: the actions of {} are 0 to {}", G::INFO.title, count - 1);
        return Err(Refusal::new(RefusalCode::BadMove, detail));
    }
    match view.turn() {
        Turn::Over => Err(Illegal::Over.into()),
        Turn::Of(seat) if view.viewer() != Viewer::Seat(seat) => Err(Illegal::NotYourTurn(seat).into()),
        Turn::Of(_) => encoder.action_of(view, place).ok_or_else(|| {
            let detail = format!("action {index} is not legal here: choose one that the mask allows");
            Refusal::new(RefusalCode::IllegalMove, detail)
        }),
    }
}

impl<G: Game> EncodedPosition for ErasedPosition<G> {
    fn encoding(&self) -> Option<&'static Encoding> {
        G::encoder().map(|encoder| encoder.encoding())
    }

    fn observe_into(&self, out: &mut [i16]) -> Result<(), Refusal> {
        encoder::<G>()?.observe(&self.0, out);
        Ok(())
    }

    fn mask_into(&self, out: &mut [bool]) -> Result<(), Refusal> {
        encoder::<G>()?.mask(&self.0, out);
        Ok(())
    }

    fn action(&self, index: u32) -> Result<MoveText, Refusal> {
        move_of::<G>(&self.0, index).map(|mv| MoveText::of(&mv))
    }

    fn action_index(&self, notation: &str) -> Result<u32, Refusal> {
        let encoder = encoder::<G>()?;
        let mv = self.legal_move(notation)?;
        // A legal move that is not listed may share the index of one that is.
        let index = encoder.index_of(&self.0, &mv);
        let listed = |index: &usize| encoder.action_of(&self.0, *index).as_ref() == Some(&mv);
        index.filter(listed).map(|index| index as u32).ok_or_else(|| {
            let detail = format!("{mv} is legal, but has no number: only the listed moves have one");
            Refusal::new(RefusalCode::NoEncoding, detail)
        })
    }
}
