//! The players who are connected to each match: on this node, by its streams and requests, and on others, as the database
//! says. A player counts once, however many connections they have. It must not know how nodes exchange this information.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
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
    /// The seats of `own` without streams, which count for a while.
    lingering: HashSet<(MatchId, Seat)>,
    /// What the database says of the seats here, with whether the player follows by a stream.
    stored: HashMap<MatchId, BTreeMap<Seat, bool>>,
    /// The matches in which `own` and `stored` may differ.
    unshared: HashSet<MatchId>,
    /// The seats whose players are connected to other nodes, with whether the player follows by a stream.
    elsewhere: BTreeMap<(MatchId, Seat), bool>,
    /// The time at which the last player of a match left.
    left: HashMap<MatchId, Millis>,
}

/// The seats whose players have come to this node or left it, as the database does not know yet: those who came, and those who left.
pub(crate) type UnsharedSeats = (Vec<ConnectedSeat>, Vec<ConnectedSeat>);

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
        let mut inner = self.inner();
        let own = inner.own.entry(id.clone()).or_default().entry(seat).or_default();
        own.streams += 1;
        if own.streams == 1 {
            inner.lingering.remove(&(id.clone(), seat));
            inner.unshared.insert(id.clone());
        }
        SeatConnection { presence: Arc::clone(self), id: id.clone(), seat }
    }

    /// Whether the player of this seat is connected to this node; if `follows`, by a stream.
    pub(crate) fn is_here(&self, id: &MatchId, seat: Seat, follows: bool) -> bool {
        let inner = self.inner();
        let own = inner.own.get(id).and_then(|seats| seats.get(&seat));
        own.is_some_and(|own| own.streams > 0 || !follows)
    }

    /// Whether the player of this seat follows the match by a stream on any node.
    pub(crate) fn follows(&self, id: &MatchId, seat: Seat) -> bool {
        let inner = self.inner();
        let own = inner.own.get(id).and_then(|seats| seats.get(&seat));
        own.is_some_and(|own| own.streams > 0) || inner.elsewhere.get(&(id.clone(), seat)) == Some(&true)
    }

    /// Records a request of a player.
    pub(crate) fn asked(&self, id: &MatchId, seat: Seat) {
        let until_ms = self.now.ms().saturating_add(ASKED_MS);
        let mut inner = self.inner();
        let own = inner.own.entry(id.clone()).or_default().entry(seat).or_default();
        let is_new = own.streams == 0 && own.until_ms == 0;
        own.until_ms = own.until_ms.max(until_ms);
        if is_new {
            inner.lingering.insert((id.clone(), seat));
            inner.unshared.insert(id.clone());
        }
    }

    /// Forgets a match that is over.
    pub(crate) fn forget(&self, id: &MatchId) {
        let mut inner = self.inner();
        inner.own.remove(id);
        inner.left.remove(id);
        inner.unshared.insert(id.clone());
    }

    /// Takes what the database says of the seats of these matches (`None`: of all): connected to this node, and to other ones.
    /// Forgets the seats that have left this one. Returns the matches in which something has changed.
    pub(crate) fn update(
        &self,
        matches: Option<&BTreeSet<MatchId>>,
        own: &BTreeSet<ConnectedSeat>,
        elsewhere: &BTreeSet<ConnectedSeat>,
    ) -> BTreeSet<MatchId> {
        let now = self.now.ms();
        let mut guard = self.inner();
        let inner = &mut *guard;
        let mut changed = inner.forget_left(now);
        inner.take_stored(matches, own);
        changed.extend(inner.take_elsewhere(matches, elsewhere));
        for id in &changed {
            if inner.connected(id).is_empty() {
                inner.left.insert(id.clone(), now);
            } else {
                inner.left.remove(id);
            }
        }
        changed
    }

    /// What the database does not know yet of the seats whose players are connected to this node.
    pub(crate) fn unshared(&self) -> UnsharedSeats {
        let (mut came, mut left) = UnsharedSeats::default();
        let mut guard = self.inner();
        let PresenceState { own, stored, unshared, .. } = &mut *guard;
        let (no_seats, none_stored) = (HashMap::new(), BTreeMap::new());
        unshared.retain(|id| {
            let (own, stored) = (own.get(id).unwrap_or(&no_seats), stored.get(id).unwrap_or(&none_stored));
            let connected = |seat: &Seat, follows| ConnectedSeat { id: id.clone(), seat: *seat, follows };
            let before = came.len() + left.len();
            for (seat, own) in own {
                let follows = own.streams > 0;
                if stored.get(seat) != Some(&follows) {
                    came.push(connected(seat, follows));
                }
            }
            let gone = stored.iter().filter(|(seat, _)| !own.contains_key(seat));
            left.extend(gone.map(|(seat, follows)| connected(seat, *follows)));
            // Until the database says the same.
            came.len() + left.len() > before
        });
        (came, left)
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
    /// Forgets the seats whose time is up; returns their matches.
    fn forget_left(&mut self, now: Millis) -> BTreeSet<MatchId> {
        let Self { own, lingering, unshared, .. } = self;
        let mut changed = BTreeSet::new();
        lingering.retain(|(id, seat)| {
            let Some(seats) = own.get_mut(id) else { return false };
            if seats.get(seat).is_some_and(|own| own.until_ms > now) {
                return true;
            }
            seats.remove(seat);
            if seats.is_empty() {
                own.remove(id);
            }
            unshared.insert(id.clone());
            changed.insert(id.clone());
            false
        });
        changed
    }

    /// Takes what the database says of the seats here, in these matches.
    fn take_stored(&mut self, matches: Option<&BTreeSet<MatchId>>, own: &BTreeSet<ConnectedSeat>) {
        match matches {
            None => {
                self.stored.clear();
                self.unshared.extend(self.own.keys().cloned());
            }
            Some(matches) => {
                for id in matches {
                    self.stored.remove(id);
                    self.unshared.insert(id.clone());
                }
            }
        }
        for ConnectedSeat { id, seat, follows } in own {
            self.stored.entry(id.clone()).or_default().insert(*seat, *follows);
            self.unshared.insert(id.clone());
        }
    }

    /// Takes the seats that are connected to other nodes, in these matches; returns the matches in which they have changed.
    fn take_elsewhere(
        &mut self,
        matches: Option<&BTreeSet<MatchId>>,
        elsewhere: &BTreeSet<ConnectedSeat>,
    ) -> BTreeSet<MatchId> {
        let all = |id: &MatchId| (id.clone(), Seat(0))..=(id.clone(), Seat(u8::MAX));
        let before: BTreeSet<_> = match matches {
            None => std::mem::take(&mut self.elsewhere).into_keys().collect(),
            Some(matches) => {
                let of_match = |id| self.elsewhere.range(all(id)).map(|(key, _)| key.clone());
                let before: BTreeSet<_> = matches.iter().flat_map(of_match).collect();
                for seat in &before {
                    self.elsewhere.remove(seat);
                }
                before
            }
        };
        let now: BTreeSet<_> = elsewhere.iter().map(|other| (other.id.clone(), other.seat)).collect();
        let changed = now.symmetric_difference(&before).map(|(id, _)| id.clone()).collect();
        self.elsewhere.extend(elsewhere.iter().map(|other| ((other.id.clone(), other.seat), other.follows)));
        changed
    }

    fn connected(&self, id: &MatchId) -> BTreeSet<Seat> {
        let own = self.own.get(id).into_iter().flat_map(HashMap::keys).copied();
        let elsewhere = self.elsewhere.range((id.clone(), Seat(0))..=(id.clone(), Seat(u8::MAX)));
        own.chain(elsewhere.map(|((_, seat), _)| *seat)).collect()
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
            inner.lingering.insert((self.id.clone(), self.seat));
            inner.unshared.insert(self.id.clone());
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
        let none = BTreeSet::new();
        let news = |of: &MatchId, own: &[ConnectedSeat], elsewhere: &[ConnectedSeat]| {
            let (own, elsewhere) = (own.iter().cloned().collect(), elsewhere.iter().cloned().collect());
            presence.update(Some(&[of.clone()].into()), &own, &elsewhere)
        };
        let came = || presence.unshared().0.into_iter().collect::<BTreeSet<_>>();
        let both = [seat(&id, 0, false), seat(&id, 1, true)];
        assert_eq!(came(), both.iter().cloned().collect());
        assert_eq!(came(), both.iter().cloned().collect(), "until the database says the same");
        assert!(news(&id, &both, &[]).is_empty());
        assert_eq!(came(), none);
        assert_eq!(presence.update(None, &none, &none), [].into(), "the database has lost them");
        assert_eq!(came(), both.iter().cloned().collect());
        assert!(news(&id, &both, &[]).is_empty());
        assert!(presence.is_here(&id, Seat(0), false) && !presence.is_here(&id, Seat(0), true));
        assert!(presence.is_here(&id, Seat(1), true));
        assert!(presence.follows(&id, Seat(1)) && !presence.follows(&id, Seat(0)));
        assert_eq!(presence.empty_since(&id, 0), None);
        drop(one);
        assert_eq!(came(), none, "one stream is left");
        drop(two);
        assert_eq!(came(), [seat(&id, 1, false)].into());
        assert_eq!(presence.connected(&id).len(), 2, "the player may come back at once");
        let there = [seat(&other, 0, false)];
        assert_eq!(news(&other, &[], &there), [other.clone()].into());
        assert!(!presence.follows(&other, Seat(0)), "it only asked");
        assert!(news(&other, &[], &[seat(&other, 0, true)]).is_empty());
        assert!(presence.follows(&other, Seat(0)) && !presence.follows(&other, Seat(1)));
        assert_eq!(presence.connected(&other), [Seat(0)].into());
        assert!(!came().contains(&there[0]));
        assert!(news(&other, &[], &there).is_empty());
        assert!(news(&id, &both, &[]).is_empty(), "the other match is as it was");
        assert_eq!(presence.connected(&other), [Seat(0)].into());
        assert_eq!(news(&other, &[], &[]), [other.clone()].into());
        let left_ms = presence.empty_since(&other, 0).unwrap();
        assert!(left_ms >= presence.since_ms, "{left_ms}");
        assert_eq!(presence.empty_since(&other, left_ms + 5), Some(left_ms + 5));
        presence.forget(&id);
        assert_eq!(presence.connected(&id), [].into());
        assert_eq!(presence.unshared().1.into_iter().collect::<BTreeSet<_>>(), both.into());
    }
}
