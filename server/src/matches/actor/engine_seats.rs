//! The engines and hosted programs in the seats of a live match, and the search or turn that runs for the one to move.

use std::sync::Arc;

use engines::game::Seat;

use crate::catalogue::Offer;
use crate::engine_pool::EngineRef;
use crate::matches::actor::engine_turn::{Chosen, EngineSearch, engines};
use crate::matches::bots::hosted::PlacedProgram;
use crate::matches::event::SeatSetup;
use crate::matches::ledger::Ledger;

/// The engines of a match.
pub(super) struct EngineSeats {
    /// The engines to ask for the moves of each seat, in order; empty for the seats of players.
    by_seat: Vec<Arc<[EngineRef]>>,
    /// The hosted program of each seat, as it was left after its last turn; `None` where it must be seated anew, or there is none.
    programs: Vec<Option<PlacedProgram>>,
    search: Option<EngineSearch>,
    /// How often the engine to move has chosen an illegal move, and the ply of those moves.
    refused: (u32, u32),
}

impl EngineSeats {
    /// The engines of this match. An engine keeps its seat for the whole match.
    pub(super) fn new(offer: &'static Offer, ledger: &Ledger) -> Self {
        let by_seat = ledger.seats().iter().map(|seat| match &seat.chair {
            SeatSetup::Engine(seated) => engines(offer, &seated.engine),
            _ => Arc::default(),
        });
        let programs = ledger.seats().iter().map(|_| None).collect();
        Self { by_seat: by_seat.collect(), programs, search: None, refused: (0, 0) }
    }

    /// Takes the hosted program of a seat for its turn.
    pub(super) fn take_program(&mut self, seat: Seat) -> Option<PlacedProgram> {
        self.programs[seat.index()].take()
    }

    /// Keeps the hosted program of a seat until its next turn.
    pub(super) fn keep_program(&mut self, seat: Seat, program: Option<PlacedProgram>) {
        self.programs[seat.index()] = program;
    }

    /// The engines to ask for a move of this seat, in order.
    pub(super) fn of(&self, seat: Seat) -> Arc<[EngineRef]> {
        Arc::clone(&self.by_seat[seat.index()])
    }

    /// The seat and the ply for which a search runs.
    pub(super) fn searched(&self) -> Option<(Seat, u32)> {
        self.search.as_ref().map(|search| (search.seat, search.ply))
    }

    /// Begins a search; a running one is cancelled.
    pub(super) fn begin(&mut self, search: EngineSearch) {
        self.search = Some(search);
    }

    /// Cancels the search, if one runs.
    pub(super) fn cancel(&mut self) {
        self.search = None;
    }

    /// Waits for the decision of the running search or turn; for ever if none runs.
    pub(super) async fn chosen(&mut self) -> Chosen {
        match &mut self.search {
            Some(search) => search.chosen.as_mut().await,
            None => std::future::pending().await,
        }
    }

    /// Ends the search, whose move was chosen; returns its seat and ply.
    pub(super) fn end(&mut self) -> Option<(Seat, u32)> {
        self.search.take().map(|search| (search.seat, search.ply))
    }

    /// How often a move of an engine was refused at this ply.
    pub(super) fn refused_at(&self, ply: u32) -> u32 {
        let (times, at) = self.refused;
        if at == ply { times } else { 0 }
    }

    /// Notes that a move of an engine was refused at this ply.
    pub(super) fn note_refused(&mut self, ply: u32) {
        self.refused = (self.refused_at(ply) + 1, ply);
    }
}
