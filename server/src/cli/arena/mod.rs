//! `kibitz arena`: the command line, progress bar and files of the library's arena, and its one HTTP client. Knows no game
//! by name.

mod log;
mod network;
pub(in crate::cli) mod programs;
mod progress;
mod report;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use engines::arena::{
    ArenaRecord, Backends, Contestant, Hypothesis, PlanOptions, PlayerSummary, RunPlan, RunSummary, Sprt,
    TimeLimits, read_positions, resume, time_limit,
};
use engines::erased::{AnyGame, StartPosition};
use engines::games::{GAMES, find};
use engines::harness_file::text_of;
use engines::rng::Seed;
use serde_json::{Value, json};

use crate::cli::ci::CiFiles;
use crate::cli::{console, verify};
use crate::process::signals::stop_on_signals;
use log::{ArenaLogError, RunLog};
pub(in crate::cli) use network::NetworkClient;
use progress::{FaultReporter, ProgressDisplay, RunningScore};

/// What the exit status means, for `--help`.
const EXIT_STATUS: &str = "\
Exit status:
  0  all games were played; with --sprt: H1 was accepted
  1  games were voided or not played, or a file or the table could not be written
  2  the arguments are wrong
  3  with --sprt: H0 was accepted
  4  with --sprt: all games were played, and the test is undecided";

/// Play matches between engines, programs and servers, on the same deals with seats exchanged
#[derive(Debug, Args)]
#[command(after_help = EXIT_STATUS)]
pub struct ArenaArgs {
    /// The game, by its short name
    #[arg(value_name = "GAME")]
    game: String,

    /// A player, NAME=SPEC; give it twice or more. SPEC is
    /// engine[:name=NAME,level=easy|medium|hard|max,think=500ms,nodes=N] or
    /// cmd[,SETTING=VALUE]:PROGRAM ARGUMENTS (speaks the official dialogue; SETTING: of the referee) or
    /// server:URL[,think=500ms,nodes=N,level=L,seed=N]
    #[arg(long = "player", short = 'p', value_name = "NAME=SPEC", required = true)]
    players: Vec<Contestant>,

    /// Number of games; the games of one deal, with seats exchanged, count one by one [default: 100; with --positions: each
    /// position once in every line-up]
    #[arg(long, short = 'n', value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    games: Option<u32>,

    /// Begin the matches with the positions of this file: JSON, one in a line, as move requests have them; or an official text, or
    /// a file of the contest's harness. What a position leaves unknown is drawn from the seed, alike in all games of a deal
    #[arg(long, value_name = "FILE", conflicts_with = "opening_plies")]
    positions: Option<PathBuf>,

    /// The seed of all deals and of the engines' randomness: a number or 64 hexadecimal digits
    #[arg(long, default_value = "1")]
    seed: Seed,

    /// The game's options as JSON, for example '{"players":4}'
    #[arg(long, value_name = "JSON", default_value = "{}", value_parser = json_value)]
    options: Value,

    /// Random moves with which the arena begins each deal, the same in all its games [default: 0; if all deals of the game are the
    /// same, as many as make them differ]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1000))]
    opening_plies: Option<u32>,

    /// Games played at the same time [default: number of cores]
    #[arg(long, short = 'c', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: Option<u16>,

    /// The time limit of a decision, instead of the game's own: milliseconds, or with a unit
    #[arg(long, value_name = "MS", value_parser = time_limit, conflicts_with = "no_limits")]
    move_limit: Option<Duration>,

    /// The time limit of all decisions of a seat in a match, instead of the game's own
    #[arg(long, value_name = "MS", value_parser = time_limit, conflicts_with = "no_limits")]
    match_limit: Option<Duration>,

    /// No time limits: a player that hangs hangs the run
    #[arg(long)]
    no_limits: bool,

    /// Stop early, by a sequential test of two players: is the first ELO0 (H0) or ELO1 (H1) stronger than the second? For
    /// example 0,10
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    sprt: Option<Sprt>,

