//! The facts about a tournament that other modules need: its stage, and the place of a match in it.

use serde::{Deserialize, Serialize};

/// The stage of a tournament's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TournamentStage {
    /// Players can enter; no game has begun.
    Registration,
    /// Games are played.
    Running,
    /// No new games begin.
    Paused,
    /// Played to its end.
    Ended,
    /// Ended early.
    Aborted,
}

impl TournamentStage {
    /// All stages.
    pub const ALL: [Self; 5] = [Self::Registration, Self::Running, Self::Paused, Self::Ended, Self::Aborted];

    /// As the API and the database write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Registration => "registration",
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Ended => "ended",
            Self::Aborted => "aborted",
        }
    }

    /// The stage of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| stage.name() == name)
    }

    /// Whether the tournament is over.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Ended | Self::Aborted)
    }
}

/// The game of a tournament that a match is played for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TournamentRef {
    /// The tournament.
    pub id: String,
    /// The number of the game in it, from 0.
    pub game: usize,
    /// Whether other games of the tournament have the same deal. Until all of them are finished, the match is sealed: only its
    /// players see it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shares_deal: bool,
}
