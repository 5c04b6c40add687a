//! What a file tells of a match: the start and the moves of a whole match, or the dialogue of one bot.

use std::time::Duration;

use serde_json::Value;

use crate::erased::FinishedMatch;
use crate::game::Seat;
use crate::harness_file::BotDialogue;
use crate::protocol::Settings;
use crate::rng::Seed;

/// A match, or a part of one, to replay.
#[derive(Clone, Debug, PartialEq)]
pub enum Recording {
    /// The whole match: any of its seats can be replayed.
    Match(Box<ReplayMatch>),
    /// The dialogue of one bot.
    Dialogue(BotDialogue),
}

/// A whole match.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayMatch {
    /// The state before the first turn, as [`crate::erased::AnyTable::state_json`] gives it.
    pub start: Value,
    /// The turns, in order; the number of a turn is its ply.
    pub turns: Vec<RecordedTurn>,
    /// Who held each seat, by the number of the seat.
    pub seats: Vec<ReplaySeat>,
}

/// The holder of a seat.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReplaySeat {
    /// The name of the player, as the file has it.
    pub name: String,
    /// Whether a program may have held it: not an engine of this project.
    pub is_bot: bool,
    /// The settings of the referee's side of its dialogue.
    pub referee: Settings,
    /// The seed of a program's random numbers, if the file tells it.
    pub program_seed: Option<Seed>,
}

/// A turn of any seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedTurn {
    /// The seat that was to move.
    pub seat: Seat,
    /// What its player did.
    pub answer: RecordedAnswer,
    /// The move that was played, chosen by the player or as a penalty; `None`: the match ended with this turn.
    pub played: Option<String>,
    /// How long the player thought.
    pub taken: Option<Duration>,
    /// The time that the player had left for this turn and all later ones.
    pub left: Option<Duration>,
}

/// What a player did at a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordedAnswer {
    /// Made a move, or printed a line.
    Move(String),
    /// Committed a foul, in words.
    Fault(String),
    /// Nothing: it was not asked, because it was out of the match.
    NotAsked,
    /// Not known: the file ends before the answer.
    Unknown,
}

impl From<FinishedMatch> for ReplayMatch {
    /// Programs may have held all seats.
    fn from(finished: FinishedMatch) -> Self {
        let turns = finished.moves.into_iter().map(|one| RecordedTurn {
            seat: one.seat,
            answer: match one.mistake {
                None => RecordedAnswer::Move(one.notation.clone()),
                Some(mistake) => RecordedAnswer::Fault(mistake),
            },
            played: Some(one.notation),
            taken: None,
            left: None,
        });
        let seat = |name| ReplaySeat { name, is_bot: true, ..ReplaySeat::default() };
        Self {
            start: finished.dealt,
            turns: turns.collect(),
            seats: finished.names.into_iter().map(seat).collect(),
        }
    }
}
