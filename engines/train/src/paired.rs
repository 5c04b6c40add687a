//! The results of paired games: each deal is played once with every distribution of the seats.

use std::fmt;
use std::time::Duration;

/// Thinking time and number of moves of both players.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clocks([(Duration, u32); 2]);

impl Clocks {
    /// Adds one move.
    pub(crate) fn add(&mut self, player: usize, time: Duration) {
        self.0[player].0 += time;
        self.0[player].1 += 1;
    }

    fn add_all(&mut self, other: &Self) {
        for (sum, (time, moves)) in self.0.iter_mut().zip(other.0) {
            sum.0 += time;
            sum.1 += moves;
        }
    }

    /// Thinking time a move of each player, in milliseconds.
    fn each_move(&self) -> [f64; 2] {
        self.0.map(|(time, moves)| 1_000.0 * time.as_secs_f64() / f64::from(moves.max(1)))
    }
}

/// The result of one deal for the first player.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deal {
    /// The mean score of its games, 0 to 1.
    pub score: f64,
    /// The time used.
    pub clocks: Clocks,
}

/// The result of paired games for the first player. As text: the score with its interval.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Score {
    /// Share of the points, 0 to 1.
    pub mean: f64,
    /// Half the width of the interval of 95%.
    pub margin: f64,
    /// Thinking time a move of each player, in milliseconds.
    pub thought: [f64; 2],
}

impl Score {
    /// The score of these deals.
    pub(crate) fn of(deals: &[Deal]) -> Self {
        let n = deals.len().max(1) as f64;
        let mean = deals.iter().map(|deal| deal.score).sum::<f64>() / n;
        let squares: f64 = deals.iter().map(|deal| (deal.score - mean).powi(2)).sum();
        // One deal says nothing about the variance.
        let variance = if deals.len() < 2 { f64::INFINITY } else { squares / (n - 1.0) };
        let mut clocks = Clocks::default();
        deals.iter().for_each(|deal| clocks.add_all(&deal.clocks));
        Self { mean, margin: 1.96 * (variance / n).sqrt(), thought: clocks.each_move() }
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1}% ± {:.1}", 100.0 * self.mean, 100.0 * self.margin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn score_has_the_interval_of_a_mean() {
        let deal = |score| {
            let mut clocks = Clocks::default();
            clocks.add(0, Duration::from_millis(2));
            clocks.add(1, Duration::from_millis(6));
            Deal { score, clocks }
        };
        let score = Score::of(&[deal(1.0), deal(0.5), deal(1.0), deal(0.5)]);
        // The standard deviation is 0.2887, that of the mean half of it.
        assert_eq!(score.to_string(), "75.0% ± 28.3");
        assert_eq!(score.thought, [2.0, 6.0]);
        assert_eq!(Score::of(&[deal(1.0)]).to_string(), "100.0% ± inf");
    }
}
