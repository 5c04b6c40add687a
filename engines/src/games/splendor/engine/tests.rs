//! Tests of the engines' own table against the rules, of legality under tiny budgets, and of the signature.

use super::compounds::{MOST, compounds, each_compound, each_facts};
use super::inputs::{each_input, inputs};
use super::moves::{legal, undominated};
use super::net::for_seats;
use super::policy::{Assessment, TUNED};
use super::position::{Act, ActionKind, FastTable};
use crate::game::{Game, Seat, State as _, Table, Turn, View as _, Viewer};
use crate::games::splendor::rules::GOLD;
use crate::games::splendor::{Move, Options, Splendor, State, View};
use crate::rng::{Rng, Seed};
use crate::search::{Decision, Host, Level, Limits, Patient, Search};
use crate::search_kit::fast_rng::FastRng;
use crate::search_kit::lent_cores::decide_with_lent_cores;
use crate::search_kit::strength::score;

fn deal(players: u8, seed: u64) -> Table<Splendor> {
    Table::new(Splendor::deal(&Options { players }, &Seed::from(seed)).unwrap())
}

fn to_move(table: &Table<Splendor>) -> Option<(Seat, View)> {
    match table.turn() {
        Turn::Of(seat) => Some((seat, table.state().view(Viewer::Seat(seat)))),
        Turn::Over => None,
    }
}

fn think(engine: usize, view: &View, limits: Limits, host: &dyn Host) -> Decision<Splendor> {
    (Splendor::engines()[engine].make)().choose(view, &mut Search::new(limits, host))
}

fn limits(nodes: u64, seed: u64) -> Limits {
    Limits { nodes: Some(nodes), seed: Seed::from(seed), ..Limits::default() }
}

/// Checks that both tables agree after every action that the engine may consider, in all that chance does not change.
fn same_after(state: &State, view: &View) {
    let mut pos = FastTable::of(view);
    let mut rng = FastRng::new(1);
    let mut judged = Vec::new();
    Assessment::new(&pos, &TUNED, 0.0, &mut rng).all(&pos, &TUNED, &mut judged);
    assert!(judged.iter().all(|(_, score)| score.is_finite()), "{judged:?}");
    pos.settle(&mut rng);
    let mut all = Vec::new();
    undominated(&pos, &mut all);
    all.extend(judged.into_iter().map(|(act, _)| act));
    for act in all {
        let mv = act.to_move();
        assert!(view.is_legal(&mv), "{mv}");
        let mut truth = state.clone();
        truth.play(&mv);
        let mut fast = pos.clone();
        fast.play(act, &mut rng);
        assert_eq!(fast.bank[..=GOLD], truth.board.bank, "bank after {mv}");
        assert_eq!((fast.to_move, fast.round), (truth.board.to_move.0, truth.board.round));
        assert_eq!(fast.over(), truth.turn() == Turn::Over, "the end after {mv}");
        for (player, hand) in fast.players.iter().zip(&truth.board.hands) {
            assert_eq!(player.chips[..=GOLD], hand.chips, "chips after {mv}");
            assert_eq!(player.bonus[..GOLD], hand.bonuses(), "bonuses after {mv}");
            assert_eq!(u32::from(player.points), hand.points(), "points after {mv}");
            assert_eq!(usize::from(player.cards), hand.cards.len());
            assert_eq!(usize::from(player.reserved_n), hand.reserved.len());
        }
        for level in 0..3 {
            let hidden = |pos: &FastTable| pos.left[level];
            assert_eq!(hidden(&fast), truth.board.decks[level], "deck after {mv}");
            for (fast, truth) in fast.face_up[level].iter().zip(&truth.board.face_up[level]) {
                assert_eq!(*fast == 0, *truth == 0, "slots after {mv}");
            }
        }
        let nobles: Vec<u8> = fast.nobles.into_iter().filter(|id| *id > 0).collect();
        assert_eq!(nobles, truth.board.nobles, "nobles after {mv}");
        if let Some(outcome) = truth.outcome() {
            let worth = fast.worth(0.06);
            for seat in 0..truth.seats() {
                let won = outcome.score(Seat(seat)) > 0.0;
                let least = if truth.seats() == 1 { 0.0 } else { 0.15 };
                assert_eq!(worth[usize::from(seat)] > least, won, "{outcome:?} is worth {worth:?}");
            }
        }
    }
}

