//! Tests of views as JSON: impossible ones are refused, and guesses of the hidden cards are possible.

use serde_json::json;

use super::*;
use crate::rng::{Rng, Seed};

#[test]
fn impossible_positions_are_refused_with_the_field_name() {
    let good = json!({"hand": [7, 9, 12, 13], "hands": [3, 4], "deck": 24, "leader": 0, "trick": [9],
        "taken": [[], []], "draws": "player"});
    let parse = |v: &serde_json::Value| serde_json::from_value::<View>(v.clone()).map_err(|e| e.to_string());
    assert_eq!(parse(&good).unwrap().viewer(), Viewer::Seat(PLAYER));
    let long: Vec<u8> = vec![8; 300];
    for (field, value, part) in [
        ("hand", json!([7, 9, 12, 15]), "7 to 14"),
        ("hand", json!([7, 9, 12]), "hand"),
        ("hand", json!(long), "hand"),
        ("hand", json!([9, 9, 9, 9]), "rank 9"),
        ("hands", json!([4, 4]), "32 cards"),
        ("hands", json!([255, 255]), "32 cards"),
        ("hands", json!([2, 5]), "hands"),
        ("deck", json!(255), "32 cards"),
        ("leader", json!(2), "leader"),
        ("leader", json!(1), "hands"),
        ("trick", json!([9, 8, 8]), "trick"),
        ("trick", json!(long), "trick"),
        ("taken", json!([long, []]), "taken"),
        ("taken", json!([[], [], []]), "length"),
        ("draws", json!("mine"), "variant"),
        ("past", json!([[9, 9]]), "past"),
        ("past", json!([[]]), "past"),
        ("past", json!([[9], long]), "past"),
        ("viewer", json!({"seat": 7}), "viewer"),
        ("viewer", json!({"seat": 0}), "hand"),
        ("viewer", json!("spectator"), "hand"),
        ("x", json!(1), "x"),
    ] {
        let mut bad = good.clone();
        bad[field] = value;
        let error = parse(&bad).unwrap_err();
        assert!(error.contains(part), "{field}: {error}");
    }
    for (value, part) in [
        // A finished trick, an odd deck, a hand that was not filled.
        (
            json!({"hand": [8], "hands": [1, 1], "deck": 0, "leader": 1, "trick": [9, 8],
            "taken": [[], [7, 7, 7, 7]]}),
            "32 cards",
        ),
        (
            json!({"hand": [7, 9, 12, 13], "hands": [3, 4], "deck": 23, "leader": 0, "trick": [9],
            "taken": [[8], []]}),
            "pairs",
        ),
        (
            json!({"hand": [7, 9, 12], "hands": [3, 3], "deck": 24, "leader": 0, "trick": [],
            "taken": [[8, 8], []]}),
            "begins a trick",
        ),
    ] {
        let error = parse(&value).unwrap_err();
        assert!(error.contains(part), "{error}");
    }
}

/// The past is optional. If it is given, it must lead to the position.
#[test]
fn past_must_lead_to_the_taken_cards_or_be_absent() {
    let given = json!({"hand": [7, 9, 12, 13], "hands": [4, 4], "deck": 22, "leader": 1, "trick": [],
        "taken": [[], [9, 7]], "past": [[9, 7]]});
    let parse = |v: &serde_json::Value| serde_json::from_value::<View>(v.clone()).map_err(|e| e.to_string());
    assert_eq!(parse(&given).unwrap().open.past, [cards(&[9, 7])]);
    let mut without_past = given.clone();
    without_past["past"] = json!([]);
    let mut guess = parse(&without_past).unwrap().guess(&mut Rng::new(&Seed::from(1)));
    for past in [json!([[7, 9]]), json!([[9, 8]]), json!([[9, 7], [9, 7]]), json!([[9, 10, 7, 7]])] {
        let mut bad = given.clone();
        bad["past"] = past;
        assert!(parse(&bad).unwrap_err().contains("past"), "{bad}");
    }
    // A position that began without its past stays without it.
    let mut moves = Vec::new();
    for _ in 0..4 {
        let Turn::Of(seat) = guess.turn() else { break };
        moves.clear();
        guess.view(Viewer::Seat(seat)).legal(&mut moves);
        guess.play(&moves[0]);
        guess.audit().unwrap();
    }
    assert_eq!(guess.open().past, Vec::<Vec<Rank>>::new());
}

#[test]
fn random_tables_are_refused_or_guessed_without_a_panic() {
    let mut rng = Rng::new(&Seed::from(5));
    for _ in 0..20_000 {
        let some = |rng: &mut Rng, most: usize| -> Vec<Rank> {
            (0..rng.below(most)).map(|_| Rank::from_index(rng.below(8))).collect()
        };
        let taken = [some(&mut rng, 14), some(&mut rng, 14)];
        let (trick, hand) = (some(&mut rng, 4), some(&mut rng, 5));
        let hands = [rng.below(5) as u8, hand.len() as u8];
        let used = taken[0].len() + taken[1].len() + trick.len() + hand.len() + usize::from(hands[0]);
        let deck = 32u8.saturating_sub(used as u8);
        let past = if rng.below(2) == 0 { Vec::new() } else { vec![some(&mut rng, 4)] };
        let open = PublicTable { leader: Seat(rng.below(2) as u8), trick, taken, past, hands, deck };
        if let Ok(view) = View::new(open, hand, Draws::Split, Viewer::Seat(PLAYER)) {
            let guess = view.guess(&mut rng);
            guess.audit().unwrap();
            assert_eq!(guess.view(Viewer::Seat(PLAYER)), view);
        }
    }
}

#[test]
fn premove_is_an_answer_a_lead_or_a_stop_for_certain() {
    let premoves = |state: &State, seat: u8| {
        let mut moves = Vec::new();
        state.view(Viewer::Seat(Seat(seat))).premoves(&mut moves);
        moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    let mut state = early([&[8, 8, 11, 14], &[7, 8, 9, 10]]);
    assert_eq!(premoves(&state, 1), "7 8 9 10", "whatever is led, each card answers it");
    assert_eq!(premoves(&state, 0), "", "the seat to move plays at once");
    play(&mut state, &[8]);
    assert_eq!(premoves(&state, 0), "11 14 0", "an eight could go on with the trick or lead the next one");
    play(&mut state, &[7]);
    assert_eq!(premoves(&state, 1), "", "the next card could be an answer or a lead");
    play(&mut state, &[0]);
    assert_eq!(
        premoves(&state, 0).split(' ').count(),
        3,
        "two eights and the drawn card answer the next lead: {state:?}"
    );
}
