//! Tests of the words for illegal moves.

use super::*;
use crate::conformance;

fn rule(table: &Table<Buraco>, text: &str) -> Option<String> {
    let Turn::Of(seat) = table.turn() else { panic!("the match is over") };
    Buraco::broken_rule(&table.state().view(Viewer::Seat(seat)), &mv(text))
}

#[test]
fn illegal_moves_break_a_rule_in_words() {
    let hand = "4♦ 7♣ 9♣ 5♠ 6♠ 7♠ 8♠ 2♥ 2♣ 2♣ A♠ 5♠";
    let mut table = plays(state([hand, "9♥ 3♦"], "J♦ 9♦", "9♦ 4♥"), &[]);
    for (text, words) in [
        ("DISCARD 4♦", "a turn begins with a draw"),
        ("GET_DISCARD [ 4♦ ]", "the pile's top card, 9♦, needs 2 cards of the hand or more"),
        (
            "GET_DISCARD [ 4♦ 7♣ ]",
            "with the pile's top card, 9♦, this is no sequence: 9♦ and 7♣ are of different suits",
        ),
        ("GET_DISCARD [ J♦ 10♦ ]", "the hand has no 10♦"),
    ] {
        assert_eq!(rule(&table, text).as_deref(), Some(words), "{text}");
    }
    play(&mut table, "GET_STOCK").unwrap();
    for (text, words) in [
        ("GET_STOCK", "a turn has one draw"),
        ("DISCARD K♠", "the hand has no K♠"),
        ("MELD_NEW [ 4♦ 4♦ 4♦ ]", "the hand has only one 4♦"),
        ("MELD_NEW [ 5♠ 6♠ ]", "a meld has 3 cards or more"),
        ("MELD_NEW [ 4♦ 7♣ 9♣ ]", "this is no sequence: 4♦ and 7♣ are of different suits"),
        ("MELD_NEW [ 5♠ 5♠ 6♠ ]", "this is no sequence: 5♠ is there twice"),
        ("MELD_NEW [ 5♠ 6♠ 8♠ ]", "this is no sequence: 7♠ is missing"),
        (
            "MELD_NEW [ 5♠ 8♠ 2♥ ]",
            "this is no sequence: 6♠ and 7♠ are missing, and a wild 2 fills only one gap",
        ),
        ("MELD_NEW [ A♠ 6♠ 7♠ ]", "this is no sequence: 4 cards between its cards are missing"),
        ("MELD_NEW [ 5♠ 6♠ 2♥ 2♣ ]", "this is no sequence: only one 2 can be wild"),
        ("MELD_NEW [ 7♣ 9♣ 2♥ 2♣ 2♣ ]", "this is no sequence: only one 2 besides 2♣ can be wild"),
        ("MELD_NEW [ 2♥ 2♣ 2♣ ]", "this is no sequence: 2s alone form no meld"),
        ("MELD_JOIN 0 [ 5♠ ]", "there is no own meld to join"),
    ] {
        assert_eq!(rule(&table, text).as_deref(), Some(words), "{text}");
    }
    play(&mut table, "MELD_NEW [ 5♠ 6♠ 7♠ ]").unwrap();
    for (text, words) in [
        ("MELD_JOIN 1 [ 8♠ ]", "there is no own meld 1: the last one is 0"),
        ("MELD_JOIN 0 [ 9♣ ]", "with meld 0, this is no sequence: 5♠ and 9♣ are of different suits"),
        ("MELD_JOIN 0 [ 5♠ ]", "with meld 0, this is no sequence: 5♠ is there twice"),
        ("MELD_NEW [ A♠ 2♥ 2♣ ]", "this is no sequence: only one 2 can be wild"),
    ] {
        assert_eq!(rule(&table, text).as_deref(), Some(words), "{text}");
    }
    for legal in ["MELD_JOIN 0 [ 8♠ ]", "MELD_JOIN 0 [  ]", "MELD_NEW [ 7♣ 9♣ 2♥ ]", "DISCARD 5♠"] {
        assert_eq!(rule(&table, legal), None, "{legal}");
    }
}

#[test]
fn long_and_rich_lists_break_a_rule_in_words() {
    let suit = "A♣ 2♣ 3♣ 4♣ 5♣ 6♣ 7♣ 8♣ 9♣ 10♣ J♣ Q♣ K♣";
    let hand = format!("{suit} A♣ A♥ 2♥ 3♣ 3♥");
    let table = plays(state([&hand, "9♥ 3♦"], "J♦ 9♦", "9♦ 4♥"), &["GET_STOCK"]);
    let new = |cards: &str| rule(&table, &format!("MELD_NEW [ {cards} ]"));
    assert_eq!(new(&format!("{suit} A♣ 2♥")), None, "the official referee accepts it");
    assert_eq!(new(&format!("{suit} A♣ 2♥ 3♥")).as_deref(), Some("a meld has at most 14 cards"));
    let aces = "this is no sequence: it has more than two aces";
    assert_eq!(new("A♣ A♣ A♥ 2♣ 3♣").as_deref(), Some(aces));
    assert_eq!(new("3♣ 3♥ 4♣").as_deref(), Some("this is no sequence: 3♥ and 3♣ are of different suits"));
}

#[test]
fn every_illegal_move_breaks_a_rule() {
    conformance::broken_rules::<Buraco>(10, any_move).unwrap();
}
