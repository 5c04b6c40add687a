//! The network: the expected score of a seat right after a move of its own. Its facts are those that this seat knows: its
//! hand and the open cards, never the other hand.

use std::sync::LazyLock;

use super::memory::{FORGOTTEN, HABITS, SeatMemory};
use super::position::{HandCounts, NONE, OpenPosition, count, is_point};
use crate::search_kit::curve::softsign;
use crate::search_kit::net::{Network, rectify, to_float};

/// Hidden units.
pub const HIDDEN: usize = 64;
/// Number of facts, each true or false; some exclude each other.
pub const FACTS: usize = LEDS + 40;
// Start of each group of facts.
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

/// The class of a rank: 0 for the 7, 1 for ranks that are worth a point, 2 for the others. Ranks of a class share facts.
#[inline]
fn kind(rank: u8) -> usize {
    if rank == 0 { 0 } else { 2 - usize::from(is_point(rank)) }
}

/// The knowledge of the mover of a position, and the facts that follow from it and from a move.
#[derive(Clone, Copy)]
pub struct Knows<'p> {
    p: &'p OpenPosition,
    other: &'p SeatMemory,
    hand: HandCounts,
    unseen: HandCounts,
    /// The value of equal points to the mover, in halves of a win.
    draw: u8,
}

impl<'p> Knows<'p> {
    /// The mover's knowledge of this position. `memory` is of both seats, `draw` the value of equal points in halves.
    pub fn new(p: &'p OpenPosition, memory: &'p [SeatMemory; 2], draw: u8) -> Self {
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

    /// The changes by the move `rank`: the fact that it ends, and those that it adds.
    #[inline]
    fn each_of(&self, rank: u8, mut ends: impl FnMut(usize), mut tell: impl FnMut(usize)) {
        let p = self.p;
        let me = p.mover();
        let mut own = self.hand;
        let mut held = p.held[me];
        let mut stake = p.stake;
        let led = if p.led == NONE { rank } else { p.led };
        let mut won = [p.won[me], p.won[me ^ 1]];
        // The seat that takes a trick ended by the move: 0 the mover, 1 the other.
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

/// The network: one output, the expected score.
pub struct MoveNet(Network<HIDDEN>);

/// The network in use.
pub static NET: LazyLock<MoveNet> = LazyLock::new(|| {
    let file = include_bytes!("net.bin");
    MoveNet(Network::read(file, FACTS, 1).expect("the repository's network has the right length"))
});

impl MoveNet {
    /// The accumulator of the facts that no move changes.
    #[inline]
    pub fn common(&self, knows: &Knows) -> [i16; HIDDEN] {
        let mut sum = self.0.first.empty();
        knows.each_common(|fact| self.0.first.add(&mut sum, fact));
        sum
    }

    /// The accumulator after the move `rank`, from [`Self::common`].
    #[inline]
    pub fn after(&self, knows: &Knows, common: &[i16; HIDDEN], rank: u8) -> [i16; HIDDEN] {
        let mut sum = *common;
        let mut ended = None;
        knows.each_of(rank, |fact| ended = Some(fact), |fact| self.0.first.add(&mut sum, fact));
        if let Some(fact) = ended {
            self.0.first.remove(&mut sum, fact);
        }
        sum
    }

    /// The expected score of the mover after the move `rank`, 0 to 1; `common` is the result of [`Self::common`].
    #[inline]
    pub fn value(&self, knows: &Knows, common: &[i16; HIDDEN], rank: u8) -> f32 {
        let sum = self.after(knows, common, rank);
        softsign(to_float(self.0.last.output(0, &rectify(&sum))))
    }

    /// The expected accumulator of these facts, added up without the bounds of 16 bits.
    #[cfg(test)]
    pub fn plain_sum(&self, facts: &[usize]) -> [i32; HIDDEN] {
        let mut sum = self.0.first.empty().map(i32::from);
        for fact in facts {
            sum.iter_mut().zip(self.0.first.row(*fact)).for_each(|(sum, w)| *sum += i32::from(*w));
        }
        sum
    }
}
