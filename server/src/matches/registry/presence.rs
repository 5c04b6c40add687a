//! The players who are connected to each match: on this node, by its streams and requests, and on others, as the database
//! says. A player counts once, however many connections they have. It must not know how nodes exchange this information.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engines::game::Seat;

use crate::domain::MatchId;
use crate::domain::time::{Millis, ServerClock};
use crate::store::ConnectedSeat;

/// How long a player whose last stream has closed still counts as connected, in milliseconds: a page that is loaded again
/// connects at once.
const LINGER_MS: Millis = 2_000;

/// How long a player counts as connected after a request about the match, in milliseconds.
const ASKED_MS: Millis = 30_000;

/// The players who are connected.
pub(crate) struct Presence {
    now: ServerClock,
    /// The time at which this node began to look.
    since_ms: Millis,
    inner: Mutex<PresenceState>,
}

#[derive(Default)]
struct PresenceState {
    /// The seats whose players are connected here.
    own: HashMap<MatchId, HashMap<Seat, OwnSeat>>,
    /// The same on other nodes.
    elsewhere: BTreeSet<(MatchId, Seat)>,
    /// The time at which the last player of a match left.
    left: HashMap<MatchId, Millis>,
}

#[derive(Clone, Copy, Default)]
struct OwnSeat {
    streams: u32,
    /// The time until which it counts as connected without streams.
    until_ms: Millis,
}

/// A stream of a player. Dropping it closes it.
pub struct SeatConnection {
    presence: Arc<Presence>,
    id: MatchId,
    seat: Seat,
}

impl Presence {
    /// Presence without any player.
    pub(crate) fn new(now: ServerClock) -> Self {
        Self { now, since_ms: now.ms(), inner: Mutex::default() }
    }

    fn inner(&self) -> MutexGuard<'_, PresenceState> {
        // No holder of the lock can panic half-way.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The seats of the match whose players are connected to any node.
    pub(crate) fn connected(&self, id: &MatchId) -> BTreeSet<Seat> {
        self.inner().connected(id)
    }

    /// Records an open stream of a player.
    pub(crate) fn connect(self: &Arc<Self>, id: &MatchId, seat: Seat) -> SeatConnection {
        self.inner().own.entry(id.clone()).or_default().entry(seat).or_default().streams += 1;
        SeatConnection { presence: Arc::clone(self), id: id.clone(), seat }
    }

    /// Whether the player of this seat is connected to this node; if `follows`, by a stream.
    pub(crate) fn is_here(&self, id: &MatchId, seat: Seat, follows: bool) -> bool {
        let inner = self.inner();
        let own = inner.own.get(id).and_then(|seats| seats.get(&seat));
        own.is_some_and(|own| own.streams > 0 || !follows)
    }

    /// Records a request of a player.
    pub(crate) fn asked(&self, id: &MatchId, seat: Seat) {
        let until_ms = self.now.ms().saturating_add(ASKED_MS);
        let mut inner = self.inner();
        let own = inner.own.entry(id.clone()).or_default().entry(seat).or_default();
        own.until_ms = own.until_ms.max(until_ms);
    }

    /// Forgets a match that is over.
    pub(crate) fn forget(&self, id: &MatchId) {
        let mut inner = self.inner();
        inner.own.remove(id);
        inner.left.remove(id);
    }

    /// Takes the seats that are connected to other nodes, and forgets those that have left this one. Returns the matches in
    /// which something has changed.
    pub(crate) fn update(&self, elsewhere: BTreeSet<ConnectedSeat>) -> BTreeSet<MatchId> {
        let now = self.now.ms();
        let elsewhere: BTreeSet<_> = elsewhere.into_iter().map(|other| (other.id, other.seat)).collect();
        let mut inner = self.inner();
        let came = elsewhere.symmetric_difference(&inner.elsewhere);
        let mut changed: BTreeSet<MatchId> = came.map(|(id, _)| id.clone()).collect();
        inner.elsewhere = elsewhere;
        inner.own.retain(|id, seats| {
            let before = seats.len();
            seats.retain(|_, seat| seat.streams > 0 || seat.until_ms > now);
            if seats.len() < before {
                changed.insert(id.clone());
            }
            !seats.is_empty()
        });
        for id in &changed {
            if inner.connected(id).is_empty() {
                inner.left.insert(id.clone(), now);
            } else {
                inner.left.remove(id);
            }
        }
        changed
    }

