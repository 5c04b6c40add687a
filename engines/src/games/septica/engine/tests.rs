//! Tests of the solver against plain minimax, of the fast position against the rules, and of the engines.

use super::memory::SeatMemory;
use super::net::{Knows, NET};
use super::position::{DECK, NONE, OpenPosition, from_move, ranks, to_move};
use super::solve::TrickSolver;
use crate::game::{Game, Seat, State as _, Turn, View as _, Viewer};
use crate::games::septica::{Draws, Move, Options, Septica, State, View};
use crate::rng::{Rng, Seed};
use crate::search::{Host, Level, Limits, Patient, Search};

/// The position of a state, with all cards known.
fn position(state: &State) -> (OpenPosition, [u8; DECK]) {
    let view = state.view(Viewer::Seat(Seat(0)));
    let mut deck = [0; DECK];
    deck.iter_mut().zip(&state.deck).for_each(|(to, card)| *to = card.index() as u8);
    (OpenPosition::new(&view, super::position::hand_of(&state.hands[1])), deck)
}

fn moves(state: &State) -> (Seat, Vec<Move>) {
    let Turn::Of(seat) = state.turn() else { panic!("the match is over") };
    let mut out = Vec::new();
    state.view(Viewer::Seat(seat)).legal(&mut out);
    (seat, out)
}

fn deal(seed: u64, draws: Draws) -> State {
    Septica::deal(&Options { draws, ..Options::default() }, &Seed::from(seed)).unwrap()
}

/// Plays at random until the deck is at most `deck`; `None` if the match ends before.
fn played(seed: u64, deck: usize) -> Option<State> {
    let mut rng = Rng::stream(&Seed::from(seed), 3);
    let mut state = deal(seed, Draws::Split);
    while state.deck.len() > deck {
        let (_, moves) = moves(&state);
        state.play(rng.pick(&moves).unwrap());
    }
    (state.turn() != Turn::Over).then_some(state)
}

#[test]
fn fast_position_follows_the_rules() {
    for seed in 0..300 {
        let mut rng = Rng::stream(&Seed::from(seed), 4);
        let mut state = deal(seed, Draws::Split);
        let (mut fast, deck) = position(&state);
        while state.turn() != Turn::Over {
            let (seat, legal) = moves(&state);
            assert_eq!(fast.mover(), seat.index());
            let (cards, may_stop) = fast.moves();
            let listed: Vec<Move> = cards.chain(may_stop.then_some(NONE)).map(to_move).collect();
            assert_eq!(listed, legal);
            let mv = *rng.pick(&legal).unwrap();
            state.play(&mv);
            fast.play(from_move(mv), &deck);
            if state.turn() != Turn::Over {
                assert_eq!(fast, position(&state).0);
            }
        }
        assert!(fast.over());
        assert_eq!(fast.final_points(), state.open().points());
    }
}

/// Plain minimax over the rules: the points of seat 0 in the end.
fn minimax(state: &State) -> u8 {
    if state.turn() == Turn::Over {
        return state.open().points()[0];
    }
    let (seat, moves) = moves(state);
    let values = moves.iter().map(|mv| {
        let mut next = state.clone();
        next.play(mv);
        minimax(&next)
    });
    if seat == Seat(0) { values.max() } else { values.min() }.expect("the seat to move has a move")
}

#[test]
fn solver_agrees_with_minimax() {
    let mut solver = TrickSolver::new(1 << 12);
    for state in (0..60).filter_map(|seed| played(seed, if seed % 3 == 0 { 2 } else { 0 })) {
        let (start, deck) = position(&state);
        solver.begin(&deck);
        let truth = minimax(&state) as i8 - start.won[0] as i8;
        let mut search = Search::new(Limits::default(), &Patient);
        // Narrow windows first: their entries in the table must not spoil the wide one.
        for bound in 0..8 {
            let value = solver.points(&start, bound, bound + 1, &mut search).unwrap();
            assert_eq!(value > bound, truth > bound, "{state:?}");
        }
        assert_eq!(solver.points(&start, -1, 9, &mut search), Some(truth), "{state:?}");
    }
}

fn ask(view: &View, engine: usize, limits: Limits, host: &dyn Host) -> crate::search::Decision<Septica> {
    (Septica::engines()[engine].make)().choose(view, &mut Search::new(limits, host))
}

