//! What viewers are shown of a match: its page, and a frame for each event. Built from what the viewer may know and
//! from nothing else; it must never hold an `Event` or a ledger's table, from which secrets could be forgotten.

mod event;
mod page;

use engines::erased::MoveText;
use engines::game::{Seat, Viewer};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

pub use event::{ClockFrame, Shown, clock_frame, frame};
pub use page::{Page, page};

use crate::domain::names;
use crate::domain::time::Millis;
use crate::matches::clock::ClockSpec;
use crate::matches::event::{Holder, SeatSetup};
use crate::matches::ledger::Ledger;

/// A seat as everybody sees it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SeatShown {
    /// Which.
    seat: Seat,
    #[serde(flatten)]
    who: WhoShown,
    /// Whether it takes no part any more.
    out: bool,
}

/// Who sits in a seat, or may.
#[derive(Clone, Debug, Serialize, serde::Deserialize, JsonSchema)]
pub struct WhoShown {
    /// What sits there.
    pub kind: WhoKind,
    /// What it is called.
    pub name: Option<String>,
    /// Which engine it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<EngineShown>,
}

/// What sits in a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WhoKind {
    /// An engine.
    Engine,
    /// A player with a name of their own.
    Player,
    /// Somebody with no more than the seat's token.
    Guest,
    /// Nobody yet: anybody may join.
    Open,
    /// Nobody yet: it is kept for somebody.
    Reserved,
}

/// An engine in a seat.
#[derive(Clone, Debug, Serialize, serde::Deserialize, JsonSchema)]
pub struct EngineShown {
    /// Its name.
    name: String,
    /// Its version when the match was made.
    version: u32,
    /// How well it plays.
    level: engines::search::Level,
    /// How long it thinks about a move at most, in milliseconds.
    think_ms: u64,
    /// Most nodes of one search.
    nodes: Option<u64>,
}

/// The clocks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ClockShown {
    #[serde(flatten)]
    spec: ClockSpec,
    /// Per seat, what was left for all its moves at `since_ms`, in milliseconds; null: no such limit.
    left_ms: Vec<Option<u64>>,
    /// Whose clock runs, or will run when it is no longer `paused`.
    running: Option<Seat>,
    /// Since when it runs, time in which it stood taken out: up to now it has used `now_ms - since_ms`.
    since_ms: Option<Millis>,
    /// The host's time now.
    now_ms: Millis,
    /// Whether it stands: the host was away and gives the player time to reconnect, or cannot store moves now.
    paused: bool,
    /// While it is paused: when it goes on, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    paused_until_ms: Option<Millis>,
}

/// That the clock of the seat to move stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockPause {
    /// What the seat has used of its time for this move, in milliseconds.
    pub used_ms: u64,
    /// When the clock goes on, where that is known.
    pub until_ms: Option<Millis>,
}

impl WhoShown {
    /// Who sits there or may.
    pub fn of(chair: &SeatSetup) -> Self {
        match chair {
            SeatSetup::Engine(e) => Self {
                kind: WhoKind::Engine,
                name: Some(e.engine.clone()),
                engine: Some(EngineShown {
                    name: e.engine.clone(),
                    version: e.version,
                    level: e.level,
                    think_ms: e.think_ms,
                    nodes: e.nodes,
                }),
            },
            SeatSetup::Open => Self { kind: WhoKind::Open, name: None, engine: None },
            SeatSetup::Reserved { holder } => Self { kind: WhoKind::Reserved, ..Self::holding(holder) },
            SeatSetup::Held { holder } => Self::holding(holder),
        }
    }

    /// Somebody who holds a seat.
    fn holding(holder: &Holder) -> Self {
        match &holder.player {
            Some(player) if names::is_of_deleted(&player.name) => {
                Self { kind: WhoKind::Guest, name: Some(player.name.clone()), engine: None }
            }
            Some(player) => Self { kind: WhoKind::Player, name: Some(player.name.clone()), engine: None },
            None => Self { kind: WhoKind::Guest, name: holder.name.clone(), engine: None },
        }
    }
}

/// Whether every seat is taken: the match is being played, or was. Before that there is no position to show.
pub fn dealt_out(ledger: &Ledger) -> bool {
    ledger.seats().iter().all(|seat| matches!(seat.chair, SeatSetup::Engine(_) | SeatSetup::Held { .. }))
}

fn seats(chairs: impl Iterator<Item = (WhoShown, bool)>) -> Vec<SeatShown> {
    (0..).map(Seat).zip(chairs).map(|(seat, (who, out))| SeatShown { seat, who, out }).collect()
}

/// The clocks. `since_ms`: since when the clock of the seat to move runs; `stand`: that it stands.
fn clock(
    ledger: &Ledger,
    since_ms: Option<Millis>,
    stand: Option<ClockPause>,
    now_ms: Millis,
) -> Option<ClockShown> {
    let since_ms = stand.map(|stand| now_ms.saturating_sub_unsigned(stand.used_ms)).or(since_ms);

    let clocks = ledger.clocks();
    let seats = u8::try_from(ledger.seats().len()).unwrap_or(u8::MAX);
    clocks.spec().map(|spec| ClockShown {
        spec: *spec,
        left_ms: (0..seats).map(|seat| clocks.left(Seat(seat))).collect(),
        running: ledger.turn(),
        since_ms: ledger.turn().and(since_ms),
        now_ms,
        paused: stand.is_some(),
        paused_until_ms: stand.and_then(|stand| stand.until_ms),
    })
}

/// The view and the moves of a viewer.
fn look(ledger: &Ledger, viewer: Viewer) -> (Value, Vec<MoveText>) {
    let view = ledger.view(viewer);
    let to_move = ledger.turn().is_some_and(|seat| viewer == Viewer::Seat(seat));
    (view.to_json(), if to_move { view.legal_moves() } else { Vec::new() })
}

fn json(value: &impl Serialize) -> axum::body::Bytes {
    serde_json::to_vec(value).expect("plain values with text keys").into()
}
