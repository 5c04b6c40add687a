//! Tests of views as JSON: impossible positions are refused.

use super::*;

#[test]
fn impossible_positions_are_refused_with_the_field_name() {
    let parse =
        |json: &serde_json::Value| serde_json::from_value::<View>(json.clone()).map_err(|e| e.to_string());
    let mut state = table(2);
    for text in ["3 -2", "3 3", "1 3 0 1 2", "2 4"] {
        play(&mut state, text);
    }
    let good = serde_json::to_value(state.view(Viewer::Seat(Seat(1)))).unwrap();
    assert_eq!(parse(&good), Ok(state.view(Viewer::Seat(Seat(1)))));
    let mut own = serde_json::to_value(state.view(Viewer::Seat(Seat(0)))).unwrap();
    own.as_object_mut().unwrap().remove("viewer");
    assert_eq!(parse(&own), Ok(state.view(Viewer::Seat(Seat(0)))), "the viewer is optional");
    use serde_json::json;
    for (pointer, value, part) in [
        ("/round", json!(101), "round"),
        ("/round", json!(0), "turns"),
        ("/round", json!(256), "256"),
        ("/to_move", json!(2), "to_move"),
        ("/viewer", json!({"seat": 2}), "viewer"),
        ("/viewer", json!({"seat": 0}), "knows its own"),
        ("/chips/red", json!(4), "red"),
        ("/chips/gold", json!(255), "gold"),
        ("/levels/0/deck", json!(36), "levels[0].deck"),
        ("/levels/1/deck", json!(255), "levels[1].deck"),
        ("/levels/0/face_up", json!([1, 2, 0, 4]), "face_up"),
        ("/levels/0/face_up", json!([1, 2, 2, 4]), "twice"),
        ("/levels/0/face_up", json!([1, 2, 41, 4]), "level"),
        ("/levels/0/face_up", json!([1, 2, 91, 4]), "91"),
        ("/levels/0/face_up", json!([1, 2, 5]), "length"),
        ("/nobles", json!([1, 2]), "nobles"),
        ("/nobles", json!([1, 2, 2]), "twice"),
        ("/nobles", json!([1, 2, 0]), "nobles"),
        ("/nobles", json!(vec![1; 1000]), "twice"),
        ("/players", json!([]), "no such seat"),
        ("/players/1/reserved", json!([3, 3]), "twice"),
        ("/players/0/reserved", json!([-4]), "-3"),
        ("/players/1/reserved", json!([3, -1, -1, -1]), "three"),
        ("/players/1/reserved", json!([0]), "is not a card"),
        ("/players/1/cards", json!([3]), "twice"),
        ("/players/1/cards", json!([6]), "deck"),
        ("/players/1/cards", json!([200]), "200"),
        ("/players/0/chips/red", json!(250), "red"),
        ("/players/0/nobles", json!([1]), "twice"),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap() = value;
        let error = parse(&bad).unwrap_err();
        assert!(error.contains(part), "{pointer}: {error}");
    }
    let mut extra = good.clone();
    extra["x"] = json!(1);
    assert!(parse(&extra).unwrap_err().contains('x'));
    // An unearned noble, eleven chips, more gold than reservations.
    let refuse = |edit: &dyn Fn(&mut State), part: &str| {
        let mut state = table(2);
        state.board.round = 50;
        edit(&mut state);
        let view = state.view(Viewer::Seat(Seat(0)));
        let error = parse(&serde_json::to_value(view).unwrap()).unwrap_err();
        assert!(error.contains(part), "{error}");
    };
    refuse(&|s| s.board.hands[0].nobles.push(s.board.nobles.remove(0)), "not enough");
    refuse(&|s| give(s, 0, [3, 3, 3, 2, 0, 0], &[]), "at most 10");
    refuse(&|s| give(s, 0, [0, 0, 0, 0, 0, 1], &[]), "turns");
}

#[test]
fn premoves_are_the_actions_of_the_own_turn_without_a_void_one() {
    for seed in 0..4 {
        let mut rng = Rng::new(&Seed::from(seed));
        let mut table =
            Table::<Splendor>::new(Splendor::deal(&Options { players: 3 }, &Seed::from(seed)).unwrap());
        while let Turn::Of(seat) = table.turn() {
            let waiting = Seat((seat.0 + 1) % 3);
            let view = table.state().view(Viewer::Seat(waiting));
            let mut premoves = Vec::new();
            view.premoves(&mut premoves);
            assert!(
                premoves.contains(&Move::PASS)
                    || view.board().hands[waiting.index()].chips.iter().sum::<u8>() > 10
            );
            assert!(!premoves.contains(&Move::Void));
            for mv in premoves {
                if let Move::Reserve { card, .. } = mv {
                    assert!(view.board().face_up.iter().flatten().any(|id| *id == card), "{mv}");
                }
            }
            table.play_random(&mut rng);
        }
    }
}

#[test]
fn premove_of_a_card_that_is_gone_is_illegal() {
    let mut state = table(2);
    let mut premoves = Vec::new();
    state.view(Viewer::Seat(Seat(1))).premoves(&mut premoves);
    assert!(premoves.contains(&mv("3 1")) && premoves.contains(&mv("3 2")));
    play(&mut state, "3 1");
    assert!(refused(&state, "3 1") && !refused(&state, "3 2"));
}
