//! Reports progress on standard error while matches are played. Decides nothing.

use std::cell::{Cell, RefCell};
use std::fmt::{self, Display};
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use engines::arena::{ArenaRecord, RunPlan, Trial};
use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::console::print_error;

/// Reports faults on standard error: the first of each kind in full.
#[derive(Default)]
pub(super) struct FaultReporter {
    seen: Vec<String>,
}

impl FaultReporter {
    /// Reports what is new in this record.
    pub(super) fn report(&mut self, record: &ArenaRecord) {
        if let Some(why) = &record.void
            && self.is_new("void".to_owned())
        {
            print_error(format_args!("game {} is void: {why}", record.game));
        }
        for fault in &record.faults {
            let player = &record.seats[usize::from(fault.seat)].player;
            if self.is_new(format!("{player} {}", fault.kind)) {
                print_error(format_args!(
                    "game {}, ply {}: {player}: {}: {} (further ones are only counted)",
                    record.game, fault.ply, fault.kind, fault.detail
                ));
                for line in &fault.errors {
                    print_error(format_args!("  {player}'s standard error, {line}"));
                }
            }
        }
        for seat in &record.seats {
            if let Some(why) = &seat.log_failure
                && self.is_new("log".to_owned())
            {
                print_error(format_args!(
                    "game {}: the log file of {} is not complete: {why}",
                    record.game, seat.player
                ));
            }
        }
    }

    fn is_new(&mut self, kind: String) -> bool {
        let new = !self.seen.contains(&kind);
        if new {
            self.seen.push(kind);
        }
        new
    }
}

/// The score so far, in the order of the games.
pub(super) struct RunningScore {
    /// Per player: name, games, won, drawn.
    players: Vec<(String, usize, usize, usize)>,
    trial: Option<Trial>,
}

impl RunningScore {
    /// The score before the first game.
    pub(super) fn new(plan: &RunPlan) -> Self {
        let players = plan.players().iter().map(|p| (p.name.clone(), 0, 0, 0));
        Self { players: players.collect(), trial: Trial::of(plan) }
    }

    /// Adds the next match.
    pub(super) fn add(&mut self, record: &ArenaRecord) {
        if let Some(trial) = &mut self.trial {
            trial.add(record);
        }
        let Some(outcome) = &record.outcome else { return };
        let winners = outcome.ranks.iter().filter(|r| **r == 1).count();
        for (seat, rank) in record.seats.iter().zip(&outcome.ranks) {
            let player = self.players.iter_mut().find(|(name, ..)| *name == seat.player);
            if let Some((_, games, won, drawn)) = player {
                *games += 1;
                *won += usize::from(winners == 1 && *rank == 1);
                *drawn += usize::from(winners == 0 || (winners > 1 && *rank == 1));
            }
        }
    }
}

/// `A +12 =3 -5, B +5 =3 -12, LLR +1.23 [-2.94, +2.94] after 10 deals`
impl Display for RunningScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |(name, games, won, drawn): &(String, usize, usize, usize)| {
            format!("{name} +{won} ={drawn} -{}", games - won - drawn)
        };
        // With two players, the second one's score is the inverse of the first one's.
        let shown = if self.players.len() == 2 { 1 } else { self.players.len() };
        let mut all: Vec<String> = self.players.iter().take(shown).map(of).collect();
        all.extend(self.trial.as_ref().map(|t| t.standing().to_string()));
        f.write_str(&all.join(", "))
    }
}

/// A progress bar on a terminal; otherwise a line every 15 seconds.
pub(super) struct ProgressDisplay {
    bar: Option<ProgressBar>,
    games: u32,
    started: Instant,
    last_line: Cell<Instant>,
    score: RefCell<String>,
}

impl ProgressDisplay {
    /// Time between two lines if there is no terminal.
    const LINE_INTERVAL: Duration = Duration::from_secs(15);

    /// Starts the display for a run of this many games, of which `before` were played already.
    pub(super) fn new(games: u32, before: usize) -> Self {
        let now = Instant::now();
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(u64::from(games));
            let style =
                ProgressStyle::with_template("{bar:30} {pos}/{len} games, {elapsed}, {eta} to go; {msg}");
            let bar = style.map_or(bar.clone(), |style| bar.with_style(style));
            // The estimate of the remaining time counts only the games of this run.
            bar.set_position(before as u64);
            bar.reset_eta();
            bar
        });
        Self { bar, games, started: now, last_line: Cell::new(now), score: RefCell::default() }
    }

    /// Sets the number of games that have ended.
    pub(super) fn set(&self, ended: u32) {
        match &self.bar {
            Some(bar) => bar.set_position(u64::from(ended)),
            None if self.last_line.get().elapsed() >= Self::LINE_INTERVAL => {
                self.last_line.set(Instant::now());
                let (seconds, score) = (self.started.elapsed().as_secs(), self.score.borrow());
                print_error(format_args!("{ended} of {} games after {seconds} s; {score}", self.games));
            }
            None => {}
        }
    }

    /// Sets the score to show.
    pub(super) fn set_score(&self, running: &RunningScore) {
        let score = running.to_string();
        if let Some(bar) = &self.bar {
            bar.set_message(score.clone());
        }
        self.score.replace(score);
    }

    /// Runs `print` so that the bar does not overwrite its output.
    pub(super) fn print_above(&self, print: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Removes the bar at the end of the run.
    pub(super) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
