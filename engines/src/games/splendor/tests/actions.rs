//! Tests of actions: chips, returns, reservations, purchases.

use super::*;
use crate::games::splendor::rules::GOLD;

#[test]
fn deals_depend_on_the_number_of_players() {
    for (players, chips) in [(1, 4), (2, 4), (3, 5), (4, 7)] {
        let state = table(players);
        assert_eq!(state.board.bank, [chips, chips, chips, chips, chips, 5]);
        assert_eq!(state.board.nobles.len(), usize::from(players) + 1);
        assert_eq!(state.board.decks, [36, 26, 16]);
    }
    for players in [0, 5, 255] {
        assert!(Splendor::deal(&Options { players }, &Seed::from(1)).is_err());
    }
}

#[test]
fn different_chips_need_non_empty_stacks() {
    let mut state = table(2);
    give(&mut state, 1, [4, 4, 0, 0, 0, 0], &[]);
    for legal in ["1 0", "1 1 2", "1 2 2 3", "1 3 2 3 4"] {
        assert!(!refused(&state, legal), "{legal}");
    }
    for illegal in ["1 1 0", "1 3 0 2 3", "1 3 2 3 4 2"] {
        assert!(refused(&state, illegal), "{illegal}");
    }
    play(&mut state, "1 3 2 3 4");
    assert_eq!(state.board.hands[0].chips, [0, 0, 1, 1, 1, 0]);
    assert_eq!(state.board.bank, [0, 0, 3, 3, 3, 5]);
    assert_eq!(state.turn(), Turn::Of(Seat(1)));
}

#[test]
fn two_of_a_colour_need_four_in_the_bank() {
    let mut state = table(3);
    give(&mut state, 1, [2, 1, 0, 0, 0, 0], &[]);
    assert!(refused(&state, "2 0"));
    assert!(!refused(&state, "2 1"));
    play(&mut state, "2 4");
    assert_eq!(state.board.bank[4], 3);
}

#[test]
fn chips_over_ten_are_returned_exactly_and_never_gold() {
    let mut state = table(2);
    give(&mut state, 0, [2, 1, 1, 1, 1, 4], &[10, 18, 26, 34]);
    for illegal in
        ["1 1 0", "1 1 0 5", "1 3 0 1 2 0 0", "1 3 0 1 2 0 0 0 0", "2 1", "3 1", "3 1 0 0", "1 0 0"]
    {
        assert!(refused(&state, illegal), "{illegal}");
    }
    for legal in ["1 0", "1 1 0 0", "1 2 0 2 0 2", "1 3 0 1 2 0 0 0", "3 1 4", "3 -3 0"] {
        assert!(!refused(&state, legal), "{legal}");
    }
    // Only colours in the hand can be returned, chips just taken included.
    give(&mut state, 1, [0, 3, 0, 0, 0, 0], &[]);
    assert!(refused(&state, "1 1 0 2 2"));
    let mut other = state.clone();
    play(&mut other, "1 2 0 2 0 2");
    assert_eq!(other.board.hands[0], state.board.hands[0]);
    play(&mut state, "3 -3 0");
    assert_eq!(state.board.hands[0].chips, [1, 1, 1, 1, 1, 5]);
    // The bank has no gold left: a reservation brings none, so nothing is returned.
    play(&mut state, "3 1");
    assert_eq!(state.board.hands[1].chips[GOLD], 0);
    assert!(refused(&state, "3 2 0"));
    assert!(!refused(&state, "3 2"));
}

#[test]
fn all_ways_to_return_are_listed_once() {
    let mut state = table(2);
    give(&mut state, 0, [3, 3, 3, 1, 0, 0], &[]);
    let mut all = Vec::new();
    state.view(Viewer::Seat(Seat(0))).legal(&mut all);
    let takes =
        |k: u8| all.iter().filter(|m| matches!(m, Move::Take { colors, .. } if colors.len() == k)).count();
    // After one of red to white, any of 4 colours is returned; after black, any of 5.
    assert_eq!([takes(0), takes(1)], [1, 4 * 4 + 5]);
    // Every pair out of 4 colours (10) is returned, except two whites from a hand with one.
    let pairs_without_black_or_white = 3 * 9;
    let with_white = 3 * 10;
    let with_black = 3 * (9 + 4) + (10 + 4);
    assert_eq!(takes(2), pairs_without_black_or_white + with_white + with_black);
}

