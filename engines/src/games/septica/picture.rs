//! The trick, the deck and the points taken as a picture.

use super::rules::{PublicTable, Rank};
use crate::picture::{Picture, SEATS};

/// Draws the parts that both players see: the trick in the middle, the deck, and each player's points.
pub(super) fn picture(table: &PublicTable) -> String {
    let mut picture = Picture::new("#3d7160");
    for (seat, y) in [(1, 24.0), (0, 470.0)] {
        picture.rect([40.0, y, 1120.0, 136.0], SEATS[seat]);
        for card in 0..table.hands[seat] {
            picture.rect([90.0 + f32::from(card) * 74.0, y + 20.0, 68.0, 96.0], "#8a3b3b");
            picture.rect([98.0 + f32::from(card) * 74.0, y + 28.0, 52.0, 80.0], "#b45b52");
        }
        picture.text(&table.points()[seat].to_string(), [1060.0, y + 68.0], 76.0, "#ffe08a");
    }
    if table.deck > 0 {
        picture.rect([70.0, 216.0, 140.0, 198.0], "#8a3b3b");
        picture.rect([84.0, 230.0, 112.0, 170.0], "#b45b52");
        picture.text(&table.deck.to_string(), [140.0, 315.0], 56.0, "#fff");
    }
    let step = (860.0 / table.trick.len().max(1) as f32).min(170.0);
    for (place, rank) in table.trick.iter().enumerate() {
        picture.card([260.0 + place as f32 * step, 216.0], 142.0, &rank_text(*rank), None);
    }
    picture.finish()
}

fn rank_text(rank: Rank) -> String {
    match rank.index() + 7 {
        11 => "J".to_owned(),
        12 => "Q".to_owned(),
        13 => "K".to_owned(),
        14 => "A".to_owned(),
        number => number.to_string(),
    }
}
