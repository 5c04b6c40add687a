//! The report of a check as data.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::BOT;
use crate::arena::clock::TimeLimits;
use crate::arena::record::{ArenaRecord, ErrorLine, Fault, FaultKind, SeatRecord};
use crate::arena::spec::PlayerSpec;
use crate::erased::AnyGame;
use crate::game::Process;
use crate::protocol::Settings;

/// The most mistakes of a kind that are shown in full.
const SHOWN: usize = 2;
/// The most lines of standard error that are shown.
const ERRORS_SHOWN: usize = 8;

/// What a check says of a bot. As text: plain words for its author.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotCheckReport {
    /// The title of the game.
    pub title: String,
    /// The game's short name.
    pub game: String,
    /// The bot's command line, or the file of its program.
    pub bot: String,
    /// Whether it is a program in a sandbox, whose clock counts instructions.
    pub is_program: bool,
    /// Why a match could not be played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub void: Option<String>,
    /// Whether the check was ended early.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// Whether the referee's side of the dialogue has settings.
    pub has_settings: bool,
    /// The settings that the bot needs, as far as they differ from the defaults.
    pub settings: BTreeMap<String, String>,
    /// All settings that were tried.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trials: Vec<TriedSettings>,
    /// The matches that were played.
    pub matches: u64,
    /// The moves of the bot in them, void ones too.
    pub moves: u64,
    /// The seats that it had.
    pub tables: Vec<CheckedTable>,
    /// How long it took; `None`: it made no move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<CheckedTimes>,
    /// The most memory of one of its processes, in KiB, if the system says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_kib: Option<u64>,
    /// What a program has used, in fuel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuel: Option<u64>,
    /// The last lines that it wrote to standard error in one match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ErrorLine>,
    /// Its mistakes; kinds that it did not make are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mistakes: Vec<MadeMistakes>,
    /// Whether it knows the dialogue of the seats that the contest gives to no bot; `None`: the game has none, or it was not tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mirror: Option<bool>,
}

/// How the bot did with settings of the dialogue that were tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriedSettings {
    /// All settings that differ from the defaults.
    pub settings: BTreeMap<String, String>,
    /// The decisions that were mistakes.
    pub mistakes: usize,
    /// The decisions.
    pub moves: usize,
    /// The reason why there was no match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub void: Option<String>,
    /// What a program has used in it, in fuel.
    #[serde(default)]
    pub fuel: u64,
}

/// The seats that the bot had at tables of one size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedTable {
    /// The seats of the table.
    pub seats: u8,
    /// The bot's seats, in order.
    pub own: Vec<u8>,
}

/// How long the bot took, in microseconds, with the contest's limits; `None`: there is no limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedTimes {
    /// The median of its moves.
    pub median_us: u64,
    /// Its longest move.
    pub longest_us: u64,
    /// The most time that the game gives a move, in microseconds; `None`: any.
    pub move_limit_us: Option<u64>,
    /// All moves of the longest match.
    pub match_us: u64,
    /// The most time that the game gives all moves of a seat in a match, in microseconds; `None`: any.
    pub match_limit_us: Option<u64>,
}

/// The mistakes of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeMistakes {
    /// What the bot did wrong in each of them.
    pub kind: FaultKind,
    /// How many.
    pub count: u64,
    /// The first ones.
    pub shown: Vec<ShownMistake>,
}

/// A mistake with its place, and what the bot had read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownMistake {
    /// The seats of the table.
    pub seats: u8,
    /// The bot's seat.
    pub seat: u8,
    /// The number of the deal, from 0.
    pub deal: u32,
    /// The mistake, with what the bot had read since its move before, and its standard error.
    pub fault: Fault,
    /// The moves of the match before it, of a bot with one process for a match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<String>,
}

impl BotCheckReport {
    /// The report on a program that could not be started, for this reason.
    pub fn of_void(game: &dyn AnyGame, bot: &PlayerSpec, why: String) -> Self {
        let draft = ReportDraft::new(game, bot, Settings::default(), Vec::new());
        Self { void: Some(why), ..draft.report }
    }

    /// Whether all matches were played and the bot made no mistake.
    pub fn is_clean(&self) -> bool {
        !self.stopped && self.void.is_none() && self.mistakes.is_empty() && self.matches > 0
    }

    /// Whether the bot can play: a match was played to its end, and not every move was a mistake.
    pub fn can_play(&self) -> bool {
        self.void.is_none() && self.matches > 0 && self.all_mistakes() < self.moves.max(1)
    }

    /// The number of its mistakes.
    pub fn all_mistakes(&self) -> u64 {
        self.mistakes.iter().map(|made| made.count).sum()
    }

    /// All settings of the dialogue that the bot needs and knows, the mirror dialogue among them.
    pub fn known_settings(&self) -> BTreeMap<String, String> {
        let mut all = self.settings.clone();
        if self.mirror == Some(true) {
            all.insert(crate::dialogue::MIRROR.name.to_owned(), "yes".to_owned());
        }
        all
    }

    /// What the program has used in all matches, those of trials too, in fuel.
    pub fn all_fuel(&self) -> u64 {
        self.fuel.unwrap_or_default() + self.trials.iter().map(|trial| trial.fuel).sum::<u64>()
    }
}

impl TriedSettings {
    /// The share of decisions that were mistakes.
    pub(super) fn share(&self) -> f64 {
        self.mistakes as f64 / self.moves.max(1) as f64
    }
}

