//! A match as the fold of its events: what has happened, what may happen, and what must. Pure: no clock, no I/O; `now`
//! is handed in. `decide` turns a command into events and changes nothing; `apply` takes an event as it was stored.

mod apply;
mod create;
mod decide;
mod join;
pub mod result;
#[cfg(test)]
mod tests;

use std::net::IpAddr;

use engines::erased::{AnyTable, MoveText, Position};
use engines::game::{Seat, Turn, Viewer};
use serde_json::Value;

pub use create::Beginning;

use super::clock::Clocks;
use super::event::{
    self, Chair, Created, EndKind, Ended, EngineSeat, Event, FoulKind, Holder, Millis, PlayerRef,
};
use super::refused::Refused;
use super::token::KeyHash;

/// Time-outs in a row after which a seat counts as gone.
pub const MISSED_TURNS_LIMIT: u32 = 3;

/// The longest time for which a clock stands after the host is back, in milliseconds.
pub const MAX_GRACE_MS: u64 = 60_000;

/// Who asks: what was shown to prove it. The default is nobody in particular.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caller {
    /// The hash of the seat token that was shown.
    pub seat_key: Option<KeyHash>,
    /// The player whose token was shown.
    pub player: Option<PlayerRef>,
    /// The hash of the private match's key that was shown.
    pub match_key: Option<KeyHash>,
    /// The network address that limits count for; `None`: a caller without limits, such as the server itself.
    pub network: Option<IpAddr>,
}

/// Where a match is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Seats are free.
    Open,
    /// It is being played.
    Running,
    /// It is over.
    Over,
}

/// What somebody, or time, wants to happen. Seats are those of [`Ledger::seat_of`] the caller, to be asked again
/// whenever the log has grown: before the start a seat may have changed hands.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Take a seat: the one kept for this caller, else the first open one; or just this one.
    Join {
        /// Which seat; `None`: any.
        seat: Option<Seat>,
        /// Who asks.
        caller: Caller,
        /// What will hold the seat; where one is kept for the caller, what is known of them already counts.
        holder: Holder,
    },
    /// Give the seat up, before the start.
    Leave {
        /// Whose.
        seat: Seat,
    },
    /// Make a move.
    Move {
        /// Who.
        seat: Seat,
        /// Moves made before it, as the mover believes.
        ply: u32,
        /// The move as the official protocol writes it, in any spelling that it reads.
        notation: String,
        /// When it came in. It counts as in time if it came in in time.
        arrived_ms: Millis,
        /// How long it waited here.
        queue_us: u64,
        /// An engine's own time, which was measured. `None`: from the moment the turn was out to `arrived_ms`.
        think_us: Option<u64>,
    },
    /// A foreign bot's mistake at its turn.
    Foul {
        /// Whose.
        seat: Seat,
        /// Moves made before it.
        ply: u32,
        /// A bad line or a crash; the others happen by [`Command::Tick`].
        kind: FoulKind,
        /// What happened, in a sentence.
        detail: String,
        /// When it came in.
        arrived_ms: Millis,
    },
    /// Give the match up.
    Resign {
        /// Who.
        seat: Seat,
    },
    /// Take the match back, before the first move.
    Abort {
        /// Who.
        seat: Seat,
    },
    /// Take a seat away from its holder, before the start. Only the match's maker may ask for it.
    Remove {
        /// Whose.
        seat: Seat,
    },
    /// End the match without a result: by its maker, or by the operator of the server.
    End {
        /// [`EndKind::Cancelled`] or [`EndKind::Terminated`].
        how: EndKind,
    },
    /// The host was away until now.
    Resume {
        /// How long, in milliseconds.
        away_ms: u64,
        /// How long the clock of the seat to move stands from now on, in milliseconds; more than [`MAX_GRACE_MS`] is cut.
        grace_ms: u64,
    },
    /// Time has passed: let happen what is due (see [`Ledger::due`]).
    Tick,
    /// The match has lasted too long for this server: it ends without a result.
    Expire,
}

/// What a command comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Decided {
    /// These events, to be stored together. Never empty, except for [`Command::Tick`] when nothing is due.
    New(Vec<Event>),
    /// The very same thing has happened before, at this place in the log.
    Already(u32),
}

/// When something is due without anybody asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// Now.
    Now,
    /// At this time.
    At(Millis),
    /// Not at all.
    Never,
}

/// A seat as it is now.
#[derive(Clone, Debug, PartialEq)]
pub struct SeatNow {
    /// Who sits there or may.
    pub chair: Chair,
    /// Whether it takes no part any more.
    pub out: bool,
    /// Time-outs in a row.
    pub missed: u32,
}

