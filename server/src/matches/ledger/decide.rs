//! Turns commands into events. Nothing here changes the match: a move is tried on a copy of the table.

use std::collections::BTreeMap;

use engines::erased::{AnyTable, MoveInput, ReadMove};
use engines::game::Seat;
use engines::protocol::Settings;

use crate::domain::Stage;
use crate::domain::time::Millis;
use crate::matches::event;
use crate::matches::event::{
    Created, EndKind, Ended, Event, FoulKind, Fouled, LoggedEvent, MoveTimes, Moved, OutReason, SeatSetup,
};
use crate::matches::ledger::result;
use crate::matches::ledger::result::foul_reason;
use crate::matches::ledger::{
    Command, Deed, Due, Ledger, LedgerDecision, MAX_GRACE_MS, MISSED_TURNS_LIMIT, MeasuredTime, Uncommitted,
};
use crate::matches::refusal::MatchRefusal;

/// How often moves can be taken back in a match. A match with many more would be slow to load.
const MOST_TAKEN_BACK: u32 = 100;

/// How often the settings of a seat's dialogue can be changed in a match.
const MOST_REFEREE_CHANGES: u32 = 16;

/// A move or a foul as it arrives.
struct Arrival {
    seat: Seat,
    ply: u32,
    at_ms: Millis,
    queue_us: u64,
    measured: Option<MeasuredTime>,
}

impl Ledger {
    /// Decides a command. Changes nothing.
    ///
    /// # Errors
    /// The reason why the command is refused.
    pub fn decide(&self, command: &Command, now: Millis) -> Result<LedgerDecision, MatchRefusal> {
        self.decide_uncommitted(command, None, now).map(|(decision, _)| decision)
    }

    /// As [`Self::decide`], and for a move also the match after it. `read`: the move of the command, if it was read
    /// already.
    ///
    /// # Errors
    /// The reason why the command is refused.
    pub fn decide_uncommitted(
        &self,
        command: &Command,
        read: Option<&ReadMove>,
        now: Millis,
    ) -> Result<(LedgerDecision, Option<Uncommitted>), MatchRefusal> {
        let Command::Move { seat, ply, notation, arrived_ms, queue_us, measured } = command else {
            return self.decide_other(command, now).map(|decision| (decision, None));
        };
        let (queue_us, measured, at_ms) = (*queue_us, *measured, now.min(*arrived_ms));
        let arrival = Arrival { seat: *seat, ply: *ply, at_ms, queue_us, measured };
        match read {
            Some(read) => self.make_move(&arrival, Ok(read)),
            None => {
                let read = self.read(MoveInput::Notation(notation));
                self.make_move(&arrival, read.as_ref().map_err(Clone::clone))
            }
        }
    }

