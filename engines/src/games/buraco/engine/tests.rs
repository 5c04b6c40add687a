//! Tests of the playouts' fast position against the rules.

use super::super::rules::{Card, Meld, Move, State};
use super::super::{Buraco, Options, View};
use super::arms::{Arms, FIRST};
use super::baselines::{greedy_move, seen};
use super::habits::{CHOICES, FACTS, FEW, FittedPolicy, PHASES, play_turn};
use super::plans::{TurnPlan, plans};
use super::policy::careful_turn;
use super::position::{FastPosition, Run};
use super::rollout::{SPEC, jitter, worth};
use super::value::{NET, PlayoutNet};
use crate::game::{Game, Seat, State as _, Table, Turn, View as _, Viewer};
use crate::rng::{Rng, Seed};
use crate::search::{Limits, Patient, Search};
use crate::search_kit::fast_rng::FastRng;
use crate::search_kit::lent_cores::decide_with_lent_cores;

fn melds(pos: &FastPosition, seat: usize) -> Vec<(usize, i32, bool)> {
    pos.melds(seat).iter().map(|run| (run.len(), run.points(), run.wild != super::position::NONE)).collect()
}

fn open_melds(state: &State, seat: usize) -> Vec<(usize, i32, bool)> {
    let melds = state.open.melds(Seat(seat as u8)).iter();
    melds.map(|m| (m.cards().len(), m.points(), m.dirty())).collect()
}

fn held(pos: &FastPosition, seat: usize) -> Vec<Card> {
    let copies = |c: Card| pos.hands[seat].count(c.index() as u8) as usize;
    Card::all().flat_map(|c| std::iter::repeat_n(c, copies(c))).collect()
}

fn sorted(cards: &[Card]) -> Vec<Card> {
    let mut cards = cards.to_vec();
    cards.sort_unstable();
    cards
}

/// Checks that every command of every plan is legal in its position and has the effect that the rules give it.
fn agree(state: &State, view: &View, me: Seat) -> Vec<TurnPlan> {
    let plans = plans(view, &seen(view), &mut || false);
    assert!(!plans.is_empty());
    for plan in &plans {
        let mut table = Table::<Buraco>::new(state.clone());
        for mv in plan.commands() {
            table.play(me, &mv).unwrap_or_else(|e| panic!("{e} in {:?}\n{view:?}", plan.commands()));
        }
        let mut pos = FastPosition::of_state(state, me);
        plan.play(&mut pos);
        let after = table.state();
        assert!(!after.open.melds(me).iter().any(Meld::needs_leniency), "{:?}\n{view:?}", plan.commands());
        assert_eq!(pos.over, table.turn() == Turn::Over, "{plan:?}\n{view:?}");
        for seat in 0..2 {
            assert_eq!(melds(&pos, seat), open_melds(after, seat), "{:?}\n{view:?}", plan.commands());
            assert_eq!(held(&pos, seat), sorted(&after.hands[seat]), "{:?}\n{view:?}", plan.commands());
        }
    }
    plans
}

#[test]
fn plans_are_legal_and_follow_the_rules() {
    for seed in 0..150 {
        let state = Buraco::deal(&Options::default(), &Seed::from(seed)).unwrap();
        let mut rng = Rng::stream(&Seed::from(seed), 5);
        let mut table = Table::<Buraco>::new(state);
        while let Turn::Of(me) = table.turn() {
            let view = table.state().view(Viewer::Seat(me));
            let plans = agree(table.state(), &view, me);
            let mv = if rng.below(8) == 0 {
                let mut moves = Vec::new();
                view.legal(&mut moves);
                moves.swap_remove(rng.below(moves.len()))
            } else {
                // The later plans let piles grow, take them, and seldom go out: long melds, many cards.
                rng.pick(&plans[plans.len() / 2..]).unwrap().command()
            };
            table.play(me, &mv).unwrap();
        }
    }
}

