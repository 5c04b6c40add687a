//! Which dialogue has taken a seat, as nodes tell each other. It must not decide who holds a seat.

use engines::game::Seat;

use crate::domain::MatchId;
use crate::domain::time::Millis;

/// A dialogue that has taken a seat on some node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatTaken {
    /// The match and the seat.
    pub seat: (MatchId, Seat),
    /// When it was taken, and a random number for two that were taken at once. The greatest is the newest.
    pub order: (Millis, u64),
}

/// What a node hears of seats that other nodes have taken.
#[derive(Debug, Default)]
pub struct SeatNews {
    /// The dialogues that have taken a seat.
    pub taken: Vec<SeatTaken>,
    /// Whether others may be missing, because the connection was lost in between.
    pub missed: bool,
}

impl SeatTaken {
    /// The text of a notification.
    pub(in crate::store) fn to_note(&self) -> String {
        let Self { seat: (id, seat), order: (at_ms, tag) } = self;
        format!("{id} {seat} {at_ms} {tag}")
    }

    /// The dialogue of a notification; `None` if it is none.
    pub(in crate::store) fn of_note(note: &str) -> Option<Self> {
        let mut words = note.split(' ');
        let mut word = || words.next();
        let seat = (MatchId::parse(word()?)?, Seat(word()?.parse().ok()?));
        Some(Self { seat, order: (word()?.parse().ok()?, word()?.parse().ok()?) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notification_is_read_back() {
        let taken = SeatTaken { seat: (MatchId::fresh(), Seat(3)), order: (1_800_000_000_000, u64::MAX) };
        assert_eq!(SeatTaken::of_note(&taken.to_note()), Some(taken));
        assert_eq!(SeatTaken::of_note("x 0 1 2"), None);
    }
}