/// Counts matches.
pub(super) fn count(settings: Settings, played: &[CheckedMatch]) -> TriedSettings {
    TriedSettings {
        settings: settings.0,
        mistakes: played.iter().map(|one| one.mistakes().count()).sum(),
        moves: played.iter().map(|one| one.own().times_us.len()).sum(),
        void: played.iter().find_map(|one| one.record.void.clone()),
        fuel: played.iter().flat_map(|one| &one.own().fuel).sum(),
    }
}

/// Whether the bot had decisions in these matches, and each was a mistake.
pub(super) fn knows_no_move(played: &[CheckedMatch]) -> bool {
    let all = count(Settings::default(), played);
    all.moves > 0 && all.mistakes >= all.moves
}

/// A match of the bot.
pub(super) struct CheckedMatch {
    seats: u8,
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

    fn shown(&self, fault: &Fault, game: &dyn AnyGame) -> ShownMistake {
        let moves = self.record.moves.iter().flatten().take(fault.ply as usize);
        ShownMistake {
            seats: self.seats,
            seat: fault.seat,
            deal: self.record.deal,
            fault: fault.clone(),
            moves: match game.info().process {
                Process::PerMatch => moves.cloned().collect(),
                Process::PerMove => Vec::new(),
            },
        }
    }
}

/// A report to which matches are added.
pub(super) struct ReportDraft<'g> {
    game: &'g dyn AnyGame,
    settings: Settings,
    matches: Vec<CheckedMatch>,
    report: BotCheckReport,
    /// As in the report.
    pub mirror: Option<bool>,
}

impl<'g> ReportDraft<'g> {
    /// A report without matches yet.
    pub(super) fn new(
        game: &'g dyn AnyGame,
        bot: &PlayerSpec,
        settings: Settings,
        trials: Vec<TriedSettings>,
    ) -> Self {
        let report = BotCheckReport {
            title: game.info().title.to_owned(),
            game: game.info().slug.to_owned(),
            bot: bot.command_line(),
            is_program: matches!(bot, PlayerSpec::Program { .. }),
            void: trials.iter().find_map(|trial| trial.void.clone()),
            stopped: false,
            has_settings: !game.dialogue().referee.is_empty(),
            settings: settings.0.clone(),
            trials,
            matches: 0,
            moves: 0,
            tables: Vec::new(),
            times: None,
            peak_kib: None,
            fuel: None,
            errors: Vec::new(),
            mistakes: Vec::new(),
            mirror: None,
        };
        Self { game, settings, matches: Vec::new(), report, mirror: None }
    }

    /// The settings of the dialogue that the bot needs.
    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Whether more matches would say nothing: one could not be played, or every decision in all of them was a mistake.
    pub(super) fn is_hopeless(&self) -> bool {
        self.report.void.is_some() || knows_no_move(&self.matches)
    }

    /// Adds matches.
    pub(super) fn add(&mut self, played: Vec<CheckedMatch>) {
        let void = played.iter().find_map(|one| one.record.void.clone());
        self.report.void = self.report.void.take().or(void);
        self.matches.extend(played);
    }

    /// The report. `stopped`: the check was ended early.
    pub(super) fn finish(mut self, stopped: bool) -> BotCheckReport {
        let own = || self.matches.iter().map(CheckedMatch::own);
        let report = BotCheckReport {
            stopped,
            matches: self.matches.len() as u64,
            moves: own().map(|seat| seat.times_us.len() as u64).sum(),
            tables: self.tables(),
            times: self.times(),
            peak_kib: own().filter_map(|seat| seat.peak_kib).max().filter(|kib| *kib > 0),
            fuel: self.report.is_program.then(|| own().flat_map(|seat| &seat.fuel).sum()),
            errors: own()
                .map(|seat| &seat.errors)
                .find(|lines| !lines.is_empty())
                .map_or_else(Vec::new, |lines| lines[lines.len().saturating_sub(ERRORS_SHOWN)..].to_vec()),
            mistakes: self.mistakes(),
            mirror: self.mirror,
            ..self.report
        };
        self.matches.clear();
        report
    }

    fn tables(&self) -> Vec<CheckedTable> {
        let mut tables: BTreeMap<u8, Vec<u8>> = BTreeMap::new();
        for one in &self.matches {
            tables.entry(one.seats).or_default().extend(u8::try_from(one.seat));
        }
        let table = |(seats, mut own): (u8, Vec<u8>)| {
            own.sort_unstable();
            own.dedup();
            CheckedTable { seats, own }
        };
        tables.into_iter().map(table).collect()
    }

    fn times(&self) -> Option<CheckedTimes> {
        let own = || self.matches.iter().map(|one| &one.own().times_us);
        let mut times: Vec<u64> = own().flatten().copied().collect();
        times.sort_unstable();
        let us = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        Some(CheckedTimes {
            median_us: times.get(times.len() / 2).copied()?,
            longest_us: times.last().copied()?,
            move_limit_us: self.game.info().move_limit.map(us),
            match_us: own().map(|times| times.iter().sum()).max()?,
            match_limit_us: TimeLimits::official(self.game.info()).per_match.map(us),
        })
    }

    fn mistakes(&self) -> Vec<MadeMistakes> {
        let of_kind = |kind: FaultKind| {
            let all = self.matches.iter().flat_map(|one| one.mistakes().map(move |fault| (one, fault)));
            let made: Vec<_> = all.filter(|(_, fault)| fault.kind == kind).collect();
            let shown = made.iter().take(SHOWN).map(|(one, fault)| one.shown(fault, self.game)).collect();
            MadeMistakes { kind, count: made.len() as u64, shown }
        };
        FaultKind::ALL.into_iter().map(of_kind).filter(|made| made.count > 0).collect()
    }
}