    /// The seats whose players are connected to this node.
    pub(crate) fn own(&self) -> BTreeSet<ConnectedSeat> {
        let connected = |id: &MatchId, (seat, own): (&Seat, &OwnSeat)| ConnectedSeat {
            id: id.clone(),
            seat: *seat,
            follows: own.streams > 0,
        };
        let inner = self.inner();
        let seats = inner.own.iter().flat_map(|(id, seats)| seats.iter().map(move |own| connected(id, own)));
        seats.collect()
    }

    /// The time since which no player is connected to the match, as far as this node knows: not before `from_ms`, and not
    /// before this node began to look. `None`: a player is connected.
    pub(crate) fn empty_since(&self, id: &MatchId, from_ms: Millis) -> Option<Millis> {
        let inner = self.inner();
        if !inner.connected(id).is_empty() {
            return None;
        }
        let left_ms = inner.left.get(id).copied().unwrap_or(from_ms);
        Some(from_ms.max(left_ms).max(self.since_ms))
    }

    /// Forgets the times at which players left, for matches that they left before this time.
    pub(crate) fn forget_before(&self, before_ms: Millis) {
        self.inner().left.retain(|_, left_ms| *left_ms >= before_ms);
    }
}

impl PresenceState {
    fn connected(&self, id: &MatchId) -> BTreeSet<Seat> {
        let own = self.own.get(id).into_iter().flat_map(HashMap::keys).copied();
        let elsewhere = self.elsewhere.range((id.clone(), Seat(0))..=(id.clone(), Seat(u8::MAX)));
        own.chain(elsewhere.map(|(_, seat)| *seat)).collect()
    }
}

impl Drop for SeatConnection {
    fn drop(&mut self) {
        let until_ms = self.presence.now.ms().saturating_add(LINGER_MS);
        let mut inner = self.presence.inner();
        let Some(own) = inner.own.get_mut(&self.id).and_then(|seats| seats.get_mut(&self.seat)) else {
            return;
        };
        own.streams = own.streams.saturating_sub(1);
        if own.streams == 0 {
            // A request made before does not keep the player here.
            own.until_ms = until_ms;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn player_counts_once_and_until_the_last_connection_is_closed_on_all_nodes() {
        let presence = Arc::new(Presence::new(ServerClock::start(0)));
        let (id, other) = (MatchId::fresh(), MatchId::fresh());
        let (one, two) = (presence.connect(&id, Seat(1)), presence.connect(&id, Seat(1)));
        presence.asked(&id, Seat(0));
        assert_eq!(presence.connected(&id), [Seat(0), Seat(1)].into());
        let seat = |id: &MatchId, seat, follows| ConnectedSeat { id: id.clone(), seat: Seat(seat), follows };
        assert_eq!(presence.own(), [seat(&id, 0, false), seat(&id, 1, true)].into());
        assert!(presence.is_here(&id, Seat(0), false) && !presence.is_here(&id, Seat(0), true));
        assert!(presence.is_here(&id, Seat(1), true));
        assert_eq!(presence.empty_since(&id, 0), None);
        drop(one);
        assert!(presence.update(BTreeSet::new()).is_empty(), "one stream is left");
        drop(two);
        assert_eq!(presence.connected(&id).len(), 2, "the player may come back at once");
        let elsewhere: BTreeSet<_> = [seat(&other, 0, false)].into();
        assert_eq!(presence.update(elsewhere.clone()), [other.clone()].into());
        assert_eq!(presence.connected(&other), [Seat(0)].into());
        assert!(!presence.own().contains(&seat(&other, 0, false)));
        assert!(presence.update(elsewhere).is_empty());
        assert_eq!(presence.update(BTreeSet::new()), [other.clone()].into());
        let left_ms = presence.empty_since(&other, 0).unwrap();
        assert!(left_ms >= presence.since_ms, "{left_ms}");
        assert_eq!(presence.empty_since(&other, left_ms + 5), Some(left_ms + 5));
        presence.forget(&id);
        assert_eq!(presence.connected(&id), [].into());
    }
}
