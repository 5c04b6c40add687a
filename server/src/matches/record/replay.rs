//! Checks a record against the rules: deals it again and asks the ledger at each event what it would have decided there.
//! The record must contain exactly that. Pure.

use engines::erased::AnyGame;
use engines::games;
use serde::Serialize;
use serde_json::Value;

use crate::domain::{Stage, token};
use crate::matches::event::{
    EndKind, Ended, Event, FoulKind, Fouled, Holder, LoggedEvent, MoveTimes, Moved, OutReason, SeatSetup,
};
use crate::matches::ledger::result::current_reason;
use crate::matches::ledger::{Caller, Command, Due, Ledger, LedgerDecision, MeasuredTime};
use crate::matches::record::{Difference, Record, RecordedEvent, difference};
use engines::game::Seat;

/// Something in a record that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{what}", .event.map(|place| format!("event {place}: ")).unwrap_or_default())]
pub struct Discrepancy {
    /// The index of the event, counted from 0; `None`: the head of the record, or the whole.
    pub event: Option<usize>,
    /// The error, and what would be right.
    pub what: String,
}

type CheckResult = Result<(), String>;

fn ensure(holds: bool, what: impl FnOnce() -> String) -> CheckResult {
    if holds { Ok(()) } else { Err(what()) }
}

/// Checks everything that a record says.
///
/// # Errors
/// The first thing that is wrong.
pub fn check(record: &Record) -> Result<(), Discrepancy> {
    let head = |what| Discrepancy { event: None, what };
    let game = games::find(&record.game)
        .ok_or_else(|| head(format!("game: {:?} is not known here", record.game)))?;
    commitment(record).map_err(head)?;
    let log: Vec<LoggedEvent> = record.events.iter().map(|entry| entry.stamped(record)).collect();
    let Some(first) = log.first() else { return Err(head("events: the list is empty".to_owned())) };
    let at = |event: usize| move |what: String| Discrepancy { event: Some(event), what };
    deal(record, game).map_err(at(0))?;
    let ledger = Ledger::load(game, std::slice::from_ref(first)).map_err(|e| at(0)(e.what))?;
    let mut replay = RecordReplay { ledger, record, log: &log, next: 1 };
    while replay.next < log.len() {
        replay.step().map_err(|(event, what)| Discrepancy { event: Some(event), what })?;
    }
    if replay.ledger.stage() != Stage::Over {
        return Err(at(log.len() - 1)("the record ends here, but the match is not over".to_owned()));
    }
    Ok(())
}

fn commitment(record: &Record) -> CheckResult {
    let salt = token::unhex(&record.salt)
        .ok_or_else(|| format!("salt: {:?} is not 64 hexadecimal digits", record.salt))?;
    let of_these = token::commitment(&salt, &record.seed);
    ensure(record.commitment == of_these, || {
        format!(
            "commitment: the record has {:?}, but the SHA-256 of salt and seed is {of_these:?}",
            record.commitment
        )
    })
}

/// Checks the first event: it repeats the head, and the seed gives the recorded deal, or the start from the position.
fn deal(record: &Record, game: &dyn AnyGame) -> CheckResult {
    let Some(created) = record.creation() else {
        return Err("a record begins with an event \"created\"".to_owned());
    };
    let seq = record.events[0].seq;
    ensure(seq == 0, || format!("seq: the record has {seq}, but it must be 0"))?;
    for (name, here, there) in
        [("game", &created.game, &record.game), ("commitment", &created.commitment, &record.commitment)]
    {
        ensure(here == there, || format!("{name}: the event has {here:?}, but the head has {there:?}"))?;
    }
    let mut players: Vec<&str> = Vec::new();
    for name in created.seats.iter().filter_map(|seat| seat.player()) {
        ensure(!players.contains(&name), || format!("seats: {name:?} has two of them"))?;
        players.push(name);
    }
    let Some(position) = &created.position else {
        let table =
            game.deal(&created.options, &record.seed).map_err(|e| format!("options: {}", e.detail))?;
        return differ("state", &created.state, &table.state_json(), "the seed deals");
    };
    ensure(!created.rated, || "position: a match that began with a position is not rated".to_owned())?;
    let start = game
        .start(position, Some(&created.options), &record.seed)
        .map_err(|e| format!("position: {}", e.detail))?;
    differ("position", &json_of(position), &json_of(&start.position), "the game writes")?;
    differ("state", &created.state, &start.table.state_json(), "position and seed give")
}

