//! Vacations of the players of a match whose time for each move is of days. While the player to move is on vacation, the clock is paused;
//! before something else is decided, the time of the vacation is taken out of the turn, as the database knows it.

use std::collections::BTreeMap;

use engines::game::Seat;

use crate::domain::time::Millis;
use crate::domain::{PlayerRef, Stage};
use crate::error::Error;
use crate::matches::actor::MatchActor;
use crate::matches::actor::retry::{Attempt, Attempts};
use crate::matches::event::SeatSetup;
use crate::matches::ledger::{Command, Due, LedgerDecision, SeatNow};
use crate::matches::registry::downtime::Downtime;
use crate::matches::render;
use crate::store::{PlannedVacation, refused_by_store};

/// The vacations in a match that its viewers know.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ShownVacations {
    /// Until when the players of seats are on vacation.
    until_ms: BTreeMap<Seat, Millis>,
    /// The number of moves at the turn whose clock is paused for one.
    paused_ply: Option<u32>,
}

impl MatchActor {
    /// The vacation of the player to move that goes on and stops the clock, as far as this node knows. It does not if the time was up
    /// before.
    pub(super) fn vacation(&self) -> Option<PlannedVacation> {
        let vacation = self.registry.vacations.of(&self.vacationer()?.id, self.now())?;
        let Due::At(end_ms) = self.ledger.due() else { return None };
        (self.standing_since(vacation) < end_ms).then_some(vacation)
    }

    /// The player to move, if a vacation of theirs stops the clock.
    fn vacationer(&self) -> Option<&PlayerRef> {
        let seat = self.ledger.turn().filter(|_| self.ledger.vacation_counts())?;
        person(&self.ledger.seats()[seat.index()])
    }

    /// Until when the players of seats are on vacation; empty if vacations do not count in this match.
    pub(super) fn vacations(&self) -> BTreeMap<Seat, Millis> {
        let now = self.now();
        if self.ledger.stage() == Stage::Over || !self.ledger.has_vacations() {
            return BTreeMap::new();
        }
        let seats = (0..).map(Seat).zip(self.ledger.seats());
        seats
            .filter_map(|(seat, held)| {
                Some((seat, self.registry.vacations.of(&person(held)?.id, now)?.until_ms))
            })
            .collect()
    }

    /// When something is due by the clock: during a vacation of the player to move, at its end.
    pub(super) fn due(&self) -> Due {
        match (self.ledger.due(), self.vacation()) {
            (Due::At(_), Some(vacation)) => Due::At(vacation.until_ms),
            (due, _) => due,
        }
    }

    /// When the running turn ends by itself if the vacation of its player lasts as planned.
    pub(super) fn turn_end(&self) -> Option<Millis> {
        let Due::At(at_ms) = self.ledger.due() else { return None };
        let Some(vacation) = self.vacation() else { return Some(at_ms) };
        Some(at_ms.saturating_add(vacation.until_ms.saturating_sub(self.standing_since(vacation))))
    }

    /// The time since which the clock is paused for this vacation, as far as the log does not know it yet.
    pub(super) fn standing_since(&self, vacation: PlannedVacation) -> Millis {
        vacation.begun_ms.max(self.ledger.settled_until())
    }

    /// The vacations of the player to move in a part of the running turn that has not been settled, as the database knows them.
    /// Those that go on are included.
    pub(super) async fn unsettled_vacations(&mut self) -> Result<Vec<(Millis, Millis)>, Error> {
        let Some(player) = self.vacationer().map(|player| player.id.clone()) else { return Ok(Vec::new()) };
        let after = self.ledger.settled_until();
        let found = self.registry.store.vacations_since(player, after).await;
        let found = found.map_err(|e| refused_by_store(&e))?;
        Ok(found.into_iter().map(|vacation| (vacation.begun_ms, vacation.until_ms)).collect())
    }

    /// Takes the vacations of the player to move up to now out of the turn, before something else is decided. Returns whether the
    /// match has changed.
    pub(super) async fn settle_vacation(&mut self) -> Result<bool, Error> {
        let mut attempts = Attempts::new();
        let mut is_changed = false;
        loop {
            let vacations = match self.unsettled_vacations().await {
                Ok(vacations) => vacations,
                Err(unread) => return Err(self.pause(unread.to_string(), self.now())),
            };
            let now = self.now();
            let Downtime { away_ms, .. } = Downtime::of(&[], &vacations, 0, self.ledger.settled_until(), now);
            if away_ms == 0 {
                return Ok(is_changed);
            }
            let resume = Command::Resume { away_ms, grace_ms: 0, vacation: true };
            let LedgerDecision::New(events) = self.catch_panic(|ledger| ledger.decide(&resume, now))?? else {
                return Ok(is_changed);
            };
            is_changed = true;
            match self.commit(events, None, now, None, None).await? {
                Attempt::Done(_) => return Ok(true),
                Attempt::Overtaken => attempts.overtaken()?,
            }
        }
    }

    /// Settles the vacation for which the clock of the running turn was paused, if it is over.
    pub(super) async fn settle_ended_vacation(&mut self) {
        if self.vacations_shown.paused_ply == Some(self.ledger.ply()) && self.vacation().is_none() {
            self.forgive_downtime(self.serves_turn()).await;
        }
    }

    /// Tells the viewers who is on vacation and whether the clock is paused for it, if that has changed.
    pub(super) fn show_vacations(&mut self) {
        let shown = ShownVacations {
            until_ms: self.vacations(),
            paused_ply: self.vacation().map(|_| self.ledger.ply()),
        };
        if shown == self.vacations_shown || self.ledger.stage() == Stage::Over {
            return;
        }
        let connected = self.registry.presence.connected(&self.id);
        self.audience.tell(&render::presence(&self.ledger, &connected, &shown.until_ms));
        self.vacations_shown = shown;
        self.show_clock();
    }
}

/// The person who holds a seat and has an account; bots have no vacation.
fn person(seat: &SeatNow) -> Option<&PlayerRef> {
    match &seat.chair {
        SeatSetup::Held { holder } if !seat.out => {
            holder.player.as_ref().filter(|player| player.owner.is_none())
        }
        _ => None,
    }
}