#[test]
fn the_fast_table_plays_by_the_rules() {
    for players in 1..=4 {
        for seed in 0..6 {
            let mut table = deal(players, seed);
            let mut rng = Rng::new(&Seed::from(seed));
            while let Some((seat, view)) = to_move(&table) {
                same_after(table.state(), &view);
                // Greedy moves lead through whole matches, random moves through unusual positions.
                let mv = if seed > 2 || rng.below(4) > 0 {
                    think(1, &view, limits(1, 0), &Patient).mv
                } else {
                    let mut all = Vec::new();
                    view.legal(&mut all);
                    *rng.pick(&all).unwrap()
                };
                table.play(seat, &mv).unwrap();
            }
        }
    }
}

/// A host that says no from the first question on.
struct Impatient;

impl Host for Impatient {
    fn go_on(&self) -> bool {
        false
    }
}

#[test]
fn free_cores_help_and_are_given_back() {
    for players in 1..=4 {
        let table = deal(players, 7);
        let (_, view) = to_move(&table).unwrap();
        let (decision, nodes) = decide_with_lent_cores::<Splendor>(&view);
        // Helpers ask before each iteration; the last answers of the two may be no.
        assert!(nodes >= 98, "{nodes} with the helpers' own");
        let visits: u64 = decision.candidates.iter().map(|c| c.visits).sum();
        // The search had to stop at its last node.
        assert_eq!(visits, nodes - 1, "what they found counts");
    }
}

#[test]
fn every_budget_gives_a_legal_move() {
    for players in 1..=4 {
        for seed in 0..3 {
            let mut table = deal(players, 100 + seed);
            let mut rng = Rng::new(&Seed::from(seed));
            while let Some((seat, view)) = to_move(&table) {
                let nodes = table.ply() as u64 % 7;
                for engine in 0..4 {
                    for level in Level::ALL {
                        let limits = Limits { level, ..limits(nodes, seed) };
                        let decision = think(engine, &view, limits, &Patient);
                        assert!(view.is_legal(&decision.mv), "{}", decision.mv);
                        assert!((0.0..=1.0).contains(&decision.value));
                        assert!(decision.candidates.iter().all(|c| view.is_legal(&c.mv)));
                    }
                    let patience = think(engine, &view, Limits::default(), &Impatient);
                    assert!(view.is_legal(&patience.mv));
                }
                let mut all = Vec::new();
                view.legal(&mut all);
                table.play(seat, rng.pick(&all).unwrap()).unwrap();
            }
        }
    }
}

#[test]
fn the_same_seed_and_budget_give_the_same_moves() {
    let mut chosen = Vec::new();
    for (players, seed) in [(2, 1), (2, 2), (3, 3), (4, 4), (1, 5)] {
        let mut table = deal(players, seed);
        for _ in 0..8 {
            let (seat, view) = to_move(&table).expect("eight plies do not end a match");
            let decision = think(0, &view, limits(60, seed), &Patient);
            for engine in 0..4 {
                let again = || think(engine, &view, limits(60, seed), &Patient);
                assert_eq!(again(), again(), "engine {engine}");
            }
            chosen.push(decision.mv.to_string());
            table.play(seat, &decision.mv).unwrap();
        }
    }
    assert_eq!(chosen.join("; "), SIGNATURE, "a change of what is chosen says so in its commit");
}

/// The moves chosen above; they change with the engine's version.
const SIGNATURE: &str = "1 3 0 1 4; 1 3 0 1 4; 1 3 0 1 4; 1 3 0 1 4; 3 2; 3 6; 4 2; 3 14; 1 3 0 2 3; 1 3 0 2 3; 1 3 1 3 4; \
    1 3 1 3 4; 1 3 0 1 4; 1 3 0 1 4; 4 29; 4 16; 1 3 1 2 4; 1 3 1 2 4; 1 3 1 2 4; 1 3 0 3 4; \
    1 3 0 3 4; 1 3 0 2 3; 4 21; 4 23; 1 3 1 2 3; 1 3 1 2 3; 1 3 1 2 3; 1 3 1 2 3; 1 3 0 1 3; \
    1 3 1 2 3; 1 3 0 1 3; 1 3 0 2 4; 1 3 0 3 4; 3 22; 1 3 0 1 3; 1 3 1 2 3; 4 65; 1 3 1 3 4; \
    1 3 2 3 4; 1 3 0 3 4 1 2";

#[test]
fn a_win_at_hand_is_taken_and_a_useful_turn_never_passed() {
    for seed in 0..12 {
        let mut table = deal(2, 300 + seed);
        while let Some((seat, view)) = to_move(&table) {
            let mv = think(1, &view, limits(1, seed), &Patient).mv;
            let mut all = Vec::new();
            view.legal(&mut all);
            let wins = |mv: &Move| {
                let mut trial = table.clone();
                trial.play(seat, mv).unwrap();
                trial.outcome().is_some_and(|o| o.score(seat) == 1.0)
            };
            if all.iter().any(wins) {
                let searched = think(0, &view, limits(300, seed), &Patient);
                assert!(wins(&searched.mv), "{} lets the win go", searched.mv);
                assert!(searched.value > 0.9);
            }
            assert_ne!(mv, Move::PASS);
            table.play(seat, &mv).unwrap();
        }
    }
}

