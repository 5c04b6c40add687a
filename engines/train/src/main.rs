//! Training and tuning programs of the engines: one command for each game and task. They make the files of weights that
//! the engines are built with; see README.md for all commands.

mod azul;
mod budget;
mod buraco;
mod judge_check;
mod paired;
mod parallel;
mod septica;
mod splendor;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Trains and tunes the engines.
#[derive(Parser)]
#[command(version)]
struct TrainCli {
    #[command(subcommand)]
    task: TrainingTask,
}

#[derive(Subcommand)]
enum TrainingTask {
    /// Azul: trains the round-end network, the value of a round's end, by searches after it (round_end.net).
    AzulRoundEnd(azul::round_end_net::RoundEndArgs),
    /// Azul: trains the mid-round network, the value of a position inside a round, by searches of it (mid_round.net).
    AzulMidRound(azul::mid_round_net::MidRoundArgs),
    /// Azul: fits the move prior, the priors of moves, to the visits of searches (move_prior.txt).
    AzulMovePrior(budget::TrainArgs),
    /// Azul: fits the table from search values to expected scores (score.txt).
    AzulScores(budget::TrainArgs),
    /// Azul: measures two settings of the search by paired games.
    AzulMeasure(azul::measure::MeasureArgs),
    /// Azul: collects positions in which the search chooses a worse move than searches of each move alone (JSON).
    AzulHard(azul::hard::HardArgs),
    /// Azul: counts the hard positions that searches get right.
    AzulHardCheck(azul::hard::CheckArgs),
    /// Buraco: fits the value network to playouts (value.bin).
    BuracoValue(buraco::value::ValueArgs),
    /// Buraco: fits the habits of the playouts' player by self-play (habits.txt).
    BuracoHabits(buraco::habits::HabitArgs),
    /// Any game: compares the judge of finished matches with the results of matches between levels.
    JudgeCheck(judge_check::JudgeCheckArgs),
    /// Septica: trains the network by self-play and against the baselines (net.bin).
    SepticaNet(budget::TrainArgs),
    /// Septica: measures players as the contest's seat, also one that sees all cards.
    SepticaMeasure(septica::measure::MeasureArgs),
    /// Splendor: trains the network of one number of seats by self-play (two.net, three.net, four.net).
    SplendorNet(splendor::NetArgs),
    /// Splendor: makes the mean of networks of one run.
    SplendorMean(splendor::mean::MeanArgs),
    /// Splendor: measures a network or settings of the search by paired games.
    SplendorMeasure(splendor::compare::MeasureArgs),
    /// Splendor: counts what a player buys and reserves, and compares its values with the results.
    SplendorProfile(splendor::profile::ProfileArgs),
}

fn main() -> ExitCode {
    let result = match TrainCli::parse().task {
        TrainingTask::AzulRoundEnd(args) => azul::round_end_net::run(&args),
        TrainingTask::AzulMidRound(args) => azul::mid_round_net::run(&args),
        TrainingTask::AzulMeasure(args) => azul::measure::run(&args),
        TrainingTask::AzulMovePrior(args) => azul::move_prior::run(&args),
        TrainingTask::AzulScores(args) => azul::scores::run(&args),
        TrainingTask::AzulHard(args) => azul::hard::run(&args),
        TrainingTask::AzulHardCheck(args) => azul::hard::check(&args),
        TrainingTask::BuracoValue(args) => buraco::value::run(&args),
        TrainingTask::BuracoHabits(args) => buraco::habits::run(&args),
        TrainingTask::JudgeCheck(args) => judge_check::run(&args),
        TrainingTask::SepticaNet(args) => septica::net::run(&args),
        TrainingTask::SepticaMeasure(args) => septica::measure::run(&args),
        TrainingTask::SplendorNet(args) => splendor::run(&args),
        TrainingTask::SplendorMean(args) => splendor::mean::run(&args),
        TrainingTask::SplendorMeasure(args) => splendor::compare::run(&args),
        TrainingTask::SplendorProfile(args) => splendor::profile::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("engines-train: {error}");
            ExitCode::FAILURE
        }
    }
}
