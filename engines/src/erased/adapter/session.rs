//! Sessions of the official protocol without their types.

use crate::erased::adapter::position::ErasedPosition;
use crate::erased::{AnySession, Awaits, DecisionRequest, Refusal};
use crate::game::Game;
use crate::protocol::{Entry, KeptSetting, Lines, PlayerAwaits, PlayerDecision};
use crate::session::Session;

/// Removes the types from the event that a session waits for.
fn erased<G: Game>(awaits: PlayerAwaits<G>) -> Awaits {
    awaits.map(|PlayerDecision { view, clock }| DecisionRequest {
        position: Box::new(ErasedPosition::<G>(*view)),
        clock,
        limit: G::INFO.move_limit,
        counts: G::DIALOGUE.counts,
        usual: G::INFO.think,
    })
}

impl<G: Game> AnySession for Session<G> {
    fn push(&mut self, entries: Vec<Entry>) {
        Session::push(self, entries);
    }

    fn waiting(&self) -> usize {
        Session::waiting(self)
    }

    fn keep(&self) -> Vec<KeptSetting> {
        Session::keep(self)
    }

    fn has_lines(&self) -> bool {
        Session::has_lines(self)
    }

    fn advance(&mut self) -> Result<Awaits, Refusal> {
        Ok(erased(Session::advance(self)?))
    }

    fn silence(&mut self) -> Awaits {
        erased(Session::silence(self))
    }

    fn decide(&mut self, notation: &str) -> Result<Awaits, Refusal> {
        Ok(erased(Session::decide(self, notation)?))
    }

    fn take_lines(&mut self) -> Lines {
        Session::take_lines(self)
    }

    fn take_remarks(&mut self) -> Lines {
        Session::take_remarks(self)
    }

    fn has_understood(&self) -> bool {
        Session::has_understood(self)
    }
}
