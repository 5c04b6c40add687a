//! What is told while matches are played, on standard error alone. Decides nothing.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use engines::arena::Record;
use indicatif::{ProgressBar, ProgressStyle};

/// Says what went wrong, on standard error: the first of each kind at length.
#[derive(Default)]
pub struct Complaints {
    seen: Vec<String>,
}

impl Complaints {
    /// Shows what is new about this match.
    pub fn show(&mut self, record: &Record) {
        if let Some(why) = &record.void
            && self.is_new("void".to_owned())
        {
            eprintln!("game {} is void: {why}", record.game);
        }
        for fault in &record.faults {
            let player = &record.seats[usize::from(fault.seat)].player;
            if self.is_new(format!("{player} {}", fault.kind)) {
                eprintln!(
                    "game {}, ply {}: {player}: {}: {} (more like this are only counted)",
                    record.game, fault.ply, fault.kind, fault.detail
                );
                for line in fault.stderr.iter().flat_map(|t| t.lines()) {
                    eprintln!("  {player}'s stderr | {line}");
                }
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

/// A bar on a terminal; elsewhere a line now and then.
pub struct Progress {
    bar: Option<ProgressBar>,
    games: u32,
    started: Instant,
    told: std::cell::Cell<Instant>,
}

impl Progress {
    /// Time between two lines where there is no terminal.
    const TELL: Duration = Duration::from_secs(15);

    /// A run of this many games begins.
    pub fn new(games: u32) -> Self {
        let now = Instant::now();
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(u64::from(games));
            let style = ProgressStyle::with_template("{bar:40} {pos}/{len} games, {elapsed}, {eta} to go");
            style.map_or(bar.clone(), |style| bar.with_style(style))
        });
        Self { bar, games, started: now, told: std::cell::Cell::new(now) }
    }

    /// So many games have ended.
    pub fn set(&self, ended: u32) {
        match &self.bar {
            Some(bar) => bar.set_position(u64::from(ended)),
            None if self.told.get().elapsed() >= Self::TELL => {
                self.told.set(Instant::now());
                eprintln!("{ended} of {} games after {} s", self.games, self.started.elapsed().as_secs());
            }
            None => {}
        }
    }

    /// Lets something be printed that the bar does not overwrite.
    pub fn quietly(&self, print: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// The run is over.
    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
