//! Tests of turns, of the end of a match and of its points.

use super::*;

#[test]
fn turn_is_a_draw_then_melds_then_a_discard() {
    let mut table = plays(state(["5♠ 6♠ 7♠ K♥", "9♥ Q♦"], "4♠ 3♠ 8♠", "J♦ 2♣"), &[]);
    for bad in ["DISCARD K♥", "MELD_NEW [ 5♠ 6♠ 7♠ ]", "GET_DISCARD [ 5♠ 6♠ ]", "GET_DISCARD [ 7♠ ]"]
    {
        assert!(play(&mut table, bad).is_err(), "{bad}");
    }
    play(&mut table, "GET_DISCARD [ 6♠ 7♠ ]").unwrap();
    assert_eq!(bracketed(&table.state().hands[0]), "[ 5♠ K♥ 4♠ 3♠ ]");
    assert_eq!(table.state().open.known(Seat(0)), cards("3♠ 4♠"));
    for bad in
        ["GET_STOCK", "GET_DISCARD [ 3♠ 4♠ ]", "MELD_JOIN 1 [ 5♠ ]", "MELD_JOIN 0 [ 3♠ ]", "DISCARD 9♥"]
    {
        assert!(play(&mut table, bad).is_err(), "{bad}");
    }
    play(&mut table, "MELD_JOIN 0 [ ]").unwrap();
    play(&mut table, "MELD_JOIN 0 [ 5♠ 4♠ ]").unwrap();
    assert_eq!(table.state().open.known(Seat(0)), cards("3♠"));
    play(&mut table, "DISCARD K♥").unwrap();
    assert_eq!(table.turn(), Turn::Of(Seat(1)));
    play(&mut table, "GET_STOCK").unwrap();
    assert!(play(&mut table, "MELD_JOIN 0 [ 9♥ ]").is_err(), "a seat cannot join the melds of the other");
    assert_eq!(bracketed(&table.state().hands[1]), "[ 9♥ Q♦ 2♣ ]");
}

#[test]
fn card_listed_twice_must_be_held_twice() {
    let mut table = plays(state(["2♠ 3♠ 4♠ K♥", "9♥"], "4♠", "J♦ 2♣"), &["GET_STOCK"]);
    assert!(play(&mut table, "MELD_NEW [ 2♠ 2♠ 3♠ 4♠ ]").is_err());
    play(&mut table, "MELD_NEW [ 2♠ 2♣ 3♠ 4♠ ]").unwrap();
}

#[test]
fn any_command_that_empties_the_hand_ends_the_match() {
    let points = |table: &Table<Buraco>| table.outcome().unwrap().points;
    let out = plays(state(["5♠ 6♠", "9♥ 3♦"], "7♠", "J♦"), &["GET_DISCARD [ 5♠ 6♠ ]"]);
    assert_eq!(points(&out), [115, -15]);
    let out = plays(state(["5♠ 6♠", "9♥ A♦"], "J♠", "7♠"), &["GET_STOCK", "MELD_NEW [ 5♠ 6♠ 7♠ ]"]);
    assert_eq!(points(&out), [115, -25]);
    let melds = ["GET_STOCK", "MELD_NEW [ 5♠ 6♠ 7♠ ]", "MELD_JOIN 0 [ 8♠ ]"];
    assert_eq!(points(&plays(state(["5♠ 6♠ 8♠", "9♥"], "J♠", "7♠"), &melds)), [125, -10]);
    let out = plays(state(["5♠ 6♠ 8♦", "9♥"], "J♠", "7♠"), &[melds[0], melds[1], "DISCARD 8♦"]);
    assert_eq!(points(&out), [115, -10]);
    assert_eq!(out.outcome().unwrap().ranks, [1, 2]);
    // Going out needs no canastra, and the last card may be the only one.
    let out = plays(state(["5♠", "9♥"], "J♠", "7♠"), &["GET_STOCK", "DISCARD 5♠", "GET_STOCK"]);
    assert_eq!(points(&out), [-5, -10], "the draw from the empty stock ended the match");
}

#[test]
fn draw_from_the_empty_stock_ends_the_match() {
    let start = || state(["5♠ 6♠ K♥ K♦", "9♥ 10♥ A♣"], "7♠", "");
    let over = plays(start(), &["GET_STOCK"]);
    assert_eq!((over.turn(), over.outcome().unwrap().points), (Turn::Over, vec![-30, -35]));
    let on = plays(start(), &["GET_DISCARD [ 5♠ 6♠ ]", "DISCARD K♥"]);
    assert_eq!(on.turn(), Turn::Of(Seat(1)));
    let tie = plays(state(["5♠ K♥", "6♠ Q♥"], "7♠", ""), &["GET_STOCK"]);
    assert_eq!(tie.outcome().unwrap().ranks, [1, 1]);
}

#[test]
fn hand_of_seven_costs_the_canastra_bonus() {
    let points =
        |hand: &str| plays(state([hand, "9♥"], "7♠", ""), &["GET_STOCK"]).outcome().unwrap().points[0];
    assert_eq!(points("K♥ K♦ J♣ 3♦ 4♥ 5♠"), -45);
    assert_eq!(points("K♥ K♦ J♣ 3♦ 4♥ 5♠ 6♠"), -50 - 200);
    assert_eq!(points("K♥ 2♦ J♣ 3♦ 4♥ 5♠ 6♠"), -50 - 100, "a 2 without its own 3 behind it");
    assert_eq!(points("K♥ 2♦ 3♦ J♣ 4♥ 5♠ 6♠"), -50 - 200, "a 2 with its own 3 behind it");
}

#[test]
fn disqualified_seat_loses_despite_more_points() {
    let state = state(["5♠ 6♠ 7♠", "A♥ K♥"], "7♠", "J♦");
    let Foul::End(outcome) = Buraco::foul(&state, Seat(0), "no such command") else { panic!("it ends") };
    assert_eq!((outcome.points, outcome.ranks), (vec![-15, -25], vec![2, 1]));
}

#[test]
fn starter_is_drawn_or_given() {
    let starter = |starter, seed| {
        Buraco::deal(&Options { starter, ..Options::default() }, &Seed::from(seed)).map(|s| s.turn())
    };
    assert_eq!(starter(Some(1), 3), Ok(Turn::Of(Seat(1))));
    let firsts = (0..100).filter(|seed| starter(None, *seed) == Ok(Turn::Of(Seat(0)))).count();
    assert!((30..70).contains(&firsts), "{firsts}");
    assert!(starter(Some(2), 3).unwrap_err().0.contains("starter"));
    let [a, b] = [None, Some(1)]
        .map(|starter| Buraco::deal(&Options { starter, ..Options::default() }, &Seed::from(5)).unwrap());
    assert_eq!((a.hands, a.stock), (b.hands, b.stock), "the starter changes no card");
}
