//! Tests of melds and of the commands' text.

use super::*;

#[test]
fn melds_are_sequences_of_one_suit() {
    for (given, order, points) in [
        ("7♠ 5♠ 6♠", "[ 5♠ 6♠ 7♠ ]", 15),
        ("A♥ 3♥ 2♥", "[ A♥ 2♥ 3♥ ]", 30),
        ("K♥ A♥ Q♥", "[ Q♥ K♥ A♥ ]", 35),
        // A wild 2 in a gap, below the lowest card, below a 3, and between queen and ace.
        ("5♠ 7♠ 2♥", "[ 5♠ 2♥ 7♠ ]", 20),
        ("9♠ 10♠ 2♥", "[ 2♥ 9♠ 10♠ ]", 30),
        ("3♠ 4♠ 2♥", "[ 2♥ 3♠ 4♠ ]", 20),
        ("Q♠ A♠ 2♥", "[ Q♠ 2♥ A♠ ]", 35),
        // Two 2s, one of them natural.
        ("2♠ 2♥ 3♠ 5♠", "[ 2♠ 3♠ 2♥ 5♠ ]", 30),
        ("A♠ 2♠ 2♠", "[ 2♠ A♠ 2♠ ]", 35),
        // The official referee ignores the suit of an ace and accepts a wild card below a low ace.
        ("A♥ 2♠ 3♠", "[ A♥ 2♠ 3♠ ]", 30),
        ("A♠ 2♠ 3♠ 2♦", "[ 2♦ A♠ 2♠ 3♠ ]", 40),
    ] {
        assert_eq!(meld(given), Some((order.to_owned(), points)), "{given}");
    }
    for bad in [
        "5♠ 6♠",
        "5♠ 6♠ 7♥",
        "5♠ 5♥ 5♦",
        "5♠ 5♠ 6♠",
        "5♠ 6♠ 8♠",
        "5♠ 8♠ 2♥",
        "K♠ A♠ 2♠ 3♠",
        "5♠ 6♠ 2♥ 2♦",
        "2♠ 2♥ 2♦",
        "2♠ 2♠ 2♥ 2♦",
        "A♠ 2♥ 2♦",
        "",
    ] {
        assert_eq!(meld(bad), None, "{bad}");
    }
}

#[test]
fn leniencies_of_the_official_referee_are_recognized() {
    let lenient = |text: &str| Meld::new(&cards(text)).unwrap().needs_leniency();
    let all = "2♣ 3♣ 4♣ 5♣ 6♣ 7♣ 8♣ 9♣ 10♣ J♣ Q♣";
    for text in ["A♥ 2♠ 3♠", "A♠ 2♠ 2♥", "A♠ 2♠ 2♠", "A♠ 2♠ 3♠ 2♦", &format!("A♣ {all} K♣ A♣ 2♥")]
    {
        assert!(lenient(text), "{text}");
    }
    for text in [
        "A♠ 2♠ 3♠",
        "A♠ 2♥ 3♠",
        "2♥ 3♠ 4♠",
        "Q♠ A♠ 2♥",
        "K♠ A♠ 2♥",
        // The wild card as the king, or as the low ace.
        &format!("A♣ {all} 2♥"),
        &format!("A♣ {all} K♣ 2♥"),
        &format!("A♣ {all} A♣ 2♥"),
    ] {
        assert!(!lenient(text), "{text}");
    }
    let hand = "A♠ 2♠ 2♥ 5♠ A♥";
    let mut table = plays(state([hand, "9♥ 3♦"], "J♦ A♠", "9♦ 4♦"), &[]);
    let listed = |table: &Table<Buraco>| {
        let mut moves = Vec::new();
        table.state().view(Viewer::Seat(Seat(0))).legal(&mut moves);
        moves
    };
    assert_eq!(listed(&table), [mv("GET_STOCK")], "GET_DISCARD [ 2♠ 2♥ ] needs a leniency");
    play(&mut table, "GET_DISCARD [ 2♠ 2♥ ]").expect("the official referee accepts it");
}

