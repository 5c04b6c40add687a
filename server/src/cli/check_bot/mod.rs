//! `kibitz check-bot`: plays short matches with a bot in every seat, finds the settings of the dialogue that it needs, and reports
//! in plain words what its author should know. Knows no game by name.

mod report;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use engines::arena::{
    ArenaRecord, Backends, Contestant, PlanOptions, PlayerSpec, RunPlan, TimeLimits, run as play_all,
    time_limit,
};
use engines::dialogue::{MIRROR, SettingValues};
use engines::erased::AnyGame;
use engines::games::{GAMES, find};
use engines::protocol::Settings;
use engines::rng::Seed;

use crate::cli::console;
use crate::process::signals::stop_on_signals;
use report::{CheckedMatch, Report, Trial};

/// What the exit status means, for `--help`.
const EXIT_STATUS: &str = "\
Exit status:
  0  the bot made no mistake
  1  it made mistakes, or could not be started
  2  the arguments are wrong";

/// The name of the bot, and of its opponents, in the records of the matches.
const BOT: &str = "bot";
/// The matches of a check, at least.
const USUAL_MATCHES: u32 = 6;
/// The opponents play fast, and like beginners.
const OPPONENT: &str = "engine:level=easy,think=50ms";

/// Check a bot: play short matches in every seat, and report what its author should know
#[derive(Debug, Args)]
#[command(after_help = EXIT_STATUS)]
pub struct CheckBotArgs {
    /// The game
    #[arg(value_name = "GAME")]
    game: String,

    /// Deals for each number of seats; the bot plays each from every seat [default: as many as make six matches]
    #[arg(long, short = 'n', value_parser = clap::value_parser!(u32).range(1..=1000))]
    deals: Option<u32>,

    /// The seed of all deals: a number or 64 hexadecimal digits
    #[arg(long, default_value = "1")]
    seed: Seed,

    /// The time limit of a decision, instead of the game's own: milliseconds, or with a unit
    #[arg(long, value_name = "MS", value_parser = time_limit)]
    move_limit: Option<Duration>,

    /// A setting of the dialogue, NAME=VALUE, instead of trying out all of them; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    referee: Vec<(String, String)>,

    /// The bot: its program and arguments, after `--`
    #[arg(value_name = "PROGRAM", required = true, last = true)]
    command: Vec<String>,
}

