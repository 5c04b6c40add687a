//! Judgement without search: the worth of each card, the time until it can be paid, and the chips that it needs. It ranks
//! the actions of `greedy` and of version 3.

use std::sync::LazyLock;

use super::super::rules::{COLORS, GOAL, GOLD, LEVELS, RESERVE_LIMIT, SLOTS};
use super::position::{Act, ActionKind, FAST, FastPlayer, FastTable, Lanes, NEEDS, minus, sum};
use crate::search_kit::fast_rng::FastRng;

/// Cards that a player may come to own: face up, and own reserved ones.
const WITHIN_REACH: usize = LEVELS * SLOTS + RESERVE_LIMIT;
/// Maximum number of actions considered: takes of one to three chips (25), pairs (5), reservations (15), purchases (15).
const MOST: usize = 64;

/// The numbers behind the judgement; found by self-play, see the README.
#[derive(Clone, Debug)]
pub struct PolicyWeights(pub [f32; Self::LEN]);

impl PolicyWeights {
    /// Their number.
    pub const LEN: usize = 18;
}

/// The tuned numbers.
pub static TUNED: PolicyWeights = PolicyWeights([
    0.394, // 0 demand for the colour given
    1.924, // 1 progress towards a noble
    0.445, // 2 any card's worth as a step
    0.274, // 3 how much steps lose their worth as the leader nears the goal
    1.363, // 4 turns added to the estimate
    1.907, // 5 how much faster than the turns the rank falls (1: as their power 1.5)
    1.141, // 6 chips a turn
    1.426, // 7 chips of one colour a turn
    1.009, // 8 turns for what the bank lacks
    0.224, // 9 how much more the first targets count
    3.759, // 10 purchase: fixed
    0.581, // 11 purchase: worth
    0.389, // 12 purchase: each chip paid
    0.085, // 13 purchase: each gold paid
    1.479, // 14 chips: scale
    0.175, // 15 reservation: the gold
    0.937, // 16 reservation: the card's rank
    0.14,  // 17 reservation: points kept from the next player who could buy it now
]);

/// A number for each colour, in as many lanes as chips have.
type Lanes32 = [f32; 8];

/// The judgement of the seat to move about its position.
pub struct Assessment {
    ids: [u8; WITHIN_REACH],
    n: usize,
    worth: [f32; WITHIN_REACH],
    /// Bit i: card i can be paid now.
    affordable: u16,
    rank: [f32; WITHIN_REACH],
    need: [Lanes; WITHIN_REACH],
    /// The worth of the n-th chip of each colour, from 1.
    chip: [[f32; 8]; 10],
    /// Bit i: buying card i reaches the goal.
    wins: u16,
}

impl Assessment {
    /// The assessment of this position; `noise` is the random share in the cards' ranks.
    pub fn new(pos: &FastTable, weights: &PolicyWeights, noise: f32, rng: &mut FastRng) -> Self {
        let mut s = Self::of_reach(pos);
        let demand = s.demand();
        let (noble, completes) = wanted_by_nobles(pos);
        let t = &weights.0;
        let leader = pos.players.iter().map(|p| p.points).max().unwrap_or(0);
        let early = (1.0 - t[3] * f32::from(leader) / GOAL as f32).max(0.0);
        for i in 0..s.n {
            let card = &FAST[usize::from(s.ids[i])];
            let bonus = usize::from(card.bonus);
            s.worth[i] = f32::from(card.points) + early * (t[2] + t[0] * demand[bonus]) + t[1] * noble[bonus];
            let pace = s.reach(pos, i, completes[bonus]);
            let jitter = if noise > 0.0 { 1.0 + noise * (rng.unit() - 0.5) } else { 1.0 };
            s.rank[i] = s.worth[i] * jitter * pace;
            let weight = s.rank[i] * (1.0 + t[9] * s.rank[i]);
            for c in 0..COLORS {
                s.chip[usize::from(s.need[i][c].min(8))][c] += weight;
            }
        }
        // A card that needs n chips gives its worth to each chip from the first to the n-th.
        for n in (1..8).rev() {
            let above = s.chip[n + 1];
            s.chip[n].iter_mut().zip(above).for_each(|(chip, above)| *chip += above);
        }
        s.chip[0] = [0.0; 8];
        s
    }

