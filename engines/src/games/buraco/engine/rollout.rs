//! The engine: it draws the hidden cards at random many times, plays every plan on from the same cards for some turns,
//! values the result with a network, and drops the worse plans as the budget is used up (`arms.rs`).

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::super::rules::Move;
use super::super::{Buraco, View};
use super::arms::{Arm, Arms};
use super::baselines::{casual_move, greedy_move, seen};
use super::habits::{FittedPolicy, play_turn};
use super::hidden::Hidden;
use super::plans::{TurnPlan, plans};
use super::policy::careful_turn;
use super::position::FastPosition;
use super::value::NET;
use crate::cores::{CorePermit, MOST_HELPERS, together};
use crate::rng::Rng;
use crate::search::{Candidate, Decision, Engine, EngineSpec, Level, Search};
use crate::search_kit::fast_rng::FastRng;

/// The engine's entry in the game's list.
pub const SPEC: EngineSpec<Buraco> = EngineSpec {
    name: "buraco",
    version: 7,
    instant: false,
    summary: "Plays every plan for the turn some turns on against hidden cards drawn at random, again and again.",
    make: || Box::new(BuracoEngine),
};

/// Number of turns of a playout before the network judges its position.
const HORIZON: u32 = 10;
/// Nodes of a helper between two questions whether its core is needed elsewhere.
const ASK_EVERY: u64 = 16;

struct BuracoEngine;

/// Small random amounts, 0 to 3; they only have to differ between playouts.
pub fn jitter(rng: &mut FastRng) -> i32 {
    (rng.next_u64() >> 62) as i32
}

/// The value of a final lead: mostly the result, with a small share of the margin.
pub fn worth(lead: i32) -> f64 {
    let win = match lead.signum() {
        1 => 1.0,
        0 => 0.5,
        _ => 0.0,
    };
    let far = f64::from(lead) / 150.0;
    0.8 * win + 0.1 * (1.0 + far / (1.0 + far.abs()))
}

/// Plays some turns on: `me` by the fitted habits, the other seat as the careful player, since most opponents lay down and
/// take what they can, as it does. Returns the result for `me`, or its expectation; `None` if `tick`, called for each turn, says
/// that the search must stop.
fn play_on(
    mut pos: FastPosition,
    me: usize,
    rng: &mut FastRng,
    tick: &mut impl FnMut() -> bool,
    depth: &mut u32,
) -> Option<f64> {
    for turn in 0..=HORIZON {
        // The end is a node too, so that a budget also ends searches in which every plan ends the match.
        if !tick() {
            return None;
        }
        *depth = (*depth).max(turn);
        if pos.over {
            return Some(worth(pos.lead(me)));
        }
        if turn < HORIZON && pos.me == me {
            play_turn(&mut pos, &mut FittedPolicy(|| jitter(rng)));
        } else if turn < HORIZON {
            careful_turn(&mut pos);
        }
    }
    let value = f64::from(NET.value(&pos));
    Some(if pos.me == me { value } else { 1.0 - value })
}

/// The values of these plans for `me` if the hidden cards are as in `pos`; `None`: see [`play_on`].
fn sample(
    plans: &[TurnPlan],
    pos: FastPosition,
    me: usize,
    seed: u64,
    tick: &mut impl FnMut() -> bool,
    depth: &mut u32,
) -> Option<Vec<f64>> {
    let value = |plan: &TurnPlan| {
        let mut after = pos;
        plan.play(&mut after);
        play_on(after, me, &mut FastRng::new(seed), tick, depth)
    };
    plans.iter().map(value).collect()
}

/// The comparison of the plans, which helpers change too.
fn locked(arms: &Mutex<Arms>) -> MutexGuard<'_, Arms> {
    // A panic of a helper ends the search anyway.
    arms.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds samples of the hidden cards to the comparison while the core may be used. Returns the number of nodes.
fn help(arms: &Mutex<Arms>, mut hidden: Hidden, mut rng: Rng, permit: &CorePermit<'_>) -> u64 {
    let (mut nodes, me) = (0u64, hidden.base.me);
    loop {
        let plans = locked(arms).compared();
        let (pos, seed) = (hidden.draw(&mut rng), rng.next_u64());
        let mut tick = || {
            nodes += 1;
            !nodes.is_multiple_of(ASK_EVERY) || permit.go_on()
        };
        let Some(values) = sample(&plans, pos, me, seed, &mut tick, &mut 0) else { return nodes };
        locked(arms).add(&plans, &values);
    }
}

/// The nodes of a level, and how much worse than the best a chosen command may be. `easy` plays the casual player's command
/// if a plan begins with it.
fn strength(level: Level) -> (Option<u64>, f64) {
    match level {
        Level::Easy => (Some(1_000), 2.0),
        Level::Medium => (Some(1_400), 0.26),
        Level::Hard => (Some(4_000), 0.11),
        Level::Max => (None, 0.0),
    }
}

