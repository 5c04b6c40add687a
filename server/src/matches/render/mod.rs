//! The views of a match: its page and its events, built only from data that the viewer may know. It must never hold an
//! `Event` or the table of a ledger, whose secrets could be published by mistake.

mod event;
mod page;
mod rendered;

use std::collections::{BTreeMap, BTreeSet};

use engines::game::{Seat, Viewer};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

pub use event::{ChatFrame, ClockFrame, PresenceFrame, ViewerEvent, chat, clocks, event, played, presence};
pub use page::{Page, page};
pub use rendered::{RenderedEvent, ViewerPosition};

use crate::domain::EnginePlayer;
use crate::domain::names;
use crate::domain::time::Millis;
use crate::domain::token::KeyHash;
use crate::matches::clock::ClockSpec;
use crate::matches::event::{Created, Holder, PositionSource, ProgramRef, SeatSetup};
use crate::matches::ledger::Ledger;

/// A seat, as all viewers see it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SeatShown {
    /// Its number.
    seat: Seat,
    #[serde(flatten)]
    who: WhoShown,
    /// Whether it has dropped out.
    out: bool,
    /// Whether the player who holds it is connected. Absent in events, for engines and free seats, and when the match is
    /// over.
    #[serde(skip_serializing_if = "Option::is_none")]
    connected: Option<bool>,
    /// The end of the vacation of the player who holds it, in milliseconds since 1970. Absent in events, without a vacation, and in
    /// matches in which vacations do not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    vacation_until_ms: Option<Millis>,
}

/// Which players are connected and which on vacation.
#[derive(Clone, Copy, Debug)]
pub struct SeatsPresent<'a> {
    /// The seats whose players are connected.
    pub connected: &'a BTreeSet<Seat>,
    /// The seats whose players are on vacation, and until when.
    pub vacations: &'a BTreeMap<Seat, Millis>,
}

/// The holder of a seat, or what the seat is open for.
#[derive(Clone, Debug, Serialize, serde::Deserialize, JsonSchema)]
pub struct WhoShown {
    /// The kind of holder.
    pub kind: WhoKind,
    /// Of an engine, of a player, or of a guest who chose one.
    pub name: Option<String>,
    /// The number of a guest without a name, who is shown as "Guest 12".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guest: Option<u16>,
    /// The engine, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<EngineShown>,
    /// The hosted program that plays for a bot, whose clock counts its instructions. Absent if the bot runs elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<ProgramRef>,
}

/// The kind of holder of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WhoKind {
    /// A built-in engine.
    Engine,
    /// A player with a registered name.
    Player,
    /// A guest, who has only the token of the seat.
    Guest,
    /// The seat is open: anyone may join.
    Open,
    /// The seat is reserved for a player who has not joined yet.
    Reserved,
}

/// An engine in a seat.
#[derive(Clone, Debug, Serialize, serde::Deserialize, JsonSchema)]
pub struct EngineShown {
    name: String,
    /// Its version when the match was created.
    version: u32,
    level: engines::search::Level,
    /// Its longest thinking time per move, in milliseconds.
    think_ms: u64,
    /// Most nodes of one search.
    nodes: Option<u64>,
}

impl EngineShown {
    /// The engine as a player of this game.
    pub fn player(&self, game: &str) -> EnginePlayer {
        EnginePlayer {
            game: game.to_owned(),
            engine: self.name.clone(),
            version: self.version,
            level: self.level,
        }
    }
}

/// The start of a match that was not dealt. The position itself may be secret.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FromPosition {
    /// The match and the ply that the position is from; null: the creator gave it.
    of: Option<PositionSource>,
}

impl FromPosition {
    /// `None`: the match was dealt.
    fn of(created: &Created) -> Option<Self> {
        created.position.as_ref().map(|_| Self { of: created.position_of.clone() })
    }
}

/// The clocks of all seats at one moment.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ClockShown {
    #[serde(flatten)]
    spec: ClockSpec,
    /// Per seat, the time left at `since_ms` for all its moves, in milliseconds; null: no such limit.
    left_ms: Vec<Option<u64>>,
    /// The seat whose clock runs, or will run after a pause.
    running: Option<Seat>,
    /// The time since which it runs, pauses left out: by now it has used `now_ms - since_ms`.
    since_ms: Option<Millis>,
    /// The time of the server.
    now_ms: Millis,
    /// Whether the clock is paused: after a downtime, so that the player can reconnect, while moves cannot be stored, or while the
    /// player is on vacation.
    paused: bool,
    /// The end of the pause, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    paused_until_ms: Option<Millis>,
}