    /// Decides any command but a move.
    fn decide_other(&self, command: &Command, now: Millis) -> Result<LedgerDecision, MatchRefusal> {
        match command {
            Command::Join { seat, caller, holder } => self.join(*seat, caller, holder),
            Command::Leave { seat } => self.leave(*seat),
            Command::Move { .. } => Err(MatchRefusal::Internal("`decide` handles moves in `make_move`")),
            Command::Foul { seat, ply, kind, detail, arrived_ms, measured } => {
                let (at_ms, measured) = (now.min(*arrived_ms), *measured);
                let arrival = Arrival { seat: *seat, ply: *ply, at_ms, queue_us: 0, measured };
                self.commit_foul(&arrival, *kind, detail)
            }
            Command::Resign { seat } => self.resign(*seat),
            Command::TakeBack { seat, ply } => self.decide_take_back(*seat, *ply),
            Command::SetReferee { seat, settings } => self.set_referee(*seat, settings),
            Command::Abort { seat } => self.abort(*seat),
            Command::Remove { seat } => self.remove(*seat),
            Command::End { how } => self.end(*how),
            Command::Resume { .. } if self.stage == Stage::Over => Err(MatchRefusal::MatchOver),
            Command::Resume { vacation: true, .. } if !self.vacation_counts() => {
                Err(MatchRefusal::Internal("a vacation does not stop the clock of this turn"))
            }
            Command::Resume { away_ms, grace_ms, vacation } => {
                // At most the time since the last event: time in which moves were made is not given back.
                let longest = u64::try_from(now.saturating_sub(self.last_ms)).unwrap_or(0);
                // Only this server knows when the running turn was published; this event records it.
                let late_ms = self.turn_times.map_or(0, |times| times.delay_ms());
                let away_ms = longest.min(away_ms.saturating_add(late_ms));
                let grace_ms = MAX_GRACE_MS.min(*grace_ms);
                Ok(LedgerDecision::New(vec![Event::Resumed { away_ms, grace_ms, vacation: *vacation }]))
            }
            Command::Tick => self.tick(now).map(LedgerDecision::New),
            Command::Expire if self.stage == Stage::Over => Err(MatchRefusal::MatchOver),
            Command::Expire => Ok(LedgerDecision::New(vec![self.ending(EndKind::Abandoned, None)])),
            Command::GuestsLeft if self.stage == Stage::Over => Err(MatchRefusal::MatchOver),
            // A player may have joined meanwhile.
            Command::GuestsLeft if !self.is_of_guests() => Ok(LedgerDecision::New(Vec::new())),
            Command::GuestsLeft => Ok(LedgerDecision::New(vec![self.ending(EndKind::GuestsLeft, None)])),
        }
    }

    /// These events with their places in the log, decided now. The times of a log never run backwards, even if the clocks of
    /// the servers that write it do.
    pub fn stamped(&self, events: Vec<Event>, now: Millis) -> Vec<LoggedEvent> {
        let stamp = |(seq, event)| LoggedEvent { seq, at_ms: now.max(self.last_ms), event };
        (self.next..).zip(events).map(stamp).collect()
    }

    pub(super) fn known(&self, seat: Seat) -> Result<(), MatchRefusal> {
        if seat.index() < self.seats.len() { Ok(()) } else { Err(MatchRefusal::NoSuchSeat(seat)) }
    }

    fn make_move(
        &self,
        arrival: &Arrival,
        read: Result<&ReadMove, MatchRefusal>,
    ) -> Result<(LedgerDecision, Option<Uncommitted>), MatchRefusal> {
        let Arrival { seat, ply, .. } = *arrival;
        self.known(seat)?;
        if let Some(act) = self.acts.get(ply as usize).filter(|act| act.seat == seat) {
            match (&act.deed, &read) {
                (Deed::Moved(moved), Ok(read)) if **moved == *read.text.notation => {
                    return Ok((LedgerDecision::Already(act.seq), None));
                }
                (Deed::Fouled(FoulKind::Time), _) => return Err(MatchRefusal::TimeUp(seat)),
                _ => {}
            }
        }
        self.at_turn(seat, ply)?;
        let read = read?;
        let times = self.times_of(arrival)?;
        let table = self.table.after(seat, read)?;
        let left_ms = self.clocks.clone().charge(seat, times.think_us / 1000);
        let notation = read.text.notation.clone();
        let mut events = vec![Event::Moved(Moved { seat, ply, notation, times, left_ms })];
        events.extend(self.played_out(table.as_ref()));
        let uncommitted = Uncommitted { seq: self.next, table, mv: read.text.clone() };
        Ok((LedgerDecision::New(events), Some(uncommitted)))
    }

    fn commit_foul(
        &self,
        arrival: &Arrival,
        kind: FoulKind,
        detail: &str,
    ) -> Result<LedgerDecision, MatchRefusal> {
        let Arrival { seat, ply, .. } = *arrival;
        let is_timed_by_itself = kind == FoulKind::Time && arrival.measured.is_some();
        if matches!(kind, FoulKind::Time | FoulKind::Out) && !is_timed_by_itself {
            return Err(MatchRefusal::Internal(
                "time-outs and fouls of a seat that is out happen by themselves",
            ));
        }
        self.known(seat)?;
        if let Some(act) = self.acts.get(ply as usize)
            && (act.seat, &act.deed) == (seat, &Deed::Fouled(kind))
        {
            return Ok(LedgerDecision::Already(act.seq));
        }
        self.at_turn(seat, ply)?;
        let times = self.times_of(arrival)?;
        self.punish(seat, kind, detail.to_owned(), times).map(LedgerDecision::New)
    }

