//! Tests of positions as JSON: impossible ones are refused, all others can be played.

use super::dialogue::example_position;
use super::*;

#[test]
fn impossible_positions_are_refused_with_the_field_name() {
    let good =
        serde_json::to_value(State::at(example_position(Seat(0)), Seed::from(0)).view(Viewer::Spectator));
    let good = good.unwrap();
    let parse = |json: serde_json::Value| serde_json::from_value::<View>(json).map_err(|e| e.to_string());
    assert!(parse(good.clone()).is_ok());
    let mut default = good.clone();
    default.as_object_mut().unwrap().remove("viewer");
    assert_eq!(parse(default).unwrap().viewer(), Viewer::Seat(Seat(0)));
    for (path, value, part) in [
        ("/to_move", "2", "to_move"),
        ("/viewer", r#"{"seat":9}"#, "viewer"),
        ("/marker", "3", "marker"),
        ("/marker", "0", "boards[0].floor: the marker"),
        ("/centre", "[0,0,1,1,0,0]", "length"),
        ("/centre", "[0,0,200,200,200]", "centre"),
        ("/centre", "[0,0,2,3,1]", "marker: its holder took"),
        ("/displays/0", "[1,0,0,0,0]", "displays[0]"),
        ("/displays/0", "[255,255,255,255,255]", "displays[0]"),
        ("/displays/0", "[0,0,0,5,0]", "displays[0]"),
        ("/boards/0/lines/0", r#"{"count":1}"#, "boards[0].lines[0].colour"),
        ("/boards/0/lines/0", r#"{"count":0,"colour":"g"}"#, "boards[0].lines[0].colour"),
        ("/boards/0/lines/0", r#"{"count":2,"colour":"g"}"#, "boards[0].lines[0]"),
        ("/boards/0/lines/0", r#"{"count":1,"colour":"b"}"#, "already"),
        ("/boards/0/lines/0", r#"{"count":1,"colour":"x"}"#, "variant"),
        ("/boards/0/wall/0", r#""..by""#, "row 0"),
        ("/boards/0/wall/0", r#""..yb.""#, "row 0"),
        ("/boards/0/wall/0", r#""..by..""#, "row 0"),
        ("/boards/0/wall/0", r#""gobyr""#, "complete row"),
        ("/boards/1/floor", "8", "boards[1].floor"),
        ("/boards/1/floor", "6", "of this round"),
        ("/boards/1/floor", "300", "u8"),
        ("/boards/0/score", "-1", "boards[0].score"),
        ("/boards/0/score", "61", "boards[0].score"),
        ("/boards/0/score", "99999", "i16"),
    ] {
        let mut json = good.clone();
        *json.pointer_mut(path).unwrap() = serde_json::from_str(value).unwrap();
        let error = parse(json).expect_err(&format!("{path} {value} was accepted"));
        assert!(error.contains(part), "{path} {value}: {error}");
    }
    let mut unknown = good.clone();
    unknown["bag"] = serde_json::json!([1]);
    assert!(parse(unknown).is_err());
    let mut bare = good;
    bare["displays"] = serde_json::json!([[0u8; 5]; 5].to_vec());
    bare["centre"] = serde_json::json!([0u8; 5].to_vec());
    assert!(parse(bare).unwrap_err().contains("end of the match"));
}

/// Changes one number, letter or null somewhere in a position's JSON.
fn mutate(json: &mut serde_json::Value, rng: &mut Rng) {
    use serde_json::{Value, json};
    match json {
        Value::Array(items) if !items.is_empty() => {
            let at = rng.below(items.len());
            mutate(&mut items[at], rng);
        }
        Value::Object(fields) if !fields.is_empty() => {
            let at = rng.below(fields.len());
            if let Some(field) = fields.values_mut().nth(at) {
                mutate(field, rng);
            }
        }
        Value::String(row) if row.len() == 5 => {
            let pattern = ["gobyr", "rgoby", "yrgob", "byrgo", "obyrg"];
            let at = rng.below(5);
            let letter = if rng.below(2) == 0 { "." } else { &pattern[rng.below(5)][at..=at] };
            row.replace_range(at..=at, letter);
        }
        Value::String(letter) => *letter = Colour::ALL[rng.below(5)].letter().to_string(),
        other => {
            *other = match rng.below(12) {
                0 => Value::Null,
                1 => json!(255),
                2 => json!(i64::MIN),
                n => json!(n - 3),
            }
        }
    }
}

/// Randomly changed JSON is refused, or it gives a position that can be played to the end.
#[test]
fn accepted_positions_can_be_played_to_the_end() {
    let mut rng = Rng::new(&Seed::from(77));
    let mut accepted = 0;
    for seed in 0..10_000 {
        let mut state = deal(seed % 40);
        for _ in 0..rng.below(60) {
            let Turn::Of(seat) = state.turn() else { break };
            let mut moves = Vec::new();
            state.view(Viewer::Seat(seat)).legal(&mut moves);
            state.play(rng.pick(&moves).unwrap());
        }
        let mut json = serde_json::to_value(state.view(Viewer::Spectator)).unwrap();
        for _ in 0..1 + rng.below(3) {
            mutate(&mut json, &mut rng);
        }
        let Ok(view) = serde_json::from_value::<View>(json) else { continue };
        accepted += 1;
        let mut played = view.guess(&mut rng);
        assert_eq!(played.view(view.viewer()), view);
        while let Turn::Of(seat) = played.turn() {
            let mut moves = Vec::new();
            played.view(Viewer::Seat(seat)).legal(&mut moves);
            played.play(rng.pick(&moves).unwrap());
            assert_eq!(played.audit(), Ok(()));
        }
        assert!(played.outcome().is_some());
    }
    assert!((500..9_000).contains(&accepted), "{accepted} were accepted, so the test proves little");
}
