//! The common parts of all commands: the seed, the length of the training, the file to write, the progress bar.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// The arguments that every training command has.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct TrainArgs {
    /// Seed of all random numbers
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Play this many games; without it and --minutes, as many as the weights in use were made with
    #[arg(long)]
    pub games: Option<u64>,
    /// Stop playing after this many minutes
    #[arg(long)]
    pub minutes: Option<f64>,
    /// File to write
    #[arg(long)]
    pub out: PathBuf,
}

impl TrainArgs {
    /// The budget: `usual` games, unless the arguments set another bound.
    pub(crate) fn budget(&self, usual: u64) -> Budget {
        let games = self.games.unwrap_or(if self.minutes.is_some() { u64::MAX } else { usual });
        Budget::new(games, self.minutes)
    }

    /// The longest training time.
    pub(crate) fn limit(&self) -> Option<Duration> {
        limit(self.minutes)
    }

    /// Writes the file.
    ///
    /// # Errors
    /// The sentence says which file could not be written, and why.
    pub(crate) fn write(&self, content: &[u8]) -> Result<(), String> {
        std::fs::write(&self.out, content)
            .map_err(|e| format!("cannot write {}: {e}", self.out.display()))?;
        println!("wrote {}", self.out.display());
        Ok(())
    }
}

/// A time in minutes. A century is long enough for any training; a negative time is none.
fn limit(minutes: Option<f64>) -> Option<Duration> {
    minutes.map(|minutes| Duration::from_secs_f64((60.0 * minutes).clamp(0.0, 4e9)))
}

/// Counts games until their number or the time is used up, and shows the progress.
pub(crate) struct Budget {
    games: u64,
    limit: Option<Duration>,
    started: Instant,
    played: u64,
    bar: ProgressBar,
}

impl Budget {
    /// A budget of this many games, or of this many minutes if those are over first.
    pub(crate) fn new(games: u64, minutes: Option<f64>) -> Self {
        let limit = limit(minutes);
        let bar = if games == u64::MAX { ProgressBar::new_spinner() } else { ProgressBar::new(games) };
        let style =
            ProgressStyle::with_template("{bar:40} {pos} of {len} games, {elapsed}, {eta} left  {msg}");
        let spinner = ProgressStyle::with_template("{spinner} {pos} games, {elapsed}  {msg}");
        bar.set_style(
            if games == u64::MAX { spinner } else { style }.unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        Self { games, limit, started: Instant::now(), played: 0, bar }
    }

    /// The number of the next game, from 0; `None` when the budget is used up.
    pub(crate) fn next_game(&mut self) -> Option<u64> {
        let late = self.limit.is_some_and(|limit| self.started.elapsed() >= limit);
        if self.played >= self.games || late {
            self.bar.finish();
            return None;
        }
        self.played += 1;
        self.bar.inc(1);
        Some(self.played - 1)
    }

    /// The share of the budget that is used up, 0 to 1.
    pub(crate) fn used(&self) -> f32 {
        let games = self.played as f64 / self.games as f64;
        let time = self.limit.map_or(0.0, |limit| {
            self.started.elapsed().as_secs_f64() / limit.as_secs_f64().max(f64::MIN_POSITIVE)
        });
        games.max(time).min(1.0) as f32
    }

    /// Prints a line above the bar.
    pub(crate) fn report(&self, line: &str) {
        if self.bar.is_hidden() { println!("{line}") } else { self.bar.println(line) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_and_time_bound_the_budget() {
        let mut budget = Budget::new(3, None);
        assert_eq!(std::iter::from_fn(|| budget.next_game()).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(budget.used(), 1.0);
        let mut none = Budget::new(u64::MAX, Some(0.0));
        assert_eq!((none.next_game(), none.used()), (None, 1.0));
    }
}
