//! Checks a bot: plays short matches with it in every seat, finds the settings of the dialogue that it needs, and reports what its
//! author should know. Knows no game by name.

mod report;
mod words;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::clock::TimeLimits;
use super::plan::{PlanOptions, RunPlan};
use super::play::Backends;
use super::record::ArenaRecord;
use super::run::resume;
use super::spec::{Contestant, PlayerSpec};
use crate::dialogue::{MIRROR, SettingValues};
use crate::erased::AnyGame;
use crate::protocol::Settings;
use crate::rng::Seed;

pub use report::{BotCheckReport, CheckedTable, CheckedTimes, MadeMistakes, ShownMistake, TriedSettings};
use report::{CheckedMatch, ReportDraft, count, knows_no_move};

/// The name of the bot in the records of the matches.
const BOT: &str = "bot";
/// The matches of a check, at least.
const USUAL_MATCHES: u32 = 6;
/// A bot that makes a mistake at every move plays this many matches, or one in each seat if that is more.
const FEW_MATCHES: u32 = 2;
/// The opponents play like beginners, and cost almost nothing.
const OPPONENT: &str = "engine:level=easy,nodes=400";

/// Short matches of a bot in every seat, which find out what its author should know.
#[derive(Clone, Debug)]
pub struct BotCheck {
    /// The bot: a program or a command. Its own settings of the dialogue, if it has any, are used instead of trying out all of them.
    pub bot: PlayerSpec,
    /// Deals for each number of seats; the bot plays each from every seat. `None`: as many as make six matches.
    pub deals: Option<u32>,
    /// The seed of all deals.
    pub seed: Seed,
    /// The time limit of a decision, instead of the game's own.
    pub move_limit: Option<Duration>,
}

impl BotCheck {
    /// Plays the matches, one at a time, and passes each to `progress`, with the number of seats at its table. A bot that
    /// makes only mistakes plays no more than a few. Setting `stop` ends the check early: the report then holds the
    /// matches that were over.
    ///
    /// # Errors
    /// When the game does not know the bot's settings, in one sentence.
    pub fn run(
        &self,
        game: &'static dyn AnyGame,
        backends: Backends<'_>,
        stop: &Arc<AtomicBool>,
        progress: impl Fn(u8, &ArenaRecord),
    ) -> Result<BotCheckReport, String> {
        let given = self.bot.referee().cloned().unwrap_or_default();
        game.check_referee(&given).map_err(|e| e.detail)?;
        Checking { game, check: self, backends, stop, progress: &progress }.report(given)
    }
}

/// A check under way.
struct Checking<'a> {
    game: &'static dyn AnyGame,
    check: &'a BotCheck,
    backends: Backends<'a>,
    stop: &'a Arc<AtomicBool>,
    progress: &'a dyn Fn(u8, &ArenaRecord),
}

