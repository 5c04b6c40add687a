//! A program in a sandbox that holds a seat of a match which another part runs: that part says what was played, and asks for the
//! decisions of the program. It does here what it does in a match of the arena.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::Value;

use super::command::{ProgramStart, SeatProgram};
use super::decision::{BotFault, DecisionLimits, Interruption, NoMove};
use super::sandboxed::SandboxSeat;
use crate::arena::record::{ErrorLine, FaultKind};
use crate::erased::{AnyGame, AnyTable};
use crate::game::{Seat, Turn, Viewer};
use crate::protocol::Settings;
use crate::search::Host;

/// A program in its seat, and the match as far as it has been told.
pub struct HostedProgram {
    table: Box<dyn AnyTable>,
    seat: Seat,
    program: SeatProgram,
}

/// The time that a decision has, by the program's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostedTime {
    /// For this decision.
    pub allowed: Duration,
    /// Left for all further decisions, as the program is told; `None`: no limit.
    pub left: Option<Duration>,
}

/// A decision of the program.
#[derive(Clone, Debug, PartialEq)]
pub struct HostedDecision {
    /// The legal move in the official notation, or the program's mistake.
    pub answer: Result<String, BotFault>,
    /// The fuel that it has used.
    pub fuel: u64,
    /// The same as time of its clock.
    pub taken: Duration,
    /// The last lines that it wrote to standard error since its decision before.
    pub errors: Vec<ErrorLine>,
}

/// Why the program made no decision, through no mistake of its own. It has ended; another one that is told the same makes the same
/// decisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostedInterruption {
    /// The host wanted it to end.
    Stopped,
    /// The machine has lost the program, in this way.
    Lost(String),
}

impl HostedProgram {
    /// Seats a program in a match that begins in the state `start`. `settings`: of the referee's side.
    ///
    /// # Errors
    /// When the state is none of this game, or no bot can hold the seat; one sentence.
    pub fn seat(
        game: &dyn AnyGame,
        start: &Value,
        seat: Seat,
        settings: &Settings,
        program: Box<dyn SandboxSeat>,
    ) -> Result<Self, String> {
        let mut table = game.restore(start).map_err(|e| e.detail)?;
        table.seat_bot(seat, settings).map_err(|e| e.detail)?;
        let start = ProgramStart::Sandbox(program);
        let program = SeatProgram::seat(game, seat, start, None, &AtomicBool::new(false));
        let program = program.map_err(|e| match e {
            NoMove::Void(why) => why,
            NoMove::Stopped | NoMove::Fault { .. } => "the program cannot be started".to_owned(),
        })?;
        Ok(Self { table, seat, program })
    }

    /// Moves made so far.
    pub fn ply(&self) -> u32 {
        self.table.ply()
    }

    /// Whether the next decision is the program's.
    pub fn is_at_turn(&self) -> bool {
        self.table.turn() == Turn::Of(self.seat)
    }

    /// A move was made, by this seat or another one.
    ///
    /// # Errors
    /// When it is not possible here; one sentence.
    pub fn play(&mut self, by: Seat, notation: &str) -> Result<(), String> {
        self.table.play(by, notation).map_err(|e| e.detail)
    }

    /// Lets the program decide, if it is its turn. `host`: lets the program wait while others need the processor.
    ///
    /// # Errors
    /// Why it did not, without a mistake of its own.
    pub fn decide(
        &mut self,
        time: HostedTime,
        host: &dyn Host,
    ) -> Result<HostedDecision, HostedInterruption> {
        let never = AtomicBool::new(false);
        let limits = DecisionLimits {
            allowed: Some(time.allowed),
            left: time.left,
            interruption: Interruption::of_host(&never, host),
        };
        self.program.deliver(self.table.as_mut());
        let ply = self.table.ply();
        let attempt = self.program.decide(self.table.as_mut(), ply, &limits, None);
        let late = || {
            let detail = format!("no move after {} ms", time.allowed.as_millis());
            BotFault { kind: FaultKind::Time, detail }
        };
        let answer = match attempt.result {
            Err(NoMove::Stopped) => return Err(HostedInterruption::Stopped),
            Err(NoMove::Void(why)) => return Err(HostedInterruption::Lost(why)),
            Err(NoMove::Fault { kind: FaultKind::Time, .. }) => Err(late()),
            Err(NoMove::Fault { kind, detail, .. }) => Err(BotFault { kind, detail }),
            Ok(_) if attempt.taken >= time.allowed => Err(late()),
            Ok(text) => {
                let checked = self.table.view(Viewer::Seat(self.seat)).check(&text);
                checked.map(|mv| mv.notation).map_err(|e| BotFault::of(&e))
            }
        };
        let (fuel, taken) = (attempt.fuel.unwrap_or(0), attempt.taken);
        Ok(HostedDecision { answer, fuel, taken, errors: self.program.take_errors() })
    }
}
