//! Seats that a program plays which its owner has uploaded. The match asks for each of its decisions as it asks an engine; the
//! program's clock counts its instructions, so what it decides and what it uses follow from the log alone.

mod program_seat;
mod proof;
mod turn;

use std::collections::BTreeMap;
use std::pin::Pin;

use engines::arena::SandboxSeat;

use crate::matches::event::ProgramRef;
pub use program_seat::{ProgramDifference, ProgramSeat, SeatFailure};
pub use proof::{SeatProof, program_seats, prove_seat};
pub(in crate::matches) use turn::{ProgramMove, ProgramTurn};

/// A program that plays for a bot in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayingProgram {
    /// The program.
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

/// The programs of hosted bots, and what runs them.
pub trait HostedPrograms: Send + Sync {
    /// The program that plays now for the bot with this id in a game; `None`: its own client does.
    fn active(&self, bot: &str, game: &str) -> Option<PlayingProgram>;
    /// Gets a program ready to be seated.
    ///
    /// # Errors
    /// Why it cannot be.
    fn load<'a>(&'a self, program: &'a ProgramRef) -> BoxedFuture<'a, Result<(), ProgramUnavailable>>;
    /// Seats a program that was got ready. `seed`: of its random numbers.
    ///
    /// # Errors
    /// When it is to be got ready again; a sentence.
    fn seat(&self, program: &ProgramRef, seed: [u8; 32]) -> Result<Box<dyn SandboxSeat>, String>;
    /// The program of a bot has used this much fuel.
    fn spent(&self, bot: &str, fuel: u64);
}