/// The careful player of the playouts plays like `greedy`. The former plays whole turns of the fast position, the latter
/// single commands by its seat's view.
#[test]
fn careful_playout_player_equals_greedy() {
    let mut turns = 0;
    for seed in 0..60 {
        let mut table = Table::<Buraco>::new(Buraco::deal(&Options::default(), &Seed::from(seed)).unwrap());
        while let Turn::Of(me) = table.turn() {
            let mut pos = FastPosition::of_state(table.state(), me);
            careful_turn(&mut pos);
            let before = table.state().clone();
            while table.turn() == Turn::Of(me) {
                let mv = greedy_move(&seen(&table.state().view(Viewer::Seat(me))));
                table.play(me, &mv).unwrap();
            }
            let seat = me.index();
            for other in 0..2 {
                assert_eq!(melds(&pos, other), open_melds(table.state(), other), "{before:?}");
            }
            assert_eq!(held(&pos, seat), sorted(&table.state().hands[seat]), "{before:?}");
            assert_eq!(pos.pile().last().copied(), table.state().open.pile().last().map(|c| c.index() as u8));
            turns += 1;
        }
    }
    assert!(turns > 1_000, "{turns}");
}

/// A single command has the value of the play after it, and needs no long search.
#[test]
fn forced_move_still_has_a_value() {
    let mut judged = Vec::new();
    for seed in 0..10 {
        let state = Buraco::deal(&Options::default(), &Seed::from(seed)).unwrap();
        let mut table = Table::<Buraco>::new(state);
        while let Turn::Of(me) = table.turn() {
            let view = table.state().view(Viewer::Seat(me));
            let plans = plans(&view, &seen(&view), &mut || false);
            if let [plan] = &plans[..] {
                let mut search =
                    Search::new(Limits { nodes: Some(1_000_000), ..Limits::default() }, &Patient);
                let decision = (SPEC.make)().choose(&view, &mut search);
                assert_eq!((&decision.mv, decision.candidates[0].visits), (&plan.command(), FIRST.into()));
                assert!(search.nodes() < 1_000, "{}", search.nodes());
                judged.push(decision.value);
            }
            table.play(me, &plans[0].command()).unwrap();
        }
    }
    let differ = judged.iter().filter(|value| (**value - 0.5).abs() > 0.1).count();
    assert!(judged.len() > 50 && 2 * differ > judged.len(), "{judged:?}");
}

#[test]
fn run_has_the_points_of_its_meld() {
    for text in ["A♠ 2♠ 3♠", "2♥ A♠ 2♠ 3♠", "2♠ 4♠ 5♠", "J♦ Q♦ 2♣ A♦", "2♥ 3♣ 4♣ 5♣ 6♣ 7♣ 8♣", "A♥ 2♠ 3♠"]
    {
        let cards: Vec<Card> = text.split(' ').map(|c| c.parse().unwrap()).collect();
        let meld = Meld::new(&cards).unwrap();
        let run = Run::of(&meld);
        assert_eq!((run.points(), run.len()), (meld.points(), cards.len()), "{text}");
    }
}

#[test]
fn weight_files_are_complete() {
    assert!(PlayoutNet::read(include_bytes!("value.bin")).is_ok());
    let numbers = include_str!("habits.txt").split_whitespace().map(|word| word.parse::<i32>().unwrap());
    assert_eq!(numbers.count(), PHASES * FACTS + CHOICES * FEW);
}

/// The network must predict part of the differences between the ends of matches after ten turns.
#[test]
fn network_agrees_with_the_results() {
    let (mut wrong, mut spread, mut noise) = (0.0, 0.0, FastRng::new(1));
    for seed in 0..1_000 {
        let mut pos = FastPosition::deal(seed);
        let mut expected = None;
        for turn in 0..200 {
            if pos.over {
                break;
            }
            if turn == 10 {
                expected = Some((pos.me, f64::from(NET.value(&pos))));
            }
            play_turn(&mut pos, &mut FittedPolicy(|| jitter(&mut noise)));
        }
        if let Some((me, value)) = expected {
            let worth = worth(pos.lead(me));
            wrong += (worth - value) * (worth - value);
            spread += (worth - 0.5) * (worth - 0.5);
        }
    }
    assert!(wrong < 0.88 * spread, "{wrong} {spread}");
}