/// A player alone at the table reaches the goal in fewer rounds by the search than by judgement, which needs 26.
#[test]
fn a_player_alone_hurries() {
    let rounds = |seed: u64| {
        let mut table = deal(1, 800 + seed);
        let mut rounds = 0;
        while let Some((seat, view)) = to_move(&table) {
            table.play(seat, &think(0, &view, limits(100, seed), &Patient).mv).unwrap();
            rounds += 1;
        }
        rounds
    };
    let all: Vec<u32> = (0..6).map(rounds).collect();
    assert!(all.iter().sum::<u32>() < 6 * 26, "{all:?} rounds");
}

/// Whether the seat can end the match with a win at once, by a purchase of one of these cards.
fn wins_now(table: &Table<Splendor>, seat: Seat, cards: &[u8]) -> bool {
    cards.iter().any(|card| {
        let mut trial = table.clone();
        let mv = Move::Buy { card: *card };
        table.state().view(Viewer::Seat(seat)).is_legal(&mv)
            && trial.play(seat, &mv).is_ok()
            && trial.outcome().is_some_and(|o| o.score(seat) == 1.0)
    })
}

/// Under every budget, no action is chosen that lets the next seat win at once, if any action prevents that.
#[test]
fn no_loss_at_once_is_allowed_that_can_be_prevented() {
    let mut prevented = 0;
    for seed in 0..60 {
        let mut table = deal(2, 700 + seed);
        while let Some((seat, view)) = to_move(&table) {
            let mut chosen = think(1, &view, limits(1, seed), &Patient).mv;
            let other = &table.state().board.hands[usize::from(1 - seat.0)];
            if seat == Seat(0) && other.points() >= 9 {
                let own = other.reserved.iter().filter_map(|id| u8::try_from(*id).ok());
                let cards: Vec<u8> = table.state().board.face_up.into_iter().flatten().chain(own).collect();
                let loses = |mv: &Move| {
                    let mut trial = table.clone();
                    trial.play(seat, mv).unwrap();
                    wins_now(&trial, Seat(1), &cards)
                };
                let mut all = Vec::new();
                view.legal(&mut all);
                let some = all.iter().filter(|mv| loses(mv)).count();
                if (1..all.len()).contains(&some) {
                    prevented += 1;
                    for nodes in [0, 1, 30] {
                        chosen = think(0, &view, limits(nodes, seed), &Patient).mv;
                        assert!(!loses(&chosen), "{chosen} loses at once, seed {seed}, {nodes} nodes");
                    }
                }
            }
            table.play(seat, &chosen).unwrap();
        }
    }
    assert!(prevented >= 20, "{prevented} positions tell little");
}

/// In matches of two judgements the network's value of late positions predicts the winner. Its priors are shares.
#[test]
fn network_tells_winners_and_rates_actions() {
    let net = for_seats(2);
    let (mut errors, mut positions) = (0.0, 0.0);
    for seed in 0..40 {
        let mut table = deal(2, 700 + seed);
        let mut values = Vec::new();
        while let Some((seat, view)) = to_move(&table) {
            let mut pos = FastTable::of(&view);
            pos.settle(&mut FastRng::new(1));
            let mut acts = Vec::new();
            undominated(&pos, &mut acts);
            let mut rated: Vec<_> = acts.into_iter().map(|act| (act, 0.0)).collect();
            let hidden = net.hidden(&pos);
            let value = net.rate(&pos, &hidden, &mut rated);
            assert_eq!(value, net.value(&pos, &hidden));
            assert!((rated.iter().map(|(_, prior)| prior).sum::<f32>() - 1.0).abs() < 1e-4);
            if pos.round >= 20 {
                values.push(value[0]);
            }
            let mv = think(1, &view, limits(1, 1), &Patient).mv;
            table.play(seat, &mv).unwrap();
        }
        let score = table.outcome().map_or(0.5, |outcome| outcome.score(Seat(0))) as f32;
        errors += values.iter().map(|value| (value - score).powi(2)).sum::<f32>();
        positions += values.len() as f32;
    }
    // A value of one half has an error of 0.25.
    assert!(errors / positions < 0.17, "mean squared error {}", errors / positions);
}

