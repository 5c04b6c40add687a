//! The report of a check in plain words.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use super::report::{BotCheckReport, CheckedTable, CheckedTimes, MadeMistakes, ShownMistake, TriedSettings};
use crate::arena::record::FaultKind;

impl Display for BotCheckReport {
    /// All but the verdict.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.title, self.bot)?;
        if let Some(void) = &self.void {
            return writeln!(f, "There was no match: {void}");
        }
        self.needed(f)?;
        self.played(f)?;
        self.times(f)?;
        self.memory(f)?;
        self.standard_error(f)?;
        self.all_kinds(f)?;
        match self.mirror {
            None => {}
            Some(true) => writeln!(f, "  mirror dialogue: the bot knows it")?,
            Some(false) => writeln!(
                f,
                "  mirror dialogue: the bot does not know it. It needs it only to play other bots and whole tournaments; the \
                 README of the game describes it"
            )?,
        }
        if self.moves > 0 && !self.can_play() {
            writeln!(f, "Every move of the bot was a mistake, so no more matches were played.")?;
        }
        if self.stopped {
            writeln!(f, "The check was ended early.")?;
        }
        Ok(())
    }
}

impl BotCheckReport {
    fn needed(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.has_settings {
            return Ok(());
        }
        write!(f, "  settings of the dialogue: {}", words(&self.settings))?;
        for trial in self.trials.iter().filter(|trial| trial.settings != self.settings) {
            let TriedSettings { mistakes, moves, settings, .. } = trial;
            write!(f, "; with {}, {mistakes} of its {moves} moves were void", words(settings))?;
        }
        writeln!(f)
    }

    fn played(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  matches: {}, {} moves of the bot", self.matches, self.moves)?;
        for CheckedTable { seats, own } in &self.tables {
            let own: Vec<String> = own.iter().map(u8::to_string).collect();
            write!(f, "; {seats} seats: in seat {}", own.join(", "))?;
        }
        writeln!(f)
    }

    fn times(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(times) = &self.times else { return Ok(()) };
        let CheckedTimes { median_us, longest_us, move_limit_us, match_us, match_limit_us } = times;
        let allowed = |limit: &Option<u64>| {
            limit.map_or("no limit".to_owned(), |limit| format!("limit {}", time(limit)))
        };
        writeln!(
            f,
            "  time: a move: median {}, longest {} ({}); a match: longest {} ({})",
            time(*median_us),
            time(*longest_us),
            allowed(move_limit_us),
            time(*match_us),
            allowed(match_limit_us),
        )
    }

    fn memory(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.peak_kib {
            Some(kib) => {
                writeln!(f, "  memory: {:.1} MiB at most, without its child processes", kib as f64 / 1024.0)
            }
            // The sandbox has a limit, and does not measure.
            None if self.is_program => Ok(()),
            None => writeln!(f, "  memory: this system does not say"),
        }
    }

    fn standard_error(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.errors.is_empty() {
            return writeln!(f, "  standard error: it wrote nothing");
        }
        writeln!(f, "  standard error, the last lines of a match:")?;
        self.errors.iter().try_for_each(|line| writeln!(f, "    {line}"))
    }

    fn all_kinds(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for kind in FaultKind::ALL {
            match self.mistakes.iter().find(|made| made.kind == kind) {
                None => writeln!(f, "  {}: none", named(kind))?,
                Some(MadeMistakes { count, shown, .. }) => {
                    writeln!(f, "  {}: {count}", named(kind))?;
                    shown.iter().try_for_each(|mistake| write!(f, "{mistake}"))?;
                }
            }
        }
        Ok(())
    }
}

impl Display for ShownMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seats, seat, deal, fault, moves } = self;
        writeln!(
            f,
            "    {seats} seats, seat {seat}, deal {deal}, after {} moves: {}",
            fault.ply, fault.detail
        )?;
        if !moves.is_empty() {
            writeln!(f, "      the moves of the match: {}", moves.join(", "))?;
        }
        writeln!(f, "      it had read, after its move before:")?;
        fault.read.iter().try_for_each(|line| writeln!(f, "      < {}", line.escape_debug()))?;
        fault.errors.iter().try_for_each(|line| writeln!(f, "      {line}"))
    }
}

fn words(settings: &BTreeMap<String, String>) -> String {
    if settings.is_empty() {
        return "the defaults".to_owned();
    }
    settings.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ")
}

fn named(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::IllegalMove => "illegal moves",
        FaultKind::BadLine => "lines that the dialogue does not allow",
        FaultKind::Time => "moves that came too late, or not at all",
        FaultKind::Crash => "crashes",
    }
}

/// Microseconds in a fitting unit.
fn time(us: u64) -> String {
    match us {
        0..1_000 => format!("{us} µs"),
        1_000..10_000_000 => format!("{} ms", us / 1_000),
        _ => format!("{} s", us / 1_000_000),
    }
}