    /// The cards within reach and the chips that they need, without any judgement.
    #[inline]
    fn of_reach(pos: &FastTable) -> Self {
        let me = pos.mover();
        let mut s = Self {
            ids: [0; WITHIN_REACH],
            n: 0,
            worth: [0.0; WITHIN_REACH],
            affordable: 0,
            rank: [0.0; WITHIN_REACH],
            need: [[0; 8]; WITHIN_REACH],
            chip: [[0.0; 8]; 10],
            wins: 0,
        };
        let own = &me.reserved[..usize::from(me.reserved_n)];
        for id in pos.face_up.as_flattened().iter().chain(own).filter(|id| **id != 0) {
            s.ids[s.n] = *id;
            s.need[s.n] = minus(&FAST[usize::from(*id)].cost, &me.bonus);
            s.n += 1;
        }
        s
    }

    /// The demand of the cards within reach for a bonus of each colour.
    #[inline]
    fn demand(&self) -> Lanes32 {
        let mut demand = [0.0f32; 8];
        for (need, id) in self.need.iter().zip(&self.ids).take(self.n) {
            let points = f32::from(FAST[usize::from(*id)].points) + 1.0;
            let weight = points * PARTS[usize::from(sum(need) & 15)];
            for c in 0..COLORS {
                demand[c] += if need[c] > 0 { weight } else { 0.0 };
            }
        }
        demand
    }

    /// Notes whether card `i` can be paid now and whether that wins. Returns the share of its worth that is left by the
    /// time it takes to pay it. `completes`: its colour gives a noble.
    #[inline]
    fn reach(&mut self, pos: &FastTable, i: usize, completes: bool) -> f32 {
        let me = pos.mover();
        let missing = minus(&self.need[i], &me.chips);
        let all = sum(&missing).saturating_sub(me.chips[GOLD]);
        if all == 0 {
            self.affordable |= 1 << i;
            let points = me.points + FAST[usize::from(self.ids[i])].points + if completes { 3 } else { 0 };
            if u32::from(points) >= GOAL {
                self.wins |= 1 << i;
            }
        }
        let most = missing.iter().copied().max().unwrap_or(0).saturating_sub(me.chips[GOLD]);
        let lack = sum(&minus(&missing, &pos.bank)).saturating_sub(me.chips[GOLD]);
        let over = sum(&self.need[i]).saturating_sub(10);
        PACE.of(all, most, lack.max(over))
    }

    /// The purchase of card `i`.
    fn buy(&self, i: usize, me: &FastPlayer, t: &[f32]) -> (Act, f32) {
        let missing = minus(&self.need[i], &me.chips);
        let score = t[10] + t[11] * self.worth[i]
            - t[12] * f32::from(sum(&self.need[i]))
            - t[13] * f32::from(sum(&missing))
            + if self.wins >> i & 1 != 0 { 100.0 } else { 0.0 };
        (Act::new(ActionKind::Buy, self.ids[i]), score)
    }

    /// Adds the cheapest returns to the action and returns their cost; `None` if a colour just taken would be returned,
    /// which is the same as taking less.
    fn with_returns(&self, act: &mut Act, mut chips: Lanes, due: u8, taken: u8) -> Option<f32> {
        let mut loss = 0.0;
        for _ in 0..due {
            let cost = |c: usize| self.chip[usize::from(chips[c].min(9))][c] - 0.001 * f32::from(chips[c]);
            let c = (0..COLORS).filter(|c| chips[*c] > 0).min_by(|a, b| cost(*a).total_cmp(&cost(*b)))?;
            if taken >> c & 1 != 0 {
                return None;
            }
            loss += self.chip[usize::from(chips[c].min(9))][c];
            chips[c] -= 1;
            act.returns += 1 << (2 * c);
        }
        Some(loss)
    }

    #[inline]
    fn gain(&self, me: &FastPlayer, c: usize, nth: u8) -> f32 {
        self.chip[usize::from((me.chips[c] + nth).min(9))][c]
    }

    fn take(&self, pos: &FastTable, set: u8, t: &[f32]) -> Option<(Act, f32)> {
        let me = pos.mover();
        let mut act = Act::new(ActionKind::Take, set);
        let gain: f32 = (0..COLORS).filter(|c| set >> c & 1 != 0).map(|c| self.gain(me, c, 1)).sum();
        let due = pos.excess(set.count_ones() as u8);
        let loss = if due > 0 {
            let mut chips = me.chips;
            (0..COLORS).for_each(|c| chips[c] += set >> c & 1);
            self.with_returns(&mut act, chips, due, set)?
        } else {
            0.0
        };
        Some((act, t[14] * (gain - loss)))
    }

