//! Commands become events. Nothing here changes the match: what a move leads to is tried on a copy of the table.

use engines::erased::AnyTable;
use engines::game::Seat;

use super::result::{self, foul_reason};
use super::{Command, Decided, Deed, Due, Ledger, MAX_GRACE_MS, MISSED_TURNS_LIMIT, Stage};
use crate::host::event::{
    self, Chair, EndKind, Ended, Event, FoulKind, Fouled, Millis, Moved, OutReason, Stamped, Times,
};
use crate::host::refused::Refused;

/// A move or a foul as it comes in.
struct Arrival {
    seat: Seat,
    ply: u32,
    at_ms: Millis,
    queue_us: u64,
    think_us: Option<u64>,
}

impl Ledger {
    /// What a command comes to. Changes nothing.
    ///
    /// # Errors
    /// Why it cannot be.
    pub fn decide(&self, command: &Command, now: Millis) -> Result<Decided, Refused> {
        match command {
            Command::Join { seat, caller, holder } => self.join(*seat, caller, holder),
            Command::Leave { seat } => self.leave(*seat),
            Command::Move { seat, ply, notation, arrived_ms, queue_us, think_us } => {
                let at_ms = now.min(*arrived_ms);
                let (queue_us, think_us) = (*queue_us, *think_us);
                self.make_move(&Arrival { seat: *seat, ply: *ply, at_ms, queue_us, think_us }, notation)
            }
            Command::Foul { seat, ply, kind, detail, arrived_ms } => {
                let at_ms = now.min(*arrived_ms);
                let arrival = Arrival { seat: *seat, ply: *ply, at_ms, queue_us: 0, think_us: None };
                self.commit_foul(&arrival, *kind, detail)
            }
            Command::Resign { seat } => self.resign(*seat),
            Command::Abort { seat } => self.abort(*seat),
            Command::Remove { seat } => self.remove(*seat),
            Command::End { how } => self.end(*how),
            Command::Resume { .. } if self.stage == Stage::Over => Err(Refused::MatchOver),
            Command::Resume { away_ms, grace_ms } => {
                // Since the last event there was no more time than this: nobody is given back what was played.
                let longest = u64::try_from(now.saturating_sub(self.last_ms)).unwrap_or(0);
                // When the running turn was shown is known to this host alone: with this event, the log tells it.
                let late =
                    self.turn_out.zip(self.turn_decided).map_or(0, |((out, _), decided)| out - decided);
                let late_ms = u64::try_from(late).unwrap_or(0);
                let away_ms = longest.min(away_ms.saturating_add(late_ms));
                let grace_ms = MAX_GRACE_MS.min(*grace_ms);
                Ok(Decided::New(vec![Event::Resumed { away_ms, grace_ms }]))
            }
            Command::Tick => self.tick(now).map(Decided::New),
            Command::Expire if self.stage == Stage::Over => Err(Refused::MatchOver),
            Command::Expire => Ok(Decided::New(vec![self.ending(EndKind::Abandoned, None)])),
        }
    }

    /// These events with their places in the log, decided now. A log never runs backwards, whatever the clocks of the
    /// machines that write it say.
    pub fn stamped(&self, events: Vec<Event>, now: Millis) -> Vec<Stamped> {
        let stamp = |(seq, event)| Stamped { seq, at_ms: now.max(self.last_ms), event };
        (self.next..).zip(events).map(stamp).collect()
    }

    pub(super) fn known(&self, seat: Seat) -> Result<(), Refused> {
        if seat.index() < self.seats.len() { Ok(()) } else { Err(Refused::NoSuchSeat(seat)) }
    }

    fn make_move(&self, arrival: &Arrival, notation: &str) -> Result<Decided, Refused> {
        let Arrival { seat, ply, .. } = *arrival;
        self.known(seat)?;
        let read = self.table.move_text(notation);
        if let (Some(act), Ok(read)) = (self.acts.get(ply as usize), &read)
            && act.seat == seat
            && matches!(&act.deed, Deed::Moved(moved) if **moved == *read.notation)
        {
            return Ok(Decided::Already(act.seq));
        }
        self.at_turn(seat, ply)?;
        let notation = read?.notation;
        let times = self.times_of(arrival)?;
        let mut ahead = self.table.fork();
        ahead.play(seat, &notation)?;
        let left_ms = self.clocks.clone().charge(seat, times.think_us / 1000);
        let mut events = vec![Event::Moved(Moved { seat, ply, notation, times, left_ms })];
        events.extend(self.played_out(ahead.as_ref()));
        Ok(Decided::New(events))
    }

    fn commit_foul(&self, arrival: &Arrival, kind: FoulKind, detail: &str) -> Result<Decided, Refused> {
        let Arrival { seat, ply, .. } = *arrival;
        if matches!(kind, FoulKind::Time | FoulKind::Out) {
            return Err(Refused::Nonsense("time-outs and fouls of a seat that is out happen by themselves"));
        }
        self.known(seat)?;
        if let Some(act) = self.acts.get(ply as usize)
            && (act.seat, &act.deed) == (seat, &Deed::Fouled(kind))
        {
            return Ok(Decided::Already(act.seq));
        }
        self.at_turn(seat, ply)?;
        let times = self.times_of(arrival)?;
        self.punish(seat, kind, detail.to_owned(), times).map(Decided::New)
    }

    /// Whether this seat is to move at this ply.
    fn at_turn(&self, seat: Seat, ply: u32) -> Result<(), Refused> {
        if self.stage == Stage::Open {
            return Err(Refused::NotStarted);
        }
        let turn = self.turn().ok_or(Refused::MatchOver)?;
        if ply != self.table.ply() {
            return Err(Refused::StalePly(self.table.ply()));
        }
        if self.seats[seat.index()].out {
            return Err(Refused::SeatOut(seat));
        }
        if seat == turn { Ok(()) } else { Err(Refused::NotYourTurn { turn, seat }) }
    }

