//! The numeric form of Ioiwari's views and moves.

use super::rules::{BEADS, FULL, Move, PITS};
use super::{Ioiwari, View};
use crate::encoding::{ActionBlock, Encode, Encoding, ObservationField, ObservationWriter};

static ENCODING: Encoding = Encoding {
    version: 1,
    observation: &[
        ObservationField::seated(),
        ObservationField::first_seat(&[2]),
        ObservationField::to_move(&[2]),
        ObservationField::count("pits", &[PITS], FULL as i16, "Beads in pits 1 to 7."),
        ObservationField::count("banks", &[2], BEADS as i16, "Beads in the bank of each seat."),
    ],
    actions: &[ActionBlock::new("sow", &[PITS], "Sows the beads of pit 1 to 7.")],
};

impl Encode<Ioiwari> for Ioiwari {
    fn encoding(&self) -> &'static Encoding {
        &ENCODING
    }

    fn observe(&self, view: &View, out: &mut [i16]) {
        let mut writer = ObservationWriter::begin::<Self>(&ENCODING, out, view, 2, 2);
        writer.put(view.state().pits);
        let banks = view.state().banks;
        writer.put(writer.seats().map(|seat| banks[seat.index()]));
        writer.finish();
    }

    fn index_of(&self, _: &View, mv: &Move) -> Option<usize> {
        usize::from(mv.pit).checked_sub(1).filter(|index| *index < PITS)
    }
}