/// Sixteen plans, each a little worse than the one before, under luck common to all and luck of their own.
fn compared(samples: u32, used: impl Fn(u32) -> Option<f64>) -> Arms {
    let mut rng = Rng::new(&Seed::from(4));
    let plans = (0..16).map(|card| TurnPlan::Turn { lays: Vec::new(), discard: Some(card) }).collect();
    let mut arms = Arms::new(plans);
    while arms.samples < samples {
        let luck = 0.5 * rng.unit();
        let result = |plan: &TurnPlan, own: f64| match plan {
            TurnPlan::Turn { discard: Some(card), .. } => 0.3 - 0.01 * f64::from(*card) + luck + 0.1 * own,
            _ => unreachable!(),
        };
        let plans = arms.compared();
        let results: Vec<f64> = plans.iter().map(|plan| result(plan, rng.unit())).collect();
        arms.add(&plans, &results);
        if arms.drop_worse(used(arms.samples)) {
            break;
        }
    }
    arms
}

#[test]
fn samples_of_plans_that_are_no_longer_compared_do_not_count() {
    let plans = (0..16).map(|card| TurnPlan::Turn { lays: Vec::new(), discard: Some(card) }).collect();
    let mut arms = Arms::new(plans);
    let before = arms.compared();
    while arms.compared().len() == before.len() {
        let values: Vec<f64> = (0..16).map(|n| f64::from(n) / 16.0).collect();
        arms.add(&arms.compared(), &values);
        arms.drop_worse(None);
    }
    let samples = arms.samples;
    arms.add(&before, &[1.0; 16]);
    assert_eq!(arms.samples, samples);
}

#[test]
fn free_cores_help_and_are_given_back() {
    let mut state = Buraco::deal(&Options::default(), &Seed::from(7)).unwrap();
    state.play(&Move::GetStock);
    let Turn::Of(seat) = state.turn() else { panic!("the match is not over") };
    let (decision, nodes) = decide_with_lent_cores::<Buraco>(&state.view(Viewer::Seat(seat)));
    // Helpers ask after every sixteenth node; the last answers of the two may be no.
    assert!(nodes >= 98 * 16, "{nodes} with the helpers' own");
    assert!(decision.candidates.iter().all(|c| c.visits > 0), "{decision:?}");
}

#[test]
fn bad_plans_are_dropped_with_the_budget_and_when_certainly_worse() {
    let best = TurnPlan::Turn { lays: Vec::new(), discard: Some(0) };
    // If the search has no known end, certainly worse plans are dropped, and the search ends with one plan left.
    let arms = compared(100_000, |_| None);
    assert_eq!((arms.compared().len(), &arms.ranked()[0].plan), (1, &best));
    assert!((100..5_000).contains(&arms.samples), "{}", arms.samples);
    assert!(arms.ranked().windows(2).all(|pair| pair[0].samples >= pair[1].samples));
    // Eighty samples leave doubts, so plans are dropped by halving; three are left at the end.
    let arms = compared(80, |samples| Some(f64::from(samples) / 80.0));
    assert_eq!((arms.samples, arms.compared().len(), &arms.ranked()[0].plan), (80, 3, &best));
    let samples: Vec<u32> = arms.ranked().iter().map(|arm| arm.samples).collect();
    assert!(samples.windows(2).all(|pair| pair[0] >= pair[1]), "{samples:?}");
    assert!(samples[15] >= FIRST, "{samples:?}");
}

/// A position may have a hand of 100 cards. A search must be able to stop while it enumerates the plans for it.
#[test]
fn plans_for_a_huge_hand_are_cut_short_when_the_search_must_stop() {
    let cards = |from: usize, to: usize| -> Vec<String> {
        (from..to).map(|card| Card::from_index(card / 2).to_string()).collect()
    };
    for size in [30, 60, 100] {
        let json = serde_json::json!({
            "drawn": true, "exhausted": false, "hand": cards(0, size), "hand_sizes": [3, size], "known": [[], []],
            "melds": [[], []], "pile": cards(size, size + 1), "stock": 104 - size - 4, "to_move": 1, "viewer": { "seat": 1 },
        });
        let view: View = serde_json::from_value(json).unwrap();
        let pos = seen(&view);
        let mut all = 0;
        plans(&view, &pos, &mut || {
            all += 1;
            false
        });
        assert!(all > 1_000, "{size} cards: it was asked {all} times whether to stop");
        for until in [0, 1, 7, 50, 400] {
            let (mut asked, mut after) = (0, 0);
            let some = plans(&view, &pos, &mut || {
                asked += 1;
                after += u32::from(asked > until);
                asked > until
            });
            assert!(!some.is_empty());
            assert!(after <= 60, "{size} cards, stopped after {until}: asked {after} times more");
        }
    }
}
