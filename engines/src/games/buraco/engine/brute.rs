//! Tests the plans against every legal way to play the rest of a turn, on small hands.

use std::collections::HashSet;

use super::super::rules::{Card, Cards, Meld, Move, State};
use super::super::{Buraco, Options};
use super::baselines::seen;
use super::exact::ended;
use super::plans::{TurnPlan, plans};
use super::position::FastPosition;
use crate::game::{Game, Seat, State as _, Table, Turn, Viewer};
use crate::rng::{Rng, Seed};

/// The most points that any sequence of legal commands reaches by the end of the turn.
fn most(table: &Table<Buraco>, seen: &mut HashSet<String>) -> i32 {
    let state = table.state();
    if table.turn() == Turn::Over {
        return state.points()[0];
    }
    let mut hand = state.hands[0].clone();
    hand.sort_unstable();
    if !seen.insert(format!("{hand:?} {:?}", state.open.melds(Seat(0)))) {
        return i32::MIN;
    }
    let mut best = i32::MIN;
    for set in 1u32..1 << hand.len() {
        let chosen: Vec<Card> = (0..hand.len()).filter(|i| set >> i & 1 != 0).map(|i| hand[i]).collect();
        let cards = Cards::from(chosen.clone());
        let new = Move::MeldNew { cards: cards.clone() };
        let joins = (0..state.open.melds(Seat(0)).len() as u8)
            .map(|meld| Move::MeldJoin { meld, cards: cards.clone() });
        let discard = (chosen.len() == 1).then(|| Move::Discard { card: chosen[0] });
        for mv in joins.chain([new]).chain(discard) {
            let mut after = table.clone();
            if after.play(Seat(0), &mv).is_err() || needs_leniency(after.state()) {
                continue;
            }
            best = best.max(match mv {
                Move::Discard { .. } => after.state().points()[0],
                _ => most(&after, seen),
            });
        }
    }
    best
}

/// Whether an own meld is legal only by a leniency of the official referee, on which the engine does not rely.
fn needs_leniency(state: &State) -> bool {
    state.open.melds(Seat(0)).iter().any(Meld::needs_leniency)
}

/// A position after the draw: a small hand of few suits and many 2s, and own melds of any kind.
fn position(seed: u64) -> Option<State> {
    let mut rng = Rng::stream(&Seed::from(seed), 9);
    let mut state =
        Buraco::deal(&Options { starter: Some(0), ..Options::default() }, &Seed::from(seed)).ok()?;
    let suits = 1 + rng.below(3);
    let mut rest: Vec<Card> = Card::all().chain(Card::all()).collect();
    rng.shuffle(&mut rest);
    rest.sort_by_key(|c| usize::from(c.suit()) >= suits && c.rank() != 2);
    let (near, _) = rest.split_at_mut(26);
    rng.shuffle(near);
    let mut own: Vec<Meld> = Vec::new();
    for _ in 0..rng.below(3) {
        let size = 3 + rng.below(5);
        let found = (0..400).find_map(|_| {
            let low = rng.below(60);
            let set: Vec<Card> = rest.iter().skip(low).take(14).copied().collect();
            let chosen: Vec<Card> = set.into_iter().filter(|_| rng.below(2) == 0).take(size).collect();
            Meld::new(&chosen)
        });
        own.extend(found.inspect(|meld| {
            for card in meld.cards() {
                rest.remove(rest.iter().position(|c| c == card).expect("it was drawn from there"));
            }
        }));
    }
    let hand = 4 + rng.below(4);
    state.hands[0] = rest.drain(..hand).collect();
    rng.shuffle(&mut rest);
    state.hands[1] = rest.split_off(rest.len() - 8);
    state.open.pile = rest.split_off(rest.len() - 3);
    state.open.sizes = [hand as u8, 8];
    state.open.stock = rest.len() as u8;
    state.stock = rest;
    state.open.melds[0] = own;
    state.open.drawn = true;
    (state.audit().is_ok() && !needs_leniency(&state)).then_some(state)
}

#[test]
fn plans_contain_the_best_rest_of_the_turn() {
    let (mut looked, mut laid) = (0, 0);
    for state in (0..6_000).filter_map(position) {
        let view = state.view(Viewer::Seat(Seat(0)));
        let pos = FastPosition::of_state(&state, Seat(0));
        let best = plans(&view, &seen(&view), &mut || false).into_iter().map(|plan| {
            let mut after = pos;
            let TurnPlan::Turn { lays, discard } = &plan else { panic!("the draw is over: {plan:?}") };
            assert!(after.over || !lays.is_empty() || discard.is_some());
            plan.play(&mut after);
            after.points(0)
        });
        let best = best.max().unwrap();
        let all = most(&Table::new(state.clone()), &mut HashSet::new());
        assert_eq!(best, all, "{view:?}");
        looked += 1;
        laid += i32::from(all > ended(&pos));
    }
    assert!(looked > 4_000 && laid > 2_000, "{looked} {laid}");
}
