//! Tests of the files that are read.

use crate::erased::AnyGame as _;
use crate::erased::adapter::ErasedGame;
use crate::games::azul::Azul;
use crate::harness_file::{HarnessFile, without_marks};
use crate::protocol::Entry;

const ONE_TURN: &str = include_str!("../golden/one-turn.dialogue");
const UPDATES: &str = include_str!("../golden/second-player-by-updates.dialogue");

fn read(text: &str) -> Result<Vec<Entry>, String> {
    match ErasedGame::<Azul>::new().read_file(text).expect("this is a dialogue") {
        Ok(HarnessFile::Dialogues(mut all)) => Ok(all.remove(0).entries),
        Ok(HarnessFile::Match(_)) => panic!("a dialogue is no match"),
        Err(e) => Err(e.to_string()),
    }
}

#[test]
fn logs_are_read_in_each_format_of_the_input() {
    let alone = without_marks(include_str!("../golden/position-alone.dialogue"));
    let state = format!("state\n{}", alone.trim_start_matches("state\n"));
    for text in [without_marks(ONE_TURN), without_marks(UPDATES), state] {
        let entries = read(&text).unwrap();
        let line = |entry: &Entry| match entry {
            Entry::Read(line) | Entry::Printed(line) => format!("{line}\n"),
            other => panic!("{other}"),
        };
        assert_eq!(entries.iter().map(line).collect::<String>(), text);
    }
    let all = Entry::parse_all(UPDATES).unwrap();
    let said: Vec<Entry> =
        all.into_iter().filter(|entry| matches!(entry, Entry::Read(_) | Entry::Printed(_))).collect();
    assert_eq!(read(&without_marks(UPDATES)), Ok(said));
}

#[test]
fn damaged_logs_are_refused_with_their_place() {
    let log = without_marks(UPDATES);
    for (from, to, error) in [
        ("restock", "restok", "line 4, column 1: "),
        ("30000", "soon", "line 2, column 1: "),
        ("4 o 1", "hello", "line 12, column 1: here an answer of the bot must be, and this is none: "),
        ("3 g 3", "3 g 9", "line 16, column 1: "),
    ] {
        let found = read(&log.replacen(from, to, 1)).unwrap_err();
        assert!(found.starts_with(error), "{to}: {found}");
    }
    assert!(ErasedGame::<Azul>::new().read_file("0 g 0\n").is_none());
}
