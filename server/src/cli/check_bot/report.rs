//! What a check says of a bot: plain words for its author. Decides nothing about matches.

use std::fmt::{self, Display};
use std::time::Duration;

use engines::arena::{ArenaRecord, Fault, FaultKind, SeatRecord, TimeLimits};
use engines::erased::AnyGame;
use engines::game::Process;
use engines::protocol::Settings;

use super::BOT;

/// The most mistakes of a kind that are shown in full.
const SHOWN: usize = 2;
/// The most lines of standard error that are shown.
const STDERR_SHOWN: usize = 8;

/// A match of the bot.
pub(super) struct CheckedMatch {
    /// The seats of the table.
    seats: u8,
    /// The seat of the bot.
    seat: usize,
    record: ArenaRecord,
}

impl CheckedMatch {
    /// `None` if the bot has no seat in it.
    pub(super) fn new(seats: u8, record: ArenaRecord) -> Option<Self> {
        let seat = record.seats_of(BOT).next()?;
        Some(Self { seats, seat, record })
    }

    /// Whether the bot has one of these seats.
    pub(super) fn is_in(&self, seats: &[u8]) -> bool {
        seats.iter().any(|seat| usize::from(*seat) == self.seat)
    }

    fn own(&self) -> &SeatRecord {
        &self.record.seats[self.seat]
    }

    fn mistakes(&self) -> impl Iterator<Item = &Fault> {
        self.record.faults.iter().filter(|fault| usize::from(fault.seat) == self.seat)
    }
}

/// How the bot did with settings of the dialogue that were tried.
pub(super) struct Trial {
    /// All settings that differ from the defaults.
    pub settings: Settings,
    /// The decisions that were mistakes.
    pub mistakes: usize,
    decisions: usize,
    /// The reason why there was no match.
    pub void: Option<String>,
}

impl Trial {
    /// Counts matches.
    pub(super) fn of(settings: Settings, played: &[CheckedMatch]) -> Self {
        Self {
            settings,
            mistakes: played.iter().map(|one| one.mistakes().count()).sum(),
            decisions: played.iter().map(|one| one.own().times_us.len()).sum(),
            void: played.iter().find_map(|one| one.record.void.clone()),
        }
    }

    /// The share of decisions that were mistakes.
    pub(super) fn share(&self) -> f64 {
        self.mistakes as f64 / self.decisions.max(1) as f64
    }
}

pub(super) struct Report {
    game: &'static dyn AnyGame,
    command: Vec<String>,
    settings: Settings,
    trials: Vec<Trial>,
    matches: Vec<CheckedMatch>,
    /// How the bot did in the seats that the contest gives to no bot.
    pub mirror: Option<Trial>,
    /// Whether the user ended the check early.
    pub stopped: bool,
}

impl Report {
    /// A report without matches yet.
    pub(super) fn new(
        game: &'static dyn AnyGame,
        command: &[String],
        settings: Settings,
        trials: Vec<Trial>,
    ) -> Self {
        Self {
            game,
            command: command.to_vec(),
            settings,
            trials,
            matches: Vec::new(),
            mirror: None,
            stopped: false,
        }
    }

    /// The settings of the dialogue that the bot needs.
    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Whether the program could be started when settings were tried.
    pub(super) fn is_startable(&self) -> bool {
        self.trials.iter().all(|trial| trial.void.is_none())
    }

    /// Whether a match could not be played.
    pub(super) fn is_void(&self) -> bool {
        self.void().is_some()
    }

    fn void(&self) -> Option<&String> {
        let of_matches = self.matches.iter().map(|one| &one.record.void);
        self.trials.iter().map(|trial| &trial.void).chain(of_matches).find_map(Option::as_ref)
    }

    /// Adds matches.
    pub(super) fn add(&mut self, played: Vec<CheckedMatch>) {
        self.matches.extend(played);
    }

    /// Whether all matches were played and the bot made no mistake.
    pub(super) fn is_clean(&self) -> bool {
        !self.stopped && !self.is_void() && self.all_mistakes().next().is_none() && !self.matches.is_empty()
    }

    fn all_mistakes(&self) -> impl Iterator<Item = (&CheckedMatch, &Fault)> {
        self.matches.iter().flat_map(|one| one.mistakes().map(move |fault| (one, fault)))
    }

    fn played(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decisions: usize = self.matches.iter().map(|one| one.own().times_us.len()).sum();
        write!(f, "  matches: {}, {decisions} moves of the bot", self.matches.len())?;
        let mut tables: Vec<u8> = self.matches.iter().map(|one| one.seats).collect();
        tables.dedup();
        for seats in tables {
            let mut own: Vec<usize> =
                self.matches.iter().filter(|one| one.seats == seats).map(|one| one.seat).collect();
            own.sort_unstable();
            own.dedup();
            let own: Vec<String> = own.iter().map(usize::to_string).collect();
            write!(f, "; {seats} seats: in seat {}", own.join(", "))?;
        }
        writeln!(f)
    }

    fn needed(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.game.dialogue().referee.is_empty() {
            return Ok(());
        }
        write!(f, "  settings of the dialogue: {}", words(&self.settings))?;
        for trial in self.trials.iter().filter(|trial| trial.settings != self.settings) {
            let Trial { mistakes, decisions, .. } = trial;
            write!(f, "; with {}, {mistakes} of its {decisions} moves were void", words(&trial.settings))?;
        }
        writeln!(f)
    }

