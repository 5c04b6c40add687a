//! The vacations that go on, as this node has last read them: for what it shows, and for when it looks at a match again. What is taken
//! out of a turn is decided by the database.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use crate::domain::time::Millis;
use crate::store::PlannedVacation;

/// The vacations of players, by the player's id.
#[derive(Debug, Default)]
pub struct KnownVacations(RwLock<HashMap<String, PlannedVacation>>);

impl KnownVacations {
    /// Replaces all of them. Returns the ids of the players whose vacation has begun, ended or changed.
    pub fn replace(&self, vacations: Vec<(String, PlannedVacation)>) -> Vec<String> {
        let vacations: HashMap<_, _> = vacations.into_iter().collect();
        // The map is replaced as a whole, so a poisoned one is consistent.
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *known, vacations);
        let changed = known.iter().filter(|(player, now)| before.get(*player) != Some(now));
        let over = before.keys().filter(|player| !known.contains_key(*player));
        changed.map(|(player, _)| player).chain(over).cloned().collect()
    }

    /// The vacation of the player with this id at this time.
    pub fn of(&self, player: &str, now: Millis) -> Option<PlannedVacation> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.get(player).copied().filter(|vacation| vacation.begun_ms <= now && now < vacation.until_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vacation_holds_until_its_end_and_changes_are_told() {
        let known = KnownVacations::default();
        let (short, long) = ([5, 10], [5, 20]);
        let of = |player: &str, [begun_ms, until_ms]: [Millis; 2]| {
            (player.to_owned(), PlannedVacation { begun_ms, until_ms })
        };
        assert_eq!(known.replace(vec![of("ann", short)]), ["ann"]);
        assert!(known.replace(vec![of("ann", short)]).is_empty());
        assert_eq!([4, 5, 9, 10].map(|now| known.of("ann", now).is_some()), [false, true, true, false]);
        assert_eq!(known.of("ben", 7), None);
        let mut changed = known.replace(vec![of("ann", long), of("ben", short)]);
        changed.sort();
        assert_eq!(changed, ["ann", "ben"]);
        assert!(known.of("ann", 19).is_some());
        assert_eq!(known.replace(vec![of("ann", long)]), ["ben"]);
    }
}
