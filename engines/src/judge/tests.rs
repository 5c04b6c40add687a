//! The judge on real matches of every game.

use serde_json::json;

use super::*;
use crate::games::GAMES;
use crate::rng::Rng;

/// A match between players of these engines and levels, or of random moves.
fn played(game: &dyn AnyGame, seats: u8, seed: u64, random: &[bool]) -> MatchToJudge {
    let options = game.options_for(seats).unwrap_or_else(|| json!({}));
    let mut table = game.deal(&options, &Seed::from(seed)).unwrap();
    let (dealt, mut rng) = (table.state_json(), Rng::new(&Seed::from(seed)));
    let mut moves = Vec::new();
    while let Turn::Of(seat) = table.turn() {
        let view = table.view(Viewer::Seat(seat));
        let notation = if random[seat.index()] {
            let legal = view.legal_moves();
            legal[rng.below(legal.len())].notation.clone()
        } else {
            let limits = Limits { nodes: Some(200), seed: rng.seed(), ..Limits::default() };
            view.think(None, limits, &Patient).unwrap().mv.notation
        };
        table.play(seat, &notation).unwrap();
        moves.push(FinishedMove { seat, notation, mistake: None, remarks: Vec::new() });
    }
    let outcome = table.outcome().unwrap();
    let scores = (0..seats).map(|seat| outcome.score(Seat(seat))).collect();
    let names = (0..seats).map(|seat| format!("seat {seat}")).collect();
    MatchToJudge {
        played: FinishedMatch { dealt, moves, names },
        seed: Seed::from(seed),
        end: Some(MatchEnd { scores, forfeited: Vec::new() }),
    }
}

fn judged(game: &dyn AnyGame, finished: &MatchToJudge) -> MatchAnalysis {
    judge(game, finished, 300, &mut LocalJudgeHost(|_| {})).unwrap()
}

/// Keeps the beginning of a match, so that the test is short. It has no result then.
fn beginning(mut finished: MatchToJudge, moves: usize) -> MatchToJudge {
    if finished.played.moves.len() > moves {
        finished.played.moves.truncate(moves);
        finished.end = None;
    }
    finished
}

#[test]
fn every_game_is_judged_alike_twice_and_random_moves_lose() {
    let mut losses = [0.0; 2];
    for game in GAMES {
        let info = game.info();
        let finished = beginning(played(*game, 2, 7, &[true, false]), 60);
        let analysis = judged(*game, &finished);
        assert_eq!(analysis, judged(*game, &finished), "{}", info.slug);
        assert_eq!(analysis.decisions.len(), finished.played.moves.len());
        for one in &analysis.decisions {
            let Some(value) = &one.value else { continue };
            let MoveValue { before, after, loss, class, best, line } = value;
            assert!(0.0 <= *after && after <= before && *before <= 1.0, "{}: {one:?}", info.slug);
            assert!((before - after - loss).abs() < 1e-9);
            assert_eq!(*class, MoveClass::of(*loss));
            assert!(*loss == 0.0 || best.notation != one.played.notation);
            assert!(line.first().is_none_or(|first| first.notation == best.notation));
            assert!(!one.drawn || !info.perfect_information, "{}", info.slug);
        }
        for (loss, seat) in losses.iter_mut().zip(&analysis.seats) {
            *loss += seat.mean_loss.unwrap();
        }
        let read: MatchAnalysis = serde_json::from_value(serde_json::to_value(&analysis).unwrap()).unwrap();
        assert_eq!(read, analysis);
    }
    let [random, engine] = losses;
    assert!(random > 2.0 * engine, "{random} {engine}");
}

#[test]
fn result_of_every_seat_is_explained_in_every_game_and_size() {
    for game in GAMES {
        for seats in 1..=game.info().max_seats {
            if game.options_for(seats).is_none() {
                continue;
            }
            let random: Vec<bool> = (0..seats).map(|seat| seat > 0).collect();
            let mut finished = played(*game, seats, 3, &random);
            let end = finished.end.take();
            // The end of a match is judged like the rest; the beginning is left out of long ones.
            let skipped = finished.played.moves.len().saturating_sub(40);
            let mut table = game.restore(&finished.played.dealt).unwrap();
            for FinishedMove { seat, notation, .. } in finished.played.moves.drain(..skipped) {
                table.play(seat, &notation).unwrap();
            }
            finished.played.dealt = table.state_json();
            finished.end = end;
            let analysis = judged(*game, &finished);
            for summary in &analysis.seats {
                let Some(a) = summary.account else { continue };
                let sum = a.start + a.own + a.others + a.luck + a.correction;
                assert!((sum - a.result).abs() < 1e-9, "{} of {seats}: {a:?}", game.info().slug);
            }
            if seats == 2 {
                let [a, b] = [0, 1].map(|seat| analysis.seats[seat].account.unwrap());
                assert!((a.luck + b.luck).abs() < 1e-9 && (a.own + b.others).abs() < 1e-9);
                assert!(!game.info().perfect_information || a.luck == 0.0, "{}", game.info().slug);
            }
        }
    }
}