    /// How often the test may accept H1 although H0 is true
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, requires = "sprt")]
    alpha: f64,

    /// How often the test may accept H0 although H1 is true
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, requires = "sprt")]
    beta: f64,

    /// Write the settings, a record of every game and the summary to this file, one JSON object per line. If the file
    /// contains an interrupted part of this run, only the rest is played
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Report at the end how reliable the players' evaluations were: per evaluation, the results of the matches
    #[arg(long)]
    calibration: bool,

    /// Write the moves into the records
    #[arg(long)]
    moves: bool,

    /// Write a file for each program in each game, game-N-seat-S.log: its dialogue, times, and what it writes to standard error
    #[arg(long, value_name = "DIR")]
    log_dir: Option<PathBuf>,

    #[command(flatten)]
    ci: CiFiles,
}

fn json_value(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|e| e.to_string())
}

/// Plays, and prints the table to standard output. Returns the exit code, as `--help` lists it.
pub fn run(args: ArenaArgs) -> ExitCode {
    match try_run(args) {
        Ok(summary) => ExitCode::from(status(&summary)),
        Err(ArenaError::Arguments(text)) => failed(&text, 2),
        Err(ArenaError::Writing(text)) => failed(&text, 1),
    }
}

/// The exit code of a run that was not refused and whose results are written.
fn status(summary: &RunSummary) -> u8 {
    let is_whole = summary.voided.is_empty() && summary.not_played == 0;
    match summary.sprt.map(|test| test.accepted) {
        _ if !is_whole => 1,
        None | Some(Some(Hypothesis::H1)) => 0,
        Some(Some(Hypothesis::H0)) => 3,
        Some(None) => 4,
    }
}

fn failed(text: &str, code: u8) -> ExitCode {
    console::print_error(format_args!("error: {text}"));
    ExitCode::from(code)
}

enum ArenaError {
    Arguments(String),
    Writing(String),
}

fn try_run(args: ArenaArgs) -> Result<RunSummary, ArenaError> {
    let game = find(&args.game).ok_or_else(|| {
        let names: Vec<&str> = GAMES.iter().map(|g| g.info().slug).collect();
        ArenaError::Arguments(format!("there is no game '{}'; the games are {}", args.game, names.join(", ")))
    })?;
    let (json, ci) = (args.json.clone(), args.ci.clone());
    let wanted = PlanOptions {
        limits: limits(&args, TimeLimits::official(game.info())),
        games: args.games,
        seed: args.seed,
        options: args.options,
        opening_plies: args.opening_plies,
        positions: args.positions.as_deref().map_or_else(|| Ok(Vec::new()), |file| positions(game, file))?,
        concurrency: args.concurrency.map_or_else(cores, usize::from),
        keep_moves: args.moves,
        keep_details: false,
        log_dir: args.log_dir,
        players: args.players,
    };
    let asked = |text: String| ArenaError::Arguments(text);
    let mut plan = RunPlan::new(game, wanted).map_err(|e| asked(e.to_string()))?;
    if let Some(sprt) = args.sprt {
        let sprt = Sprt { alpha: args.alpha, beta: args.beta, ..sprt }.checked();
        let sprt = sprt.map_err(|e| asked(format!("--sprt: {e}")))?;
        plan = plan.with_sprt(sprt).map_err(|e| asked(e.to_string()))?;
    }
    let programs = programs::host(plan.players().iter().map(|player| &player.spec)).map_err(asked)?;
    let (mut log, before) = match json.map(|path| RunLog::open(path, &plan)).transpose() {
        Ok(opened) => opened.map_or((None, Vec::new()), |(log, before)| (Some(log), before)),
        Err(ArenaLogError::Content(text)) => return Err(ArenaError::Arguments(text)),
        Err(ArenaLogError::System(text)) => return Err(ArenaError::Writing(text)),
    };
    let stop = stop_on_signals().map_err(|e| asked(format!("cannot watch for signals: {e}")))?;
    let notes = plan.notes().iter().map(|note| format!("note: {note}"));
    let continued =
        (!before.is_empty()).then(|| format!("continued: {} games are in the file already", before.len()));
    for line in [heading(&plan)].into_iter().chain(notes).chain(continued) {
        console::print_line(line).map_err(ArenaError::Writing)?;
    }
    let mut running = RunningScore::new(&plan);
    before.iter().for_each(|record| running.add(record));
    let progress = ProgressDisplay::new(plan.games(), before.len());
    let mut faults = FaultReporter::default();
    let each = |record: &ArenaRecord| {
        progress.print_above(|| faults.report(record));
        running.add(record);
        progress.set_score(&running);
        if let Some(log) = &mut log {
            log.line(&json!({ "record": record }));
        }
    };
    let backends = Backends { http: &NetworkClient::new(), programs: programs.as_ref() };
    let records = resume(&plan, before, backends, &stop, each, |ended| progress.set(ended));
    progress.end();
    let summary = RunSummary::of(&plan, &records);
    let calibrations = if args.calibration { calibrations(&summary) } else { String::new() };
    let printed = console::print_line(format!("\n{summary}{calibrations}").trim_end());
    // Standard output may be closed; write the file nevertheless.
    if let Some(mut log) = log {
        log.line(&json!({ "summary": summary }));
        log.close().map_err(ArenaError::Writing)?;
    }
    ci.write(|| report::ci(&plan, &summary)).map_err(ArenaError::Writing)?;
    printed.map_err(ArenaError::Writing)?;
    Ok(summary)
}