/// A pause of the clock of the seat to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockPause {
    /// The time that the seat has used for this move, in milliseconds.
    pub used_ms: u64,
    /// The end of the pause, if it is known.
    pub until_ms: Option<Millis>,
}

impl WhoShown {
    /// The holder of a seat.
    pub fn of(chair: &SeatSetup) -> Self {
        match chair {
            SeatSetup::Engine(e) => Self {
                kind: WhoKind::Engine,
                name: Some(e.engine.clone()),
                guest: None,
                engine: Some(EngineShown {
                    name: e.engine.clone(),
                    version: e.version,
                    level: e.level,
                    think_ms: e.think_ms,
                    nodes: e.nodes,
                }),
                program: None,
            },
            SeatSetup::Open => {
                Self { kind: WhoKind::Open, name: None, guest: None, engine: None, program: None }
            }
            SeatSetup::Reserved { holder } => Self { kind: WhoKind::Reserved, ..Self::holding(holder) },
            SeatSetup::Held { holder } => Self::holding(holder),
        }
    }

    /// A person or bot that holds a seat.
    fn holding(holder: &Holder) -> Self {
        let (kind, name) = match &holder.player {
            Some(player) if names::is_of_deleted(&player.name) => (WhoKind::Guest, Some(&player.name)),
            Some(player) => (WhoKind::Player, Some(&player.name)),
            None => (WhoKind::Guest, holder.name.as_ref()),
        };
        let guest = holder.key.filter(|_| name.is_none()).map(|key| guest_number(&key));
        Self { kind, name: name.cloned(), guest, engine: None, program: holder.program.clone() }
    }
}

/// The number by which a guest without a name is known, 1 to 9999. It follows from the hash of the token, so that it is the
/// same on every node and nothing has to count.
fn guest_number(key: &KeyHash) -> u16 {
    const NUMBERS: u16 = 9999;
    u16::from_be_bytes([key.0[0], key.0[1]]) % NUMBERS + 1
}

/// Whether all seats are taken, so that the cards are dealt and there is a position to show.
pub fn dealt_out(ledger: &Ledger) -> bool {
    ledger.seats().iter().all(|seat| matches!(seat.chair, SeatSetup::Engine(_) | SeatSetup::Held { .. }))
}

fn seats(chairs: impl Iterator<Item = (WhoShown, bool)>) -> Vec<SeatShown> {
    (0..)
        .map(Seat)
        .zip(chairs)
        .map(|(seat, (who, out))| SeatShown { seat, who, out, connected: None, vacation_until_ms: None })
        .collect()
}

/// The clocks. `since_ms`: the time since which the clock of the seat to move runs; `pause`: its pause.
fn clock(
    ledger: &Ledger,
    since_ms: Option<Millis>,
    pause: Option<ClockPause>,
    now_ms: Millis,
) -> Option<ClockShown> {
    let since_ms = pause.map(|pause| now_ms.saturating_sub_unsigned(pause.used_ms)).or(since_ms);

    let clocks = ledger.clocks();
    let seats = u8::try_from(ledger.seats().len()).unwrap_or(u8::MAX);
    clocks.spec().map(|spec| ClockShown {
        spec: *spec,
        left_ms: (0..seats).map(|seat| clocks.left(Seat(seat))).collect(),
        running: ledger.turn(),
        since_ms: ledger.turn().and(since_ms),
        now_ms,
        paused: pause.is_some(),
        paused_until_ms: pause.and_then(|pause| pause.until_ms),
    })
}

/// Notes on the seats of players whether they are connected, and until when they are on vacation. A hosted program always is
/// connected.
fn mark_present(seats: &mut [SeatShown], SeatsPresent { connected, vacations }: SeatsPresent<'_>) {
    for seat in seats.iter_mut() {
        seat.vacation_until_ms = vacations.get(&seat.seat).copied();
    }
    let held = seats.iter_mut().filter(|seat| matches!(seat.who.kind, WhoKind::Player | WhoKind::Guest));
    held.for_each(|seat| seat.connected = Some(seat.who.program.is_some() || connected.contains(&seat.seat)));
}

/// The view and the legal moves of a viewer.
fn look(ledger: &Ledger, viewer: Viewer) -> (Box<RawValue>, Box<RawValue>) {
    let view = ledger.view(viewer);
    let to_move = ledger.turn().is_some_and(|seat| viewer == Viewer::Seat(seat));
    (view.to_raw(), if to_move { view.legal_moves_raw() } else { no_moves() })
}

/// An empty JSON array.
fn no_moves() -> Box<RawValue> {
    RawValue::from_string("[]".to_owned()).expect("it is JSON")
}
