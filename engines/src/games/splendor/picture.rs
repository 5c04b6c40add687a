//! The market, the bank, the nobles and what the players hold as a picture, made of the board's own pieces.

use std::sync::LazyLock;

use super::rules::{Board, Hand, card, noble};
use crate::picture::{Art, INK, Picture};

static ART: LazyLock<Art> = LazyLock::new(|| Art::read(include_str!("art.json")));

/// The colours in their order.
const COLOURS: [&str; 6] = ["red", "green", "blue", "white", "black", "gold"];
/// The width of a card.
const CARD: f32 = 106.0;
/// How wide gems are drawn.
const DRAWN: f32 = 40.0;

/// Draws the players at the top, a column for each; below the market with the highest cards at its top, the nobles and the bank.
pub(super) fn picture(board: &Board) -> String {
    let mut picture = Picture::with(&ART, ART.colour("felt"));
    let width = 1176.0 / board.hands.len() as f32;
    for (seat, hand) in board.hands.iter().enumerate() {
        draw_player(&mut picture, hand, 12.0 + seat as f32 * width, width);
    }
    for (level, slots) in board.face_up.iter().enumerate() {
        let y = 168.0 + (2 - level) as f32 * 152.0;
        if board.decks[level] > 0 {
            back(&mut picture, level + 1, [24.0, y], CARD * 0.72);
            picture.text(&board.decks[level].to_string(), [24.0 + CARD * 0.36, y + 100.0], 26.0, "#fff");
        }
        for (slot, id) in slots.iter().enumerate().filter(|(_, id)| **id > 0) {
            face(&mut picture, *id, [124.0 + slot as f32 * 124.0, y], CARD);
        }
    }
    for (place, id) in board.nobles.iter().enumerate() {
        draw_noble(&mut picture, *id, [640.0 + (place % 5) as f32 * 110.0, 168.0], 98.0);
    }
    for (colour, name) in COLOURS.into_iter().enumerate() {
        let middle = [716.0 + (colour % 3) as f32 * 176.0, 374.0 + (colour / 3) as f32 * 160.0];
        chip(&mut picture, name, middle, 58.0);
        picture.disc([middle[0] + 48.0, middle[1] + 42.0], 24.0, ART.colour("panel"));
        picture.text(&board.bank[colour].to_string(), [middle[0] + 48.0, middle[1] + 42.0], 24.0, INK);
    }
    picture.finish()
}

/// A player's points, gems of cards, chips, reserved cards and nobles.
fn draw_player(picture: &mut Picture, hand: &Hand, left: f32, width: f32) {
    picture.framed([left + 4.0, 12.0, width - 8.0, 142.0], ART.colour("panel"), ART.colour("panel-edge"));
    let points = hand.points().to_string();
    picture.text(&points, [left + 42.0, 52.0], Picture::fitting(&points, 40.0, 56.0), INK);
    for (place, id) in hand.nobles.iter().enumerate() {
        picture.piece(&format!("noble {id}"), DRAWN, [left + 12.0 + place as f32 * 20.0, 100.0], 34.0, 1.0);
    }
    let step = ((width - 100.0) / 6.0).min(74.0);
    let size = step * 0.72;
    let bonuses = hand.bonuses();
    for (colour, name) in COLOURS.into_iter().enumerate() {
        let x = left + 80.0 + colour as f32 * step;
        if let Some(count) = bonuses.get(colour) {
            let opacity = if *count > 0 { 1.0 } else { 0.25 };
            picture.piece(&format!("jewel {name}"), DRAWN, [x, 24.0], size, opacity);
            if *count > 0 {
                let ink = ART.colour(&format!("{name} on"));
                picture.text(&count.to_string(), [x + size / 2.0, 24.0 + size / 2.0], size * 0.42, ink);
            }
        }
        let held = hand.chips[colour];
        if held > 0 {
            let at = [x + size / 2.0, 112.0];
            picture.disc(at, size / 2.0, ART.colour(&format!("{name} deep")));
            picture.disc(at, size / 2.0 - 2.0, ART.colour(&format!("{name} c")));
            picture.text(&held.to_string(), at, size * 0.42, ART.colour(&format!("{name} on")));
        }
    }
    for (place, id) in hand.reserved.iter().enumerate() {
        let at = [left + 80.0 + 5.0 * step + place as f32 * step * 0.28, 24.0];
        let size = step * 0.42;
        match u8::try_from(*id) {
            Ok(id) => {
                let fill = ART.colour(&format!("{} c", COLOURS[usize::from(card(id).bonus)]));
                picture.framed([at[0], at[1], size, size * 1.34], fill, "#fff");
            }
            Err(_) => back(picture, usize::from(id.unsigned_abs()), at, size),
        }
    }
}