#[test]
fn canastras_are_clean_or_dirty() {
    let all = "A♣ 2♣ 3♣ 4♣ 5♣ 6♣ 7♣ 8♣ 9♣ 10♣ J♣ Q♣ K♣ A♣";
    assert_eq!(meld(all), Some((format!("[ {all} ]"), 15 + 10 + 25 + 60 + 15 + 200)));
    assert!(meld(&format!("{all} 2♥")).is_some(), "the official referee accepts it");
    assert_eq!(meld(&format!("{all} 2♥ 3♣")), None);
    assert_eq!(meld("3♠ 4♠ 5♠ 6♠ 7♠ 8♠ 9♠").unwrap().1, 45 + 200);
    assert_eq!(meld("2♠ 3♠ 4♠ 5♠ 6♠ 7♠ 8♠").unwrap().1, 45 + 200, "a natural 2 is not wild");
    assert_eq!(meld("2♥ 3♠ 4♠ 5♠ 6♠ 7♠ 8♠").unwrap().1, 45 + 100);
    assert_eq!(meld("2♠ 4♠ 5♠ 6♠ 7♠ 8♠ 9♠").unwrap().1, 50 + 100, "a 2 below a gap is wild");
}

#[test]
fn wild_card_moves_and_may_turn_natural() {
    let meld = |text: &str| Meld::new(&cards(text)).unwrap();
    let joined = meld("3♠ 4♠ 5♠ 2♥ 7♠").with(&cards("6♠")).unwrap();
    assert_eq!(bracketed(joined.cards()), "[ 2♥ 3♠ 4♠ 5♠ 6♠ 7♠ ]");
    let wild = meld("2♠ 4♠ 5♠");
    assert!(wild.dirty());
    let natural = wild.with(&cards("3♠")).unwrap();
    assert_eq!((bracketed(natural.cards()), natural.dirty()), ("[ 2♠ 3♠ 4♠ 5♠ ]".to_owned(), false));
    assert_eq!(natural.with(&[]), Some(natural.clone()));
    assert_eq!(natural.with(&cards("8♠")), None);
}

#[test]
fn moves_have_the_text_of_the_protocol() {
    for text in [
        "GET_STOCK",
        "GET_DISCARD [ 5♠ 6♠ ]",
        "MELD_NEW [ A♥ 10♥ K♥ ]",
        "MELD_JOIN 12 [ 2♦ Q♦ ]",
        "DISCARD 10♣",
    ] {
        assert_eq!(mv(text).to_string(), text);
    }
    assert_eq!(mv(" MELD_NEW  [ 7♠ 5♠  6♠ ] ").to_string(), "MELD_NEW [ 5♠ 6♠ 7♠ ]");
    assert_eq!(mv("MELD_JOIN 0 [ ]"), Move::MeldJoin { meld: 0, cards: Vec::new().into() });
    let json = serde_json::to_value(mv("MELD_JOIN 1 [ 5♠ ]")).unwrap();
    assert_eq!(json, serde_json::json!({"meld_join": {"meld": 1, "cards": ["5♠"]}}));
    let much = format!("MELD_NEW [ {}]", "5♠ ".repeat(105));
    for bad in [
        "",
        "PASS",
        "get_stock",
        "GET_STOCK 1",
        "DISCARD",
        "DISCARD 11♠",
        "DISCARD 5",
        "DISCARD ♠",
        "DISCARD 5♠ 6♠",
        "MELD_NEW [5♠ 6♠ 7♠]",
        "MELD_NEW [ 5♠ 6♠ 7♠",
        "MELD_NEW 5♠ 6♠ 7♠",
        "MELD_JOIN x [ 5♠ ]",
        "MELD_JOIN +1 [ 5♠ ]",
        "MELD_JOIN -1 [ 5♠ ]",
        "MELD_JOIN 256 [ 5♠ ]",
        "MELD_JOIN [ 5♠ ]",
        &much,
    ] {
        assert!(bad.parse::<Move>().is_err(), "{bad}");
    }
}
