//! Tests of the files that are read.

use crate::erased::AnyGame as _;
use crate::erased::adapter::ErasedGame;
use crate::games::ioiwari::Ioiwari;
use crate::harness_file::{HarnessFile, without_marks};
use crate::protocol::Entry;

const WORKED_GAME: &str = include_str!("../golden/worked-game.dialogue");

fn read(text: &str) -> Result<Vec<Entry>, String> {
    match ErasedGame::<Ioiwari>::new().read_file(text).expect("this is a dialogue") {
        Ok(HarnessFile::Dialogues(mut all)) => Ok(all.remove(0).entries),
        Ok(HarnessFile::Match(_)) => panic!("a dialogue is no match"),
        Err(e) => Err(e.to_string()),
    }
}

/// The lines of a transcript that say something.
fn marked(transcript: &str) -> Vec<Entry> {
    let all = Entry::parse_all(transcript).unwrap();
    all.into_iter().filter(|entry| matches!(entry, Entry::Read(_) | Entry::Printed(_))).collect()
}

#[test]
fn log_of_the_worked_game_is_its_dialogue() {
    let log = without_marks(WORKED_GAME);
    assert_eq!(read(&log), Ok(marked(WORKED_GAME)));
    let windows = log.replace('\n', "\r\n");
    assert_eq!(read(&windows), Ok(marked(WORKED_GAME)));
    assert_eq!(read("4 3 2 4 2 3 2\n2\n").unwrap().len(), 2, "a log may end anywhere");
    assert_eq!(read("4 3 2 4 2 3 2\nSegmentation fault\n").unwrap().len(), 2, "and with any line of the bot");
}

#[test]
fn damaged_logs_are_refused_with_their_place() {
    for (text, error) in [
        ("4 3 2 4 2 3 2\n2\n9\n5\n", "line 3, column 1: \"9\": a move is a pit number, 1 to 7"),
        ("4 3 2 4 2 3 2\n2\n\n  2\n5\n", "line 4, column 3: the opponent cannot play 2 here"),
        (
            "4 3 2 4 2 3 2\nx\n3\n",
            "line 2, column 1: here an answer of the bot must be, and this is none: a move is",
        ),
        ("4 3 2 4 2 3 2\n2\n3\n5\n4\n5\n7\n1\n", "line 8, column 1: the dialogue is over before this line"),
    ] {
        let found = read(text).unwrap_err();
        assert!(found.starts_with(error), "{found}");
    }
    for other in ["4 3 2 4 2 3\n", "7 8 9 10\n", "both\n", "{}"] {
        assert!(ErasedGame::<Ioiwari>::new().read_file(other).is_none(), "{other}");
    }
}
