//! What viewers are shown of a match: its page, and a frame for each event. Built from what the viewer may know and
//! from nothing else; it must never hold an [`Event`] or a ledger's table, from which secrets could be forgotten.

use std::sync::Arc;

use engines::any::MoveText;
use engines::game::{Seat, Viewer};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::clock::ClockSpec;
use super::event::{
    Chair, EndKind, Event, FoulKind, Holder, Millis, OutReason, Result as MatchResult, SeedFrom, Stamped,
    Times,
};
use super::hall::Frame;
use super::ledger::{Ledger, Stage};
use crate::store::MatchId;

/// A match as it is now, for one viewer.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MatchPage")]
pub struct Page {
    #[serde(rename = "type")]
    kind: PageKind,
    /// The match.
    id: String,
    /// The game's short name.
    game: String,
    /// The options of the deal, by the game's schema.
    options: Value,
    /// Where it is in its life.
    stage: Stage,
    /// Whether only its seats and who has its key see it.
    private: bool,
    /// When it was made, in milliseconds since 1970.
    created_ms: Millis,
    /// The place of the last event.
    seq: u32,
    /// Moves made so far, those of penalties included: what a move must name.
    ply: u32,
    /// Whose move is awaited.
    turn: Option<Seat>,
    /// Who sits where.
    seats: Vec<SeatShown>,
    /// The clocks; null: without limits.
    clock: Option<ClockShown>,
    /// Ends when nothing happens for so long, in milliseconds (before the start; and after it, without a clock).
    idle_ms: u64,
    /// The viewer's own seat.
    you: Option<Seat>,
    /// The view, by the game's schema; null before the start.
    position: Option<Value>,
    /// What the viewer may play now.
    legal_moves: Vec<MoveText>,
    /// The result, where there is one.
    result: Option<MatchResult>,
    /// How it ended.
    ended: Option<EndKind>,
    /// SHA-256 of the salt's bytes followed by the seed's, hexadecimal: told before the first move, so that the deal
    /// can be checked after the last.
    commitment: String,
    /// Who chose the seed.
    seed_from: SeedFrom,
    /// What the deal was made from, hexadecimal, when it is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<String>,
    /// The commitment's salt, hexadecimal, when it is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    salt: Option<String>,
    /// The match that this one is the rematch of.
    rematch_of: Option<String>,
    /// The rematch of this one.
    rematch: Option<String>,
}

/// That it is a page.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum PageKind {
    /// It is.
    Match,
}

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
    /// Whose clock runs.
    running: Option<Seat>,
    /// Since when it runs.
    since_ms: Option<Millis>,
    /// The host's time now.
    now_ms: Millis,
}

/// An event, for one viewer.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MatchEvent")]
pub struct Shown {
    #[serde(flatten)]
    what: What,
    /// Its place: 0 for the first event of a match, without gaps.
    seq: u32,
    /// When it was, in milliseconds since 1970.
    at_ms: Millis,
}

/// What comes next, as the viewer sees it.
#[derive(Debug, Serialize, JsonSchema)]
struct Next {
    /// Whose move is awaited now.
    turn: Option<Seat>,
    /// The clocks now; null: without limits.
    clock: Option<ClockShown>,
    /// The view now, by the game's schema.
    position: Value,
    /// What the viewer may play now.
    legal_moves: Vec<MoveText>,
}