/// The index of the candidate to play: the first, or one that is at most `slack` worse. Better ones have a higher
/// probability; one that discards a 2 has none.
fn soft(candidates: &[Candidate<Move>], slack: f64, rng: &mut Rng) -> usize {
    let least = candidates[0].value - slack;
    let throws_two = |mv: &Move| matches!(mv, Move::Discard { card } if card.rank() == 2);
    let weight =
        |c: &Candidate<Move>| if throws_two(&c.mv) { 0.0 } else { (c.value - least).clamp(0.0, slack) };
    let weights: Vec<f64> = candidates.iter().map(weight).collect();
    let mut at = rng.unit() * weights.iter().sum::<f64>();
    let chosen = weights.iter().position(|weight| {
        at -= weight;
        at < 0.0
    });
    chosen.unwrap_or(0)
}

impl Engine<Buraco> for BuracoEngine {
    /// A node is a turn of a playout, about half a microsecond.
    fn choose(&mut self, view: &View, search: &mut Search<'_>) -> Decision<Buraco> {
        let (nodes, slack) = strength(search.limits().level);
        nodes.into_iter().for_each(|nodes| search.cap_nodes(nodes));
        let fallback = greedy_move(&seen(view));
        let Some(mut hidden) = Hidden::of(view) else { return Decision::by_rule(fallback) };
        let me = hidden.base.me;
        let plans = plans(view, &seen(view), &mut || search.done());
        if plans.is_empty() {
            return Decision::by_rule(fallback);
        }
        let arms = Mutex::new(Arms::new(plans));
        let seed = search.rng().seed();
        let mut rng = Rng::new(&seed);
        let mut depth = 0;
        // Helpers draw other hidden cards for the same plans.
        let (hidden_for_all, first) = (hidden.clone(), &seed);
        let helper = |number: usize, permit: &CorePermit<'_>| {
            help(&arms, hidden_for_all.clone(), Rng::stream(first, 1 + number as u64), permit)
        };
        let ((), helped) = together(search.cores(), MOST_HELPERS, helper, || {
            while !search.done() {
                let plans = locked(&arms).compared();
                let (pos, seed) = (hidden.draw(&mut rng), rng.next_u64());
                let values = sample(&plans, pos, me, seed, &mut || search.tick(), &mut depth);
                let Some(values) = values else { break };
                let mut arms = locked(&arms);
                arms.add(&plans, &values);
                if search.is_asked() {
                    let ranked = arms.ranked();
                    let candidates = by_command(&ranked);
                    search.tell(&decision(&ranked, candidates, 0, depth));
                }
                if arms.drop_worse(search.used()) {
                    break;
                }
            }
        });
        search.count(helped.iter().sum());
        let arms = arms.into_inner().unwrap_or_else(PoisonError::into_inner);
        let ranked = arms.ranked();
        let mut candidates = by_command(&ranked);
        if arms.samples == 0 {
            candidates.retain(|c| c.mv != fallback);
            candidates.insert(0, Candidate { mv: fallback, value: 0.5, visits: 0 });
        }
        let slack = if arms.samples == 0 { 0.0 } else { slack };
        let casual = (search.limits().level == Level::Easy).then(|| casual_move(view, search.rng()));
        let casual = casual.and_then(|mv| candidates.iter().position(|c| c.mv == mv));
        let chosen = casual.unwrap_or_else(|| soft(&candidates, slack, search.rng()));
        decision(&ranked, candidates, chosen, depth)
    }
}

/// The decision for one of the candidates; the line is the rest of the turn in the best plan that begins with it.
fn decision(
    ranked: &[&Arm],
    candidates: Vec<Candidate<Move>>,
    chosen: usize,
    depth: u32,
) -> Decision<Buraco> {
    let Candidate { mv, value, .. } = candidates[chosen].clone();
    let plan = ranked.iter().map(|arm| &arm.plan).find(|plan| plan.command() == mv);
    let line = plan.map_or_else(|| vec![mv.clone()], TurnPlan::commands);
    Decision { mv, value, depth, line, candidates }
}

/// The first commands of the plans, each once with the value of its best plan, in the order of the plans.
fn by_command(arms: &[&Arm]) -> Vec<Candidate<Move>> {
    let mut found: Vec<Candidate<Move>> = Vec::new();
    for arm in arms {
        let mv = arm.plan.command();
        match found.iter_mut().find(|c| c.mv == mv) {
            Some(candidate) => candidate.visits += u64::from(arm.samples),
            None => found.push(Candidate { mv, value: arm.value(), visits: u64::from(arm.samples) }),
        }
    }
    found
}