impl Checking<'_> {
    fn report(&self, given: Settings) -> Result<BotCheckReport, String> {
        let (settings, trials) = self.settings(given)?;
        let mut draft = ReportDraft::new(self.game, &self.check.bot, settings, trials);
        let matches: u32 = self.tables().into_iter().map(|seats| self.seats_of_bots(seats)).sum();
        let deals = self.check.deals.unwrap_or_else(|| USUAL_MATCHES.div_ceil(matches.max(1)));
        for seats in self.tables() {
            if draft.is_hopeless() || self.is_stopped() {
                break;
            }
            let played = self.play(seats, draft.settings(), deals * self.seats_of_bots(seats))?;
            draft.add(played);
        }
        if !self.game.info().mirror_seats.is_empty() && !draft.is_hopeless() && !self.is_stopped() {
            draft.mirror = self.mirror(draft.settings(), deals)?;
        }
        Ok(draft.finish(self.is_stopped()))
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The numbers of seats that the game can have.
    fn tables(&self) -> Vec<u8> {
        let info = self.game.info();
        (info.min_seats..=info.max_seats).filter(|seats| self.game.options_for(*seats).is_some()).collect()
    }

    /// Plays as many matches in the seats that the contest gives to no bot. A bot that does not know their dialogue makes
    /// mistakes there. Returns whether it knows it; `None`: no match was played.
    fn mirror(&self, settings: &Settings, deals: u32) -> Result<Option<bool>, String> {
        let mut settings = settings.clone();
        settings.0.insert(MIRROR.name.to_owned(), "yes".to_owned());
        let seats = self.game.info().max_seats;
        let all = self.play(seats, &settings, 2 * deals * self.seats_of_bots(seats))?;
        let others: Vec<CheckedMatch> =
            all.into_iter().filter(|one| one.is_in(self.game.info().mirror_seats)).collect();
        Ok((!others.is_empty()).then(|| count(settings, &others).mistakes == 0))
    }

    /// The number of the bots' seats at a table of this size.
    fn seats_of_bots(&self, seats: u8) -> u32 {
        self.game.info().bot_seats.iter().filter(|seat| **seat < seats).count() as u32
    }

    /// The settings with which the bot made the fewest mistakes, the defaults among equals; and all that were tried.
    fn settings(&self, given: Settings) -> Result<(Settings, Vec<TriedSettings>), String> {
        let variants = if given.0.is_empty() { variants(self.game) } else { vec![given] };
        if let [only] = variants.as_slice() {
            return Ok((only.clone(), Vec::new()));
        }
        // A table of two shows it as well as a larger one.
        let seats = self.game.info().min_seats.max(2).min(self.game.info().max_seats);
        let mut trials: Vec<TriedSettings> = Vec::new();
        for settings in variants {
            if self.is_stopped() {
                break;
            }
            let played = self.play(seats, &settings, 1)?;
            let trial = count(settings, &played);
            let is_final = trial.mistakes == 0 || trial.void.is_some();
            trials.push(trial);
            if is_final {
                break;
            }
        }
        let best = trials.iter().min_by(|a, b| a.share().total_cmp(&b.share()));
        let best = best.map(|trial| Settings(trial.settings.clone())).unwrap_or_default();
        Ok((best, trials))
    }

    /// Plays this many matches, but no more than a few if every decision of the bot in these is a mistake. The bot changes its seat
    /// from match to match.
    fn play(&self, seats: u8, settings: &Settings, matches: u32) -> Result<Vec<CheckedMatch>, String> {
        let few = self.seats_of_bots(seats).max(FEW_MATCHES).min(matches);
        let records = self.records(seats, settings, few, Vec::new())?;
        let checked = |records: Vec<ArenaRecord>| -> Vec<CheckedMatch> {
            records.into_iter().filter_map(|record| CheckedMatch::new(seats, record)).collect()
        };
        let first = checked(records.clone());
        if few == matches || self.is_stopped() || knows_no_move(&first) {
            return Ok(first);
        }
        self.records(seats, settings, matches, records).map(checked)
    }

    /// The records of this many matches, of which some have been played before.
    fn records(
        &self,
        seats: u8,
        settings: &Settings,
        matches: u32,
        before: Vec<ArenaRecord>,
    ) -> Result<Vec<ArenaRecord>, String> {
        let wanted = PlanOptions {
            players: players(&self.check.bot, settings, seats),
            games: Some(matches),
            seed: self.check.seed,
            options: self.game.options_for(seats).unwrap_or_default(),
            // The contest's own starts.
            opening_plies: Some(0),
            positions: Vec::new(),
            limits: TimeLimits {
                per_move: self.check.move_limit.or(TimeLimits::official(self.game.info()).per_move),
                ..TimeLimits::official(self.game.info())
            },
            // The bot has the machine for itself.
            concurrency: 1,
            keep_moves: true,
            keep_details: true,
            log_dir: None,
        };
        let plan = RunPlan::new(self.game, wanted).map_err(|e| e.to_string())?;
        Ok(resume(&plan, before, self.backends, self.stop, |record| (self.progress)(seats, record), |_| {}))
    }
}

/// The defaults, and each other value of each setting of the referee's side.
fn variants(game: &dyn AnyGame) -> Vec<Settings> {
    let mut all = vec![Settings::default()];
    // The mirror dialogue is tried where it is spoken.
    for setting in game.dialogue().referee.iter().filter(|setting| setting.name != MIRROR.name) {
        if let SettingValues::Words(words) = setting.values {
            let others = words.iter().filter(|word| **word != setting.default);
            all.extend(others.map(|word| Settings([(setting.name.to_owned(), (*word).to_owned())].into())));
        }
    }
    all
}

fn players(bot: &PlayerSpec, settings: &Settings, seats: u8) -> Vec<Contestant> {
    let opponent = |number| Contestant {
        name: format!("opponent-{number}"),
        spec: OPPONENT.parse().expect("it names an engine"),
        text: OPPONENT.to_owned(),
    };
    let text = bot.command_line();
    let bot = Contestant { name: BOT.to_owned(), spec: bot.with_referee(settings), text };
    [bot].into_iter().chain((1..seats).map(opponent)).collect()
}