/// A match.
pub struct Ledger {
    /// How it began, less the dealt state.
    created: Created,
    table: Box<dyn AnyTable>,
    seats: Vec<SeatNow>,
    /// Per seat, where in the log it changed hands.
    marks: Vec<Mark>,
    clocks: Clocks,
    stage: Stage,
    /// The seq of the next event.
    next: u32,
    created_ms: Millis,
    /// When the last event was.
    last_ms: Millis,
    /// When a seat went out last; before that, when the match was made.
    out_ms: Millis,
    /// Since when nothing has happened, downtime left out.
    idle_from: Millis,
    /// When the running turn was out, and how long its event took to be on disk.
    turn_out: Option<(Millis, u64)>,
    /// The same as far as the log alone tells it.
    turn_decided: Option<Millis>,
    /// Until when the clock of the running turn stands, where the host was away: its player has to reconnect.
    stands_until: Option<Millis>,
    /// Whether the host has still to tell when the running turn was out.
    fresh_turn: bool,
    /// Per ply, what happened there; last, if it was so, the foul that ended the game.
    acts: Vec<Act>,
    ended: Option<Ended>,
}

/// Where in the log a seat changed hands.
#[derive(Clone, Debug, Default)]
struct Mark {
    /// The event since which its holder sits there.
    since: u32,
    /// The event by which somebody left it last, and who.
    left: Option<(u32, Holder)>,
    /// Players from whom the maker took it away.
    removed: Vec<Holder>,
    /// The event by which it went out.
    out: Option<u32>,
}

/// What a seat did at its turn.
struct Act {
    seq: u32,
    seat: Seat,
    deed: Deed,
}

#[derive(Clone, Debug, PartialEq)]
enum Deed {
    /// A move, with its notation.
    Moved(Box<str>),
    /// A foul.
    Fouled(FoulKind),
}

/// A log that contradicts itself or its game: where and how.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event {seq}: {what}")]
pub struct BadLog {
    /// The place in the log.
    pub seq: u32,
    /// What is wrong.
    pub what: String,
}

impl Ledger {
    /// The running turn was out only then, after its event was on disk, which took so long. The log alone knows only
    /// when the event was decided. To be told by the host that stored these events, after it has applied them, or loaded the
    /// log that they begin: once told, or after events decided later, it changes nothing. Whether it changed something.
    pub fn turn_is_out(&mut self, at_ms: Millis, commit_us: u64) -> bool {
        if std::mem::take(&mut self.fresh_turn)
            && let Some(turn_out) = &mut self.turn_out
        {
            *turn_out = (at_ms.max(turn_out.0), commit_us);
            return true;
        }
        false
    }

    /// When something is due without anybody asking: a time-out, a foul of a seat that is out, the end for idleness.
    /// Time does not run out for engines: their time is measured where they think.
    pub fn due(&self) -> Due {
        match self.stage {
            Stage::Over => Due::Never,
            Stage::Open if self.is_full() => Due::Now,
            Stage::Open => self.idle_end(),
            Stage::Running => self.due_running(),
        }
    }