/// Inputs are in range, come once each, and differ if positions differ in one chip. Compounds represent the same inputs.
#[test]
fn inputs_are_in_range_and_tell_positions_apart() {
    for players in 1..=4u8 {
        let mut facts = Vec::new();
        each_facts(usize::from(players), |of_one| facts.push(of_one.to_vec()));
        assert_eq!(facts.len(), compounds(usize::from(players)));
        let mut table = deal(players, 40);
        let mut rng = Rng::new(&Seed::from(3));
        while let Some((seat, view)) = to_move(&table) {
            let mut pos = FastTable::of(&view);
            pos.settle(&mut FastRng::new(1));
            let told = |pos: &FastTable| {
                let mut all = Vec::new();
                each_input(pos, |input| all.push(input));
                all.sort_unstable();
                all
            };
            let all = told(&pos);
            assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "an input is reported twice");
            assert!(all.last().is_some_and(|last| *last < inputs(usize::from(players))));
            let (mut number, mut stand_for) = (0, Vec::new());
            each_compound(&pos, |at| {
                number += 1;
                stand_for.extend(facts[at].iter().map(|input| usize::from(*input)));
            });
            stand_for.sort_unstable();
            assert!(number <= MOST && stand_for == all, "{number}: {stand_for:?} for {all:?}");
            let mut other = pos.clone();
            other.players[0].chips[0] ^= 1;
            assert_ne!(told(&other), all);
            let mut moves = Vec::new();
            view.legal(&mut moves);
            table.play(seat, rng.pick(&moves).unwrap()).unwrap();
        }
    }
}

/// Actions that `undominated` leaves out have no effect of their own, or take fewer chips than they could for nothing.
#[test]
fn undominated_actions_are_legal_ones_that_take_what_they_can() {
    let mut table = deal(2, 41);
    while let Some((seat, view)) = to_move(&table) {
        let pos = FastTable::of(&view);
        let (mut all, mut kept) = (Vec::new(), Vec::new());
        legal(&pos, &mut all);
        undominated(&pos, &mut kept);
        assert!(kept.iter().all(|act| all.contains(act)) && !kept.is_empty());
        for act in all.iter().filter(|act| !kept.contains(act)) {
            let more = |other: &&Act| {
                other.kind == ActionKind::Take && other.arg & act.arg == act.arg && other.arg != act.arg
            };
            assert!(act.kind == ActionKind::Take && kept.iter().any(|other| more(&other)), "{act:?}");
        }
        let mv = think(1, &view, limits(1, 1), &Patient).mv;
        table.play(seat, &mv).unwrap();
    }
}

/// A casual player wins about half of the matches against `easy`. Every level beats the one below. The search beats plain
/// tree search with as many iterations.
#[test]
fn levels_are_as_strong_as_they_say() {
    let level = |level: &str| format!("engine:nodes=600,level={level}");
    let score = |a: &str, b: &str, games| score(crate::games::find("splendor").unwrap(), a, b, games);
    let casual = score(&level("easy"), "engine:name=casual", 200);
    assert!((0.4..0.6).contains(&casual), "{casual}");
    for (weak, strong, games) in [("easy", "medium", 120), ("medium", "hard", 80), ("hard", "max", 40)] {
        let better = score(&level(strong), &level(weak), games);
        assert!(better >= 0.62, "{strong} against {weak}: {better}");
    }
    let plain = score("engine:nodes=100", "engine:name=plain,nodes=100", 20);
    assert!(plain >= 0.9, "{plain}");
    let greedy = score("engine:nodes=300", "engine:name=greedy", 40);
    assert!(greedy >= 0.9, "{greedy}");
}

/// Below `max` an action may be wrong, but not absurd: it gives up no win at hand, and passes no useful turn.
#[test]
fn no_level_lets_a_win_go_or_passes_a_useful_turn() {
    for seed in 0..8 {
        let mut table = deal(2, 500 + seed);
        while let Some((seat, view)) = to_move(&table) {
            let easy = Limits { nodes: None, level: Level::Easy, ..limits(0, seed) };
            let mv = think(0, &view, easy, &Patient).mv;
            let mut all = Vec::new();
            view.legal(&mut all);
            let wins = |mv: &Move| {
                let mut trial = table.clone();
                trial.play(seat, mv).unwrap();
                trial.outcome().is_some_and(|o| o.score(seat) == 1.0)
            };
            assert!(wins(&mv) || !all.iter().any(wins), "{mv} lets the win go");
            let useless = |mv: &Move| matches!(mv, Move::Take { colors, .. } if colors.is_empty());
            assert!(!useless(&mv) || all.iter().all(|mv| useless(mv) || *mv == Move::Void));
            table.play(seat, &mv).unwrap();
        }
    }
}