/// The positions of a file; `-`: of standard input.
fn positions(game: &dyn AnyGame, file: &Path) -> Result<Vec<StartPosition>, ArenaError> {
    let wrong = |why: String| ArenaError::Arguments(format!("--positions {}: {why}", file.display()));
    let bytes = verify::read(file).map_err(|e| wrong(e.to_string()))?;
    let text = text_of(&bytes).map_err(|e| wrong(e.to_string()))?;
    let found = read_positions(game, &text).map_err(|e| wrong(e.to_string()))?;
    match found.is_empty() {
        true => Err(wrong("the file has no position".to_owned())),
        false => Ok(found),
    }
}

/// A calibration table for each player.
fn calibrations(summary: &RunSummary) -> String {
    let table = |p: &PlayerSummary| match &p.calibration {
        Some(table) => format!("\ncalibration of {}\n{table}", p.name),
        None => format!("\ncalibration of {}: it reported no evaluations\n", p.name),
    };
    summary.players.iter().map(table).collect()
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn limits(args: &ArenaArgs, official: TimeLimits) -> TimeLimits {
    match (args.move_limit, args.match_limit) {
        _ if args.no_limits => TimeLimits::default(),
        (None, None) => official,
        (per_move, per_match) => TimeLimits {
            per_move: per_move.or(official.per_move),
            per_match: per_match.or(official.per_match),
        },
    }
}

fn heading(plan: &RunPlan) -> String {
    let settings = plan.to_json();
    let text = |v: &Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
    let of_limit = |name: &str| match &settings["limits"][name] {
        Value::Null => "none".to_owned(),
        ms => format!("{ms} ms"),
    };
    let players: Vec<String> = plan
        .players()
        .iter()
        .map(|p| {
            let engine = plan.engine_of(p).map_or_else(String::new, |e| format!(" ({e})"));
            format!("  {} = {}{engine}", p.name, p.text)
        })
        .collect();
    let opening = match (plan.opening_plies(), plan.positions()) {
        (0, 0) => String::new(),
        (0, 1) => "start: the same position in each deal\n".to_owned(),
        (0, positions) => format!("start: {positions} positions, a deal each in turn\n"),
        (plies, _) => format!("opening: {plies} random moves a deal\n"),
    };
    format!(
        "{} {}, {} seats, {}{} games, {} a deal, seed {}\n{opening}limits: a move {}, a match {}; {} at a time\n{}",
        text(&settings["game"]),
        settings["options"],
        plan.seats(),
        if plan.sprt().is_some() { "at most " } else { "" },
        plan.games(),
        plan.games_per_deal(),
        plan.seed_text(),
        of_limit("move_limit_ms"),
        of_limit("match_limit_ms"),
        settings["concurrency"],
        players.join("\n"),
    )
}
