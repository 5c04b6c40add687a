//! The players who are connected to a match, as its viewers see them, and the early end of a match whose guests have
//! all left.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use engines::game::Seat;

use crate::domain::Stage;
use crate::domain::time::Millis;
use crate::matches::actor::MatchActor;
use crate::matches::actor::message::MatchMessage;
use crate::matches::registry::presence::SeatConnection;
use crate::matches::render;

/// The shortest time between two requests of the same player that are noted.
const NOTE_INTERVAL: Duration = Duration::from_secs(5);

/// The players of a match as this node hears of them.
pub(super) struct SeatConnections {
    /// The seats whose players are connected, as the viewers know them.
    shown: BTreeSet<Seat>,
    /// The time of the last noted request of each seat's holder.
    asked: BTreeMap<Seat, Instant>,
    /// When this node has last answered the player of each seat.
    answered_ms: BTreeMap<Seat, Millis>,
}

impl SeatConnections {
    /// With these seats connected.
    pub(super) fn new(shown: BTreeSet<Seat>) -> Self {
        Self { shown, asked: BTreeMap::new(), answered_ms: BTreeMap::new() }
    }

    /// Whether a request of the holder of this seat is to be noted now.
    fn note_request(&mut self, seat: Seat) -> bool {
        let now = Instant::now();
        let is_due = self.asked.get(&seat).is_none_or(|asked| now.duration_since(*asked) >= NOTE_INTERVAL);
        if is_due {
            self.asked.insert(seat, now);
        }
        is_due
    }

    /// Notes that this node answers the player of a seat at this time.
    pub(super) fn note_answer(&mut self, seat: Seat, now: Millis) {
        self.answered_ms.insert(seat, now);
    }

    /// Whether this node has answered the player of a seat at this time or later.
    pub(super) fn is_answered_since(&self, seat: Seat, since: Millis) -> bool {
        self.answered_ms.get(&seat).is_some_and(|answered_ms| *answered_ms >= since)
    }
}

impl MatchActor {
    /// Records an open stream of the holder of a seat.
    pub(super) fn connect(&self, seat: Seat) -> Option<SeatConnection> {
        (self.ledger.stage() != Stage::Over).then(|| self.registry.presence.connect(&self.id, seat))
    }

    /// Notes that the caller of this message is present, if they hold a seat.
    pub(super) fn note_caller(&mut self, ask: &MatchMessage) {
        let caller = match ask {
            MatchMessage::Act { caller, .. }
            | MatchMessage::Foul { caller, .. }
            | MatchMessage::Page { caller, .. } => caller,
            _ => return,
        };
        if self.ledger.stage() == Stage::Over {
            return;
        }
        let Some(seat) = self.ledger.seat_of(caller) else { return };
        if self.connections.note_request(seat) {
            self.registry.presence.asked(&self.id, seat);
        }
    }

    /// Tells the viewers which seats are connected, if that has changed.
    pub(super) fn show_connected(&mut self) {
        if self.ledger.stage() == Stage::Over {
            return;
        }
        let connected = self.registry.presence.connected(&self.id);
        if connected != self.connections.shown {
            self.audience.tell(&render::presence(&self.ledger, &connected, &self.vacations()));
            self.connections.shown = connected;
        }
    }

    /// The time at which the match ends because its guests have left; `None`: it is not about to end.
    pub(super) fn guests_due_ms(&self) -> Option<Millis> {
        let absence_ms = self.longest_absence()?;
        let since_ms = self.registry.presence.empty_since(&self.id, self.ledger.last_ms())?;
        Some(since_ms.saturating_add_unsigned(absence_ms))
    }

    /// The time to check again whether its guests have left, after it was removed from memory.
    pub(super) fn guests_check_ms(&self) -> Option<Millis> {
        let absence_ms = self.longest_absence()?;
        Some(self.guests_due_ms().unwrap_or_else(|| self.now().saturating_add_unsigned(absence_ms)))
    }

    /// How long all guests of the match may be away, in milliseconds, if this is a match of guests.
    fn longest_absence(&self) -> Option<u64> {
        let absence_ms = self.registry.options.guest_absence_ms;
        (absence_ms > 0 && self.ledger.stage() != Stage::Over && self.ledger.is_of_guests())
            .then_some(absence_ms)
    }
}
