//! The melds, the stock, the discard pile and the hands face down as a picture, made of the board's own cards.

use std::sync::LazyLock;

use super::rules::{CANASTRA, Card, Meld, PublicTable};
use crate::picture::{Art, INK, Picture};

static ART: LazyLock<Art> = LazyLock::new(|| Art::read(include_str!("art.json")));

/// The suits in their order, as pieces and colours.
const SUITS: [&str; 4] = ["♥", "♦", "♣", "♠"];
const RANKS: [&str; 13] = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
/// The part of a card that the next card of a meld leaves free, and the gap between melds: in widths of a card.
const FREE: f32 = 0.52;
const GAP: f32 = 0.3;
/// The place of a seat's melds: its width and its height.
const ROOM: [f32; 2] = [548.0, 364.0];

/// Draws the cards that both players see: stock and pile in the middle of the top row, between the hands; the melds of the seats
/// below, beside each other.
pub(super) fn picture(table: &PublicTable) -> String {
    let mut picture = Picture::with(&ART, ART.colour("cloth"));
    for seat in 0..2 {
        let left = 16.0 + seat as f32 * 592.0;
        picture.framed([left, 186.0, 576.0, 428.0], "#ffffff80", ART.colour("edge"));
        melds(&mut picture, &table.melds[seat], [left + 14.0, 202.0]);
        let points: i32 = table.melds[seat].iter().map(Meld::points).sum();
        picture.text(&points.to_string(), [left + 500.0, 590.0], 30.0, INK);
        hand(&mut picture, usize::from(table.sizes[seat]), if seat == 0 { 30.0 } else { 980.0 });
    }
    if table.stock > 0 {
        back(&mut picture, [250.0, 24.0], 92.0);
        number(&mut picture, usize::from(table.stock), [296.0, 90.0]);
    }
    pile(&mut picture, &table.pile);
    picture.finish()
}

/// Draws the pile in rows, oldest card first, as large as all its cards fit with their ranks in sight.
fn pile(picture: &mut Picture, cards: &[Card]) {
    let ([left, top], [across, down]) = ([368.0, 20.0], [596.0, 156.0]);
    let row_of = |width: f32| (1.0 + (across - width) / (width * FREE)) as usize;
    let fits = |width: &f32| cards.len().div_ceil(row_of(*width)) as f32 * (width * 1.44 + 4.0) <= down;
    let width = (4..=23).rev().map(|four| four as f32 * 4.0).find(fits).unwrap_or(12.0);
    for (place, card) in cards.iter().enumerate() {
        let [row, column] = [place / row_of(width), place % row_of(width)].map(|n| n as f32);
        face(picture, *card, [left + column * width * FREE, top + row * (width * 1.44 + 4.0)], width);
    }
}

/// A hand face down with the number of its cards.
fn hand(picture: &mut Picture, cards: usize, left: f32) {
    for card in 0..cards.min(5) {
        back(picture, [left + card as f32 * 24.0, 24.0], 92.0);
    }
    number(picture, cards, [left + 92.0, 90.0]);
}

fn number(picture: &mut Picture, number: usize, at: [f32; 2]) {
    picture.disc(at, 28.0, "#fffefa");
    picture.ring(at, 28.0, 2.0, ART.colour("edge"));
    picture.text(&number.to_string(), at, 24.0, INK);
}

/// Draws melds beside each other in rows, as large as all of them fit.
fn melds(picture: &mut Picture, melds: &[Meld], [left, top]: [f32; 2]) {
    let sizes: Vec<usize> = melds.iter().map(|meld| meld.cards().len()).collect();
    let width = (6..=24)
        .rev()
        .map(|four| four as f32 * 4.0)
        .find(|width| rows(&sizes, *width).is_some())
        .unwrap_or(20.0);
    let places = rows(&sizes, width).unwrap_or_default();
    for (meld, [x, y]) in melds.iter().zip(places) {
        for (place, card) in meld.cards().iter().enumerate() {
            face(picture, *card, [left + x + place as f32 * width * FREE, top + y], width);
        }
        if meld.cards().len() >= CANASTRA {
            let height = width * 1.44;
            let long = width * (1.0 + FREE * (meld.cards().len() - 1) as f32);
            picture.rect([left + x, top + y + height + 3.0, long, 5.0], ART.colour("gold"));
        }
    }
}

/// Where melds of these sizes lie if a card is this wide; `None` if there is no room.
fn rows(sizes: &[usize], width: f32) -> Option<Vec<[f32; 2]>> {
    let (mut x, mut y) = (0.0, 0.0);
    let (height, mut places) = (width * 1.44, Vec::new());
    for size in sizes {
        let long = width * (1.0 + FREE * (size - 1) as f32);
        if x > 0.0 && x + long > ROOM[0] {
            (x, y) = (0.0, y + height + width * 0.2);
        }
        places.push([x, y]);
        x += long + width * GAP;
        if long > ROOM[0] || y + height + 8.0 > ROOM[1] {
            return None;
        }
    }
    Some(places)
}

fn face(picture: &mut Picture, card: Card, [x, y]: [f32; 2], width: f32) {
    picture.card([x, y], width);
    let (suit, rank) = (SUITS[usize::from(card.suit())], RANKS[usize::from(card.rank()) - 1]);
    let height = Picture::fitting(rank, width * 0.32, width * 0.44);
    picture.text(rank, [x + width * 0.26, y + width * 0.25], height, ART.colour(suit));
    picture.piece(suit, 24.0, [x + width * 0.1, y + width * 0.52], width * 0.3, 1.0);
    picture.piece(suit, 24.0, [x + width * 0.44, y + width * 0.84], width * 0.48, 1.0);
}

fn back(picture: &mut Picture, [x, y]: [f32; 2], width: f32) {
    picture.card([x, y], width);
    let edge = width * 0.06;
    picture.rect([x + edge, y + edge, width - 2.0 * edge, width * 1.44 - 2.0 * edge], "#7b3035");
    for square in 0..48 {
        let (column, row) = (square % 6, square / 6);
        if (column + row) % 2 == 0 {
            let (across, down) = (width * 0.138, width * 0.156);
            let at = [x + width * 0.086 + column as f32 * across, y + width * 0.096 + row as f32 * down];
            picture.rect([at[0], at[1], across, down], "#8c3b3f");
        }
    }
}
