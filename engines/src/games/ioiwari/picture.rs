//! The ring of pits and the two banks as a picture, made of the board's own pieces.

use std::sync::LazyLock;

use super::rules::Pits;
use crate::picture::{Art, INK, Picture};

static ART: LazyLock<Art> = LazyLock::new(|| Art::read(include_str!("art.json")));

/// The shades of glass beads.
const SHADES: usize = 3;
/// The ring: its middle and its radius.
const MIDDLE: [f32; 2] = [600.0, 315.0];
const RADIUS: f32 = 296.0;

/// Draws the ring, pit 1 at the top, clockwise, between the banks.
pub(super) fn picture(pits: &Pits, banks: [u8; 2]) -> String {
    let mut picture = Picture::with(&ART, "#f1ece2");
    picture.disc(MIDDLE, RADIUS, ART.colour("wood-deep"));
    picture.disc(MIDDLE, RADIUS - 7.0, ART.colour("wood"));
    picture.disc(MIDDLE, RADIUS * 0.43, ART.colour("wood-light"));
    picture.piece("way", 100.0, [MIDDLE[0] - RADIUS, MIDDLE[1] - RADIUS], 2.0 * RADIUS, 1.0);
    for (pit, beads) in pits.iter().enumerate() {
        let turn = pit as f32 * std::f32::consts::TAU / pits.len() as f32;
        let at = |radius: f32| {
            [MIDDLE[0] + radius * RADIUS * turn.sin(), MIDDLE[1] - radius * RADIUS * turn.cos()]
        };
        picture.disc(at(0.72), RADIUS * 0.225, ART.colour("hollow"));
        heap(&mut picture, at(0.72), usize::from(*beads), pit);
        let number = at(0.38);
        picture.rect([number[0] - 19.0, number[1] - 18.0, 38.0, 36.0], "#fdf3e0");
        picture.text(&beads.to_string(), number, 21.0, "#3b2509");
    }
    for (seat, (bank, x)) in banks.into_iter().zip([152.0, 1048.0]).enumerate() {
        picture.framed([x - 136.0, 60.0, 272.0, 510.0], "#fffdf8", "#d9d2c4");
        picture.text(&bank.to_string(), [x, 128.0], 64.0, INK);
        for place in 0..usize::from(bank) {
            let at = [x - 96.0 + (place % 5) as f32 * 48.0, 216.0 + (place / 5) as f32 * 48.0];
            bead(&mut picture, at, 20.0, seat + place);
        }
    }
    picture.finish()
}

/// A glass bead.
fn bead(picture: &mut Picture, [x, y]: [f32; 2], radius: f32, shade: usize) {
    picture.disc([x + 1.0, y + 2.0], radius, "#0005");
    picture.disc([x, y], radius, "#51646e");
    picture.disc(
        [x - radius * 0.06, y - radius * 0.08],
        radius * 0.9,
        ART.colour(&format!("bead {}", shade % SHADES)),
    );
    picture.disc([x - radius * 0.32, y - radius * 0.42], radius * 0.2, "#fff");
}

/// Beads in a circle around a place; a single one in its middle.
fn heap(picture: &mut Picture, at: [f32; 2], beads: usize, pit: usize) {
    let radius = if beads == 1 { 0.0 } else { 32.0 };
    for place in 0..beads {
        let turn = place as f32 * std::f32::consts::TAU / beads as f32;
        bead(picture, [at[0] + radius * turn.sin(), at[1] - radius * turn.cos()], 18.0, pit + place);
    }
}