/// What happened.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
enum What {
    /// The match was made.
    Created {
        game: String,
        options: Value,
        seats: Vec<SeatShown>,
        clock: Option<ClockSpec>,
        idle_ms: u64,
        private: bool,
        commitment: String,
        seed_from: SeedFrom,
        rematch_of: Option<String>,
    },
    /// Somebody took a seat.
    Joined {
        seat: Seat,
        #[serde(flatten)]
        who: WhoShown,
    },
    /// A seat was given up before the start.
    Left { seat: Seat },
    /// All seats are taken.
    Started(Next),
    /// A move was made.
    Moved {
        seat: Seat,
        ply: u32,
        #[serde(flatten)]
        mv: MoveText,
        times: Times,
        #[serde(flatten)]
        next: Next,
    },
    /// The official penalty was given.
    Fouled {
        seat: Seat,
        ply: u32,
        kind: FoulKind,
        detail: String,
        instead: Option<MoveText>,
        times: Times,
        #[serde(flatten)]
        next: Next,
    },
    /// A seat takes no part any more.
    WentOut { seat: Seat, why: OutReason },
    /// The host was away and is back.
    Resumed { away_ms: u64, clock: Option<ClockShown> },
    /// The match is over.
    Ended { how: EndKind, result: Option<MatchResult>, seed: String, salt: String, position: Option<Value> },
}