fn differ(field: &str, there: &Value, other: &Value, by: &str) -> CheckResult {
    match difference(there, other) {
        None => Ok(()),
        Some(Difference { path, there, other }) => {
            let path = match (field, path.as_str()) {
                ("", path) => path.to_owned(),
                (field, ".") => field.to_owned(),
                (field, path) if path.starts_with('[') => format!("{field}{path}"),
                (field, path) => format!("{field}.{path}"),
            };
            Err(format!("{path}: the record has {there}, but {by} {other}"))
        }
    }
}

struct RecordReplay<'a> {
    /// The match before the next event.
    ledger: Ledger,
    record: &'a Record,
    log: &'a [LoggedEvent],
    next: usize,
}

impl RecordReplay<'_> {
    /// Checks the next event and the events that were decided together with it.
    fn step(&mut self) -> Result<(), (usize, String)> {
        let first = self.next;
        self.in_order(first).map_err(|what| (first, what))?;
        let events = self.decided(&self.log[first]).map_err(|what| (first, what))?;
        if events.is_empty() {
            return Err((first, "no event is possible here".to_owned()));
        }
        for (place, event) in (first..).zip(&events) {
            self.compare(place, first, event).map_err(|what| (place, what))?;
            self.ledger.apply(&self.log[place]).map_err(|e| (place, e.what))?;
        }
        self.next += events.len();
        Ok(())
    }

    fn in_order(&self, place: usize) -> CheckResult {
        let LoggedEvent { seq, at_ms, .. } = &self.log[place];
        ensure(usize::try_from(*seq) == Ok(place), || {
            format!("seq: the record has {seq}, but it must be {place}")
        })?;
        let before = self.ledger.last_ms();
        ensure(*at_ms >= before, || {
            format!("at_ms: the record has {at_ms}, but the event before was later, at {before}")
        })?;
        ensure(self.ledger.stage() != Stage::Over, || "event after the end of the match".to_owned())
    }

    /// The events that the rules give at this one.
    fn decided(&self, stamped: &LoggedEvent) -> Result<Vec<Event>, String> {
        let now = stamped.at_ms;
        match &stamped.event {
            Event::Created(_) => Err("the match was created before".to_owned()),
            Event::Joined { seat, holder } => self.ask(&self.join(*seat, holder), now),
            Event::Left { seat, removed: false } => self.ask(&Command::Leave { seat: *seat }, now),
            Event::Left { seat, removed: true } => self.ask(&Command::Remove { seat: *seat }, now),
            Event::Started => self.happens("the match begins", now),
            Event::Moved(moved) => self.moved(moved, now),
            Event::Fouled(fouled) => self.fouled(fouled, now),
            Event::WentOut { seat, why: OutReason::Resigned } => {
                self.ask(&Command::Resign { seat: *seat }, now)
            }
            Event::WentOut { why: OutReason::Vanished, .. } => {
                Err("a seat vanishes only together with the last of its time-outs".to_owned())
            }
            Event::Resumed { away_ms, grace_ms, vacation } => {
                let resume = Command::Resume { away_ms: *away_ms, grace_ms: *grace_ms, vacation: *vacation };
                self.ask(&resume, now)
            }
            Event::TakenBack { seat, .. } => {
                self.ask(&Command::TakeBack { seat: *seat, ply: self.ledger.ply() }, now)
            }
            Event::RefereeSet { seat, settings } => {
                self.ask(&Command::SetReferee { seat: *seat, settings: settings.clone() }, now)
            }
            Event::Ended(ended) if ended.how == EndKind::Aborted => self.aborted(now),
            Event::Ended(Ended { how: how @ (EndKind::Cancelled | EndKind::Terminated), .. }) => {
                self.ask(&Command::End { how: *how }, now)
            }
            Event::Ended(Ended { how: EndKind::GuestsLeft, .. }) => self.ask(&Command::GuestsLeft, now),
            // A match between engines ends after a time that the operator chooses.
            Event::Ended(Ended { how: EndKind::Abandoned, .. })
                if self.ledger.among_engines_since().is_some() =>
            {
                self.ask(&Command::Expire, now)
            }
            Event::Ended(_) => self.happens("the match ends", now),
        }
    }

    fn ask(&self, command: &Command, now: i64) -> Result<Vec<Event>, String> {
        match self.ledger.decide(command, now) {
            Ok(LedgerDecision::New(events)) => Ok(events),
            Ok(LedgerDecision::Already(seq)) => Err(format!("this repeats event {seq}")),
            Err(refused) => Err(refused.to_string()),
        }
    }

    /// The events that happen without a command at this time.
    fn happens(&self, what: &str, now: i64) -> Result<Vec<Event>, String> {
        let events = self.ask(&Command::Tick, now)?;
        ensure(!events.is_empty(), || match self.ledger.due() {
            Due::At(time) => format!("{what} at {now}, but that was not due before {time}"),
            _ => format!("{what} at {now}, but nothing is due here"),
        })?;
        Ok(events)
    }

    /// The command of a client that may take the seat.
    fn join(&self, seat: Seat, holder: &Holder) -> Command {
        let kept = match self.ledger.seats().get(seat.index()).map(|now| &now.chair) {
            Some(SeatSetup::Reserved { holder }) => holder.key,
            _ => None,
        };
        let caller = Caller { seat_key: kept, player: holder.player.clone(), ..Caller::default() };
        Command::Join { seat: Some(seat), caller, holder: holder.clone() }
    }

    fn turn(&self, seat: Seat, ply: u32) -> CheckResult {
        let turn = self.ledger.turn();
        ensure(turn == Some(seat), || match turn {
            Some(turn) => format!("seat: the record has {seat}, but it is seat {turn}'s turn"),
            None => "no seat is to move here".to_owned(),
        })?;
        let at = self.ledger.ply();
        ensure(ply == at, || format!("ply: the record has {ply}, but it must be {at}"))
    }

    fn moved(&self, moved: &Moved, now: i64) -> Result<Vec<Event>, String> {
        let Moved { seat, ply, notation, times, .. } = moved;
        self.turn(*seat, *ply)?;
        self.in_time(*seat, times, now)?;
        let command = Command::Move {
            seat: *seat,
            ply: *ply,
            notation: notation.clone(),
            arrived_ms: now,
            queue_us: times.queue_us,
            measured: Some(MeasuredTime { think_us: times.think_us, fuel: times.fuel }),
        };
        self.ask(&command, now)
    }

    /// A person cannot have thought longer than the turn lasted. Only the host knows how long an engine thought, and the program of a
    /// hosted bot proves its own time.
    fn in_time(&self, seat: Seat, times: &MoveTimes, now: i64) -> CheckResult {
        let chair = self.ledger.seats().get(seat.index()).map(|seat| &seat.chair);
        let has_own_clock =
            chair.is_some_and(|chair| matches!(chair, SeatSetup::Engine(_)) || chair.program().is_some());
        let longest = self.ledger.turn_took_ms(now);
        ensure(has_own_clock || times.think_us / 1000 <= longest, || {
            format!("times.think_us: the record has {}, but the turn took {longest} ms", times.think_us)
        })
    }

    fn fouled(&self, fouled: &Fouled, now: i64) -> Result<Vec<Event>, String> {
        let Fouled { seat, ply, kind, detail, times, .. } = fouled;
        self.turn(*seat, *ply)?;
        match kind {
            FoulKind::Time if times.fuel.is_none() => self.happens("the time is up", now),
            FoulKind::Out => self.happens("a seat that is out is passed over", now),
            FoulKind::Time | FoulKind::IllegalMove | FoulKind::BadLine | FoulKind::Crash => {
                self.in_time(*seat, times, now)?;
                let thought_ms = i64::try_from(times.think_us / 1000).unwrap_or(i64::MAX);
                let command = Command::Foul {
                    seat: *seat,
                    ply: *ply,
                    kind: *kind,
                    detail: detail.clone(),
                    arrived_ms: self.ledger.turn_published_ms().unwrap_or(now).saturating_add(thought_ms),
                    measured: times
                        .fuel
                        .map(|fuel| MeasuredTime { think_us: times.think_us, fuel: Some(fuel) }),
                };
                self.ask(&command, now)
            }
        }
    }

    /// Any seat that may abort the match may have done so.
    fn aborted(&self, now: i64) -> Result<Vec<Event>, String> {
        let seats = 0..self.ledger.seats().len();
        let tries = seats.map(|seat| self.ask(&Command::Abort { seat: Seat(seat as u8) }, now));
        tries.reduce(Result::or).unwrap_or_else(|| Err("the match has no seats".to_owned()))
    }

    /// Checks that the event at `place` is the one that was decided with the event at `first`.
    fn compare(&self, place: usize, first: usize, decided: &Event) -> CheckResult {
        let Some(recorded) = self.record.events.get(place) else {
            return Err(format!("an event is missing: {}", json_of(&RecordedEvent::of(decided))));
        };
        self.in_order(place)?;
        let (now, at_ms) = (self.log[first].at_ms, recorded.at_ms);
        ensure(at_ms == now, || {
            format!("at_ms: the record has {at_ms}, but it was decided with event {first}, at {now}")
        })?;
        let as_decided = RecordedEvent::of(&measured_as(decided, &self.log[place].event));
        let (there, other) = (json_of(&recorded.what), json_of(&as_decided));
        differ("", &there, &other, "the rules give")
    }
}

