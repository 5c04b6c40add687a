//! What other modules need to know of a tournament: its id, its stage, and the place of a match in it.

use serde::{Deserialize, Serialize};

/// The id of a tournament: a UUID of version 7, which sorts by creation time, in its usual text form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TournamentId(String);

impl TournamentId {
    /// A fresh id.
    pub fn fresh() -> Self {
        Self(uuid::Uuid::now_v7().hyphenated().to_string())
    }

    /// Reads an id; `None` if the text is not a UUID in lower case.
    pub fn parse(text: &str) -> Option<Self> {
        let plain = text.len() == 36 && !text.bytes().any(|b| b.is_ascii_uppercase());
        (plain && uuid::Uuid::try_parse(text).is_ok()).then(|| Self(text.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for TournamentId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

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

    /// Its name.
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
}
