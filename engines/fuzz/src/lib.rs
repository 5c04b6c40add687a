//! The bodies of the fuzz targets: each feeds arbitrary bytes to a game. A panic is a failure.

use engines::dialogue::MIRROR;
use engines::erased::{AnyGame, AnySession, Awaits, MoveInput, Position, StartPosition, read_start};
use engines::game::{Seat, Turn, Viewer};
use engines::harness_file::HarnessFile;
use engines::protocol::{Entry, Settings};
use engines::rng::Seed;
use engines::search::{Limits, Patient};

/// More lines than a dialogue of these games needs to reach every state of its parser.
const MANY: usize = 400;

/// The game that `KIBITZ_FUZZ_GAME` names.
pub fn game() -> &'static dyn AnyGame {
    let slug = std::env::var("KIBITZ_FUZZ_GAME").unwrap_or_default();
    engines::games::find(&slug).unwrap_or_else(|| panic!("KIBITZ_FUZZ_GAME names no game: '{slug}'"))
}

/// Feeds arbitrary transcripts to the bot's side of the official dialogue and decides with the first legal move. Lines
/// that the bot read must never end the dialogue; only lines that it printed may be refused. Each position that the
/// dialogue asks about must survive writing and reading, and have a legal move.
pub fn bot(game: &dyn AnyGame, data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Ok(entries) = Entry::parse_all(&text) else { return };
    let may_be_refused = entries.iter().any(|entry| matches!(entry, Entry::Printed(_)));
    let mut session = game.session(&Settings::default()).expect("default settings are good");
    session.push(entries);
    let mut awaits = session.advance();
    for _ in 0..MANY {
        awaits = match awaits {
            Ok(Awaits::Decision(question)) => {
                let json = question.position.to_json();
                let again = game.position(&json).map(|p| p.to_json());
                assert_eq!(again.as_ref(), Ok(&json), "writing and reading a position changes it");
                numbers(question.position.as_ref());
                let moves = question.position.legal_moves();
                let mv = moves.first().expect("a position that needs a decision has a legal move");
                let next = session.decide(&mv.notation);
                assert_printable(session.as_mut());
                next
            }
            Ok(Awaits::EntryWithin(_)) => Ok(session.silence()),
            Ok(Awaits::Entry | Awaits::Nothing) => break,
            Err(e) => {
                assert!(may_be_refused, "a line that was read ended the dialogue: {e}");
                break;
            }
        };
    }
    assert_printable(session.as_mut());
    let clean = |remark: &String| !remark.contains(['\n', '\r']);
    assert!(session.take_remarks().iter().all(clean), "a remark is one line");
}

/// Checks the numeric form of a position: values within their ranges, and a number for each legal move.
fn numbers(position: &dyn Position) {
    if let (Some(encoding), Some(observation), Some(mask)) =
        (position.encoding(), position.observe(), position.action_mask())
    {
        encoding.check(&observation).expect("an observation fits its layout");
        let legal = mask.iter().filter(|legal| **legal).count();
        assert_eq!(legal, position.legal_moves().len(), "each legal move has a number of its own");
    }
}

fn assert_printable(session: &mut dyn AnySession) {
    for line in session.take_lines() {
        assert!(!line.contains(['\n', '\r', '%']), "{line:?} cannot be printed");
    }
}

/// Feeds arbitrary lines of a bot to the referee's side of the official dialogue, in each seat that bots can have.
pub fn referee(game: &dyn AnyGame, data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let info = game.info();
    for seat in (0..info.max_seats).filter(|seat| info.bot_can_hold(*seat, true)).map(Seat) {
        let mut table = game.deal(&serde_json::json!({}), &Seed::from(1)).expect("default options are good");
        if seat.0 >= table.seats() {
            break;
        }
        let mirror = !info.bot_can_hold(seat.0, false);
        let settings = mirror.then(|| (MIRROR.name.to_owned(), "yes".to_owned()));
        table.seat_bot(seat, &Settings(settings.into_iter().collect())).expect("the seat's own settings are good");
        let mut lines = text.lines().take(MANY);
        while let Turn::Of(mover) = table.turn() {
            if mover != seat {
                let moves = table.view(Viewer::Seat(mover)).legal_moves();
                table.play(mover, &moves[0].notation).expect("a listed move is legal");
                continue;
            }
            table.prompt(seat, None);
            let Some(line) = lines.next() else { break };
            let foul = match table.hear(seat, line) {
                Ok(Some(mv)) => table.play(seat, &mv).is_err(),
                Ok(None) => false,
                Err(_) => true,
            };
            if foul {
                table.foul(seat, "fuzzed").expect("the seat that is to move can foul");
            }
            table.take_lines(seat);
        }
    }
}

/// Reads arbitrary bytes as a file of the contest's harness. The moves of a match that is read must be legal, an error has a
/// place in the file, and the game's own bot must survive each dialogue.
pub fn file(game: &dyn AnyGame, data: &[u8]) {
    let Ok(text) = engines::harness_file::text_of(data) else { return };
    if let Ok(position) = read_start(game, &text) {
        game.start(&position, None, &Seed::from(1)).expect("a match begins with a position that was read");
    }
    match game.read_file(&text) {
        None => {}
        Some(Err(e)) => {
            assert!(e.line >= 1 && e.column >= 1, "{e}");
            assert!(e.line <= text.lines().count() + 1, "{e}");
        }
        Some(Ok(HarnessFile::Match(finished))) => {
            let mut table = game.restore(&finished.dealt).expect("the start of a match that was read is possible");
            assert_eq!(finished.names.len(), usize::from(table.seats()));
            for one in &finished.moves {
                table.play(one.seat, &one.notation).expect("the moves of a match that was read are legal");
            }
        }
        Some(Ok(HarnessFile::Dialogues(all))) => {
            for one in all {
                let mut session = game.session(&Settings::default()).expect("default settings are good");
                session.push(one.entries);
                let _any_answer = session.advance();
            }
        }
    }
}

/// Reads arbitrary JSON as a position, as a move and as options. Each position that is accepted has its numbers, and an engine
/// must be able to search it.
pub fn json(game: &dyn AnyGame, data: &[u8]) {
    let Ok(value) = serde_json::from_slice(data) else { return };
    if let Ok(position) = game.position(&value) {
        let again = game.position(&position.to_json()).map(|p| p.to_json());
        assert_eq!(again.as_ref(), Ok(&position.to_json()), "writing and reading a position changes it");
        numbers(position.as_ref());
        if let Ok(start) = game.start(&StartPosition::View { view: value.clone() }, None, &Seed::from(1)) {
            game.restore(&start.table.state_json()).expect("a match begins with a possible state");
        }
        if position.askable().is_ok() {
            for nodes in [0, 12] {
                let limits = Limits { nodes: Some(nodes), candidates: 3, ..Limits::default() };
                position.think(None, limits, &Patient).expect("an engine answers every position that is accepted");
            }
        }
    }
    let table = game.deal(&serde_json::json!({}), &Seed::from(1)).expect("default options are good");
    let _any_answer = table.read(MoveInput::Json(&value));
    if let Ok(table) = game.deal(&value, &Seed::from(1)) {
        table.view(Viewer::Spectator).to_json();
    }
}