fn json_of<T: Serialize>(what: &T) -> Value {
    serde_json::to_value(what).unwrap_or(Value::Null)
}

/// The decided event, with the values that only the host can measure taken from the recorded one: how long a move waited
/// in a queue and for the disk, fractions of milliseconds, and the description of a mistake. An earlier version's wording
/// of the result's reason is kept, too.
fn measured_as(decided: &Event, there: &Event) -> Event {
    let mut event = decided.clone();
    match (&mut event, there) {
        (Event::Moved(moved), Event::Moved(there)) => moved.times = measured(&moved.times, &there.times),
        (Event::Fouled(fouled), Event::Fouled(there)) => {
            fouled.detail.clone_from(&there.detail);
            if fouled.kind != FoulKind::Out {
                fouled.times = measured(&fouled.times, &there.times);
            }
        }
        (
            Event::Ended(Ended { result: Some(result), .. }),
            Event::Ended(Ended { result: Some(there), .. }),
        ) if current_reason(&there.reason) == result.reason => result.reason.clone_from(&there.reason),
        _ => {}
    }
    event
}

fn measured(decided: &MoveTimes, there: &MoveTimes) -> MoveTimes {
    let same_ms = decided.think_us / 1000 == there.think_us / 1000;
    let think_us = if same_ms { there.think_us } else { decided.think_us };
    MoveTimes { queue_us: there.queue_us, think_us, commit_us: there.commit_us, fuel: there.fuel }
}

