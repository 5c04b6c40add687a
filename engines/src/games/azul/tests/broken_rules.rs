//! Tests of the words for illegal moves.

use super::*;
use crate::conformance;

#[test]
fn illegal_moves_break_a_rule_in_words() {
    let mut position = Position { sources: [[0; 5]; 6], ..*deal(1).position() };
    position.sources[0] = [1, 0, 2, 0, 0];
    position.sources[3] = [0, 0, 3, 1, 0];
    let board = &mut position.boards[0];
    board.lines[1] = line(2, Colour::Green);
    board.lines[2] = line(1, Colour::Red);
    board.wall = wall([".....", ".....", ".....", ".....", ".x..."]);
    let view = View::new(position, Viewer::Seat(Seat(0)));
    for (text, rule) in [
        ("1 b 0", "display 1 is empty"),
        ("3 r 0", "display 3 has no red tile"),
        ("0 y 5", "the centre has no yellow tile"),
        ("0 g 1", "line 1 is full"),
        ("3 b 1", "line 1 is full"),
        ("3 b 2", "line 2 holds red tiles already"),
        ("3 b 4", "row 4 of the wall has a blue tile already"),
    ] {
        assert_eq!(Azul::broken_rule(&view, &mv(text)).as_deref(), Some(rule), "{text}");
    }
    for text in ["3 b 0", "3 b 3", "0 g 5", "3 y 4"] {
        assert_eq!(Azul::broken_rule(&view, &mv(text)), None, "{text}");
    }
    let far = Move { display: 6, ..mv("3 b 0") };
    let rule = "there is no display 6: displays are 1 to 5, the centre is 0";
    assert_eq!(Azul::broken_rule(&view, &far).as_deref(), Some(rule));
    let low = Move { line: 6, ..mv("3 b 0") };
    let rule = "there is no line 6: pattern lines are 0 to 4, the floor is 5";
    assert_eq!(Azul::broken_rule(&view, &low).as_deref(), Some(rule));
}

#[test]
fn every_illegal_move_breaks_a_rule() {
    let any = |rng: &mut Rng| Move {
        display: rng.below(7) as u8,
        colour: Colour::ALL[rng.below(5)],
        line: rng.below(7) as u8,
    };
    conformance::broken_rules::<Azul>(30, |_, rng| any(rng)).unwrap();
}
