//! The judge: what a seat's position is worth right after a move of its own, by a small neural network over what that
//! seat knows. Sees one hand and what lies open, never the other hand.

use super::memory::{FORGOTTEN, HABITS, Memory};
use super::position::{Hand, NONE, Position, count, is_point};

/// Hidden units.
pub const HIDDEN: usize = 64;
/// Kinds of facts. Each holds or not; some of a kind exclude each other.
pub const FACTS: usize = LEDS + 40;
// Where each group of facts begins.
const RANKS: usize = 0;
const HELD: usize = RANKS + 75;
const LEFT: usize = HELD + 5;
const WON: usize = LEFT + 13;
const TRICK: usize = WON + 108;
const STAKE: usize = TRICK + 180;
const TAKEN: usize = STAKE + 21;
const HABIT: usize = TAKEN + 2;
const REFUSED: usize = HABIT + 4 * HABITS;
const LEDS: usize = REFUSED + 150;
/// One in whole numbers: weights are multiples of its inverse.
pub const ONE: i16 = 256;

/// 0 for a 7, 1 for a point, 2 for the rest: ranks of a kind are alike.
#[inline]
fn kind(rank: u8) -> usize {
    if rank == 0 { 0 } else { 2 - usize::from(is_point(rank)) }
}

/// What the mover of a position knows, less what its moves differ in.
#[derive(Clone, Copy)]
pub struct Knows<'p> {
    p: &'p Position,
    other: &'p Memory,
    hand: Hand,
    unseen: Hand,
    /// What equal points are worth to it, in halves.
    draw: u8,
}

impl<'p> Knows<'p> {
    /// What the mover knows, where `memory` holds what is remembered of both seats.
    pub fn new(p: &'p Position, memory: &'p [Memory; 2], draw: u8) -> Self {
        let hand = p.hands[p.mover()];
        Self { p, other: &memory[p.mover() ^ 1], hand, unseen: 0x4444_4444 - hand - p.gone, draw }
    }

    #[inline]
    fn rank(&self, rank: u8, own: u32) -> usize {
        RANKS + 25 * kind(rank) + (5 * own + count(self.unseen, rank)) as usize
    }

    /// The facts that no move changes. The ranks are those of the hand before the move.
    #[inline]
    fn each_common(&self, mut tell: impl FnMut(usize)) {
        for rank in 0..8 {
            tell(self.rank(rank, count(self.hand, rank)));
            let unseen = count(self.unseen, rank) as usize;
            for rich in 0..2 {
                let since = self.other.since_refused(rich, rank);
                if since < FORGOTTEN {
                    tell(REFUSED + 75 * rich + 25 * kind(rank) + 5 * usize::from(since) + unseen);
                }
            }
            let since = self.other.since_led(rank);
            if since < FORGOTTEN && rank > 0 {
                tell(LEDS + 20 * (kind(rank) - 1) + 5 * usize::from(since) + unseen);
            }
        }
        for (i, n) in self.other.habits.iter().enumerate() {
            tell(HABIT + 4 * i + usize::from(*n));
        }
        tell(LEFT + usize::from(self.p.left / 2));
    }

    /// What the move `rank` makes of them: the fact that it ends, and those that it brings.
    #[inline]
    fn each_of(&self, rank: u8, mut ends: impl FnMut(usize), mut tell: impl FnMut(usize)) {
        let p = self.p;
        let me = p.mover();
        let mut own = self.hand;
        let mut held = p.held[me];
        let mut stake = p.stake;
        let led = if p.led == NONE { rank } else { p.led };
        let mut won = [p.won[me], p.won[me ^ 1]];
        // Who takes a trick that the move ends: 0 the mover, 1 the other.
        let taker = if rank == NONE {
            Some(1)
        } else {
            let n = count(own, rank);
            ends(self.rank(rank, n));
            tell(self.rank(rank, n - 1));
            own -= 1 << (4 * rank);
            held -= 1;
            stake += u8::from(is_point(rank));
            if p.answering && rank != 0 && rank != led { Some(1) } else { (p.held[me ^ 1] == 0).then_some(0) }
        };
        tell(HELD + usize::from(held));
        match taker {
            Some(taker) => {
                won[taker] += stake;
                tell(TAKEN + taker);
            }
            None => {
                let phase = if p.led == NONE { 0 } else { 2 - usize::from(p.answering) };
                let cuts = (5 * count(own, led).min(3) + count(self.unseen, led)) as usize;
                tell(TRICK + 60 * phase + 20 * kind(led) + cuts);
                tell(STAKE + 7 * phase + usize::from(stake.min(6)));
            }
        }
        let won = won.map(|n| usize::from(n.min(5)));
        tell(WON + 36 * usize::from(self.draw) + 6 * won[0] + won[1]);
    }

