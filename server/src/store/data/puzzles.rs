//! Puzzles as the store keeps them.

use crate::domain::time::Millis;
use crate::domain::{MatchId, PuzzleId};
use crate::ratings::Rating;

/// A puzzle to add, together with the analysis of its match.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "`id` says all")]
pub struct NewPuzzle {
    pub id: PuzzleId,
    /// Moves of the match made before it.
    pub ply: u32,
    /// The game's short name.
    pub game: String,
    /// The time at which it was made.
    pub made_ms: Millis,
    /// JSON: the position, and the proof.
    pub body: String,
}

/// A puzzle as its row has it.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "`id` and `match_id` say all")]
pub struct StoredPuzzle {
    pub id: PuzzleId,
    pub match_id: MatchId,
    /// Moves of the match made before it.
    pub ply: u32,
    /// The game's short name.
    pub game: String,
    /// JSON: the position, and the proof.
    pub body: String,
    /// How hard it is.
    pub rating: Rating,
    /// First tries of players.
    pub tries: u64,
    /// Those of them that were right.
    pub solved: u64,
}

/// Which puzzle of a game comes next.
#[derive(Clone, Debug, PartialEq)]
pub struct NextPuzzle {
    /// The game's short name.
    pub game: String,
    /// The one that is wanted.
    pub wanted: WantedPuzzle,
    /// Not this one.
    pub except: Option<PuzzleId>,
}

/// By what a puzzle is chosen.
#[derive(Clone, Debug, PartialEq)]
pub enum WantedPuzzle {
    /// The first at or after this place; after the last one follows the first.
    At(i64),
    /// The one whose rating is nearest to the player's, among those that the player has not tried.
    Near {
        /// The id of the player.
        player: String,
        /// The mean of the player's rating.
        mu: f64,
    },
}

/// The first try of a player.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "`puzzle` says all")]
pub struct PuzzleTry {
    pub puzzle: PuzzleId,
    /// The id of the player.
    pub player: String,
    /// Whether the move was right.
    pub solved: bool,
    /// The time of the try.
    pub at_ms: Millis,
}

/// The first try of a player as it is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoredPuzzleTry {
    /// Whether the move was right.
    pub solved: bool,
    /// The player's rating before it.
    pub before: Rating,
    /// The player's rating after it.
    pub after: Rating,
}

/// How well a player solves the puzzles of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "`rating` says all")]
pub struct PuzzleRating {
    pub rating: Rating,
    /// The tries that counted.
    pub tries: u64,
    /// Those of them that were right.
    pub solved: u64,
}
