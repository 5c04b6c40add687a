//! `kibitz suite`: asks a bot, or two versions of it, for its move in each position of a suite, and scores the answers. Needs no
//! server. Knows no game by name.

mod report;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Args;
use engines::arena::{AskedPlayer, Backends, PlayerSpec, TimeLimits, time_limit};
use engines::erased::AnyGame;
use engines::harness_file::text_of;
use engines::protocol::Settings;
use engines::rng::Seed;
use engines::suite::{CaseResult, SuiteCase, SuiteComparison, SuiteScore, grade, read_suite, table};

use crate::cli::arena::{NetworkClient, programs};
use crate::cli::ci::CiFiles;
use crate::cli::{analyse, console, verify};
use crate::matches::record::plain;
use crate::process::signals::stop_on_signals;
use report::{CheckedSuite, TestedPlayer};

/// What the exit status means, for `--help`.
const EXIT_STATUS: &str = "\
Exit status:
  0  as many positions are solved as --min-score says, and with --against the bot is not worse than the other
  1  fewer are solved, or the bot is worse
  2  the arguments are wrong, a file cannot be read or written, a player cannot be asked, or no position counts";

/// The usual seed of engines, and of what a position leaves unknown.
const SEED: u64 = 1;

/// Ask a bot for its move in positions with known good and bad moves, and score its answers
#[derive(Debug, Args)]
#[command(after_help = EXIT_STATUS)]
pub struct SuiteArgs {
    /// The suite: JSON lines, as `kibitz analyse --suite` writes them; `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The player, instead of a program after `--`: engine[:name=NAME,level=L,think=500ms,nodes=N], wasm:FILE or
    /// server:URL[,...], as for `kibitz arena`
    #[arg(long, short = 'p', value_name = "SPEC", value_parser = player, conflicts_with = "command")]
    player: Option<PlayerSpec>,

    /// Another player to compare with: a command line such as "./old-bot --fast", or as for --player
    #[arg(long, value_name = "COMMAND|SPEC", value_parser = player)]
    against: Option<PlayerSpec>,

    /// The least share of positions that must be solved, in percent [default: 100; with --against: any]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    min_score: Option<f64>,

    /// The time limit of a decision, instead of the game's own: milliseconds, or with a unit
    #[arg(long, value_name = "MS", value_parser = time_limit)]
    move_limit: Option<Duration>,

    /// Nodes by which the judge values a move that the suite does not list. Default: set by the game
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// A setting of the dialogue of programs, NAME=VALUE; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = super::check_bot::setting)]
    referee: Vec<(String, String)>,

    #[command(flatten)]
    ci: CiFiles,

    /// The bot: its program and arguments, or wasm:FILE for a program in the sandbox, after `--`
    #[arg(value_name = "PROGRAM", required_unless_present = "player", last = true)]
    command: Vec<String>,
}

/// Reads a player: a specification as the arena has it, or a command line.
fn player(text: &str) -> Result<PlayerSpec, String> {
    let kind = text.split([':', ',']).next().unwrap_or_default();
    let is_spec = ["engine", "cmd", "wasm", "server"].contains(&kind);
    let spec = if is_spec { text.parse() } else { format!("cmd:{text}").parse() };
    spec.map_err(|e: engines::arena::BadSpec| e.to_string())
}

fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').parse::<f64>().ok();
    number.filter(|x| (0.0..=100.0).contains(x)).ok_or_else(|| format!("'{text}' is not 0 to 100"))
}

/// Asks, and prints the answers and scores to standard output. Returns the exit code, as `--help` lists it.
pub fn run(args: &SuiteArgs) -> ExitCode {
    match try_run(args) {
        Ok(is_good) => ExitCode::from(u8::from(!is_good)),
        Err(text) => {
            console::print_error(format_args!("error: {}", plain(&text)));
            ExitCode::from(2)
        }
    }
}

