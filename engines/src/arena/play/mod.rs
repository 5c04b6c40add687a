//! One match: the loop of decisions, the clocks, the penalties. Each kind of player has a file.

mod child;
pub(in crate::arena) mod command;
pub(in crate::arena) mod decision;
pub(super) mod hosted;
pub(in crate::arena) mod http;
mod output;
mod running;
pub(super) mod sandboxed;
mod standstill;
pub(in crate::arena) mod thinker;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde_json::json;

use crate::arena::clock::ArenaClocks;
use crate::arena::opening::DealtMatch;
use crate::arena::plan::{Fixture, RunPlan};
use crate::arena::record::{ArenaRecord, ErrorLine, Fault, FaultKind, hash, kept_value};
use crate::arena::spec::PlayerSpec;
use crate::erased::{AnyTable, Refusal, RefusalCode};
use crate::game::{Seat, Turn, Viewer};
use crate::rng::{Rng, Seed};
use command::{ProgramStart, SeatProgram};
use decision::{Attempt, DecisionLimits, Interruption, NoMove};
use http::{Http, NoHttp, ServerPlayer};
use sandboxed::{NoPrograms, ProgramHost};
pub(super) use standstill::Standstills;
use thinker::Thinker;

/// More moves and mistakes than any match can have.
const MAX_DECISIONS: u32 = 20_000;

/// What the arena needs from outside to let players play.
#[derive(Clone, Copy)]
pub struct Backends<'b> {
    /// Sends the requests of server players.
    pub http: &'b dyn Http,
    /// Runs the programs of players in a sandbox.
    pub programs: &'b dyn ProgramHost,
}

impl Backends<'static> {
    /// Neither: engines and commands only.
    pub const NONE: Self = Self { http: &NoHttp, programs: &NoPrograms };
}

/// Plays a match; `None` when the run was stopped before its end.
pub(super) fn play(
    plan: &RunPlan,
    fixture: &Fixture,
    backends: Backends,
    stop: &Arc<AtomicBool>,
    standstills: &Standstills,
) -> Option<ArenaRecord> {
    let record = ArenaRecord::of(plan, fixture);
    let DealtMatch { table, opening } = match plan.deal(fixture) {
        Ok(dealt) => dealt,
        Err(why) => return Some(ArenaRecord { void: Some(why), ..record }),
    };
    let record = ArenaRecord { opening, start_hash: Some(hash(&table.state_json())), ..record };
    let clocks = ArenaClocks::new(plan.wanted.limits, fixture.seats.len());
    let (bots, moves) = (Vec::new(), Vec::new());
    RunningMatch { plan, fixture, backends, stop, standstills, table, bots, clocks, moves, record }.play()
}

struct RunningMatch<'p> {
    plan: &'p RunPlan,
    fixture: &'p Fixture,
    backends: Backends<'p>,
    stop: &'p Arc<AtomicBool>,
    standstills: &'p Standstills,
    table: Box<dyn AnyTable>,
    /// The program in each seat, if there is one.
    bots: Vec<Option<SeatProgram>>,
    clocks: ArenaClocks,
    /// The moves after the opening, in the official notation.
    moves: Vec<String>,
    record: ArenaRecord,
}