/// Reads a setting of the dialogue from an argument.
pub(in crate::cli) fn setting(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("it must be NAME=VALUE, such as base=0")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Checks the bot, and prints the report to standard output. Returns the exit code, as `--help` lists it.
pub fn run(args: &CheckBotArgs) -> ExitCode {
    let report = match check(args) {
        Ok(report) => report,
        Err(text) => {
            console::print_error(format_args!("error: {text}"));
            return ExitCode::from(2);
        }
    };
    if let Err(text) = console::print_line(format!("{report}").trim_end()) {
        console::print_error(format_args!("error: {text}"));
        return ExitCode::FAILURE;
    }
    if report.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn check(args: &CheckBotArgs) -> Result<Report, String> {
    let game = find(&args.game).ok_or_else(|| {
        let names: Vec<&str> = GAMES.iter().map(|g| g.info().slug).collect();
        format!("there is no game '{}'; the games are {}", args.game, names.join(", "))
    })?;
    let check =
        Check { game, args, stop: stop_on_signals().map_err(|e| format!("cannot watch for signals: {e}"))? };
    let given = Settings(args.referee.iter().cloned().collect());
    game.check_referee(&given).map_err(|e| e.detail)?;
    let (settings, trials) = check.settings(given)?;
    let mut report = Report::new(game, &args.command, settings, trials);
    if !report.is_startable() {
        return Ok(report);
    }
    let matches: u32 = check.tables().into_iter().map(|seats| check.seats_of_bots(seats)).sum();
    let deals = args.deals.unwrap_or_else(|| USUAL_MATCHES.div_ceil(matches.max(1)));
    for seats in check.tables() {
        if report.is_void() {
            break;
        }
        let settings = report.settings().clone();
        report.add(check.play(seats, &settings, deals * check.seats_of_bots(seats))?);
    }
    if !game.info().mirror_seats.is_empty() && !report.is_void() {
        report.mirror = check.mirror(report.settings(), deals)?;
    }
    report.stopped = check.stop.load(Ordering::Relaxed);
    Ok(report)
}

struct Check<'a> {
    game: &'static dyn AnyGame,
    args: &'a CheckBotArgs,
    stop: Arc<AtomicBool>,
}

impl Check<'_> {
    /// The numbers of seats that the game can have.
    fn tables(&self) -> Vec<u8> {
        let info = self.game.info();
        (info.min_seats..=info.max_seats).filter(|seats| self.game.options_for(*seats).is_some()).collect()
    }

    /// Plays as many matches in the seats that the contest gives to no bot. A bot that does not know their dialogue makes
    /// mistakes there.
    fn mirror(&self, settings: &Settings, deals: u32) -> Result<Option<Trial>, String> {
        let mut settings = settings.clone();
        settings.0.insert(MIRROR.name.to_owned(), "yes".to_owned());
        let seats = self.game.info().max_seats;
        let all = self.play(seats, &settings, 2 * deals * self.seats_of_bots(seats))?;
        let others: Vec<CheckedMatch> =
            all.into_iter().filter(|one| one.is_in(self.game.info().mirror_seats)).collect();
        Ok((!others.is_empty()).then(|| Trial::of(settings, &others)))
    }

    /// The number of the bots' seats at a table of this size.
    fn seats_of_bots(&self, seats: u8) -> u32 {
        self.game.info().bot_seats.iter().filter(|seat| **seat < seats).count() as u32
    }

    /// The settings with which the bot made the fewest mistakes, the defaults among equals; and all that were tried.
    fn settings(&self, given: Settings) -> Result<(Settings, Vec<Trial>), String> {
        let variants = if given.0.is_empty() { variants(self.game) } else { vec![given] };
        if let [only] = variants.as_slice() {
            return Ok((only.clone(), Vec::new()));
        }
        // A table of two shows it as well as a larger one.
        let seats = self.game.info().min_seats.max(2).min(self.game.info().max_seats);
        let mut trials = Vec::new();
        for settings in variants {
            let played = self.play(seats, &settings, 1)?;
            let trial = Trial::of(settings, &played);
            let is_final = trial.mistakes == 0 || trial.void.is_some();
            trials.push(trial);
            if is_final {
                break;
            }
        }
        let best = trials.iter().min_by(|a, b| a.share().total_cmp(&b.share()));
        Ok((best.map(|trial| trial.settings.clone()).unwrap_or_default(), trials))
    }

    /// Plays this many matches. The bot changes its seat from match to match.
    fn play(&self, seats: u8, settings: &Settings, matches: u32) -> Result<Vec<CheckedMatch>, String> {
        let wanted = PlanOptions {
            players: players(&self.args.command, settings, seats),
            games: Some(matches),
            seed: self.args.seed,
            options: self.game.options_for(seats).unwrap_or_default(),
            // The contest's own starts.
            opening_plies: Some(0),
            positions: Vec::new(),
            limits: TimeLimits {
                per_move: self.args.move_limit.or(TimeLimits::official(self.game.info()).per_move),
                ..TimeLimits::official(self.game.info())
            },
            // The bot has the machine for itself.
            concurrency: 1,
            keep_moves: true,
            keep_details: true,
            log_dir: None,
        };
        let plan = RunPlan::new(self.game, wanted).map_err(|e| e.to_string())?;
        let progress = |record: &ArenaRecord| {
            if let Some(seat) = record.seats_of(BOT).next() {
                console::print_error(format_args!("{seats} seats, seat {seat}: {} moves", record.plies));
            }
        };
        let records = play_all(&plan, Backends::NONE, &self.stop, progress, |_| {});
        Ok(records.into_iter().filter_map(|record| CheckedMatch::new(seats, record)).collect())
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

fn players(command: &[String], settings: &Settings, seats: u8) -> Vec<Contestant> {
    let bot = PlayerSpec::Command { words: command.to_vec(), referee: settings.clone() };
    let opponent = |number| Contestant {
        name: format!("opponent-{number}"),
        spec: OPPONENT.parse().expect("it names an engine"),
        text: OPPONENT.to_owned(),
    };
    let bot = Contestant { name: BOT.to_owned(), spec: bot, text: command.join(" ") };
    [bot].into_iter().chain((1..seats).map(opponent)).collect()
}
