//! Seats that a program plays which its owner has uploaded. The match asks for each of its decisions as it asks an engine; the
//! program's clock counts its instructions, so what it decides and what it uses follow from the log alone.

mod program_seat;
mod proof;
mod turn;

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

use engines::arena::SandboxSeat;

use crate::engine_pool::EnginePool;
use crate::matches::event::ProgramRef;
pub use program_seat::{ProgramDifference, ProgramSeat, SeatFailure};
pub use proof::{SeatProof, program_seats, prove_seat};
pub(in crate::matches) use turn::{PlacedProgram, ProgramMove, ProgramTurn};

/// A program that plays for a bot in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "`program` says all")]
pub struct PlayingProgram {
    pub program: ProgramRef,
    /// The settings of the referee's side that it needs, by name.
    pub referee: BTreeMap<String, String>,
}

/// A future of a trait object.
pub type BoxedFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Why a program cannot be seated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramUnavailable {
    /// It never can: it was deleted, or may not run any more. The sentence says so.
    ForGood(String),
    /// It cannot now.
    ForNow(String),
}

/// What runs programs, on this machine or on another one.
pub trait ProgramPlace: Send + Sync {
    /// Whether a program is ready here.
    fn has(&self, program: &ProgramRef) -> bool;
    /// Seats a program that was got ready here. `seed`: of its random numbers.
    ///
    /// # Errors
    /// When it is to be got ready again; a sentence.
    fn seat(&self, program: &ProgramRef, seed: [u8; 32]) -> Result<Box<dyn SandboxSeat>, String>;
    /// The queue of its turns; `None`: the engine pool of this node.
    fn pool(&self) -> Option<&dyn EnginePool>;
}

/// The programs of hosted bots, and what runs them.
pub trait HostedPrograms: Send + Sync {
    /// The program that plays now for the bot with this id in a game; `None`: its own client does.
    fn active(&self, bot: &str, game: &str) -> Option<PlayingProgram>;
    /// Gets a program ready to run at a place. `seated`: the place where it is seated; it stays there if it can.
    ///
    /// # Errors
    /// Why it cannot be.
    fn load<'a>(
        &'a self,
        program: &'a ProgramRef,
        seated: Option<&'a Arc<dyn ProgramPlace>>,
    ) -> BoxedFuture<'a, Result<Arc<dyn ProgramPlace>, ProgramUnavailable>>;
    /// The program of a bot has used this much fuel.
    fn spent(&self, bot: &str, fuel: u64);
}