struct Never;

impl Host for Never {
    fn go_on(&self) -> bool {
        false
    }
}

#[test]
fn engines_play_legal_moves_under_all_limits() {
    for seed in 0..12 {
        let mut rng = Rng::stream(&Seed::from(seed), 5);
        let mut state = deal(seed, if seed % 2 == 0 { Draws::Split } else { Draws::Player });
        while let Turn::Of(seat) = state.turn() {
            let view = state.view(Viewer::Seat(seat));
            for engine in 0..Septica::engines().len() {
                for level in Level::ALL {
                    for nodes in [Some(0), Some(1), Some(50), Some(700)] {
                        let limits = Limits { nodes, level, seed: rng.seed(), candidates: 3 };
                        let decision = ask(&view, engine, limits.clone(), &Patient);
                        assert!(view.is_legal(&decision.mv));
                        assert!((0.0..=1.0).contains(&decision.value));
                        assert!(decision.candidates.iter().all(|c| view.is_legal(&c.mv)));
                        assert_eq!(decision, ask(&view, engine, limits, &Patient), "the same again");
                    }
                    let decision = ask(&view, engine, Limits { level, ..Limits::default() }, &Never);
                    assert!(view.is_legal(&decision.mv));
                }
            }
            let (_, legal) = moves(&state);
            state.play(rng.pick(&legal).unwrap());
        }
    }
}

/// The score that `seat` gets with best play of both seats: plain minimax over the rules.
fn score(state: &State, seat: Seat) -> f64 {
    let points = minimax(state);
    let own = if seat == Seat(0) { points } else { 8 - points };
    match (own, state.options.draws, seat) {
        (4, Draws::Split, _) => 0.5,
        (4, Draws::Player, seat) => f64::from(seat.0),
        _ => f64::from(u8::from(own > 4)),
    }
}

/// For both seats and both ways of counting draws: the value is the true one, and the chosen move keeps it.
#[test]
fn play_is_optimal_without_a_deck() {
    let mut seen = [[0; 2]; 2];
    for mut state in (0..240).filter_map(|seed| played(seed, 0)) {
        for (i, draws) in [Draws::Split, Draws::Player].into_iter().enumerate() {
            state.options.draws = draws;
            let (seat, legal) = moves(&state);
            let decision = ask(&state.view(Viewer::Seat(seat)), 0, Limits::default(), &Patient);
            let after = |mv: &Move| {
                let mut next = state.clone();
                next.play(mv);
                score(&next, seat)
            };
            let truth = legal.iter().map(after).fold(0.0, f64::max);
            assert_eq!(after(&decision.mv), truth, "{} in {state:?}", decision.mv);
            assert_eq!(decision.value, truth, "{state:?}");
            for candidate in &decision.candidates {
                assert_eq!(candidate.value, after(&candidate.mv), "{} in {state:?}", candidate.mv);
            }
            // The test has a meaning only if the choice matters.
            seen[i][seat.index()] += u32::from(legal.iter().any(|mv| after(mv) < truth));
        }
    }
    assert!(seen.iter().flatten().all(|n| *n > 4), "{seen:?}");
}

/// Every position of some matches, with the memory there.
fn remembered(seeds: std::ops::Range<u64>, mut see: impl FnMut(&State, &OpenPosition, &[SeatMemory; 2])) {
    for seed in seeds {
        let mut rng = Rng::stream(&Seed::from(seed), 6);
        let mut state = deal(seed, Draws::Split);
        let mut memory = [SeatMemory::BLANK; 2];
        while state.turn() != Turn::Over && !state.deck.is_empty() {
            let (p, _) = position(&state);
            see(&state, &p, &memory);
            let (seat, legal) = moves(&state);
            let mv = *rng.pick(&legal).unwrap();
            memory[seat.index()].note(&p, from_move(mv));
            state.play(&mv);
        }
    }
}

#[test]
fn memory_follows_from_the_view() {
    let mut stops = 0;
    remembered(0..200, |state, _, memory| {
        for viewer in [Viewer::Seat(Seat(0)), Viewer::Seat(Seat(1))] {
            assert_eq!(SeatMemory::of(&state.view(viewer)), *memory, "{state:?}");
        }
        stops += usize::from(memory[0].habits[6]);
        let mut untold = state.clone();
        untold.past.clear();
        if !state.past.is_empty() {
            assert_eq!(SeatMemory::of(&untold.view(Viewer::Seat(Seat(0)))), [SeatMemory::BLANK; 2]);
        }
    });
    assert!(stops > 0);
}

