//! Counts what each network address holds in hosted matches: matches that it created and that are not over, and seats
//! that it took in other matches. The counts are in memory only: they start at zero with the server, and a match that
//! another server appends to is no longer counted here.

use std::net::IpAddr;
use std::sync::Arc;

use dashmap::DashMap;
use engines::game::Seat;

use crate::domain::{MatchId, Stage};
use crate::error::Error;
use crate::limits::shares::{Held, Limit, Shares};
use crate::matches::event::Event;
use crate::matches::options::HostOptions;

/// The counters, and the amounts counted for each match until it is over.
pub(crate) struct Holdings {
    matches: &'static Shares,
    seats: &'static Shares,
    waiting: &'static Shares,
    kept: DashMap<MatchId, MatchAmounts>,
}

/// The amounts counted for one match.
#[derive(Default)]
struct MatchAmounts {
    /// Counted for the address that created it.
    made: Option<Held>,
    /// Counted for the addresses that took seats in it.
    seats: Vec<(Seat, SeatPlaces)>,
}

/// The amounts counted for a taken seat.
#[derive(Clone)]
pub(crate) struct SeatPlaces {
    /// A seat of a match that is not over.
    _seat: Arc<Held>,
    /// A seat of a match that has not begun; `None` once it has.
    waiting: Option<Arc<Held>>,
}

impl Holdings {
    /// New counters.
    pub(crate) fn new(options: &HostOptions) -> Self {
        let counter = |what, most, setting| Shares::new(what, Limit { most, setting });
        Self {
            matches: counter(
                "matches that are not over",
                options.max_matches_per_address,
                "--max-matches-per-address",
            ),
            seats: counter(
                "taken seats in matches that are not over",
                options.max_seats_per_address,
                "--max-seats-per-address",
            ),
            waiting: counter(
                "taken seats in matches that have not begun",
                options.max_waiting_seats_per_address,
                "--max-waiting-seats-per-address",
            ),
            kept: DashMap::new(),
        }
    }

    /// Counts a match that this address creates; `None` for callers without limits.
    ///
    /// # Errors
    /// `too_many`.
    pub(crate) fn take_match(&self, network: Option<IpAddr>) -> Result<Option<Held>, Error> {
        network.map(|network| self.matches.take(Some(network), 1)).transpose()
    }

    /// Counts a seat that this address takes; `None` for callers without limits.
    ///
    /// # Errors
    /// `too_many`.
    pub(crate) fn take_seat(&self, network: Option<IpAddr>) -> Result<Option<SeatPlaces>, Error> {
        if network.is_none() {
            return Ok(None);
        }
        let waiting = Some(Arc::new(self.waiting.take(network, 1)?));
        Ok(Some(SeatPlaces { _seat: Arc::new(self.seats.take(network, 1)?), waiting }))
    }

    /// Keeps the count of a match that was created, until the match is over.
    pub(crate) fn keep_match(&self, id: &MatchId, place: Option<Held>) {
        if place.is_some() {
            self.kept.entry(id.clone()).or_default().made = place;
        }
    }

    /// Keeps the count of a seat that was taken, until the seat is left or the match is over. `stage`: the match's
    /// current stage.
    pub(crate) fn keep_seat(&self, id: &MatchId, seat: Seat, places: Option<SeatPlaces>, stage: Stage) {
        if stage == Stage::Over {
            return;
        }
        if let Some(mut places) = places {
            if stage == Stage::Running {
                places.waiting = None;
            }
            self.kept.entry(id.clone()).or_default().seats.push((seat, places));
        }
    }

    /// Drops the counts that this event ends. Events of one match must come in their order.
    pub(crate) fn follow(&self, id: &MatchId, event: &Event) {
        match event {
            Event::Left { seat: left, .. } => {
                if let Some(mut kept) = self.kept.get_mut(id) {
                    kept.seats.retain(|(seat, _)| seat != left);
                }
            }
            Event::Started => {
                if let Some(mut kept) = self.kept.get_mut(id) {
                    kept.seats.iter_mut().for_each(|(_, places)| places.waiting = None);
                }
            }
            Event::Ended(_) => self.forget(id),
            _ => {}
        }
    }

    /// Drops all counts of this match.
    pub(crate) fn forget(&self, id: &MatchId) {
        drop(self.kept.remove(id));
    }
}
