//! The displays and the two boards as a picture.

use super::rules::{Board, Colour, Counts, Position, column};
use crate::picture::{Picture, SEATS};

/// The colours in their order: green, orange, blue, yellow, red, each with a lighter mark.
const COLOURS: [(&str, &str); 5] = [
    ("#1f7a5c", "#cdebd2"),
    ("#e2762b", "#fff0d2"),
    ("#2b62ad", "#eef4fb"),
    ("#f4c938", "#a56f0a"),
    ("#a8262f", "#f6c9be"),
];

/// A mark for each colour, so that colour alone carries no meaning.
const MARKS: [&str; 5] = [
    "M12 4L20 12 12 20 4 12Z",
    "M12 4L20 19H4Z",
    "M5 5H19V19H5Z",
    "M10 3H14V10H21V14H14V21H10V14H3V10H10Z",
    "M12 4A8 8 0 1 1 12 20 8 8 0 1 1 12 4Z",
];

/// Draws the displays and the centre in the top row, the two boards below.
pub(super) fn picture(position: &Position) -> String {
    let mut picture = Picture::new("#d8cdb8");
    for (place, source) in position.sources[1..].iter().enumerate() {
        let middle = [110.0 + place as f32 * 170.0, 95.0];
        picture.disc(middle, 76.0, "#fbf7ee");
        for (tile, colour) in tiles(source).enumerate() {
            let at =
                [middle[0] - 46.0 + (tile % 2) as f32 * 48.0, middle[1] - 46.0 + (tile / 2) as f32 * 48.0];
            draw(&mut picture, colour, at, 44.0);
        }
    }
    picture.rect([870.0, 19.0, 310.0, 152.0], "#fbf7ee");
    for (tile, colour) in tiles(&position.sources[0]).enumerate() {
        let at = [882.0 + (tile % 8) as f32 * 36.5, 28.0 + (tile / 8) as f32 * 36.0];
        draw(&mut picture, colour, at, 33.0);
    }
    for (seat, board) in position.boards.iter().enumerate() {
        draw_board(&mut picture, board, seat, 20.0 + seat as f32 * 590.0);
    }
    picture.finish()
}

fn tiles(counts: &Counts) -> impl Iterator<Item = usize> {
    let all = counts.iter().enumerate();
    all.flat_map(|(colour, count)| std::iter::repeat_n(colour, usize::from(*count))).take(32)
}

fn draw(picture: &mut Picture, colour: usize, [x, y]: [f32; 2], size: f32) {
    let (fill, mark) = COLOURS[colour];
    picture.rect([x, y, size, size], fill);
    picture.shape(MARKS[colour], [x + size / 2.0, y + size / 2.0], size * 0.6, mark);
}

fn draw_board(picture: &mut Picture, board: &Board, seat: usize, left: f32) {
    const STEP: f32 = 54.0;
    picture.rect([left, 195.0, 570.0, 415.0], "#8a6f4d");
    picture.rect([left, 195.0, 570.0, 415.0], SEATS[seat]);
    picture.text(&board.score.to_string(), [left + 70.0, 240.0], 50.0, "#fff");
    for (row, line) in board.lines.iter().enumerate() {
        let y = 275.0 + row as f32 * STEP;
        for place in 0..=row {
            let x = left + 226.0 - place as f32 * STEP;
            match place < usize::from(line.count) {
                true => draw(picture, usize::from(line.colour), [x, y], 48.0),
                false => picture.rect([x, y, 48.0, 48.0], "#0003"),
            }
        }
        for colour in Colour::ALL.map(Colour::index) {
            let x = left + 290.0 + column(row, colour) as f32 * STEP;
            match board.wall.has(row, colour) {
                true => draw(picture, colour, [x, y], 48.0),
                false => picture.rect([x, y, 48.0, 48.0], &format!("{}40", COLOURS[colour].0)),
            }
        }
    }
    for place in 0..board.floor {
        picture.rect([left + 20.0 + f32::from(place) * 44.0, 560.0, 38.0, 38.0], "#5b3030");
    }
}
