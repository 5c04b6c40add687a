//! Tests of the files of the course's `buraco.js`: logs of both published versions, and start files.

use crate::erased::AnyGame as _;
use crate::erased::FinishedMatch;
use crate::erased::adapter::ErasedGame;
use crate::games::buraco::Buraco;
use crate::harness_file::{BotDialogue, HarnessFile};
use crate::protocol::Entry;

const CRASH: &str = include_str!("../golden/files/crash.log");
const ILLEGAL: &str = include_str!("../golden/files/illegal.log");
const START: &str = include_str!("../golden/files/start.in");
const DIALOGUE: &str = include_str!("../golden/referee.dialogue");

fn read(text: &str) -> Result<HarnessFile<FinishedMatch>, String> {
    ErasedGame::<Buraco>::new()
        .read_file(text)
        .expect("this is a file of the game")
        .map_err(|e| e.to_string())
}

fn bots(text: &str) -> Vec<BotDialogue> {
    match read(text).unwrap() {
        HarnessFile::Dialogues(bots) => bots,
        HarnessFile::Match(_) => panic!("a log is no match"),
    }
}

fn error(text: &str) -> String {
    read(text).unwrap_err()
}

#[test]
fn log_has_the_dialogue_of_each_bot() {
    let all = Entry::parse_all(DIALOGUE).unwrap();
    let said: Vec<Entry> =
        all.into_iter().filter(|entry| matches!(entry, Entry::Read(_) | Entry::Printed(_))).collect();
    for (text, fault) in [(CRASH, "the program ended"), (ILLEGAL, "Jogo inválido. As cartas")] {
        let bots = bots(text);
        let names: Vec<&str> = bots.iter().map(|bot| bot.name.as_str()).collect();
        assert_eq!(names, ["p1.kibitz", "p2.other"]);
        let printed = text == ILLEGAL;
        let more = usize::from(printed);
        assert_eq!(bots[0].entries[..said.len()], said);
        assert_eq!(bots[0].entries.len(), said.len() + more);
        let found = bots[0].fault.as_ref().unwrap();
        assert!(found.printed == printed && found.what.starts_with(fault), "{found:?}");
        assert_eq!(bots[1].fault, None);
        let printed = bots[1].entries.iter().filter(|entry| matches!(entry, Entry::Printed(_))).count();
        assert_eq!(printed, 8);
    }
}

#[test]
fn slow_bot_is_told_from_a_bot_that_ended() {
    let slow = ILLEGAL.replace(
        "\u{1b}[36mp1.kibitz\u{1b}[0m: \u{1b}[31mJogo",
        "Jogador p1.kibitz não enviou dados no tempo de 3000ms. Jogo",
    );
    let fault = bots(&slow)[0].fault.clone().unwrap();
    assert!(!fault.printed && fault.what.starts_with("não enviou dados no tempo"), "{fault:?}");
}

#[test]
fn damaged_logs_are_refused_with_their_place() {
    let middle: String = CRASH
        .lines()
        .skip_while(|line| !line.starts_with("Recebido"))
        .map(|line| format!("{line}\n"))
        .collect();
    assert!(
        error(&middle).ends_with("this bot printed a line before it had read one: the beginning is missing")
    );
    let cut = "Enviando para p1.a: p1.a p2.b\nEnviando para p1";
    assert_eq!(error(cut), "line 2, column 1: after the id of the bot a ':' is missing");
}

#[test]
fn start_file_is_the_match_before_its_first_move() {
    for text in [START.to_owned(), format!("{START}\n"), START.replace('\n', "\r\n")] {
        let HarnessFile::Match(start) = read(&text).unwrap() else { panic!("a start is a match") };
        assert!(start.moves.is_empty());
        assert_eq!(start.dealt["hands"][0][2], "7♥");
        assert_eq!(start.dealt["open"]["pile"][0], "J♣");
        assert_eq!(start.dealt["open"]["to_move"], 0);
        assert_eq!(start.dealt["stock"].as_array().unwrap().len(), 104 - 23);
    }
}

#[test]
fn damaged_starts_are_refused_with_their_place() {
    for (from, to, wrong) in [
        ("7♥", "7x", "line 1, column 9: \"7x\" is not a card"),
        ("3♥ 3♥ 5♦", "3♥ 3♥ 2♥", "line 2, column 12: this is a third 2♥"),
        ("J♣\n", "", "line 3, column 1: \"0\" is not a card"),
        ("\n0", "", "line 3, column 3: the file ends here; the number of the starter is missing"),
        ("\n0", "\n2", "line 4, column 1: the starter is 0 or 1, not \"2\""),
        ("\n0", "\n0\n1", "line 5, column 1: a start ends with the number of the starter"),
        ("K♠ ]", "K♠", "line 2, column 35: a hand ends with ']'"),
        ("J♣\n", "[ 4♣ ]\nJ♣\n", "line 3, column 1: this is a third hand"),
    ] {
        let found = error(&START.replacen(from, to, 1));
        assert!(found.starts_with(wrong), "{to}: {found}");
    }
}
