//! Paired games that measure a network: each deal is played twice, with the seats exchanged.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use engines::game::{Game, Outcome, Seat, State as _, Turn, Viewer};
use engines::games::splendor::engine::net::PolicyNet;
use engines::games::splendor::engine::position::FastTable;
use engines::games::splendor::engine::search::{SplendorSettings, SplendorTree};
use engines::games::splendor::engine::{SETTINGS, former};
use engines::games::splendor::{Move, Options, Splendor, View};
use engines::rng::Seed;
use engines::search::{Limits, Patient, Search};
use engines::search_kit::fast_rng::FastRng;

/// A player in a measurement.
#[derive(Clone)]
pub(super) enum Contestant {
    /// A network with the engine's search.
    Net { net: Arc<PolicyNet>, iterations: u32, settings: SplendorSettings },
    /// Version 3 with this many iterations.
    Former(u32),
    /// An engine of the game that needs no time.
    Instant(&'static str),
}

impl Contestant {
    /// A network with the engine's settings, but fewer guesses of hidden cards where there are few iterations.
    pub(super) fn net(net: &Arc<PolicyNet>, iterations: u32) -> Self {
        let worlds = SETTINGS.worlds.min((iterations / 50).max(1) as usize);
        let settings = SplendorSettings { worlds, ..SETTINGS.clone() };
        Self::Net { net: Arc::clone(net), iterations, settings }
    }

    /// The engine of this name, which needs no time.
    pub(super) fn instant(name: &str) -> Result<Self, String> {
        let spec = Splendor::engines().iter().find(|spec| spec.name == name && spec.instant);
        spec.map(|spec| Self::Instant(spec.name))
            .ok_or(format!("no engine without thinking time is called {name:?}"))
    }
}

/// The result of paired games, for the first contestant.
pub(super) struct Score {
    /// Share of the points, 0 to 1.
    pub mean: f64,
    /// Half the width of the interval of 95%.
    pub margin: f64,
    /// Thinking time a move of each, in milliseconds.
    pub thought: [f64; 2],
}

/// Plays `pairs` of deals. The first contestant has one seat, the second all others.
pub(super) fn paired(players: [&Contestant; 2], seats: u8, pairs: u64, threads: usize, seed: u64) -> Score {
    let next = AtomicU64::new(0);
    let work = || {
        let mut own = Vec::new();
        let mut clock = Clock::default();
        loop {
            let pair = next.fetch_add(1, Relaxed);
            if pair >= pairs {
                return (own, clock);
            }
            let deal = FastRng::new(seed.wrapping_mul(7_919).wrapping_add(pair)).next_u64();
            let scores = (0..seats).map(|seat| game(players, seats, Seat(seat), deal, &mut clock));
            own.push(scores.sum::<f64>() / f64::from(seats));
        }
    };
    let (mut scores, mut clock) = (Vec::new(), Clock::default());
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            let (own, time) = worker.join().expect("measured games do not panic");
            scores.extend(own);
            (0..2).for_each(|i| clock.add(i, time.0[i].0, time.0[i].1));
        }
    });
    let n = scores.len().max(2) as f64;
    let mean = scores.iter().sum::<f64>() / n;
    let variance = scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let thought = clock.0.map(|(time, moves)| 1_000.0 * time.as_secs_f64() / f64::from(moves.max(1)));
    Score { mean, margin: 1.96 * (variance / n).sqrt(), thought }
}

/// Thinking time and number of moves of both contestants.
#[derive(Default)]
struct Clock([(Duration, u32); 2]);

impl Clock {
    fn add(&mut self, player: usize, time: Duration, moves: u32) {
        self.0[player].0 += time;
        self.0[player].1 += moves;
    }
}

/// One game: the points of the first contestant, who has the seat `own`.
fn game(players: [&Contestant; 2], seats: u8, own: Seat, deal: u64, clock: &mut Clock) -> f64 {
    let mut state =
        Splendor::deal(&Options { players: seats }, &Seed::from(deal)).expect("one to four seats can play");
    let mut rng = FastRng::new(deal);
    while let Turn::Of(seat) = state.turn() {
        let player = usize::from(seat != own);
        let started = Instant::now();
        let mv = choose(players[player], &state.view(Viewer::Seat(seat)), &mut rng);
        clock.add(player, started.elapsed(), 1);
        state.play(&mv);
    }
    state.outcome().map_or(0.5, |outcome: Outcome| outcome.score(own))
}

fn choose(player: &Contestant, view: &View, rng: &mut FastRng) -> Move {
    match player {
        Contestant::Net { net, iterations, settings } => {
            let root = FastTable::of(view);
            let mut tree = SplendorTree::new(&root, Arc::clone(net), settings, rng.next_u64());
            for _ in 0..*iterations {
                tree.iterate();
            }
            let mut visits: Vec<(Move, u32)> = Vec::new();
            for edge in tree.root() {
                let mv = edge.mv.to_move();
                match visits.iter_mut().find(|(known, _)| *known == mv) {
                    Some((_, sum)) => *sum += edge.visits,
                    None => visits.push((mv, edge.visits)),
                }
            }
            visits.iter().rev().max_by_key(|(_, visits)| *visits).expect("the root has an action").0
        }
        Contestant::Former(iterations) => former::search(view, *iterations, rng.next_u64()).0[0].0.to_move(),
        Contestant::Instant(name) => {
            let spec = Splendor::engines().iter().find(|spec| spec.name == *name);
            let spec = spec.expect("the game has this engine");
            let limits = Limits { seed: Seed::from(rng.next_u64()), ..Limits::default() };
            (spec.make)().choose(view, &mut Search::new(limits, &Patient)).mv
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stronger_player_scores_more_and_an_equal_one_half() {
        let [greedy, casual] = ["greedy", "casual"].map(Contestant::Instant);
        let score = paired([&greedy, &casual], 2, 30, 2, 1);
        assert!(score.mean > 0.7, "{}", score.mean);
        let score = paired([&greedy, &greedy], 2, 30, 1, 1);
        assert!((score.mean - 0.5).abs() <= 0.25, "{}", score.mean);
    }
}
