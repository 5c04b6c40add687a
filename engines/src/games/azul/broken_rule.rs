//! The rule that an illegal move of Azul breaks, in words.

use super::View;
use super::rules::{Board, Colour, FLOOR, Line, Move, SOURCES};

/// See [`crate::game::Game::broken_rule`].
pub(super) fn broken_rule(view: &View, mv: &Move) -> Option<String> {
    let position = view.position();
    let Move { display, colour, line } = *mv;
    let name = name(colour);
    let Some(source) = position.sources.get(usize::from(display)) else {
        return Some(format!(
            "there is no display {display}: displays are 1 to {}, the centre is 0",
            SOURCES - 1
        ));
    };
    let place = if display == 0 { "the centre".to_owned() } else { format!("display {display}") };
    match source[colour.index()] {
        _ if source.iter().all(|tiles| *tiles == 0) => Some(format!("{place} is empty")),
        0 => Some(format!("{place} has no {name} tile")),
        _ => refused_by_line(&position.boards[position.to_move.index()], colour, line),
    }
}

/// Why a line of this board does not accept tiles of this colour.
fn refused_by_line(board: &Board, colour: Colour, line: u8) -> Option<String> {
    let row = usize::from(line);
    let Some(Line { count, colour: held }) = board.lines.get(row) else {
        let text =
            || format!("there is no line {line}: pattern lines are 0 to {}, the floor is {FLOOR}", FLOOR - 1);
        return (line > FLOOR).then(text);
    };
    let held = Colour::ALL[usize::from(*held)];
    match *count {
        count if count > line => Some(format!("line {line} is full")),
        1.. if held != colour => Some(format!("line {line} holds {} tiles already", name(held))),
        _ if board.wall.has(row, colour.index()) => {
            Some(format!("row {row} of the wall has a {} tile already", name(colour)))
        }
        _ => None,
    }
}

fn name(colour: Colour) -> &'static str {
    match colour {
        Colour::Green => "green",
        Colour::Orange => "orange",
        Colour::Blue => "blue",
        Colour::Yellow => "yellow",
        Colour::Red => "red",
    }
}
