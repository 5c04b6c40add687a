//! The market, the bank and the players' points as a picture.

use super::rules::{Board, card};
use crate::picture::{Picture, SEATS};

/// The colours in their order, red, green, blue, white, black, gold: the fill, and the ink on it.
const COLOURS: [(&str, &str); 6] = [
    ("#b3262e", "#fff"),
    ("#1f7a4c", "#fff"),
    ("#2459a8", "#fff"),
    ("#f3efe6", "#333"),
    ("#2c2a2e", "#fff"),
    ("#e0b02c", "#3a2a00"),
];

/// Draws the market with the highest cards at the top, the bank at the right, the players at the bottom.
pub(super) fn picture(board: &Board) -> String {
    let mut picture = Picture::new("#4a3b52");
    for (level, slots) in board.face_up.iter().enumerate() {
        let y = 20.0 + (2 - level) as f32 * 160.0;
        picture.rect([40.0, y, 110.0, 148.0], "#6b5876");
        picture.text(&board.decks[level].to_string(), [95.0, y + 74.0], 44.0, "#fff");
        for (slot, id) in slots.iter().enumerate().filter(|(_, id)| **id > 0) {
            draw_card(&mut picture, *id, [180.0 + slot as f32 * 150.0, y]);
        }
    }
    for (colour, (fill, ink)) in COLOURS.into_iter().enumerate() {
        let at = [860.0 + (colour % 3) as f32 * 120.0, 150.0 + (colour / 3) as f32 * 150.0];
        picture.disc(at, 54.0, fill);
        picture.ring(at, 46.0, 3.0, ink);
        picture.text(&board.bank[colour].to_string(), at, 44.0, ink);
    }
    let width = 1120.0 / board.hands.len() as f32;
    for (seat, hand) in board.hands.iter().enumerate() {
        let left = 40.0 + seat as f32 * width;
        picture.rect([left + 4.0, 510.0, width - 8.0, 100.0], SEATS[seat % SEATS.len()]);
        picture.text(&hand.points().to_string(), [left + 52.0, 560.0], 46.0, "#ffe08a");
        let step = ((width - 130.0) / 6.0).min(70.0);
        for (colour, (fill, ink)) in COLOURS.into_iter().enumerate() {
            let at = [left + 130.0 + colour as f32 * step, 560.0];
            picture.disc(at, step * 0.4, fill);
            picture.text(&hand.chips[colour].to_string(), at, step * 0.36, ink);
        }
    }
    picture.finish()
}

fn draw_card(picture: &mut Picture, id: u8, [x, y]: [f32; 2]) {
    let card = card(id);
    let (fill, _) = COLOURS[usize::from(card.bonus)];
    picture.rect([x, y, 130.0, 148.0], "#f6efe2");
    picture.rect([x, y, 130.0, 44.0], fill);
    if card.points > 0 {
        let (_, ink) = COLOURS[usize::from(card.bonus)];
        picture.text(&card.points.to_string(), [x + 24.0, y + 22.0], 28.0, ink);
    }
    let costs = card.cost.iter().enumerate().filter(|(_, count)| **count > 0);
    for (place, (colour, count)) in costs.enumerate() {
        let (fill, ink) = COLOURS[colour];
        let at = [x + 28.0 + (place % 3) as f32 * 37.0, y + 72.0 + (place / 3) as f32 * 42.0];
        picture.disc(at, 18.0, fill);
        picture.ring(at, 17.0, 1.5, "#0006");
        picture.text(&count.to_string(), at, 18.0, ink);
    }
}
