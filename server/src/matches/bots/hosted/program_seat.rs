//! A program in its seat, and the match as far as it has been told. It makes the same decisions whenever it is told the same, so a
//! program that was lost is told the whole match again, and a record is proved in the same way.

use std::collections::BTreeMap;
use std::time::Duration;

use engines::arena::{
    HostedDecision, HostedInterruption, HostedProgram, HostedTime, SandboxSeat, program_seed,
};
use engines::erased::AnyGame;
use engines::game::Seat;
use engines::protocol::Settings;
use engines::search::Host;

use crate::matches::clock::Clocks;
use crate::matches::event::{Created, Event, FoulKind, LoggedEvent, MoveTimes};

/// The time of a decision in a match without a clock.
const WITHOUT_CLOCK: Duration = Duration::from_secs(10);

/// A seat that a hosted program holds in one match.
pub struct ProgramSeat {
    program: HostedProgram,
    seat: Seat,
    clocks: Clocks,
    /// The number of the first event that it was not told.
    next: u32,
    /// The ply at which it has decided already.
    decided: Option<u32>,
}

/// Why a program did not decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeatFailure {
    /// The host wanted it to end.
    Stopped,
    /// The machine has lost it, in this way.
    Lost(String),
    /// The log contradicts the game, in this way.
    Broken(String),
}

/// A decision that is not what the log has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramDifference {
    /// The number of the event.
    pub seq: u32,
    /// What the log has, and what the program does.
    pub what: String,
}

/// The seed of the random numbers of the program in a seat.
pub(super) fn seed_of(created: &Created, seat: Seat) -> [u8; 32] {
    program_seed(&created.seed, seat.index()).0
}

impl ProgramSeat {
    /// Seats a program in a match that was created like this, before its first event is told. `referee`: the settings of the seat
    /// when the match starts.
    ///
    /// # Errors
    /// When no bot can hold the seat; one sentence.
    pub fn new(
        game: &dyn AnyGame,
        created: &Created,
        seat: Seat,
        referee: &BTreeMap<String, String>,
        program: Box<dyn SandboxSeat>,
    ) -> Result<Self, String> {
        let settings = Settings(referee.clone());
        let program = HostedProgram::seat(game, &created.state, seat, &settings, program)?;
        let clocks = Clocks::new(created.clock, created.seats.len());
        Ok(Self { program, seat, clocks, next: 1, decided: None })
    }

    /// The number of the first event that it was not told.
    pub fn next_seq(&self) -> u32 {
        self.next
    }

    /// Tells it the next events of the log. Where it has not made a decision of its own yet that the log has, it makes it now.
    /// Returns where it decides otherwise than the log says.
    ///
    /// # Errors
    /// Why it cannot follow. Then it is over.
    pub fn follow(
        &mut self,
        events: &[LoggedEvent],
        host: &dyn Host,
    ) -> Result<Vec<ProgramDifference>, SeatFailure> {
        let mut differences = Vec::new();
        for LoggedEvent { seq, event, .. } in events {
            if *seq < self.next {
                continue;
            }
            let (seat, ply, times, played, foul) = match event {
                Event::Moved(moved) => (moved.seat, moved.ply, &moved.times, Some(&moved.notation), None),
                Event::Fouled(foul) => {
                    (foul.seat, foul.ply, &foul.times, foul.instead.as_ref(), Some(foul.kind))
                }
                _ => {
                    self.next = seq + 1;
                    continue;
                }
            };
            if seat == self.seat && foul != Some(FoulKind::Out) && self.decided != Some(ply) {
                let decision = self.decide(host)?;
                let logged = Logged { notation: played.filter(|_| foul.is_none()), foul, times };
                differences
                    .extend(logged.difference(&decision).map(|what| ProgramDifference { seq: *seq, what }));
            }
            if let Some(notation) = played {
                self.program.play(seat, notation).map_err(SeatFailure::Broken)?;
            }
            if foul != Some(FoulKind::Out) {
                self.clocks.charge(seat, times.think_us / 1000);
            }
            self.next = seq + 1;
        }
        Ok(differences)
    }

    /// Lets it decide, at its turn.
    ///
    /// # Errors
    /// Why it did not. Then it is over.
    pub fn decide(&mut self, host: &dyn Host) -> Result<HostedDecision, SeatFailure> {
        if !self.program.is_at_turn() {
            return Err(SeatFailure::Broken(format!("it is not the turn of seat {}", self.seat)));
        }
        let left = self.clocks.left(self.seat).map(Duration::from_millis);
        let allowed = self.clocks.allowed(self.seat).map_or(WITHOUT_CLOCK, Duration::from_millis);
        self.decided = Some(self.program.ply());
        self.program.decide(HostedTime { allowed, left }, host).map_err(|e| match e {
            HostedInterruption::Stopped => SeatFailure::Stopped,
            HostedInterruption::Lost(how) => SeatFailure::Lost(how),
        })
    }
}

/// What the log has of a decision.
struct Logged<'l> {
    /// The move; `None`: a foul.
    notation: Option<&'l String>,
    foul: Option<FoulKind>,
    times: &'l MoveTimes,
}

impl Logged<'_> {
    /// How the program decides otherwise, if it does.
    fn difference(&self, decision: &HostedDecision) -> Option<String> {
        let now = match &decision.answer {
            Ok(notation) => format!("plays {notation}"),
            Err(fault) => format!("makes a mistake ({}: {})", fault.kind, fault.detail),
        };
        let same = match (self.notation, &decision.answer) {
            (Some(logged), Ok(notation)) => logged == notation,
            (None, Err(fault)) => self.foul == Some(foul_of(fault.kind)),
            _ => false,
        };
        if !same {
            let logged = match (self.notation, self.foul) {
                (Some(notation), _) => format!("the move {notation}"),
                (None, foul) => format!("the mistake {}", foul.map_or("none", FoulKind::name)),
            };
            return Some(format!("the log has {logged}, the program {now}"));
        }
        let (logged, used) = (self.times.fuel.unwrap_or(0), decision.fuel);
        let think_us = micros(decision.taken);
        if logged != used {
            return Some(format!("the log has {logged} units of fuel, the program uses {used}"));
        }
        (self.times.think_us != think_us)
            .then(|| format!("the log has {} µs, the fuel is {think_us} µs", self.times.think_us))
    }
}

/// The foul of a mistake.
pub(super) fn foul_of(kind: engines::arena::FaultKind) -> FoulKind {
    use engines::arena::FaultKind;
    match kind {
        FaultKind::Time => FoulKind::Time,
        FaultKind::Crash => FoulKind::Crash,
        FaultKind::IllegalMove => FoulKind::IllegalMove,
        FaultKind::BadLine => FoulKind::BadLine,
    }
}

/// A time in whole microseconds.
pub(super) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