    /// All facts that hold after the move `rank`.
    pub fn facts(&self, rank: u8) -> Vec<usize> {
        let mut facts = Vec::with_capacity(48);
        self.each_common(|fact| facts.push(fact));
        let mut ended = None;
        self.each_of(rank, |fact| ended = Some(fact), |fact| facts.push(fact));
        if let Some(at) = ended.and_then(|fact| facts.iter().position(|f| *f == fact)) {
            facts.swap_remove(at);
        }
        facts
    }
}

/// The network: a sum of the vectors of the facts, rectified, and a weighted sum of that.
pub struct Net {
    facts: [[i16; HIDDEN]; FACTS],
    bias: [i16; HIDDEN],
    out: [i16; HIDDEN],
    base: i32,
}

/// Numbers in its file, little-endian, 16 bits each.
const NUMBERS: usize = HIDDEN * (FACTS + 2) + 1;

/// The network in use.
pub static NET: Net = Net::read(include_bytes!("net.bin"));

impl Net {
    const fn read(file: &[u8; 2 * NUMBERS]) -> Self {
        let mut net = Self { facts: [[0; HIDDEN]; FACTS], bias: [0; HIDDEN], out: [0; HIDDEN], base: 0 };
        let mut i = 0;
        while i < NUMBERS {
            let number = i16::from_le_bytes([file[2 * i], file[2 * i + 1]]);
            match i / HIDDEN {
                row if row < FACTS => net.facts[row][i % HIDDEN] = number,
                FACTS => net.bias[i % HIDDEN] = number,
                row if row == FACTS + 1 => net.out[i % HIDDEN] = number,
                _ => net.base = number as i32 * ONE as i32,
            }
            i += 1;
        }
        net
    }

    /// The same value the plain way: all facts added up.
    #[cfg(test)]
    pub fn value_of(&self, facts: &[usize]) -> f32 {
        let sum = |i: usize| {
            i32::from(self.bias[i]) + facts.iter().map(|f| i32::from(self.facts[*f][i])).sum::<i32>()
        };
        squash(self.base + (0..HIDDEN).map(|i| sum(i).max(0) * i32::from(self.out[i])).sum::<i32>())
    }

    /// What the mover of a position knows, added up.
    #[inline]
    pub fn common(&self, knows: &Knows) -> [i16; HIDDEN] {
        let mut sum = self.bias;
        knows.each_common(|fact| add(&mut sum, &self.facts[fact]));
        sum
    }

    /// The expected score of the mover after the move `rank`, 0 to 1; `common` is what it knows, added up.
    #[inline]
    pub fn value(&self, knows: &Knows, common: &[i16; HIDDEN], rank: u8) -> f32 {
        let mut sum = *common;
        let mut ended = None;
        knows.each_of(rank, |fact| ended = Some(fact), |fact| add(&mut sum, &self.facts[fact]));
        if let Some(fact) = ended {
            sum.iter_mut().zip(&self.facts[fact]).for_each(|(s, w)| *s = s.wrapping_sub(*w));
        }
        let products = sum.iter().zip(&self.out).map(|(s, w)| i32::from((*s).max(0)) * i32::from(*w));
        squash(self.base + products.sum::<i32>())
    }
}

#[inline]
fn add(sum: &mut [i16; HIDDEN], vector: &[i16; HIDDEN]) {
    sum.iter_mut().zip(vector).for_each(|(s, w)| *s = s.wrapping_add(*w));
}

/// From the network's number to a score: 1/2 at 0, and ever slower to 0 and 1.
#[inline]
fn squash(raw: i32) -> f32 {
    let x = raw as f32 / 65536.0;
    0.5 + 0.5 * x / (1.0 + x.abs())
}