fn face(picture: &mut Picture, id: u8, [x, y]: [f32; 2], width: f32) {
    let card = card(id);
    let bonus = COLOURS[usize::from(card.bonus)];
    let of = |name: &str| ART.colour(&format!("{bonus} {name}"));
    let height = width * 1.34;
    picture.rect([x + 2.0, y + 3.0, width, height], "#0003");
    picture.framed([x, y, width, height], of("c"), of("deep"));
    picture.rect([x + 2.0, y + 2.0, width - 4.0, height - 4.0], &format!("{}99", of("tint")));
    picture.piece(&format!("jewel {bonus}"), DRAWN, [x + width * 0.4, y + height * 0.5], width * 0.56, 0.5);
    picture.rect([x + 1.0, y + 1.0, width - 2.0, width * 0.38], "#ffffffbb");
    picture.piece(&format!("jewel {bonus}"), DRAWN, [x + width * 0.64, y + width * 0.04], width * 0.31, 1.0);
    if card.points > 0 {
        picture.text(&card.points.to_string(), [x + width * 0.2, y + width * 0.19], width * 0.24, "#20242a");
    }
    let costs = card.cost.iter().enumerate().filter(|(_, count)| **count > 0);
    for (place, (colour, count)) in costs.enumerate() {
        let at =
            [x + width * (0.06 + 0.33 * (place / 2) as f32), y + width * (0.95 - 0.34 * (place % 2) as f32)];
        pip(picture, COLOURS[colour], *count, at, width * 0.32);
    }
}

fn pip(picture: &mut Picture, colour: &str, count: u8, [x, y]: [f32; 2], size: f32) {
    picture.piece(&format!("pip {colour}"), DRAWN, [x, y], size, 1.0);
    let middle = if colour == "black" { 0.43 } else { 0.5 };
    picture.text(
        &count.to_string(),
        [x + size / 2.0, y + size * middle],
        size * 0.4,
        ART.colour(&format!("{colour} on")),
    );
}

fn back(picture: &mut Picture, level: usize, [x, y]: [f32; 2], width: f32) {
    let height = width * 1.86;
    let height = if width < 60.0 { width * 1.34 } else { height };
    picture.framed([x, y, width, height], ART.colour(&format!("back {level}")), "#0006");
    for dot in 0..level {
        let across = x + width / 2.0 + (dot as f32 - (level - 1) as f32 / 2.0) * width * 0.24;
        picture.disc([across, y + height * 0.34], width * 0.08, "#fffd");
    }
}

fn draw_noble(picture: &mut Picture, id: u8, [x, y]: [f32; 2], size: f32) {
    let noble = noble(id);
    picture.framed([x, y, size, size], "#e9d9ae", "#7d6428");
    picture.piece(&format!("noble {id}"), DRAWN, [x + size * 0.22, y + size * 0.1], size * 0.76, 1.0);
    picture.text(&noble.points.to_string(), [x + size * 0.14, y + size * 0.17], size * 0.22, "#2b2411");
    let needs = noble.needs.iter().enumerate().filter(|(_, count)| **count > 0);
    for (place, (colour, count)) in needs.enumerate() {
        pip(
            picture,
            COLOURS[colour],
            *count,
            [x + size * (0.03 + 0.32 * place as f32), y + size * 0.67],
            size * 0.3,
        );
    }
}

/// A chip with this middle.
fn chip(picture: &mut Picture, colour: &str, [x, y]: [f32; 2], radius: f32) {
    picture.disc([x + 1.0, y + 3.0], radius, "#0005");
    picture.disc([x, y], radius, ART.colour(&format!("{colour} deep")));
    picture.disc([x, y], radius - 2.0, ART.colour(&format!("{colour} c")));
    let edge = if colour == "white" { "#b9b29f" } else { "#fff" };
    for part in 0..6 {
        let turn = part as f32 * std::f32::consts::TAU / 6.0;
        picture.disc([x + radius * 0.84 * turn.sin(), y - radius * 0.84 * turn.cos()], radius * 0.12, edge);
    }
    picture.ring([x, y], radius * 0.69, 2.0, edge);
    picture.piece(&format!("chip {colour}"), DRAWN, [x - radius * 0.6, y - radius * 0.6], radius * 1.2, 1.0);
}
