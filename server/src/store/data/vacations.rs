//! Vacations of players, as the store keeps them.

use crate::domain::time::Millis;

/// A vacation of a player: from its beginning up to its end, which is planned or real.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedVacation {
    /// When it began.
    pub begun_ms: Millis,
    /// When it ends or ended.
    pub until_ms: Millis,
}

/// A change to the vacations of a player. Each changes nothing, and returns 0, if another request was faster.
#[derive(Clone, Debug, PartialEq)]
pub enum VacationChange {
    /// Begins a vacation. Changes nothing if the player was deleted.
    Begin {
        /// The id of the player.
        player: String,
        /// How many vacations the player has had.
        number: u32,
        /// The new one.
        vacation: PlannedVacation,
    },
    /// Moves the end of a vacation. The player's matches are looked at again, since something may be due earlier.
    MoveEnd {
        /// The id of the player.
        player: String,
        /// The number of the vacation: how many there were before it.
        number: u32,
        /// The end that it has.
        before_ms: Millis,
        /// The new end.
        until_ms: Millis,
        /// The time of the change.
        now: Millis,
    },
}
