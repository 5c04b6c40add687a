//! Tests of the words for illegal actions.

use super::*;
use crate::conformance;
use crate::games::splendor::rules::{Color, Colors};

fn rule_of(state: &State, mv: &Move) -> Option<String> {
    let Turn::Of(seat) = state.turn() else { panic!("the match is over") };
    Splendor::broken_rule(&state.view(Viewer::Seat(seat)), mv)
}

fn rule(state: &State, text: &str) -> Option<String> {
    rule_of(state, &mv(text))
}

#[test]
fn illegal_actions_break_a_rule_in_words() {
    let mut state = table(2);
    give(&mut state, 1, [4, 3, 0, 0, 0, 0], &[]);
    give(&mut state, 0, [0, 0, 1, 4, 1, 2], &[10, 18]);
    for (text, words) in [
        ("1 1 0", "the bank has no red chip"),
        ("1 3 1 2 4", "that makes 11 chips of at most 10: 1 must be returned, not 0"),
        ("1 3 1 2 4 0", "the player has no red chip to return"),
        ("1 0 2", "that makes 8 chips of at most 10: 0 must be returned, not 1"),
        ("2 1", "the bank has 1 green: two of a colour need 4 in the bank"),
        ("3 5", "card 5 is not face up"),
        ("3 1 0", "that makes 9 chips of at most 10: 0 must be returned, not 1"),
        ("0", "0 is played only as a penalty while a noble is due; '1 0' passes"),
    ] {
        assert_eq!(rule(&state, text).as_deref(), Some(words), "{text}");
    }
    let same = Move::Take { colors: Colors::new([0, 0, 2, 0, 0]), returns: Colors::default() };
    let words = "blue is taken twice: '1 k ..' takes different colours";
    assert_eq!(rule_of(&state, &same).as_deref(), Some(words));
    for (mv, words) in [
        (Move::Buy { card: 91 }, "there is no card 91: ids are 1 to 90"),
        (Move::Reserve { card: 0, returns: Colors::default() }, "there is no card 0: ids are 1 to 90"),
        (Move::ReserveTop { level: 4, returns: Colors::default() }, "there is no deck 4: levels are 1 to 3"),
    ] {
        assert_eq!(rule_of(&state, &mv).as_deref(), Some(words));
    }
    assert_eq!(["1 0", "1 2 2 4", "3 1", "3 -2"].map(|text| rule(&state, text)), [const { None }; 4]);
}

#[test]
fn prices_are_named_with_bonuses_and_chips() {
    let mut state = table(2);
    give(&mut state, 0, [1, 0, 1, 0, 0, 1], &[]);
    state.board.face_up[2][0] = 76;
    for (bought, due) in [(&[][..], "3 red, 7 green"), (&[2], "3 red, 6 green")] {
        give(&mut state, 0, [0; 6], bought);
        let words = format!(
            "the player cannot pay: card 76 costs {due} after the bonuses, the player has 1 red, 1 blue, 1 gold"
        );
        assert_eq!(rule(&state, "4 76"), Some(words));
    }
    state.decks[0].clear();
    state.board.decks[0] = 0;
    assert_eq!(rule(&state, "3 -1").as_deref(), Some("the deck of level 1 is empty"));
    state.board.hands[0].reserved = vec![5, 6, 7];
    assert_eq!(rule(&state, "3 2").as_deref(), Some("the player has reserved 3 cards already"));
}

/// The others know that a card was reserved from the deck, not which one.
#[test]
fn words_do_not_tell_which_card_is_reserved() {
    let mut state = table(2);
    let cheap =
        cards().find(|card| card.level == 0 && !state.board.face_up[0].contains(&card.id)).unwrap().id;
    let poor = |state: &State| rule(state, &format!("4 {cheap}"));
    let unreserved = poor(&state).unwrap();
    assert!(unreserved.contains("is not face up, and if reserved costs "), "{unreserved}");
    state.decks[0].retain(|id| *id != cheap);
    state.board.decks[0] -= 1;
    state.board.hands[0].reserved.push(cheap as i8);
    state.blind.push(cheap);
    assert_eq!(poor(&state).unwrap(), unreserved);
    // Who could pay and may not shows it anyway.
    let mut rich = table(2);
    give(&mut rich, 0, [2, 2, 2, 2, 2, 0], &[]);
    rich.board.hands[0].chips = [4, 4, 4, 4, 4, 0];
    assert_eq!(poor(&rich).unwrap(), format!("card {cheap} is neither face up nor reserved by the player"));
}

/// Any action, often with too many or missing chips, and with cards from everywhere.
fn any_action(view: &View, rng: &mut Rng) -> Move {
    let board = view.board();
    let colors = |rng: &mut Rng, most: usize| {
        let mut amounts = [0; 5];
        (0..rng.below(most + 1)).for_each(|_| amounts[rng.below(5)] += 1);
        Colors::new(amounts)
    };
    let returns = if rng.below(2) == 0 { Colors::default() } else { colors(rng, 3) };
    let shown: Vec<u8> = board.face_up.iter().flatten().copied().collect();
    let held = board.hands.iter().flat_map(|hand| &hand.reserved).filter_map(|id| u8::try_from(*id).ok());
    let near: Vec<u8> = shown.into_iter().chain(held).collect();
    let card = if rng.below(2) == 0 { rng.below(92) as u8 } else { *rng.pick(&near).unwrap() };
    match rng.below(6) {
        0 => Move::Take { colors: colors(rng, 3), returns },
        1 => Move::TakeTwo { color: Color::ALL[rng.below(5)], returns },
        2 => Move::Reserve { card, returns },
        3 => Move::ReserveTop { level: rng.below(5) as u8, returns },
        4 => Move::Buy { card },
        _ => Move::Void,
    }
}

#[test]
fn every_illegal_action_breaks_a_rule() {
    conformance::broken_rules::<Splendor>(20, any_action).unwrap();
}
