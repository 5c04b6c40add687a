//! What the maker of a match and the operator of the server may do to it: end it without a result, and take a seat
//! away before it has begun.

use engines::game::{Seat, Viewer};

use crate::error::{Code, Error};
use crate::matches::actor::Live;
use crate::matches::actor::commit::{ATTEMPTS, Outcome, overtaken};
use crate::matches::actor::message::{Ender, Told};
use crate::matches::event::EndKind;
use crate::matches::ledger::{Caller, Command};

impl Live {
    pub(super) async fn end(&mut self, by: &Ender) -> Result<Told, Error> {
        match by {
            Ender::Maker(caller) => {
                self.require_maker(caller)?;
                let viewer = self.viewer(caller);
                self.decree(&Command::End { how: EndKind::Cancelled }, viewer).await
            }
            Ender::Operator => {
                self.decree(&Command::End { how: EndKind::Terminated }, Viewer::Spectator).await
            }
        }
    }

    pub(super) async fn remove(&mut self, caller: &Caller, seat: Seat) -> Result<Told, Error> {
        self.require_maker(caller)?;
        if self.ledger.seat_of(caller) == Some(seat) {
            let detail = format!("seat {} is the maker's own: leave it, or cancel the match", seat.0);
            return Err(Error::new(Code::BadSeats, detail));
        }
        let viewer = self.viewer(caller);
        self.decree(&Command::Remove { seat }, viewer).await
    }

    fn require_maker(&self, caller: &Caller) -> Result<(), Error> {
        self.admit(caller)?;
        if self.ledger.is_maker(caller) {
            return Ok(());
        }
        if caller.seat_key.is_none() && caller.player.is_none() {
            let detail = "the token of the match's maker is needed: Authorization: Bearer ...";
            return Err(Error::new(Code::TokenNeeded, detail));
        }
        Err(Error::new(Code::NotYourMatch, "only its maker may do this to a match"))
    }

    async fn decree(&mut self, command: &Command, viewer: Viewer) -> Result<Told, Error> {
        for _ in 0..ATTEMPTS {
            match self.attempt(command, None, Some(viewer)).await? {
                Outcome::Done(_, Some(frame)) => return Ok(Told::Now(frame)),
                Outcome::Before(seq) => return Ok(Told::Before { seq, viewer, offer: self.offer }),
                Outcome::Overtaken => {}
                Outcome::Done(_, None) | Outcome::AskedBefore => {
                    return Err(Error::new(Code::Internal, "a decree came to nothing"));
                }
            }
        }
        Err(overtaken())
    }
}
