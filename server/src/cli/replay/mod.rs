//! `kibitz replay`: the command line of the library's replays of finished matches. Knows no game by name.

mod choice;
mod files;
mod report;

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use engines::arena::{
    PlayerSpec, ProgramHost, Recording, ReplayBot, ReplayCounts, ReplayEnd, replay, seat_dialogue, time_limit,
};
use engines::erased::AnyGame;
use engines::game::Seat;
use engines::games::{GAMES, find};
use engines::protocol::Settings;

use crate::cli::arena::programs;
use crate::cli::console;
use crate::matches::record::match_file::FoundMatch;
use crate::matches::record::plain;
use crate::process::signals::stop_on_signals;
use choice::{BotChoice, ChosenSeat};
use files::ReadFiles;

/// What the exit status means, for `--help`.
const EXIT_STATUS: &str = "\
Exit status:
  0  all answers are as recorded; where a fault was recorded, the bot now answers with a legal move
  1  an answer differs from the recorded one
  2  the arguments are wrong, a file cannot be read, or the bot cannot be started
  3  the bot made a mistake: a crash, an illegal move, a wrong line, or no answer in time
  4  the replay was stopped";

/// Replay finished matches with a new version of a bot, and compare its answers with the recorded ones
#[derive(Debug, Args)]
#[command(after_help = EXIT_STATUS)]
pub struct ReplayArgs {
    /// A record, a download of records (.ndjson, also .gz), a file of `kibitz arena --json --moves`, a transcript, or a file of a
    /// contest's referee; with --all also a folder of such files; `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Replay all matches of the file or folder, and print a summary
    #[arg(long, conflicts_with_all = ["until", "dialogue"])]
    all: bool,

    /// The seat of the bot, from 0 [default: the only seat that no built-in engine held]
    #[arg(long, value_name = "N", conflicts_with = "name")]
    seat: Option<u8>,

    /// The name of the bot in the file, instead of its seat
    #[arg(long)]
    name: Option<String>,

    /// Only matches of this game; needed if a transcript can be one of several games
    #[arg(long)]
    game: Option<String>,

    /// The id of the match in a file with several, or the beginning of the id
    #[arg(long = "match", value_name = "ID")]
    id: Option<String>,

    /// Stop at the bot's first turn from this ply on, before it gets its input, so that a debugger can be attached
    #[arg(long, value_name = "PLY")]
    until: Option<u32>,

    /// The time limit of a decision, instead of the game's own: milliseconds, or with a unit
    #[arg(long, value_name = "MS", value_parser = time_limit)]
    move_limit: Option<Duration>,

    /// A setting of the dialogue, NAME=VALUE, instead of the recorded ones; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = super::check_bot::setting)]
    referee: Vec<(String, String)>,

    /// Print the dialogue of the seat as a transcript, and start no bot
    #[arg(long)]
    dialogue: bool,

    /// The bot: its program and arguments, or wasm:FILE for a program in the sandbox, after `--`
    #[arg(
        value_name = "PROGRAM",
        required_unless_present = "dialogue",
        conflicts_with = "dialogue",
        last = true
    )]
    command: Vec<String>,
}

/// The exit codes; see [`EXIT_STATUS`].
const DIFFERENT: u8 = 1;
const WRONG: u8 = 2;
const FAULTY: u8 = 3;
const STOPPED: u8 = 4;

/// Replays, and prints what was found to standard output. Returns the exit code, as `--help` lists it.
pub fn run(args: &ReplayArgs) -> ExitCode {
    match try_run(args) {
        Ok(code) => ExitCode::from(code),
        Err(text) => {
            console::print_error(format_args!("error: {}", plain(&text)));
            ExitCode::from(WRONG)
        }
    }
}

