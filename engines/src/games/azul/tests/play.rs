//! Tests of the engines (legal, repeatable, stronger than simpler ones) and of the time shares.

use super::*;
use crate::search::{Decision, Host, Level, Limits, Patient, Search};
use crate::search_kit::lent_cores::decide_with_lent_cores;

fn ask(engine: usize, view: &View, limits: Limits, host: &dyn Host) -> Decision<Azul> {
    let mut search = Search::new(limits, host);
    (Azul::engines()[engine].make)().choose(view, &mut search)
}

fn limits(nodes: u64, seed: u64) -> Limits {
    Limits { nodes: Some(nodes), seed: Seed::from(seed), candidates: 5, ..Limits::default() }
}

/// A host that stops every search at once.
struct StopAtOnce;

impl Host for StopAtOnce {
    fn go_on(&self) -> bool {
        false
    }
}

/// Checks a decision against its view.
fn check(view: &View, decision: &Decision<Azul>) {
    assert!(view.is_legal(&decision.mv));
    assert!(decision.candidates.iter().any(|c| c.mv == decision.mv));
    assert!((0.0..=1.0).contains(&decision.value));
    assert!(decision.candidates.iter().all(|c| view.is_legal(&c.mv) && (0.0..=1.0).contains(&c.value)));
    assert!(decision.candidates.windows(2).all(|c| c[0].visits >= c[1].visits));
}

#[test]
fn engines_play_legal_moves_under_every_budget() {
    for seed in 0..6 {
        let mut state = deal(seed);
        let mut rng = Rng::new(&Seed::from(seed));
        while let Turn::Of(seat) = state.turn() {
            let view = state.view(Viewer::Seat(seat));
            for engine in 0..Azul::engines().len() {
                for nodes in [0, 1, 2, 17] {
                    check(&view, &ask(engine, &view, limits(nodes, seed), &Patient));
                }
                for level in Level::ALL {
                    let hasty = Limits { level, ..limits(50, seed) };
                    check(&view, &ask(engine, &view, hasty, &StopAtOnce));
                }
            }
            let mut moves = Vec::new();
            view.legal(&mut moves);
            state.play(rng.pick(&moves).unwrap());
        }
    }
}

#[test]
fn free_cores_help_and_are_given_back() {
    let state = deal(7);
    let Turn::Of(seat) = state.turn() else { panic!("the match is not over") };
    let (decision, nodes) = decide_with_lent_cores::<Azul>(&state.view(Viewer::Seat(seat)));
    // Helpers ask before each iteration; the last answers of the two may be no.
    assert!(nodes >= 98, "{nodes} with the helpers' own");
    let visits: u64 = decision.candidates.iter().map(|c| c.visits).sum();
    // The search had to stop at its last node.
    assert_eq!(visits, nodes - 1, "what they found counts");
}

#[test]
fn forced_move_uses_no_nodes() {
    let mut p = Position::empty();
    p.sources[0] = [0, 0, 0, 0, 3];
    p.marker = Some(Seat(1));
    p.boards[1].floor = 1;
    for l in 0..5 {
        p.boards[0].lines[l] = line(l as u8 + 1, Colour::Blue);
    }
    let view = View::new(p, Viewer::Seat(Seat(0)));
    let mut search = Search::new(Limits::default(), &Patient);
    let decision = (Azul::engines()[0].make)().choose(&view, &mut search);
    assert_eq!((decision.mv, search.nodes()), (mv("0 r 5"), 0));
}

/// The last move decides the match: completing the row wins at once; any other move loses points and allows a round.
#[test]
fn engine_ends_a_won_match() {
    let mut p = Position::empty();
    p.sources[0] = [0, 0, 0, 0, 1];
    p.marker = Some(Seat(1));
    p.boards[0].wall = wall(["xxxx.", ".....", ".....", ".....", "....."]);
    p.boards[0].score = 30;
    p.boards[1] = Board {
        score: 20,
        floor: 7,
        wall: wall([".....", "xxxx.", ".....", ".....", "....."]),
        ..Board::default()
    };
    let view = View::new(p, Viewer::Seat(Seat(0)));
    assert_eq!(p.audit(), Ok(()));
    let decision = ask(0, &view, limits(300, 1), &Patient);
    assert_eq!(decision.mv, mv("0 r 0"));
    assert!(decision.value > 0.6);
}

/// The moves for fixed seeds and budgets. A change of them requires a new version number of the engine.
#[test]
fn signature_is_unchanged() {
    let mut chosen = Vec::new();
    for seed in 0..3 {
        let mut state = deal(seed);
        let mut moves = Vec::new();
        while let Turn::Of(seat) = state.turn() {
            let view = state.view(Viewer::Seat(seat));
            let decision = ask(0, &view, limits(150, seed), &Patient);
            assert_eq!(decision, ask(0, &view, limits(150, seed), &Patient));
            moves.push(decision.mv.to_string());
            state.play(&decision.mv);
        }
        let text = moves.join(",");
        let hash = text
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
        chosen.push((moves.len(), state.outcome().unwrap().points, hash));
    }
    assert_eq!(chosen, SIGNATURE.map(|(n, points, hash)| (n, points.to_vec(), hash)));
}

const SIGNATURE: [(usize, [i32; 2], u64); 3] = [
    (55, [53, 41], 4027575137175570085),
    (57, [44, 63], 15249184349376801506),
    (53, [58, 26], 14345257301833684587),
];

