//! The solver against plain minimax, the fast position against the rules, and the engines' good manners.

use super::position::{DECK, NONE, Position, from_move, ranks, to_move};
use super::solve::Solver;
use crate::game::{Game, Seat, State as _, Turn, View as _, Viewer};
use crate::games::septica::{Draws, Move, Options, Septica, State, View};
use crate::rng::{Rng, Seed};
use crate::search::{Host, Level, Limits, Patient, Search};

/// The position of a state, all of it known.
fn position(state: &State) -> (Position, [u8; DECK]) {
    let view = state.view(Viewer::Seat(Seat(0)));
    let mut deck = [0; DECK];
    deck.iter_mut().zip(&state.deck).for_each(|(to, card)| *to = card.index() as u8);
    (Position::new(&view, super::position::hand_of(&state.hands[1])), deck)
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
fn the_fast_position_follows_the_rules() {
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
fn the_solver_finds_what_plain_minimax_finds() {
    let mut solver = Solver::new();
    for state in (0..60).filter_map(|seed| played(seed, if seed % 3 == 0 { 2 } else { 0 })) {
        let (start, deck) = position(&state);
        solver.begin(&deck);
        let truth = minimax(&state) as i8 - start.won[0] as i8;
        let mut search = Search::new(Limits::default(), &Patient);
        // Narrow windows first: what they leave in the table must not spoil the wide one.
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
fn every_engine_is_legal_under_any_limits() {
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

#[test]
fn with_the_deck_out_the_engine_is_exact() {
    for state in (0..80).filter_map(|seed| played(seed, 0)) {
        let (seat, legal) = moves(&state);
        if legal.len() == 1 {
            continue;
        }
        let decision = ask(&state.view(Viewer::Seat(seat)), 0, Limits::default(), &Patient);
        let points = i32::from(minimax(&state));
        let truth = (f64::from((points - 4).signum()) + 1.0) / 2.0;
        assert_eq!(decision.value, if seat == Seat(0) { truth } else { 1.0 - truth }, "{state:?}");
    }
}

#[test]
fn what_a_draw_is_worth_is_minded() {
    let mut seen = 0;
    for mut state in (0..80).filter_map(|seed| played(seed, 0)) {
        let (seat, legal) = moves(&state);
        if legal.len() == 1 || minimax(&state) != 4 {
            continue;
        }
        seen += 1;
        state.options.draws = Draws::Player;
        let decision = ask(&state.view(Viewer::Seat(seat)), 0, Limits::default(), &Patient);
        assert_eq!(decision.value, if seat == Seat(0) { 0.0 } else { 1.0 });
    }
    assert!(seen > 3);
}

/// The moves of whole matches under a node budget. A change here changes how the engine plays: raise its version.
#[test]
fn the_signature() {
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
    "13 9 9 11 8 12 9 7 0 11 7 11 7 0 13 14 12 12 0 11 9 14 8 13 13 0 10 12 10 10 10 8 8 14 7 14",
    "9 13 8 8 7 12 9 12 11 11 0 13 7 0 14 14 14 11 8 7 0 10 7 10 10 0 9 8 9 11 10 12 12 13 13 14",
    "14 7 0 8 12 7 10 9 9 0 12 10 11 9 12 13 11 13 13 11 14 14 7 8 13 10 9 8 7 8 10 11 14 12",
    "11 11 11 10 12 13 14 14 14 12 11 8 7 12 13 8 12 13 13 9 14 7 7 9 8 8 7 9 9 10 10 10",
];

#[test]
fn ranks_of_a_hand_are_its_ranks() {
    assert_eq!(ranks(0x4001_0201).collect::<Vec<_>>(), [0, 2, 4, 7]);
}