    /// Checks that the seat is to move at this ply.
    fn at_turn(&self, seat: Seat, ply: u32) -> Result<(), MatchRefusal> {
        if self.stage == Stage::Open {
            return Err(MatchRefusal::NotStarted);
        }
        let turn = self.turn().ok_or(MatchRefusal::MatchOver)?;
        if ply != self.table.ply() {
            return Err(MatchRefusal::StalePly(self.table.ply()));
        }
        if self.seats[seat.index()].out {
            return Err(MatchRefusal::SeatOut(seat));
        }
        if seat == turn { Ok(()) } else { Err(MatchRefusal::NotYourTurn { turn, seat }) }
    }

    /// The times of the move, if the seat was in time.
    fn times_of(&self, arrival: &Arrival) -> Result<MoveTimes, MatchRefusal> {
        let commit_us = self.turn_times.map_or(0, |times| times.commit_us);
        let waited_ms = self.turn_took_ms(arrival.at_ms);
        let chair = &self.seats[arrival.seat.index()].chair;
        let fuel = arrival.measured.and_then(|measured| measured.fuel);
        if chair.program().is_some() != fuel.is_some() {
            return Err(MatchRefusal::Hosted(arrival.seat));
        }
        let think_us = match arrival.measured {
            Some(measured) => measured.think_us,
            None => waited_ms.saturating_mul(1000),
        };
        let has_own_clock = fuel.is_some() || matches!(chair, SeatSetup::Engine(_));
        let late = self.clocks.allowed(arrival.seat).is_some_and(|allowed| think_us / 1000 >= allowed);
        if late && !has_own_clock {
            return Err(MatchRefusal::TimeUp(arrival.seat));
        }
        Ok(MoveTimes { queue_us: arrival.queue_us, think_us, commit_us, fuel })
    }

    /// The official penalty for the seat to move, and its consequences.
    fn punish(
        &self,
        seat: Seat,
        kind: FoulKind,
        detail: String,
        times: MoveTimes,
    ) -> Result<Vec<Event>, MatchRefusal> {
        let mut after = self.table.fork();
        let instead = after.foul(seat, &foul_reason(seat, kind))?;
        let left_ms = match kind {
            FoulKind::Out => self.clocks.left(seat),
            _ => self.clocks.clone().charge(seat, times.think_us / 1000),
        };
        let ply = self.table.ply();
        let mut events = vec![Event::Fouled(Fouled { seat, ply, kind, detail, instead, times, left_ms })];
        if let Some(ended) = self.played_out(after.as_ref()) {
            events.push(ended);
        } else if kind == FoulKind::Time && self.seats[seat.index()].missed + 1 >= MISSED_TURNS_LIMIT {
            events.extend(self.go_out(seat, OutReason::Vanished));
        }
        Ok(events)
    }

    /// The seat drops out; the match ends if too few seats are left.
    fn go_out(&self, seat: Seat, why: OutReason) -> Vec<Event> {
        let mut out = self.outs();
        out[seat.index()] = true;
        let mut events = vec![Event::WentOut { seat, why }];
        events.extend(result::walkover(&out).map(|result| self.ending(EndKind::Walkover, Some(result))));
        events
    }

