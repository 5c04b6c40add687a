//! Tests of views as JSON and of the list of moves.

use super::*;

#[test]
fn impossible_views_are_refused_with_the_field_name() {
    let dealt = Buraco::deal(&Options { starter: Some(0), ..Options::default() }, &Seed::from(4)).unwrap();
    let good = serde_json::to_value(dealt.view(Viewer::Seat(Seat(0)))).unwrap();
    let changed = |changes: &serde_json::Value| {
        let mut json = good.clone();
        changes.as_object().unwrap().iter().for_each(|(k, v)| json[k] = v.clone());
        serde_json::from_value::<View>(json).map_err(|e| e.to_string())
    };
    let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    let mut bare = good.clone();
    ["known", "exhausted", "viewer"].iter().for_each(|k| {
        bare.as_object_mut().unwrap().remove(*k);
    });
    assert_eq!(serde_json::from_value::<View>(bare).unwrap(), dealt.view(Viewer::Seat(Seat(0))));
    for (changes, part) in [
        (r#"{"to_move":2}"#, "to_move"),
        (r#"{"viewer":{"seat":2}}"#, "viewer"),
        (r#"{"viewer":"spectator"}"#, "spectator"),
        (r#"{"stock":80}"#, "104"),
        (r#"{"stock":255,"hand_sizes":[255,255]}"#, "104"),
        (r#"{"stock":-1}"#, "u8"),
        (r#"{"hand":["5♠"]}"#, "hand"),
        (r#"{"hand_sizes":[10,12]}"#, "hand"),
        (r#"{"hand_sizes":[22,0]}"#, "hand_sizes"),
        (r#"{"hand_sizes":[0,22],"hand":[]}"#, "only after a draw"),
        (r#"{"hand_sizes":[11,12],"pile":[]}"#, "pile"),
        (r#"{"hand":["5♠","5♠","5♠","5♥","5♦","6♠","6♥","6♦","7♠","7♥","7♦"]}"#, "twice"),
        (r#"{"known":[["5♠","5♠","5♠"],[]]}"#, "known"),
        (r#"{"known":[[],["A♠","A♠","A♠"]]}"#, "twice"),
        (r#"{"known":[[],["A♠","2♠","3♠","4♠","5♠","6♠","7♠","8♠","9♠","10♠","J♠","Q♠"]]}"#, "known"),
        (r#"{"melds":[[["5♠","6♠","8♠"]],[]],"stock":78}"#, "meld"),
        (r#"{"pile":["5"]}"#, "is not a card"),
        (r#"{"exhausted":true}"#, "exhausted"),
        (r#"{"more":1}"#, "more"),
    ] {
        let error = changed(&json(changes)).unwrap_err();
        assert!(error.contains(part), "{changes}: {error}");
    }
    // A finished match can be viewed and has no moves.
    let end = plays(state(["5♠ 6♠", "9♥ 3♦"], "7♠", ""), &["GET_STOCK"]);
    let mut moves = Vec::new();
    end.state().view(Viewer::Seat(Seat(0))).legal(&mut moves);
    assert_eq!(moves, []);
}

#[test]
fn list_of_moves_is_short_and_has_the_simple_ones() {
    let hand =
        "A♠ 2♠ 3♠ 4♠ 5♠ 6♠ 7♠ 8♠ 9♠ 10♠ J♠ Q♠ K♠ A♠ 2♥ 3♥ 4♥ 5♥ 6♥ 7♥ 8♥ 9♥ 10♥ J♥ Q♥ K♥ A♥ 2♦ 2♣ 5♦ 6♦ 7♦";
    let list = |table: &Table<Buraco>| {
        let mut moves = Vec::new();
        table.state().view(Viewer::Seat(Seat(0))).legal(&mut moves);
        assert!(moves.len() < 300, "{}", moves.len());
        moves
    };
    let mut table = plays(state([hand, "9♥ 3♦"], "J♦ 8♦", "9♦ 4♦"), &[]);
    let before = list(&table);
    for text in ["GET_STOCK", "GET_DISCARD [ 6♦ 7♦ ]", "GET_DISCARD [ 5♦ 6♦ 7♦ ]", "GET_DISCARD [ 2♣ 7♦ ]"]
    {
        assert!(before.contains(&mv(text)), "{text}");
    }
    play(&mut table, "GET_STOCK").unwrap();
    play(&mut table, "MELD_NEW [ 5♦ 6♦ 7♦ ]").unwrap();
    let after = list(&table);
    for text in ["MELD_JOIN 0 [ 4♦ ]", "MELD_JOIN 0 [ 2♥ ]", "MELD_NEW [ 5♥ 6♥ 7♥ ]", "DISCARD A♠"]
    {
        assert!(after.contains(&mv(text)), "{text}");
    }
}

#[test]
fn premove_is_the_draw_of_a_card_that_is_left_for_certain() {
    let premoves = |table: &Table<Buraco>| {
        let mut moves = Vec::new();
        table.state().view(Viewer::Seat(Seat(1))).premoves(&mut moves);
        moves
    };
    let hands = ["5♠ 6♠ 8♦ 9♦", "K♥ 2♣ 3♥ J♣"];
    let one_left = state(hands, "7♠", "4♥");
    assert_eq!(premoves(&Table::new(one_left)), [], "the other seat may draw the last card");
    let two_left = state(hands, "7♠", "4♥ 10♣");
    assert_eq!(premoves(&Table::new(two_left.clone())), [Move::GetStock]);
    let mut table = plays(two_left, &["GET_STOCK"]);
    assert_eq!(premoves(&table), [Move::GetStock]);
    play(&mut table, "DISCARD 5♠").unwrap();
    assert_eq!(premoves(&table), [], "it is the own turn");
    play(&mut table, "GET_STOCK").unwrap();
    assert!(table.outcome().is_none(), "the draw ends no match");
}
