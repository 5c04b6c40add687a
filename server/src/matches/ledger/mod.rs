//! A match as the fold of its events: its state, the possible commands, and the actions that are due. Pure: no clock, no
//! I/O; the time is an argument. `decide` turns a command into events and changes nothing; `apply` folds a stored event.

mod apply;
mod command;
mod create;
mod decide;
mod join;
mod rated;
pub mod result;
#[cfg(test)]
mod tests;
mod turn_times;

use std::collections::BTreeMap;

use engines::erased::{AnyTable, MoveInput, MoveText, Position, ReadMove};
use engines::game::{Seat, Turn, Viewer};

pub use command::{Caller, Command, MeasuredTime};
pub use create::Beginning;

use crate::domain::PlayerRef;
use crate::domain::Stage;
use crate::domain::time::{DAY_MS, Millis};
use crate::matches::clock::Clocks;
use crate::matches::event;
use crate::matches::event::{
    Created, EndKind, Ended, EngineSeat, Event, FoulKind, Holder, ProgramRef, SeatSetup,
};
use crate::matches::refusal::MatchRefusal;
use turn_times::TurnTimes;

/// Time-outs in a row after which a seat drops out.
pub const MISSED_TURNS_LIMIT: u32 = 3;

/// The longest pause of a clock after a downtime, in milliseconds.
pub const MAX_GRACE_MS: u64 = 60_000;

/// The decision about a command.
#[derive(Clone, Debug, PartialEq)]
pub enum LedgerDecision {
    /// These events, to be stored together. Empty only for [`Command::Tick`] and [`Command::GuestsLeft`] when nothing is
    /// due.
    New(Vec<Event>),
    /// The same command was performed before; its event has this place in the log.
    Already(u32),
}

/// The time at which something is due by the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants say all")]
pub enum Due {
    Now,
    At(Millis),
    Never,
}

/// A seat after the events so far.
#[derive(Clone, Debug, PartialEq)]
pub struct SeatNow {
    /// The setup or holder of the seat.
    pub chair: SeatSetup,
    /// Whether it has dropped out.
    pub out: bool,
    /// Time-outs in a row.
    pub missed: u32,
    /// Settings of the referee's side of its dialogue with a bot.
    pub referee: BTreeMap<String, String>,
}

/// A match.
pub struct Ledger {
    /// The first event, without the dealt state.
    created: Created,
    table: Box<dyn AnyTable>,
    /// The table before the first move, if moves may be taken back.
    start: Option<Box<dyn AnyTable>>,
    seats: Vec<SeatNow>,
    /// Per seat, the places in the log at which it changed hands.
    marks: Vec<Mark>,
    clocks: Clocks,
    stage: Stage,
    /// Whether it has begun.
    begun: bool,
    /// The place of the next event.
    next: u32,
    created_ms: Millis,
    /// The time of the last event.
    last_ms: Millis,
    /// The time at which a seat last dropped out; before that, the creation of the match.
    dropped_out_ms: Millis,
    /// The beginning of the current idle time, without downtime.
    idle_from: Millis,
    /// The times of the running turn, if one runs.
    turn_times: Option<TurnTimes>,
    /// The move or foul at each ply; at the end, possibly the foul that ended the game.
    acts: Vec<SeatTurn>,
    /// How often moves were taken back.
    taken_back: u32,
    ended: Option<Ended>,
}

/// The places in the log at which a seat changed hands.
#[derive(Clone, Debug, Default)]
struct Mark {
    /// The event that gave the seat to its holder.
    since: u32,
    /// The last event by which a holder left, and that holder.
    left: Option<(u32, Holder)>,
    /// Players whom the creator removed from it.
    removed: Vec<Holder>,
    /// The event by which it dropped out.
    out: Option<u32>,
    /// The last event that set the referee's side of its dialogue, and how many there were.
    referee_set: Option<u32>,
    referee_changes: u32,
}

/// The move or foul of a seat at its turn.
struct SeatTurn {
    seq: u32,
    seat: Seat,
    deed: Deed,
}

#[derive(Clone, Debug, PartialEq)]
enum Deed {
    /// A move, with its notation.
    Moved(Box<str>),
    Fouled(FoulKind),
}