    fn resign(&self, seat: Seat) -> Result<LedgerDecision, MatchRefusal> {
        self.known(seat)?;
        if let Some(seq) = self.marks[seat.index()].out {
            return Ok(LedgerDecision::Already(seq));
        }
        match (self.stage, &self.seats[seat.index()].chair) {
            (Stage::Open, _) => Err(MatchRefusal::NotStarted),
            (Stage::Over, _) => Err(MatchRefusal::MatchOver),
            (Stage::Running, _) if self.turn().is_none() => Err(MatchRefusal::MatchOver),
            (Stage::Running, SeatSetup::Held { .. }) => {
                Ok(LedgerDecision::New(self.go_out(seat, OutReason::Resigned)))
            }
            (Stage::Running, _) => Err(MatchRefusal::NotHeld(seat)),
        }
    }

    fn decide_take_back(&self, seat: Seat, ply: u32) -> Result<LedgerDecision, MatchRefusal> {
        self.known(seat)?;
        match self.stage {
            Stage::Open => return Err(MatchRefusal::NotStarted),
            Stage::Over => return Err(MatchRefusal::MatchOver),
            Stage::Running => {}
        }
        if ply != self.table.ply() {
            return Err(MatchRefusal::StalePly(self.table.ply()));
        }
        let ply = self.taken_back_to(seat)?;
        if self.taken_back >= MOST_TAKEN_BACK {
            return Err(MatchRefusal::TakenBackTooOften(MOST_TAKEN_BACK));
        }
        Ok(LedgerDecision::New(vec![Event::TakenBack { seat, ply }]))
    }

    /// The number of moves that stay when this seat takes its last move back.
    pub(super) fn taken_back_to(&self, seat: Seat) -> Result<u32, MatchRefusal> {
        let others = || self.seats.iter().enumerate().filter(|(at, _)| *at != seat.index());
        let alone = others().all(|(_, now)| matches!(now.chair, SeatSetup::Engine(_)));
        let own = self.seats.get(seat.index()).is_some_and(|now| !now.out);
        if self.start.is_none() || !alone || !own {
            return Err(MatchRefusal::NoTakeBack);
        }
        let last =
            self.acts.iter().rposition(|act| act.seat == seat).ok_or(MatchRefusal::NothingToTakeBack)?;
        if self.acts.iter().any(|act| !matches!(act.deed, Deed::Moved(_))) {
            return Err(MatchRefusal::NoTakeBack);
        }
        Ok(u32::try_from(last).unwrap_or(u32::MAX))
    }

    fn set_referee(
        &self,
        seat: Seat,
        settings: &BTreeMap<String, String>,
    ) -> Result<LedgerDecision, MatchRefusal> {
        self.known(seat)?;
        let (now, mark) = (&self.seats[seat.index()], &self.marks[seat.index()]);
        if self.stage == Stage::Over {
            return Err(MatchRefusal::MatchOver);
        }
        if !matches!(now.chair, SeatSetup::Held { .. }) {
            return Err(MatchRefusal::NotHeld(seat));
        }
        if now.referee == *settings {
            return Ok(LedgerDecision::Already(mark.referee_set.unwrap_or(mark.since)));
        }
        self.table.fork().seat_bot(seat, &Settings(settings.clone()))?;
        if mark.referee_changes >= MOST_REFEREE_CHANGES {
            return Err(MatchRefusal::BadField(format!(
                "the settings of the referee's side of seat {seat} were changed {MOST_REFEREE_CHANGES} times, which \
                 is the limit of a match"
            )));
        }
        Ok(LedgerDecision::New(vec![Event::RefereeSet { seat, settings: settings.clone() }]))
    }

    fn abort(&self, seat: Seat) -> Result<LedgerDecision, MatchRefusal> {
        self.known(seat)?;
        let is_serious = self.created.rated || self.created.tournament.is_some();
        if is_serious && let Some(seq) = self.marks[seat.index()].out {
            return Ok(LedgerDecision::Already(seq));
        }
        if let Some(Ended { how, .. }) = &self.ended {
            return if *how == EndKind::Aborted {
                Ok(LedgerDecision::Already(self.next - 1))
            } else {
                Err(MatchRefusal::MatchOver)
            };
        }
        if !matches!(self.seats[seat.index()].chair, SeatSetup::Held { .. }) {
            return Err(MatchRefusal::NotHeld(seat));
        }
        if self.seats[seat.index()].out {
            return Err(MatchRefusal::SeatOut(seat));
        }
        if !self.acts.is_empty() {
            return Err(MatchRefusal::Started);
        }
        // The deal is known: a player who could leave freely now would play only good deals.
        if is_serious && self.stage == Stage::Running {
            return self.resign(seat);
        }
        if self.created.tournament.is_some() {
            return Err(MatchRefusal::OfTournament);
        }
        Ok(LedgerDecision::New(vec![self.ending(EndKind::Aborted, None)]))
    }

