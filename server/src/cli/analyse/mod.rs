//! `kibitz analyse`: reads finished matches and prints what each decision was worth and what made the result, or writes the costly
//! decisions as a suite. Needs no server, database or network.

mod files;

use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use engines::judge::{LocalJudgeHost, MatchAnalysis, judge, report};
use engines::suite::costly_positions;
use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::console;
use files::{MatchToAnalyse, read};

/// The least loss of a decision that becomes a position of a suite, in points: that of an inaccuracy.
const SUITE_LOSS: f64 = 5.0;

/// Settings of `kibitz analyse`.
#[derive(Clone, Debug, Args)]
pub(super) struct AnalyseArgs {
    /// A finished match: a record, or another file that `kibitz replay` reads as whole matches; `-` for standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Nodes by which each move is valued, in the engine's own measure. Default: set by the game
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// Print the analysis as JSON
    #[arg(long, conflicts_with = "suite")]
    pub json: bool,
    /// Write the costly decisions to this file, as positions for `kibitz suite`, and print only their number
    #[arg(long, value_name = "FILE")]
    pub suite: Option<PathBuf>,
    /// The least loss of a decision that is costly, in points of winning probability
    #[arg(long, value_name = "POINTS", default_value_t = SUITE_LOSS, requires = "suite")]
    pub least_loss: f64,
    /// Only decisions of the seats with this name
    #[arg(long, requires = "suite")]
    pub name: Option<String>,
}

/// Why a file is not analysed.
struct Failure {
    /// The exit code.
    code: u8,
    what: String,
}

/// Prints the analyses of matches. Returns the program's exit code: 0; 1, a match cannot be analysed; 2, there is none.
pub(super) fn run(args: &AnalyseArgs) -> ExitCode {
    match try_run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure { code, what }) => {
            console::print_error(format_args!("kibitz analyse: {what}"));
            ExitCode::from(code)
        }
    }
}

fn try_run(args: &AnalyseArgs) -> Result<(), Failure> {
    let mut lines = Vec::new();
    for file in &args.files {
        let at_file = |code| move |e: String| Failure { code, what: format!("{}: {e}", file.display()) };
        for found in read(file).map_err(at_file(2))? {
            let analysis = analysed(args, &found).map_err(at_file(1))?;
            match args.suite {
                Some(_) => lines.extend(suite_lines(args, file, &found, &analysis).map_err(at_file(1))?),
                None => print(args, &found, &analysis).map_err(at_file(1))?,
            }
        }
    }
    let Some(suite) = &args.suite else { return Ok(()) };
    let at_suite = |what: String| Failure { code: 1, what: format!("{}: {what}", suite.display()) };
    fs::write(suite, lines.concat()).map_err(|e| at_suite(e.to_string()))?;
    console::print_line(format_args!("{} positions written to {}", lines.len(), suite.display()))
        .map_err(at_suite)
}

fn analysed(args: &AnalyseArgs, found: &MatchToAnalyse) -> Result<MatchAnalysis, String> {
    let bar = progress(found.finished.played.moves.len(), "moves");
    let nodes = args.nodes.unwrap_or(found.game.info().judge_nodes);
    let mut host = LocalJudgeHost(|moves| bar.set_position(moves as u64));
    let result = judge(found.game, &found.finished, nodes, &mut host);
    bar.finish_and_clear();
    result.map_err(|e| e.to_string())
}

fn print(args: &AnalyseArgs, found: &MatchToAnalyse, analysis: &MatchAnalysis) -> Result<(), String> {
    let text = if args.json {
        serde_json::to_string_pretty(analysis).expect("an analysis is plain values with text keys")
    } else {
        report(analysis, &found.finished.played.names)
    };
    console::print_line(text.trim_end())
}

/// The costly decisions of a match as lines of a suite.
fn suite_lines(
    args: &AnalyseArgs,
    file: &Path,
    found: &MatchToAnalyse,
    analysis: &MatchAnalysis,
) -> Result<Vec<String>, String> {
    let label = match found.id.as_str() {
        "" => file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy().into_owned(),
        id => id.to_owned(),
    };
    let names = &found.finished.played.names;
    let is_named = |seat: usize| {
        let wanted = args.name.as_ref();
        wanted.is_none_or(|name| names.get(seat).is_some_and(|known| known.eq_ignore_ascii_case(name)))
    };
    let positions = costly_positions(found.game, &found.finished.played, analysis, &label, |one| {
        let loss = one.value.as_ref().map_or(0.0, |value| value.loss);
        100.0 * loss >= args.least_loss && is_named(one.seat.index())
    });
    let line = |position| {
        serde_json::to_string(&position).expect("a position of a suite is plain values with text keys") + "\n"
    };
    Ok(positions.map_err(|e| e.detail)?.into_iter().map(line).collect())
}

/// A progress bar on a terminal. `of`: what it counts.
pub(super) fn progress(length: usize, of: &str) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length as u64);
    let style =
        ProgressStyle::with_template(&format!("{{bar:30}} {{pos}}/{{len}} {of}, {{elapsed}}, {{eta}} to go"));
    style.map_or(bar.clone(), |style| bar.with_style(style))
}
