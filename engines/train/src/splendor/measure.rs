//! Paired games that measure a network: each deal is played twice, with the seats exchanged.

use std::sync::Arc;
use std::time::Instant;

use engines::game::{Game, Seat, State as _, Turn, Viewer};
use engines::games::splendor::engine::net::PolicyNet;
use engines::games::splendor::engine::position::FastTable;
use engines::games::splendor::engine::search::{SplendorSettings, SplendorTree};
use engines::games::splendor::engine::{SETTINGS, chance_to_win};
use engines::games::splendor::{Move, Options, Splendor, State, View};
use engines::rng::Seed;
use engines::search::{Limits, Patient, Search};
use engines::search_kit::fast_rng::FastRng;

use crate::paired::{Clocks, Deal, Score};
use crate::parallel::in_order;
use crate::splendor::former;

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
    /// A network with the engine's settings, but fewer guesses of hidden cards if there are few iterations.
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

/// The score of a player as strong as its opponents, in [`paired`].
pub(super) fn fair_share(seats: u8) -> f64 {
    1.0 / f64::from(seats.max(2))
}

/// Plays this many deals. The first contestant has one seat, each in turn, the second all others. At tables for one,
/// both play the deal alone, and the one that needs fewer rounds scores.
pub(super) fn paired(players: [&Contestant; 2], seats: u8, deals: u64, threads: usize, seed: u64) -> Score {
    let played = in_order(deals, threads, |number| {
        let deal = FastRng::new(seed.wrapping_mul(7_919).wrapping_add(number)).next_u64();
        let mut clocks = Clocks::default();
        let mut play = |own: u8| game(players, seats, own, deal, &mut clocks);
        let score = if seats == 1 {
            let [first, second] = [0, 1].map(|own| FastTable::of(&play(own).view(Viewer::Spectator)).round);
            0.5 + 0.5 * f64::from(second.cmp(&first) as i8)
        } else {
            let score = |own| play(own).outcome().map_or(0.5, |outcome| outcome.score(Seat(own)));
            (0..seats).map(score).sum::<f64>() / f64::from(seats)
        };
        Some(Deal { score, clocks })
    });
    Score::of(&played)
}

/// One game to its end. The first contestant has the seat `own`, the second all others.
fn game(players: [&Contestant; 2], seats: u8, own: u8, deal: u64, clocks: &mut Clocks) -> State {
    let mut state =
        Splendor::deal(&Options { players: seats }, &Seed::from(deal)).expect("one to four seats can play");
    let mut rng = FastRng::new(deal);
    while let Turn::Of(seat) = state.turn() {
        let player = usize::from(seat != Seat(own));
        let started = Instant::now();
        let (mv, _) = choose(players[player], &state.view(Viewer::Seat(seat)), &mut rng);
        clocks.add(player, started.elapsed());
        state.play(&mv);
    }
    state
}

/// A contestant's move, and its value to the mover, 0 to 1, if the contestant has one.
pub(super) fn choose(player: &Contestant, view: &View, rng: &mut FastRng) -> (Move, Option<f64>) {
    match player {
        Contestant::Net { net, iterations, settings } => {
            let root = FastTable::of(view);
            let mut tree = SplendorTree::new(&root, Arc::clone(net), settings, rng.next_u64());
            for _ in 0..*iterations {
                tree.iterate();
            }
            let mut visits: Vec<(Move, u32, f64)> = Vec::new();
            for edge in tree.root() {
                let mv = edge.mv.to_move();
                match visits.iter_mut().find(|(known, ..)| *known == mv) {
                    Some((_, visits, sum)) => (*visits, *sum) = (*visits + edge.visits, *sum + edge.sum),
                    None => visits.push((mv, edge.visits, edge.sum)),
                }
            }
            let best = visits.iter().rev().max_by_key(|(_, visits, _)| *visits);
            let (mv, visits, sum) = *best.expect("the root has an action");
            let margin = f64::from(settings.margin);
            (mv, (visits > 0).then(|| chance_to_win(sum / f64::from(visits), margin)))
        }
        Contestant::Former(iterations) => {
            let (visited, value) = former::search(view, *iterations, rng.next_u64());
            (visited[0].0.to_move(), Some(value))
        }
        Contestant::Instant(name) => {
            let spec = Splendor::engines().iter().find(|spec| spec.name == *name);
            let spec = spec.expect("the game has this engine");
            let limits = Limits { seed: Seed::from(rng.next_u64()), ..Limits::default() };
            ((spec.make)().choose(view, &mut Search::new(limits, &Patient)).mv, None)
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
        let alone = paired([&greedy, &casual], 1, 30, 1, 1);
        assert!(alone.mean > 0.6, "{}", alone.mean);
        assert_eq!(paired([&greedy, &greedy], 1, 3, 1, 1).mean, 0.5);
    }
}