    /// Ends the match without a result, for its creator or for the operator.
    fn end(&self, how: EndKind) -> Result<LedgerDecision, MatchRefusal> {
        if let Some(ended) = &self.ended {
            return if ended.how == how {
                Ok(LedgerDecision::Already(self.next - 1))
            } else {
                Err(MatchRefusal::MatchOver)
            };
        }
        match how {
            EndKind::Cancelled if self.stage != Stage::Open && !self.is_of_engines() => {
                Err(MatchRefusal::Started)
            }
            EndKind::Cancelled | EndKind::Terminated => Ok(LedgerDecision::New(vec![self.ending(how, None)])),
            _ => Err(MatchRefusal::Internal("a match is only cancelled or terminated by a command")),
        }
    }

    fn tick(&self, now: Millis) -> Result<Vec<Event>, MatchRefusal> {
        let due = match self.due() {
            Due::Now => true,
            Due::At(time) => now >= time,
            Due::Never => false,
        };
        if !due {
            return Ok(Vec::new());
        }
        if self.stage == Stage::Open {
            let event = if self.is_full() { Event::Started } else { self.ending(EndKind::Abandoned, None) };
            return Ok(vec![event]);
        }
        // The first two are stored together with their cause; this also ends a log that lost its tail.
        if let Some((how, result)) = self.end_due() {
            return Ok(vec![self.ending(how, Some(result))]);
        }
        let (Some(seat), Some(turn)) = (self.turn(), self.turn_times) else {
            return Ok(Vec::new());
        };
        if self.seats[seat.index()].out {
            return self.punish(seat, FoulKind::Out, "the seat is out".into(), MoveTimes::default());
        }
        let has_program = self.seats[seat.index()].chair.program().is_some();
        let Some(allowed) = self.clocks.allowed(seat).filter(|_| !has_program) else {
            return Ok(vec![self.ending(EndKind::Abandoned, None)]);
        };
        // Time beyond the limit is charged to the server, not to the seat.
        let waited_ms = u64::try_from(now.saturating_sub(turn.published_ms)).unwrap_or(0);
        let queue_us = waited_ms.saturating_sub(allowed).saturating_mul(1000);
        let times = MoveTimes {
            queue_us,
            think_us: allowed.saturating_mul(1000),
            commit_us: turn.commit_us,
            fuel: None,
        };
        self.punish(seat, FoulKind::Time, format!("no move came within {allowed} ms"), times)
    }

    /// The end by the rules, if the game is over on this table.
    fn played_out(&self, table: &dyn AnyTable) -> Option<Event> {
        let outcome = table.outcome()?;
        Some(self.ending(EndKind::Played, Some(result::played(outcome, &self.outs()))))
    }

    pub(super) fn ending(&self, how: EndKind, result: Option<event::Result>) -> Event {
        Event::Ended(Ended { how, result, seed: self.created.seed, salt: self.created.salt.clone() })
    }

    pub(super) fn outs(&self) -> Vec<bool> {
        self.seats.iter().map(|seat| seat.out).collect()
    }
}

/// Whether moves may be taken back in a match that was created like this: not in rated matches and tournaments, and only
/// where the engine may be asked and no clock runs.
pub(super) fn may_take_back(created: &Created) -> bool {
    created.hints() && !created.rated && created.tournament.is_none() && created.clock.is_none()
}
