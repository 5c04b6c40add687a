//! The value of a position between two turns. A small network gives it, which `engines-train buraco-value` fits to
//! playouts. It sees both hands, which a playout has drawn, but not the order of the stock.

use std::sync::LazyLock;

use super::super::rules::CANASTRA;
use super::habits::unseen;
use super::hand::worth;
use super::policy::best_take;
use super::position::{FastPosition, NONE};
use crate::search_kit::curve::softsign;
use crate::search_kit::net::{DenseLayer, WrongLength, row, rows, unpacked, weights};

/// Inputs for each seat.
const SIDE: usize = 25;
/// Inputs for the table.
const TABLE: usize = 10;
/// The number of inputs: of both sides and the table.
pub const INPUTS: usize = 2 * SIDE + TABLE;
/// Hidden units.
pub const HIDDEN: usize = 32;
/// Number of inputs in the network: padded with zeros, so that they fill whole blocks.
const PADDED: usize = 64;
/// The fixed-point scale of inputs: the integer that represents 1.
pub const INPUT_ONE: f32 = 256.0;
/// The fixed-point scale of weights, as a power of two.
const WEIGHT_BITS: u32 = 13;
/// The fixed-point scale of weights: the integer that represents 1.
pub const WEIGHT_ONE: f32 = (1 << WEIGHT_BITS) as f32;

/// The network: one hidden layer, one output.
pub struct PlayoutNet {
    first: DenseLayer<PADDED>,
    last: DenseLayer<HIDDEN>,
}

/// The network in use.
pub static NET: LazyLock<PlayoutNet> = LazyLock::new(|| {
    PlayoutNet::read(include_bytes!("value.bin")).expect("the repository's network has the right length")
});

impl PlayoutNet {
    /// Reads a file of packed weights in multiples of 1 / [`WEIGHT_ONE`]: for each input a row, the bias, the row of the
    /// output and its bias.
    ///
    /// # Errors
    /// When it has another length.
    pub fn read(file: &[u8]) -> Result<Self, WrongLength> {
        let numbers = unpacked(file, weights(INPUTS, HIDDEN, 1))?;
        let mut numbers = &*numbers;
        let inputs: Vec<[i16; HIDDEN]> = rows(&mut numbers, INPUTS);
        // A bias counts as a weight times 1.
        let bias = |weight: i16| i32::from(weight) * INPUT_ONE as i32;
        let biases: [i16; HIDDEN] = row(&mut numbers);
        let unit = |unit: usize| std::array::from_fn(|input| inputs.get(input).map_or(0, |row| row[unit]));
        let first = DenseLayer::new((0..HIDDEN).map(unit).collect(), biases.map(bias).to_vec());
        let last = DenseLayer::new(rows(&mut numbers, 1), numbers.iter().copied().map(bias).collect());
        Ok(Self { first, last })
    }

    /// The value of the position to the seat to move, which has not drawn yet: 0 to 1.
    pub fn value(&self, pos: &FastPosition) -> f32 {
        let mut padded = [0; PADDED];
        padded[..INPUTS].copy_from_slice(&inputs(pos));
        let hidden: [i16; HIDDEN] = self.first.rectified(&padded, WEIGHT_BITS);
        softsign(self.last.output(0, &hidden) as f32 / (INPUT_ONE * WEIGHT_ONE))
    }
}

/// The inputs of a position, in multiples of 1 / [`INPUT_ONE`].
pub fn inputs(pos: &FastPosition) -> [i16; INPUTS] {
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
    inputs.map(|input| (input * INPUT_ONE) as i16)
}

/// Writes the inputs of a seat. Returns its points.
fn side(pos: &FastPosition, seat: usize, out: &mut [f32]) -> i32 {
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
