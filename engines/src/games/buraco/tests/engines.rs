//! Tests of the engines: legal, repeatable, and sensible in a decided position.

use super::*;
use crate::search::{Level, Limits, Patient, Search};

pub(super) fn think(name: &str, view: &View, limits: Limits) -> crate::search::Decision<Buraco> {
    let spec = Buraco::engines().iter().find(|e| e.name == name).unwrap();
    (spec.make)().choose(view, &mut Search::new(limits, &Patient))
}

/// A match of an engine in seat 0 against `greedy`, and the engine's moves.
fn match_of(name: &str, nodes: u64, seed: u64, level: Level) -> (Table<Buraco>, Vec<String>) {
    let mut table = Table::<Buraco>::new(Buraco::deal(&Options::default(), &Seed::from(seed)).unwrap());
    let mut chosen = Vec::new();
    while let Turn::Of(seat) = table.turn() {
        let view = table.state().view(Viewer::Seat(seat));
        let player = if seat == Seat(0) { name } else { "greedy" };
        let limits = Limits { nodes: Some(nodes), seed: Seed::from(seed), level, candidates: 3 };
        let decision = think(player, &view, limits);
        assert!((0.0..=1.0).contains(&decision.value), "{decision:?}");
        assert!(decision.candidates.iter().any(|c| c.mv == decision.mv), "{decision:?}");
        table.play(seat, &decision.mv).unwrap_or_else(|e| panic!("{player}, seed {seed}: {e}\n{view:?}"));
        table.state().audit().unwrap();
        if seat == Seat(0) {
            chosen.push(decision.mv.to_string());
        }
    }
    (table, chosen)
}

#[test]
fn engines_play_legally_to_the_end_under_every_budget() {
    for spec in Buraco::engines() {
        for (nodes, level) in [(0, Level::Max), (1, Level::Easy), (300, Level::Hard)] {
            for seed in 0..6 {
                let (table, _) = match_of(spec.name, nodes, seed, level);
                assert!(table.ply() < 2_000, "{}", spec.name);
                let mut melds =
                    [Seat(0), Seat(1)].into_iter().flat_map(|seat| table.state().open.melds(seat));
                assert!(!melds.any(Meld::needs_leniency), "{}", spec.name);
            }
        }
    }
}

#[test]
fn stopped_search_returns_a_legal_move() {
    struct StopAtOnce;
    impl crate::search::Host for StopAtOnce {
        fn go_on(&self) -> bool {
            false
        }
    }
    let table = plays(state(["5♠ 6♠ 7♠ K♥", "9♥ Q♦"], "4♠ 3♠ 8♠", "J♦ 2♣"), &["GET_STOCK"]);
    let view = table.state().view(Viewer::Seat(Seat(0)));
    let mut search = Search::new(Limits::default(), &StopAtOnce);
    let decision = (Buraco::engines()[0].make)().choose(&view, &mut search);
    assert!(view.is_legal(&decision.mv));
    assert!(search.nodes() <= 1);
}

#[test]
fn engine_decides_the_same_on_the_view_of_a_guess() {
    for seed in 0..20 {
        let state = Buraco::deal(&Options::default(), &Seed::from(seed)).unwrap();
        let Turn::Of(seat) = state.turn() else { panic!("a deal is not over") };
        let view = state.view(Viewer::Seat(seat));
        let guess = view.guess(&mut Rng::new(&Seed::from(seed)));
        let limits = Limits { nodes: Some(500), ..Limits::default() };
        assert_eq!(
            think("buraco", &view, limits.clone()),
            think("buraco", &guess.view(Viewer::Seat(seat)), limits)
        );
    }
}

/// Four cards are left, three of them form a meld, and no seat has points: melding and going out wins.
#[test]
fn engine_goes_out_if_that_wins() {
    let mut state =
        Buraco::deal(&Options { starter: Some(0), ..Options::default() }, &Seed::from(1)).unwrap();
    let mut rest: Vec<Card> = Card::all().chain(Card::all()).collect();
    state.hands = ["5♠ 6♠ K♥", "9♥ Q♦ A♣ A♦ K♣ J♦ 9♦"].map(cards);
    let next = cards("7♠");
    for card in state.hands.iter().flatten().chain(&next) {
        rest.remove(rest.iter().position(|c| c == card).unwrap());
    }
    state.stock = rest.split_off(rest.len() - 30);
    state.stock.extend(&next);
    state.open.pile = rest;
    (state.open.sizes, state.open.stock) = ([3, 7], 31);
    state.audit().unwrap();
    let table = plays(state, &["GET_STOCK"]);
    let view = table.state().view(Viewer::Seat(Seat(0)));
    let decision = think("buraco", &view, Limits { nodes: Some(4_000), ..Limits::default() });
    assert_eq!(decision.mv, mv("MELD_NEW [ 5♠ 6♠ 7♠ ]"));
    assert!(decision.value > 0.9, "{decision:?}");
}

/// The moves for fixed seeds and node budgets. A change of them requires a new version number of the engine.
#[test]
fn signature_is_unchanged() {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for seed in 0..2 {
        for text in match_of("buraco", 20_000, seed, Level::Max).1 {
            text.bytes()
                .chain([b'\n'])
                .for_each(|b| hash = (hash ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
        }
    }
    assert_eq!(hash, SIGNATURE, "{hash:#x}");
}

const SIGNATURE: u64 = 0x5262_abc2_ed7f_5645;
