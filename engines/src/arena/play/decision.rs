//! A decision of a player: its limits, and what comes of it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::arena::record::{ErrorLine, FaultKind};
use crate::erased::{AnyTable, Refusal, RefusalCode};
use crate::game::Seat;
use crate::protocol::Lines;
use crate::search::Host;

/// The referee's side of the dialogue with a program: of a match, or of a dialogue that was written down.
pub(in crate::arena) trait RefereeSide {
    /// See [`AnyTable::prompt`].
    fn prompt(&mut self, seat: Seat, clock: Option<Duration>);
    /// See [`AnyTable::take_lines`].
    fn take_lines(&mut self, seat: Seat) -> Lines;
    /// See [`AnyTable::hear`].
    ///
    /// # Errors
    /// A foul.
    fn hear(&mut self, seat: Seat, line: &str) -> Result<Option<String>, Refusal>;
    /// The move that all of an answer means for which [`Self::hear`] awaits more. The rules forbid it: it lacks what they demand,
    /// such as returned chips. `None`: it is no move.
    fn unfinished(&self, text: &str) -> Option<String> {
        let _ = text;
        None
    }
}

impl RefereeSide for dyn AnyTable + '_ {
    fn prompt(&mut self, seat: Seat, clock: Option<Duration>) {
        AnyTable::prompt(self, seat, clock);
    }

    fn take_lines(&mut self, seat: Seat) -> Lines {
        AnyTable::take_lines(self, seat)
    }

    fn hear(&mut self, seat: Seat, line: &str) -> Result<Option<String>, Refusal> {
        AnyTable::hear(self, seat, line)
    }

    fn unfinished(&self, text: &str) -> Option<String> {
        self.move_text(text).ok().map(|mv| mv.notation)
    }
}

/// What can interrupt a decision.
#[derive(Clone, Copy)]
pub(in crate::arena) struct Interruption<'s> {
    stop: &'s AtomicBool,
    host: Option<&'s dyn Host>,
}

impl<'s> Interruption<'s> {
    /// A decision that ends when `stop` is set.
    pub(in crate::arena) fn when(stop: &'s AtomicBool) -> Self {
        Self { stop, host: None }
    }

    /// A decision that also rests while `host` lets it wait, and ends when that wants it.
    pub(in crate::arena) fn of_host(stop: &'s AtomicBool, host: &'s dyn Host) -> Self {
        Self { stop, host: Some(host) }
    }

    /// Whether the run is being stopped.
    pub(in crate::arena) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether a program may run on; may wait before it answers.
    pub(in crate::arena) fn may_go_on(&self) -> bool {
        !self.is_stopped() && self.host.is_none_or(Host::go_on)
    }
}

/// The limits of one decision.
pub(in crate::arena) struct DecisionLimits<'s> {
    /// The longest time it may take.
    pub allowed: Option<Duration>,
    /// Time left for all decisions of the match.
    pub left: Option<Duration>,
    /// What can interrupt it.
    pub interruption: Interruption<'s>,
}

impl DecisionLimits<'_> {
    /// Whether the run is being stopped.
    pub(in crate::arena) fn stopped(&self) -> bool {
        self.interruption.is_stopped()
    }
}

/// The reason why there is no move.
pub(in crate::arena) enum NoMove {
    /// The player's mistake.
    Fault {
        kind: FaultKind,
        /// The details, in words.
        detail: String,
        /// The last lines of the program's standard error.
        errors: Vec<ErrorLine>,
    },
    /// A fault of the machine: the match does not count.
    Void(String),
    /// The run is being stopped.
    Stopped,
}

impl NoMove {
    /// A mistake of a player that writes no standard error.
    pub(in crate::arena) fn fault(kind: FaultKind, detail: impl Into<String>) -> Self {
        Self::Fault { kind, detail: detail.into(), errors: Vec::new() }
    }
}

/// A mistake of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotFault {
    /// What the bot did wrong.
    pub kind: FaultKind,
    /// The details, in words.
    pub detail: String,
}

impl BotFault {
    /// The mistake of an answer that the game refuses.
    pub(in crate::arena) fn of(refusal: &Refusal) -> Self {
        let kind = match refusal.code {
            RefusalCode::BadMove => FaultKind::BadLine,
            _ => FaultKind::IllegalMove,
        };
        Self { kind, detail: refusal.detail.clone() }
    }
}

/// The result of a decision.
pub(in crate::arena) struct Attempt {
    /// How long it took.
    pub taken: Duration,
    /// The fuel that it used; only where the clock of the player counts it.
    pub fuel: Option<u64>,
    /// Nodes searched, if they are counted.
    pub nodes: Option<u64>,
    /// The score that the player expects, 0 to 1, if it gives one.
    pub value: Option<f64>,
    /// The move's notation, not played yet.
    pub result: Result<String, NoMove>,
}
