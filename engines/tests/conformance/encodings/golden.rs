//! Every game's `encoding-golden.json` has its layout and the numbers of some positions, so that a layout cannot change
//! without a new version.

use std::path::PathBuf;

use engines::encoding::Encoding;
use engines::erased::{AnyGame, Position};
use engines::game::{Seat, Turn, Viewer};
use engines::rng::{Rng, Seed};
use serde_json::{Map, Value, json};

use super::{RECORD, encoded_games, is_recording};

/// Recorded positions of a match before its end: those with the most legal moves.
const POSITIONS: usize = 3;
/// Most actions that are recorded of a position.
const ACTIONS: usize = 40;

fn file(game: &dyn AnyGame) -> PathBuf {
    let games = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/games");
    games.join(game.info().slug).join("encoding-golden.json")
}

/// The values of each field that are not 0, as pairs of a place and a value, and some actions by their notation.
fn numbers(view: &dyn Position, encoding: &Encoding) -> Value {
    let observation = view.observe().unwrap();
    let mut rest = &observation[..];
    let mut fields = Map::new();
    for field in encoding.observation {
        let (values, after) = rest.split_at(field.shape.iter().product());
        let set: Vec<_> = values.iter().enumerate().filter(|(_, value)| **value != 0).collect();
        fields.insert(field.name.to_owned(), json!(set));
        rest = after;
    }
    let moves = view.legal_moves();
    let some = moves.iter().step_by(1 + moves.len() / ACTIONS);
    let index = |notation: &str| view.action_index(notation).unwrap();
    let actions: Map<_, _> = some.map(|mv| (mv.notation.clone(), json!(index(&mv.notation)))).collect();
    json!({"observation": fields, "actions": actions})
}

/// Positions of random matches with every number of seats: of the seat to move, and of a seat and a spectator at the end.
fn positions(game: &dyn AnyGame) -> Vec<Value> {
    let mut positions = Vec::new();
    for seats in game.info().min_seats..=game.info().max_seats {
        let mut table = game.deal(&game.options_for(seats).unwrap(), &Seed::from(3)).unwrap();
        let mut rng = Rng::stream(&Seed::from(3), u64::from(seats));
        let mut seen = Vec::new();
        while let Turn::Of(seat) = table.turn() {
            let view = table.view(Viewer::Seat(seat));
            let moves = view.legal_moves();
            table.play(seat, &rng.pick(&moves).unwrap().notation).unwrap();
            seen.push((moves.len(), view));
        }
        seen.sort_by_key(|(moves, _)| std::cmp::Reverse(*moves));
        positions.extend(seen.iter().take(POSITIONS).map(|(_, view)| view.to_json()));
        positions.push(table.view(Viewer::Seat(Seat(seats - 1))).to_json());
        positions.push(table.view(Viewer::Spectator).to_json());
    }
    positions
}

/// The file of a game with these positions.
fn record(game: &dyn AnyGame, encoding: &Encoding, positions: &[Value]) -> Value {
    let seen = positions.iter().map(|position| {
        let view = game.position(position).unwrap();
        json!({"position": position, "numbers": numbers(view.as_ref(), encoding)})
    });
    json!({"encoding": encoding, "positions": seen.collect::<Vec<_>>()})
}

/// One line for each position.
fn text(record: &Value) -> String {
    let positions = record["positions"].as_array().unwrap();
    let lines: Vec<_> = positions.iter().map(Value::to_string).collect();
    let encoding = serde_json::to_string_pretty(&record["encoding"]).unwrap();
    format!("{{\"encoding\": {encoding},\n\"positions\": [\n{}\n]}}\n", lines.join(",\n"))
}

#[test]
fn layout_changes_only_with_its_version() {
    for (game, encoding) in encoded_games() {
        let (slug, file) = (game.info().slug, file(game));
        let stored: Value = match std::fs::read_to_string(&file) {
            Ok(text) => serde_json::from_str(&text).unwrap(),
            Err(_) if is_recording() => Value::Null,
            Err(e) => panic!("{}: {e}; write it with {RECORD}", file.display()),
        };
        if stored["encoding"]["version"] != encoding.version {
            assert!(is_recording(), "{slug} has a new version of its encoding: run {RECORD}");
            std::fs::write(&file, text(&record(game, encoding, &positions(game)))).unwrap();
            continue;
        }
        let known: Vec<Value> =
            stored["positions"].as_array().unwrap().iter().map(|one| one["position"].clone()).collect();
        assert!(!known.is_empty(), "{} has no position", file.display());
        let now = record(game, encoding, &known);
        let advice = format!(
            "networks would read other numbers: raise the version of {slug}'s encoding, then run {RECORD}"
        );
        assert_eq!(now["encoding"], stored["encoding"], "{advice}");
        for (now, stored) in
            now["positions"].as_array().unwrap().iter().zip(stored["positions"].as_array().unwrap())
        {
            assert_eq!(now["numbers"], stored["numbers"], "{advice}: {}", now["position"]);
        }
    }
}
