//! Tests Ioiwari against the published results: values of starts, reachable boards, the worked game.

use std::collections::{BTreeMap, HashSet};

use super::engine::{margin, ranked};
use super::rules::{PITS, Pits, sow, starts};
use super::{Ioiwari, Move, Options};
use crate::game::{Game, Seat, State as _, Table, Turn, View as _, Viewer};
use crate::protocol::{Awaits, Settings};
use crate::rng::{Rng, Seed};
use crate::search::{Engine, Level, Limits, Patient, Search};
use crate::search_kit::alpha_beta::{AlphaBeta, Strength};
use crate::search_kit::strength::score;

mod broken_rules;
mod files;

#[test]
fn all_starts_have_the_published_values() {
    let starts = starts();
    assert_eq!(starts.len(), 357);
    let with = |wanted: i8| starts.iter().filter(|pits| margin(pits) == wanted).count();
    assert_eq!([with(2), with(4), with(6)], [140, 133, 84]);
    assert_eq!(margin(&[4, 3, 2, 4, 2, 3, 2]), 2);
    let winning = |pits: &Pits| ranked(pits).iter().filter(|(_, m)| *m > 0).count();
    let starts_with = |n: usize| starts.iter().filter(|pits| winning(pits) == n).count();
    assert_eq!([1, 2, 3, 4, 5].map(starts_with), [70, 112, 112, 56, 7]);
}