fn try_run(args: &ReplayArgs) -> Result<u8, String> {
    let game = args.game.as_deref().map(known_game).transpose()?;
    let ReadFiles { mut matches, notes, errors } = files::read(&args.file, args.all, game)?;
    for line in notes.iter().chain(&errors) {
        console::print_error(plain(line));
    }
    if let Some(id) = &args.id {
        matches.retain(|found| found.id.starts_with(id.as_str()));
    }
    if !args.all && matches.len() > 1 {
        let ids: Vec<&str> = matches.iter().take(3).map(|found| found.id.as_str()).collect();
        let count = matches.len();
        return Err(format!(
            "the file has {count} matches: choose one with --match ID ({}, ...), or all with --all",
            ids.join(", ")
        ));
    }
    let games: BTreeSet<&str> = matches.iter().map(|found| found.game.info().slug).collect();
    if games.len() > 1 {
        let games: Vec<&str> = games.into_iter().collect();
        return Err(format!("these are matches of {}: choose one game with --game", games.join(" and ")));
    }
    let spec = match args.command.as_slice() {
        [] => None,
        words => Some(PlayerSpec::from_command_line(words).map_err(|e| e.to_string())?),
    };
    let mut referee = spec.as_ref().and_then(PlayerSpec::referee).cloned().unwrap_or_default();
    referee.0.extend(args.referee.iter().cloned());
    let chosen = BotChoice { seat: args.seat.map(Seat), name: args.name.as_deref() };
    let mut seats = Vec::new();
    for found in &matches {
        found.game.check_referee(&referee).map_err(|e| e.detail)?;
        let of_match = chosen.seats(found).map_err(|why| format!("{}: {why}", found.label))?;
        if of_match.is_empty() && !args.all {
            return Err(format!("{}: no seat has this name", found.label));
        }
        seats.extend(of_match.into_iter().map(|seat| (found, seat)));
    }
    if seats.is_empty() {
        return Err(format!("there is no match to replay in {}", args.file.display()));
    }
    let programs = programs::host(&spec)?;
    let session = ReplaySession {
        args,
        spec: spec.as_ref(),
        programs: programs.as_ref(),
        referee: (!referee.0.is_empty()).then_some(&referee),
        stop: stop_on_signals().map_err(|e| format!("cannot watch for signals: {e}"))?,
    };
    let Some(bot) = session.spec else {
        let (found, seat) = &seats[0];
        return session.print_dialogue(found, seat).map(|()| 0);
    };
    let code = session.replay_all(bot, &seats)?;
    Ok(if errors.is_empty() || code != 0 { code } else { WRONG })
}

fn known_game(slug: &str) -> Result<&'static dyn AnyGame, String> {
    find(slug).ok_or_else(|| {
        let names: Vec<&str> = GAMES.iter().map(|game| game.info().slug).collect();
        format!("there is no game '{slug}'; the games are {}", names.join(", "))
    })
}

/// The replays of one call.
struct ReplaySession<'a> {
    args: &'a ReplayArgs,
    /// The bot; `None`: only the dialogue is printed.
    spec: Option<&'a PlayerSpec>,
    programs: &'a dyn ProgramHost,
    /// The settings of the referee's side, if the user gives some.
    referee: Option<&'a Settings>,
    stop: Arc<AtomicBool>,
}

impl ReplaySession<'_> {
    /// Replays these seats and prints what it finds; returns the exit code.
    fn replay_all(&self, spec: &PlayerSpec, seats: &[(&FoundMatch, ChosenSeat)]) -> Result<u8, String> {
        let mut counts = ReplayCounts::default();
        let mut ended = 0;
        for (found, seat) in seats {
            let bot = ReplayBot {
                spec,
                programs: self.programs,
                referee: self.referee,
                move_limit: self.args.move_limit,
                until: self.args.until,
                stop: &self.stop,
            };
            let replay = replay(found.game, &seat.recording, seat.seat, &bot, &mut wait_for_enter);
            counts.add(&replay);
            if let (ReplayEnd::Void(why), true) =
                (&replay.end, replay.comparisons.is_empty() && !self.args.all)
            {
                return Err(why.clone());
            }
            let text = match self.args.all {
                true => report::in_short(found, seat, &replay),
                false => report::in_full(found, seat, &replay),
            };
            console::print_line(text.trim_end())?;
            match replay.end {
                ReplayEnd::Void(why) if !self.args.all => return Err(why),
                ReplayEnd::Void(_) => ended = WRONG,
                ReplayEnd::Stopped => ended = STOPPED,
                ReplayEnd::Complete | ReplayEnd::Diverged | ReplayEnd::Until => {}
            }
            if self.stop.load(Ordering::Relaxed) {
                ended = STOPPED;
                break;
            }
        }
        if self.args.all {
            console::print_line(report::summary(&counts).trim_end())?;
        }
        Ok(match counts {
            _ if ended == STOPPED => STOPPED,
            _ if counts.faults() > 0 => FAULTY,
            _ if counts.different > 0 => DIFFERENT,
            _ => ended,
        })
    }

    fn print_dialogue(&self, found: &FoundMatch, seat: &ChosenSeat) -> Result<(), String> {
        let entries = match &seat.recording {
            Recording::Dialogue(dialogue) => dialogue.entries.clone(),
            Recording::Match(recorded) => {
                let known = recorded.seats.get(seat.seat.index()).map(|seat| &seat.referee);
                let referee = self.referee.or(known).cloned().unwrap_or_default();
                let lines = seat_dialogue(found.game, recorded, seat.seat, &referee, self.args.until)?;
                lines.into_iter().map(|line| line.entry).collect()
            }
        };
        entries.iter().try_for_each(console::print_line)
    }
}

/// Says which process waits, and waits for a line or the end of standard input.
fn wait_for_enter(ply: u32, process: u32) {
    console::print_error(format_args!(
        "ply {ply}: process {process} has not got its input yet. Attach a debugger, for example with: gdb -p {process}\n\
         Press Enter to send the input; then there is no limit of time."
    ));
    // An error counts as the end.
    let _ = io::stdin().read_line(&mut String::new());
}
