//! The search of self-play: actions at the root are chosen by sequential halving with Gumbel noise, which improves the
//! policy even with few iterations (Danihelka, Guez, Schrittwieser and Silver, "Policy improvement by planning with
//! Gumbel", 2022).

use std::sync::Arc;

use engines::games::splendor::engine::SETTINGS;
use engines::games::splendor::engine::net::PolicyNet;
use engines::games::splendor::engine::position::{Act, FastTable};
use engines::games::splendor::engine::search::SplendorTree;
use engines::search_kit::fast_rng::FastRng;

/// Values by seat.
pub(super) type Values = [f32; 4];

/// The length of a search and its way of choosing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    pub iterations: u32,
    /// Maximum number of actions tried at the root.
    pub considered: usize,
    /// Scale of the Gumbel noise: 1 samples actions from the improved policy, 0 takes the best.
    pub noise: f32,
}

/// The result of a search.
pub(super) struct GumbelResult {
    /// The action to play.
    pub act: Act,
    /// The improved policy over all actions of the root; the shares add up to 1.
    pub policy: Vec<(Act, f32)>,
    /// The value of the position to each seat under the improved policy.
    pub values: Values,
}

/// Weights of the visits and, by the number of seats, of the values in the improved policy: `c_visit` and `c_scale` in the
/// paper. The more players share a victory, the less their values differ; those of a player alone differ least.
const VISIT_WEIGHT: f32 = 50.0;
const VALUE_WEIGHT: [f32; 5] = [0.0, 1.0, 0.25, 0.375, 0.5];
/// Visits that the value of an untried action counts as, beside the values found: values of few visits are noise.
const DOUBT: f32 = 8.0;

/// An action of the root.
struct Branch {
    act: Act,
    /// The logarithm of the prior.
    logit: f32,
    noise: f32,
    visits: u32,
    sums: [f64; 4],
}

impl Branch {
    fn mean(&self, seat: usize) -> f32 {
        (self.sums[seat] / f64::from(self.visits.max(1))) as f32
    }
}

/// Searches a position whose hidden cards are settled.
pub(super) fn search(
    root: &FastTable,
    net: &Arc<PolicyNet>,
    effort: Effort,
    rng: &mut FastRng,
) -> GumbelResult {
    let mut tree = SplendorTree::new(root, Arc::clone(net), &SETTINGS, rng.next_u64());
    let mut branches: Vec<Branch> = tree
        .root()
        .map(|edge| Branch {
            act: edge.mv,
            logit: edge.prior.max(1e-9).ln(),
            noise: effort.noise * gumbel(rng),
            visits: 0,
            sums: [0.0; 4],
        })
        .collect();
    let seat = usize::from(root.to_move);
    let mut left: Vec<usize> = (0..branches.len()).collect();
    left.sort_by(|a, b| promise(&branches[*b]).total_cmp(&promise(&branches[*a])));
    left.truncate(effort.considered.max(1));
    // A forced action needs only a value.
    let iterations = if left.len() == 1 { effort.iterations.min(8) } else { effort.iterations };
    let halvings = left.len().next_power_of_two().trailing_zeros().max(1);
    let mut done = 0;
    while done < iterations {
        let each = (iterations / (halvings * left.len() as u32)).max(1);
        for at in &left {
            for _ in 0..each {
                let values = tree.iterate_through(*at);
                let branch = &mut branches[*at];
                branch.visits += 1;
                branch.sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += f64::from(value));
                done += 1;
            }
        }
        let scale = scale(root, &branches);
        let score = |at: &usize| promise(&branches[*at]) + scale * branches[*at].mean(seat);
        left.sort_by(|a, b| score(b).total_cmp(&score(a)));
        left.truncate(left.len().div_ceil(2));
    }
    found(root, net, &branches, branches[left[0]].act)
}

/// A number from the standard Gumbel distribution.
fn gumbel(rng: &mut FastRng) -> f32 {
    -(-(rng.unit().max(1e-9)).ln()).max(1e-9).ln()
}

/// The score of an action before it is tried.
fn promise(branch: &Branch) -> f32 {
    branch.logit + branch.noise
}

