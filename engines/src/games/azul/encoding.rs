//! The numeric form of Azul's views and moves.

use super::rules::{Board, COLOURS, Colour, FLOOR, FLOOR_SLOTS, Move, ROWS, SOURCES, column};
use super::{Azul, View};
use crate::encoding::{ActionBlock, Encode, Encoding, ObservationField, ObservationWriter};
use crate::game::View as _;

/// Lines of a move: the pattern lines and the floor line.
const LINES: usize = FLOOR as usize + 1;
/// Most points of a seat: 10 for each tile of the wall, and all bonuses.
const MOST_POINTS: i16 = 10 * 25 + 5 * (2 + 7 + 10);

static ENCODING: Encoding = Encoding {
    version: 1,
    observation: &[
        ObservationField::seated(),
        ObservationField::first_seat(&[2]),
        ObservationField::to_move(&[2]),
        ObservationField::count(
            "sources",
            &[SOURCES, COLOURS],
            20,
            "Tiles in the centre (0) and on displays 1 to 5, by colour: green, orange, blue, yellow, red.",
        ),
        ObservationField::flag(
            "marker",
            &[2],
            "The seat that holds the starting marker; all 0 while the marker is in the centre.",
        ),
        ObservationField::count(
            "lines",
            &[2, ROWS, COLOURS],
            ROWS as i16,
            "Tiles on the pattern lines of each seat, from the top, by colour.",
        ),
        ObservationField::flag(
            "wall",
            &[2, ROWS, ROWS],
            "Tiles on the wall of each seat, by row and column; the colour at row r and column c has the number (c - r) mod 5.",
        ),
        ObservationField::count(
            "floor",
            &[2],
            FLOOR_SLOTS as i16,
            "Length of each seat's floor line, the marker included.",
        ),
        ObservationField::count("points", &[2], MOST_POINTS, "Points of each seat."),
    ],
    actions: &[ActionBlock::new(
        "take",
        &[SOURCES, COLOURS, LINES],
        "Takes the tiles of a colour from the centre (0) or a display (1 to 5) to a pattern line (0 to 4) or the floor line (5).",
    )],
};

impl Encode<Azul> for Azul {
    fn encoding(&self) -> &'static Encoding {
        &ENCODING
    }

    fn observe(&self, view: &View, out: &mut [i16]) {
        let mut writer = ObservationWriter::begin::<Self>(&ENCODING, out, view, 2, 2);
        let position = view.position();
        let boards = writer.seats().map(|seat| &position.boards[seat.index()]);
        writer.put(position.sources.as_flattened().iter().copied());
        writer.flag(2, position.marker.map(|seat| writer.place(seat)));
        boards.clone().for_each(|board| put_lines(board, writer.take(ROWS * COLOURS)));
        boards.clone().for_each(|board| put_wall(board, writer.take(ROWS * ROWS)));
        writer.put(boards.clone().map(|board| board.floor));
        writer.put(boards.map(|board| board.score));
        writer.finish();
    }

    fn index_of(&self, _: &View, mv: &Move) -> Option<usize> {
        let (source, line) = (usize::from(mv.display), usize::from(mv.line));
        (source < SOURCES && line < LINES).then(|| (source * COLOURS + mv.colour.index()) * LINES + line)
    }

    fn action_of(&self, view: &View, index: usize) -> Option<Move> {
        let (taken, line) = (index / LINES, (index % LINES) as u8);
        let mv = Move { display: (taken / COLOURS) as u8, colour: Colour::ALL[taken % COLOURS], line };
        view.is_legal(&mv).then_some(mv)
    }
}

fn put_lines(board: &Board, out: &mut [i16]) {
    for (line, tiles) in board.lines.iter().zip(out.chunks_exact_mut(COLOURS)) {
        tiles[usize::from(line.colour)] = line.count.into();
    }
}

fn put_wall(board: &Board, out: &mut [i16]) {
    for (row, places) in out.chunks_exact_mut(ROWS).enumerate() {
        for colour in Colour::ALL.map(Colour::index) {
            places[column(row, colour)] = board.wall.has(row, colour).into();
        }
    }
}