/// Whether the score is as wanted.
fn try_run(args: &SuiteArgs) -> Result<bool, String> {
    let file = args.file.display().to_string();
    let bytes = verify::read(&args.file).map_err(|e| format!("{file}: {e}"))?;
    let text = text_of(&bytes).map_err(|e| format!("{file}, {e}"))?;
    let cases = read_suite(&text).map_err(|e| format!("{file}, {e}"))?;
    let game = cases[0].game;
    let settings = Settings(args.referee.iter().cloned().collect());
    game.check_referee(&settings).map_err(|e| e.detail)?;
    let asking = Asking {
        game,
        cases: &cases,
        nodes: args.nodes.unwrap_or(game.info().judge_nodes),
        limits: limits(game, args.move_limit),
        stop: stop_on_signals().map_err(|e| format!("cannot watch for signals: {e}"))?,
    };
    let spec = match &args.player {
        Some(spec) => spec.clone(),
        None => PlayerSpec::from_command_line(&args.command).map_err(|e| e.to_string())?,
    };
    let own = asking.ask_all(spec, &settings)?;
    let other = args.against.clone().map(|spec| asking.ask_all(spec, &settings)).transpose()?;
    let checked = CheckedSuite {
        name: file,
        title: game.info().title,
        cases: &cases,
        comparison: other.as_ref().map(|other| SuiteComparison::of(&own.results, &other.results)),
        own,
        other,
        min_score: args.min_score.or(args.against.is_none().then_some(100.0)),
    };
    let printed = console::print_line(checked.text().trim_end());
    args.ci.write(|| checked.ci())?;
    printed?;
    if checked.own.score.positions == 0 {
        return Err("no position counts: the bot was never asked in one of them".to_owned());
    }
    Ok(checked.is_good())
}

/// The game's limits, with another one for a decision.
fn limits(game: &dyn AnyGame, move_limit: Option<Duration>) -> TimeLimits {
    let official = TimeLimits::official(game.info());
    TimeLimits { per_move: move_limit.or(official.per_move), ..official }
}

/// What all players are asked.
struct Asking<'a> {
    game: &'static dyn AnyGame,
    cases: &'a [SuiteCase],
    /// The judge's budget.
    nodes: u64,
    limits: TimeLimits,
    stop: Arc<AtomicBool>,
}

impl Asking<'_> {
    /// Asks a player in every position, one after the other, so that it has the machine for itself.
    fn ask_all(&self, mut spec: PlayerSpec, settings: &Settings) -> Result<TestedPlayer, String> {
        if let PlayerSpec::Command { referee, .. } | PlayerSpec::Program { referee, .. } = &mut spec {
            for (name, value) in &settings.0 {
                referee.0.entry(name.clone()).or_insert_with(|| value.clone());
            }
            self.game.check_referee(referee).map_err(|e| e.detail)?;
        }
        let (network, programs) = (NetworkClient::new(), programs::host([&spec])?);
        let backends = Backends { http: &network, programs: programs.as_ref() };
        let player = AskedPlayer { spec: &spec, limits: self.limits, backends, stop: Arc::clone(&self.stop) };
        let bar = analyse::progress(self.cases.len(), "positions");
        let mut results: Vec<CaseResult> = Vec::with_capacity(self.cases.len());
        for case in self.cases {
            let view = case.view();
            let answer = case.asked(&*view, Seed::from(SEED)).ask(&player)?;
            let answer = answer.ok_or("stopped")?;
            results.push(grade(case, answer, self.nodes).map_err(|e| format!("{}: {e}", case.entry.name))?);
            bar.inc(1);
        }
        bar.finish_and_clear();
        let score = SuiteScore::of(&results);
        Ok(TestedPlayer { name: spec.to_string(), results, score })
    }
}

impl CheckedSuite<'_> {
    /// The answers and the scores.
    fn text(&self) -> String {
        let other = self.other.as_ref().map(|other| other.results.as_slice());
        let mut text = table(self.cases, &self.own.results, other);
        text += &self.notes();
        text += &format!("\n{}: {}\n", self.own.name, self.own.score.line());
        if let Some(other) = &self.other {
            text += &format!("{}: {}\n", other.name, other.score.line());
        }
        if let Some(comparison) = &self.comparison {
            text += &format!("{}\n", comparison.line());
        }
        text
    }
}
