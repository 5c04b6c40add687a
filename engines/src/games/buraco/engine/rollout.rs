//! The engine proper: hidden cards drawn at random again and again, every plan played out from the same cards, the
//! worse half of the plans dropped now and then.

use super::super::rules::{Card, Move};
use super::super::{Buraco, View};
use super::fast::Pos;
use super::plans::{Plan, plans};
use super::policy::{Style, play_turn};
use super::yardsticks::{greedy_move, seen};
use crate::game::{Turn, View as _};
use crate::kit::handicap;
use crate::rng::Rng;
use crate::search::{Candidate, Decision, Engine, EngineSpec, Level, Search};

/// The engine's entry in the game's list.
pub const SPEC: EngineSpec<Buraco> = EngineSpec {
    name: "buraco",
    version: 1,
    instant: false,
    summary: "Plays every plan for the turn out to the end against hidden cards drawn at random, again and again.",
    make: || Box::new(Rollouts),
};

/// Samples of the hidden cards before plans are dropped for the first time.
const FIRST: u32 = 24;
/// Plans that are never dropped.
const LAST: usize = 3;
/// More turns than a match can last.
const TURNS: u32 = 200;

/// Draws of the hidden cards of which one is taken.
const DRAWS: u32 = 4;

struct Rollouts;

/// A plan and how it fared.
struct Arm {
    plan: Plan,
    sum: f64,
    samples: u32,
}

impl Arm {
    fn value(&self) -> f64 {
        if self.samples == 0 { 0.5 } else { self.sum / f64::from(self.samples) }
    }
}

/// The hidden cards of a view, to be drawn again and again.
struct Hidden {
    base: Pos,
    /// Cards that may be anywhere.
    cards: Vec<u8>,
    /// Cards that the other hand is known to hold.
    known: Vec<u8>,
    /// Cards of the other hand that nobody knows.
    unknown: usize,
}

impl Hidden {
    fn of(view: &View) -> Option<Self> {
        let Turn::Of(me) = view.turn() else { return None };
        let open = view.open();
        let known: Vec<u8> = open.known(me.other()).iter().map(|c| c.index() as u8).collect();
        let unseen = view.unseen();
        let cards =
            Card::all().flat_map(|c| std::iter::repeat_n(c.index() as u8, usize::from(unseen[c.index()])));
        let unknown = usize::from(open.hand_size(me.other())) - known.len();
        Some(Self { base: Pos::new(open, me.index(), view.hand()), cards: cards.collect(), known, unknown })
    }

    /// The hidden cards drawn at random; of a few draws the one whose other hand has the least left to lay down, since
    /// few players keep what they can lay down.
    fn draw(&mut self, rng: &mut Rng) -> Pos {
        let mut best: Option<(u32, Pos)> = None;
        for _ in 0..DRAWS {
            rng.shuffle(&mut self.cards);
            let mut pos = self.base;
            let (hand, stock) = self.cards.split_at(self.unknown);
            pos.fill(hand.iter().chain(&self.known).copied(), stock);
            let idle = pos.idle(1 - pos.me);
            if best.as_ref().is_none_or(|(least, _)| idle < *least) {
                best = Some((idle, pos));
            }
            if idle == 0 {
                break;
            }
        }
        best.map_or(self.base, |(_, pos)| pos)
    }
}

/// A small generator for what merely has to differ between playouts (xorshift by Marsaglia).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> i32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as i32 & 3
    }
}

/// What a final lead is worth: mostly whether it wins, a little how far.
fn worth(lead: i32) -> f64 {
    let win = match lead.signum() {
        1 => 1.0,
        0 => 0.5,
        _ => 0.0,
    };
    let far = f64::from(lead) / 150.0;
    0.8 * win + 0.1 * (1.0 + far / (1.0 + far.abs()))
}

/// Plays the match to its end; the lead of `me`, or `None` if the search must stop.
fn play_out(
    mut pos: Pos,
    me: usize,
    noise: &mut Noise,
    search: &mut Search<'_>,
    depth: &mut u32,
) -> Option<i32> {
    for turn in 0..TURNS {
        // The end is a node too: where every plan ends the match, something must count.
        if !search.tick() {
            return None;
        }
        *depth = (*depth).max(turn);
        if pos.over {
            break;
        }
        play_turn(&mut pos, &[Style::QUICK; 2], || noise.next());
    }
    Some(pos.lead(me))
}

/// Nodes and slips of a level.
fn handicap_of(level: Level) -> (Option<u64>, f64) {
    match level {
        Level::Easy => (Some(4_000), 0.35),
        Level::Medium => (Some(15_000), 0.12),
        Level::Hard => (Some(60_000), 0.0),
        Level::Max => (None, 0.0),
    }
}

impl Engine<Buraco> for Rollouts {
    /// A node is a turn of a playout, one or two microseconds.
    fn choose(&mut self, view: &View, search: &mut Search<'_>) -> Decision<Buraco> {
        let (cap, slips) = handicap_of(search.limits().level);
        cap.into_iter().for_each(|nodes| search.cap_nodes(nodes));
        let fallback = greedy_move(&seen(view));
        let Some(mut hidden) = Hidden::of(view) else { return certain(fallback) };
        let me = hidden.base.me;
        let mut arms: Vec<Arm> =
            plans(view, &seen(view)).into_iter().map(|plan| Arm { plan, sum: 0.0, samples: 0 }).collect();
        if arms.len() < 2 {
            return certain(arms.pop().map_or(fallback, |arm| arm.plan.command()));
        }
        let mut rng = Rng::new(&search.rng().seed());
        let mut depth = 0;
        let mut alive = arms.len();
        let mut next_cut = FIRST;
        let mut samples = 0;
        'search: while !search.done() {
            let pos = hidden.draw(&mut rng);
            let noise = rng.next_u64() | 1;
            let mut results = Vec::with_capacity(alive);
            for arm in &arms[..alive] {
                let mut after = pos;
                arm.plan.play(&mut after);
                match play_out(after, me, &mut Noise(noise), search, &mut depth) {
                    Some(lead) => results.push(worth(lead)),
                    None => break 'search,
                }
            }
            for (arm, result) in arms.iter_mut().zip(results) {
                arm.sum += result;
                arm.samples += 1;
            }
            samples += 1;
            if samples >= next_cut && alive > LAST {
                arms[..alive].sort_by(|a, b| b.value().total_cmp(&a.value()));
                alive = alive.div_ceil(2).max(LAST);
                next_cut *= 2;
                // What comes behind the command is thought about when it is due.
                let command = arms[0].plan.command();
                if arms[1..alive].iter().all(|arm| arm.plan.command() == command) {
                    break;
                }
            }
        }
        arms[..alive].sort_by(|a, b| b.value().total_cmp(&a.value()));
        let mut candidates = by_command(&arms);
        if samples == 0 {
            candidates.retain(|c| c.mv != fallback);
            candidates.insert(0, Candidate { mv: fallback, value: 0.5, visits: 0 });
        }
        let chosen = handicap::choose(&candidates, slips, search.rng());
        let Candidate { mv, value, .. } = candidates[chosen].clone();
        let line = vec![mv.clone()];
        Decision { mv, value, depth, line, candidates }
    }
}

fn certain(mv: Move) -> Decision<Buraco> {
    let value = 0.5;
    let candidates = vec![Candidate { mv: mv.clone(), value, visits: 0 }];
    Decision { line: vec![mv.clone()], mv, value, candidates, depth: 0 }
}

/// The commands that begin the plans, each once with its best plan's value; the most looked at, then the best, first.
fn by_command(arms: &[Arm]) -> Vec<Candidate<Move>> {
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