/// The match after a decided move that is not in the log yet. It spares [`Ledger::apply`] reading and playing the move
/// again.
pub struct Uncommitted {
    /// The place of the move's event in the log.
    seq: u32,
    table: Box<dyn AnyTable>,
    /// The move in both its forms.
    mv: MoveText,
}

impl Uncommitted {
    /// The move in both its forms.
    pub fn move_text(&self) -> &MoveText {
        &self.mv
    }
}

/// A log that contradicts itself or its game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event {seq}: {what}")]
pub struct InvalidLog {
    /// The place in the log.
    pub seq: u32,
    /// The contradiction.
    pub what: String,
}

impl Ledger {
    /// Whether this seat has made a move of its own.
    pub fn has_moved(&self, seat: Seat) -> bool {
        self.acts.iter().any(|act| act.seat == seat && matches!(act.deed, Deed::Moved(_)))
    }

    /// Reports when the running turn was published: after its event was committed, which took `commit_us`. The log
    /// alone knows only when the event was decided. The server that stored the events calls this after it has applied
    /// them, or after it has loaded the log. Later calls for the same turn, and calls after newer events, change
    /// nothing. Returns whether it changed anything.
    pub fn publish_turn(&mut self, at_ms: Millis, commit_us: u64) -> bool {
        self.turn_times.as_mut().is_some_and(|times| times.publish(at_ms, commit_us))
    }

    /// The time at which something is due by the clock: a time-out, a foul of a seat that dropped out, the end of an idle
    /// match. Engines have no time-out; the pool bounds their time.
    pub fn due(&self) -> Due {
        match self.stage {
            Stage::Over => Due::Never,
            Stage::Open if self.is_full() => Due::Now,
            Stage::Open => self.idle_end(),
            Stage::Running => self.due_running(),
        }
    }

    fn due_running(&self) -> Due {
        let (Some(seat), Some(times), false) = (self.turn(), self.turn_times, self.is_walkover()) else {
            return Due::Now;
        };
        let now = &self.seats[seat.index()];
        if now.out {
            return Due::Now;
        }
        if matches!(now.chair, SeatSetup::Engine(_)) {
            return Due::Never;
        }
        // Its clock does not run with the time. If the server cannot run it, the match ends as one that nobody plays.
        if now.chair.program().is_some() {
            return self.idle_end();
        }
        match self.clocks.allowed(seat) {
            Some(allowed) => Due::At(later(times.published_ms, allowed)),
            None => self.idle_end(),
        }
    }

    fn idle_end(&self) -> Due {
        Due::At(later(self.idle_from, self.created.idle_ms))
    }

    fn is_walkover(&self) -> bool {
        let playing = self.seats.iter().filter(|seat| !seat.out).count();
        playing == 0 || (playing == 1 && self.seats.len() > 1)
    }

    /// Whether all seats are taken.
    fn is_full(&self) -> bool {
        !self.seats.iter().any(|seat| create::is_free(&seat.chair))
    }

    /// Whether only engines play, and all seats are taken.
    fn is_among_engines(&self) -> bool {
        self.seats.iter().all(|seat| seat.out || matches!(seat.chair, SeatSetup::Engine(_)))
    }

    /// The time since which only engines play; `None` while a person or a bot plays.
    pub fn among_engines_since(&self) -> Option<Millis> {
        (self.stage == Stage::Running && self.is_among_engines()).then_some(self.dropped_out_ms)
    }

    /// Whether guests sit in the match who still play, and no player with a name sits in it or has a seat reserved.
    pub fn is_of_guests(&self) -> bool {
        let is_named = |chair: &SeatSetup| match chair {
            SeatSetup::Held { holder } | SeatSetup::Reserved { holder } => holder.player.is_some(),
            SeatSetup::Engine(_) | SeatSetup::Open => false,
        };
        let plays = |seat: &SeatNow| !seat.out && matches!(seat.chair, SeatSetup::Held { .. });
        self.seats.iter().any(plays) && !self.seats.iter().any(|seat| is_named(&seat.chair))
    }