    fn due_running(&self) -> Due {
        let (Some(seat), Some((out_ms, _)), false) = (self.turn(), self.turn_out, self.is_walkover()) else {
            return Due::Now;
        };
        let now = &self.seats[seat.index()];
        if now.out {
            return Due::Now;
        }
        if matches!(now.chair, Chair::Engine(_)) {
            return Due::Never;
        }
        match self.clocks.allowed(seat) {
            Some(allowed) => Due::At(later(out_ms, allowed)),
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

    /// Whether no seat is free.
    fn is_full(&self) -> bool {
        !self.seats.iter().any(|seat| create::is_free(&seat.chair))
    }

    /// Whether only engines take part, and no seat is free.
    fn is_among_engines(&self) -> bool {
        self.seats.iter().all(|seat| seat.out || matches!(seat.chair, Chair::Engine(_)))
    }

    /// The time since when only engines play; `None` while a person or a bot takes part.
    pub fn among_engines_since(&self) -> Option<Millis> {
        (self.stage == Stage::Running && self.is_among_engines()).then_some(self.out_ms)
    }

    /// The engine that is to move now.
    pub fn engine_to_move(&self) -> Option<(Seat, &EngineSeat)> {
        let seat = self.turn()?;
        match &self.seats[seat.index()].chair {
            Chair::Engine(engine) => Some((seat, engine)),
            _ => None,
        }
    }

    /// The seat that the caller holds.
    pub fn seat_of(&self, caller: &Caller) -> Option<Seat> {
        self.find_seat(|chair| matches!(chair, Chair::Held { holder } if join::is_caller(holder, caller)))
    }

    /// The event by which the caller gave their seat up: what leaving once more comes to for who holds none now.
    pub fn left_by(&self, caller: &Caller) -> Option<u32> {
        let left = self.marks.iter().filter_map(|mark| mark.left.as_ref());
        left.filter(|(_, holder)| join::is_caller(holder, caller)).map(|(seq, _)| *seq).max()
    }

    /// Whether the caller made the match.
    pub fn is_maker(&self, caller: &Caller) -> bool {
        self.created.maker.as_ref().is_some_and(|maker| join::is_caller(maker, caller))
    }

    /// Whether only engines have seats.
    fn is_of_engines(&self) -> bool {
        self.seats.iter().all(|seat| matches!(seat.chair, Chair::Engine(_)))
    }

    /// Gives players the names that they have now: `name` tells it where it is another than the one in the log.
    pub fn rename_players(&mut self, name: impl Fn(&str) -> Option<String>) {
        let made_with = self.created.seats.iter_mut();
        for chair in self.seats.iter_mut().map(|seat| &mut seat.chair).chain(made_with) {
            chair.rename_player(&name);
        }
    }

    /// Whether the caller may know of the match: it is public, or they hold a seat, or one is kept for them, or they
    /// have its key, or they made it.
    pub fn may_see(&self, caller: &Caller) -> bool {
        let key = self.created.key;
        key.is_none()
            || key == caller.match_key
            || self.seat_of(caller).is_some()
            || self.kept_for(caller).is_some()
            || self.is_maker(caller)
    }

    /// The match as one viewer may know it. It knows nothing of resigning: see [`Self::turn`] for whose move counts.
    pub fn view(&self, viewer: Viewer) -> Box<dyn Position> {
        self.table.view(viewer)
    }

    /// The notation of a move given as JSON.
    ///
    /// # Errors
    /// `bad_move`.
    pub fn notation(&self, mv: &Value) -> Result<String, Refused> {
        Ok(self.table.notation(mv)?)
    }

    /// A move given as notation, in both its forms.
    ///
    /// # Errors
    /// `bad_move`.
    pub fn move_text(&self, notation: &str) -> Result<MoveText, Refused> {
        Ok(self.table.move_text(notation)?)
    }

    /// How it began. The dealt state is left out: it lies in the log.
    pub fn created(&self) -> &Created {
        &self.created
    }

    /// When it was made.
    pub fn created_ms(&self) -> Millis {
        self.created_ms
    }

    /// Where it is in its life.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// Whose move is awaited; nobody's before the start and after the end.
    pub fn turn(&self) -> Option<Seat> {
        match (self.stage, self.table.turn()) {
            (Stage::Running, Turn::Of(seat)) => Some(seat),
            _ => None,
        }
    }

    /// Moves made so far, those of penalties included.
    pub fn ply(&self) -> u32 {
        self.table.ply()
    }

    /// The seats.
    pub fn seats(&self) -> &[SeatNow] {
        &self.seats
    }

    /// The clocks, the running turn not charged yet.
    pub fn clocks(&self) -> &Clocks {
        &self.clocks
    }

    /// When the running turn was out.
    pub fn turn_out_ms(&self) -> Option<Millis> {
        self.turn_out.map(|(out_ms, _)| out_ms)
    }

    /// When the running turn was given, as far as the log alone tells it: the same at every time and at every server.
    pub fn turn_decided_ms(&self) -> Option<Millis> {
        self.turn_decided
    }

    /// Until when the clock of the running turn stands, if it stands at this time.
    pub fn stands_until(&self, now: Millis) -> Option<Millis> {
        let (out_ms, _) = self.turn_out?;
        Some(out_ms.max(self.stands_until.unwrap_or(out_ms))).filter(|until| *until > now)
    }

    /// The same as far as the log alone tells it: the same at every time and at every server.
    pub fn grace_until(&self, now: Millis) -> Option<Millis> {
        self.stands_until.filter(|until| *until > now)
    }

    /// How much of the running turn's time was its player's own at this time, in milliseconds. What was used before the
    /// host was away stays used.
    pub fn turn_took_ms(&self, now: Millis) -> u64 {
        let Some((out_ms, _)) = self.turn_out else { return 0 };
        u64::try_from(now.max(self.stands_until.unwrap_or(now)).saturating_sub(out_ms)).unwrap_or(0)
    }

    /// Up to when downtime is taken out of the running turn already: see [`Command::Resume`].
    pub fn settled_until(&self) -> Millis {
        let turn = self.turn_out.map_or(self.last_ms, |(out_ms, _)| out_ms);
        self.last_ms.max(turn).max(self.stands_until.unwrap_or(self.last_ms))
    }

    /// The place of the next event.
    pub fn next_seq(&self) -> u32 {
        self.next
    }

    /// How the match must end now, when it must: it was played out, or too few take part. Such an end is stored together
    /// with what led to it.
    pub fn end_due(&self) -> Option<(EndKind, event::Result)> {
        if self.stage != Stage::Running {
            return None;
        }
        let outs = self.outs();
        let played = self.table.outcome().map(|outcome| (EndKind::Played, result::played(outcome, &outs)));
        played.or_else(|| result::walkover(&outs).map(|result| (EndKind::Walkover, result)))
    }

    /// When the last event was decided.
    pub fn last_ms(&self) -> Millis {
        self.last_ms
    }

    /// How it ended.
    pub fn ended(&self) -> Option<&Ended> {
        self.ended.as_ref()
    }
}

fn later(from: Millis, ms: u64) -> Millis {
    from.saturating_add(i64::try_from(ms).unwrap_or(i64::MAX))
}
