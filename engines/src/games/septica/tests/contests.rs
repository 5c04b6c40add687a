//! Tests of both sides together: whole contests of random moves, and the recorded ones.

use std::collections::BTreeMap;

use super::*;
use crate::protocol::{Awaits, PlayerDecision};
use crate::rng::{Rng, Seed};

/// Plays matches in a row between the player's side and the computer's, both with random moves, and returns the transcript.
/// Adds to `silences` the number of times that the player waited in vain for a line.
fn record_contest(
    short_deck: ShortDeck,
    awaits: bool,
    seed: u64,
    matches: u32,
    silences: &mut u32,
) -> String {
    let mut log = format!("# settings: matches={matches}\n");
    let settings = Settings(BTreeMap::from([("matches".to_owned(), matches.to_string())]));
    let mut bot = PlayerDialogue::new(&settings).unwrap();
    let mut printed = Vec::new();
    let mut step = bot.start(&mut printed);
    let mut rng = Rng::stream(&Seed::from(seed), 9);
    for number in 0..u64::from(matches) {
        let options = Options { short_deck, draws: Draws::Player };
        let mut table = Table::<Septica>::new(Septica::deal(&options, &Seed::from(seed + number)).unwrap());
        let mut referee = RefereeDialogue::awaiting_last_zero(awaits);
        let mut inbox = Vec::new();
        referee.open(table.state(), &mut inbox);
        loop {
            let over = table.turn() == Turn::Over;
            let zeros = |printed: &mut Vec<String>, referee: &mut RefereeDialogue, log: &mut String| {
                for line in printed.drain(..) {
                    *log += &format!("> {line}\n");
                    assert_eq!(referee.line(table.state(), &line), Ok(None), "{log}");
                }
            };
            for line in std::mem::take(&mut inbox) {
                log += &format!("< {line}\n");
                step = bot.line(&line, &mut printed).unwrap();
                zeros(&mut printed, &mut referee, &mut log);
            }
            // The referee waits too: for the last zero, or for the player's choice to go on.
            if matches!(step, Awaits::EntryWithin(_)) && (over || table.turn() == Turn::Of(PLAYER)) {
                *silences += 1;
                step = bot.silence(&mut printed);
            }
            zeros(&mut printed, &mut referee, &mut log);
            if over {
                referee.prompt(table.state(), None, &mut inbox);
                if inbox.is_empty() { break } else { continue }
            }
            let Turn::Of(seat) = table.turn() else { break };
            let mut moves = Vec::new();
            let view = table.state().view(Viewer::Seat(seat));
            view.legal(&mut moves);
            let mv = *rng.pick(&moves).unwrap();
            if seat == PLAYER {
                referee.prompt(table.state(), None, &mut inbox);
                let Awaits::Decision(PlayerDecision { view: given, .. }) = &step else {
                    panic!("no decision asked:\n{log}")
                };
                assert_eq!(**given, view, "{log}");
                step = bot.played(&mv, &mut printed);
                log += &format!("> {}\n", printed[0]);
                assert_eq!(referee.line(table.state(), &printed.remove(0)), Ok(Some(mv)));
            }
            let before = table.state().clone();
            table.play(seat, &mv).unwrap();
            referee.moved(&before, seat, &mv, table.state(), &mut inbox);
        }
    }
    assert_eq!(step, Awaits::Nothing, "{log}");
    log
}

#[test]
fn whole_contests_work_with_every_kind_of_computer() {
    for short_deck in ShortDeck::ALL {
        for awaits in [false, true] {
            let mut silences = 0;
            record_contest(short_deck, awaits, 100, 300, &mut silences);
            let equal = matches!(short_deck, ShortDeck::WinnerAlternates | ShortDeck::ComputerAlternates);
            if equal {
                assert_eq!(
                    silences,
                    u32::from(awaits),
                    "the player waits once and remembers: {short_deck:?}"
                );
            }
        }
    }
}

/// The files hold both sides' lines byte for byte. The conformance tests replay the player's side from them.
#[test]
fn recorded_contests_match_both_sides() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/games/septica/golden");
    let mut with_zero = 0;
    for short_deck in ShortDeck::ALL {
        let name = serde_json::to_value(short_deck).unwrap().as_str().unwrap().replace('_', "-");
        let printed = [false, true].map(|awaits| record_contest(short_deck, awaits, 7, 4, &mut 0));
        with_zero += u32::from(printed[0] != printed[1]);
        for (printed, ending) in printed.iter().zip(["", "-awaits-last-zero"]) {
            let path = folder.join(format!("{name}{ending}.dialogue"));
            if std::env::var_os("KIBITZ_RECORD").is_some() {
                std::fs::write(&path, printed).unwrap();
            }
            assert_eq!(*printed, std::fs::read_to_string(&path).unwrap(), "{}", path.display());
        }
    }
    assert_eq!(with_zero, 4, "every way of dealing has a match in which the last zero matters");
}

#[test]
fn computer_refuses_invalid_moves_and_requires_its_zeros() {
    let mut state = early([&[9, 10, 12, 13], &[7, 8, 11, 14]]);
    let mut referee = RefereeDialogue::awaiting_last_zero(false);
    let mut out = Vec::new();
    referee.open(&state, &mut out);
    assert_eq!(out, ["7 8 11 14"]);
    for bad in ["x", "6", "15", "-1", "7 8", "99999999999999999999"] {
        assert!(referee.line(&state, bad).is_err(), "{bad}");
    }
    assert_eq!(referee.line(&state, ""), Ok(None));
    state.leader = PLAYER;
    state.taken[1] = vec![state.deck.pop().unwrap(), state.deck.pop().unwrap()];
    state.taken[1].sort_unstable();
    state.audit().unwrap();
    play(&mut state, &[11]);
    let before = state.clone();
    let mv = Move::Card(Rank::new(9).unwrap());
    state.play(&mv);
    out.clear();
    referee.moved(&before, Seat(0), &mv, &state, &mut out);
    assert_eq!(out[0], "9");
    assert!(out[1].starts_with("3 1 "), "{out:?}");
    assert!(referee.line(&state, "8").is_err(), "the owed zero must come first");
    assert_eq!(referee.line(&state, "0 8"), Ok(Some(Move::Card(Rank::new(8).unwrap()))));
}
