//! The ring of pits and the two banks as a picture.

use super::rules::Pits;
use crate::picture::{Picture, SEATS};

const BEADS: [&str; 3] = ["#8fc4d6", "#a9d2bb", "#d5cbe8"];

/// Draws the ring, pit 1 at the top, clockwise, between the banks.
pub(super) fn picture(pits: &Pits, banks: [u8; 2]) -> String {
    let mut picture = Picture::new("#3a4d59");
    let middle = [600.0, 315.0];
    picture.disc(middle, 290.0, "#c4935a");
    picture.ring(middle, 290.0, 8.0, "#95642f");
    for (pit, beads) in pits.iter().enumerate() {
        let angle = pit as f32 * std::f32::consts::TAU / pits.len() as f32;
        let at = [middle[0] + 205.0 * angle.sin(), middle[1] - 205.0 * angle.cos()];
        picture.disc(at, 74.0, "#55351a");
        heap(&mut picture, at, usize::from(*beads), 40.0, 17.0);
    }
    for (seat, (bank, x)) in banks.into_iter().zip([160.0, 1040.0]).enumerate() {
        picture.rect([x - 110.0, 115.0, 220.0, 400.0], SEATS[seat]);
        picture.text(&bank.to_string(), [x, 195.0], 84.0, "#fff");
        let [columns, gap] = [4, 46];
        for bead in 0..usize::from(bank) {
            let at = [x - 69.0 + (bead % columns * gap) as f32, 290.0 + (bead / columns * gap) as f32];
            picture.disc(at, 18.0, BEADS[bead % BEADS.len()]);
        }
    }
    picture.finish()
}

/// Beads in a circle around a place; a single one in its middle.
fn heap(picture: &mut Picture, at: [f32; 2], beads: usize, radius: f32, size: f32) {
    for bead in 0..beads {
        let angle = bead as f32 * std::f32::consts::TAU / beads as f32;
        let radius = if beads == 1 { 0.0 } else { radius };
        let at = [at[0] + radius * angle.sin(), at[1] - radius * angle.cos()];
        picture.disc(at, size, BEADS[bead % BEADS.len()]);
    }
}
