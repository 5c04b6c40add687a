//! The displays and the two boards as a picture, made of the board's own pieces.

use std::sync::LazyLock;

use super::rules::{Board, Colour, Counts, Position, column};
use crate::picture::{Art, INK, Picture};

static ART: LazyLock<Art> = LazyLock::new(|| Art::read(include_str!("art.json")));

/// The pieces by colour, green, orange, blue, yellow, red, and how wide a tile is drawn.
const TILES: [&str; 5] = ["g", "o", "b", "y", "r"];
const DRAWN: f32 = 40.0;
/// How visible the printed tiles of a wall are.
const PRINTED: f32 = 0.28;

/// Draws the displays and the centre in the top row, the two boards below.
pub(super) fn picture(position: &Position) -> String {
    let mut picture = Picture::with(&ART, ART.colour("cloth"));
    for (place, source) in position.sources[1..].iter().enumerate() {
        let middle = [104.0 + place as f32 * 168.0, 96.0];
        picture.disc(middle, 80.0, ART.colour("plate"));
        picture.ring(middle, 80.0, 3.0, ART.colour("plate-edge"));
        for (tile, colour) in tiles(source).enumerate() {
            let at =
                [middle[0] - 49.0 + (tile % 2) as f32 * 51.0, middle[1] - 49.0 + (tile / 2) as f32 * 51.0];
            draw(&mut picture, TILES[colour], at, 47.0);
        }
    }
    picture.framed([872.0, 16.0, 312.0, 160.0], ART.colour("plate"), ART.colour("plate-edge"));
    let marker = position.marker.is_none().then_some("marker");
    let centre = marker.into_iter().chain(tiles(&position.sources[0]).map(|colour| TILES[colour]));
    for (place, piece) in centre.enumerate() {
        let at = [880.0 + (place % 8) as f32 * 37.5, 22.0 + (place / 8) as f32 * 37.5];
        draw(&mut picture, piece, at, 35.0);
    }
    for (seat, board) in position.boards.iter().enumerate() {
        let has_marker = position.marker.is_some_and(|holder| holder.index() == seat);
        draw_board(&mut picture, board, has_marker, 16.0 + seat as f32 * 592.0);
    }
    picture.finish()
}

fn tiles(counts: &Counts) -> impl Iterator<Item = usize> {
    counts.iter().enumerate().flat_map(|(colour, count)| std::iter::repeat_n(colour, usize::from(*count)))
}

fn draw(picture: &mut Picture, piece: &str, at: [f32; 2], size: f32) {
    picture.piece(piece, DRAWN, at, size, 1.0);
    if piece == "marker" {
        picture.text("1", [at[0] + size / 2.0, at[1] + size / 2.0], size * 0.38, INK);
    }
}

fn draw_board(picture: &mut Picture, board: &Board, has_marker: bool, left: f32) {
    const STEP: f32 = 55.0;
    const SIZE: f32 = 50.0;
    picture.framed([left, 192.0, 576.0, 424.0], ART.colour("stone"), ART.colour("stone-edge"));
    let score = board.score.to_string().replace('-', "−");
    picture.text(&score, [left + 62.0, 240.0], Picture::fitting(&score, 46.0, 100.0), INK);
    for (row, line) in board.lines.iter().enumerate() {
        let y = 206.0 + row as f32 * STEP;
        for place in 0..=row {
            let at = [left + 234.0 - place as f32 * STEP, y];
            picture.rect([at[0], at[1], SIZE, SIZE], ART.colour("slot"));
            if place < usize::from(line.count) {
                draw(picture, TILES[usize::from(line.colour)], at, SIZE);
            }
        }
        for colour in Colour::ALL.map(Colour::index) {
            let at = [left + 298.0 + column(row, colour) as f32 * STEP, y];
            let opacity = if board.wall.has(row, colour) { 1.0 } else { PRINTED };
            picture.piece(TILES[colour], DRAWN, at, SIZE, opacity);
        }
    }
    let marker = has_marker.then_some("marker");
    let fallen = usize::from(board.floor) - usize::from(has_marker).min(usize::from(board.floor));
    for (place, piece) in marker.into_iter().chain(std::iter::repeat_n("shard", fallen)).enumerate() {
        draw(picture, piece, [left + 20.0 + place as f32 * 46.0, 546.0], 42.0);
    }
}
