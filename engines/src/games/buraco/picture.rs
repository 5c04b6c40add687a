//! The melds, the stock and the discard pile as a picture.

use super::rules::{Card, Meld, PublicTable};
use crate::picture::{Picture, SEATS};

/// The suits in their order, ♥ ♦ ♣ ♠: shape and colour.
const SUITS: [(&str, &str); 4] = [
    (
        "M12 22.5C8.5 17 1.5 13.5 1.5 7.6A5.6 5.6 0 0 1 12 5 5.6 5.6 0 0 1 22.5 7.6C22.5 13.5 15.5 17 12 22.5Z",
        "#b71c2b",
    ),
    ("M12 1L21 12 12 23 3 12Z", "#1559b0"),
    (
        "M12 1.5A4.9 4.9 0 0 1 15.9 9.3 4.9 4.9 0 1 1 13.3 16.9Q13.6 21 16 23H8Q10.4 21 10.7 16.9A4.9 4.9 0 1 1 8.1 9.3A4.9 4.9 0 0 1 12 1.5Z",
        "#1b6b34",
    ),
    (
        "M12 1C15 6 22 9.5 22 15A5 5 0 0 1 13.3 18.3Q13.7 21.5 16 23H8Q10.3 21.5 10.7 18.3A5 5 0 0 1 2 15C2 9.5 9 6 12 1Z",
        "#17212b",
    ),
];

/// Draws the cards that both players see: the second player's melds at the top, the first player's at the bottom,
/// stock and pile at the left.
pub(super) fn picture(table: &PublicTable) -> String {
    let mut picture = Picture::new("#2a6168");
    for (seat, y) in [(1, 24.0), (0, 325.0)] {
        picture.rect([250.0, y, 910.0, 281.0], SEATS[seat]);
        melds(&mut picture, &table.melds[seat], y + 16.0);
    }
    picture.rect([60.0, 60.0, 130.0, 182.0], "#7c3440");
    picture.text(&table.stock.to_string(), [125.0, 151.0], 56.0, "#fff");
    if let Some(top) = table.pile.last() {
        draw(&mut picture, *top, [60.0, 330.0], 130.0);
        picture.text(&table.pile.len().to_string(), [125.0, 565.0], 44.0, "#fff");
    }
    picture.finish()
}

/// Draws melds beside each other, as large as they fit.
fn melds(picture: &mut Picture, melds: &[Meld], top: f32) {
    let cards: usize = melds.iter().map(|meld| meld.cards().len()).sum();
    let rows = if cards > 16 { 2 } else { 1 };
    let width = if rows == 2 { 84.0 } else { 120.0 };
    let room = 870.0 * rows as f32 - width * melds.len() as f32;
    let step = (room / cards.max(1) as f32).clamp(12.0, width * 0.46);
    let (mut x, mut y) = (270.0, top);
    for meld in melds {
        let needed = width + step * (meld.cards().len() - 1) as f32;
        if x + needed > 1150.0 && y == top && rows == 2 {
            (x, y) = (270.0, top + 126.0);
        }
        for (place, card) in meld.cards().iter().enumerate() {
            draw(picture, *card, [x + place as f32 * step, y], width);
        }
        x += needed + 16.0;
    }
}

fn draw(picture: &mut Picture, card: Card, at: [f32; 2], width: f32) {
    let rank = match card.rank() {
        1 => "A".to_owned(),
        11 => "J".to_owned(),
        12 => "Q".to_owned(),
        13 => "K".to_owned(),
        rank => rank.to_string(),
    };
    picture.card(at, width, &rank, Some(SUITS[usize::from(card.suit())]));
}
