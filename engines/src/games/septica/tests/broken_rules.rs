//! Tests of the words for illegal moves.

use super::*;
use crate::conformance;

#[test]
fn illegal_moves_break_a_rule_in_words() {
    let mut state = early([&[7, 9, 9, 10], &[7, 9, 12, 13]]);
    let rule = |state: &State, text: &str| {
        let Turn::Of(seat) = state.turn() else { panic!("the match is over") };
        Septica::broken_rule(&state.view(Viewer::Seat(seat)), &text.parse().unwrap())
    };
    assert_eq!(rule(&state, "0").unwrap(), "a trick begins with a card; 0 ends one that has begun");
    assert_eq!(rule(&state, "13").unwrap(), "the hand has no 13");
    assert_eq!(rule(&state, "10"), None);
    play(&mut state, &[9]);
    let answer = "the card has to be answered; only the leader of the trick may end it with 0";
    assert_eq!(rule(&state, "0").unwrap(), answer);
    assert_eq!(rule(&state, "10").unwrap(), "the hand has no 10");
    assert_eq!(rule(&state, "13"), None);
    play(&mut state, &[9]);
    let led = "10 does not cut: 9 was led, so only 9 and 7 cut; 0 ends the trick";
    assert_eq!(rule(&state, "10").unwrap(), led);
    assert_eq!(["7", "9", "0"].map(|text| rule(&state, text)), [None, None, None]);
    let mut state = early([&[7, 8, 9, 10], &[7, 9, 12, 13]]);
    play(&mut state, &[7, 7]);
    let led = "9 does not cut: a 7 was led, so only a 7 cuts; 0 ends the trick";
    assert_eq!(rule(&state, "9").unwrap(), led);
}

#[test]
fn every_illegal_move_breaks_a_rule() {
    let any = |rng: &mut crate::rng::Rng| match rng.below(9) {
        8 => Move::Stop,
        index => Move::Card(Rank::from_index(index)),
    };
    conformance::broken_rules::<Septica>(100, |_, rng| any(rng)).unwrap();
}