impl WhoShown {
    /// Who sits there or may.
    pub fn of(chair: &Chair) -> Self {
        match chair {
            Chair::Engine(e) => Self {
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
            Chair::Open => Self { kind: WhoKind::Open, name: None, engine: None },
            Chair::Reserved { holder } => Self { kind: WhoKind::Reserved, ..Self::holding(holder) },
            Chair::Held { holder } => Self::holding(holder),
        }
    }

    fn holding(holder: &Holder) -> Self {
        match &holder.player {
            Some(player) => Self { kind: WhoKind::Player, name: Some(player.name.clone()), engine: None },
            None => Self { kind: WhoKind::Guest, name: holder.name.clone(), engine: None },
        }
    }
}

/// Whether every seat is taken: the match is being played, or was. Before that there is no position to show.
pub fn dealt_out(ledger: &Ledger) -> bool {
    ledger.seats().iter().all(|seat| matches!(seat.chair, Chair::Engine(_) | Chair::Held { .. }))
}

fn seats(chairs: impl Iterator<Item = (WhoShown, bool)>) -> Vec<SeatShown> {
    (0..).map(Seat).zip(chairs).map(|(seat, (who, out))| SeatShown { seat, who, out }).collect()
}

fn clock(ledger: &Ledger, since_ms: Option<Millis>, now_ms: Millis) -> Option<ClockShown> {
    let clocks = ledger.clocks();
    let seats = u8::try_from(ledger.seats().len()).unwrap_or(u8::MAX);
    clocks.spec().map(|spec| ClockShown {
        spec: *spec,
        left_ms: (0..seats).map(|seat| clocks.left(Seat(seat))).collect(),
        running: ledger.turn(),
        since_ms: ledger.turn().and(since_ms),
        now_ms,
    })
}

/// The view and the moves of a viewer.
fn look(ledger: &Ledger, viewer: Viewer) -> (Value, Vec<MoveText>) {
    let view = ledger.view(viewer);
    let to_move = ledger.turn().is_some_and(|seat| viewer == Viewer::Seat(seat));
    (view.to_json(), if to_move { view.legal_moves() } else { Vec::new() })
}

/// The page of a match. `rematch`: the match that followed it.
pub fn page(
    id: &MatchId,
    ledger: &Ledger,
    viewer: Viewer,
    rematch: Option<&MatchId>,
    now_ms: Millis,
) -> Arc<Frame> {
    let created = ledger.created();
    let (position, legal_moves) = match dealt_out(ledger) {
        true => {
            let (position, moves) = look(ledger, viewer);
            (Some(position), moves)
        }
        false => (None, Vec::new()),
    };
    let ended = ledger.ended();
    let page = Page {
        kind: PageKind::Match,
        id: id.to_string(),
        game: created.game.clone(),
        options: created.options.clone(),
        stage: ledger.stage(),
        private: created.key.is_some(),
        created_ms: ledger.created_ms(),
        seq: ledger.next_seq().saturating_sub(1),
        ply: ledger.ply(),
        turn: ledger.turn(),
        seats: seats(ledger.seats().iter().map(|seat| (WhoShown::of(&seat.chair), seat.out))),
        clock: clock(ledger, ledger.turn_out_ms(), now_ms),
        idle_ms: created.idle_ms,
        you: match viewer {
            Viewer::Seat(seat) => Some(seat),
            Viewer::Spectator => None,
        },
        position,
        legal_moves,
        result: ended.and_then(|e| e.result.clone()),
        ended: ended.map(|e| e.how),
        commitment: created.commitment.clone(),
        seed_from: created.seed_from,
        seed: ended.map(|e| e.seed.to_string()),
        salt: ended.map(|e| e.salt.clone()),
        rematch_of: created.rematch_of.clone(),
        rematch: rematch.map(MatchId::to_string),
    };
    Arc::new(Frame { seq: None, kind: "match", json: json(&page) })
}

/// The frame of an event that was just applied. It follows from the log alone, so that it is the same at every time.
pub fn frame(ledger: &Ledger, stamped: &Stamped, viewer: Viewer) -> Arc<Frame> {
    let at_ms = stamped.at_ms;
    let next = || {
        let (position, legal_moves) = look(ledger, viewer);
        Next { turn: ledger.turn(), clock: clock(ledger, Some(at_ms), at_ms), position, legal_moves }
    };
    let (kind, what) = match &stamped.event {
        Event::Created(created) => (
            "created",
            What::Created {
                game: created.game.clone(),
                options: created.options.clone(),
                seats: seats(created.seats.iter().map(|chair| (WhoShown::of(chair), false))),
                clock: created.clock,
                idle_ms: created.idle_ms,
                private: created.key.is_some(),
                commitment: created.commitment.clone(),
                seed_from: created.seed_from,
                rematch_of: created.rematch_of.clone(),
            },
        ),
        Event::Joined { seat, holder } => {
            ("joined", What::Joined { seat: *seat, who: WhoShown::holding(holder) })
        }
        Event::Left { seat } => ("left", What::Left { seat: *seat }),
        Event::Started => ("started", What::Started(next())),
        Event::Moved(moved) => (
            "moved",
            What::Moved {
                seat: moved.seat,
                ply: moved.ply,
                mv: move_text(ledger, &moved.notation),
                times: moved.times,
                next: next(),
            },
        ),
        Event::Fouled(fouled) => (
            "fouled",
            What::Fouled {
                seat: fouled.seat,
                ply: fouled.ply,
                kind: fouled.kind,
                detail: fouled.detail.clone(),
                instead: fouled.instead.as_deref().map(|notation| move_text(ledger, notation)),
                times: fouled.times,
                next: next(),
            },
        ),
        Event::WentOut { seat, why } => ("went_out", What::WentOut { seat: *seat, why: *why }),
        Event::Resumed { away_ms } => {
            let clock = clock(ledger, ledger.turn_out_ms(), at_ms);
            ("resumed", What::Resumed { away_ms: *away_ms, clock })
        }
        Event::Ended(ended) => (
            "ended",
            What::Ended {
                how: ended.how,
                result: ended.result.clone(),
                seed: ended.seed.to_string(),
                salt: ended.salt.clone(),
                position: dealt_out(ledger).then(|| look(ledger, viewer).0),
            },
        ),
    };
    let shown = Shown { what, seq: stamped.seq, at_ms };
    Arc::new(Frame { seq: Some(stamped.seq), kind, json: json(&shown) })
}

/// A move of the log in both its forms.
fn move_text(ledger: &Ledger, notation: &str) -> MoveText {
    // The move was played, so it can be read; if not, its text is better than none.
    let unread = |_| MoveText { mv: Value::Null, notation: notation.to_owned() };
    ledger.move_text(notation).unwrap_or_else(unread)
}

fn json(value: &impl Serialize) -> axum::body::Bytes {
    serde_json::to_vec(value).expect("plain values with text keys").into()
}
