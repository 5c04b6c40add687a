//! The trick, the deck, the hands and the taken cards as a picture, made of the board's own cards.

use std::sync::LazyLock;

use super::rules::{PublicTable, Rank};
use crate::picture::{Art, INK, Picture};

static ART: LazyLock<Art> = LazyLock::new(|| Art::read(include_str!("art.json")));

/// The most taken cards in a row.
const ROW: usize = 16;

/// Draws what both players see: a column for each seat with its points, its hand face down and what it took; deck and trick
/// below.
pub(super) fn picture(table: &PublicTable) -> String {
    let mut picture = Picture::with(&ART, ART.colour("cloth"));
    for seat in 0..2 {
        draw_seat(&mut picture, table, seat, 16.0 + seat as f32 * 592.0);
    }
    if table.deck > 0 {
        for layer in 0..usize::from(table.deck).min(3) {
            back(&mut picture, [50.0 + layer as f32 * 5.0, 385.0 - layer as f32 * 5.0], 130.0);
        }
        picture.disc([125.0, 475.0], 40.0, "#fffdf6");
        picture.text(&table.deck.to_string(), [125.0, 475.0], 32.0, INK);
    }
    let step = (940.0 / table.trick.len().max(1) as f32).min(190.0);
    for (place, rank) in table.trick.iter().enumerate() {
        face(&mut picture, *rank, [240.0 + place as f32 * step, 362.0], 164.0);
    }
    picture.finish()
}

fn draw_seat(picture: &mut Picture, table: &PublicTable, seat: usize, left: f32) {
    picture.framed([left, 16.0, 576.0, 320.0], "#fffdf8", "#d9d2c4");
    picture.text(&table.points()[seat].to_string(), [left + 486.0, 84.0], 72.0, INK);
    for card in 0..table.hands[seat] {
        back(picture, [left + 24.0 + f32::from(card) * 84.0, 30.0], 76.0);
    }
    let taken = &table.taken[seat];
    let step = 492.0 / (ROW - 1) as f32;
    for (place, rank) in taken.iter().enumerate() {
        let at = [left + 18.0 + (place % ROW) as f32 * step, 160.0 + (place / ROW) as f32 * 88.0];
        small(picture, *rank, at, 50.0);
    }
}

fn face(picture: &mut Picture, rank: Rank, [x, y]: [f32; 2], width: f32) {
    picture.card([x, y], width);
    let text = rank_text(rank);
    let height = Picture::fitting(text, width * 0.2, width * 0.3);
    picture.text(text, [x + width * 0.2, y + width * 0.18], height, "#22261f");
    picture.piece(
        &(rank.index() + 7).to_string(),
        50.0,
        [x + width * 0.14, y + width * 0.2],
        width * 0.72,
        1.0,
    );
    if let Some(mark) = mark(rank) {
        let size = width * 0.24;
        picture.piece(mark, 14.0, [x + width * 0.82, y + width * 0.18], size, 1.0);
    }
}

/// A taken card: its rank and its mark.
fn small(picture: &mut Picture, rank: Rank, [x, y]: [f32; 2], width: f32) {
    picture.card([x, y], width);
    let text = rank_text(rank);
    picture.text(
        text,
        [x + width * 0.33, y + width * 0.3],
        Picture::fitting(text, width * 0.36, width * 0.56),
        "#22261f",
    );
    if let Some(mark) = mark(rank) {
        picture.piece(mark, 14.0, [x + width * 0.32, y + width * 0.94], width * 0.5, 1.0);
    }
}

fn back(picture: &mut Picture, [x, y]: [f32; 2], width: f32) {
    picture.card([x, y], width);
    let edge = width * 0.06;
    picture.rect([x + edge, y + edge, width - 2.0 * edge, width * 1.44 - 2.0 * edge], ART.colour("back"));
    for dot in 0..24 {
        let at = [x + width * (0.2 + 0.2 * (dot % 4) as f32), y + width * (0.2 + 0.208 * (dot / 4) as f32)];
        picture.ring(at, width * 0.045, width * 0.015, ART.colour("dot"));
    }
}

/// The mark of a card that counts, or that always cuts.
fn mark(rank: Rank) -> Option<&'static str> {
    match rank.index() + 7 {
        7 => Some("scissors"),
        10 | 14 => Some("star"),
        _ => None,
    }
}

fn rank_text(rank: Rank) -> &'static str {
    ["7", "8", "9", "10", "J", "Q", "K", "A"][rank.index()]
}