#[test]
fn costliest_decisions_are_the_greatest_losses() {
    let game = GAMES.iter().find(|game| game.info().perfect_information).unwrap();
    // Random moves in a solved game: there are mistakes in any of these matches together.
    let analyses: Vec<_> =
        (0..10).map(|seed| judged(*game, &played(*game, 2, seed, &[true, true]))).collect();
    assert!(analyses.iter().any(|analysis| analysis.costliest.len() > 1));
    for analysis in analyses {
        let mut losses: Vec<f64> =
            analysis.decisions.iter().filter_map(|one| Some(one.value.as_ref()?.loss)).collect();
        losses.sort_by(|a, b| b.total_cmp(a));
        let of = |ply: &u32| analysis.decisions[*ply as usize].value.as_ref().unwrap().loss;
        let named: Vec<f64> = analysis.costliest.iter().map(of).collect();
        assert_eq!(named, losses.iter().copied().take(named.len()).collect::<Vec<_>>());
        assert!(named.len() == 3 || losses.get(named.len()).is_none_or(|loss| *loss < 0.05));
    }
}

#[test]
fn host_can_stop_an_analysis() {
    struct Stopping;
    impl JudgeHost for Stopping {
        fn think(&mut self, _: Box<dyn Position>, _: Limits) -> Result<EngineDecision, JudgeError> {
            Err(JudgeError::Stopped("enough".to_owned()))
        }
        fn judged(&mut self, _: usize) {}
    }
    let finished = played(GAMES[0], 2, 1, &[true, true]);
    let stopped = judge(GAMES[0], &finished, 10, &mut Stopping);
    assert_eq!(stopped, Err(JudgeError::Stopped("enough".to_owned())));
}

/// A match of random moves, its beginning.
fn random_match(game: &dyn AnyGame, seed: u64, moves: usize) -> MatchToJudge {
    beginning(played(game, 2, seed, &[true, true]), moves)
}

fn puzzles_of(game: &dyn AnyGame, finished: &MatchToJudge) -> Vec<FoundPuzzle> {
    let analysis = judged(game, finished);
    find_puzzles(game, finished, &analysis, 3, &mut LocalJudgeHost(|_| {})).unwrap()
}

#[test]
fn puzzles_have_one_clearly_best_move() {
    for game in GAMES {
        let slug = game.info().slug;
        let mut count = 0;
        for seed in 0..4 {
            let finished = random_match(*game, seed, 30);
            let puzzles = puzzles_of(*game, &finished);
            assert_eq!(puzzles, puzzles_of(*game, &finished), "{slug}");
            assert!(puzzles.len() <= 3);
            for FoundPuzzle { ply, seat, position, played, moves } in &puzzles {
                let view = game.position(position).unwrap();
                assert_eq!((view.viewer(), view.turn()), (Viewer::Seat(*seat), Turn::Of(*seat)), "{slug}");
                assert_eq!(finished.played.moves[*ply as usize].notation, played.notation);
                let sorted = |mut notations: Vec<String>| {
                    notations.sort();
                    notations
                };
                let listed = sorted(moves.iter().map(|one| one.mv.notation.clone()).collect());
                assert_eq!(listed, sorted(view.legal_notations()), "{slug}: each listed move has a value");
                let right = moves.iter().filter(|one| one.right).count();
                assert!(moves[0].right && 3 * right <= moves.len(), "{slug}: {moves:?}");
                for one in moves {
                    let loss = moves[0].value - one.value;
                    // Values have four decimals.
                    let clear =
                        if one.right { loss.abs() < PUZZLE_SAME + 1e-4 } else { loss > PUZZLE_MARGIN - 1e-4 };
                    assert!(clear, "{slug}: {one:?} beside {:?}", moves[0]);
                }
                assert!(moves.iter().any(|one| !one.right && one.mv.notation == played.notation), "{slug}");
            }
            count += puzzles.len();
        }
        assert!(count > 0 || !game.info().perfect_information, "{slug}: random moves miss the best ones");
    }
}

/// Two matches that differ only in what the seat to move cannot see give the same puzzle, value for value.
#[test]
fn puzzles_tell_nothing_of_what_their_seat_cannot_see() {
    let (mut compared, mut found) = (0, 0);
    for game in GAMES.iter().filter(|game| !game.info().perfect_information) {
        for seed in 0..6 {
            let whole = random_match(*game, seed, 40);
            let mut table = game.restore(&whole.played.dealt).unwrap();
            for (at, next) in whole.played.moves.iter().enumerate() {
                // A view in the middle of the match, and two matches that could be the one that it shows.
                if at % 9 == 5 {
                    let view = table.view(Viewer::Seat(next.seat));
                    let [one, two] = [1, 2].map(|n| {
                        let dealt = view.guess(&Seed::from(n)).unwrap().state_json();
                        let names = whole.played.names.clone();
                        let played = FinishedMatch { dealt, moves: vec![next.clone()], names };
                        MatchToJudge { played, seed: whole.seed, end: None }
                    });
                    // Near the end a seat can know everything.
                    if one.played.dealt != two.played.dealt {
                        let puzzles = puzzles_of(*game, &one);
                        assert_eq!(puzzles, puzzles_of(*game, &two), "{}", game.info().slug);
                        (compared, found) = (compared + 1, found + puzzles.len());
                    }
                }
                table.play(next.seat, &next.notation).unwrap();
            }
        }
    }
    assert!(compared > 40 && found > 0, "{found} of {compared} positions are puzzles");
}