/// The first engine's share of the score over pairs of matches on the same deals.
fn duel(engines: [usize; 2], nodes: u64, pairs: u64) -> f64 {
    let mut score = 0.0;
    for (seed, swap) in (0..pairs).flat_map(|s| [(s, 0), (s, 1)]) {
        let mut state = deal(seed);
        while let Turn::Of(seat) = state.turn() {
            let engine = engines[seat.index() ^ swap];
            let decision = ask(engine, &state.view(Viewer::Seat(seat)), limits(nodes, seed), &Patient);
            state.play(&decision.mv);
        }
        score += state.outcome().unwrap().score(Seat(swap as u8));
    }
    score / (2 * pairs) as f64
}

#[test]
fn short_search_beats_greedy_and_greedy_beats_random() {
    let [search, greedy, random] = [0, 1, 4];
    assert!(duel([search, greedy], 100, 10) >= 0.8);
    assert!(duel([greedy, random], 0, 10) >= 0.95);
}

/// In every match the time shares stay within the clock, the reserve stays untouched, and every real decision gets some
/// time.
#[test]
fn time_shares_last_for_every_match() {
    let mut longest = 0;
    for seed in 0..300 {
        let mut rng = Rng::new(&Seed::from(seed));
        let mut state = deal(seed);
        let mut clocks = [Duration::from_secs(30); 2];
        let mut least = Duration::MAX;
        let mut plies = 0;
        while let Turn::Of(seat) = state.turn() {
            let view = state.view(Viewer::Seat(seat));
            let mut moves = Vec::new();
            view.legal(&mut moves);
            let share = Azul::allot(&view, clocks[seat.index()]);
            assert_eq!(share.is_zero(), moves.len() == 1, "only a forced move gets no time");
            clocks[seat.index()] -= share;
            if moves.len() > 1 {
                least = least.min(share);
            }
            // Players that drop many tiles make long matches.
            let dropped = moves.iter().filter(|m| m.line == 5).copied().collect::<Vec<_>>();
            let from = if seed % 3 == 0 && rng.below(2) == 0 { &dropped } else { &moves };
            let chosen = *rng.pick(from).unwrap();
            state.play(&chosen);
            plies += 1;
        }
        assert!(clocks.iter().all(|c| *c >= Duration::from_millis(300)), "{clocks:?}");
        longest = longest.max(plies);
        if seed % 3 != 0 {
            // Random players need twice as many rounds as the shares expect.
            assert!(least > Duration::from_micros(200), "match {seed}: {least:?} in {plies} plies");
        }
    }
    assert!(longest > 100, "no long match was tested");
}

/// Matches of the engine with itself use most of the clock: on average all but three seconds of 30.
#[test]
fn time_shares_use_the_clock() {
    let mut left = Duration::ZERO;
    for seed in 0..20 {
        let mut state = deal(seed);
        let mut clocks = [Duration::from_secs(30); 2];
        while let Turn::Of(seat) = state.turn() {
            let view = state.view(Viewer::Seat(seat));
            clocks[seat.index()] -= Azul::allot(&view, clocks[seat.index()]);
            state.play(&ask(0, &view, limits(60, seed), &Patient).mv);
        }
        left += clocks[0] + clocks[1];
    }
    let mean = left / 40;
    assert!((Duration::from_secs(1)..Duration::from_secs(3)).contains(&mean), "{mean:?} left on average");
}

#[test]
fn early_moves_of_a_round_get_more_time_and_an_empty_clock_none() {
    let state = deal(2);
    let view = state.view(Viewer::Seat(Seat(0)));
    let first = Azul::allot(&view, Duration::from_secs(30));
    assert!((Duration::from_millis(600)..Duration::from_secs(3)).contains(&first), "{first:?}");
    for ms in [0, 1, 299, 300] {
        assert_eq!(Azul::allot(&view, Duration::from_millis(ms)), Duration::ZERO);
    }
    let mut late = Position::empty();
    late.sources[0] = [2, 1, 0, 0, 0];
    late.marker = Some(Seat(1));
    late.boards[1].floor = 1;
    let late = View::new(late, Viewer::Seat(Seat(0)));
    assert!(Azul::allot(&late, Duration::from_secs(30)) < first / 3);
}

#[test]
fn premove_takes_the_tiles_that_lay_on_the_display_when_it_was_chosen() {
    let mut kept = 0;
    for seed in 0..10 {
        let mut table = Table::<Azul>::new(deal(seed));
        let mut rng = Rng::new(&Seed::from(seed));
        while let Turn::Of(seat) = table.turn() {
            let before = *table.state().view(Viewer::Seat(seat.other())).position();
            let mut premoves = Vec::new();
            table.state().view(Viewer::Seat(seat.other())).premoves(&mut premoves);
            table.play_random(&mut rng);
            let view = table.state().view(Viewer::Seat(seat.other()));
            for mv in premoves.iter().filter(|mv| view.is_legal(mv)) {
                let display = usize::from(mv.display);
                assert_eq!(view.position().sources[display], before.sources[display]);
                assert_eq!(view.position().boards[seat.other().index()], before.boards[seat.other().index()]);
                kept += 1;
            }
        }
    }
    assert!(kept > 1000, "{kept} premoves were legal");
}

#[test]
fn no_premoves_before_a_move_that_ends_the_round() {
    let mut table = Table::<Azul>::new(deal(1));
    let mut rng = Rng::new(&Seed::from(1));
    while table.state().view(Viewer::Spectator).position().choices() > 1 {
        table.play_random(&mut rng);
    }
    let Turn::Of(seat) = table.turn() else { panic!("the last tiles of the round are not taken yet") };
    let mut premoves = Vec::new();
    table.state().view(Viewer::Seat(seat.other())).premoves(&mut premoves);
    assert_eq!(premoves, []);
}
