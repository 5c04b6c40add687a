//! What is told while matches are played, on standard error alone. Decides nothing.

use std::cell::{Cell, RefCell};
use std::fmt::{self, Display};
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use engines::arena::{Plan, Record, Trial};
use indicatif::{ProgressBar, ProgressStyle};

use crate::console::complain;

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
            complain(format_args!("game {} is void: {why}", record.game));
        }
        for fault in &record.faults {
            let player = &record.seats[usize::from(fault.seat)].player;
            if self.is_new(format!("{player} {}", fault.kind)) {
                complain(format_args!(
                    "game {}, ply {}: {player}: {}: {} (more like this are only counted)",
                    record.game, fault.ply, fault.kind, fault.detail
                ));
                for line in fault.stderr.iter().flat_map(|t| t.lines()) {
                    complain(format_args!("  {player}'s stderr | {line}"));
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

/// The score so far, in the order of the games.
pub struct Running {
    /// Name, games, won, drawn; for each player.
    players: Vec<(String, usize, usize, usize)>,
    trial: Option<Trial>,
}

impl Running {
    /// A run that has not begun.
    pub fn new(plan: &Plan) -> Self {
        let players = plan.players().iter().map(|p| (p.name.clone(), 0, 0, 0));
        Self { players: players.collect(), trial: Trial::of(plan) }
    }

    /// Counts the next match.
    pub fn add(&mut self, record: &Record) {
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
impl Display for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |(name, games, won, drawn): &(String, usize, usize, usize)| {
            format!("{name} +{won} ={drawn} -{}", games - won - drawn)
        };
        // Of two players the second's score is the first's, turned round.
        let shown = if self.players.len() == 2 { 1 } else { self.players.len() };
        let mut all: Vec<String> = self.players.iter().take(shown).map(of).collect();
        all.extend(self.trial.as_ref().map(|t| t.standing().to_string()));
        f.write_str(&all.join(", "))
    }
}

/// A bar on a terminal; elsewhere a line now and then.
pub struct Progress {
    bar: Option<ProgressBar>,
    games: u32,
    started: Instant,
    told: Cell<Instant>,
    score: RefCell<String>,
}

impl Progress {
    /// Time between two lines where there is no terminal.
    const TELL: Duration = Duration::from_secs(15);

    /// A run of this many games begins, or goes on after some of them.
    pub fn new(games: u32, before: usize) -> Self {
        let now = Instant::now();
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(u64::from(games));
            let style =
                ProgressStyle::with_template("{bar:30} {pos}/{len} games, {elapsed}, {eta} to go; {msg}");
            let bar = style.map_or(bar.clone(), |style| bar.with_style(style));
            // The time to go is told by the games of this run alone.
            bar.set_position(before as u64);
            bar.reset_eta();
            bar
        });
        Self { bar, games, started: now, told: Cell::new(now), score: RefCell::default() }
    }

    /// So many games have ended.
    pub fn set(&self, ended: u32) {
        match &self.bar {
            Some(bar) => bar.set_position(u64::from(ended)),
            None if self.told.get().elapsed() >= Self::TELL => {
                self.told.set(Instant::now());
                let (seconds, score) = (self.started.elapsed().as_secs(), self.score.borrow());
                complain(format_args!("{ended} of {} games after {seconds} s; {score}", self.games));
            }
            None => {}
        }
    }

    /// How it stands.
    pub fn tell(&self, running: &Running) {
        let score = running.to_string();
        if let Some(bar) = &self.bar {
            bar.set_message(score.clone());
        }
        self.score.replace(score);
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
