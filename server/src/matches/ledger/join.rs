//! Taking and leaving seats before the start. Decides only; changes nothing.

use engines::game::Seat;

use crate::domain::Stage;
use crate::matches::event::{EndKind, Event, Holder, SeatSetup};
use crate::matches::ledger::create::{has_no_identity, is_free};
use crate::matches::ledger::rated::check_holder;
use crate::matches::ledger::{Caller, Ledger, LedgerDecision};
use crate::matches::refusal::MatchRefusal;

/// Whether the caller is this holder.
pub(super) fn is_caller(holder: &Holder, caller: &Caller) -> bool {
    let key = holder.key.is_some() && holder.key == caller.seat_key;
    key || is_player(holder, caller)
}

fn is_player(holder: &Holder, caller: &Caller) -> bool {
    matches!((&holder.player, &caller.player), (Some(held), Some(shown)) if held.id == shown.id)
}

impl Ledger {
    /// The seat that is reserved for the caller.
    pub(in crate::matches) fn kept_for(&self, caller: &Caller) -> Option<Seat> {
        self.find_seat(|chair| matches!(chair, SeatSetup::Reserved { holder } if is_caller(holder, caller)))
    }

    pub(super) fn find_seat(&self, fits: impl Fn(&SeatSetup) -> bool) -> Option<Seat> {
        self.seats.iter().position(|seat| fits(&seat.chair)).map(|index| Seat(index as u8))
    }

    pub(super) fn join(
        &self,
        wanted: Option<Seat>,
        caller: &Caller,
        holder: &Holder,
    ) -> Result<LedgerDecision, MatchRefusal> {
        if let Some(seat) = wanted {
            self.known(seat)?;
        }
        let same_key = |chair: &SeatSetup| matches!(chair, SeatSetup::Held { holder: held } if held.key.is_some() && held.key == holder.key);
        if let Some(has) = self.seat_of(caller).or_else(|| self.find_seat(same_key)) {
            return if wanted.is_none_or(|wanted| wanted == has) {
                Ok(LedgerDecision::Already(self.marks[has.index()].since))
            } else {
                Err(MatchRefusal::AlreadySeated(has))
            };
        }
        if self.stage == Stage::Over {
            return Err(MatchRefusal::MatchOver);
        }
        if self.was_removed(caller) {
            return Err(MatchRefusal::Removed);
        }
        let kept = self.kept_for(caller);
        let seat = match (wanted, kept) {
            (Some(wanted), Some(kept)) if wanted != kept => return Err(MatchRefusal::SeatKept(kept)),
            (Some(wanted), _) => wanted,
            (None, Some(kept)) => kept,
            (None, None) => {
                self.find_seat(|chair| *chair == SeatSetup::Open).ok_or(MatchRefusal::NoOpenSeat)?
            }
        };
        let holder = match &self.seats[seat.index()].chair {
            SeatSetup::Open => holder.clone(),
            SeatSetup::Reserved { holder: kept } if is_caller(kept, caller) => Holder {
                key: kept.key.or(holder.key),
                player: kept.player.clone().or_else(|| holder.player.clone()),
                name: kept.name.clone().or_else(|| holder.name.clone()),
                program: None,
            },
            _ => return Err(MatchRefusal::SeatTaken(seat)),
        };
        if has_no_identity(&holder) {
            return Err(MatchRefusal::NoIdentity);
        }
        if self.created.rated {
            let others = self.seats.iter().enumerate().filter(|(other, _)| *other != seat.index());
            check_holder(&holder, others.map(|(_, other)| &other.chair))?;
        }
        let last = self.seats.iter().filter(|other| is_free(&other.chair)).count() == 1;
        let mut events = vec![Event::Joined { seat, holder }];
        events.extend(last.then_some(Event::Started));
        Ok(LedgerDecision::New(events))
    }

    /// Whether the creator removed this player. A removed player cannot return; a removed guest cannot be recognized.
    fn was_removed(&self, caller: &Caller) -> bool {
        let removed = |holder: &Holder| is_player(holder, caller);
        self.marks.iter().any(|mark| mark.removed.iter().any(removed))
    }

    /// Removes the holder of a seat before the start. The match stays open.
    pub(super) fn remove(&self, seat: Seat) -> Result<LedgerDecision, MatchRefusal> {
        self.known(seat)?;
        match (&self.seats[seat.index()].chair, self.stage) {
            (_, Stage::Over) => Err(MatchRefusal::MatchOver),
            (_, Stage::Running) => Err(MatchRefusal::Started),
            (SeatSetup::Held { .. }, Stage::Open) => {
                Ok(LedgerDecision::New(vec![Event::Left { seat, removed: true }]))
            }
            (_, Stage::Open) => Err(MatchRefusal::NotHeld(seat)),
        }
    }

    /// Gives up a seat. [`Self::left_by`] finds a repeated leave, since the seat may have a new holder by then.
    pub(super) fn leave(&self, seat: Seat) -> Result<LedgerDecision, MatchRefusal> {
        self.known(seat)?;
        match (&self.seats[seat.index()].chair, self.stage) {
            (SeatSetup::Held { .. }, Stage::Open) if self.created.tournament.is_some() => {
                Err(MatchRefusal::OfTournament)
            }
            (SeatSetup::Held { .. }, Stage::Open) => {
                let others = |other: &SeatSetup| matches!(other, SeatSetup::Held { .. });
                let held = self.seats.iter().filter(|other| others(&other.chair)).count();
                let mut events = vec![Event::Left { seat, removed: false }];
                events.extend((held == 1).then(|| self.ending(EndKind::Aborted, None)));
                Ok(LedgerDecision::New(events))
            }
            (_, Stage::Over) => Err(MatchRefusal::MatchOver),
            (_, Stage::Running) => Err(MatchRefusal::Started),
            (_, Stage::Open) => Err(MatchRefusal::NotHeld(seat)),
        }
    }
}