/// A true record in one line.
pub(super) fn summary(record: &Record) -> String {
    let plies = record.events.iter().fold(0_usize, |plies, entry| match entry.what {
        RecordedEvent::TakenBack { ply, .. } => ply as usize,
        ref what => plies + usize::from(what.is_move()),
    });
    let seats = record.names().join(", ");
    let end = match record.events.last().map(|entry| &entry.what) {
        Some(RecordedEvent::Ended { how, result, .. }) => match result {
            Some(result) => {
                let list = |numbers: Vec<String>| numbers.join(" ");
                let ranks = list(result.ranks.iter().map(u8::to_string).collect());
                let points = result
                    .points
                    .as_ref()
                    .map(|points| format!(", points {}", list(points.iter().map(i32::to_string).collect())));
                format!("{}, places {ranks}{} ({})", word(how), points.unwrap_or_default(), result.reason)
            }
            None => format!("{}, no result", word(how)),
        },
        _ => String::new(),
    };
    let moves = if plies == 1 { "move" } else { "moves" };
    format!("{}: {seats}; {plies} {moves}; {end}", record.game)
}

fn word(how: &EndKind) -> &'static str {
    match how {
        EndKind::Played => "played",
        EndKind::Walkover => "walkover",
        EndKind::Aborted => "aborted",
        EndKind::Abandoned => "abandoned",
        EndKind::GuestsLeft => "ended because all guests had left",
        EndKind::Cancelled => "cancelled by its creator",
        EndKind::Terminated => "ended by the operator",
    }
}