    fn times(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut times: Vec<u64> =
            self.matches.iter().flat_map(|one| one.own().times_us.iter().copied()).collect();
        times.sort_unstable();
        let Some(longest) = times.last() else { return Ok(()) };
        let of_match = self.matches.iter().map(|one| one.own().times_us.iter().sum::<u64>()).max();
        let limits = TimeLimits::official(self.game.info());
        let allowed = |limit: Option<Duration>| {
            limit.map_or("no limit".to_owned(), |limit| format!("limit {}", ms(limit)))
        };
        writeln!(
            f,
            "  time: a move: median {}, longest {} ({}); a match: longest {} ({})",
            us(times[times.len() / 2]),
            us(*longest),
            allowed(self.game.info().move_limit),
            us(of_match.unwrap_or_default()),
            allowed(limits.per_match),
        )
    }

    fn memory(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.matches.iter().filter_map(|one| one.own().peak_kib).max() {
            Some(kib) => {
                writeln!(f, "  memory: {:.1} MiB at most, without its child processes", kib as f64 / 1024.0)
            }
            None => writeln!(f, "  memory: this system does not say"),
        }
    }

    fn standard_error(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(lines) = self.matches.iter().map(|one| &one.own().errors).find(|lines| !lines.is_empty())
        else {
            return writeln!(f, "  standard error: it wrote nothing");
        };
        writeln!(f, "  standard error, the last lines of a match:")?;
        lines[lines.len().saturating_sub(STDERR_SHOWN)..]
            .iter()
            .try_for_each(|line| writeln!(f, "    {line}"))
    }

    fn mistakes(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for kind in FaultKind::ALL {
            let made: Vec<(&CheckedMatch, &Fault)> =
                self.all_mistakes().filter(|(_, fault)| fault.kind == kind).collect();
            writeln!(
                f,
                "  {}: {}",
                named(kind),
                if made.is_empty() { "none".to_owned() } else { made.len().to_string() }
            )?;
            for (one, fault) in made.iter().take(SHOWN) {
                shown(f, self.game, one, fault)?;
            }
        }
        Ok(())
    }

    fn in_the_mirror(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.mirror {
            None => Ok(()),
            Some(Trial { mistakes: 0, .. }) => writeln!(f, "  mirror dialogue: the bot knows it"),
            Some(_) => writeln!(
                f,
                "  mirror dialogue: the bot does not know it. It needs it only to play other bots and whole tournaments; the \
                 README of the game describes it"
            ),
        }
    }

    fn verdict(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.stopped {
            return writeln!(f, "The check was ended early.");
        }
        if !self.is_clean() {
            return writeln!(f, "The bot is not ready: it made mistakes.");
        }
        let game = self.game.info().slug;
        let mirror = self.mirror.as_ref().filter(|trial| trial.mistakes == 0);
        let settings: String = mirror
            .map_or(&self.settings, |trial| &trial.settings)
            .0
            .iter()
            .map(|(name, value)| format!(" --referee {name}={value}"))
            .collect();
        let command = self.command.join(" ");
        writeln!(f, "The bot is ready: kibitz-shim play SERVER --game {game}{settings} -- {command}")
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.game.info().title, self.command.join(" "))?;
        if let Some(void) = self.void() {
            return writeln!(f, "There was no match: {void}");
        }
        self.needed(f)?;
        self.played(f)?;
        self.times(f)?;
        self.memory(f)?;
        self.standard_error(f)?;
        self.mistakes(f)?;
        self.in_the_mirror(f)?;
        self.verdict(f)
    }
}

fn words(settings: &Settings) -> String {
    if settings.0.is_empty() {
        return "the defaults".to_owned();
    }
    settings.0.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ")
}

fn named(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::IllegalMove => "illegal moves",
        FaultKind::BadLine => "lines that the dialogue does not allow",
        FaultKind::Time => "moves that came too late, or not at all",
        FaultKind::Crash => "crashes",
    }
}

/// A mistake with its place, and what the bot had read.
fn shown(f: &mut fmt::Formatter<'_>, game: &dyn AnyGame, one: &CheckedMatch, fault: &Fault) -> fmt::Result {
    let CheckedMatch { seats, seat, record } = one;
    writeln!(
        f,
        "    {seats} seats, seat {seat}, deal {}, after {} moves: {}",
        record.deal, fault.ply, fault.detail
    )?;
    if game.info().process == Process::PerMatch {
        let moves = record.moves.iter().flatten().take(fault.ply as usize);
        writeln!(f, "      the moves of the match: {}", moves.cloned().collect::<Vec<_>>().join(", "))?;
    }
    writeln!(f, "      it had read, after its move before:")?;
    fault.read.iter().try_for_each(|line| writeln!(f, "      < {}", line.escape_debug()))?;
    fault.errors.iter().try_for_each(|line| writeln!(f, "      {line}"))
}

fn ms(time: Duration) -> String {
    us(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
}

/// Microseconds in a fitting unit.
fn us(time: u64) -> String {
    match time {
        0..1_000 => format!("{time} µs"),
        1_000..10_000_000 => format!("{} ms", time / 1_000),
        _ => format!("{} s", time / 1_000_000),
    }
}
