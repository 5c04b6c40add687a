//! The network of the search: it values a position for each seat and rates the actions of the seat to move. Trained by
//! self-play, see `engines/train`.

use std::sync::{Arc, LazyLock};

use multiversion::multiversion;

use super::compounds::{MOST, compounds, each_compound, each_facts};
use super::inputs::inputs;
use super::position::{Act, ActionKind, FastTable};
use crate::games::splendor::rules::{CARDS, COLORS, LEVELS, SEATS};
use crate::search_kit::curve::{algebraic, exp};
use crate::search_kit::net::{DenseLayer, Network, SparseLayer, WrongLength, rectify, to_float};
use crate::search_kit::puct::normalize;

/// Hidden units.
pub const HIDDEN: usize = 128;

/// Start of the outputs of each kind of action, counted from the first output of the policy.
const TAKE: usize = 0;
const TWO: usize = TAKE + (1 << COLORS);
const RESERVE: usize = TWO + COLORS;
const TOP: usize = RESERVE + CARDS + 1;
const BUY: usize = TOP + LEVELS;
const RETURN: usize = BUY + CARDS + 1;
/// Outputs of the policy.
const POLICY: usize = RETURN + COLORS;

/// The outputs of a network for some number of seats, in their order. Seats count from the mover on.
#[derive(Clone, Copy, Debug)]
pub struct Outputs {
    seats: usize,
}

impl Outputs {
    /// The outputs at a table with this many seats.
    pub fn of(seats: usize) -> Self {
        Self { seats }
    }

    /// Number of outputs.
    pub fn count(self) -> usize {
        self.rounds_left() + 1
    }

    /// Start of the values of the seats, before the curve.
    pub fn value(self) -> usize {
        0
    }

    /// Start of the ratings of the actions.
    pub fn policy(self) -> usize {
        self.seats
    }

    /// Start of the points of the seats at the end of the match, in twentieths. Only training uses them.
    pub fn points(self) -> usize {
        self.policy() + POLICY
    }

    /// The rounds until the end of the match, in thirtieths. Only training uses it.
    pub fn rounds_left(self) -> usize {
        self.points() + self.seats
    }

    /// The outputs whose sum rates an action: one for the action, one for each chip that it returns.
    pub fn of_act(self, act: Act) -> impl Iterator<Item = usize> {
        let returns = (0..COLORS).flat_map(move |c| (0..act.returned(c)).map(move |_| RETURN + c));
        std::iter::once(self.own(act)).chain(returns.map(move |at| self.policy() + at))
    }

    /// The output for an action without its returns.
    fn own(self, act: Act) -> usize {
        let from = match act.kind {
            ActionKind::Take => TAKE,
            ActionKind::Two => TWO,
            ActionKind::Reserve => RESERVE,
            ActionKind::Top => TOP,
            ActionKind::Buy => BUY,
        };
        self.policy() + from + usize::from(act.arg)
    }
}

/// The hidden units of a position: the result of the first layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden(pub(super) [i16; HIDDEN]);

/// A network for tables with one number of seats.
pub struct PolicyNet {
    /// Its inputs are compounds of those that it was trained with.
    network: Network<HIDDEN>,
    outputs: Outputs,
}

impl PolicyNet {
    /// The network in a file for this many seats.
    ///
    /// # Errors
    /// When the length does not fit.
    pub fn read(file: &[u8], seats: usize) -> Result<Self, WrongLength> {
        let outputs = Outputs::of(seats);
        let mut network = Network::read(file, inputs(seats), outputs.count())?;
        let mut rows = Vec::with_capacity(compounds(seats));
        each_facts(seats, |facts| rows.push(network.first.rows_sum(facts)));
        network.first = SparseLayer::new(rows, network.first.empty());
        Ok(Self { network, outputs })
    }

    /// The hidden units of a position.
    pub fn hidden(&self, table: &FastTable) -> Hidden {
        let mut inputs = [0u16; MOST];
        let mut n = 0;
        each_compound(table, |input| {
            inputs[n] = input as u16;
            n += 1;
        });
        Hidden(rectify(&self.network.first.sum(&inputs[..n])))
    }

    /// The value of a position, whose hidden units these are, to each seat, 0 to 1.
    pub fn value(&self, table: &FastTable, hidden: &Hidden) -> [f32; SEATS] {
        let mut values = [0.0; SEATS];
        for relative in 0..self.outputs.seats {
            let seat = (usize::from(table.to_move) + relative) % self.outputs.seats;
            values[seat] =
                algebraic(to_float(self.network.last.output(self.outputs.value() + relative, &hidden.0)));
        }
        values
    }

    /// Sets the priors of the actions of a position, whose hidden units these are; they add up to 1. Returns the value of
    /// the position to each seat.
    pub fn rate(&self, table: &FastTable, hidden: &Hidden, acts: &mut [(Act, f32)]) -> [f32; SEATS] {
        let best = rate(&self.network.last, self.outputs, &hidden.0, acts);
        acts.iter_mut().for_each(|(_, prior)| *prior = exp(*prior - best));
        normalize(acts);
        self.value(table, hidden)
    }
}

/// Writes the ratings of the actions, before the curve, in the place of their priors. Returns the best one.
#[multiversion(targets("x86_64+avx2"))]
fn rate(last: &DenseLayer<HIDDEN>, outputs: Outputs, hidden: &[i16; HIDDEN], acts: &mut [(Act, f32)]) -> f32 {
    let returned: [i32; COLORS] = std::array::from_fn(|c| last.output(outputs.policy() + RETURN + c, hidden));
    let mut best = f32::MIN;
    // Actions that differ only in their returns follow each other, so their common output is computed once.
    let mut known = (usize::MAX, 0);
    for (act, rating) in acts {
        let at = outputs.own(*act);
        if at != known.0 {
            known = (at, last.output(at, hidden));
        }
        let own = known.1;
        let returns: i32 = (0..COLORS).map(|c| i32::from(act.returned(c)) * returned[c]).sum();
        *rating = to_float(own + returns);
        best = best.max(*rating);
    }
    best
}

/// The network in use for a number of seats.
///
/// # Panics
/// If it is not a number of seats of the game.
pub fn for_seats(seats: u8) -> Arc<PolicyNet> {
    fn read(file: &[u8], seats: usize) -> Arc<PolicyNet> {
        Arc::new(PolicyNet::read(file, seats).expect("the repository's network has the length for its seats"))
    }
    // Each is read when its number of seats is first played.
    static NETS: [LazyLock<Arc<PolicyNet>>; SEATS] = [
        LazyLock::new(|| read(include_bytes!("one.net"), 1)),
        LazyLock::new(|| read(include_bytes!("two.net"), 2)),
        LazyLock::new(|| read(include_bytes!("three.net"), 3)),
        LazyLock::new(|| read(include_bytes!("four.net"), 4)),
    ];
    Arc::clone(&NETS[usize::from(seats) - 1])
}