    /// The seat to move and its engine, if the seat is for one.
    pub fn engine_to_move(&self) -> Option<(Seat, &EngineSeat)> {
        let seat = self.turn()?;
        match &self.seats[seat.index()].chair {
            SeatSetup::Engine(engine) => Some((seat, engine)),
            _ => None,
        }
    }

    /// The seat to move, its program and the bot, if a hosted program plays it and still takes part.
    pub fn program_to_move(&self) -> Option<(Seat, &ProgramRef, &PlayerRef)> {
        let seat = self.turn()?;
        let now = &self.seats[seat.index()];
        let (program, bot) = now.chair.program().filter(|_| !now.out)?;
        Some((seat, program, bot))
    }

    /// The seat that the caller holds.
    pub fn seat_of(&self, caller: &Caller) -> Option<Seat> {
        self.find_seat(|chair| matches!(chair, SeatSetup::Held { holder } if join::is_caller(holder, caller)))
    }

    /// The event by which the caller gave up a seat: the answer to a repeated leave of a caller without a seat.
    pub fn left_by(&self, caller: &Caller) -> Option<u32> {
        let left = self.marks.iter().filter_map(|mark| mark.left.as_ref());
        left.filter(|(_, holder)| join::is_caller(holder, caller)).map(|(seq, _)| *seq).max()
    }

    /// Whether the caller is the creator of the match.
    pub fn is_creator(&self, caller: &Caller) -> bool {
        self.created.creator.as_ref().is_some_and(|creator| join::is_caller(creator, caller))
    }

    /// Whether all seats are for engines.
    fn is_of_engines(&self) -> bool {
        self.seats.iter().all(|seat| matches!(seat.chair, SeatSetup::Engine(_)))
    }

    /// Replaces the names of players. `name`: the new name for a player's id, if there is one.
    pub fn rename_players(&mut self, name: impl Fn(&str) -> Option<String>) {
        let made_with = self.created.seats.iter_mut();
        for chair in self.seats.iter_mut().map(|seat| &mut seat.chair).chain(made_with) {
            chair.rename_player(&name);
        }
    }

    /// Whether the caller may see the match: it is public, or the caller holds a seat, has one reserved, owns a bot that does,
    /// has the key, or is the creator.
    pub fn may_see(&self, caller: &Caller) -> bool {
        let key = self.created.key;
        key.is_none()
            || key == caller.match_key
            || self.seat_of(caller).is_some()
            || self.kept_for(caller).is_some()
            || self.has_bot_of(caller)
            || self.is_creator(caller)
    }

    /// Whether a bot of the caller holds a seat or has one reserved.
    fn has_bot_of(&self, caller: &Caller) -> bool {
        let Some(owner) = &caller.player else { return false };
        let players = self.seats.iter().filter_map(|seat| seat.chair.holder()?.player.as_ref());
        players.into_iter().any(|player| player.owner.as_ref() == Some(&owner.id))
    }

    /// Checks that a bot that takes this seat before the start can be told how the match begins.
    ///
    /// # Errors
    /// `no_bot_seat`.
    pub fn check_dialogue(&self, seat: Seat) -> Result<(), MatchRefusal> {
        if self.stage != Stage::Open || self.created.position.is_none() {
            return Ok(());
        }
        Ok(self.table.can_tell(seat)?)
    }

    /// The view of one viewer. It does not include resignations: see [`Self::turn`].
    pub fn view(&self, viewer: Viewer) -> Box<dyn Position> {
        self.table.view(viewer)
    }

    /// Reads a move. It need not be legal.
    ///
    /// # Errors
    /// `bad_move`.
    pub fn read(&self, mv: MoveInput<'_>) -> Result<ReadMove, MatchRefusal> {
        Ok(self.table.read(mv)?)
    }

    /// A move in notation, in both its forms.
    ///
    /// # Errors
    /// `bad_move`.
    pub fn move_text(&self, notation: &str) -> Result<MoveText, MatchRefusal> {
        Ok(self.table.move_text(notation)?)
    }

    /// The first event, without the dealt state, which is in the log.
    pub fn created(&self) -> &Created {
        &self.created
    }

