//! Tests of the files that are read: logs of all recorded dialogues that begin without knowledge of the computer.

use std::path::Path;

use crate::erased::AnyGame as _;
use crate::erased::adapter::ErasedGame;
use crate::games::septica::Septica;
use crate::harness_file::{HarnessFile, without_marks};
use crate::protocol::Entry;

fn read(text: &str) -> Result<Vec<Entry>, String> {
    match ErasedGame::<Septica>::new().read_file(text).expect("this is a dialogue") {
        Ok(HarnessFile::Dialogues(mut all)) => Ok(all.remove(0).entries),
        Ok(HarnessFile::Match(_)) => panic!("a dialogue is no match"),
        Err(e) => Err(e.to_string()),
    }
}

#[test]
fn logs_of_recorded_contests_are_their_dialogues() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/games/septica/golden");
    let mut contests = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        if !text.starts_with("# settings: matches=4") {
            continue;
        }
        contests += 1;
        let all = Entry::parse_all(&text).unwrap();
        let said: Vec<Entry> =
            all.into_iter().filter(|entry| matches!(entry, Entry::Read(_) | Entry::Printed(_))).collect();
        assert_eq!(read(&without_marks(&text)), Ok(said), "{}", path.display());
    }
    assert!(contests >= 8, "{contests}");
}

#[test]
fn damaged_logs_are_refused_with_their_place() {
    for (text, error) in [
        ("8 8 9 9\n11\n8\nx\n8\n", "line 4, column 1: "),
        (
            "8 8 9 9\n11\nx\n2 1 12\n",
            "line 3, column 1: here an answer of the bot must be, and this is none: ",
        ),
    ] {
        let found = read(text).unwrap_err();
        assert!(found.starts_with(error), "{found}");
    }
    for other in ["8 8 9\n", "4 3 2 4 2 3 2\n", "state\n"] {
        assert!(ErasedGame::<Septica>::new().read_file(other).is_none(), "{other}");
    }
}
