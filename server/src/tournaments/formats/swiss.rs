//! Swiss system: each round pairs entrants of equal scores who have not met, without knowing future results.

use std::collections::HashSet;

use petgraph::algo::maximum_matching;
use petgraph::graph::{NodeIndex, UnGraph};

use crate::tournaments::{Pairing, Points};

/// An entrant before a round.
#[derive(Clone, Debug, PartialEq)]
pub struct Entrant {
    /// The number in the tournament.
    pub number: usize,
    /// Points so far.
    pub points: Points,
    /// The strength that orders entrants of equal points, such as a rating; the strongest first.
    pub strength: f64,
    /// Whether the entrant has had a bye.
    pub had_bye: bool,
}

/// A round of a Swiss tournament.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// Its pairings, the highest scores first.
    pub pairings: Vec<Pairing>,
    /// Entrants without opponents in this round: they get the points of a pairing won. At most one fewer than a table
    /// has seats.
    pub byes: Vec<usize>,
}

/// The reason why a round cannot be paired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SwissError {
    /// There are fewer entrants than a table has seats.
    #[error("too few entrants are left for another round")]
    TooFew,
    /// Every way to pair the entrants lets two of them meet again, or gives an entrant a second bye.
    #[error("the entrants that are left have met each other: there is no further round")]
    AllHaveMet,
}

/// The steps that the search for a good round may take before any valid round will do.
const STEPS: usize = 20_000;

/// Pairs a round. `met`: the pairs of entrants that have met, the smaller number first. With two seats no pair meets
/// twice. With more seats a table avoids entrants who have met as far as the order of scores allows.
///
/// # Errors
/// If no round is possible.
pub fn swiss_round(
    round: u32,
    entrants: &[Entrant],
    seats: usize,
    met: &HashSet<(usize, usize)>,
) -> Result<Round, SwissError> {
    let mut order: Vec<&Entrant> = entrants.iter().collect();
    order.sort_by(|a, b| {
        let by_strength = || b.strength.total_cmp(&a.strength);
        b.points.cmp(&a.points).then_with(by_strength).then(a.number.cmp(&b.number))
    });
    if seats < 2 || order.len() < seats {
        return Err(SwissError::TooFew);
    }
    if seats > 2 {
        return tables(round, order, seats, met);
    }
    // The bye goes to the lowest entrant who has had none, if the others can then be paired.
    let byes: Vec<Option<usize>> = match order.len() % 2 {
        0 => vec![None],
        _ => (0..order.len()).rev().filter(|at| !order[*at].had_bye).map(Some).collect(),
    };
    for bye in byes {
        let mut left = order.clone();
        let bye = bye.map(|at| left.remove(at).number);
        if let Some(pairs) = pair(&left, met) {
            let pairings = pairs.into_iter().map(|[a, b]| Pairing { round, entrants: seated(a, b, round) });
            return Ok(Round { pairings: pairings.collect(), byes: bye.into_iter().collect() });
        }
    }
    Err(SwissError::AllHaveMet)
}

/// The seat order of the first game; duplicate deals exchange it, so that it only must not depend on strength.
fn seated(a: usize, b: usize, round: u32) -> Vec<usize> {
    if (a + b + round as usize).is_multiple_of(2) { vec![a, b] } else { vec![b, a] }
}

fn have_met(met: &HashSet<(usize, usize)>, a: usize, b: usize) -> bool {
    met.contains(&(a.min(b), a.max(b)))
}

/// Pairs all entrants, an even number in order of score; `None` if that is impossible. Searches for pairs that are near
/// in score; if that takes too long, takes any pairs.
fn pair(order: &[&Entrant], met: &HashSet<(usize, usize)>) -> Option<Vec<[usize; 2]>> {
    let mut search = Search { order, met, used: vec![false; order.len()], pairs: Vec::new(), steps: 0 };
    match search.run() {
        Some(true) => Some(search.pairs),
        Some(false) => None,
        None => any_pairs(order, met),
    }
}

