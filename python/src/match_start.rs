//! How a match began and what has happened since: enough to build it again for copies in other processes.

use engines::erased::{AnyGame, AnyTable, RefusalCode};
use engines::game::Seat;
use engines::rng::Seed;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{CallError, guarded};

/// The beginning of a match.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) enum MatchOrigin {
    Deal {
        /// The options, by the game's schema.
        options: Value,
        /// The seed of the deal.
        seed: Seed,
    },
    State {
        /// The state, as the game writes it.
        state: Value,
    },
}

impl MatchOrigin {
    /// The match before its first move.
    ///
    /// # Errors
    /// `bad_options`, `bad_state`.
    pub(crate) fn table(&self, game: &dyn AnyGame) -> Result<Box<dyn AnyTable>, CallError> {
        guarded(|| match self {
            Self::Deal { options, seed } => Ok(game.deal(options, seed)?),
            Self::State { state } => Ok(game.restore(state)?),
        })
    }
}

/// One thing that happened in a match.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) enum MatchStep {
    /// A move.
    Played {
        /// The seat that moved.
        seat: u8,
        /// The official notation.
        notation: String,
    },
    /// The official penalty for a mistake.
    Fouled {
        /// The seat that made the mistake.
        seat: u8,
        /// The mistake, in words.
        reason: String,
        /// The move that was played instead, if the match went on.
        instead: Option<String>,
    },
}

impl MatchStep {
    /// The seat, and the move that was made, if there was one.
    pub(crate) fn mv(&self) -> Option<(u8, &str)> {
        match self {
            Self::Played { seat, notation } => Some((*seat, notation)),
            Self::Fouled { seat, instead, .. } => Some((*seat, instead.as_deref()?)),
        }
    }
}

/// All that makes a match.
#[derive(Serialize, Deserialize)]
pub(crate) struct SavedMatch {
    /// How it began.
    pub origin: MatchOrigin,
    /// What has happened.
    pub steps: Vec<MatchStep>,
}

impl SavedMatch {
    /// Reads what [`Self::to_text`] wrote.
    ///
    /// # Errors
    /// `bad_state`.
    pub(crate) fn parse(text: &str) -> Result<Self, CallError> {
        serde_json::from_str(text)
            .map_err(|error| CallError::refused(RefusalCode::BadState, format!("no saved match: {error}")))
    }

    /// The match as text.
    pub(crate) fn to_text(&self) -> String {
        serde_json::to_string(self).expect("the parts are plain values with text keys")
    }

    /// The match after all steps.
    ///
    /// # Errors
    /// Those of [`MatchOrigin::table`] and of playing.
    pub(crate) fn table(&self, game: &dyn AnyGame) -> Result<Box<dyn AnyTable>, CallError> {
        let mut table = self.origin.table(game)?;
        guarded(|| {
            for step in &self.steps {
                match step {
                    MatchStep::Played { seat, notation } => table.play(Seat(*seat), notation)?,
                    MatchStep::Fouled { seat, reason, .. } => drop(table.foul(Seat(*seat), reason)?),
                }
            }
            Ok(())
        })?;
        Ok(table)
    }
}
