//! Who sits where before the start: taking a seat and giving it up. Decides only; changes nothing.

use engines::game::Seat;

use crate::domain::Stage;
use crate::matches::event::{Chair, EndKind, Event, Holder};
use crate::matches::ledger::create::{is_free, is_nobody};
use crate::matches::ledger::{Caller, Decided, Ledger};
use crate::matches::refusal::Refused;

/// Whether the caller has proved to be this holder.
pub(super) fn is_caller(holder: &Holder, caller: &Caller) -> bool {
    let key = holder.key.is_some() && holder.key == caller.seat_key;
    key || is_player(holder, caller)
}

fn is_player(holder: &Holder, caller: &Caller) -> bool {
    matches!((&holder.player, &caller.player), (Some(held), Some(shown)) if held.id == shown.id)
}

impl Ledger {
    /// The seat that is kept for the caller.
    pub(in crate::matches) fn kept_for(&self, caller: &Caller) -> Option<Seat> {
        self.find_seat(|chair| matches!(chair, Chair::Reserved { holder } if is_caller(holder, caller)))
    }

    pub(super) fn find_seat(&self, fits: impl Fn(&Chair) -> bool) -> Option<Seat> {
        self.seats.iter().position(|seat| fits(&seat.chair)).map(|index| Seat(index as u8))
    }

    pub(super) fn join(
        &self,
        wanted: Option<Seat>,
        caller: &Caller,
        holder: &Holder,
    ) -> Result<Decided, Refused> {
        if let Some(seat) = wanted {
            self.known(seat)?;
        }
        let same_key = |chair: &Chair| matches!(chair, Chair::Held { holder: held } if held.key.is_some() && held.key == holder.key);
        if let Some(has) = self.seat_of(caller).or_else(|| self.find_seat(same_key)) {
            return if wanted.is_none_or(|wanted| wanted == has) {
                Ok(Decided::Already(self.marks[has.index()].since))
            } else {
                Err(Refused::AlreadySeated(has))
            };
        }
        if self.stage == Stage::Over {
            return Err(Refused::MatchOver);
        }
        if self.was_removed(caller) {
            return Err(Refused::Removed);
        }
        let kept = self.kept_for(caller);
        let seat = match (wanted, kept) {
            (Some(wanted), Some(kept)) if wanted != kept => return Err(Refused::SeatKept(kept)),
            (Some(wanted), _) => wanted,
            (None, Some(kept)) => kept,
            (None, None) => self.find_seat(|chair| *chair == Chair::Open).ok_or(Refused::NoOpenSeat)?,
        };
        let holder = match &self.seats[seat.index()].chair {
            Chair::Open => holder.clone(),
            Chair::Reserved { holder: kept } if is_caller(kept, caller) => Holder {
                key: kept.key.or(holder.key),
                player: kept.player.clone().or_else(|| holder.player.clone()),
                name: kept.name.clone().or_else(|| holder.name.clone()),
            },
            _ => return Err(Refused::SeatTaken(seat)),
        };
        if is_nobody(&holder) {
            return Err(Refused::Nobody);
        }
        let last = self.seats.iter().filter(|other| is_free(&other.chair)).count() == 1;
        let mut events = vec![Event::Joined { seat, holder }];
        events.extend(last.then_some(Event::Started));
        Ok(Decided::New(events))
    }

    /// Whether the maker took a seat away from this player. They do not come back; a guest is a stranger each time.
    fn was_removed(&self, caller: &Caller) -> bool {
        let removed = |holder: &Holder| is_player(holder, caller);
        self.marks.iter().any(|mark| mark.removed.iter().any(removed))
    }

    /// Takes a seat away from its holder before the start. The match stays open, whoever is left.
    pub(super) fn remove(&self, seat: Seat) -> Result<Decided, Refused> {
        self.known(seat)?;
        match (&self.seats[seat.index()].chair, self.stage) {
            (_, Stage::Over) => Err(Refused::MatchOver),
            (_, Stage::Running) => Err(Refused::Started),
            (Chair::Held { .. }, Stage::Open) => Ok(Decided::New(vec![Event::Left { seat, removed: true }])),
            (_, Stage::Open) => Err(Refused::NotHeld(seat)),
        }
    }

    /// Leaving once more is found by [`Self::left_by`]: the seat may be another's by then.
    pub(super) fn leave(&self, seat: Seat) -> Result<Decided, Refused> {
        self.known(seat)?;
        match (&self.seats[seat.index()].chair, self.stage) {
            (Chair::Held { .. }, Stage::Open) => {
                let others = |other: &Chair| matches!(other, Chair::Held { .. });
                let held = self.seats.iter().filter(|other| others(&other.chair)).count();
                let mut events = vec![Event::Left { seat, removed: false }];
                events.extend((held == 1).then(|| self.ending(EndKind::Aborted, None)));
                Ok(Decided::New(events))
            }
            (_, Stage::Over) => Err(Refused::MatchOver),
            (_, Stage::Running) => Err(Refused::Started),
            (_, Stage::Open) => Err(Refused::NotHeld(seat)),
        }
    }
}
