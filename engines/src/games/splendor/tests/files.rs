//! Tests of the files of the official referee: saved games and inputs of one move.

use serde_json::{Value, json};

use crate::erased::adapter::ErasedGame;
use crate::erased::{AnyGame as _, FinishedMatch};
use crate::games::splendor::Splendor;
use crate::harness_file::HarnessFile;
use crate::protocol::Entry;

const SPLENDOR: ErasedGame<Splendor> = ErasedGame::new();
const SAVED: &str = include_str!("../golden/three-players.saved-game.json");

fn saved(text: &str) -> Result<FinishedMatch, String> {
    match SPLENDOR.read_file(text).expect("this is a file of the game") {
        Ok(HarnessFile::Match(finished)) => Ok(finished),
        Ok(HarnessFile::Dialogues(_)) => panic!("a saved game is a match"),
        Err(e) => Err(e.to_string()),
    }
}

#[test]
fn saved_game_that_is_read_and_written_stays_the_same() {
    let finished = saved(SAVED).unwrap();
    assert_eq!(SPLENDOR.export("saved-game", &finished).unwrap(), SAVED.trim_end());
    assert_eq!(finished.names[0], "Player \"0\" ✓");
}

/// Earlier versions of the referee write cards and nobles as objects, and have other numbers after the id of a purchase.
#[test]
fn saved_games_of_earlier_referees_are_read() {
    let mut file: Value = serde_json::from_str(SAVED).unwrap();
    let object = |id: &Value| json!({"id": id, "cost": [0, 0, 0, 0, 0]});
    for deck in file["decks"].as_array_mut().unwrap() {
        *deck = deck.as_array().unwrap().iter().map(object).collect();
    }
    file["nobles"] = file["nobles"].as_array().unwrap().iter().map(object).collect();
    for turn in
        file["rounds"].as_array_mut().unwrap().iter_mut().flat_map(|round| round.as_array_mut().unwrap())
    {
        let fields = turn.as_object_mut().unwrap();
        let noble = fields.remove("nobleId").unwrap();
        let tokens = fields["tokens"].as_array_mut().unwrap();
        if tokens[0] == 4 {
            tokens.insert(2, noble);
        }
    }
    assert_eq!(saved(&file.to_string()).unwrap(), saved(SAVED).unwrap());
}

#[test]
fn mistakes_of_a_saved_game_are_read() {
    let mistake = r#""tokens":[1,0,0,0,0,0],"returns":[],"nobleId":0,"kibitzes":[],"arbiterMsg":"too slow""#;
    let first = r#""tokens":[1,1,0,1,1,0],"returns":[],"nobleId":0,"kibitzes":[],"arbiterMsg":"""#;
    let one_turn = SAVED.split_once("},{\"tokens\"").unwrap().0.replacen(first, mistake, 1);
    let finished = saved(&format!("{one_turn}}}]]}}")).unwrap();
    assert_eq!(finished.moves.len(), 1);
    assert_eq!(finished.moves[0].mistake.as_deref(), Some("too slow"));
    assert_eq!(finished.moves[0].notation, "1 0");
}

#[test]
fn damaged_saved_games_are_refused_with_their_place() {
    let cut = &SAVED[..SAVED.len() / 2];
    let end = format!("line 1, column {}: ", cut.chars().count().min(cut.len()));
    let found = saved(cut).unwrap_err();
    assert!(found.starts_with("line 1, column ") && found.contains("EOF"), "{end} {found}");
    for (from, to, wrong) in [
        ("[16,33,", "[16,16,", ": levels[0].face_up: card 16 is there twice"),
        ("\"nobles\":[3,7,6,4]", "\"nobles\":[3,7,6]", ": nobles"),
        ("[1,1,0,1,1,0]", "[7,1,0,1,1,0]", ": round 1, player 1: [7, 1, 0, 1, 1, 0] is no action"),
        ("[1,1,0,1,1,0]", "[1,1]", ": round 1, player 1: [1, 1] lacks the counts of 5 colours"),
        ("[1,1,0,1,1,0]", "[4,90,0]", ": round 1, player 1: not a legal move here: 4 90"),
        ("[1,1,0,1,1,0]", "\"x\"", ": invalid type: string"),
        ("\"players\":[", "\"players\":[1,", ": invalid type: integer"),
    ] {
        let found = saved(&SAVED.replacen(from, to, 1)).unwrap_err();
        assert!(found.starts_with("line 1, column ") && found.contains(wrong), "{to}: {found}");
    }
    // The place is that of the turn, not of the file.
    let found = saved(&SAVED.replacen("[1,1,0,1,1,0]", "[4,90,0]", 1)).unwrap_err();
    let turn = SAVED.find("{\"tokens\"").unwrap();
    assert!(found.starts_with(&format!("line 1, column {}: ", SAVED[..turn].chars().count() + 1)), "{found}");
}

#[test]
fn input_of_one_move_is_a_dialogue_without_an_answer() {
    let text = include_str!("../golden/two-from-1.dialogue");
    let all = Entry::parse_all(text).unwrap();
    let read: Vec<&str> = all
        .iter()
        .filter_map(|entry| if let Entry::Read(line) = entry { Some(line.as_str()) } else { None })
        .collect();
    let input = read.join("\n");
    let Some(Ok(HarnessFile::Dialogues(bots))) = SPLENDOR.read_file(&input) else { panic!("{input}") };
    assert_eq!(bots[0].entries.len(), read.len() + 1);
    assert_eq!(bots[0].entries.last(), Some(&Entry::End));
    let cut = read[..read.len() - 2].join("\n");
    let error = SPLENDOR.read_file(&cut).unwrap().unwrap_err().to_string();
    assert!(error.ends_with("the input ends before the position is complete"), "{error}");
    let wrong = input.replacen(read[3], "x y z", 1);
    let error = SPLENDOR.read_file(&wrong).unwrap().unwrap_err().to_string();
    assert!(error.starts_with("line 4, column 1: "), "{error}");
}
