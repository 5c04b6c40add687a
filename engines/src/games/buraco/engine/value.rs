//! What a position between two turns is worth, by a small network fitted to playouts (`fit.rs`). It looks into both
//! hands, which a playout has drawn, but not into the stock's order.

use std::sync::LazyLock;

use super::super::rules::CANASTRA;
use super::fast::{NONE, Pos};
use super::habits::unseen;
use super::hand::worth;
use super::policy::best_take;

/// Inputs for each seat.
const SIDE: usize = 25;
/// Inputs for the table.
const TABLE: usize = 10;
/// All inputs.
pub const INPUTS: usize = 2 * SIDE + TABLE;
/// Units between the inputs and the value.
pub const HIDDEN: usize = 32;
/// Weights of the network, in the order in which the file has them.
pub const WEIGHTS: usize = (INPUTS + 1) * HIDDEN + HIDDEN + 1;

/// The network's weights: of each input to each unit, of each unit alone, of each unit to the value, of the value.
pub struct Net(pub [f32; WEIGHTS]);

/// The network as fitted.
pub static NET: LazyLock<Net> = LazyLock::new(|| {
    let mut weights = [0.0; WEIGHTS];
    let bytes = include_bytes!("value.bin").chunks_exact(4);
    weights.iter_mut().zip(bytes).for_each(|(w, b)| *w = f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    Net(weights)
});

impl Net {
    /// What the units hold.
    pub fn units(&self, inputs: &[f32; INPUTS]) -> [f32; HIDDEN] {
        let (first, rest) = self.0.split_at(INPUTS * HIDDEN);
        let mut units = [0.0; HIDDEN];
        units.copy_from_slice(&rest[..HIDDEN]);
        for (row, input) in first.chunks_exact(HIDDEN).zip(inputs) {
            if *input != 0.0 {
                units.iter_mut().zip(row).for_each(|(unit, weight)| *unit += weight * input);
            }
        }
        units.map(|unit| unit.max(0.0))
    }

    /// The value's sum before it is squeezed.
    pub fn sum(&self, units: &[f32; HIDDEN]) -> f32 {
        let last = &self.0[(INPUTS + 1) * HIDDEN..];
        units.iter().zip(last).fold(last[HIDDEN], |sum, (unit, weight)| sum + unit * weight)
    }

    /// What the position is worth to the seat to move, which has not drawn yet: 0 to 1.
    pub fn value(&self, pos: &Pos) -> f32 {
        squeezed(self.sum(&self.units(&inputs(pos))))
    }
}

/// From any sum to 0 to 1.
pub fn squeezed(sum: f32) -> f32 {
    0.5 + 0.5 * sum / (1.0 + sum.abs())
}

/// A position as the network sees it.
pub fn inputs(pos: &Pos) -> [f32; INPUTS] {
    let mut inputs = [0.0; INPUTS];
    let (mover, rest) = inputs.split_at_mut(SIDE);
    let (other, table) = rest.split_at_mut(SIDE);
    let me = pos.me;
    let sides = [side(pos, me, mover), side(pos, 1 - me, other)];
    let lead = (sides[0] - sides[1]) as f32;
    let stock = f32::from(pos.stocked());
    let pile = pos.pile().len() as f32 / 20.0;
    let (plain, wild) = match best_take(pos) {
        None => (0.0, 0.0),
        Some(take) if take.wild == NONE => (1.0, 0.0),
        Some(_) => (0.0, 1.0),
    };
    let all = [
        stock / 81.0,
        stock.min(12.0) / 12.0,
        if stock == 0.0 { 1.0 } else { 0.0 },
        pile,
        plain,
        plain * pile,
        wild,
        wild * pile,
        lead / 300.0,
        lead / (100.0 + lead.abs()),
    ];
    table.copy_from_slice(&all);
    inputs
}

/// The inputs of a seat; its points.
fn side(pos: &Pos, seat: usize, out: &mut [f32]) -> i32 {
    const ALL: u16 = (1 << 14) - 1;
    let hand = &pos.hands[seat];
    let live: [(u16, u16); 4] = std::array::from_fn(|suit| unseen(pos, seat, suit));
    let copies = |places: u16, suit: usize| {
        ((places & live[suit].0).count_ones() + (places & live[suit].1).count_ones()) as f32
    };
    let (mut outs, mut runs, mut pairs, mut gaps, mut lonely, mut cards) = (0.0, 0, 0, 0, 0, 0);
    for suit in 0..4 {
        let held = hand.places(suit);
        let (up, down) = (held << 1, held >> 1);
        let makes = (up & held << 2 | down & held >> 2 | up & down) & !held & ALL;
        outs += copies(makes, suit);
        runs += (held & down & held >> 2).count_ones();
        pairs += (held & down).count_ones();
        gaps += (held & held >> 2).count_ones();
        lonely += (held & ALL >> 1 & !(up | down | held << 2 | held >> 2)).count_ones();
        cards += worth(hand.one[suit]) + worth(hand.two[suit]);
    }
    let (mut joins, mut held_joins, mut held_near) = (0.0, 0, 0);
    let lengths = &mut [0.0f32; 10];
    for run in pos.melds(seat) {
        let suit = usize::from(run.suit);
        let low = run.places & run.places.wrapping_neg();
        let high = 15 - run.places.leading_zeros();
        let within = ((2u32 << high) as u16).wrapping_sub(low) & !run.places;
        let mut ends = (run.places << 1 | run.places >> 1) & !run.places & ALL | within;
        if run.wild != NONE {
            ends |= (run.places << 2 | run.places >> 2) & !run.places & ALL;
        }
        let held = hand.places(suit);
        joins += copies(ends, suit);
        held_joins += (ends & held).count_ones();
        held_near += ((ends << 1 | ends >> 1) & held & !ends & !run.places).count_ones();
        let dirty = if run.wild == NONE { 0 } else { 5 };
        lengths[dirty + run.len().clamp(3, CANASTRA) - 3] += 1.0;
    }
    let points = pos.table_points(seat);
    let n = f32::from(hand.n);
    let some = [
        n / 10.0,
        (n - 6.0).max(0.0) / 5.0,
        if n > 6.0 { 1.0 } else { 0.0 },
        if n < 3.0 { 1.0 } else { 0.0 },
        cards as f32 / 50.0,
        hand.twos() as f32,
        points as f32 / 200.0,
        outs / 4.0,
        runs as f32,
        pairs as f32 / 3.0,
        gaps as f32 / 3.0,
        lonely as f32 / 5.0,
        joins / 4.0,
        held_joins as f32,
        held_near as f32 / 2.0,
    ];
    out[..some.len()].copy_from_slice(&some);
    out[some.len()..].copy_from_slice(lengths);
    points - cards
}