impl RunningMatch<'_> {
    fn play(mut self) -> Option<ArenaRecord> {
        match self.seat_bots().and_then(|()| self.decide_all()) {
            Ok(()) => self.note_result(),
            Err(NoMove::Void(why)) => self.record.void = Some(why),
            Err(NoMove::Stopped) => return None,
            Err(NoMove::Fault { .. }) => unreachable!("a fault is punished where it happens"),
        }
        self.record.plies = self.table.ply();
        for (seat, bot) in std::mem::take(&mut self.bots).into_iter().enumerate() {
            let Some(details) = bot.map(|bot| bot.leave(self.table.as_mut())) else { continue };
            let record = &mut self.record.seats[seat];
            record.cpu_us = details.usage.cpu.as_micros().try_into().ok();
            record.peak_kib = Some(details.usage.peak_kib).filter(|kib| *kib > 0);
            record.log_failure = details.log_failure;
            if self.plan.wanted.keep_details {
                record.errors = details.errors;
            }
        }
        if self.plan.wanted.keep_moves {
            self.record.moves = Some(self.moves);
        }
        Some(self.record)
    }

    fn note_result(&mut self) {
        self.record.outcome = self.table.outcome();
        // Not the reason: it can contain times.
        let result = self.record.outcome.as_ref().map(|o| (&o.ranks, &o.points));
        self.record.match_hash = Some(hash(&json!([self.record.start_hash, self.moves, result])));
    }

    fn seat_bots(&mut self) -> Result<(), NoMove> {
        for (seat, player) in (0..).map(Seat).zip(&self.fixture.seats) {
            let spec = &self.plan.wanted.players[*player].spec;
            let start = match spec {
                PlayerSpec::Command { words, .. } => Some(ProgramStart::Command(words.clone())),
                PlayerSpec::Program { file, .. } => {
                    let seed = program_seed(&self.fixture.seed, *player);
                    let seated = self.backends.programs.seat(file, seed.0);
                    Some(ProgramStart::Sandbox(seated.map_err(NoMove::Void)?))
                }
                PlayerSpec::Engine { .. } | PlayerSpec::Server { .. } => None,
            };
            let bot = match (start, spec.referee()) {
                (Some(start), Some(referee)) => {
                    self.table.seat_bot(seat, referee).map_err(|e| NoMove::Void(e.detail))?;
                    let name = format!("game-{}-seat-{}", self.fixture.game, seat.0);
                    let log = self.plan.wanted.log_dir.as_deref().map(|folder| (folder, name.as_str()));
                    Some(SeatProgram::seat(self.plan.game, seat, start, log, self.stop)?)
                }
                _ => None,
            };
            self.bots.push(bot);
        }
        Ok(())
    }

    fn decide_all(&mut self) -> Result<(), NoMove> {
        for _ in 0..MAX_DECISIONS {
            for bot in self.bots.iter_mut().flatten() {
                bot.deliver(self.table.as_mut());
            }
            let Turn::Of(seat) = self.table.turn() else { return Ok(()) };
            if self.stop.load(Ordering::Relaxed) {
                return Err(NoMove::Stopped);
            }
            let started = Instant::now();
            let attempt = self.decide(seat);
            if matches!(attempt.result, Err(NoMove::Void(_) | NoMove::Stopped)) {
                return attempt.result.map(drop);
            }
            let seat_record = &mut self.record.seats[seat.index()];
            seat_record.times_us.push(attempt.taken.as_micros() as u64);
            seat_record.fuel.extend(attempt.fuel);
            if let Some(nodes) = attempt.nodes {
                *seat_record.nodes.get_or_insert(0) += nodes;
            }
            seat_record.values.extend(attempt.value.and_then(kept_value));
            let in_time = self.clocks.charge(seat.index(), attempt.taken);
            let late = !in_time || matches!(attempt.result, Err(NoMove::Fault { kind: FaultKind::Time, .. }));
            let by_machine = attempt.fuel.is_none();
            if late
                && by_machine
                && let Some(lost) = self.standstills.since(started)
            {
                let ms = lost.as_millis();
                return Err(NoMove::Void(format!("the arena itself stood still for {ms} ms in a decision")));
            }
            match attempt.result {
                Ok(_) if !in_time => {
                    let text = format!("the move came after {} ms", attempt.taken.as_millis());
                    let errors = self.errors_of(seat);
                    self.punish(seat, FaultKind::Time, text, errors)?;
                }
                Ok(notation) => self.play_move(seat, notation)?,
                Err(NoMove::Fault { kind, detail, errors }) => self.punish(seat, kind, detail, errors)?,
                Err(other) => return Err(other),
            }
        }
        Err(NoMove::Void("the match does not end".to_owned()))
    }

    fn decide(&mut self, seat: Seat) -> Attempt {
        let limits = DecisionLimits {
            allowed: self.clocks.allowed(seat.index()),
            left: self.clocks.left(seat.index()),
            interruption: Interruption::when(self.stop),
        };
        if let Some(bot) = &mut self.bots[seat.index()] {
            let ply = self.table.ply();
            return bot.decide(self.table.as_mut(), ply, &limits, None);
        }
        let info = self.plan.game.info();
        let player = self.fixture.seats[seat.index()];
        let seed = decision_seed(&self.fixture.seed, player, self.table.ply());
        let position = self.table.view(Viewer::Seat(seat));
        match &self.plan.wanted.players[player].spec {
            PlayerSpec::Engine { name, level, think, nodes } => {
                let thinker = Thinker { name: name.as_deref(), level: *level, think: *think, nodes: *nodes };
                thinker.decide(position.as_ref(), info.think, seed, self.stop, &limits)
            }
            PlayerSpec::Server { url, think, nodes, level, seed: fixed } => {
                let server = ServerPlayer { url, think: *think, nodes: *nodes, level: *level, seed: *fixed };
                server.decide(info.slug, position.as_ref(), info.think, &seed, self.backends.http, &limits)
            }
            PlayerSpec::Command { .. } | PlayerSpec::Program { .. } => {
                unreachable!("a program sits among the bots")
            }
        }
    }

    fn play_move(&mut self, seat: Seat, notation: String) -> Result<(), NoMove> {
        match self.table.play(seat, &notation) {
            Ok(()) => {
                self.moves.push(notation);
                Ok(())
            }
            Err(e) => {
                let kind = if e.code == RefusalCode::IllegalMove {
                    FaultKind::IllegalMove
                } else {
                    FaultKind::BadLine
                };
                let errors = self.errors_of(seat);
                self.punish(seat, kind, e.detail, errors)
            }
        }
    }

    /// The last lines that the program in this seat wrote to standard error.
    fn errors_of(&self, seat: Seat) -> Vec<ErrorLine> {
        self.bots[seat.index()].as_ref().map(SeatProgram::errors).unwrap_or_default()
    }

    /// Applies the official penalty.
    fn punish(
        &mut self,
        seat: Seat,
        kind: FaultKind,
        detail: String,
        errors: Vec<ErrorLine>,
    ) -> Result<(), NoMove> {
        let ply = self.table.ply();
        let reason = format!("{}: {kind}: {detail}", self.record.seats[seat.index()].player);
        let instead = self.table.foul(seat, &reason).map_err(|e: Refusal| NoMove::Void(e.detail))?;
        self.moves.extend(instead.clone());
        let bot = self.bots[seat.index()].as_ref().filter(|_| self.plan.wanted.keep_details);
        let read = bot.map_or_else(Vec::new, |bot| bot.lines_read().to_vec());
        self.record.faults.push(Fault { ply, seat: seat.0, kind, detail, instead, errors, read });
        Ok(())
    }
}

/// The seed of the random numbers of a program in a match with this deal. `player`: its number among the players. The stream is above
/// those of decisions.
pub fn program_seed(deal: &Seed, player: usize) -> Seed {
    Rng::stream(deal, ((player as u64 + 1) << 40) + (1 << 39)).seed()
}

/// The seed of one decision, from the deal, the player and the ply. The streams are far above those that a deal uses.
fn decision_seed(deal: &Seed, player: usize, ply: u32) -> Seed {
    Rng::stream(deal, ((player as u64 + 1) << 40) + u64::from(ply)).seed()
}
