//! What a replay found: each answer beside the recorded one, and the counts.

use std::time::Duration;

use serde::Serialize;

use super::recording::RecordedAnswer;
use crate::arena::play::decision::BotFault;
use crate::arena::record::ErrorLine;

/// An answer beside the recorded one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// Moves made before it; in a dialogue that does not say how many, the answers of the bot before it.
    pub ply: u32,
    /// What was recorded.
    pub recorded: RecordedAnswer,
    /// How long the recorded answer took.
    pub recorded_taken: Option<Duration>,
    /// What the program answers now.
    pub answer: Result<String, BotFault>,
    /// How long that took.
    pub taken: Duration,
    /// What the program wrote to its standard error since its answer before, unless the answer is as recorded.
    pub errors: Vec<ErrorLine>,
    /// The lines that it had read since its answer before, unless the answer is as recorded.
    pub read: Vec<String>,
}

/// How an answer compares with the recorded one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The same move.
    Same,
    /// Another legal move.
    Different,
    /// A legal move where a fault was recorded.
    FaultGone,
    /// A fault where one was recorded.
    FaultAgain,
    /// A fault where a move was recorded, or nothing.
    NewFault,
    /// A legal move where nothing was recorded.
    Unrecorded,
}

impl Comparison {
    /// How the answers compare.
    pub fn verdict(&self) -> Verdict {
        match (&self.recorded, &self.answer) {
            (RecordedAnswer::Move(before), Ok(now)) if before == now => Verdict::Same,
            (RecordedAnswer::Move(_), Ok(_)) => Verdict::Different,
            (RecordedAnswer::Fault(_), Ok(_)) => Verdict::FaultGone,
            (RecordedAnswer::Fault(_), Err(_)) => Verdict::FaultAgain,
            (_, Err(_)) => Verdict::NewFault,
            (RecordedAnswer::NotAsked | RecordedAnswer::Unknown, Ok(_)) => Verdict::Unrecorded,
        }
    }
}

/// Why a replay ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayEnd {
    /// Everything was compared.
    Complete,
    /// The program answered otherwise, so the rest of the dialogue does not fit it: it has one process for the match.
    Diverged,
    /// The ply at which it was to stop.
    Until,
    /// The user stopped it.
    Stopped,
    /// It cannot be replayed; one sentence.
    Void(String),
}

/// The replay of one seat of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// The answers, in order.
    pub comparisons: Vec<Comparison>,
    /// Why it ended.
    pub end: ReplayEnd,
    /// The recorded answers that were not compared.
    pub left_out: usize,
}

impl Replay {
    /// The first answer that is not as recorded.
    pub fn first_difference(&self) -> Option<&Comparison> {
        self.comparisons.iter().find(|one| one.verdict() != Verdict::Same)
    }
}

/// The number of answers by verdict, over one or more replays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReplayCounts {
    /// How many recorded matches were put before the bot again.
    pub replays: usize,
    /// Answers as recorded.
    pub same: usize,
    /// Other legal moves.
    pub different: usize,
    /// Legal moves where faults were recorded.
    pub faults_gone: usize,
    /// Faults where faults were recorded.
    pub faults_again: usize,
    /// Faults where moves were recorded, or nothing.
    pub new_faults: usize,
    /// Legal moves where nothing was recorded.
    pub unrecorded: usize,
    /// Recorded answers that were not compared.
    pub left_out: usize,
}

impl ReplayCounts {
    /// Adds a replay.
    pub fn add(&mut self, replay: &Replay) {
        self.replays += 1;
        self.left_out += replay.left_out;
        for one in &replay.comparisons {
            *match one.verdict() {
                Verdict::Same => &mut self.same,
                Verdict::Different => &mut self.different,
                Verdict::FaultGone => &mut self.faults_gone,
                Verdict::FaultAgain => &mut self.faults_again,
                Verdict::NewFault => &mut self.new_faults,
                Verdict::Unrecorded => &mut self.unrecorded,
            } += 1;
        }
    }

    /// The faults of the program.
    pub fn faults(&self) -> usize {
        self.faults_again + self.new_faults
    }
}