/// The accumulator, updated fact by fact in 16 bits, holds the plain sum of the facts.
#[test]
fn accumulator_holds_the_sum_of_the_facts() {
    remembered(0..100, |_, p, memory| {
        for draw in 0..3 {
            let knows = Knows::new(p, memory, draw);
            let common = NET.common(&knows);
            let (cards, may_stop) = p.moves();
            for rank in cards.chain(may_stop.then_some(NONE)) {
                let sum = NET.after(&knows, &common, rank).map(i32::from);
                assert_eq!(sum, NET.plain_sum(&knows.facts(rank)));
                assert!((0.0..=1.0).contains(&NET.value(&knows, &common, rank)));
            }
        }
    });
}

/// Number of these matches that the contest's player wins.
fn won(player: usize, level: Level, opponent: usize, matches: u64) -> u32 {
    let one = |seed| {
        let mut rng = Rng::stream(&Seed::from(seed), 7);
        let mut state = deal(seed, Draws::Player);
        while let Turn::Of(seat) = state.turn() {
            let (engine, level) = if seat == Seat(1) { (player, level) } else { (opponent, Level::Max) };
            let limits = Limits { nodes: Some(1_000), level, seed: rng.seed(), candidates: 1 };
            state.play(&ask(&state.view(Viewer::Seat(seat)), engine, limits, &Patient).mv);
        }
        u32::from(state.outcome().unwrap().ranks[1] == 1)
    };
    (0..matches).map(one).sum()
}

/// The bounds are well below the measured results, and well above the results of any weaker player.
#[test]
fn engine_is_strong() {
    let engine = |name| Septica::engines().iter().position(|e| e.name == name).unwrap();
    for (name, least) in [("page", 840), ("points", 750), ("page_leads", 885), ("greedy", 855)] {
        let count = won(0, Level::Max, engine(name), 1000);
        assert!(count >= least, "against {name} it wins {count} of 1000");
    }
}

/// The moves of whole matches under a node budget. A change here changes how the engine plays: raise its version.
#[test]
fn signature_is_unchanged() {
    let mut text = Vec::new();
    for seed in 0..4 {
        let mut state = deal(seed, Draws::Split);
        let mut line = String::new();
        while let Turn::Of(seat) = state.turn() {
            let limits = Limits { nodes: Some(3_000), seed: Seed::from(seed), ..Limits::default() };
            let mv = ask(&state.view(Viewer::Seat(seat)), 0, limits, &Patient).mv;
            line += &format!("{mv} ");
            state.play(&mv);
        }
        text.push(line.trim_end().to_owned());
    }
    assert_eq!(text, SIGNATURE);
}

const SIGNATURE: [&str; 4] = [
    "10 9 9 11 9 12 8 11 11 10 12 10 13 12 9 12 11 8 13 7 7 7 7 14 8 8 0 13 10 14 13 14 14",
    "14 14 14 13 9 8 8 11 9 12 11 12 9 13 9 11 11 7 7 7 0 10 8 10 7 0 10 8 10 12 14 12 13 13",
    "12 13 12 12 0 10 13 13 8 10 10 7 9 13 8 11 8 9 9 7 11 7 12 11 11 7 10 9 8 14 14 0 14 14",
    "11 11 11 8 14 13 14 14 7 12 11 9 13 8 13 12 12 13 14 9 12 7 7 10 7 8 8 9 9 10 10 10",
];

#[test]
fn hand_masks_contain_the_ranks() {
    assert_eq!(ranks(0x4001_0201).collect::<Vec<_>>(), [0, 2, 4, 7]);
}

/// A higher value of the network gives a higher score, between 0 and 1.
#[test]
fn expected_scores_keep_the_order() {
    let scores: Vec<f64> = (0..=1_000).map(|i| super::expected_score(f64::from(i) / 1e3)).collect();
    assert_eq!((scores[0], scores[1_000]), (0.0, 1.0));
    assert!(scores.windows(2).all(|pair| pair[0] < pair[1]));
    assert_eq!(super::expected_score(0.25), (0.104 + 0.182) / 2.0);
}
