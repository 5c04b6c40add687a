//! One match: the loop of decisions, the clocks, the penalties.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::calibration::kept;
use super::clock::ArenaClocks;
use super::command::SeatProgram;
use super::http::{Http, ServerPlayer};
use super::plan::{Fixture, RunPlan};
use super::record::{ArenaRecord, Fault, FaultKind};
use super::spec::PlayerSpec;
use super::standstill::Standstills;
use super::thinker::Thinker;
use crate::erased::{AnyTable, Refusal, RefusalCode};
use crate::game::{Seat, Turn, Viewer};
use crate::rng::{Rng, Seed};

/// More moves and mistakes than any match can have.
const ENDLESS: u32 = 20_000;

/// The limits of one decision.
pub(super) struct DecisionLimits<'s> {
    /// The longest time it may take.
    pub allowed: Option<Duration>,
    /// Time left for all decisions of the match.
    pub left: Option<Duration>,
    /// Set when the run is to stop.
    pub stop: &'s AtomicBool,
}

impl DecisionLimits<'_> {
    /// Whether the run is being stopped.
    pub(super) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// The reason why there is no move.
pub(super) enum Miss {
    /// The player's mistake.
    Fault {
        /// The kind.
        kind: FaultKind,
        /// The details, in words.
        detail: String,
        /// The end of the program's standard error, if there is any.
        stderr: Option<String>,
    },
    /// A fault of the machine: the match does not count.
    Void(String),
    /// The run is being stopped.
    Stopped,
}

impl Miss {
    /// A mistake of a player that writes no standard error.
    pub(super) fn fault(kind: FaultKind, detail: impl Into<String>) -> Self {
        Self::Fault { kind, detail: detail.into(), stderr: None }
    }
}

/// The result of a decision.
pub(super) struct Attempt {
    /// How long it took.
    pub taken: Duration,
    /// Nodes searched, if they are counted.
    pub nodes: Option<u64>,
    /// The score that the player expects, 0 to 1, if it gives one.
    pub value: Option<f64>,
    /// The move's notation, not played yet.
    pub result: Result<String, Miss>,
}

/// Plays a match; `None` when the run was stopped before its end.
pub(super) fn play(
    plan: &RunPlan,
    fixture: &Fixture,
    http: &dyn Http,
    stop: &Arc<AtomicBool>,
    standstills: &Standstills,
) -> Option<ArenaRecord> {
    let record = ArenaRecord::of(plan, fixture);
    let table = match plan.game.deal(&plan.wanted.options, &fixture.seed) {
        Ok(table) => table,
        Err(e) => return Some(ArenaRecord { void: Some(e.detail), ..record }),
    };
    let clocks = ArenaClocks::new(plan.wanted.limits, fixture.seats.len());
    RunningMatch { plan, fixture, http, stop, standstills, table, bots: Vec::new(), clocks, record }.play()
}

struct RunningMatch<'p> {
    plan: &'p RunPlan,
    fixture: &'p Fixture,
    http: &'p dyn Http,
    stop: &'p Arc<AtomicBool>,
    standstills: &'p Standstills,
    table: Box<dyn AnyTable>,
    /// The program in each seat, if there is one.
    bots: Vec<Option<SeatProgram>>,
    clocks: ArenaClocks,
    record: ArenaRecord,
}