    /// Where the time of the seat to move went, if it was in time.
    fn times_of(&self, arrival: &Arrival) -> Result<Times, Refused> {
        let commit_us = self.turn_out.map_or(0, |(_, commit_us)| commit_us);
        let waited_ms = self.turn_took_ms(arrival.at_ms);
        let think_us = arrival.think_us.unwrap_or(waited_ms.saturating_mul(1000));
        let engine = matches!(self.seats[arrival.seat.index()].chair, Chair::Engine(_));
        let late = self.clocks.allowed(arrival.seat).is_some_and(|allowed| think_us / 1000 >= allowed);
        if late && !engine {
            return Err(Refused::TimeUp(arrival.seat));
        }
        Ok(Times { queue_us: arrival.queue_us, think_us, commit_us })
    }

    /// The official penalty for the seat to move, and what follows from it.
    fn punish(
        &self,
        seat: Seat,
        kind: FoulKind,
        detail: String,
        times: Times,
    ) -> Result<Vec<Event>, Refused> {
        let mut ahead = self.table.fork();
        let instead = ahead.foul(seat, &foul_reason(seat, kind))?;
        let left_ms = match kind {
            FoulKind::Out => self.clocks.left(seat),
            _ => self.clocks.clone().charge(seat, times.think_us / 1000),
        };
        let ply = self.table.ply();
        let mut events = vec![Event::Fouled(Fouled { seat, ply, kind, detail, instead, times, left_ms })];
        if let Some(ended) = self.played_out(ahead.as_ref()) {
            events.push(ended);
        } else if kind == FoulKind::Time && self.seats[seat.index()].missed + 1 >= MISSED_TURNS_LIMIT {
            events.extend(self.go_out(seat, OutReason::Vanished));
        }
        Ok(events)
    }

    /// The seat goes out, and the match ends if too few are left.
    fn go_out(&self, seat: Seat, why: OutReason) -> Vec<Event> {
        let mut out = self.outs();
        out[seat.index()] = true;
        let mut events = vec![Event::WentOut { seat, why }];
        events.extend(result::walkover(&out).map(|result| self.ending(EndKind::Walkover, Some(result))));
        events
    }

    fn resign(&self, seat: Seat) -> Result<Decided, Refused> {
        self.known(seat)?;
        if let Some(seq) = self.marks[seat.index()].out {
            return Ok(Decided::Already(seq));
        }
        match (self.stage, &self.seats[seat.index()].chair) {
            (Stage::Open, _) => Err(Refused::NotStarted),
            (Stage::Over, _) => Err(Refused::MatchOver),
            (Stage::Running, _) if self.turn().is_none() => Err(Refused::MatchOver),
            (Stage::Running, Chair::Held { .. }) => Ok(Decided::New(self.go_out(seat, OutReason::Resigned))),
            (Stage::Running, _) => Err(Refused::NotHeld(seat)),
        }
    }

    fn abort(&self, seat: Seat) -> Result<Decided, Refused> {
        self.known(seat)?;
        if let Some(Ended { how, .. }) = &self.ended {
            return if *how == EndKind::Aborted {
                Ok(Decided::Already(self.next - 1))
            } else {
                Err(Refused::MatchOver)
            };
        }
        if !matches!(self.seats[seat.index()].chair, Chair::Held { .. }) {
            return Err(Refused::NotHeld(seat));
        }
        if self.seats[seat.index()].out {
            return Err(Refused::SeatOut(seat));
        }
        if !self.acts.is_empty() {
            return Err(Refused::Started);
        }
        Ok(Decided::New(vec![self.ending(EndKind::Aborted, None)]))
    }

    /// Ends the match without a result, for its maker or for the operator.
    fn end(&self, how: EndKind) -> Result<Decided, Refused> {
        if let Some(ended) = &self.ended {
            return if ended.how == how {
                Ok(Decided::Already(self.next - 1))
            } else {
                Err(Refused::MatchOver)
            };
        }
        match how {
            EndKind::Cancelled if self.stage != Stage::Open && !self.is_of_engines() => Err(Refused::Started),
            EndKind::Cancelled | EndKind::Terminated => Ok(Decided::New(vec![self.ending(how, None)])),
            _ => Err(Refused::Nonsense("a match is only cancelled or terminated by a command")),
        }
    }

    fn tick(&self, now: Millis) -> Result<Vec<Event>, Refused> {
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
        // The first two are appended together with what leads to them; a log that lost its tail still ends.
        if let Some((how, result)) = self.end_due() {
            return Ok(vec![self.ending(how, Some(result))]);
        }
        let (Some(seat), Some((out_ms, commit_us))) = (self.turn(), self.turn_out) else {
            return Ok(Vec::new());
        };
        if self.seats[seat.index()].out {
            return self.punish(seat, FoulKind::Out, "the seat is out".into(), Times::default());
        }
        let Some(allowed) = self.clocks.allowed(seat) else {
            return Ok(vec![self.ending(EndKind::Abandoned, None)]);
        };
        // What came after its time was up is the host's, not the seat's.
        let waited_ms = u64::try_from(now.saturating_sub(out_ms)).unwrap_or(0);
        let queue_us = waited_ms.saturating_sub(allowed).saturating_mul(1000);
        let times = Times { queue_us, think_us: allowed.saturating_mul(1000), commit_us };
        self.punish(seat, FoulKind::Time, format!("no move came within {allowed} ms"), times)
    }

    /// The end by the rules, where the game is over on this table.
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