    /// The time of the match's creation.
    pub fn created_ms(&self) -> Millis {
        self.created_ms
    }

    /// Whether it waits for seats, runs or is over.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// The seat to move; `None` before the start and after the end.
    pub fn turn(&self) -> Option<Seat> {
        match (self.stage, self.table.turn()) {
            (Stage::Running, Turn::Of(seat)) => Some(seat),
            _ => None,
        }
    }

    /// The number of moves made, those of penalties included.
    pub fn ply(&self) -> u32 {
        self.table.ply()
    }

    /// All seats, by number.
    pub fn seats(&self) -> &[SeatNow] {
        &self.seats
    }

    /// The clocks, without the time of the running turn.
    pub fn clocks(&self) -> &Clocks {
        &self.clocks
    }

    /// The time at which the running turn was published, as far as this server knows; `None`: no turn runs.
    pub fn turn_published_ms(&self) -> Option<Millis> {
        self.turn_times.map(|times| times.published_ms)
    }

    /// The time at which the running turn was decided, as far as the log alone tells: the same on every server.
    pub fn turn_decided_ms(&self) -> Option<Millis> {
        self.turn_times.map(|times| times.decided_ms)
    }

    /// The end of the pause of the running turn's clock, if it is paused at this time.
    pub fn paused_until(&self, now: Millis) -> Option<Millis> {
        self.turn_times?.paused_until(now)
    }

    /// The same, as far as the log alone tells: the same on every server.
    pub fn grace_until(&self, now: Millis) -> Option<Millis> {
        self.turn_times?.paused_until_ms.filter(|until| *until > now)
    }

    /// How much of the running turn is its player's own time, in milliseconds. Time used before a downtime counts.
    pub fn turn_took_ms(&self, now: Millis) -> u64 {
        self.turn_times.map_or(0, |times| times.used_ms(now))
    }

    /// Whether a vacation of the player to move stops the clock: vacations count in the match, and the seat is held and takes part. The
    /// log does not tell whether the holder is a person, who alone can be on vacation.
    pub fn vacation_counts(&self) -> bool {
        let Some(now) = self.turn().map(|seat| &self.seats[seat.index()]) else { return false };
        let is_held = matches!(now.chair, SeatSetup::Held { .. }) && now.chair.program().is_none();
        self.has_vacations() && is_held && !now.out
    }

    /// Whether vacations of its players count: the time for each move is of days, and no tournament waits for the result.
    pub fn has_vacations(&self) -> bool {
        let move_ms = self.clocks.spec().and_then(|spec| spec.move_ms);
        move_ms.is_some_and(|ms| ms >= DAY_MS.unsigned_abs()) && self.created.tournament.is_none()
    }

    /// The time up to which downtime was taken out of the running turn: see [`Command::Resume`].
    pub fn settled_until(&self) -> Millis {
        let Some(times) = self.turn_times else { return self.last_ms };
        self.last_ms.max(times.published_ms).max(times.paused_until_ms.unwrap_or(self.last_ms))
    }

    /// The place of the next event.
    pub fn next_seq(&self) -> u32 {
        self.next
    }

    /// How the match must end now, if it must: the game is over, or too few seats are left. Such an end is stored
    /// together with the event that caused it.
    pub fn end_due(&self) -> Option<(EndKind, event::Result)> {
        if self.stage != Stage::Running {
            return None;
        }
        let outs = self.outs();
        let played = self.table.outcome().map(|outcome| (EndKind::Played, result::played(outcome, &outs)));
        played.or_else(|| result::walkover(&outs).map(|result| (EndKind::Walkover, result)))
    }

    /// The time of the last event.
    pub fn last_ms(&self) -> Millis {
        self.last_ms
    }

    /// Whether it has begun, also if it is over.
    pub fn has_begun(&self) -> bool {
        self.begun
    }

    /// The last event, if the match is over.
    pub fn ended(&self) -> Option<&Ended> {
        self.ended.as_ref()
    }
}

fn later(from: Millis, ms: u64) -> Millis {
    from.saturating_add(i64::try_from(ms).unwrap_or(i64::MAX))
}
