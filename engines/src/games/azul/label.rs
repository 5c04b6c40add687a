//! Phases and kinds of decisions in Azul, by which mistakes are counted.

use super::View;
use super::rules::{FLOOR, Move, ROWS};
use crate::label::DecisionLabel;

/// The phase follows from the fullest row of both walls, because a complete row ends the match. The kind says what the move does
/// that counts most: a bonus at the end of the match, tiles on the floor line, a full line, or a part of one.
pub(super) fn label(view: &View, mv: &Move) -> DecisionLabel {
    let position = view.position();
    let rows = position.boards.iter().flat_map(|board| (0..ROWS).map(|row| board.wall.in_row(row)));
    let phase = match rows.max().unwrap_or(0) {
        0 | 1 => "opening",
        2 | 3 => "middle",
        _ => "ending",
    };
    let board = &position.boards[position.to_move.index()];
    let tiles = position.sources[usize::from(mv.display)][mv.colour.index()];
    let kind = if mv.line >= FLOOR {
        "floor_line"
    } else {
        let row = usize::from(mv.line);
        let room = mv.line + 1 - board.lines[row].count;
        let mut wall = board.wall;
        wall.put(row, mv.colour.index());
        match tiles {
            _ if tiles >= room && wall.bonus() > board.wall.bonus() => "bonus",
            _ if tiles > room => "floor_line",
            _ if tiles == room => "full_line",
            _ => "part_line",
        }
    };
    DecisionLabel { phase, kind }
}
