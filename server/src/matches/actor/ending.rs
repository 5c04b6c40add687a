//! The actions that only the creator of a match and the operator of the server may perform: end it without a result,
//! and remove a player before the start.

use engines::game::{Seat, Viewer};

use crate::error::{Code, Error};
use crate::matches::actor::MatchActor;
use crate::matches::actor::message::{ActionOutcome, EndedBy};
use crate::matches::actor::retry::{Attempt, Attempts};
use crate::matches::event::EndKind;
use crate::matches::ledger::{Caller, Command};

impl MatchActor {
    pub(super) async fn end(&mut self, by: &EndedBy) -> Result<ActionOutcome, Error> {
        match by {
            EndedBy::Maker(caller) => {
                self.require_creator(caller).await?;
                let viewer = self.viewer(caller);
                self.decree(&Command::End { how: EndKind::Cancelled }, viewer).await
            }
            EndedBy::Operator => {
                self.decree(&Command::End { how: EndKind::Terminated }, Viewer::Spectator).await
            }
        }
    }

    pub(super) async fn remove(&mut self, caller: &Caller, seat: Seat) -> Result<ActionOutcome, Error> {
        self.require_creator(caller).await?;
        if self.ledger.seat_of(caller) == Some(seat) {
            let detail = format!("seat {} is the creator's own: leave it, or cancel the match", seat.0);
            return Err(Error::new(Code::BadSeats, detail));
        }
        let viewer = self.viewer(caller);
        self.decree(&Command::Remove { seat }, viewer).await
    }

    async fn require_creator(&mut self, caller: &Caller) -> Result<(), Error> {
        self.admit(caller).await?;
        if self.ledger.is_creator(caller) {
            return Ok(());
        }
        if caller.seat_key.is_none() && caller.player.is_none() {
            let detail = "the token of the creator of the match is needed: Authorization: Bearer ...";
            return Err(Error::new(Code::TokenNeeded, detail));
        }
        Err(Error::new(Code::NotYourMatch, "only the creator of a match may do this"))
    }

    async fn decree(&mut self, command: &Command, viewer: Viewer) -> Result<ActionOutcome, Error> {
        let mut attempts = Attempts::new();
        loop {
            match self.attempt(command, None, None, Some(viewer)).await? {
                Attempt::Overtaken => attempts.overtaken()?,
                Attempt::Done(outcome) => return outcome.of_action(viewer, self.offer),
            }
        }
    }
}