#[test]
fn at_most_three_cards_are_reserved_and_slots_are_filled() {
    let mut state = table(1);
    play(&mut state, "3 2");
    assert_eq!(state.board.face_up[0], [1, 5, 3, 4]);
    play(&mut state, "3 -1");
    play(&mut state, "3 -3");
    assert_eq!(state.board.hands[0].reserved, [2, 6, 75]);
    assert_eq!((state.board.decks, state.board.hands[0].chips[GOLD]), ([34, 26, 15], 3));
    assert!(refused(&state, "3 1") && refused(&state, "3 -2"));
    assert!(refused(&state, "3 6"), "a card in hand is not face up");
    // Others see the reserved face-up card, and only the levels of cards from the decks.
    assert_eq!(state.view(Viewer::Spectator).board().hands[0].reserved, [2, -1, -3]);
    assert_eq!(state.view(Viewer::Seat(Seat(0))).board().hands[0].reserved, [2, 6, 75]);
}

#[test]
fn empty_deck_leaves_a_zero_and_gives_no_card() {
    let mut state = table(4);
    let last: Vec<u8> = state.decks[2].split_off(1);
    state.board.hands[3].cards = last;
    state.board.decks[2] = 1; // the owner has won, but the round continues
    state.board.round = 80;
    state.board.to_move = Seat(1);
    state.audit().unwrap();
    play(&mut state, "3 -3");
    assert!(refused(&state, "3 -3"));
    play(&mut state, "3 73");
    assert_eq!(state.board.face_up[2], [71, 72, 0, 74]);
    assert!(refused(&state, "3 0") && refused(&state, "4 0"));
    assert_eq!(state.view(Viewer::Seat(Seat(2))).unseen()[2], [90]);
}

#[test]
fn price_uses_bonuses_then_chips_then_gold() {
    // Card 1 costs three white; card 4 gives white.
    let mut state = table(2);
    give(&mut state, 0, [0, 0, 0, 1, 0, 1], &[]);
    assert!(refused(&state, "4 1"));
    give(&mut state, 0, [0; 6], &[12, 20]);
    let white = |id: &u8| super::super::rules::card(*id).bonus == 3;
    let whites = state.board.hands[0].cards.iter().filter(|id| white(id)).count();
    let mut paid = state.clone();
    give(&mut paid, 0, [0, 0, 0, 1, 0, 0], &[]);
    play(&mut paid, "4 1");
    let left = paid.board.hands[0].chips;
    assert_eq!(left, [0, 0, 0, 0, 0, whites.min(1) as u8]);
    assert_eq!(paid.board.face_up[0], [5, 2, 3, 4]);
    assert_eq!(paid.board.hands[0].cards, [12, 20, 1]);
    assert_eq!(paid.board.bank[3] + paid.board.hands[1].chips[3], 4);
}

#[test]
fn reserved_card_is_bought_from_the_hand_and_then_visible() {
    let mut state = table(2);
    give(&mut state, 0, [1, 3, 1, 1, 1, 0], &[]);
    play(&mut state, "3 -1");
    assert_eq!(state.view(Viewer::Seat(Seat(1))).board().hands[0].reserved, [-1]);
    assert!(refused(&state, "4 5"), "the card of another player");
    play(&mut state, "1 0");
    play(&mut state, "4 5");
    assert_eq!(state.view(Viewer::Seat(Seat(1))).board().hands[0].cards, [5]);
    assert!(state.blind.is_empty() && state.board.hands[0].reserved.is_empty());
    assert_eq!(state.board.decks[0], 35, "no slot was filled");
}