impl RunningMatch<'_> {
    fn play(mut self) -> Option<ArenaRecord> {
        match self.seat_bots().and_then(|()| self.decide_all()) {
            Ok(()) => self.record.outcome = self.table.outcome(),
            Err(Miss::Void(why)) => self.record.void = Some(why),
            Err(Miss::Stopped) => return None,
            Err(Miss::Fault { .. }) => unreachable!("a fault is punished where it happens"),
        }
        self.record.plies = self.table.ply();
        for (seat, bot) in std::mem::take(&mut self.bots).into_iter().enumerate() {
            let Some(details) = bot.and_then(|bot| bot.leave(self.table.as_mut())) else { continue };
            self.record.seats[seat].peak_kib = details.peak_kib;
            self.record.seats[seat].stderr = (!details.stderr.is_empty()).then_some(details.stderr);
        }
        Some(self.record)
    }

    fn seat_bots(&mut self) -> Result<(), Miss> {
        for (seat, player) in (0..).map(Seat).zip(&self.fixture.seats) {
            let bot = match &self.plan.wanted.players[*player].spec {
                PlayerSpec::Command { words, referee } => {
                    let (game, table) = (self.plan.game, self.table.as_mut());
                    let keep = self.plan.wanted.keep_details;
                    Some(SeatProgram::seat(game, table, seat, words, referee, keep, self.stop)?)
                }
                PlayerSpec::Engine { .. } | PlayerSpec::Server { .. } => None,
            };
            self.bots.push(bot);
        }
        Ok(())
    }

    fn decide_all(&mut self) -> Result<(), Miss> {
        for _ in 0..ENDLESS {
            for bot in self.bots.iter_mut().flatten() {
                bot.deliver(self.table.as_mut());
            }
            let Turn::Of(seat) = self.table.turn() else { return Ok(()) };
            if self.stop.load(Ordering::Relaxed) {
                return Err(Miss::Stopped);
            }
            let started = Instant::now();
            let attempt = self.decide(seat);
            if matches!(attempt.result, Err(Miss::Void(_) | Miss::Stopped)) {
                return attempt.result.map(drop);
            }
            let seat_record = &mut self.record.seats[seat.index()];
            seat_record.times_us.push(attempt.taken.as_micros() as u64);
            if let Some(nodes) = attempt.nodes {
                *seat_record.nodes.get_or_insert(0) += nodes;
            }
            seat_record.values.extend(attempt.value.and_then(kept));
            let in_time = self.clocks.charge(seat.index(), attempt.taken);
            let late = !in_time || matches!(attempt.result, Err(Miss::Fault { kind: FaultKind::Time, .. }));
            if late && let Some(lost) = self.standstills.since(started) {
                let ms = lost.as_millis();
                return Err(Miss::Void(format!("the arena itself stood still for {ms} ms in a decision")));
            }
            match attempt.result {
                Ok(_) if !in_time => {
                    let text = format!("the move came after {} ms", attempt.taken.as_millis());
                    self.punish(seat, FaultKind::Time, text, None)?;
                }
                Ok(notation) => self.play_move(seat, notation)?,
                Err(Miss::Fault { kind, detail, stderr }) => self.punish(seat, kind, detail, stderr)?,
                Err(miss) => return Err(miss),
            }
        }
        Err(Miss::Void("the match does not end".to_owned()))
    }

    fn decide(&mut self, seat: Seat) -> Attempt {
        let chance = DecisionLimits {
            allowed: self.clocks.allowed(seat.index()),
            left: self.clocks.left(seat.index()),
            stop: self.stop,
        };
        if let Some(bot) = &mut self.bots[seat.index()] {
            return bot.decide(self.table.as_mut(), &chance);
        }
        let info = self.plan.game.info();
        let player = self.fixture.seats[seat.index()];
        let seed = decision_seed(&self.fixture.seed, player, self.table.ply());
        let position = self.table.view(Viewer::Seat(seat));
        match &self.plan.wanted.players[player].spec {
            PlayerSpec::Engine { name, level, think, nodes } => {
                let thinker = Thinker { name: name.as_deref(), level: *level, think: *think, nodes: *nodes };
                thinker.decide(position.as_ref(), info.think, seed, self.stop, &chance)
            }
            PlayerSpec::Server { url, think, nodes, level, seed: fixed } => {
                let server = ServerPlayer { url, think: *think, nodes: *nodes, level: *level, seed: *fixed };
                server.decide(info.slug, position.as_ref(), info.think, &seed, self.http, &chance)
            }
            PlayerSpec::Command { .. } => unreachable!("a program sits among the bots"),
        }
    }

    fn play_move(&mut self, seat: Seat, notation: String) -> Result<(), Miss> {
        match self.table.play(seat, &notation) {
            Ok(()) => {
                if let Some(moves) = &mut self.record.moves {
                    moves.push(notation);
                }
                Ok(())
            }
            Err(e) => {
                let kind = if e.code == RefusalCode::IllegalMove {
                    FaultKind::IllegalMove
                } else {
                    FaultKind::BadLine
                };
                self.punish(seat, kind, e.detail, None)
            }
        }
    }

    /// Applies the official penalty.
    fn punish(
        &mut self,
        seat: Seat,
        kind: FaultKind,
        detail: String,
        stderr: Option<String>,
    ) -> Result<(), Miss> {
        let ply = self.table.ply();
        let reason = format!("{}: {kind}: {detail}", self.record.seats[seat.index()].player);
        let instead = self.table.foul(seat, &reason).map_err(|e: Refusal| Miss::Void(e.detail))?;
        if let (Some(moves), Some(instead)) = (&mut self.record.moves, &instead) {
            moves.push(instead.clone());
        }
        let details = self.bots[seat.index()].as_ref().and_then(SeatProgram::details);
        let read = details.map_or_else(Vec::new, |details| details.read.clone());
        self.record.faults.push(Fault { ply, seat: seat.0, kind, detail, instead, stderr, read });
        Ok(())
    }
}

/// The seed of one decision, from the deal, the player and the ply. The streams are far above those that a deal uses.
fn decision_seed(deal: &Seed, player: usize, ply: u32) -> Seed {
    Rng::stream(deal, ((player as u64 + 1) << 40) + u64::from(ply)).seed()
}