#[test]
fn number_of_reachable_boards_is_the_published_one() {
    let mut seen: HashSet<Pits> = starts().into_iter().collect();
    let mut open: Vec<Pits> = seen.iter().copied().collect();
    while let Some(pits) = open.pop() {
        for pit in (0..PITS).filter(|p| pits[*p] > 0) {
            let mut next = pits;
            sow(&mut next, pit);
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    assert_eq!(seen.len(), 37_654);
}

#[test]
fn worked_game_is_replayed() {
    let options = Options { pits: Some([4, 3, 2, 4, 2, 3, 2]) };
    let mut table = Table::<Ioiwari>::new(Ioiwari::deal(&options, &Seed::from(0)).unwrap());
    let plies: [(u8, Pits, [u8; 2]); 6] = [
        (2, [4, 0, 3, 5, 0, 3, 2], [3, 0]),
        (3, [4, 0, 0, 4, 1, 4, 0], [3, 4]),
        (5, [4, 0, 0, 4, 0, 0, 0], [8, 4]),
        (4, [0, 0, 0, 0, 1, 1, 1], [8, 9]),
        (5, [0, 0, 0, 0, 0, 0, 1], [10, 9]),
        (7, [0; 7], [11, 9]),
    ];
    for (i, (pit, pits, banks)) in plies.into_iter().enumerate() {
        table.play(Seat(i as u8 % 2), &Move { pit }).unwrap();
        assert_eq!((table.state().pits, table.state().banks), (pits, banks), "after ply {i}");
    }
    assert_eq!(table.turn(), Turn::Over);
    assert_eq!(table.outcome().unwrap().ranks, [1, 2]);
}

/// From every start and against every reply, the engine in seat 0 ends with more beads.
#[test]
fn engine_wins_every_start_as_first_player() {
    fn follow(table: &Table<Ioiwari>, seen: &mut HashSet<(Pits, [u8; 2])>) {
        match table.turn() {
            Turn::Over => assert_eq!(table.outcome().unwrap().ranks, [1, 2]),
            Turn::Of(Seat(0)) => {
                let view = crate::game::State::view(table.state(), Viewer::Seat(Seat(0)));
                let mut search = Search::new(Limits::default(), &Patient);
                let decision = (Ioiwari::engines()[0].make)().choose(&view, &mut search);
                assert_eq!(decision.value, 1.0);
                let mut next = table.clone();
                next.play(Seat(0), &decision.mv).unwrap();
                follow(&next, seen);
            }
            Turn::Of(seat) => {
                if !seen.insert((table.state().pits, table.state().banks)) {
                    return;
                }
                let mut replies = Vec::new();
                crate::game::State::view(table.state(), Viewer::Seat(seat)).legal(&mut replies);
                for reply in replies {
                    let mut next = table.clone();
                    next.play(seat, &reply).unwrap();
                    follow(&next, seen);
                }
            }
        }
    }
    let mut seen = HashSet::new();
    for pits in starts() {
        let options = Options { pits: Some(pits) };
        follow(&Table::new(Ioiwari::deal(&options, &Seed::from(0)).unwrap()), &mut seen);
    }
}

/// Alpha-beta to the end of the match finds the winner that the table has, in the endings of many matches.
#[test]
fn alpha_beta_agrees_with_the_solver() {
    let mut seen = 0;
    for (seed, pits) in (0..).zip(starts()) {
        let options = Options { pits: Some(pits) };
        let mut table = Table::<Ioiwari>::new(Ioiwari::deal(&options, &Seed::from(0)).unwrap());
        let mut rng = Rng::new(&Seed::from(seed));
        while let Turn::Of(seat) = table.turn() {
            let view = table.state().view(Viewer::Seat(seat));
            let (pits, lead) = (table.state().pits, table.state().lead());
            if pits.iter().sum::<u8>() <= 8 {
                seen += 1;
                let strength = |_| Strength { depth: u32::MAX, slips: 0.0 };
                let mut search = Search::new(Limits::default(), &Patient);
                let found = AlphaBeta::<Ioiwari> { estimate: |_| 0, strength }.choose(&view, &mut search);
                let worth = |margin: i8| 0.5 + 0.5 * f64::from((lead + margin).signum());
                let values: BTreeMap<u8, f64> =
                    ranked(&pits).iter().map(|(mv, margin)| (mv.pit, worth(*margin))).collect();
                let searched: BTreeMap<u8, f64> =
                    found.candidates.iter().map(|one| (one.mv.pit, one.value)).collect();
                assert_eq!(searched.get(&found.mv.pit), Some(&found.value));
                assert_eq!(found.value, worth(margin(&pits)), "{view:?}");
                // A won match ends the search: the other moves have only the value that it had found by then.
                if found.value < 1.0 {
                    assert_eq!(searched, values, "{view:?}");
                }
            }
            let mut moves = Vec::new();
            view.legal(&mut moves);
            table.play(seat, rng.pick(&moves).unwrap()).unwrap();
        }
    }
    assert!(seen > 500, "{seen} positions");
}

/// A player of random sensible moves is an even match for `easy`, and each level beats the one below.
#[test]
fn levels_have_the_documented_strength() {
    let level = |level: &str| format!("engine:level={level}");
    let score = |a: &str, b: &str| score(crate::games::find("ioiwari").unwrap(), a, b, 600);
    let casual = score(&level("easy"), "engine:name=sensible");
    assert!((0.45..0.55).contains(&casual), "{casual}");
    for (weak, strong) in [("easy", "medium"), ("medium", "hard"), ("hard", "max")] {
        let better = score(&level(strong), &level(weak));
        assert!(better >= 0.62, "{strong} against {weak}: {better}");
    }
    assert!(score(&level("max"), "engine:name=sensible") >= 0.92);
}

/// Below `max` a move may be wrong, but it loses at most one bead more than necessary.
#[test]
fn easy_level_avoids_gifts() {
    for (seed, pits) in (0..).zip(starts()) {
        let options = Options { pits: Some(pits) };
        let mut table = Table::<Ioiwari>::new(Ioiwari::deal(&options, &Seed::from(0)).unwrap());
        while let Turn::Of(seat) = table.turn() {
            let view = crate::game::State::view(table.state(), Viewer::Seat(seat));
            let limits = Limits { level: Level::Easy, seed: Seed::from(seed), ..Limits::default() };
            let mut search = Search::new(limits, &Patient);
            let mv = (Ioiwari::engines()[0].make)().choose(&view, &mut search).mv;
            let lost = |mv: &Move| {
                let [own, other] = sow(&mut table.state().pits.clone(), usize::from(mv.pit - 1));
                other as i8 - own as i8
            };
            let mut moves = Vec::new();
            view.legal(&mut moves);
            let least = moves.iter().map(lost).min().unwrap();
            assert!(lost(&mv) <= least.max(1), "{mv} in {view:?}");
            table.play(seat, &mv).unwrap();
        }
    }
}

#[test]
fn impossible_positions_are_refused_with_the_field_name() {
    let parse = |json: &str| serde_json::from_str::<super::View>(json).map_err(|e| e.to_string());
    assert!(parse(r#"{"pits":[4,3,2,4,2,3,2],"banks":[0,0],"to_move":0}"#).is_ok());
    for (json, part) in [
        (r#"{"pits":[4,3,2,4,2,3,3],"banks":[0,0],"to_move":0}"#, "20 beads"),
        (r#"{"pits":[6,3,2,4,2,3,0],"banks":[0,0],"to_move":0}"#, "more than 5"),
        (r#"{"pits":[4,3,2,4,2,3,2],"banks":[0,0],"to_move":2}"#, "to_move"),
        (r#"{"pits":[4,3,2,4,2,3,2],"banks":[0,0],"to_move":0,"viewer":{"seat":7}}"#, "viewer"),
        (r#"{"pits":[4,3,2,4,2,3],"banks":[0,0],"to_move":0}"#, "length"),
        (r#"{"pits":[4,3,2,4,2,3,2],"banks":[0,0],"to_move":0,"x":1}"#, "x"),
        (r#"{"pits":[255,3,2,4,2,3,2],"banks":[255,255],"to_move":0}"#, "more than 5"),
    ] {
        let error = parse(json).unwrap_err();
        assert!(error.contains(part), "{error}");
    }
}

/// The whole mirror dialogue of the worked game, byte by byte, on both sides.
#[test]
fn player_2_reads_a_zero_before_the_start_and_the_first_pit_after_it() {
    let mirror = Settings([("mirror".to_owned(), "yes".to_owned())].into());
    assert!(Ioiwari::referee(Seat(1), &Settings::default()).is_err());
    let mut referee = Ioiwari::referee(Seat(1), &mirror).unwrap();
    let mut bot = Ioiwari::player(&Settings::default()).unwrap();
    let options = Options { pits: Some([4, 3, 2, 4, 2, 3, 2]) };
    let mut table = Table::<Ioiwari>::new(Ioiwari::deal(&options, &Seed::from(0)).unwrap());
    let (mut lines, mut read, mut printed) = (Vec::new(), Vec::new(), Vec::new());
    referee.open(table.state(), &mut lines);
    for pit in [2, 3, 5, 4, 5, 7] {
        let mut step = None;
        for line in std::mem::take(&mut lines) {
            step = Some(bot.line(&line, &mut printed).unwrap());
            read.push(line);
        }
        let Turn::Of(seat) = table.turn() else { panic!("it is not over") };
        let mv = Move { pit };
        let before = table.state().clone();
        if seat == Seat(1) {
            let Some(Awaits::Decision(asked)) = step else { panic!("no decision after {read:?}") };
            assert_eq!(*asked.view, before.view(Viewer::Seat(seat)));
            bot.played(&mv, &mut printed);
            let said = referee.line(&before, printed.last().unwrap()).unwrap();
            assert_eq!(said, Some(mv));
        }
        table.play(seat, &mv).unwrap();
        referee.moved(&before, seat, &mv, table.state(), &mut lines);
    }
    assert_eq!(read, ["0", "4 3 2 4 2 3 2", "2", "5", "5"]);
    assert_eq!(printed, ["3", "4", "7"]);
}

#[test]
fn premoves_are_the_pits_that_may_hold_beads_at_the_next_turn() {
    for seed in 0..40 {
        let mut table = Table::<Ioiwari>::new(Ioiwari::deal(&Options::default(), &Seed::from(seed)).unwrap());
        let mut rng = Rng::new(&Seed::from(seed));
        while let Turn::Of(seat) = table.turn() {
            let mut premoves = Vec::new();
            table.state().view(Viewer::Seat(seat.other())).premoves(&mut premoves);
            let mut possible = HashSet::new();
            let mut now = Vec::new();
            table.state().list_legal(&mut now);
            for mv in now {
                let mut after = table.clone();
                after.play(seat, &mv).unwrap();
                let mut then = Vec::new();
                after.state().list_legal(&mut then);
                possible.extend(then);
            }
            assert_eq!(premoves.into_iter().collect::<HashSet<_>>(), possible);
            table.play_random(&mut rng);
        }
    }
}