    fn two(&self, pos: &FastTable, c: usize, t: &[f32]) -> Option<(Act, f32)> {
        let me = pos.mover();
        let mut act = Act::new(ActionKind::Two, c as u8);
        let gain = self.gain(me, c, 1) + self.gain(me, c, 2);
        let due = pos.excess(2);
        let loss = if due > 0 {
            let mut chips = me.chips;
            chips[c] += 2;
            self.with_returns(&mut act, chips, due, 1 << c)?
        } else {
            0.0
        };
        Some((act, t[14] * (gain - loss)))
    }

    fn reserve(&self, pos: &FastTable, i: usize, t: &[f32]) -> (Act, f32) {
        let me = pos.mover();
        let gold = pos.bank[GOLD] > 0;
        let mut act = Act::new(ActionKind::Reserve, self.ids[i]);
        let mut score = t[16] * self.rank[i] + if gold { t[15] } else { 0.0 };
        let card = &FAST[usize::from(self.ids[i])];
        for ahead in 1..pos.seats {
            let other = &pos.players[usize::from((pos.to_move + ahead) % pos.seats)];
            let missing = sum(&minus(&minus(&card.cost, &other.bonus), &other.chips));
            if missing <= other.chips[GOLD] {
                let ends = u32::from(other.points + card.points) >= GOAL;
                score += t[17] * f32::from(card.points) + if ends { 3.0 } else { 0.0 };
            }
        }
        let due = if gold { pos.excess(1) } else { 0 };
        score -= t[14] * self.with_returns(&mut act, me.chips, due, 0).unwrap_or(0.0);
        (act, score)
    }

    fn can_reserve(&self, pos: &FastTable) -> bool {
        usize::from(pos.mover().reserved_n) < RESERVE_LIMIT
    }

    /// The best action by judgement alone.
    pub fn best(&self, pos: &FastTable, weights: &PolicyWeights) -> Act {
        let t = &weights.0;
        let me = pos.mover();
        let mut best = (Act::PASS, f32::MIN);
        let better = |best: &mut (Act, f32), new: (Act, f32)| {
            if new.1 > best.1 {
                *best = new;
            }
        };
        if self.affordable != 0 {
            (0..self.n)
                .filter(|i| self.affordable >> i & 1 != 0)
                .for_each(|i| better(&mut best, self.buy(i, me, t)));
        }
        // The three best colours; gains of different colours do not depend on each other.
        let mut set = 0u8;
        for _ in 0..3 {
            let open = (0..COLORS).filter(|c| pos.bank[*c] > 0 && set >> c & 1 == 0);
            let Some(c) = open.max_by(|a, b| self.gain(me, *a, 1).total_cmp(&self.gain(me, *b, 1))) else {
                break;
            };
            set |= 1 << c;
            if pos.excess(set.count_ones() as u8) > 0
                && let Some(take) = self.take(pos, set, t)
            {
                better(&mut best, take);
            }
        }
        if set != 0 && pos.excess(set.count_ones() as u8) == 0 {
            best = self.take(pos, set, t).map_or(best, |take| if take.1 > best.1 { take } else { best });
        }
        for c in (0..COLORS).filter(|c| pos.bank[*c] >= 4) {
            if let Some(two) = self.two(pos, c, t) {
                better(&mut best, two);
            }
        }
        if self.can_reserve(pos) {
            let face_up = self.n - usize::from(me.reserved_n);
            let i = (0..face_up).max_by(|a, b| self.rank[*a].total_cmp(&self.rank[*b]));
            if let Some(i) = i {
                better(&mut best, self.reserve(pos, i, t));
            }
        }
        if best.1 == f32::MIN { self.last_resort(pos) } else { best.0 }
    }