/// Depth-first search: the highest entrant who is left meets the best of the others, else the next best.
struct Search<'a> {
    order: &'a [&'a Entrant],
    met: &'a HashSet<(usize, usize)>,
    used: Vec<bool>,
    pairs: Vec<[usize; 2]>,
    steps: usize,
}

impl Search<'_> {
    /// Whether the entrants who are left can be paired; `None`: not known after [`STEPS`].
    fn run(&mut self) -> Option<bool> {
        let Some(first) = self.used.iter().position(|used| !used) else { return Some(true) };
        self.used[first] = true;
        for other in self.candidates(first) {
            self.steps += 1;
            if self.steps > STEPS {
                return None;
            }
            self.used[other] = true;
            self.pairs.push([self.order[first].number, self.order[other].number]);
            if self.run()? {
                return Some(true);
            }
            self.pairs.pop();
            self.used[other] = false;
        }
        self.used[first] = false;
        Some(false)
    }

    /// The opponents of an entrant, the best first: those of the same score group, the upper half of the group against
    /// the lower half as usual (the middle of the group first); then lower scores.
    fn candidates(&self, first: usize) -> Vec<usize> {
        let own = self.order[first];
        let left: Vec<usize> = (first + 1..self.order.len())
            .filter(|at| !self.used[*at] && !have_met(self.met, own.number, self.order[*at].number))
            .collect();
        let in_group = (first..self.order.len())
            .filter(|at| *at == first || !self.used[*at])
            .take_while(|at| self.order[*at].points >= own.points)
            .count();
        let same = left.iter().take_while(|at| self.order[**at].points >= own.points).count();
        let (group, lower) = left.split_at(same);
        let middle = group.len().min((in_group / 2).saturating_sub(1));
        let (above, below) = group.split_at(middle);
        below.iter().chain(above.iter().rev()).chain(lower).copied().collect()
    }
}

/// Any pairing of all entrants, by a maximum matching of the pairs who have not met.
fn any_pairs(order: &[&Entrant], met: &HashSet<(usize, usize)>) -> Option<Vec<[usize; 2]>> {
    let mut graph = UnGraph::<(), ()>::with_capacity(order.len(), order.len() * order.len() / 2);
    let nodes: Vec<NodeIndex> = order.iter().map(|_| graph.add_node(())).collect();
    for (a, one) in order.iter().enumerate() {
        for (b, other) in order.iter().enumerate().skip(a + 1) {
            if !have_met(met, one.number, other.number) {
                graph.add_edge(nodes[a], nodes[b], ());
            }
        }
    }
    let matching = maximum_matching(&graph);
    let number = |node: NodeIndex| order[node.index()].number;
    matching.is_perfect().then(|| matching.edges().map(|(a, b)| [number(a), number(b)]).collect())
}

/// Tables of three or more: from the top, each table takes the next entrant and then those who have met its entrants
/// least often, the highest first. The lowest entrants without a bye so far stay out where numbers do not fit.
fn tables(
    round: u32,
    mut order: Vec<&Entrant>,
    seats: usize,
    met: &HashSet<(usize, usize)>,
) -> Result<Round, SwissError> {
    let mut byes = Vec::new();
    for _ in 0..order.len() % seats {
        let at = order.iter().rposition(|entrant| !entrant.had_bye).ok_or(SwissError::AllHaveMet)?;
        byes.push(order.remove(at).number);
    }
    let mut pairings = Vec::with_capacity(order.len() / seats);
    while !order.is_empty() {
        let mut table = vec![order.remove(0).number];
        while table.len() < seats {
            let meetings = |at: &usize| {
                let other = order[*at].number;
                table.iter().filter(|own| have_met(met, **own, other)).count()
            };
            let next = (0..order.len()).min_by_key(|at| (meetings(at), *at)).ok_or(SwissError::TooFew)?;
            table.push(order.remove(next).number);
        }
        table.rotate_left(round as usize % seats);
        pairings.push(Pairing { round, entrants: table });
    }
    Ok(Round { pairings, byes })
}
