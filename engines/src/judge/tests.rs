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
