//! The record of a match: enough to count it again, to play it again, and to continue a run.

use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::plan::{Fixture, RunPlan};
use crate::erased::fingerprint;
use crate::game::Outcome;
use crate::rng::Seed;

/// Values are kept as whole numbers of this size: 1 is 10,000.
pub(super) const VALUE_ONE: u16 = 10_000;

/// A value as records keep it; `None` if it is not between 0 and 1.
pub(super) fn kept_value(value: f64) -> Option<u16> {
    (0.0..=1.0).contains(&value).then(|| (value * f64::from(VALUE_ONE)).round() as u16)
}

/// The fingerprint of a value as records keep it: 16 hexadecimal digits.
pub(super) fn hash(value: &Value) -> String {
    format!("{:016x}", fingerprint(value))
}

/// The kinds of mistakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// A move the rules forbid here.
    IllegalMove,
    /// A line the dialogue does not allow here, or one without an end.
    BadLine,
    /// Too late, or not at all.
    Time,
    /// The player ended, or closed its output, while it was to decide.
    Crash,
}

impl FaultKind {
    /// All kinds, in the order of the tables.
    pub const ALL: [Self; 4] = [Self::IllegalMove, Self::BadLine, Self::Time, Self::Crash];

    /// The kind in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::IllegalMove => "illegal move",
            Self::BadLine => "bad line",
            Self::Time => "time",
            Self::Crash => "crash",
        }
    }
}

impl Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A line that a program wrote to standard error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorLine {
    /// The turn of the program, as moves made before it; 0 before its first one.
    pub ply: u32,
    /// The time since that turn began, in milliseconds.
    pub ms: u64,
    /// The line without control characters; of a long one the beginning.
    pub text: String,
}

impl Display for ErrorLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ply {}, {} ms | {}", self.ply, self.ms, self.text)
    }
}

/// A mistake, punished as the official referee does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Moves made before it.
    pub ply: u32,
    /// The seat that made it.
    pub seat: u8,
    /// What the player did wrong.
    pub kind: FaultKind,
    /// The details, in words.
    pub detail: String,
    /// The move played instead, if the match went on; the player's action was voided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
    /// The last lines of the program's standard error.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ErrorLine>,
    /// The lines that the program had read since its move before, if the settings ask for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<String>,
}

/// The decisions of one seat in a match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatRecord {
    /// Name of the player.
    pub player: String,
    /// Time of every decision, in microseconds.
    pub times_us: Vec<u64>,
    /// Fuel of every decision; only of a program in a sandbox.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fuel: Vec<u64>,
    /// Nodes of all decisions, if the player counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// The player's own value of each decision, in ten-thousandths of a win; only where it gave values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<u16>,
    /// The processor time of the program's processes, in microseconds; of a program only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<u64>,
    /// The most memory that a process of the program had resident, in KiB; of a program only, and if the system says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_kib: Option<u64>,
    /// The last lines of the program's standard error; only where the settings ask for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ErrorLine>,
    /// Why the program's log file is not complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_failure: Option<String>,
}

/// A match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArenaRecord {
    /// Its number, from 0. With the same settings a number always means the same match.
    pub game: u32,
    /// The deal it belongs to, counted from 0: matches of one deal are counted together.
    pub deal: u32,
    /// The seed of the deal.
    pub seed: Seed,
    /// The moves that the arena made before the players, in the official notation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opening: Vec<String>,
    /// The fingerprint of the state before the first move of the players: equal starts have equal ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_hash: Option<String>,
    /// The fingerprint of start, moves and result; `None` when the match was voided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub match_hash: Option<String>,
    /// The result; `None` when the match was voided.
    pub outcome: Option<Outcome>,
    /// The reason why it does not count: a fault of the machine, not of a player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub void: Option<String>,
    /// Moves made, without the opening.
    pub plies: u32,
    /// Mistakes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
    /// The moves after the opening in the official notation, if the settings ask for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves: Option<Vec<String>>,
    /// The seats, in order.
    pub seats: Vec<SeatRecord>,
}

impl ArenaRecord {
    /// A match that is about to begin.
    pub(super) fn of(plan: &RunPlan, fixture: &Fixture) -> Self {
        let seat =
            |p: &usize| SeatRecord { player: plan.players()[*p].name.clone(), ..SeatRecord::default() };
        Self {
            game: fixture.game,
            deal: fixture.deal,
            seed: fixture.seed,
            opening: Vec::new(),
            start_hash: None,
            match_hash: None,
            outcome: None,
            void: None,
            plies: 0,
            faults: Vec::new(),
            moves: plan.wanted.keep_moves.then(Vec::new),
            seats: fixture.seats.iter().map(seat).collect(),
        }
    }

    /// The seats of the player of this name.
    pub fn seats_of<'r>(&'r self, name: &'r str) -> impl Iterator<Item = usize> + 'r {
        self.seats.iter().enumerate().filter(move |(_, s)| s.player == name).map(|(i, _)| i)
    }

    /// The record without times, memory and the state of log files, which differ from run to run.
    pub fn without_times(&self) -> Self {
        let mut record = self.clone();
        for seat in &mut record.seats {
            seat.times_us.clear();
            (seat.cpu_us, seat.peak_kib, seat.log_failure) = (None, None, None);
        }
        let seats = record.seats.iter_mut().map(|seat| &mut seat.errors);
        let faults = record.faults.iter_mut().map(|fault| &mut fault.errors);
        seats.chain(faults).flatten().for_each(|line| line.ms = 0);
        record
    }
}
