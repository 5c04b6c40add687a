//! `kibitz analyse`: reads a finished match and prints what each decision was worth and what made the result. Needs no server,
//! database or network.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use engines::erased::AnyGame;
use engines::games;
use engines::judge::{LocalJudgeHost, MatchToJudge, judge, report};
use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::{console, verify};
use crate::matches::record::Record;

/// Settings of `kibitz analyse`.
#[derive(Clone, Debug, Args)]
pub(super) struct AnalyseArgs {
    /// The record, as `GET /v1/matches/ID/record` returns it; `-` for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Nodes by which each move is valued, in the engine's own measure. Default: set by the game
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// Print the analysis as JSON
    #[arg(long)]
    pub json: bool,
}

/// Prints the analysis of a match. Returns the program's exit code: 0; 1, the match cannot be analysed; 2, there is none.
pub(super) fn run(args: &AnalyseArgs) -> ExitCode {
    let failed = |e: &str, code| {
        console::print_error(format_args!("kibitz analyse: {}: {e}", args.file.display()));
        ExitCode::from(code)
    };
    let (game, finished) = match finished_match(args) {
        Ok(found) => found,
        Err(e) => return failed(&e, 2),
    };
    let bar = progress(finished.played.moves.len());
    let nodes = args.nodes.unwrap_or(game.info().judge_nodes);
    let result = judge(game, &finished, nodes, &mut LocalJudgeHost(|moves| bar.set_position(moves as u64)));
    bar.finish_and_clear();
    let analysis = match result {
        Ok(analysis) => analysis,
        Err(e) => return failed(&e.to_string(), 1),
    };
    let text = if args.json {
        serde_json::to_string_pretty(&analysis).expect("an analysis is plain values with text keys")
    } else {
        report(&analysis, &finished.played.names)
    };
    match console::print_line(text.trim_end()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => failed(&e, 1),
    }
}

/// The finished match in the file, and its game.
fn finished_match(args: &AnalyseArgs) -> Result<(&'static dyn AnyGame, MatchToJudge), String> {
    let text = verify::read(&args.file).map_err(|e| e.to_string())?;
    let record = Record::read(&text).map_err(|unreadable| match unreadable.event {
        Some(place) => format!("event {place}: {}", unreadable.what),
        None => unreadable.what,
    })?;
    let game =
        games::find(&record.game).ok_or_else(|| format!("game: {:?} is not known here", record.game))?;
    Ok((game, record.to_judge(game)))
}

/// A progress bar on a terminal.
fn progress(moves: usize) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(moves as u64);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} moves, {elapsed}, {eta} to go");
    style.map_or(bar.clone(), |style| bar.with_style(style))
}