    /// The action if there are no chips, face-up cards or purchases: a card from a deck, else a pass.
    fn last_resort(&self, pos: &FastTable) -> Act {
        let level = (0..LEVELS).rev().find(|level| pos.left[*level] > 0 && self.can_reserve(pos));
        let Some(level) = level else { return Act::PASS };
        let mut act = Act::new(ActionKind::Top, level as u8);
        let due = if pos.bank[GOLD] > 0 { pos.excess(1) } else { 0 };
        match self.with_returns(&mut act, pos.mover().chips, due, 0) {
            Some(_) => act,
            None => Act::PASS,
        }
    }

    /// All actions to consider, with their scores.
    pub fn all(&self, pos: &FastTable, weights: &PolicyWeights, out: &mut Vec<(Act, f32)>) {
        let t = &weights.0;
        let me = pos.mover();
        out.clear();
        out.extend((0..self.n).filter(|i| self.affordable >> i & 1 != 0).map(|i| self.buy(i, me, t)));
        let open = (0..COLORS).filter(|c| pos.bank[*c] > 0).fold(0u8, |set, c| set | 1 << c);
        let most = open.count_ones().min(3);
        for set in 1..1u8 << COLORS {
            let k = set.count_ones();
            // Taking fewer chips than possible helps only if the others would have to be returned.
            if set & !open == 0 && (k == most || (k < most && pos.excess(k as u8 + 1) > 0)) {
                out.extend(self.take(pos, set, t));
            }
        }
        out.extend((0..COLORS).filter(|c| pos.bank[*c] >= 4).filter_map(|c| self.two(pos, c, t)));
        if self.can_reserve(pos) {
            let face_up = self.n - usize::from(me.reserved_n);
            out.extend((0..face_up).map(|i| self.reserve(pos, i, t)));
        }
        if out.is_empty() {
            out.push((self.last_resort(pos), 0.0));
        }
        debug_assert!(out.len() <= MOST, "every action fits");
    }
}

/// By colour, the worth to the mover of a step towards the nobles, and whether one more card completes a noble.
#[inline]
fn wanted_by_nobles(pos: &FastTable) -> (Lanes32, [bool; 8]) {
    let me = pos.mover();
    let (mut noble, mut completes) = ([0.0f32; 8], [false; 8]);
    for id in pos.nobles.iter().filter(|id| **id != 0) {
        let missing = minus(&NEEDS[usize::from(*id)], &me.bonus);
        let all = sum(&missing);
        for c in 0..COLORS {
            if missing[c] > 0 {
                noble[c] += PACE.noble[usize::from(all & 15)];
                completes[c] |= all == 1;
            }
        }
    }
    (noble, completes)
}

/// 1 / (n + 1) by n.
static PARTS: [f32; 16] = {
    let mut parts = [1.0; 16];
    let mut n = 1;
    while n < 16 {
        parts[n] = 1.0 / (n as f32 + 1.0);
        n += 1;
    }
    parts
};

/// Roots and quotients of small numbers that every assessment needs, computed once from [`TUNED`].
struct Pace {
    /// The share of a card's worth that is left, by the number of missing chips, the most missing of one colour, and those
    /// that the bank or the hand's limit withholds.
    left: [[[f32; 16]; 8]; 16],
    /// The worth of a step towards a noble, by the number of missing steps.
    noble: [f32; 16],
}

static PACE: LazyLock<Pace> = LazyLock::new(|| {
    let t = &TUNED.0;
    let left = |all: usize, most: usize, withheld: usize| {
        let turns = (all as f32 / t[6]).max(most as f32 / t[7]) + t[8] * withheld as f32 * 0.33;
        1.0 / slow(turns + t[4], t[5])
    };
    Pace {
        left: std::array::from_fn(|a| std::array::from_fn(|m| std::array::from_fn(|w| left(a, m, w)))),
        noble: std::array::from_fn(|all| 3.0 / (all as f32 * (all as f32).sqrt())),
    }
});

impl Pace {
    #[inline]
    fn of(&self, all: u8, most: u8, withheld: u8) -> f32 {
        self.left[usize::from(all & 15)][usize::from(most & 7)][usize::from(withheld & 15)]
    }
}

/// The divisor of a card's worth that is `x` turns away: from `x` itself (`p` = 0) to its power 1.5 (`p` = 1) and beyond.
/// Uses only operations that are exact on every machine.
#[inline]
fn slow(x: f32, p: f32) -> f32 {
    let x = x.max(0.1);
    (x * (1.0 + p * (x.sqrt() - 1.0))).max(0.05)
}
