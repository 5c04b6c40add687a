//! Keeps the permits of matches until they are over, and counts the seats that each network address took in matches of
//! others. Both are in memory only: they start at zero with the server, and a match that another server appends to is no
//! longer counted here.

use std::net::IpAddr;
use std::sync::Arc;

use dashmap::DashMap;
use engines::game::Seat;

use crate::admission::Permit;
use crate::domain::{MatchId, Stage};
use crate::error::Error;
use crate::limits::quotas::{Limit, QuotaGuard, Quotas};
use crate::matches::event::Event;
use crate::matches::options::HostOptions;

/// The counters, and the amounts counted for each match until it is over.
pub(crate) struct Holdings {
    seats: &'static Quotas,
    waiting: &'static Quotas,
    kept: DashMap<MatchId, MatchAmounts>,
}

/// The amounts counted for one match.
#[derive(Default)]
struct MatchAmounts {
    /// Holds what it costs its payers.
    permit: Option<Permit>,
    /// Counted for the addresses that took seats in it.
    seats: Vec<(Seat, SeatPlaces)>,
}

/// The amounts counted for a taken seat.
#[derive(Clone)]
pub(crate) struct SeatPlaces {
    /// A seat of a match that is not over.
    _seat: Arc<QuotaGuard>,
    /// A seat of a match that has not begun; `None` once it has.
    waiting: Option<Arc<QuotaGuard>>,
}

impl Holdings {
    /// New counters.
    pub(crate) fn new(options: &HostOptions) -> Self {
        let counter = |what, most, setting| Quotas::new(what, Limit { most, setting });
        Self {
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

    /// Keeps the permit of a match that was created, until the match is over.
    pub(crate) fn keep_match(&self, id: &MatchId, permit: Permit) {
        self.kept.entry(id.clone()).or_default().permit = Some(permit);
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
