//! Tests of the words for illegal moves.

use crate::conformance;
use crate::game::Game;
use crate::games::ioiwari::{Ioiwari, Move, View};

#[test]
fn illegal_moves_break_a_rule_in_words() {
    let view: View = serde_json::from_str(r#"{"pits":[4,0,3,5,0,3,2],"banks":[3,0],"to_move":1}"#).unwrap();
    let rule = |pit: u8| Ioiwari::broken_rule(&view, &Move { pit });
    assert_eq!(rule(2).as_deref(), Some("pit 2 is empty"));
    assert_eq!(
        [0, 8].map(|pit| rule(pit).unwrap()),
        [0, 8].map(|pit| format!("there is no pit {pit}: pits are 1 to 7"))
    );
    assert_eq!([1, 3, 7].map(rule), [None, None, None]);
}

#[test]
fn every_illegal_move_breaks_a_rule() {
    conformance::broken_rules::<Ioiwari>(200, |_, rng| Move { pit: rng.below(10) as u8 }).unwrap();
}
