//! Finished matches with their types, and the formats in which games write them for other programs.

use crate::game::{Game, Seat};

/// A record format for finished matches that other programs read, such as a referee's own files.
pub struct RecordFormat<G: Game> {
    /// Short name, used in requests.
    pub name: &'static str,
    /// Its media type, such as `application/json`.
    pub media_type: &'static str,
    /// One sentence: what it is and which programs read it.
    pub summary: &'static str,
    /// Writes a match.
    pub write: fn(&RecordedMatch<G>) -> String,
}

/// The events of a finished match. All its moves were legal.
pub struct RecordedMatch<G: Game> {
    /// The state as dealt.
    pub dealt: G::State,
    /// The moves, in order.
    pub moves: Vec<RecordedMove<G>>,
    /// The names of the seats, one each.
    pub names: Vec<String>,
}

/// A move of a finished match.
pub struct RecordedMove<G: Game> {
    /// The seat that moved.
    pub seat: Seat,
    /// The move.
    pub mv: G::Move,
    /// The mistake, if the move is a penalty that replaced the seat's own.
    pub mistake: Option<String>,
    /// What the bot in the seat wrote for the public during this turn, a text for each line.
    pub remarks: Vec<String>,
}