/// Weight of a value beside a logit.
fn scale(root: &FastTable, branches: &[Branch]) -> f32 {
    let most = branches.iter().map(|branch| branch.visits).max().unwrap_or(0);
    (VISIT_WEIGHT + most as f32) * VALUE_WEIGHT[usize::from(root.seats)]
}

/// The improved policy and its value. The value of an untried action is a mean of the values of the tried ones and of the
/// network's own value.
fn found(root: &FastTable, net: &PolicyNet, branches: &[Branch], act: Act) -> GumbelResult {
    let seat = usize::from(root.to_move);
    let tried = || branches.iter().filter(|branch| branch.visits > 0);
    let visits: u32 = tried().map(|branch| branch.visits).sum();
    let weight: f32 = tried().map(|branch| branch.logit.exp()).sum();
    let mean: f32 =
        tried().map(|branch| branch.logit.exp() * branch.mean(seat)).sum::<f32>() / weight.max(1e-9);
    let own = root
        .forced(SETTINGS.margin)
        .map_or_else(|| net.value(root, &net.hidden(root))[seat], |values| values[seat]);
    let untried = (own + visits as f32 * mean) / (1.0 + visits as f32);
    let scale = scale(root, branches);
    let score = |branch: &Branch| {
        let visits = branch.visits as f32;
        branch.logit + scale * (visits * branch.mean(seat) + DOUBT * untried) / (visits + DOUBT)
    };
    let best = branches.iter().map(score).fold(f32::MIN, f32::max);
    let shares: Vec<f32> = branches.iter().map(|branch| (score(branch) - best).exp()).collect();
    let all: f32 = shares.iter().sum();
    let mut values = [0.0; 4];
    let mut share_tried = 0.0;
    for (branch, share) in branches.iter().zip(&shares).filter(|(branch, _)| branch.visits > 0) {
        share_tried += share;
        values.iter_mut().enumerate().for_each(|(seat, value)| *value += share * branch.mean(seat));
    }
    values.iter_mut().for_each(|value| *value /= share_tried.max(f32::MIN_POSITIVE));
    let policy = branches.iter().zip(shares).map(|(branch, share)| (branch.act, share / all)).collect();
    GumbelResult { act, policy, values }
}

#[cfg(test)]
mod tests {
    use engines::game::{Game, Seat, State as _, Viewer};
    use engines::games::splendor::{Options, Splendor};
    use engines::rng::Seed;

    use super::super::learner::Learner;
    use super::*;

    #[test]
    fn improved_policy_is_a_distribution_and_prefers_what_is_worth_more() {
        let mut rng = FastRng::new(4);
        let file = Learner::new(2, &mut rng).file();
        let net = Arc::new(PolicyNet::read(&file, 2).unwrap());
        let state = Splendor::deal(&Options { players: 2 }, &Seed::from(3)).unwrap();
        let table = FastTable::of(&state.view(Viewer::Seat(Seat(0))));
        for iterations in [1, 7, 64] {
            let effort = Effort { iterations, considered: 16, noise: 1.0 };
            let found = search(&table, &net, effort, &mut rng);
            let all: f32 = found.policy.iter().map(|(_, share)| share).sum();
            assert!((all - 1.0).abs() < 1e-4, "{all}");
            assert!(found.policy.iter().any(|(act, _)| *act == found.act));
            assert!(found.values[..2].iter().all(|value| (0.0..=1.0).contains(value)), "{:?}", found.values);
        }
        let branch = |logit, visits, value| Branch {
            act: Act::PASS,
            logit,
            noise: 0.0,
            visits,
            sums: [f64::from(visits) * value; 4],
        };
        let branches = [branch(-1.0, 10, 0.6), branch(-1.0, 10, 0.4), branch(-1.0, 0, 0.0)];
        let shares: Vec<f32> =
            found(&table, &net, &branches, Act::PASS).policy.into_iter().map(|(_, share)| share).collect();
        assert!(shares[0] > shares[2] && shares[2] > shares[1], "{shares:?}");
    }
}
