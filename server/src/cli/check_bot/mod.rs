//! `kibitz check-bot`: checks a bot, and prints the report with what to do next.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use engines::arena::{ArenaRecord, Backends, BotCheck, BotCheckReport, PlayerSpec, time_limit};
use engines::games::{GAMES, find};
use engines::rng::Seed;

use crate::cli::arena::programs;
use crate::cli::console;
use crate::process::signals::stop_on_signals;

/// What the exit status means, for `--help`.
const EXIT_STATUS: &str = "\
Exit status:
  0  the bot made no mistake
  1  it made mistakes, or could not be started
  2  the arguments are wrong";

/// Check a bot: play short matches in every seat, and report what its author should know
#[derive(Debug, Args)]
#[command(after_help = EXIT_STATUS)]
pub struct CheckBotArgs {
    /// The game, by its short name
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

    /// The bot: its program and arguments, after `--`; wasm:FILE is a program for the sandbox
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
    let text = format!("{report}{}", verdict(&report));
    if let Err(text) = console::print_line(text.trim_end()) {
        console::print_error(format_args!("error: {text}"));
        return ExitCode::FAILURE;
    }
    if report.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn check(args: &CheckBotArgs) -> Result<BotCheckReport, String> {
    let game = find(&args.game).ok_or_else(|| {
        let names: Vec<&str> = GAMES.iter().map(|g| g.info().slug).collect();
        format!("there is no game '{}'; the games are {}", args.game, names.join(", "))
    })?;
    let bot = PlayerSpec::from_command_line(&args.command).map_err(|e| e.to_string())?;
    let mut referee = bot.referee().cloned().unwrap_or_default();
    referee.0.extend(args.referee.iter().cloned());
    let bot = bot.with_referee(&referee);
    let check = BotCheck { bot, deals: args.deals, seed: args.seed, move_limit: args.move_limit };
    let programs = match programs::host([&check.bot]) {
        Ok(programs) => programs,
        Err(why) => return Ok(BotCheckReport::of_void(game, &check.bot, why)),
    };
    let backends = Backends { programs: programs.as_ref(), ..Backends::NONE };
    let stop = stop_on_signals().map_err(|e| format!("cannot watch for signals: {e}"))?;
    let progress = |seats: u8, record: &ArenaRecord| {
        if let Some(seat) = record.seats_of("bot").next() {
            console::print_error(format_args!("{seats} seats, seat {seat}: {} moves", record.plies));
        }
    };
    check.run(game, backends, &stop, progress)
}

/// The end of the report: whether the bot is ready, and the command that brings it online.
fn verdict(report: &BotCheckReport) -> String {
    let BotCheckReport { game, bot, .. } = report;
    if report.void.is_some() || report.stopped {
        return String::new();
    }
    if !report.is_clean() {
        return "The bot is not ready: it made mistakes.".to_owned();
    }
    if report.is_program {
        return format!(
            "The bot is ready: kibitz-shim upload SERVER --token-file FILE --bot NAME --game {game} {bot}"
        );
    }
    let settings: String =
        report.known_settings().iter().map(|(name, value)| format!(" --referee {name}={value}")).collect();
    format!("The bot is ready: kibitz-shim play SERVER --game {game}{settings} -- {bot}")
}
